#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/data/no_value.hpp"

namespace semiselect {

using Index = Eigen::Index;

// What every selector returns. Empty where a method has no such thing.
struct Selection {
  Eigen::VectorXd statistic;   // one per feature, in the paper's direction; NaN: no score
  std::vector<Index> order;    // features best first, where the order is not that of `statistic`
  Eigen::VectorXd score;       // higher is better, where it is not +-statistic nor p - rank + 1
  std::vector<int> selected;   // 1 or 0 per feature, where the method itself chooses
  std::vector<double> objective;  // trace; its last value belongs to the result
  int iterations = 0;
  bool converged = true;
};

}  // namespace semiselect
