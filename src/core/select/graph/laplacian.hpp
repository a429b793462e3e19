#pragma once

#include "core/data/problem.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

struct LaplacianOptions {
  GraphOptions graph;
  bool link_labels = true;  // an edge between any two rows of one class
};

// Laplacian score (He, Cai and Niyogi 2005; Hindawi 2013, Algorithm 1).
//
//   LS_r = g' L g / g' D g,   g = f_r - (f_r' D 1 / 1' D 1) 1        (2.6)
//
// Low is good: neighbors agree on the feature, yet it varies over the data. The graph comes from
// the scaled rows, the ratio from the columns as given; neither unit nor origin of a column
// matters. Given the graph O(p |E|). NaN for a feature that is constant wherever the graph has
// weight.
Selection laplacian(const Problem& data, const LaplacianOptions& options, const Control& control);

// All pairs of one group, for graphs that link them. InputError beyond 5e7 pairs.
std::vector<Pair> must_link_pairs(const LinkGroups& links);

}  // namespace semiselect
