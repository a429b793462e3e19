#pragma once

#include <vector>

#include "core/graph/neighbor_graph.hpp"

namespace semiselect {

// Edge weights of a graph, with the bandwidth in force: what gives further pairs of rows the weight
// that they would have had.
struct EdgeWeigher {
  EdgeWeight weights = EdgeWeight::heat;
  Metric metric = Metric::euclidean;
  double bandwidth = 1;
  Eigen::VectorXd local;  // s_i of "local", else empty

  std::vector<double> weigh(const FeatureMatrix& z, const std::vector<Pair>& pairs,
                            const Control& control) const;
};

// The graph in which any two rows of one cluster are neighbors, weighted as neighbor_graph() does
// ("median" over these edges, "local" from the k nearest rows). One product per cluster,
// O(sum n_c^2) memory. Edges come cluster by cluster; `w` is set only on demand. Throws InputError
// if every weight is 0, warns if more than half are.
struct ClusterGraph {
  Graph graph;
  EdgeWeigher weigher;
};
ClusterGraph cluster_graph(const FeatureMatrix& z, const std::vector<int>& cluster,
                           const GraphOptions& options, bool with_matrix, const Control& control);

}  // namespace semiselect
