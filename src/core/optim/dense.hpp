#pragma once

#include <memory>

#include <Eigen/Core>

namespace semiselect {

// Dense decompositions, each compiled once, behind plain functions: the templates take seconds
// to instantiate.

// Cholesky factorization of a symmetric positive definite matrix (lower triangle read).
class Cholesky {
 public:
  Cholesky() = default;
  explicit Cholesky(const Eigen::MatrixXd& a);

  bool ok() const { return ok_; }  // false: not numerically positive definite
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;
  // L^-1 b and L^-T b, with a = L L'.
  Eigen::MatrixXd solve_lower(const Eigen::MatrixXd& b) const;
  Eigen::MatrixXd solve_upper(const Eigen::MatrixXd& b) const;
  double log_determinant() const;
  const Eigen::MatrixXd& lower() const { return l_; }  // upper triangle is not meaningful

 private:
  Eigen::MatrixXd l_;
  bool ok_ = false;
};

// Cholesky for matrices that rounding may have made indefinite: adds 1e-12 times the mean
// diagonal and retries, up to three times, times 100 each. Throws std::runtime_error after that,
// naming `what`.
Cholesky robust_cholesky(Eigen::MatrixXd a, const char* what);

// a = vectors * diag(values) * vectors', values ascending. Lower triangle read.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricEigen eigen_symmetric(const Eigen::MatrixXd& a);
Eigen::VectorXd eigenvalues_symmetric(const Eigen::MatrixXd& a);

// Minimum-norm least squares by a complete orthogonal decomposition (rank revealing).
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

// LU factorization of a regular square matrix, partial pivoting.
class SquareFactor {
 public:
  SquareFactor();
  explicit SquareFactor(const Eigen::MatrixXd& a);
  SquareFactor(SquareFactor&&) noexcept;
  SquareFactor& operator=(SquareFactor&&) noexcept;
  ~SquareFactor();

  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;

 private:
  struct Factor;
  std::unique_ptr<Factor> factor_;
};

// Solution of a general square system, partial pivoting.
Eigen::MatrixXd solve_square(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

}  // namespace semiselect
