// One run of a program, watched by the loop: what it prints and how it ends. Nothing here blocks, but the
// destructor, for as long as the kernel takes to kill.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "world/kube/cluster_config.hpp"
#include "world/kube/curl_loop.hpp"

namespace tidegate::kube {

struct ProcessSpec {
  std::string command;  // looked up in PATH if it holds no slash
  std::vector<std::string> args;
  Environment environment;
  Duration timeout = seconds(60);
};

struct ProcessResult {
  int exitCode = -1;    // -1: not started, killed by a signal or by the timeout
  std::string output;   // at most 1 MiB
  std::string errors;   // what it wrote to its standard error, at most 4 KiB
  std::string problem;  // why there is no exit code
};

class Process {
 public:
  using Done = std::function<void(ProcessResult)>;

  // Starts the program with nothing on its standard input. `done` is called once, never inside this call; it
  // may destroy the process. Destroying it earlier kills the program.
  Process(CurlLoop& loop, ProcessSpec spec, Done done);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

 private:
  struct Pipe {
    int reader = -1;
    std::string text;
    std::size_t limit = 0;
  };

  void start(const ProcessSpec& spec);
  void watch(Pipe& pipe);
  void readSome(Pipe& pipe);
  void reap();
  void timedOut();
  void finish();

  CurlLoop& loop_;
  Done done_;
  Pipe output_{.text = {}, .limit = 1U << 20};
  Pipe errors_{.text = {}, .limit = 4096};
  pid_t child_ = -1;
  TimerId next_ = 0;      // looks whether the program has ended, or tells the end
  TimerId deadline_ = 0;  // kills it
  ProcessResult result_;
};

}  // namespace tidegate::kube
