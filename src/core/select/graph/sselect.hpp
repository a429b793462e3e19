#pragma once

#include "core/data/problem.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

struct SselectOptions {
  double eta = 0.1;  // weight of the graph against the labels; the thesis gives no value
  GraphOptions graph;
};

// sSelect (Zhao and Liu 2007; Hindawi 2013, Algorithm 2).
//
//   eta LS_r + (1 - eta) (1 - NMI(sign(g), y)),   g = f_r - mu_D                (2.8), (2.9)
//
// with LS the Laplacian score on the unsupervised graph, mu_D the degree-weighted mean and
// NMI = I / sqrt(H H) over the labelled rows. Low is good (Algorithm 2 sorts the other way round,
// which cannot be meant of a cost). sign(0) = +1, where |g| <= 1e-12 max|f| counts as 0; NMI is 0
// when either entropy is, so without labels, or with one class, the order is that of LS.
//
// The graph sees the scaled rows, the score the columns as given. O(p (|E| + n)).
// NaN for a feature that is constant wherever the graph has weight.
Selection sselect(const Problem& problem, const SselectOptions& options, const Control& control);

// Normalized mutual information I / sqrt(H H) of two partitions, from their table of counts.
double normalized_information(const Eigen::MatrixXd& counts);

}  // namespace semiselect
