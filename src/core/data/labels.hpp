#pragma once

#include <algorithm>
#include <vector>

#include <Eigen/Core>

namespace semiselect {

using Index = Eigen::Index;

constexpr int unlabelled = -1;

// Labels of the rows: codes 0, 1, ..., classes - 1, or `unlabelled`. Every class has at least
// one row.
struct Labels {
  std::vector<int> code;  // empty: no labels at all
  int classes = 0;

  bool is_labelled(Index i) const {
    return !code.empty() && code[static_cast<std::size_t>(i)] != unlabelled;
  }
  // Rows that carry a label, ascending.
  std::vector<Index> labelled_rows() const {
    std::vector<Index> rows;
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code[i] != unlabelled) rows.push_back(static_cast<Index>(i));
    }
    return rows;
  }
  // Rows without one, ascending. n: number of rows, for the case of no labels at all.
  std::vector<Index> unlabelled_rows(Index n) const {
    std::vector<Index> rows;
    for (Index i = 0; i < n; ++i) {
      if (!is_labelled(i)) rows.push_back(i);
    }
    return rows;
  }
  Index count() const {
    return static_cast<Index>(code.size()) - std::count(code.begin(), code.end(), unlabelled);
  }
  // Number of labelled rows of each class.
  std::vector<Index> class_sizes() const {
    std::vector<Index> sizes(static_cast<std::size_t>(classes), 0);
    for (const int c : code) {
      if (c != unlabelled) ++sizes[static_cast<std::size_t>(c)];
    }
    return sizes;
  }
};

}  // namespace semiselect
