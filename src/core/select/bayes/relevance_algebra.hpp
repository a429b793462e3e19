#pragma once

#include <vector>

#include "core/data/column_subset.hpp"
#include "core/graph/label_propagation.hpp"
#include "core/optim/dense.hpp"

namespace semiselect {

// Linear algebra of automatic relevance determination with a graph penalty:
//
//   V = (A + B)^-1,   Sigma = (A + B + X'EX)^-1,   A = diag(alpha), B = gamma X'LX, E >= 0,
//
// of which only Sigma g, Delta = diag(V - Sigma) and log|A + B| - log|A + B + X'EX| are ever
// needed. X is n x d, d the features still in the model; E is 0 outside the rows of the
// likelihood, r of them.
//
//   d <= n (primal)  B once, then the d x d matrix A + B + X'EX per step
//   d >  n (dual)    K = X A^-1 X', U = I + gamma L K, K_B = K U^-1 (prior covariance of X w), and
//                    the r x r matrix I + E^1/2 K_B E^1/2 per step; nothing d x d
//
// Delta is a sum of squares in both, never a difference of two diagonals, which would lose all
// digits once alpha is large. Memory: 3 n^2 beside x in the dual, a few d^2 + r d in the primal.
class RelevanceAlgebra {
 public:
  // The graph has the rows of x. gamma = 0: it is not looked at.
  RelevanceAlgebra(ColumnSubset x, const LinkedGraph& graph, double gamma, const Control& control);

  Index d() const { return x_.d(); }
  bool is_primal() const { return primal_; }

  void set_alpha(const Eigen::VectorXd& alpha);
  // Features that stay, as ascending positions among the present ones.
  void keep_features(const std::vector<Index>& positions);
  // The rows that E may be positive on, ascending; a subset of those before.
  void set_rows(const std::vector<Index>& rows);

  Eigen::VectorXd times(const Eigen::VectorXd& w) const;
  Eigen::VectorXd transposed_times(const Eigen::VectorXd& u) const;

  // Sigma g, and X Sigma g. e: diagonal of E over all rows.
  struct Direction {
    Eigen::VectorXd v, image;
  };
  Direction solve(const Eigen::VectorXd& e, const Eigen::VectorXd& g);

  struct Relevance {
    Eigen::VectorXd delta;
    double log_ratio;  // log|A + B| - log|A + B + X'EX|
  };
  Relevance relevance(const Eigen::VectorXd& e);

 private:
  void enter_primal();
  void prepare_dual();  // K, U, K_B for the present alpha, features and rows
  Eigen::VectorXd root_e(const Eigen::VectorXd& e) const;
  Cholesky likelihood_factor(const Eigen::VectorXd& q) const;

  ColumnSubset x_;
  const LinkedGraph& graph_;
  double gamma_;
  Control control_;
  Eigen::VectorXd alpha_;
  std::vector<Index> rows_;
  bool primal_ = false;

  Eigen::MatrixXd b_;  // primal: gamma X'LX

  bool has_k_ = false, has_prior_ = false;
  Eigen::MatrixXd k_;       // n x n
  SquareFactor u_;          // I + gamma L K
  Eigen::MatrixXd u_rows_;  // columns `rows` of U^-1, n x r; unused if gamma = 0
  Eigen::MatrixXd k_b_;     // K U^-1 at the rows, r x r
};

}  // namespace semiselect
