#include "core/data/constraints.hpp"

#include <algorithm>

#include "core/data/union_find.hpp"

namespace semiselect {

std::vector<Index> LinkGroups::sizes() const {
  std::vector<Index> out(static_cast<std::size_t>(groups), 0);
  for (const int g : group) {
    if (g != none) ++out[g];
  }
  return out;
}

std::vector<std::vector<Index>> LinkGroups::members() const {
  std::vector<std::vector<Index>> out(static_cast<std::size_t>(groups));
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (group[i] != none) out[group[i]].push_back(static_cast<Index>(i));
  }
  return out;
}

double LinkGroups::must_link_count() const {
  double count = 0;
  for (const Index size : sizes()) {
    count += 0.5 * static_cast<double>(size) * static_cast<double>(size - 1);
  }
  return count;
}

double LinkGroups::cannot_link_count() const {
  const std::vector<Index> size = sizes();
  double count = 0;
  for (const Pair& c : conflicts) {
    count += static_cast<double>(size[c.first]) * static_cast<double>(size[c.second]);
  }
  return count;
}

Constraints LinkGroups::pairs() const {
  const std::vector<std::vector<Index>> rows = members();
  Constraints out;
  for (const std::vector<Index>& g : rows) {
    for (std::size_t a = 0; a < g.size(); ++a) {
      for (std::size_t b = a + 1; b < g.size(); ++b) {
        out.must_link.emplace_back(static_cast<int>(g[a]), static_cast<int>(g[b]));
      }
    }
  }
  for (const Pair& c : conflicts) {
    for (const Index i : rows[c.first]) {
      for (const Index j : rows[c.second]) {
        out.cannot_link.emplace_back(static_cast<int>(std::min(i, j)),
                                     static_cast<int>(std::max(i, j)));
      }
    }
  }
  std::sort(out.must_link.begin(), out.must_link.end());
  std::sort(out.cannot_link.begin(), out.cannot_link.end());
  return out;
}

LinkGroups close_constraints(Index n, const Labels& y, const Constraints& given) {
  DisjointSets sets(n);
  std::vector<int> first_of_class(static_cast<std::size_t>(y.classes), -1);
  for (std::size_t i = 0; i < y.code.size(); ++i) {
    if (y.code[i] == unlabelled) continue;
    int& first = first_of_class[y.code[i]];
    if (first < 0) first = static_cast<int>(i);
    sets.join(first, static_cast<int>(i));
  }
  for (const Pair& ml : given.must_link) sets.join(ml.first, ml.second);

  std::vector<bool> constrained(static_cast<std::size_t>(n), false);
  for (std::size_t i = 0; i < y.code.size(); ++i) constrained[i] = y.code[i] != unlabelled;
  for (const auto* list : {&given.must_link, &given.cannot_link}) {
    for (const Pair& pair : *list) constrained[pair.first] = constrained[pair.second] = true;
  }

  LinkGroups out;
  out.group.assign(static_cast<std::size_t>(n), LinkGroups::none);
  for (int i = 0; i < n; ++i) {
    if (!constrained[i]) continue;
    const int root = sets.root(i);
    out.group[i] = root == i ? out.groups++ : out.group[root];
  }

  // A conflict between two groups, or the contradiction of one with itself.
  const auto conflict = [&](int i, int j) {
    const int a = out.group[i], b = out.group[j];
    if (a == b) {
      if (!out.contradiction) out.contradiction = Pair(std::min(i, j), std::max(i, j));
      return;
    }
    out.conflicts.emplace_back(std::min(a, b), std::max(a, b));
  };
  for (const Pair& cl : given.cannot_link) conflict(cl.first, cl.second);
  for (int a = 0; a < y.classes; ++a) {
    for (int b = a + 1; b < y.classes; ++b) conflict(first_of_class[a], first_of_class[b]);
  }
  std::sort(out.conflicts.begin(), out.conflicts.end());
  out.conflicts.erase(std::unique(out.conflicts.begin(), out.conflicts.end()), out.conflicts.end());
  return out;
}

}  // namespace semiselect
