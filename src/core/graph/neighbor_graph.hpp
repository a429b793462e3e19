#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/data/constraints.hpp"
#include "core/data/problem.hpp"
#include "core/graph/graph.hpp"
#include "core/graph/neighbor_search.hpp"

namespace semiselect {

enum class EdgeWeight { heat, binary, cosine };
enum class Bandwidth { number, median, local };
enum class Symmetrize { either, mutual };  // "union", "mutual"
enum class Search { automatic, exact, approximate };

// "auto" searches exactly up to so many rows: beyond, the descent is quicker.
constexpr Index exact_search_rows = 30000;

struct GraphOptions {
  int k = 5;
  Metric metric = Metric::euclidean;
  EdgeWeight weights = EdgeWeight::heat;
  Bandwidth bandwidth = Bandwidth::median;
  double bandwidth_value = 0;  // for Bandwidth::number
  Symmetrize symmetrize = Symmetrize::either;
  Search search = Search::automatic;
  Graph given;  // a user's own graph in place of the neighbors; n() == 0: none
  // Exact neighbors by this metric that were found before, at least k for each row; null: search.
  std::shared_ptr<const Neighbors> found;
};

// The neighbor graph: an edge where i is among the k nearest of j or (mutual: and) j among those
// of i, weighted
//
//   heat    exp(-d_ij^2 / bandwidth)          binary  1          cosine  max(0, cos_ij)
//
// "median": the median of the squared edge lengths, zero lengths left out, 1 if none is left;
// "local": exp(-d_ij^2 / (s_i s_j)), s_i the distance to the k-th neighbor (0: the smallest
// positive one from i, else 1). No factor 2: the convention of He et al. and of the thesis.
// A given graph keeps its edges and weights. An approximate search (neighbor_descent.hpp) measures
// its recall and warns below 0.9.
// Throws InputError if every weight is 0, warns if more than half of them are.
Graph neighbor_graph(const FeatureMatrix& z, const GraphOptions& options, const Control& control);

// The same, then edited: an edge for every pair of `add` (with the weight that the options give
// it), none for any pair of `remove`. The bandwidth is that before the edits; with a given graph
// "median" is taken over its edges and "local" from the k nearest rows, all lengths those of z.
struct GraphEdits {
  std::vector<Pair> add;
  std::vector<Pair> remove;
};
Graph neighbor_graph(const FeatureMatrix& z, const GraphOptions& options, const GraphEdits& edits,
                     const Control& control);

}  // namespace semiselect
