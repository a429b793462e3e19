#pragma once

#include <limits>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "core/data/labels.hpp"
#include "core/data/matrix.hpp"
#include "core/run/parallel.hpp"

namespace semiselect {

struct Edge {
  int i, j;  // i < j
  double w;
};

// A weighted undirected graph on the rows, W in the formulas: symmetric, non-negative, zero
// diagonal. The papers' S.
struct Graph {
  std::vector<Edge> edges;        // sorted by (i, j); weight 0 (underflow) is kept
  Eigen::SparseMatrix<double> w;  // both triangles
  Eigen::VectorXd degree;         // D = diag(W 1)

  // How it came about, where neighbor_graph() made it: the number behind "median" or given for the
  // heat weights (NaN: none, or one per row), and the share of true neighbors measured on a sample
  // of rows (1: exact search).
  double bandwidth = std::numeric_limits<double>::quiet_NaN();
  double recall = 1;
  // All rows, neighbors near each other, where the search left such an order: sums over edges of
  // very many rows follow it. Else empty.
  std::vector<int> order;

  Index n() const { return degree.size(); }
};

// From edges in any order; one edge per pair.
Graph make_graph(Index n, std::vector<Edge> edges);

// Rule (3) of Jiang et al. (2019) with every class link listed: weight eta between labelled rows
// of one class, no edge between labelled rows of different classes, the others as they are.
// O(edges + sum over classes of n_c^2): label_propagation.hpp has the form without the list.
Graph with_class_links(const Graph& graph, const Labels& y, double eta);

// sum over edges of w_ij (f_i - f_j)^2 for every column f of x: f'Lf where the edges are those
// of a graph. The difference form: nothing cancels, whatever the offset of the column.
// O(p |edges|) when dense, O(sum over stored entries of their degree) when sparse.
Eigen::VectorXd edge_sums(const FeatureMatrix& x, const Graph& graph, const Control& control);

// sum_i d_i (f_i - mu)^2, mu = sum d_i f_i / sum d_i, for every column f of x. `mean`, if given,
// receives mu.
Eigen::VectorXd weighted_spread(const FeatureMatrix& x, const Eigen::VectorXd& d,
                                const Control& control, Eigen::VectorXd* mean = nullptr);

// Whether a spread about the mean is rounding noise: centring a constant leaves some, and a ratio of
// noise would be ranked. `volume` is the sum of the weights.
inline bool is_noise(double spread, double volume, double mean) {
  return spread <= 1e-24 * (spread + volume * mean * mean);
}

// f'Lf / f~'Df~, the Laplacian score of every column of x on a graph (He, Cai and Niyogi 2005):
// what Laplacian, SC4, sSelect, ULS and CSFS share. NaN for a column that is constant wherever
// the graph has weight.
Eigen::VectorXd laplacian_ratio(const FeatureMatrix& x, const Graph& graph, const Control& control);

}  // namespace semiselect
