#include "core/data/column_subset.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/optim/gram.hpp"
#include "core/run/parallel.hpp"

namespace semiselect {

namespace {

constexpr Index block_columns = 1024;  // columns made dense at a time
constexpr Index vector_columns = 512;  // columns per unit of a matrix-vector product
constexpr Index unit_columns = 64;     // columns per unit of work that is heavier than that

Index count_blocks(Index total, Index block) { return (total + block - 1) / block; }

Control quiet(const Control& control) {
  Control out = control;
  out.progress = [](double) {};
  return out;
}

// work(first, last) on fixed stretches of columns.
template <class Work>
void by_blocks(Index columns, const Control& control, const Work& work) {
  parallel_for(count_blocks(columns, unit_columns), control,
               [&](Index b) { work(b * unit_columns, std::min(columns, (b + 1) * unit_columns)); });
}

void mirror_lower(Eigen::MatrixXd& a) {
  for (Index j = 0; j < a.cols(); ++j) {
    for (Index i = j + 1; i < a.rows(); ++i) a(j, i) = a(i, j);
  }
}

}  // namespace

ColumnSubset::ColumnSubset(FeatureMatrix x, std::vector<Index> columns)
    : x_(std::move(x)), at_(std::move(columns)) {}

void ColumnSubset::keep(const std::vector<Index>& positions) {
  *this = at(positions);
  if (2 * d() < x_.p()) {
    x_ = x_.columns(at_);
    // Scaled once and for all: every block would do it again.
    if (!x_.is_sparse()) x_ = FeatureMatrix::dense(x_.to_dense());
    std::iota(at_.begin(), at_.end(), Index(0));
  }
}

ColumnSubset ColumnSubset::at(const std::vector<Index>& positions) const {
  std::vector<Index> chosen;
  chosen.reserve(positions.size());
  for (const Index j : positions) chosen.push_back(at_[static_cast<std::size_t>(j)]);
  return ColumnSubset(x_, std::move(chosen));
}

Eigen::VectorXd ColumnSubset::times(const Eigen::VectorXd& v, const Control& control) const {
  const Index blocks = count_blocks(d(), vector_columns);
  Eigen::MatrixXd partial = Eigen::MatrixXd::Zero(n(), blocks);
  Eigen::VectorXd moved = Eigen::VectorXd::Zero(blocks);  // what the shift takes off
  parallel_for(blocks, quiet(control), [&](Index b) {
    const Index last = std::min(d(), (b + 1) * vector_columns);
    double* to = partial.data() + b * n();
    for (Index j = b * vector_columns; j < last; ++j) {
      const double weight = v(j) / divisor(j);
      if (weight == 0) continue;
      const StoredColumn f = x_.stored_column(at_[static_cast<std::size_t>(j)]);
      if (f.row) {
        for (Index e = 0; e < f.count; ++e) to[f.row[e]] += weight * f.value[e];
        moved(b) += weight * shift(j);
      } else {
        // Shifted first: a large mean would drown what the column says.
        const double m = shift(j);
        if (x_.scale() == Scale::unit) {
          for (Index i = 0; i < n(); ++i) to[i] += weight * (f.value[i] - m * x_.row_divisor(i));
        } else {
          for (Index i = 0; i < n(); ++i) to[i] += weight * (f.value[i] - m);
        }
      }
    }
  });
  Eigen::VectorXd out = Eigen::VectorXd::Zero(n());
  for (Index b = 0; b < blocks; ++b) out += partial.col(b);
  for (Index i = 0; i < n(); ++i) out(i) /= x_.row_divisor(i);
  return out.array() - moved.sum();
}

Eigen::VectorXd ColumnSubset::transposed_times(const Eigen::VectorXd& u,
                                               const Control& control) const {
  Eigen::VectorXd weighted(n());
  for (Index i = 0; i < n(); ++i) weighted(i) = u(i) / x_.row_divisor(i);
  const double total = u.sum();
  Eigen::VectorXd out(d());
  parallel_for(count_blocks(d(), vector_columns), quiet(control), [&](Index b) {
    const Index last = std::min(d(), (b + 1) * vector_columns);
    for (Index j = b * vector_columns; j < last; ++j) {
      const StoredColumn f = x_.stored_column(at_[static_cast<std::size_t>(j)]);
      double sum = 0;
      if (f.row) {
        for (Index e = 0; e < f.count; ++e) sum += f.value[e] * weighted(f.row[e]);
      } else {
        const double m = x_.scale() == Scale::unit ? 0 : shift(j);
        sum = (Eigen::Map<const Eigen::ArrayXd>(f.value, n()) - m).matrix().dot(weighted);
      }
      const bool shifted = !f.row && x_.scale() != Scale::unit;
      out(j) = (shifted ? sum : sum - shift(j) * total) / divisor(j);
    }
  });
  return out;
}

Eigen::MatrixXd ColumnSubset::row_gram(const Eigen::VectorXd& g, const Control& control) const {
  const Control run = quiet(control);
  Eigen::MatrixXd k = Eigen::MatrixXd::Zero(n(), n());
  if (!is_sparse()) {
    for (Index first = 0; first < d(); first += block_columns) {
      const Index count = std::min(block_columns, d() - first);
      Eigen::MatrixXd block = dense_block(first, count, run);
      for (Index c = 0; c < count; ++c) block.col(c) *= std::sqrt(g(first + c));
      k += gram_rows(block, run);
    }
    return k;
  }

  // The stored entries by rows, each with its place in its column: column i of the result then
  // needs only the later entries of the columns that row i touches.
  struct Entry {
    Index column;
    Index place;
  };
  std::vector<std::vector<Entry>> by_row(static_cast<std::size_t>(n()));
  double shift_form = 0;  // m' A^-1 m
  for (Index j = 0; j < d(); ++j) {
    const StoredColumn f = x_.stored_column(at_[static_cast<std::size_t>(j)]);
    for (Index e = 0; e < f.count; ++e)
      by_row[static_cast<std::size_t>(f.row[e])].push_back({j, e});
    const double m = shift(j) / divisor(j);
    shift_form += g(j) * m * m;
  }
  Eigen::VectorXd a = Eigen::VectorXd::Zero(n());  // X A^-1 m
  parallel_for(n(), run, [&](Index i) {
    double* to = k.data() + i * n();
    for (const Entry& entry : by_row[static_cast<std::size_t>(i)]) {
      const StoredColumn f = x_.stored_column(at_[static_cast<std::size_t>(entry.column)]);
      const double unit = divisor(entry.column);
      const double value = f.value[entry.place] / x_.row_divisor(i) / unit;
      const double weight = g(entry.column) * value / unit;
      for (Index e = entry.place; e < f.count; ++e) {
        to[f.row[e]] += weight * (f.value[e] / x_.row_divisor(f.row[e]));
      }
      a(i) += g(entry.column) * value * (shift(entry.column) / unit);
    }
  });
  mirror_lower(k);
  if (x_.has_shift()) {
    k.colwise() -= a;
    k.rowwise() -= a.transpose();
    k.array() += shift_form;
  }
  return k;
}

Eigen::MatrixXd ColumnSubset::column_gram(const Eigen::VectorXd& e, const Control& control) const {
  const Control run = quiet(control);
  if (!is_sparse()) {
    std::vector<Index> rows;  // the others add nothing
    for (Index i = 0; i < n(); ++i) {
      if (e(i) > 0) rows.push_back(i);
    }
    Eigen::MatrixXd z(static_cast<Index>(rows.size()), d());
    by_blocks(d(), run, [&](Index first, Index last) {
      Eigen::VectorXd f(n());
      for (Index j = first; j < last; ++j) {
        x_.column(at_[static_cast<std::size_t>(j)], f.data());
        for (Index i = 0; i < z.rows(); ++i) {
          const Index row = rows[static_cast<std::size_t>(i)];
          z(i, j) = std::sqrt(e(row)) * f(row);
        }
      }
    });
    return gram_columns(z, run);
  }

  const double total = e.sum();
  Eigen::MatrixXd s(d(), d());
  Eigen::VectorXd a(d());  // X' E 1 of the columns before the shift
  const Index tasks = std::min<Index>(d(), 64);
  parallel_for(tasks, run, [&](Index t) {
    Eigen::VectorXd weighted = Eigen::VectorXd::Zero(n());
    for (Index j = t * d() / tasks; j < (t + 1) * d() / tasks; ++j) {
      const StoredColumn f = x_.stored_column(at_[static_cast<std::size_t>(j)]);
      double sum = 0;
      for (Index c = 0; c < f.count; ++c) {
        const Index i = f.row[c];
        const double value = e(i) * (f.value[c] / x_.row_divisor(i));
        sum += value;
        weighted(i) = value / x_.row_divisor(i);
      }
      a(j) = sum;
      for (Index k = j; k < d(); ++k) {
        const StoredColumn other = x_.stored_column(at_[static_cast<std::size_t>(k)]);
        double product = 0;
        for (Index c = 0; c < other.count; ++c) product += other.value[c] * weighted(other.row[c]);
        s(k, j) = product;
      }
      for (Index c = 0; c < f.count; ++c) weighted(f.row[c]) = 0;
    }
  });
  for (Index j = 0; j < d(); ++j) {
    for (Index k = j; k < d(); ++k) {
      s(k, j) += total * shift(j) * shift(k) - shift(j) * a(k) - shift(k) * a(j);
      s(k, j) /= divisor(j) * divisor(k);
    }
  }
  mirror_lower(s);
  return s;
}

Eigen::MatrixXd ColumnSubset::column_form(
    const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& s, const Control& control) const {
  // The shift is constant over the rows, so S takes it away: sparse columns do without.
  const Control run = quiet(control);
  Eigen::MatrixXd out(d(), d());
  if (!is_sparse()) {
    const Eigen::MatrixXd z = dense_block(0, d(), run);
    Eigen::MatrixXd image(n(), d());
    parallel_for(d(), run, [&](Index j) { image.col(j) = s(z.col(j)); });
    out = transposed_multiply(z, image, run);
  } else {
    parallel_for(d(), run, [&](Index j) {
      Eigen::VectorXd f = Eigen::VectorXd::Zero(n());
      x_.for_each_stored(at_[static_cast<std::size_t>(j)], [&](Index i, double v) { f(i) = v; });
      Eigen::VectorXd image = s(f);
      for (Index k = 0; k < d(); ++k) {
        double sum = 0;
        x_.for_each_stored(at_[static_cast<std::size_t>(k)],
                           [&](Index i, double v) { sum += v * image(i); });
        out(k, j) = sum / (divisor(j) * divisor(k));
      }
    });
  }
  const Eigen::MatrixXd transposed = out.transpose();
  return 0.5 * (out + transposed);
}

Eigen::VectorXd ColumnSubset::image_norms(const Eigen::MatrixXd& m, const Control& control) const {
  const Control run = quiet(control);
  Eigen::VectorXd out(d());
  if (!is_sparse()) {
    for (Index first = 0; first < d(); first += block_columns) {
      const Index count = std::min(block_columns, d() - first);
      const Eigen::MatrixXd image = multiply(m, dense_block(first, count, run), run);
      out.segment(first, count) = image.colwise().squaredNorm().transpose();
    }
    return out;
  }
  const Eigen::VectorXd row_sums = m.rowwise().sum();
  by_blocks(d(), run, [&](Index first, Index last) {
    Eigen::VectorXd image(m.rows());
    for (Index j = first; j < last; ++j) {
      image = -shift(j) * row_sums;
      x_.for_each_stored(at_[static_cast<std::size_t>(j)],
                         [&](Index i, double v) { image += v * m.col(i); });
      out(j) = image.squaredNorm() / (divisor(j) * divisor(j));
    }
  });
  return out;
}

Eigen::MatrixXd ColumnSubset::dense_block(Index first, Index count, const Control& control) const {
  Eigen::MatrixXd out(n(), count);
  by_blocks(count, control, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      x_.column(at_[static_cast<std::size_t>(first + c)], out.data() + c * n());
    }
  });
  return out;
}

Eigen::MatrixXd ColumnSubset::rows_dense(const std::vector<Index>& rows) const {
  Eigen::MatrixXd out(static_cast<Index>(rows.size()), d());
  Eigen::VectorXd f(n());
  for (Index j = 0; j < d(); ++j) {
    x_.column(at_[static_cast<std::size_t>(j)], f.data());
    for (Index i = 0; i < out.rows(); ++i) out(i, j) = f(rows[static_cast<std::size_t>(i)]);
  }
  return out;
}

}  // namespace semiselect
