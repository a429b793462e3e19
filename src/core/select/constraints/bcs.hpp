#pragma once

#include "core/data/problem.hpp"
#include "core/select/constraints/constraint.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

// Bagging constraint score (Sun and Zhang 2010; Hindawi 2013, Algorithm 5): constraint scores of
// resampled pairs. statistic = mean over the bags of the feature's rank (1 best). The paper has
// no single ranking; its step 4 takes the highest score, but the lowest is best.
//
// must_link, cannot_link: how often each closed pair (in the order of LinkGroups::pairs()) is in
// each bag, pairs x bags. In a bag features without a score come last in column order, after those
// of infinite score; constant features always do.
struct Bcs {
  Selection selection;
  Eigen::VectorXd share;          // of the bags in which a feature is among the `best` best
  std::vector<int> vote;          // class of each row by majority of the bags; empty: not asked for
};
struct BcsOptions {
  ConstraintOptions constraint;
  Index best = 1;     // for `share` and `vote`
  bool vote = false;  // nearest labelled row on a bag's best features, majority over the bags
};
Bcs bcs(const Problem& data, const Eigen::MatrixXd& must_link, const Eigen::MatrixXd& cannot_link,
        const BcsOptions& options, const Control& control);

}  // namespace semiselect
