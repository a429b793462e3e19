#include "core/graph/row_products.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/run/errors.hpp"

namespace semiselect {

namespace {

constexpr Index tile = 256;    // rows of a block of products
constexpr Index depth = 512;   // columns of z at a time

Control silent(const Control& control) {
  Control out = control;
  out.progress = [](double) {};
  return out;
}

// Tiles on and below the diagonal.
std::vector<std::pair<Index, Index>> lower_tiles(Index n) {
  std::vector<std::pair<Index, Index>> tiles;
  for (Index a = 0; a < n; a += tile) {
    for (Index b = 0; b <= a; b += tile) tiles.emplace_back(a, b);
  }
  return tiles;
}

void mirror(Eigen::MatrixXd& a) {
  const Index n = a.rows();
  for (Index j0 = 0; j0 < n; j0 += 64) {
    for (Index i0 = j0; i0 < n; i0 += 64) {
      for (Index j = j0; j < std::min(j0 + 64, n); ++j) {
        for (Index i = std::max(i0, j + 1); i < std::min(i0 + 64, n); ++i) a(j, i) = a(i, j);
      }
    }
  }
}

// Lower triangle only. `centered`: columns less their mean.
Eigen::MatrixXd dense_gram(const FeatureMatrix& z, bool centered, const Control& control) {
  const Index n = z.n();
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(n, n);
  const std::vector<std::pair<Index, Index>> tiles = lower_tiles(n);
  for (Index first = 0; first < z.p(); first += depth) {
    const Index count = std::min(depth, z.p() - first);
    Eigen::MatrixXd block(n, count);
    for (Index c = 0; c < count; ++c) {
      z.column(first + c, block.data() + c * n);
      if (centered) block.col(c).array() -= block.col(c).mean();
    }
    parallel_for(static_cast<Index>(tiles.size()), control, [&](Index t) {
      const Index a = tiles[static_cast<std::size_t>(t)].first;
      const Index b = tiles[static_cast<std::size_t>(t)].second;
      const Index rows = std::min(tile, n - a), columns = std::min(tile, n - b);
      gram.block(a, b, rows, columns).noalias() +=
          block.middleRows(a, rows) * block.middleRows(b, columns).transpose();
    });
  }
  return gram;
}

// Rows of the sparse storage divided by row and column divisors, without the shift.
struct SparseRows {
  std::vector<Index> start;
  std::vector<int> column;
  std::vector<double> value;
};

SparseRows by_rows(const FeatureMatrix& z) {
  SparseRows rows;
  rows.start.assign(static_cast<std::size_t>(z.n() + 1), 0);
  for (Index c = 0; c < z.p(); ++c) {
    const StoredColumn stored = z.stored_column(c);
    for (Index e = 0; e < stored.count; ++e) ++rows.start[static_cast<std::size_t>(stored.row[e] + 1)];
  }
  for (Index i = 0; i < z.n(); ++i) {
    rows.start[static_cast<std::size_t>(i + 1)] += rows.start[static_cast<std::size_t>(i)];
  }
  rows.column.resize(static_cast<std::size_t>(rows.start.back()));
  rows.value.resize(rows.column.size());
  std::vector<Index> next(rows.start.begin(), rows.start.end() - 1);
  for (Index c = 0; c < z.p(); ++c) {
    const double divisor = z.divisor(c);
    z.for_each_stored(c, [&](Index i, double v) {
      const std::size_t at = static_cast<std::size_t>(next[static_cast<std::size_t>(i)]++);
      rows.column[at] = static_cast<int>(c);
      rows.value[at] = v / divisor;
    });
  }
  return rows;
}

// a a' with a = z + shift / divisor, the part of z that is sparse. Lower triangle.
Eigen::MatrixXd sparse_gram(const FeatureMatrix& z, const Control& control) {
  const Index n = z.n();
  const SparseRows rows = by_rows(z);
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(n, n);
  parallel_for(n, control, [&](Index i) {
    double* to = gram.data() + i * n;  // column i, rows from i on
    for (Index e = rows.start[static_cast<std::size_t>(i)]; e < rows.start[static_cast<std::size_t>(i + 1)]; ++e) {
      const Index c = rows.column[static_cast<std::size_t>(e)];
      const double weight = rows.value[static_cast<std::size_t>(e)] / z.divisor(c);
      const StoredColumn stored = z.stored_column(c);
      const int* from = std::lower_bound(stored.row, stored.row + stored.count, static_cast<int>(i));
      for (Index s = from - stored.row; s < stored.count; ++s) {
        const Index j = stored.row[s];
        to[j] += weight * (stored.value[s] / z.row_divisor(j));
      }
    }
  });
  return gram;
}

double median_of(std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  const double upper = *middle;
  if (values.size() % 2 == 1) return upper;
  return 0.5 * (upper + *std::max_element(values.begin(), middle));
}

}  // namespace

Eigen::MatrixXd row_gram(const FeatureMatrix& z, const Control& control) {
  const Control quiet = silent(control);
  Eigen::MatrixXd gram;
  if (z.is_sparse()) {
    gram = sparse_gram(z, quiet);
    if (z.has_shift()) {
      // z = a - m: z_i'z_j = a_i'a_j - a_i'm - a_j'm + m'm.
      Eigen::VectorXd along = Eigen::VectorXd::Zero(z.n());
      double square = 0;
      for (Index c = 0; c < z.p(); ++c) {
        const double divisor = z.divisor(c), m = z.shift(c) / divisor;
        square += m * m;
        z.for_each_stored(c, [&](Index i, double v) { along(i) += v / divisor * m; });
      }
      for (Index j = 0; j < z.n(); ++j) {
        for (Index i = j; i < z.n(); ++i) gram(i, j) += square - along(i) - along(j);
      }
    }
  } else {
    gram = dense_gram(z, false, quiet);
  }
  mirror(gram);
  return gram;
}

Eigen::MatrixXd all_squared_distances(const FeatureMatrix& z, const Control& control) {
  // Distances below this part of the squared norms may be rounding alone.
  constexpr double doubtful = 1e-9;
  const Control quiet = silent(control);
  const Index n = z.n();
  Eigen::MatrixXd d = z.is_sparse() ? sparse_gram(z, quiet) : dense_gram(z, true, quiet);
  const Eigen::VectorXd norm = d.diagonal();
  std::vector<Pair> unsure;
  for (Index j = 0; j < n; ++j) {
    d(j, j) = 0;
    for (Index i = j + 1; i < n; ++i) {
      const double sum = norm(i) + norm(j);
      d(i, j) = sum - 2 * d(i, j);
      if (!(d(i, j) > doubtful * sum)) unsure.emplace_back(static_cast<int>(j), static_cast<int>(i));
    }
  }
  if (!unsure.empty()) {
    const std::vector<double> direct = squared_distances(z, unsure, Metric::euclidean, quiet);
    for (std::size_t e = 0; e < unsure.size(); ++e) d(unsure[e].second, unsure[e].first) = direct[e];
  }
  mirror(d);
  return d;
}

RbfSimilarity rbf_similarity(const FeatureMatrix& z, Bandwidth kind, double value,
                             const Control& control) {
  const Index n = z.n();
  RbfSimilarity out;
  out.s = all_squared_distances(z, control);
  out.bandwidth = value;
  if (kind == Bandwidth::median) {
    std::vector<double> positive;
    positive.reserve(static_cast<std::size_t>(n * (n - 1) / 2));
    for (Index j = 0; j < n; ++j) {
      for (Index i = j + 1; i < n; ++i) {
        if (out.s(i, j) > 0) positive.push_back(out.s(i, j));
      }
    }
    out.bandwidth = positive.empty() ? 1 : median_of(positive);
  }
  std::vector<Index> vanished(static_cast<std::size_t>(n), 0);
  const Control quiet = silent(control);
  parallel_for(n, quiet, [&](Index j) {
    out.s(j, j) = 1;
    for (Index i = j + 1; i < n; ++i) {
      out.s(i, j) = std::exp(-out.s(i, j) / out.bandwidth);
      vanished[static_cast<std::size_t>(j)] += out.s(i, j) == 0;
    }
  });
  mirror(out.s);
  double zeros = 0;
  for (const Index count : vanished) zeros += static_cast<double>(count);
  const double pairs = 0.5 * static_cast<double>(n) * static_cast<double>(n - 1);
  if (pairs > 0 && zeros == pairs) {
    throw InputError(
        "Every similarity of two rows is zero: the distances are too large for `bandwidth`. "
        "Raise `bandwidth` (\"median\" always fits) or rescale `x`.");
  }
  if (2 * zeros > pairs) {
    control.warn("More than half of the similarities of two rows are zero. Raise `bandwidth` "
                 "(\"median\" always fits) or rescale `x`.");
  }
  out.degree = out.s.colwise().sum().transpose();
  return out;
}

Eigen::VectorXd symmetric_forms(const Eigen::MatrixXd& s, const Eigen::MatrixXd& f) {
  const Index n = s.rows();
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(f.cols());
  Eigen::MatrixXd product;
  for (Index a = 0; a < n; a += tile) {
    const Index rows = std::min(tile, n - a);
    // Below the diagonal each pair of tiles stands for two.
    product.noalias() = s.block(a, a, rows, rows) * f.middleRows(a, rows);
    if (a > 0) product.noalias() += 2 * s.block(a, 0, rows, a) * f.topRows(a);
    sum += product.cwiseProduct(f.middleRows(a, rows)).colwise().sum();
  }
  return sum.transpose();
}

}  // namespace semiselect
