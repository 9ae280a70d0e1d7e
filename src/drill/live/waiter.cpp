#include "drill/live/waiter.hpp"

namespace tidegate::drill::live {

bool Waiter::until(const std::function<bool()>& condition, Duration limit) {
  if (!interrupted_.empty()) return false;
  if (condition()) return true;
  bool over = false;
  const kube::TimerId timer = loop().after(limit, [&] {
    over = true;
    driver_.stop();
  });
  bool holds = false;
  while (!holds && !over && interrupted_.empty()) {
    driver_.run();
    holds = condition();
  }
  loop().cancel(timer);
  return holds;
}

void Waiter::poke() {
  driver_.stop();
}

void Waiter::interrupt(std::string why) {
  interrupted_ = std::move(why);
  driver_.stop();
}

}  // namespace tidegate::drill::live
