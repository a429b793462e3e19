#pragma once

#include "core/data/problem.hpp"
#include "core/run/parallel.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

// ReliefF (Robnik-Sikonja and Kononenko 2003), every labelled row a probe.
//
//   w = 1/l sum_i [ - mean over hits |dx| + sum_{c != y_i} P(c) / (1 - P(y_i)) mean over misses_c
//   |dx| ]
//
// Columns range-scaled over the l labelled rows (constant there: 0), hits the k rows of the same
// class nearest to row i in Manhattan distance, misses_c those of class c; fewer where a class is
// smaller, means over those found, no hit term for a class of one row. P from the labelled rows.
// In [-1, 1], high is good.
//
// Ties go to the lower row: distances that agree to 2^-40 of the number of columns count as equal,
// since sums of the same terms in another order must not choose other neighbors.
// O(l^2 p), l x l in memory; sparse z: sum over columns of the squared number of stored entries.
Selection relieff(const Problem& problem, int k, const Control& control);

}  // namespace semiselect
