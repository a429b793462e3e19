#pragma once

#include "core/data/matrix.hpp"
#include "core/run/control.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

// Variance score (Qiu and Pan 2016, (1)).
//
//   VS_r = (1/n) sum_i (f_ri - mean_r)^2
//
// High is good. No labels. Two passes over each column, O(n p), or O(stored entries) when sparse.
Selection variance(const FeatureMatrix& x, const Control& control);

}  // namespace semiselect
