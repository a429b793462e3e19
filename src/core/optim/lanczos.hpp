#pragma once

#include <functional>

#include <Eigen/Core>

#include "core/run/control.hpp"

namespace semiselect {

using Index = Eigen::Index;

struct LanczosOptions {
  double tolerance = 1e-12;  // of the residual |A v - value v|, relative to `norm`
  double norm = 1;           // an upper bound of |A|
  Index basis = 0;           // vectors kept at most; 0: max(3 wanted, wanted + 40)
  int max_restarts = 500;
};

struct LanczosResult {
  Eigen::VectorXd values;   // ascending
  Eigen::MatrixXd vectors;  // one column each, orthonormal
  int restarts = 0;
  bool converged = true;
};

// The `wanted` lowest eigenpairs of a symmetric operator that is seen through v -> A v only, on
// the orthogonal complement of the orthonormal columns of `outside`.
//
// Lanczos with thick restarts and full reorthogonalization. One starting vector (drawn with
// control.seed) sees a multiple eigenvalue once, so the search is repeated in the complement of
// what has been found until nothing as low is left: multiplicities are complete, and with
// `ties` > 0 all further eigenpairs within `ties` of the last wanted one come back too.
LanczosResult lowest_eigenpairs(Index n,
                                const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& apply,
                                Index wanted, const Eigen::MatrixXd& outside, double ties,
                                const LanczosOptions& options, const Control& control);

}  // namespace semiselect
