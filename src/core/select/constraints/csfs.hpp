#pragma once

#include "core/data/coherence.hpp"
#include "core/data/problem.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

enum class Neighborhood { cluster, knn };
enum class Conflict { corrected, printed };

struct CsfsOptions {
  GraphOptions graph;
  Neighborhood neighborhood = Neighborhood::cluster;
  Conflict conflict = Conflict::corrected;
  bool select = true;  // by coherence; false: all constraints
  CoherenceRule rule = CoherenceRule::directional;
};

// Constraint selection-based feature selection (CSFS; Hindawi 2013, (3.18) to (3.28)).
//
//   phi_r = f' (D_SN - SN) f / den,   SN = S + N
//   den   = sum_CL (d_i + d_j)(f_i - f_j)^2 + sum_i (c - c_i) d_i (f_i - mu)^2   (as CLS)
//
// S: heat weights w over neighbors, d its degrees (of S alone); N for the selected pairs:
//
//                          corrected   printed (3.20)
//   neighbors, must-link      w^2         -w
//   neighbors, cannot-link    -w          w^2
//   must-link, no neighbors   w^2         w^2
//
// As printed must-linked neighbors cancel and cannot-linked ones attract, the opposite of the aim.
// Neighbors: rows of one Ward cluster, or the k nearest. Low is good. Without constraints the
// Laplacian score on that graph. NaN for a feature that is constant wherever the graph has weight.
// InputError for clusters of more than 5000 rows altogether.
struct Csfs {
  Selection selection;
  Constraints selected;      // the pairs that were used
  double overall;            // coherence of the whole set, NaN if there is none
  int clusters = 0;          // 0: not clustered
};
Csfs csfs(const Problem& data, const CsfsOptions& options, const Control& control);

}  // namespace semiselect
