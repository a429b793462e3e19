#include "core/select/graph/lsdf.hpp"

#include "core/data/group_statistics.hpp"

namespace semiselect {

namespace {

Graph without_labelled_edges(const Graph& graph, const Labels& y) {
  std::vector<Edge> kept;
  for (const Edge& edge : graph.edges) {
    if (!y.is_labelled(edge.i) || !y.is_labelled(edge.j)) kept.push_back(edge);
  }
  return make_graph(graph.n(), std::move(kept));
}

}  // namespace

Selection lsdf(const Problem& data, const LsdfOptions& options, const Control& control) {
  const Graph graph =
      without_labelled_edges(neighbor_graph(data.z, options.graph, control), data.y);
  const LinkSums sums =
      link_sums(data.x, close_constraints(data.x.n(), data.y, Constraints()), control);
  const Eigen::VectorXd within =
      options.gamma * sums.must_link + edge_sums(data.x, graph, control);

  Selection out;
  out.statistic = sums.cannot_link.cwiseQuotient(within);
  return out;
}

}  // namespace semiselect
