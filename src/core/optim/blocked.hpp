#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/run/control.hpp"

namespace semiselect {

// Dense factorizations of matrices of some thousands of rows, panel by panel: the products run on
// the fast kernels, and interrupts are polled between panels.

// a = L L'. Lower triangle read.
class BlockedCholesky {
 public:
  BlockedCholesky(Eigen::MatrixXd a, const Control& control);
  bool ok() const { return ok_; }  // false: not numerically positive definite
  const Eigen::MatrixXd& lower() const { return l_; }  // upper triangle is not meaningful
  Eigen::MatrixXd solve_lower(const Eigen::MatrixXd& b) const;  // L^-1 b
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;

 private:
  Eigen::MatrixXd l_;
  bool ok_ = true;
};

// P a = L U, partial pivoting.
class BlockedLu {
 public:
  BlockedLu(Eigen::MatrixXd a, const Control& control);
  bool ok() const { return ok_; }  // false: a pivot was exactly 0 or not finite
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;

 private:
  Eigen::MatrixXd lu_;
  std::vector<Eigen::Index> swapped_;  // row that changed places with row i, at step i
  bool ok_ = true;
};

}  // namespace semiselect
