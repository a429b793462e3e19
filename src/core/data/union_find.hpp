#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include <Eigen/Core>

namespace semiselect {

// Disjoint sets of 0, ..., n - 1 (union-find); the root of a set is its smallest member.
class DisjointSets {
 public:
  explicit DisjointSets(Eigen::Index n) : parent_(static_cast<std::size_t>(n)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int root(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(int i, int j) {
    i = root(i);
    j = root(j);
    parent_[std::max(i, j)] = std::min(i, j);
  }

 private:
  std::vector<int> parent_;
};

}  // namespace semiselect
