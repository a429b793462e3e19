#include "core/optim/dense.hpp"

#include <stdexcept>
#include <string>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

namespace semiselect {

Cholesky::Cholesky(const Eigen::MatrixXd& a) : l_(a) {
  // In place: no second copy of a large matrix.
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(l_);
  ok_ = llt.info() == Eigen::Success && l_.diagonal().allFinite();
}

Eigen::MatrixXd Cholesky::solve_lower(const Eigen::MatrixXd& b) const {
  return l_.triangularView<Eigen::Lower>().solve(b);
}

Eigen::MatrixXd Cholesky::solve_upper(const Eigen::MatrixXd& b) const {
  return l_.transpose().triangularView<Eigen::Upper>().solve(b);
}

Eigen::MatrixXd Cholesky::solve(const Eigen::MatrixXd& b) const {
  return solve_upper(solve_lower(b));
}

Eigen::VectorXd Cholesky::solve(const Eigen::VectorXd& b) const {
  Eigen::VectorXd out = b;
  l_.triangularView<Eigen::Lower>().solveInPlace(out);
  l_.transpose().triangularView<Eigen::Upper>().solveInPlace(out);
  return out;
}

double Cholesky::log_determinant() const { return 2 * l_.diagonal().array().log().sum(); }

Cholesky robust_cholesky(Eigen::MatrixXd a, const char* what) {
  double jitter = 1e-12 * a.diagonal().mean();
  for (int attempt = 0; attempt < 4; ++attempt) {
    Cholesky factor(a);
    if (factor.ok()) return factor;
    a.diagonal().array() += jitter;
    jitter *= 100;
  }
  throw std::runtime_error(std::string("The matrix of ") + what +
                           " is not positive definite to working precision.");
}

SymmetricEigen eigen_symmetric(const Eigen::MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(a);
  if (solver.info() != Eigen::Success) {
    throw std::runtime_error("The symmetric eigenvalue problem did not converge.");
  }
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd eigenvalues_symmetric(const Eigen::MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(a, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) {
    throw std::runtime_error("The symmetric eigenvalue problem did not converge.");
  }
  return solver.eigenvalues();
}

Eigen::MatrixXd least_squares(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(a).solve(b);
}

struct SquareFactor::Factor {
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
};

SquareFactor::SquareFactor() = default;
SquareFactor::SquareFactor(const Eigen::MatrixXd& a)
    : factor_(new Factor{Eigen::PartialPivLU<Eigen::MatrixXd>(a)}) {}
SquareFactor::SquareFactor(SquareFactor&&) noexcept = default;
SquareFactor& SquareFactor::operator=(SquareFactor&&) noexcept = default;
SquareFactor::~SquareFactor() = default;

Eigen::VectorXd SquareFactor::solve(const Eigen::VectorXd& b) const { return factor_->lu.solve(b); }
Eigen::MatrixXd SquareFactor::solve(const Eigen::MatrixXd& b) const { return factor_->lu.solve(b); }

Eigen::MatrixXd solve_square(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return Eigen::PartialPivLU<Eigen::MatrixXd>(a).solve(b);
}

}  // namespace semiselect
