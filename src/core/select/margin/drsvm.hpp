#pragma once

#include "core/select/margin/senfs.hpp"

namespace semiselect {

// Doubly regularized SVM (Wang, Zhu and Zou 2006), the elastic-net SVM of the labelled rows:
//
//   min  C sum_i max(0, 1 - y_i (x_i'beta + beta0)) + lambda1 |beta|_1 + lambda2/2 |beta|^2
//
// Unlabelled rows are left out, after they have had their part in the scaling. Defaults:
// lambda1 = 0.1 lambda1_max, lambda2 = C l. Convex: one solve, with a certified gap.
struct DrsvmOptions {
  double cost = 1;
  std::vector<double> lambda1;  // one for all classes, one each, or empty: default
  double lambda2 = -1;          // negative: default
  bool path = false;
  int n_lambda = 20;
  Index n_features = 0;
  double tol = 1e-6;
  Aggregate aggregate = Aggregate::norm;
  SvmSystem system = SvmSystem::automatic;
};

SenfsFit drsvm(const Problem& problem, const DrsvmOptions& options, const Control& control);

}  // namespace semiselect
