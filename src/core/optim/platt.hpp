#pragma once

#include <Eigen/Core>

namespace semiselect {

// Platt's sigmoid P(+1 | g) = 1 / (1 + exp(a g + b)), fitted to decision values g of rows with
// sign +1 or -1 by maximum likelihood with the targets (n+ + 1) / (n+ + 2) and 1 / (n- + 2)
// (Platt 1999), under a <= 0: a larger decision value never lowers the probability.
struct Platt {
  double a = 0;
  double b = 0;
};

// Newton with halving; O(n) a step. No row: a = b = 0.
Platt platt(const Eigen::VectorXd& g, const Eigen::VectorXd& sign);

}  // namespace semiselect
