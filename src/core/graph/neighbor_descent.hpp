#pragma once

#include "core/graph/neighbor_search.hpp"

namespace semiselect {

struct DescentOptions {
  int trees = 4;         // random-projection trees that give the start
  int leaf = 48;         // rows in a leaf at most, all compared with each other
  int kept = 15;         // neighbors followed per row, at least; more if k asks for it
  int max_iter = 15;
  double settled = 1e-3; // stop when so small a share of the kept neighbors changes
  int sample = 200;      // rows on which the recall is measured
};

// Nearest neighbors found by descent (Dong, Moses and Li 2011): neighbors of neighbors are tried
// until few of them help, starting from the leaves of random-projection trees.
//
// Distances during the descent are in single precision; those returned are the direct sums of
// nearest_neighbors(). `recall` is the share of the true k nearest among those found, measured on
// a sample of rows against an exact search. The same (seed, data) give the same result for any
// number of threads: a round reads the lists of the round before and each row changes its own.
//
// Memory: the rows once more in single precision (dense) or by rows (sparse), and O(n kept).
// About n (trees leaf + a few hundred) distances, against n^2 / 2 of an exact search.
Neighbors descent_neighbors(const FeatureMatrix& z, int k, Metric metric,
                            const DescentOptions& options, const Control& control);

}  // namespace semiselect
