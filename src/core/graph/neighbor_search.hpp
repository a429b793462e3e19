#pragma once

#include <vector>

#include "core/data/constraints.hpp"
#include "core/data/matrix.hpp"
#include "core/run/parallel.hpp"

namespace semiselect {

enum class Metric { euclidean, cosine };

// Each row's k nearest other rows.
struct Neighbors {
  int k = 0;                            // at most n - 1
  std::vector<int> index;               // n x k, row by row, nearest first, ties to the lower row
  std::vector<double> squared_distance; // the same shape
  double recall = 1;                    // share of true neighbors, as measured; 1: exact
  // All rows, near ones near each other, where the search has found such an order; else empty.
  std::vector<int> order;
};

// Exact, on the rows of z. The squared Euclidean distance that decides is
//
//   sum_c ((a_c - b_c) / s_c)^2,   s_c the divisor of column c,
//
// summed directly in the order of the columns, because centering or a Gram expansion would break
// the exact ties of counts and pixels. Metric cosine: 2 (1 - cos), cos of the rows of z rounded to
// 12 decimals, 0 if either row is all zero. k >= n is clipped.
//
// Products of blocks of (centered) rows propose candidates at n^2 p flops; whatever lies within
// their rounding bound of the k-th place is decided by the direct sum. Never n x n in memory.
// Sparse data: products of the stored entries, O(sum over columns of their squared count + n^2).
Neighbors nearest_neighbors(const FeatureMatrix& z, int k, Metric metric, const Control& control);

// The same for the listed rows only: their neighbors among all rows, one list after the other, to
// the precision of the products.
Neighbors neighbors_of_rows(const FeatureMatrix& z, const std::vector<int>& rows, int k,
                            Metric metric, const Control& control);

// Squared distances of listed pairs of rows of z, by the same direct sum, and cosines. `order`, if
// given, is an order of all rows in which most pairs are near each other: faster where z exceeds
// the cache.
std::vector<double> squared_distances(const FeatureMatrix& z, const std::vector<Pair>& pairs,
                                      Metric metric, const Control& control,
                                      const std::vector<int>* order = nullptr);
std::vector<double> cosines(const FeatureMatrix& z, const std::vector<Pair>& pairs,
                            const Control& control);

}  // namespace semiselect
