#pragma once

#include <vector>

#include "core/data/constraints.hpp"
#include "core/data/matrix.hpp"
#include "core/run/parallel.hpp"

namespace semiselect {

// Weighted count, mean and sum of squared deviations of one feature within each group of rows.
// Group -1 (LinkGroups::none, unlabelled) is left out.
struct GroupMoments {
  Eigen::VectorXd weight;   // sum of the row weights of the group
  Eigen::VectorXd mean;     // 0 for a group without weight
  Eigen::VectorXd squares;  // sum of w (f - mean)^2, two passes
};

// For column j of x. `weights` empty: every row weighs 1. O(stored entries + groups).
GroupMoments group_moments(const FeatureMatrix& x, Index j, const std::vector<int>& group,
                           int groups, const Eigen::VectorXd& weights);

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
