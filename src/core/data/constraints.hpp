#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/data/labels.hpp"

namespace semiselect {

using Pair = std::pair<int, int>;  // rows i < j

// Pairs as the user gave them: oriented i < j, no duplicates, sorted.
struct Constraints {
  std::vector<Pair> must_link;
  std::vector<Pair> cannot_link;
  bool empty() const { return must_link.empty() && cannot_link.empty(); }
};

// Constraints closed under transitivity, in the only form whose size stays linear: rows that
// are must-linked form a group, and a cannot-link holds between all rows of two groups.
//
//   must-link pairs   = all pairs within a group
//   cannot-link pairs = all pairs across the two groups of a conflict
//
// Labels alone give one group per class and a conflict between any two.
struct LinkGroups {
  static constexpr int none = -1;

  std::vector<int> group;        // of each row; `none`: the row carries no constraint
  std::vector<Pair> conflicts;   // groups a < b, sorted, no duplicates
  int groups = 0;                // numbered by their smallest row
  std::optional<Pair> contradiction;  // a cannot-link inside a group: its two rows

  std::vector<Index> sizes() const;
  // Rows of each group, ascending.
  std::vector<std::vector<Index>> members() const;
  double must_link_count() const;    // number of pairs; double, as it may pass 2^31
  double cannot_link_count() const;
  // All pairs, listed and sorted. For methods that need the list; O(pairs) memory.
  Constraints pairs() const;
};

// The union of the pairs of `y` and of `given`, closed. n rows.
LinkGroups close_constraints(Index n, const Labels& y, const Constraints& given);

}  // namespace semiselect
