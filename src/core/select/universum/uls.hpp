#pragma once

#include "core/graph/neighbor_graph.hpp"
#include "core/select/universum/uvs.hpp"

namespace semiselect {

// ULS (Qiu and Pan 2016, (7)): the contrast of uvs.hpp with base -2 LS.
//
// LS is the Laplacian score on the graph of the target rows, with the degree-weighted mean, which
// (2) there replaces by the plain one; (7) sums ordered pairs, hence the 2. Computed on the scaled
// data. NaN for a feature that is constant wherever the graph has weight.
Selection uls(const Problem& problem, const FeatureMatrix& universum,
              const UniversumOptions& options, const GraphOptions& graph, const Control& control);

}  // namespace semiselect
