#include "core/select/graph/trace_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/data/group_statistics.hpp"

namespace semiselect {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Criterion {
  Eigen::VectorXd a, b;
};

Criterion fisher_criterion(const FeatureMatrix& z, const Labels& y, const Control& control) {
  const RowGroups groups(y);
  const double l = groups.size.sum();
  const Eigen::VectorXd equal;
  Criterion out{Eigen::VectorXd(z.p()), Eigen::VectorXd(z.p())};
  parallel_ranges(z.p(), 64, control, [&](Index begin, Index end) {
    GroupMoments m;
    for (Index r = begin; r < end; ++r) {
      group_moments(z, r, groups, equal, m);
      const Eigen::ArrayXd gap = m.mean.array() - m.mean(0);
      const double mean = m.weight.dot(gap.matrix()) / l;
      out.a(r) = m.weight.dot((gap - mean).square().matrix());
      out.b(r) = m.squares.sum();
      // A column constant over the labelled rows, up to rounding: nothing to be had from it.
      const double largest = m.largest / z.divisor(r);
      const double rounding = 1e-24 * l * largest * largest;
      if (out.a(r) <= rounding) out.a(r) = 0;
      if (out.b(r) <= rounding) out.b(r) = 0;
    }
  });
  return out;
}

Criterion laplacian_criterion(const FeatureMatrix& z, const GraphOptions& options,
                              const Control& control) {
  const Graph graph = neighbor_graph(z, options, control);
  const double volume = graph.degree.sum();
  Eigen::VectorXd mean;
  Criterion out{weighted_spread(z, graph.degree, control, &mean), edge_sums(z, graph, control)};
  for (Index r = 0; r < z.p(); ++r) {
    if (is_noise(out.a(r), volume, mean(r))) out.a(r) = out.b(r) = 0;
  }
  return out;
}

// Brings the m largest of `value` (ties: lower column) to the front of `columns`.
void take_largest(std::vector<Index>& columns, Index m, const Eigen::VectorXd& value) {
  std::nth_element(columns.begin(), columns.begin() + (m - 1), columns.end(),
                   [&](Index i, Index j) {
                     return value(i) != value(j) ? value(i) > value(j) : i < j;
                   });
}

}  // namespace

Selection trace_ratio_search(const Eigen::VectorXd& a, const Eigen::VectorXd& b, Index m) {
  std::vector<Index> columns;
  for (Index r = 0; r < a.size(); ++r) {
    if (a(r) > 0 || b(r) > 0) columns.push_back(r);
  }
  Selection out;
  out.statistic = Eigen::VectorXd::Constant(a.size(), no_value);
  if (columns.empty()) return out;
  m = std::min<Index>(m, static_cast<Index>(columns.size()));

  double lambda = 0;
  out.converged = false;
  while (!out.converged && out.iterations < 100) {
    ++out.iterations;
    const Eigen::VectorXd s = a - lambda * b;
    take_largest(columns, m, s);
    // Summed by column number: the order within the chosen is not fixed.
    std::sort(columns.begin(), columns.begin() + m);
    double top = 0, bottom = 0;
    for (Index e = 0; e < m; ++e) {
      top += a(columns[e]);
      bottom += b(columns[e]);
    }
    const double next = top / bottom;
    out.objective.push_back(next);
    out.converged =
        std::isinf(next) || std::abs(next - lambda) <= 1e-12 * std::max(1.0, std::abs(next));
    lambda = next;
  }

  std::sort(columns.begin(), columns.end());
  for (const Index r : columns) {
    out.statistic(r) = std::isinf(lambda) ? (b(r) > 0 ? a(r) / b(r) : infinity) : a(r) - lambda * b(r);
  }
  if (std::isinf(lambda)) {
    out.score = out.statistic;
    std::stable_sort(columns.begin(), columns.end(), [&](Index i, Index j) {
      const double x = out.statistic(i), y = out.statistic(j);
      return x != y ? x > y : a(i) > a(j);
    });
    out.order = columns;
    for (Index r = 0; r < a.size(); ++r) {
      if (std::isnan(out.statistic(r))) out.order.push_back(r);
    }
  }
  return out;
}

Selection trace_ratio(const Problem& data, const TraceRatioOptions& options,
                      const Control& control) {
  const Criterion c = options.criterion == TraceRatioCriterion::fisher
                          ? fisher_criterion(data.z, data.y, control)
                          : laplacian_criterion(data.z, options.graph, control);
  return trace_ratio_search(c.a, c.b, options.n_features);
}

}  // namespace semiselect
