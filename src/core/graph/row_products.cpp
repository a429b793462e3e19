#include "core/graph/row_products.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/optim/gram.hpp"
#include "core/run/errors.hpp"

namespace semiselect {

namespace {

constexpr Index tile = 480;  // rows of a block of products

Control silent(const Control& control) {
  Control out = control;
  out.progress = [](double) {};
  return out;
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

// Inner products of the rows, centered by the column means: lower triangle.
Eigen::MatrixXd centered_gram(const FeatureMatrix& z, const Control& control) {
  const Index n = z.n(), p = z.p();
  Eigen::VectorXd center(p), factor(p);
  parallel_for(p, control, [&](Index c) {
    double sum = 0;
    z.for_each_stored(c, [&](Index, double v) { sum += v; });
    center(c) = sum / static_cast<double>(n);
    factor(c) = 1 / z.divisor(c);
  });
  Eigen::MatrixXd gram(n, n);
  const RowPacker rows = pack_data_rows(z, center, factor);
  ProductShape shape;
  shape.rows_a = shape.rows_b = n;
  shape.depth = p;
  shape.symmetric = true;
  for_each_product_block(shape, rows, rows, control, [&](const ProductBlock& block) {
    for (Index j = 0; j < block.q; ++j) {
      const Index column = block.first_b + j;
      const Index from = std::max<Index>(column - block.first_a, 0);
      for (Index i = from; i < block.m; ++i) {
        gram(block.first_a + i, column) = block.value[i + j * block.leading];
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

// s_i of the local bandwidth, from all squared distances.
Eigen::VectorXd local_scales(const Eigen::MatrixXd& d, int k, const Control& control) {
  const Index n = d.rows();
  const std::size_t place = static_cast<std::size_t>(std::min<Index>(k, n - 1) - 1);
  Eigen::VectorXd scale(n);
  parallel_for(n, control, [&](Index i) {
    std::vector<double> others;
    double least = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < n; ++j) {
      if (j == i) continue;
      others.push_back(d(j, i));
      if (d(j, i) > 0) least = std::min(least, d(j, i));
    }
    const auto at = others.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(others.begin(), at, others.end());
    const double far = *at > 0 ? *at : (std::isfinite(least) ? least : 1);
    scale(i) = std::sqrt(far);
  });
  return scale;
}

}  // namespace

Eigen::MatrixXd all_squared_distances(const FeatureMatrix& z, const Control& control) {
  // Distances below this part of the squared norms may be rounding alone.
  constexpr double doubtful = 1e-9;
  const Control quiet = silent(control);
  const Index n = z.n();
  Eigen::MatrixXd d = z.is_sparse() ? gram_rows(z, quiet) : centered_gram(z, quiet);
  const Eigen::VectorXd norm = d.diagonal();
  std::vector<std::vector<Pair>> found(static_cast<std::size_t>(n));
  parallel_for(n, quiet, [&](Index j) {
    d(j, j) = 0;
    for (Index i = j + 1; i < n; ++i) {
      const double sum = norm(i) + norm(j);
      d(i, j) = sum - 2 * d(i, j);
      if (!(d(i, j) > doubtful * sum)) {
        found[static_cast<std::size_t>(j)].emplace_back(static_cast<int>(j), static_cast<int>(i));
      }
    }
  });
  std::vector<Pair> unsure;
  for (const std::vector<Pair>& pairs : found)
    unsure.insert(unsure.end(), pairs.begin(), pairs.end());
  if (!unsure.empty()) {
    const std::vector<double> direct = squared_distances(z, unsure, Metric::euclidean, quiet);
    for (std::size_t e = 0; e < unsure.size(); ++e)
      d(unsure[e].second, unsure[e].first) = direct[e];
  }
  mirror(d);
  return d;
}

RbfSimilarity rbf_similarity(const FeatureMatrix& z, Bandwidth kind, double value, int k,
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
  const bool local = kind == Bandwidth::local;
  Eigen::VectorXd scale;
  if (local) {
    scale = local_scales(out.s, k, quiet);
    out.bandwidth = std::numeric_limits<double>::quiet_NaN();
  }
  parallel_for(n, quiet, [&](Index j) {
    out.s(j, j) = 1;
    for (Index i = j + 1; i < n; ++i) {
      out.s(i, j) = std::exp(-out.s(i, j) / (local ? scale(i) * scale(j) : out.bandwidth));
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
    control.warn(
        "More than half of the similarities of two rows are zero. Raise `bandwidth` "
        "(\"median\" always fits) or rescale `x`.");
  }
  out.degree = out.s.colwise().sum().transpose();
  return out;
}

Eigen::VectorXd symmetric_forms(const Eigen::MatrixXd& s, const Eigen::MatrixXd& f,
                                const Control& control) {
  const Index n = s.rows();
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(f.cols());
  for (Index a = 0; a < n; a += tile) {
    const Index rows = std::min(tile, n - a);
    const auto here = f.middleRows(a, rows);
    sum += multiply(s.block(a, a, rows, rows), here, control).cwiseProduct(here).colwise().sum();
    if (a == 0) continue;
    // What lies before a tile stands for its mirror image too.
    const Eigen::MatrixXd before = multiply(s.block(a, 0, rows, a), f.topRows(a), control);
    sum += 2 * before.cwiseProduct(here).colwise().sum();
  }
  return sum.transpose();
}

}  // namespace semiselect
