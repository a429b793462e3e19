#pragma once

#include "core/data/problem.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

// SC4 (Kalakech, Biela, Macaire and Hamad 2011; Hindawi 2013, (2.23)).
//
//   SC4_r = LS_r * CS1_r
//
// the Laplacian score of the unsupervised graph times constraint score 1. Low is good. NaN where
// either is; InputError as CS1.
Selection sc4(const Problem& data, const GraphOptions& graph, const Control& control);

}  // namespace semiselect
