#pragma once

#include <functional>
#include <vector>

#include "core/data/matrix.hpp"
#include "core/run/control.hpp"

namespace semiselect {

// The columns of a FeatureMatrix that are still in a model: a list over the storage, which is
// copied together once fewer than half of its columns are left. A sparse matrix stays sparse.
//
// Z below is the n x d matrix of these columns. Sums run over fixed blocks in a fixed order, so
// that the number of threads changes nothing.
class ColumnSubset {
 public:
  ColumnSubset() = default;
  ColumnSubset(FeatureMatrix x, std::vector<Index> columns);

  Index n() const { return x_.n(); }
  Index d() const { return static_cast<Index>(at_.size()); }
  bool is_sparse() const { return x_.is_sparse(); }

  // Keeps the given positions (ascending) of the present columns.
  void keep(const std::vector<Index>& positions);
  // The columns at these positions, on the same storage.
  ColumnSubset at(const std::vector<Index>& positions) const;

  // Z v and Z' u.
  Eigen::VectorXd times(const Eigen::VectorXd& v, const Control& control) const;
  Eigen::VectorXd transposed_times(const Eigen::VectorXd& u, const Control& control) const;
  // Z diag(g) Z', n x n, g > 0. n^2 d flops when dense, the sum of squared column counts when
  // sparse.
  Eigen::MatrixXd row_gram(const Eigen::VectorXd& g, const Control& control) const;
  // Z' diag(e) Z, d x d, e >= 0. n d^2 flops when dense, d times the stored entries when sparse.
  Eigen::MatrixXd column_gram(const Eigen::VectorXd& e, const Control& control) const;
  // Z' S Z for a symmetric S with S 1 = 0 that is cheap to apply.
  Eigen::MatrixXd column_form(const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& s,
                              const Control& control) const;
  // |M z_j|^2 for every column z_j, M with n columns. 2 rows(M) n d flops when dense, rows(M)
  // times the stored entries when sparse.
  Eigen::VectorXd image_norms(const Eigen::MatrixXd& m, const Control& control) const;
  // The given rows of Z, dense.
  Eigen::MatrixXd rows_dense(const std::vector<Index>& rows) const;

 private:
  // Columns first .. first + count - 1 of Z, dense.
  Eigen::MatrixXd dense_block(Index first, Index count, const Control& control) const;
  double shift(Index j) const { return x_.shift(at_[static_cast<std::size_t>(j)]); }
  double divisor(Index j) const { return x_.divisor(at_[static_cast<std::size_t>(j)]); }

  FeatureMatrix x_;
  std::vector<Index> at_;
};

}  // namespace semiselect
