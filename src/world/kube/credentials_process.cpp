#include "world/kube/credentials_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tidegate::kube {
namespace {

constexpr Duration kReapEvery = milliseconds(5);

struct Spawn {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  Spawn() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~Spawn() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
};

// The program gets no blocked signals, even if this process has some, and a process group of its own so that
// it can be killed with its children.
void detachSignals(posix_spawnattr_t& attributes) {
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
}

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

int spawn(const ProcessSpec& spec, int outputWriter, int errorWriter, pid_t& child) {
  std::vector<std::string> words{spec.command};
  words.insert(words.end(), spec.args.begin(), spec.args.end());
  std::vector<std::string> variables;
  for (const auto& [name, value] : spec.environment) variables.push_back(name + "=" + value);
  Spawn how;
  posix_spawn_file_actions_addopen(&how.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&how.actions, outputWriter, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&how.actions, errorWriter, STDERR_FILENO);
  detachSignals(how.attributes);
  return posix_spawnp(&child, spec.command.c_str(), &how.actions, &how.attributes, pointersTo(words).data(),
                      pointersTo(variables).data());
}

}  // namespace

Process::Process(CurlLoop& loop, ProcessSpec spec, Done done) : loop_(loop), done_(std::move(done)) {
  start(spec);
  if (child_ < 0) {
    next_ = loop_.at(loop_.now(), [this] { finish(); });
    return;
  }
  deadline_ = loop_.after(spec.timeout, [this] { timedOut(); });
}

Process::~Process() {
  loop_.cancel(next_);
  loop_.cancel(deadline_);
  for (const Pipe* pipe : {&output_, &errors_}) {
    if (pipe->reader < 0) continue;
    loop_.unwatch(pipe->reader);
    close(pipe->reader);
  }
  if (child_ < 0) return;
  kill(-child_, SIGKILL);
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void Process::start(const ProcessSpec& spec) {
  int output[2] = {-1, -1};
  int errors[2] = {-1, -1};
  int failure = pipe2(output, O_CLOEXEC) == 0 && pipe2(errors, O_CLOEXEC) == 0 ? 0 : errno;
  if (failure == 0) failure = spawn(spec, output[1], errors[1], child_);
  for (const int writer : {output[1], errors[1]}) {
    if (writer >= 0) close(writer);
  }
  output_.reader = output[0];
  errors_.reader = errors[0];
  if (failure == 0) {
    watch(output_);
    watch(errors_);
    return;
  }
  child_ = -1;
  result_.problem = std::generic_category().message(failure);
}

void Process::watch(Pipe& pipe) {
  fcntl(pipe.reader, F_SETFL, O_NONBLOCK);
  loop_.watch(pipe.reader, [this, &pipe] { readSome(pipe); });
}

void Process::readSome(Pipe& pipe) {
  char buffer[16384];
  const ssize_t count = read(pipe.reader, buffer, sizeof buffer);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count > 0) {
    const auto room = pipe.limit - pipe.text.size();
    pipe.text.append(buffer, std::min(static_cast<std::size_t>(count), room));
    return;
  }
  loop_.unwatch(pipe.reader);
  close(pipe.reader);
  pipe.reader = -1;
  if (output_.reader < 0 && errors_.reader < 0) reap();
}

// Both pipes are closed: the program has ended or is about to.
void Process::reap() {
  int status = 0;
  const pid_t ended = waitpid(child_, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) {
    next_ = loop_.after(kReapEvery, [this] { reap(); });
    return;
  }
  child_ = -1;
  if (ended > 0 && WIFEXITED(status)) {
    result_.exitCode = WEXITSTATUS(status);
  } else {
    result_.problem =
        ended > 0 ? fmt::format("killed by signal {}", WTERMSIG(status)) : std::string("its end was lost");
  }
  finish();
}

void Process::timedOut() {
  result_.problem = "took too long and was killed";
  finish();
}

void Process::finish() {
  result_.output = std::move(output_.text);
  result_.errors = std::move(errors_.text);
  const Done done = std::move(done_);
  ProcessResult result = std::move(result_);
  done(std::move(result));  // may destroy this
}

}  // namespace tidegate::kube
