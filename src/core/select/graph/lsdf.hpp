#pragma once

#include "core/data/problem.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

struct LsdfOptions {
  GraphOptions graph;
  double gamma = 100;  // weight of a pair of one class in the within graph
};

// Locality sensitive discriminant features (Zhao, Lu and He 2008).
//
//   LSDF_r = f' L_b f / f' L_w f
//
// between: 1 for two labelled rows of different classes; within: gamma for two labelled rows of
// one class, the weight of the neighbor graph where at least one of the rows is unlabelled, 0
// otherwise (an edge between two labelled rows is dropped). High is good. The graph comes from the
// scaled rows, the ratio from the columns as given. Label parts by class sums: O((l + |E|) p).
// x / 0 is Inf, 0 / 0 NaN.
Selection lsdf(const Problem& data, const LsdfOptions& options, const Control& control);

}  // namespace semiselect
