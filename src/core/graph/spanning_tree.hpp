#pragma once

#include <functional>
#include <vector>

#include "core/data/matrix.hpp"
#include "core/graph/graph.hpp"
#include "core/run/parallel.hpp"

namespace semiselect {

// An edge of a tree on features, as found: `to` was outside.
struct TreeEdge {
  int from, to;
  double weight;
};

// Maximum spanning tree of a complete graph on `count` nodes by Prim's method from node 0. Nodes
// are numbered by falling relevance, and of equal weights the outside node with the lower number is
// taken, then the inside one. `weights(i, out)` fills the weights of node i to all nodes. O(count^2)
// and one row of weights in memory at a time.
std::vector<TreeEdge> maximum_spanning_tree(
    Index count, const std::function<void(Index, double*)>& weights, const Control& control);

// Walks the nodes by number: keeps one if it is still there, and drops its neighbors in the tree.
// Edges below `least` are ignored. 1: kept.
std::vector<int> independent_nodes(Index count, const std::vector<TreeEdge>& tree, double least);

// -1/2 log(1 - rho^2), the mutual information of two normal variables with correlation rho;
// infinite for |rho| = 1 (up to 1e-14).
double mutual_information(double rho);

// Correlations of columns of x over all rows, none of them constant.
Eigen::MatrixXd correlations(const FeatureMatrix& x, const std::vector<Index>& columns,
                             const Control& control);
// Mean of their absolute values (or of themselves) over pairs, without holding them all.
double mean_correlation(const FeatureMatrix& x, const std::vector<Index>& columns, bool is_signed,
                        const Control& control);

// CSFSR's last step (Hindawi 2013, Algorithms 11 and 12) on features listed by falling relevance:
// maximum spanning tree of their mutual informations, then independent_nodes(). Correlations of up
// to 2048 features come from one product; beyond, row by row.
struct Redundancy {
  std::vector<TreeEdge> tree;  // numbers are places in the list
  std::vector<int> kept;       // 1 or 0 per place
};
Redundancy remove_redundant(const FeatureMatrix& x, const std::vector<Index>& by_relevance,
                            double min_mi, const Control& control);

}  // namespace semiselect
