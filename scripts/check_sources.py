#!/usr/bin/env python3
"""Rules about the sources that no compiler checks. Prints file:line: rule, and exits 1 if one is broken.

  size       at most 400 lines a file, 60 lines of code a function
  pure       the folders that decide do no I/O, read no clock, start no thread, draw no unseeded number
  hash-order the folders that decide never iterate over an unordered container
  clock      no other folder but the worlds, and the programs around them, reads a clock or sleeps
  unfinished no marker of work left undone
  path       no path of somebody's machine
"""

import re
import subprocess
import sys
from pathlib import Path

import lizard

ROOT = Path(__file__).resolve().parent.parent
PURE = ("core", "api", "state", "quota", "placement", "recall", "scheduler", "protocol", "lifecycle", "brain",
        "controllers")
CODE = {".cpp", ".hpp", ".py", ".sh"}
# Files that may do what the others of their folder may not, and why.
PURE_EXCEPT = {
    "src/core/error.cpp",  # prints a broken invariant before it aborts
    "src/core/files.cpp",  # reads the files that a user names, for the programs around what decides
}
READS_CLOCK = {
    "src/drill/watched_brain.cpp",  # tells how long decisions take on this machine
    "src/run/brain_controller.cpp",  # the same, as a metric
    "src/run/metrics.cpp",  # the CPU time of the process
    "src/run/run.cpp",  # a replica's name in the lease, and the seed of jitter, are to differ from all others
}
LONG_FILES: set[str] = set()
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60

IMPURE_HEADER = re.compile(
    r"#\s*include\s*<(iostream|fstream|filesystem|cstdio|thread|mutex|shared_mutex|condition_variable|future|"
    r"random|unistd\.h|sys/[^>]+|fcntl\.h|spdlog/[^>]+)>"
)
CLOCK = re.compile(
    r"\b(system_clock|steady_clock|high_resolution_clock)::now\b|\bsleep_(for|until)\b|\bu?sleep\s*\(|"
    r"\b(gettimeofday|clock_gettime|random_device|mt19937(_64)?|getenv)\b|\bs?rand\s*\("
)
UNORDERED = re.compile(r"\bunordered_(?:flat_|node_)?(?:multi)?(?:map|set)\s*<")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK|WIP|TBD)\b|\bnot (?:yet )?implemented\b", re.IGNORECASE)
LOCAL_PATH = re.compile(r"(?<![\w.$}/-])/(?:work|home|root|Users)/\w")


def tracked_files():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True, text=True,
    ).stdout
    return sorted(ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file())


def without_comments(text):
    """Comments and string literals blanked out, line numbers kept."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
    return pattern.sub(lambda m: "".join(c if c == "\n" else " " for c in m.group(0)), text)


def matches(pattern, text):
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(0)


def unordered_names(text):
    """Names declared with an unordered container as their outermost type, or as an alias of one."""
    for match in UNORDERED.finditer(text):
        depth, at = 1, match.end()
        while at < len(text) and depth > 0:
            depth += {"<": 1, ">": -1}.get(text[at], 0)
            at += 1
        name = re.match(r"\s*&?\s*(\w+)\s*[;={,)]", text[at:])
        if name:
            yield name.group(1)


def hash_order_errors(text, names):
    for name in sorted(names):
        loop = re.compile(rf"for\s*\([^;)]*:\s*(?:\w+(?:\.|->))*{name}\s*\)|\b{name}\s*\.\s*c?begin\s*\(")
        for line, _ in matches(loop, text):
            yield line, f"hash-order: iterates over the unordered container {name}"


def pure_errors(text, code):
    for line, found in matches(IMPURE_HEADER, text):
        yield line, f"pure: {found}"
    for line, found in matches(CLOCK, code):
        yield line, f"pure: {found.strip()}"


def size_errors(path, text):
    lines = text.count("\n")
    if lines > MAX_FILE_LINES and path.relative_to(ROOT).as_posix() not in LONG_FILES:
        yield lines, f"size: {lines} lines in a file, at most {MAX_FILE_LINES}"
    if path.suffix in {".cpp", ".hpp"}:
        for function in lizard.analyze_file.analyze_source_code(str(path), text).function_list:
            if function.nloc > MAX_FUNCTION_LINES:
                yield function.start_line, (
                    f"size: {function.name} has {function.nloc} lines of code, at most {MAX_FUNCTION_LINES}"
                )


def cpp_errors(relative, text, folder_names):
    code = without_comments(text)
    parts = relative.parts
    if parts[0] != "src":
        return
    if parts[1] in PURE and not relative.name.endswith("_test.cpp"):
        if relative.as_posix() not in PURE_EXCEPT:
            yield from pure_errors(text, code)
        yield from hash_order_errors(code, folder_names)
    elif parts[1] not in {"world", "cli", "main.cpp"} and relative.as_posix() not in READS_CLOCK:
        for line, found in matches(CLOCK, code):
            yield line, f"clock: {found.strip()}"


def file_errors(path, folder_names):
    relative = path.relative_to(ROOT)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    for line, found in matches(LOCAL_PATH, text):
        yield line, f"path: {found}"
    if path.suffix in CODE:
        if path != Path(__file__).resolve():
            for line, found in matches(UNFINISHED, text):
                yield line, f"unfinished: {found}"
        yield from size_errors(path, text)
    if path.suffix in {".cpp", ".hpp"}:
        yield from cpp_errors(relative, text, folder_names.get(path.parent, set()))


def main():
    files = tracked_files()
    folder_names = {}
    for path in files:
        if path.suffix in {".cpp", ".hpp"}:
            names = unordered_names(without_comments(path.read_text(encoding="utf-8")))
            folder_names.setdefault(path.parent, set()).update(names)
    broken = 0
    for path in files:
        for line, message in file_errors(path, folder_names):
            print(f"{path.relative_to(ROOT)}:{line}: {message}")
            broken += 1
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
