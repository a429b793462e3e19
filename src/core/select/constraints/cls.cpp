#include "core/select/constraints/cls.hpp"

#include <algorithm>

#include "core/data/group_statistics.hpp"
#include "core/select/graph/laplacian.hpp"

namespace semiselect {

Graph without_conflicts(const Graph& graph, const LinkGroups& links) {
  std::vector<Edge> kept;
  kept.reserve(graph.edges.size());
  for (const Edge& edge : graph.edges) {
    const int a = links.group[edge.i], b = links.group[edge.j];
    const bool conflict =
        a != LinkGroups::none && b != LinkGroups::none &&
        std::binary_search(links.conflicts.begin(), links.conflicts.end(),
                           Pair(std::min(a, b), std::max(a, b)));
    if (!conflict) kept.push_back(edge);
  }
  return kept.size() == graph.edges.size() ? graph : make_graph(graph.n(), std::move(kept));
}

Eigen::VectorXd cls_denominator(const FeatureMatrix& x, const Eigen::VectorXd& d,
                                const LinkGroups& links, ClsDenominator denominator,
                                const Control& control) {
  Eigen::VectorXd mu;
  const Eigen::VectorXd spread = weighted_spread(x, d, control, &mu);
  if (links.conflicts.empty()) return spread;

  // Cannot-link partners of the rows of each group, and c.
  const RowGroups groups(links.group, links.groups);
  Eigen::VectorXd partners = Eigen::VectorXd::Zero(links.groups);
  for (const Pair& c : links.conflicts) {
    partners(c.first) += groups.size(c.second);
    partners(c.second) += groups.size(c.first);
  }
  double constrained = 0;
  for (int g = 0; g < links.groups; ++g) constrained += partners(g) > 0 ? groups.size(g) : 0;

  // (c - c_i) d_i
  Eigen::VectorXd mean_weight = constrained * d;
  for (const Index i : groups.rows) mean_weight(i) -= partners(links.group[i]) * d(i);
  const double total = mean_weight.sum();

  Eigen::VectorXd out(x.p());
  const Eigen::VectorXd equal;
  parallel_ranges(x.p(), 64, control, [&](Index begin, Index end) {
    GroupMoments plain, weighted;
    for (Index r = begin; r < end; ++r) {
      group_moments(x, r, groups, equal, plain);
      group_moments(x, r, groups, d, weighted);
      // sum over i in a, j in b of d_i (f_i - f_j)^2, all terms non-negative
      const auto half = [&](int a, int b) {
        const double gap = weighted.mean(a) - plain.mean(b);
        return weighted.weight(a) * plain.squares(b) +
               plain.weight(b) * (weighted.squares(a) + weighted.weight(a) * gap * gap);
      };
      double sum = 0;
      for (const Pair& c : links.conflicts) sum += half(c.first, c.second) + half(c.second, c.first);

      if (denominator == ClsDenominator::sum) {
        const double divisor = x.divisor(r);
        const double center = mu(r) * divisor + x.shift(r);  // mu of the stored column
        const double squares = weighted_squares(x, r, mean_weight, total, center);
        sum += squares / (divisor * divisor);
      }
      out(r) = sum;
    }
  });
  return out;
}

Eigen::VectorXd cls_scores(const FeatureMatrix& x, const Graph& graph, const LinkGroups& links,
                           ClsDenominator denominator, const Control& control) {
  if (links.conflicts.empty()) return laplacian_ratio(x, graph, control);
  Eigen::VectorXd mu;
  const Eigen::VectorXd spread = weighted_spread(x, graph.degree, control, &mu);
  const Eigen::VectorXd roughness = edge_sums(x, graph, control);
  const Eigen::VectorXd den = cls_denominator(x, graph.degree, links, denominator, control);
  const double volume = graph.degree.sum();

  Eigen::VectorXd out(x.p());
  for (Index r = 0; r < x.p(); ++r) {
    const bool constant = is_noise(spread(r), volume, mu(r)) && is_noise(den(r), volume, mu(r));
    out(r) = constant ? no_value : roughness(r) / den(r);
  }
  return out;
}

Selection cls(const Problem& data, const ClsOptions& options, const Control& control) {
  const LinkGroups links = close_constraints(data.x.n(), data.y, data.constraints);
  GraphEdits edits;
  edits.add = must_link_pairs(links);
  Graph graph = neighbor_graph(data.z, options.graph, edits, control);
  if (options.drop_cl_edges) graph = without_conflicts(graph, links);

  Selection out;
  out.statistic = cls_scores(data.x, graph, links, options.denominator, control);
  return out;
}

}  // namespace semiselect
