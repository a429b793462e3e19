#include "core/select/constraints/csfs.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/cluster/ward.hpp"
#include "core/data/group_statistics.hpp"
#include "core/graph/cluster_graph.hpp"
#include "core/run/errors.hpp"
#include "core/select/constraints/cls.hpp"

namespace semiselect {

namespace {

constexpr Index most_rows = 5000;
constexpr double most_pairs = 5e7;

// What SN adds to S for a pair.
double extra(bool must_link, bool neighbors, double w, Conflict conflict) {
  if (must_link) {
    return neighbors && conflict == Conflict::printed ? -w : w * w;
  }
  return conflict == Conflict::printed ? w * w : -w;
}

std::uint64_t key(int i, int j) {
  return static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint32_t>(j);
}

// den for listed cannot-links.
Eigen::VectorXd denominator(const FeatureMatrix& x, const Eigen::VectorXd& d,
                            const std::vector<Pair>& cannot_link, const Eigen::VectorXd& spread,
                            const Eigen::VectorXd& mu, const Control& control) {
  if (cannot_link.empty()) return spread;
  const Index n = d.size();
  Eigen::VectorXd partners = Eigen::VectorXd::Zero(n);
  std::vector<Edge> edges;
  edges.reserve(cannot_link.size());
  for (const Pair& pair : cannot_link) {
    ++partners(pair.first);
    ++partners(pair.second);
    edges.push_back({pair.first, pair.second, d(pair.first) + d(pair.second)});
  }
  const double constrained = static_cast<double>((partners.array() > 0).count());
  const Eigen::VectorXd weight = (constrained - partners.array()) * d.array();
  const double total = weight.sum();
  Eigen::VectorXd out = edge_sums(x, make_graph(n, std::move(edges)), control);
  parallel_ranges(x.p(), 64, control, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      const double divisor = x.divisor(r);
      const double center = mu(r) * divisor + x.shift(r);
      out(r) += weighted_squares(x, r, weight, total, center) / (divisor * divisor);
    }
  });
  return out;
}

}  // namespace

Csfs csfs(const Problem& data, const CsfsOptions& options, const Control& control) {
  const Index n = data.x.n();
  const LinkGroups links = close_constraints(n, data.y, data.constraints);
  if (links.must_link_count() + links.cannot_link_count() > most_pairs) {
    throw InputError("The labels imply more than 5e7 pairs, each of which CSFS weighs. Use fewer "
                     "labels, or rank_cls(), which does not list them.");
  }
  Csfs out;
  const Constraints all = links.pairs();
  out.overall = no_value;
  out.selected = all;
  if (options.select && !all.must_link.empty() && !all.cannot_link.empty()) {
    const Coherence found = coherence(data.z, all, options.rule, control);
    out.overall = found.overall;
    out.selected = {};
    for (std::size_t s = 0; s < all.must_link.size(); ++s) {
      if (found.must_link[s] >= found.overall - 1e-12) {
        out.selected.must_link.push_back(all.must_link[s]);
      }
    }
    for (std::size_t s = 0; s < all.cannot_link.size(); ++s) {
      if (found.cannot_link[s] >= found.overall - 1e-12) {
        out.selected.cannot_link.push_back(all.cannot_link[s]);
      }
    }
  }
  const std::vector<Pair>& must_link = out.selected.must_link;
  const std::vector<Pair>& cannot_link = out.selected.cannot_link;

  // S, and the weights of must-links that are no neighbors.
  Graph graph;
  std::vector<Edge> distant;
  bool closed_form = false;  // binary weights within clusters: no edge is listed
  std::vector<int> cluster;
  const bool given = options.graph.given.n() > 0;
  if (given || options.neighborhood == Neighborhood::knn) {
    graph = given ? options.graph.given : neighbor_graph(data.z, options.graph, control);
    // Through the graph itself, the bandwidth being that of its edges.
    GraphOptions same = options.graph;
    same.given = graph;
    GraphEdits edits;
    edits.add = must_link;
    std::unordered_map<std::uint64_t, char> neighbors;
    for (const Edge& edge : graph.edges) neighbors.emplace(key(edge.i, edge.j), 1);
    if (!must_link.empty()) {
      for (const Edge& edge : neighbor_graph(data.z, same, edits, control).edges) {
        if (!neighbors.count(key(edge.i, edge.j))) distant.push_back(edge);
      }
    }
  } else {
    if (n > most_rows) {
      throw InputError("Clusters of " + std::to_string(n) +
                       " rows would have too many edges (at most " + std::to_string(most_rows) +
                       " rows). Use `som = TRUE`, or `neighborhood = \"knn\"`.");
    }
    cluster = ward_clusters(data.z, control);
    out.clusters = 1 + *std::max_element(cluster.begin(), cluster.end());
    std::vector<Pair> far;
    for (const Pair& pair : must_link) {
      if (cluster[pair.first] != cluster[pair.second]) far.push_back(pair);
    }
    EdgeWeigher weigher;
    if (options.graph.weights == EdgeWeight::binary) {
      closed_form = true;
      weigher.weights = EdgeWeight::binary;
      std::vector<double> size(static_cast<std::size_t>(out.clusters), 0.0);
      for (const int c : cluster) ++size[c];
      graph.degree.resize(n);
      for (Index i = 0; i < n; ++i) graph.degree(i) = size[cluster[i]] - 1;
    } else {
      ClusterGraph found = cluster_graph(data.z, cluster, options.graph, data.x.is_sparse(), control);
      graph = std::move(found.graph);
      weigher = std::move(found.weigher);
    }
    const std::vector<double> w = weigher.weigh(data.z, far, control);
    for (std::size_t e = 0; e < far.size(); ++e) {
      distant.push_back({far[e].first, far[e].second, w[e]});
    }
  }

  // Numerator: S and N together, edge by edge.
  const Eigen::VectorXd degree = graph.degree;
  for (Edge& edge : distant) edge.w = extra(true, false, edge.w, options.conflict);
  Eigen::VectorXd roughness;
  if (closed_form) {
    LinkGroups own;
    own.group = cluster;
    own.groups = out.clusters;
    roughness = link_sums(data.x, own, control).must_link;
    std::vector<Edge> changes = distant;
    for (const Pair& pair : must_link) {
      if (cluster[pair.first] != cluster[pair.second]) continue;
      changes.push_back({pair.first, pair.second, extra(true, true, 1, options.conflict)});
    }
    for (const Pair& pair : cannot_link) {
      if (cluster[pair.first] != cluster[pair.second]) continue;
      changes.push_back({pair.first, pair.second, extra(false, true, 1, options.conflict)});
    }
    if (!changes.empty()) {
      roughness += edge_sums(data.x, make_graph(n, std::move(changes)), control);
      // Cannot-links take away what the clusters brought: nothing but rounding may be left.
      const Eigen::VectorXd whole = link_sums(data.x, own, control).must_link;
      for (Index r = 0; r < roughness.size(); ++r) {
        if (roughness(r) <= 1e-14 * whole(r)) roughness(r) = 0;
      }
    }
  } else {
    std::unordered_map<std::uint64_t, bool> linked;  // true: must-link
    for (const Pair& pair : must_link) linked.emplace(key(pair.first, pair.second), true);
    for (const Pair& pair : cannot_link) linked.emplace(key(pair.first, pair.second), false);
    for (Edge& edge : graph.edges) {
      if (links.group[edge.i] == LinkGroups::none || links.group[edge.j] == LinkGroups::none) {
        continue;
      }
      const auto found = linked.find(key(edge.i, edge.j));
      if (found != linked.end()) edge.w += extra(found->second, true, edge.w, options.conflict);
    }
    graph.edges.insert(graph.edges.end(), distant.begin(), distant.end());
    if (data.x.is_sparse()) graph = make_graph(n, std::move(graph.edges));
    roughness = edge_sums(data.x, graph, control);
  }

  Eigen::VectorXd mu;
  const Eigen::VectorXd spread = weighted_spread(data.x, degree, control, &mu);
  const Eigen::VectorXd den =
      options.select ? denominator(data.x, degree, cannot_link, spread, mu, control)
                     : cls_denominator(data.x, degree, links, ClsDenominator::sum, control);
  const double volume = degree.sum();
  out.selection.statistic.resize(data.x.p());
  for (Index r = 0; r < data.x.p(); ++r) {
    const bool constant = is_noise(spread(r), volume, mu(r)) && is_noise(den(r), volume, mu(r));
    out.selection.statistic(r) = constant ? no_value : roughness(r) / den(r);
  }
  return out;
}

}  // namespace semiselect
