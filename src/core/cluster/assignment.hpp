#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/data/constraints.hpp"

namespace semiselect {

// The cheapest way to give each of m rows of `cost` (m x K, m <= K) a column of its own: the
// Hungarian method with potentials, O(m^2 K).
std::vector<int> optimal_assignment(const Eigen::MatrixXd& cost);

// Gives groups of must-linked rows (chunklets) clusters such that groups in conflict are apart:
// what takes the place of the greedy, order-dependent rule (4.26) of Hindawi (2013).
//
// Component by component of the conflict graph: a single group goes to its cheapest cluster; a
// clique by the optimal assignment; any other component by depth-first coloring (most clusters
// among placed neighbors first, then most conflicts, then lowest number; cheapest cluster first)
// and then by sweeps that move one group at a time to its cheapest admissible cluster. If the
// labels before cost no more than those found, they stay (and are swept).
class GroupAssigner {
 public:
  // `links` without contradiction. Throws InputError, naming rows in conflict, where K clusters
  // are too few: at once for a clique, when first used for other components.
  GroupAssigner(const LinkGroups& links, Index clusters);

  // cost: groups x K. `labels`: of the groups, those before (all >= 0) or empty at first; on
  // return the new ones.
  void assign(const Eigen::MatrixXd& cost, std::vector<int>* labels) const;

 private:
  struct Component {
    std::vector<int> groups;  // ascending
    bool clique = false;
  };
  bool color(const Component& part, const Eigen::MatrixXd& cost, std::vector<int>* labels,
             bool* exhausted) const;
  void sweep(const Component& part, const Eigen::MatrixXd& cost, std::vector<int>* labels) const;
  [[noreturn]] void refuse(const Component& part, bool proven) const;

  Index clusters_;
  std::vector<int> first_row_;               // of each group
  std::vector<std::vector<int>> conflicts_;  // of each group, ascending
  std::vector<Component> parts_;
};

// "a, b" of the first pairs, for messages; rows are counted from 1, as the user does.
std::string name_pairs(const std::vector<Pair>& pairs, std::size_t at_most = 6);

}  // namespace semiselect
