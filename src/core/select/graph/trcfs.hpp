#pragma once

#include "core/data/problem.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

struct TrcfsOptions {
  GraphOptions graph;
  double alpha = 0.99;  // probability that a walk goes on, in [0, 1)
};

struct TrcfsFit {
  Selection selection;
  Eigen::MatrixXd soft_labels;  // n x classes
};

// Trace ratio criterion for semi-supervised selection (Liu, Nie, Wu and Chen 2013): the Fisher
// score of soft labels F that a random walk on the neighbor graph spreads from the labelled rows.
//
//   S_b = sum_a n_a (mu_a - mu)^2,  S_w = sum_ia F_ia (f_i - mu_a)^2,  TRCFS = S_b / S_w
//
// n_a = sum_i F_ia, mu_a the F-weighted mean of class a, mu that of all. High is good. The graph
// comes from the scaled rows, the ratio from the columns as given. Alpha 0 or no unlabelled row:
// the Fisher score. x / 0 is Inf, 0 / 0 NaN. O(n c p) after the propagation.
TrcfsFit trcfs(const Problem& data, const TrcfsOptions& options, const Control& control);

}  // namespace semiselect
