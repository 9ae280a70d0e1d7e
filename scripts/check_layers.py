#!/usr/bin/env python3
"""Holds the includes of src/ to the dependency table in CMakeLists.txt.

A folder may include its own headers and those of the folders it lists in DEPS, directly or through them. A test
(*_test.cpp) may include what its folder may. Prints one line per broken rule; exits 1 if there is one.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = re.compile(r"^tidegate_folder\((\S+)([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def read_table(text):
    """Folder -> folders it names in DEPS."""
    table = {}
    for folder, arguments in FOLDER.findall(text):
        deps = re.search(r"\bDEPS\s+(.*?)(?=\b[A-Z_]{4,}\b|$)", arguments, re.DOTALL)
        table[folder] = deps.group(1).split() if deps else []
    return table


def closure(table, folder):
    """The folder and everything it may include."""
    allowed, pending = set(), [folder]
    while pending:
        name = pending.pop()
        if name not in allowed:
            allowed.add(name)
            pending.extend(table.get(name, []))
    return allowed


def folder_of(path, table):
    """The folder of the table that `path` (relative to src) lies in."""
    parent = path.parent.as_posix()
    return parent if parent in table else None


def table_errors(table):
    """A folder must be listed after those it depends on: no cycle can be written down so."""
    seen = set()
    for folder, deps in table.items():
        for dep in deps:
            if dep not in seen:
                yield f"CMakeLists.txt: {folder} depends on {dep}, which is not listed before it"
        seen.add(folder)


def file_errors(source, table, allowed):
    relative = source.relative_to(ROOT / "src")
    folder = folder_of(relative, table)
    if folder is None:
        if len(relative.parts) > 1:
            yield f"src/{relative}: folder {relative.parent} has no line in CMakeLists.txt"
        return
    for match in INCLUDE.finditer(text := source.read_text(encoding="utf-8")):
        target = match.group(1)
        line = text.count("\n", 0, match.start(1)) + 1
        where = folder_of(Path(target), table)
        if where is None:
            yield f'src/{relative}:{line}: "{target}" is not a path from src/ into a known folder'
        elif where not in allowed[folder]:
            yield f"src/{relative}:{line}: {folder} may not include {where} ({target})"


def main():
    table = read_table((ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    allowed = {folder: closure(table, folder) for folder in table}
    errors = list(table_errors(table))
    for source in sorted((ROOT / "src").rglob("*.[ch]pp")):
        errors.extend(file_errors(source, table, allowed))
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
