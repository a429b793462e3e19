#pragma once

#include <functional>
#include <vector>

#include <Eigen/Core>

#include "core/run/parallel.hpp"

namespace semiselect {

// Manhattan distances of all pairs of m rows: m x m, both triangles, m^2 p / 2 terms.
//
// `fill(first, count, out)` writes columns first, ..., first + count - 1 of the rows, column by
// column, m entries each. Every distance is summed column after column in the order given, so the
// result has the same bits for any number of threads and on any machine; a kernel for AVX2 is chosen
// at run time.
Eigen::MatrixXd manhattan_distances(
    Index m, Index p, const std::function<void(Index first, Index count, double* out)>& fill,
    const Control& control);

}  // namespace semiselect
