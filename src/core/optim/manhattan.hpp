#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "core/run/parallel.hpp"

namespace semiselect {

// Columns first, ..., first + count - 1 of the m rows, column by column, m entries each.
using ColumnSource = std::function<void(Index first, Index count, double* out)>;

// Manhattan distances of all pairs of m rows: m x m, both triangles, m^2 p / 2 terms.
//
// Every distance is summed column after column in the order given, so the result has the same bits
// for any number of threads and on any machine; a kernel for AVX2 is chosen at run time.
Eigen::MatrixXd manhattan_distances(Index m, Index p, const ColumnSource& fill,
                                    const Control& control);

// The same in single precision, twice as fast, for entries in [0, 1]: each distance is within
// `error` of the true one.
struct RoughDistances {
  Eigen::MatrixXd distance;
  double error;
};
RoughDistances rough_manhattan_distances(Index m, Index p, const ColumnSource& fill,
                                         const Control& control);

// Distances of listed pairs of rows in double precision, in an order of summation that depends on
// nothing but p.
std::vector<double> manhattan_distances(Index m, Index p, const ColumnSource& fill,
                                        const std::vector<std::pair<int, int>>& pairs,
                                        const Control& control);

}  // namespace semiselect
