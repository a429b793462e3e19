#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "core/run/control.hpp"

namespace semiselect {

// out = A v. Called from several threads at once, so it must not write to anything but `out`.
using SymmetricProduct = std::function<void(const Eigen::VectorXd& v, Eigen::VectorXd& out)>;

struct ConjugateGradientOptions {
  double tol = 1e-12;    // stop at |b - A x| <= tol |b|
  int max_iter = 10000;  // per right-hand side
};

struct ConjugateGradientSolution {
  Eigen::MatrixXd x;
  std::vector<int> iterations;  // per right-hand side
  Eigen::VectorXd residual;     // |b - A x| / |b|, computed anew from x; 0 where b = 0
  bool converged = true;        // every right-hand side reached tol in its own recurrence
};

// A x = b for every column of b, A symmetric positive definite on the space that b generates,
// by conjugate gradients from 0 with the diagonal as preconditioner (empty: none; an entry <= 0
// counts as 1).
//
// Started from 0, the iterates never leave the blocks of A that b touches: elsewhere x is exactly
// 0. Columns are solved in parallel, in rounds of a few iterations between which the calling
// thread looks for interrupts. O(cost of A v) per iteration and column, four vectors per column.
ConjugateGradientSolution conjugate_gradients(const SymmetricProduct& product,
                                              const Eigen::MatrixXd& b,
                                              const Eigen::VectorXd& diagonal,
                                              const ConjugateGradientOptions& options,
                                              const Control& control);

}  // namespace semiselect
