#include "core/data/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace semiselect {

namespace {

struct SparseStorage {
  std::vector<double> values;
  std::vector<int> inner;
  std::vector<int> outer;
};

// Euclidean norms of the stored rows; 1 where a row is zero, so that it stays zero.
Eigen::VectorXd row_norms(const FeatureMatrix& x) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(x.n());
  for (Index j = 0; j < x.p(); ++j) {
    const StoredColumn c = x.stored_column(j);
    for (Index e = 0; e < c.count; ++e) sum(c.row ? c.row[e] : e) += c.value[e] * c.value[e];
  }
  return (sum.array() > 0).select(sum.array().sqrt(), 1.0);
}

struct Extent {
  double low, high;
};

Extent extent(const FeatureMatrix& x, Index j) {
  const StoredColumn c = x.stored_column(j);
  if (c.count == 0) return {0, 0};
  const Eigen::Map<const Eigen::ArrayXd> f(c.value, c.count);
  Extent e{f.minCoeff(), f.maxCoeff()};
  if (c.count < x.n()) e = {std::min(e.low, 0.0), std::max(e.high, 0.0)};
  return e;
}

bool is_constant(const Extent& e) {
  return e.high - e.low <= 1e-12 * std::max(std::abs(e.high), std::abs(e.low));
}

}  // namespace

FeatureMatrix FeatureMatrix::dense(const double* values, Index n, Index p) {
  FeatureMatrix x;
  x.n_ = n;
  x.p_ = p;
  x.values_ = values;
  return x;
}

FeatureMatrix FeatureMatrix::sparse(const double* values, const int* inner, const int* outer,
                                    Index n, Index p) {
  static const int nothing = 0;  // an empty matrix may come with null pointers
  FeatureMatrix x;
  x.n_ = n;
  x.p_ = p;
  x.values_ = values;
  x.inner_ = inner ? inner : &nothing;
  x.outer_ = outer;
  return x;
}

FeatureMatrix FeatureMatrix::dense(Eigen::MatrixXd values) {
  const auto owner = std::make_shared<const Eigen::MatrixXd>(std::move(values));
  FeatureMatrix x = dense(owner->data(), owner->rows(), owner->cols());
  x.owner_ = owner;
  return x;
}

FeatureMatrix FeatureMatrix::scaled(Scale scale) const {
  FeatureMatrix z = *this;
  z.scale_ = scale;
  z.shift_ = z.divisor_ = z.row_divisor_ = nullptr;
  if (scale == Scale::unit) z.row_divisor_ = std::make_shared<const Eigen::VectorXd>(row_norms(*this));
  if (scale == Scale::none || scale == Scale::unit) return z;

  Eigen::VectorXd shift(p_), divisor(p_);
  for (Index j = 0; j < p_; ++j) {
    const Extent e = extent(*this, j);
    const StoredColumn c = stored_column(j);
    if (is_constant(e)) {
      shift(j) = c.count > 0 ? c.value[0] : 0;
      divisor(j) = 1;
    } else if (scale == Scale::range) {
      shift(j) = e.low;
      divisor(j) = e.high - e.low;
    } else {
      const Eigen::Map<const Eigen::ArrayXd> f(c.value, c.count);
      const double mean = f.sum() / static_cast<double>(n_);
      const double zeros = static_cast<double>(n_ - c.count);
      const double squares = (f - mean).square().sum() + zeros * mean * mean;
      shift(j) = mean;
      divisor(j) = std::sqrt(squares / static_cast<double>(n_ - 1));
    }
  }
  z.shift_ = std::make_shared<const Eigen::VectorXd>(std::move(shift));
  z.divisor_ = std::make_shared<const Eigen::VectorXd>(std::move(divisor));
  return z;
}

FeatureMatrix FeatureMatrix::centered(bool center) const {
  FeatureMatrix z = *this;
  // Without a mean: the minimum of "range" stays, the others have nothing to take back.
  if (!center && scale_ != Scale::standardize) return z;
  Eigen::VectorXd shift = Eigen::VectorXd::Zero(p_);
  Eigen::VectorXd divisor = Eigen::VectorXd::Ones(p_);
  for (Index j = 0; j < p_; ++j) {
    divisor(j) = this->divisor(j);
    if (!center) continue;
    double sum = 0;
    for_each_stored(j, [&](Index, double v) { sum += v; });
    double mean = sum / static_cast<double>(n_);
    if (!is_sparse()) {  // once more on the differences: the mean of a large offset to the last digit
      double rest = 0;
      for_each_stored(j, [&](Index, double v) { rest += v - mean; });
      mean += rest / static_cast<double>(n_);
    }
    shift(j) = mean;
  }
  z.shift_ = std::make_shared<const Eigen::VectorXd>(std::move(shift));
  z.divisor_ = std::make_shared<const Eigen::VectorXd>(std::move(divisor));
  return z;
}

FeatureMatrix FeatureMatrix::scaled_as(const FeatureMatrix& other) const {
  FeatureMatrix z = *this;
  z.scale_ = other.scale_;
  z.shift_ = other.shift_;
  z.divisor_ = other.divisor_;
  z.row_divisor_ = nullptr;
  if (other.scale_ == Scale::unit) {
    z.row_divisor_ = std::make_shared<const Eigen::VectorXd>(row_norms(*this));
  }
  return z;
}

FeatureMatrix FeatureMatrix::rows(const std::vector<Index>& keep) const {
  const Index n = static_cast<Index>(keep.size());
  FeatureMatrix out;
  if (is_sparse()) {
    // Where each old row goes: a row may be taken more than once.
    std::vector<std::vector<int>> targets(static_cast<std::size_t>(n_));
    for (Index i = 0; i < n; ++i) targets[keep[i]].push_back(static_cast<int>(i));
    const auto owner = std::make_shared<SparseStorage>();
    owner->outer.push_back(0);
    std::vector<std::pair<int, double>> entries;
    for (Index j = 0; j < p_; ++j) {
      entries.clear();
      for (int e = outer_[j]; e < outer_[j + 1]; ++e) {
        for (const int i : targets[inner_[e]]) entries.emplace_back(i, values_[e]);
      }
      std::sort(entries.begin(), entries.end());
      for (const auto& entry : entries) {
        owner->inner.push_back(entry.first);
        owner->values.push_back(entry.second);
      }
      owner->outer.push_back(static_cast<int>(owner->values.size()));
    }
    out = sparse(owner->values.data(), owner->inner.data(), owner->outer.data(), n, p_);
    out.owner_ = owner;
  } else {
    Eigen::MatrixXd copy(n, p_);
    for (Index j = 0; j < p_; ++j) {
      const double* f = values_ + j * n_;
      for (Index i = 0; i < n; ++i) copy(i, j) = f[keep[i]];
    }
    out = dense(std::move(copy));
  }
  out.scale_ = scale_;
  out.shift_ = shift_;
  out.divisor_ = divisor_;
  if (row_divisor_) {
    Eigen::VectorXd kept(n);
    for (Index i = 0; i < n; ++i) kept(i) = (*row_divisor_)(keep[i]);
    out.row_divisor_ = std::make_shared<const Eigen::VectorXd>(std::move(kept));
  }
  return out;
}

FeatureMatrix FeatureMatrix::columns(const std::vector<Index>& keep) const {
  const Index p = static_cast<Index>(keep.size());
  FeatureMatrix out;
  if (is_sparse()) {
    const auto owner = std::make_shared<SparseStorage>();
    owner->outer.push_back(0);
    for (const Index j : keep) {
      owner->values.insert(owner->values.end(), values_ + outer_[j], values_ + outer_[j + 1]);
      owner->inner.insert(owner->inner.end(), inner_ + outer_[j], inner_ + outer_[j + 1]);
      owner->outer.push_back(static_cast<int>(owner->values.size()));
    }
    out = sparse(owner->values.data(), owner->inner.data(), owner->outer.data(), n_, p);
    out.owner_ = owner;
  } else {
    Eigen::MatrixXd copy(n_, p);
    for (Index r = 0; r < p; ++r) std::copy_n(values_ + keep[r] * n_, n_, copy.data() + r * n_);
    out = dense(std::move(copy));
  }
  out.scale_ = scale_;
  out.row_divisor_ = row_divisor_;
  if (shift_) {
    Eigen::VectorXd shift(p), divisor(p);
    for (Index r = 0; r < p; ++r) {
      shift(r) = (*shift_)(keep[r]);
      divisor(r) = (*divisor_)(keep[r]);
    }
    out.shift_ = std::make_shared<const Eigen::VectorXd>(std::move(shift));
    out.divisor_ = std::make_shared<const Eigen::VectorXd>(std::move(divisor));
  }
  return out;
}

StoredColumn FeatureMatrix::stored_column(Index j) const {
  if (!is_sparse()) return {values_ + j * n_, nullptr, n_};
  return {values_ + outer_[j], inner_ + outer_[j], static_cast<Index>(outer_[j + 1] - outer_[j])};
}

void FeatureMatrix::column(Index j, double* out) const {
  const StoredColumn c = stored_column(j);
  const double shift = this->shift(j);
  const double divisor = this->divisor(j);
  if (!c.row) {
    if (row_divisor_) {
      for (Index i = 0; i < n_; ++i) out[i] = (c.value[i] / (*row_divisor_)(i) - shift) / divisor;
    } else if (shift_) {
      for (Index i = 0; i < n_; ++i) out[i] = (c.value[i] - shift) / divisor;
    } else {
      std::copy_n(c.value, n_, out);
    }
    return;
  }
  std::fill_n(out, n_, (0 - shift) / divisor);
  for (Index e = 0; e < c.count; ++e) {
    out[c.row[e]] = (c.value[e] / row_divisor(c.row[e]) - shift) / divisor;
  }
}

Eigen::VectorXd FeatureMatrix::column(Index j) const {
  Eigen::VectorXd out(n_);
  column(j, out.data());
  return out;
}

void FeatureMatrix::block_by_rows(Index first, Index count, double* out, Index stride) const {
  if (!is_sparse() && !shift_ && !row_divisor_) {
    // Eight columns at a time, so that each row's entries are written together.
    Index c = 0;
    for (; c + 8 <= count; c += 8) {
      const double* f = values_ + (first + c) * n_;
      for (Index i = 0; i < n_; ++i) {
        double* to = out + i * stride + c;
        for (Index s = 0; s < 8; ++s) to[s] = f[s * n_ + i];
      }
    }
    for (; c < count; ++c) {
      const double* f = values_ + (first + c) * n_;
      for (Index i = 0; i < n_; ++i) out[i * stride + c] = f[i];
    }
    return;
  }
  Eigen::VectorXd f(n_);
  for (Index c = 0; c < count; ++c) {
    column(first + c, f.data());
    for (Index i = 0; i < n_; ++i) out[i * stride + c] = f(i);
  }
}

double FeatureMatrix::entry(Index i, Index j) const {
  const StoredColumn c = stored_column(j);
  double value = 0;
  if (!c.row) {
    value = c.value[i];
  } else {
    const int* end = c.row + c.count;
    const int* at = std::lower_bound(c.row, end, static_cast<int>(i));
    if (at != end && *at == i) value = c.value[at - c.row];
  }
  return (value / row_divisor(i) - shift(j)) / divisor(j);
}

Eigen::VectorXd FeatureMatrix::row(Index i) const {
  Eigen::VectorXd out(p_);
  for (Index j = 0; j < p_; ++j) out(j) = entry(i, j);
  return out;
}

Eigen::MatrixXd FeatureMatrix::times(const Eigen::MatrixXd& v) const {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n_, v.cols());
  Eigen::RowVectorXd moved = Eigen::RowVectorXd::Zero(v.cols());  // what the shift takes off
  for (Index c = 0; c < v.cols(); ++c) {
    double* to = out.data() + c * n_;
    for (Index j = 0; j < p_; ++j) {
      const double weight = v(j, c) / divisor(j);
      if (weight == 0) continue;
      const StoredColumn f = stored_column(j);
      if (f.row) {
        for (Index e = 0; e < f.count; ++e) to[f.row[e]] += weight * f.value[e];
      } else {
        for (Index i = 0; i < n_; ++i) to[i] += weight * f.value[i];
      }
      moved(c) += weight * shift(j);
    }
  }
  if (row_divisor_) out.array().colwise() /= row_divisor_->array();
  if (shift_) out.rowwise() -= moved;
  return out;
}

Eigen::VectorXd FeatureMatrix::times(const Eigen::VectorXd& v) const {
  return times(Eigen::MatrixXd(v)).col(0);
}

Eigen::MatrixXd FeatureMatrix::transposed_times(const Eigen::MatrixXd& u) const {
  Eigen::MatrixXd weighted = u;
  if (row_divisor_) weighted.array().colwise() /= row_divisor_->array();
  const Eigen::RowVectorXd total = u.colwise().sum();
  Eigen::MatrixXd out(p_, u.cols());
  for (Index j = 0; j < p_; ++j) {
    const StoredColumn f = stored_column(j);
    for (Index c = 0; c < u.cols(); ++c) {
      const double* from = weighted.data() + c * n_;
      double sum = 0;
      if (f.row) {
        for (Index e = 0; e < f.count; ++e) sum += f.value[e] * from[f.row[e]];
      } else {
        sum = Eigen::Map<const Eigen::VectorXd>(f.value, n_).dot(
            Eigen::Map<const Eigen::VectorXd>(from, n_));
      }
      out(j, c) = (sum - shift(j) * total(c)) / divisor(j);
    }
  }
  return out;
}

Eigen::VectorXd FeatureMatrix::transposed_times(const Eigen::VectorXd& u) const {
  return transposed_times(Eigen::MatrixXd(u)).col(0);
}

Eigen::MatrixXd FeatureMatrix::to_dense() const {
  Eigen::MatrixXd out(n_, p_);
  for (Index j = 0; j < p_; ++j) column(j, out.data() + j * n_);
  return out;
}

double weighted_squares(const FeatureMatrix& x, Index j, const Eigen::VectorXd& w, double total,
                        double center) {
  double squares = 0, stored = 0;
  x.for_each_stored(j, [&](Index i, double v) {
    squares += w(i) * (v - center) * (v - center);
    stored += w(i);
  });
  const StoredColumn c = x.stored_column(j);
  if (c.count == x.n()) return squares;

  // The difference of two sums is noise where little is left: then add up the rows themselves.
  double rest = total - stored;
  if (rest <= 1e-6 * total) {
    rest = 0;
    Index e = 0;
    for (Index i = 0; i < x.n(); ++i) {
      if (e < c.count && c.row[e] == i) {
        ++e;
      } else {
        rest += w(i);
      }
    }
  }
  return squares + rest * center * center;
}

ColumnReport report_columns(const FeatureMatrix& x) {
  ColumnReport report;
  report.constant.resize(static_cast<std::size_t>(x.p()));
  for (Index j = 0; j < x.p(); ++j) {
    const StoredColumn c = x.stored_column(j);
    // A sum is finite unless an entry is not, or unless it overflows: only then look closer.
    const double sum = Eigen::Map<const Eigen::ArrayXd>(c.value, c.count).abs().sum();
    if (!std::isfinite(sum)) {
      for (Index e = 0; e < c.count; ++e) {
        if (std::isfinite(c.value[e])) continue;
        if (report.not_finite == 0) {
          report.first_column = j;
          report.first_row = c.row ? c.row[e] : e;
        }
        ++report.not_finite;
      }
    }
    report.constant[static_cast<std::size_t>(j)] = is_constant(extent(x, j));
  }
  return report;
}

}  // namespace semiselect
