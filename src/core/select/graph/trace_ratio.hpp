#pragma once

#include "core/data/problem.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

enum class TraceRatioCriterion { fisher, laplacian };

struct TraceRatioOptions {
  TraceRatioCriterion criterion = TraceRatioCriterion::fisher;
  Index n_features = 10;
  GraphOptions graph;  // laplacian only
};

// Trace ratio (Nie, Xiang, Jia, Zhang and Yan 2008): the m features that maximize
//
//   lambda = sum_j a_j / sum_j b_j
//
//   fisher     a = sum_c n_c (mean_c - mean)^2, b = sum_c SS_c, over the labelled rows
//   laplacian  a = sum_i d_i (f_i - mu_D)^2,    b = f' L f, labels not used
//
// on the scaled columns. lambda is iterated: take the m largest a - lambda b, set lambda to their
// ratio, until it stands still; the trace (`objective`) never falls and its limit is the global
// optimum. `statistic` is a - lambda b; high is good. A column with a = b = 0 is left out, NaN.
// If the chosen b are all 0, lambda is Inf and `statistic` a / b, ties by a. One pass over the
// data, then O(p) a step.
Selection trace_ratio(const Problem& data, const TraceRatioOptions& options,
                      const Control& control);

// The search alone, on given a and b.
Selection trace_ratio_search(const Eigen::VectorXd& a, const Eigen::VectorXd& b, Index m);

}  // namespace semiselect
