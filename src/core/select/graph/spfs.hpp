#pragma once

#include "core/data/problem.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/select/graph/spec.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

enum class SpfsSearch { forward, nesterov, lar };

struct SpfsOptions {
  SpfsSearch search = SpfsSearch::forward;
  Similarity similarity = Similarity::classes;  // or rbf
  double rho = 0.1;                         // "nesterov": penalty relative to the largest useful
  Bandwidth bandwidth = Bandwidth::median;  // of the RBF similarity
  double bandwidth_value = 0;
  Index n_features = 50;  // picked by "forward" and "lar"
  double gap = 1e-10;     // "nesterov": relative duality gap
  int max_iter = 20000;   // "nesterov": sweeps over the active features
};

// Similarity preserving feature selection (Zhao, Wang, Liu and Ye 2012).
//
// Features z_f, centered and of unit norm, whose inner products are to keep the similarity
// K = Y Y' of the rows: 1 / n_c within class c over the labelled rows ("class"), or
// exp(-d^2 / bandwidth) over all rows, d between the scaled rows ("rbf").
//
//   forward   pick argmax q_f = z_f'R z_f, R = K - sum_picked ss': the feature whose addition
//             leaves the least |R - ff'|^2. Negative q: the error grows, so it is ranked, not
//             selected. statistic = q when picked.
//   nesterov  min 1/2 |Y - Z W|^2 + lambda sum_f |w_f|, lambda = rho max_f |z_f'Y|, solved by block
//             coordinate descent on active features to a relative duality gap; statistic = |w_f|.
//   lar       least angle regression of the columns of Y together: c_f = |z_f'(Y - F)|, F moves
//             towards the fit of the active features until another one has the same c.
//             statistic = c at entry over the first.
//
// forward and lar pick n_features, ties (1e-12) to the lower column; the others follow by the
// criterion as it then stands, which is their statistic. Columns that are constant over the rows in
// use have no z: NaN, last. O(n p) for each feature picked; "rbf" O(n^2 p) once, n x n in memory.
struct SpfsFit {
  Selection selection;
  double bandwidth = no_value;  // of the RBF similarity, in force
  double lambda = no_value;     // "nesterov"
  double gap = no_value;        // "nesterov": duality gap reached, relative to the objective
};
SpfsFit spfs(const Problem& problem, const SpfsOptions& options, const Control& control);

}  // namespace semiselect
