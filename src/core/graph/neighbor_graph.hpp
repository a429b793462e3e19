#pragma once

#include <string>
#include <vector>

#include "core/data/constraints.hpp"
#include "core/data/problem.hpp"
#include "core/graph/graph.hpp"

namespace semiselect {

enum class Metric { euclidean, cosine };
enum class EdgeWeight { heat, binary, cosine };
enum class Bandwidth { number, median, local };
enum class Symmetrize { either, mutual };  // "union", "mutual"
enum class Search { automatic, exact, approximate };

struct GraphOptions {
  int k = 5;
  Metric metric = Metric::euclidean;
  EdgeWeight weights = EdgeWeight::heat;
  Bandwidth bandwidth = Bandwidth::median;
  double bandwidth_value = 0;  // for Bandwidth::number
  Symmetrize symmetrize = Symmetrize::either;
  Search search = Search::automatic;
  Graph given;  // a user's own graph in place of the neighbors; n() == 0: none
};

// Each row's k nearest other rows.
struct Neighbors {
  int k = 0;                            // at most n - 1
  std::vector<int> index;               // n x k, row by row, nearest first, ties to the lower row
  std::vector<double> squared_distance; // the same shape
};

// Exact, on the rows of z. Squared Euclidean distance sum_c (z_ic - z_jc)^2 summed directly in
// one fixed order of the columns decides; metric cosine: 2 (1 - cos), cos rounded to 12 decimals,
// 0 if either row is all zero. k >= n is clipped. Never n x n in memory.
Neighbors nearest_neighbors(const FeatureMatrix& z, int k, Metric metric, const Control& control);

// Squared distances of listed pairs of rows of z, by the same direct sum, and cosines.
std::vector<double> squared_distances(const FeatureMatrix& z, const std::vector<Pair>& pairs,
                                      Metric metric, const Control& control);

// The neighbor graph: an edge where i is among the k nearest of j or (mutual: and) j among those
// of i, weighted
//
//   heat    exp(-d_ij^2 / bandwidth)          binary  1          cosine  max(0, cos_ij)
//
// "median": the median of the squared edge lengths, zero lengths left out, 1 if none is left;
// "local": exp(-d_ij^2 / (s_i s_j)), s_i the distance to the k-th neighbor (0: the smallest
// positive one from i, else 1). No factor 2: the convention of He et al. and of the thesis.
// Throws InputError if every weight is 0, warns if more than half of them are.
Graph neighbor_graph(const FeatureMatrix& z, const GraphOptions& options, const Control& control);

// The same, then edited: an edge for every pair of `add` (with the weight that the options give
// it), none for any pair of `remove`. The bandwidth is that before the edits.
struct GraphEdits {
  std::vector<Pair> add;
  std::vector<Pair> remove;
};
Graph neighbor_graph(const FeatureMatrix& z, const GraphOptions& options, const GraphEdits& edits,
                     const Control& control);

}  // namespace semiselect
