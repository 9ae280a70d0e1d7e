#include "run/stop_signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

#include "core/error.hpp"

namespace tidegate::run {
namespace {

sigset_t stopSet() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

StopSignals::StopSignals() {
  const sigset_t set = stopSet();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  descriptor_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  TIDEGATE_CHECK(descriptor_ >= 0, "no signalfd");
}

StopSignals::~StopSignals() {
  close(descriptor_);
  const sigset_t set = stopSet();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

const char* StopSignals::take() const {
  signalfd_siginfo info{};
  if (read(descriptor_, &info, sizeof info) != sizeof info) return "";
  return info.ssi_signo == SIGTERM ? "SIGTERM" : "SIGINT";
}

}  // namespace tidegate::run
