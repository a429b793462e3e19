#pragma once

#include "core/data/problem.hpp"
#include "core/run/parallel.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

enum class MrmrCriterion { difference, quotient };  // "MID", "MIQ"

struct MrmrOptions {
  MrmrCriterion criterion = MrmrCriterion::difference;
  double width = 1;       // levels change at mean -/+ width sd
  Index n_features = 50;  // how many are picked
};

// mRMR (Peng, Long and Ding 2005), over the labelled rows.
//
// Columns in three levels: below mean - width sd, above mean + width sd (sd with divisor l, strict
// inequalities), or between. Plug-in mutual information in nats. First the largest I(f; y), then
//
//   MID  max I(f; y) - mean_{s picked} I(f; s)         MIQ  max I(f; y) / (mean + 0.01)
//
// with ties (1e-12) to the lower column. `statistic` is the criterion when picked, for the first
// its relevance I(f; y); features not picked follow by relevance, which is their statistic.
// Columns constant over all rows are never picked. A value within 1e-12 of a limit, relative to
// the column, lies on it, so that rounding decides nothing.
//
// Running sums of redundancy: O(n_features p l), 64 rows at a time; sparse columns by their
// stored entries alone.
Selection mrmr(const Problem& problem, const MrmrOptions& options, const Control& control);

}  // namespace semiselect
