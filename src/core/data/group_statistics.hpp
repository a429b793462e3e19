#pragma once

#include <vector>

#include "core/data/constraints.hpp"
#include "core/data/matrix.hpp"
#include "core/run/parallel.hpp"

namespace semiselect {

// Rows sorted by group, ready for one pass over a column after the other. Rows of group -1
// (LinkGroups::none, unlabelled) are left out.
struct RowGroups {
  RowGroups(const std::vector<int>& group, int groups);
  RowGroups(const Labels& y) : RowGroups(y.code, y.classes) {}

  int groups;
  std::vector<int> group;    // of each row of x
  std::vector<Index> rows;   // group by group, ascending within one
  std::vector<Index> start;  // rows of group g: start[g] .. start[g + 1] - 1
  Eigen::VectorXd size;      // rows per group
};

// Count, mean and sum of squared deviations of one feature within each group, rows weighing the
// same or as given.
struct GroupMoments {
  Eigen::VectorXd weight;   // sum of the row weights of the group
  Eigen::VectorXd mean;     // 0 for a group without weight
  Eigen::VectorXd squares;  // sum of w (f - mean)^2
  double largest = 0;       // max |f| over the rows of all groups, as stored (before shift and divisor)
};

// Of column j of x. `weights` per row of x; empty: every row weighs 1. Two passes around a value
// of the column, so that a column constant over the groups has squares of exactly 0, whatever its
// offset. O(rows in groups) when dense, O(stored entries + groups) when sparse. `out` is reused.
void group_moments(const FeatureMatrix& x, Index j, const RowGroups& groups,
                   const Eigen::VectorXd& weights, GroupMoments& out);

// Sums of (f_i - f_j)^2 over the pairs of closed constraints, for every feature, without listing
// a pair:
//
//   must-link:   sum_a n_a SS_a
//   cannot-link: sum over conflicts (a, b) of n_a SS_b + n_b SS_a + n_a n_b (mean_a - mean_b)^2
//
// All terms are non-negative, so nothing cancels. O((rows + conflicts) p).
struct LinkSums {
  Eigen::VectorXd must_link;
  Eigen::VectorXd cannot_link;
};
LinkSums link_sums(const FeatureMatrix& x, const LinkGroups& links, const Control& control);

}  // namespace semiselect
