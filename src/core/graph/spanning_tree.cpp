#include "core/graph/spanning_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/optim/gram.hpp"

namespace semiselect {

namespace {

constexpr Index at_once = 512;         // columns made dense together
constexpr Index one_product = 2048;    // so many features: all correlations in memory

// Columns as a dense matrix of centred unit columns.
Eigen::MatrixXd unit_columns(const FeatureMatrix& x, const std::vector<Index>& columns, Index first,
                             Index count) {
  Eigen::MatrixXd out(x.n(), count);
  for (Index s = 0; s < count; ++s) {
    x.column(columns[static_cast<std::size_t>(first + s)], out.data() + s * x.n());
    out.col(s).array() -= out.col(s).mean();
    out.col(s) /= out.col(s).norm();
  }
  return out;
}

}  // namespace

std::vector<TreeEdge> maximum_spanning_tree(
    Index count, const std::function<void(Index, double*)>& weights, const Control& control) {
  std::vector<TreeEdge> tree;
  if (count < 2) return tree;
  std::vector<double> best(static_cast<std::size_t>(count), -std::numeric_limits<double>::infinity());
  std::vector<double> row(best);
  std::vector<int> via(static_cast<std::size_t>(count), -1);
  std::vector<char> inside(static_cast<std::size_t>(count), 0);
  Index newest = 0;
  inside[0] = 1;
  for (Index step = 1; step < count; ++step) {
    control.check_interrupt();
    weights(newest, row.data());
    Index next = -1;
    for (Index i = 0; i < count; ++i) {
      if (inside[i]) continue;
      if (via[i] < 0 || row[i] > best[i] || (row[i] == best[i] && newest < via[i])) {
        best[i] = row[i];
        via[i] = static_cast<int>(newest);
      }
      if (next < 0 || best[i] > best[next]) next = i;
    }
    tree.push_back({via[next], static_cast<int>(next), best[next]});
    inside[next] = 1;
    newest = next;
  }
  return tree;
}

std::vector<int> independent_nodes(Index count, const std::vector<TreeEdge>& tree, double least) {
  std::vector<std::vector<int>> near(static_cast<std::size_t>(count));
  for (const TreeEdge& edge : tree) {
    if (edge.weight < least) continue;
    near[edge.from].push_back(edge.to);
    near[edge.to].push_back(edge.from);
  }
  std::vector<int> kept(static_cast<std::size_t>(count), -1);
  for (Index i = 0; i < count; ++i) {
    if (kept[i] == 0) continue;
    kept[i] = 1;
    for (const int j : near[i]) kept[j] = 0;
  }
  return kept;
}

double mutual_information(double rho) {
  if (std::abs(rho) >= 1 - 1e-14) return std::numeric_limits<double>::infinity();
  return -0.5 * std::log1p(-rho * rho);
}

Eigen::MatrixXd correlations(const FeatureMatrix& x, const std::vector<Index>& columns,
                             const Control& control) {
  const FeatureMatrix chosen = x.columns(columns).scaled(Scale::standardize);
  Eigen::MatrixXd out = gram_columns(chosen, control);
  const Eigen::VectorXd norm = out.diagonal().cwiseSqrt();
  for (Index j = 0; j < out.cols(); ++j) {
    for (Index i = 0; i < out.rows(); ++i) {
      out(i, j) = std::max(-1.0, std::min(1.0, out(i, j) / (norm(i) * norm(j))));
    }
    out(j, j) = 1;
  }
  return out;
}

double mean_correlation(const FeatureMatrix& x, const std::vector<Index>& columns, bool is_signed,
                        const Control& control) {
  const Index m = static_cast<Index>(columns.size());
  double sum = 0;
  if (m <= one_product) {
    const Eigen::MatrixXd rho = correlations(x, columns, control);
    for (Index j = 0; j < m; ++j) {
      for (Index i = 0; i < j; ++i) sum += is_signed ? rho(i, j) : std::abs(rho(i, j));
    }
  } else {
    const double parts = std::ceil(static_cast<double>(m) / at_once);
    double done = 0;
    Control quiet = control;
    quiet.progress = [](double) {};
    for (Index a = 0; a < m; a += at_once) {
      const Eigen::MatrixXd left = unit_columns(x, columns, a, std::min(at_once, m - a));
      for (Index b = a; b < m; b += at_once) {
        control.check_interrupt();
        const Eigen::MatrixXd right = unit_columns(x, columns, b, std::min(at_once, m - b));
        const Eigen::MatrixXd rho = transposed_multiply(left, right, quiet);
        for (Index j = 0; j < rho.cols(); ++j) {
          for (Index i = 0; i < rho.rows() && a + i < b + j; ++i) {
            sum += is_signed ? rho(i, j) : std::abs(rho(i, j));
          }
        }
        control.progress(++done / (0.5 * parts * (parts + 1)));
      }
    }
  }
  return 2 * sum / (static_cast<double>(m) * static_cast<double>(m - 1));
}

Redundancy remove_redundant(const FeatureMatrix& x, const std::vector<Index>& by_relevance,
                            double min_mi, const Control& control) {
  const Index h = static_cast<Index>(by_relevance.size());
  Redundancy out;
  if (h <= one_product) {
    const Eigen::MatrixXd rho = correlations(x, by_relevance, control);
    out.tree = maximum_spanning_tree(h, [&](Index i, double* row) {
      for (Index j = 0; j < h; ++j) row[j] = mutual_information(rho(i, j));
    }, control);
  } else {
    Eigen::VectorXd f(x.n());
    const FeatureMatrix chosen = x.columns(by_relevance).scaled(Scale::standardize);
    const double scale = static_cast<double>(x.n() - 1);
    Control quiet = control;
    quiet.progress = [](double) {};
    out.tree = maximum_spanning_tree(h, [&](Index i, double* row) {
      chosen.column(i, f.data());
      const double total = f.sum();
      parallel_for((h + at_once - 1) / at_once, quiet, [&](Index part) {
        for (Index j = part * at_once; j < std::min(h, (part + 1) * at_once); ++j) {
          double sum = 0;
          chosen.for_each_stored(j, [&](Index r, double v) { sum += v * f(r); });
          row[j] = mutual_information((sum - chosen.shift(j) * total) / chosen.divisor(j) / scale);
        }
      });
    }, control);
  }
  out.kept = independent_nodes(h, out.tree, min_mi);
  return out;
}

}  // namespace semiselect
