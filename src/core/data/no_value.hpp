#pragma once

#include <limits>

namespace semiselect {

// The statistic of a feature that has none; R shows it as NA.
constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

}  // namespace semiselect
