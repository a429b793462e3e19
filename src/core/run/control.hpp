#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace semiselect {

// What the caller lends the core for one run. The core itself never prints, never
// draws from a global generator and never talks to R.
struct Control {
  int threads = 1;
  std::uint64_t seed = 0;
  std::function<void()> check_interrupt = [] {};         // throws to stop the run
  std::function<void(double)> progress = [](double) {};  // fraction done, 0 to 1
  std::function<void(const std::string&)> warn = [](const std::string&) {};  // a word to the user
};

// The same run on the thread at hand: for work inside a unit of parallel_for(), where
// neither interrupts may be polled nor progress reported nor warnings given.
inline Control inner_control(const Control& control) {
  Control inner;
  inner.seed = control.seed;
  return inner;
}

}  // namespace semiselect
