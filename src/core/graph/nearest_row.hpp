#pragma once

#include <vector>

#include "core/run/parallel.hpp"

namespace semiselect {

// For each row of `test` and each s of `sizes` the row of `train` that is nearest in the first s
// columns (Euclidean; ties to the lower row), size after size.
//
// Sizes ascend and are at most p. Distances grow column by column, so all sizes together cost as
// much as the largest, O(rows of test x rows of train x p).
std::vector<Index> nearest_rows(const Eigen::Ref<const Eigen::MatrixXd>& train,
                                const Eigen::Ref<const Eigen::MatrixXd>& test,
                                const std::vector<Index>& sizes, const Control& control);

}  // namespace semiselect
