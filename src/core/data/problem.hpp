#pragma once

#include "core/data/constraints.hpp"
#include "core/data/labels.hpp"
#include "core/data/matrix.hpp"

namespace semiselect {

// What every selector is given: the data as they came, the same data scaled, and what is known
// of the rows.
struct Problem {
  FeatureMatrix x;  // as given
  FeatureMatrix z;  // scaled
  Labels y;
  Constraints constraints;     // explicit pairs only, not closed
  std::vector<bool> constant;  // columns of x
};

}  // namespace semiselect
