#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

namespace semiselect {

using Index = Eigen::Index;

enum class Scale { none, standardize, range, unit };

// A column looked at in its storage: `count` entries, rows `row[0..count)` ascending (null
// for a dense column: entry e is row e).
struct StoredColumn {
  const double* value;
  const int* row;
  Index count;
};

// The data: n samples (rows) by p features (columns), dense or sparse, behind operations.
//
// The logical entry is
//
//   z_ij = (x_ij / row_divisor_i - shift_j) / divisor_j
//
// with x the storage, which is never copied by scaling: "standardize" and "range" set shift and
// divisor, "unit" the row divisor. So a sparse matrix stays sparse under any scaling. Every
// operation below speaks of z. Copies are cheap: storage and scaling are shared.
class FeatureMatrix {
 public:
  FeatureMatrix() = default;

  // Views of memory that outlives the object: column-major, or compressed sparse columns with
  // `outer` of length p + 1 and row numbers ascending within a column.
  static FeatureMatrix dense(const double* values, Index n, Index p);
  static FeatureMatrix sparse(const double* values, const int* inner, const int* outer, Index n,
                              Index p);
  // Owns its data.
  static FeatureMatrix dense(Eigen::MatrixXd values);

  Index n() const { return n_; }
  Index p() const { return p_; }
  bool is_sparse() const { return inner_ != nullptr; }
  // Number of stored entries: n p when dense.
  Index stored() const { return is_sparse() ? outer_[p_] : n_ * p_; }

  // This storage under another scaling, whose parameters come from all its rows (of the
  // storage, not of z). Standard deviation with n - 1; constant columns get divisor 1, so that
  // they are 0 after centring; rows of norm 0 stay 0.
  FeatureMatrix scaled(Scale scale) const;
  // This storage under given parameters: shift and divisor of length p, or empty for 0 and 1.
  // The row divisor of "unit" is taken from the rows themselves.
  FeatureMatrix scaled_as(const FeatureMatrix& other) const;
  // The same divisors with the columns of z moved to mean 0 (true), whatever the scaling, or not
  // (false): "standardize" then only divides, "range" starts at the minimum.
  FeatureMatrix centered(bool center) const;
  Scale scale() const { return scale_; }
  bool has_shift() const { return shift_ != nullptr; }
  double shift(Index j) const { return shift_ ? (*shift_)(j) : 0; }
  double divisor(Index j) const { return divisor_ ? (*divisor_)(j) : 1; }
  double row_divisor(Index i) const { return row_divisor_ ? (*row_divisor_)(i) : 1; }

  // Copies with the given rows or columns, in that order; scaling parameters are kept, not
  // computed anew.
  FeatureMatrix rows(const std::vector<Index>& keep) const;
  FeatureMatrix columns(const std::vector<Index>& keep) const;

  // Column j of z.
  Eigen::VectorXd column(Index j) const;
  void column(Index j, double* out) const;
  // Columns first .. first + count - 1 of z for all rows, row-major: entry (i, c) at
  // out[i * stride + c].
  void block_by_rows(Index first, Index count, double* out, Index stride) const;
  // Row i of z, O(p) when dense, O(p + log) per column when sparse: for few rows only.
  Eigen::VectorXd row(Index i) const;
  // Entry of z.
  double entry(Index i, Index j) const;

  // Column j as stored, before row divisor, shift and divisor.
  StoredColumn stored_column(Index j) const;

  // z v, z V, z' u and z' U. Sums run in a fixed order, whatever the caller's threads are.
  Eigen::VectorXd times(const Eigen::VectorXd& v) const;
  Eigen::MatrixXd times(const Eigen::MatrixXd& v) const;
  Eigen::VectorXd transposed_times(const Eigen::VectorXd& u) const;
  Eigen::MatrixXd transposed_times(const Eigen::MatrixXd& u) const;

  // z as an ordinary dense matrix. Only for methods that cannot do without.
  Eigen::MatrixXd to_dense() const;

  // Calls f(i, v) for the entries of column j that are stored, v = x_ij / row_divisor_i; the
  // others have v = 0. z_ij = (v - shift(j)) / divisor(j).
  template <class F>
  void for_each_stored(Index j, const F& f) const {
    const StoredColumn c = stored_column(j);
    for (Index e = 0; e < c.count; ++e) {
      const Index i = c.row ? c.row[e] : e;
      f(i, c.value[e] / row_divisor(i));
    }
  }

 private:
  using Parameters = std::shared_ptr<const Eigen::VectorXd>;

  Index n_ = 0;
  Index p_ = 0;
  const double* values_ = nullptr;
  const int* inner_ = nullptr;  // null: dense
  const int* outer_ = nullptr;
  std::shared_ptr<const void> owner_;  // keeps owned storage alive

  Scale scale_ = Scale::none;
  Parameters shift_;
  Parameters divisor_;
  Parameters row_divisor_;
};

// sum_i w_i (v_i - center)^2 for column j, v the values as stored (with their row divisor, before
// shift and divisor); `total` is the sum of w. Rows that are not stored count as 0, without
// cancellation: their weight is total minus that of the stored rows only where this is safe.
double weighted_squares(const FeatureMatrix& x, Index j, const Eigen::VectorXd& w, double total,
                        double center);

// What validation needs to know of the columns, in one pass.
struct ColumnReport {
  Index not_finite = 0;         // how many entries are NA, NaN or infinite
  Index first_column = -1;      // of them, column by column
  Index first_row = -1;
  std::vector<bool> constant;   // max - min <= 1e-12 max(|max|, |min|)
};
ColumnReport report_columns(const FeatureMatrix& x);

}  // namespace semiselect
