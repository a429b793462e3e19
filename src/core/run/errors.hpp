#pragma once

#include <stdexcept>
#include <string>

namespace semiselect {

// Input that only the computation itself can find unusable (infeasible constraints, weights that
// all underflow). The message is for the user: what is wrong, where, and what to do. Everything
// that can be checked beforehand is checked before the core is called.
struct InputError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

}  // namespace semiselect
