#pragma once

#include "core/data/labels.hpp"
#include "core/data/matrix.hpp"
#include "core/run/control.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

enum class FisherVariant { multiclass, pairwise };

// Fisher score over the labelled rows (Qiu and Pan 2016, (5)).
//
//   multiclass  FS_r = sum_c n_c (mean_c - mean)^2 / sum_c n_c var_c
//   pairwise    FS_r = (mean_1 - mean_0)^2 / (var_0 + var_1), two classes only
//
// var_c with divisor n_c. High is good. Needs two classes; a class of one row adds nothing to the
// denominator. 0 in the denominator alone: Inf, the feature separates perfectly; 0 / 0 (constant
// over the labelled rows): NaN. Both count as 0 at or below 1e-24 l max f^2. O(l p).
Selection fisher(const FeatureMatrix& x, const Labels& y, FisherVariant variant,
                 const Control& control);

}  // namespace semiselect
