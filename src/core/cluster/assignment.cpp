#include "core/cluster/assignment.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "core/run/errors.hpp"

namespace semiselect {

namespace {

constexpr int max_placements = 100000;

}  // namespace

std::vector<int> optimal_assignment(const Eigen::MatrixXd& cost) {
  const int m = static_cast<int>(cost.rows()), K = static_cast<int>(cost.cols());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // Row 0 and column 0 are sentinels. Each row in turn finds a shortest augmenting path.
  std::vector<double> u(static_cast<std::size_t>(m + 1), 0.0);
  std::vector<double> v(static_cast<std::size_t>(K + 1), 0.0);
  std::vector<int> row_of(static_cast<std::size_t>(K + 1), 0), via(row_of);
  for (int i = 1; i <= m; ++i) {
    row_of[0] = i;
    int at = 0;
    std::vector<double> slack(static_cast<std::size_t>(K + 1), infinity);
    std::vector<char> done(static_cast<std::size_t>(K + 1), 0);
    do {
      done[at] = 1;
      const int row = row_of[at];
      double least = infinity;
      int next = 0;
      for (int q = 1; q <= K; ++q) {
        if (done[q]) continue;
        const double reduced = cost(row - 1, q - 1) - u[row] - v[q];
        if (reduced < slack[q]) {
          slack[q] = reduced;
          via[q] = at;
        }
        if (slack[q] < least) {
          least = slack[q];
          next = q;
        }
      }
      for (int q = 0; q <= K; ++q) {
        if (done[q]) {
          u[row_of[q]] += least;
          v[q] -= least;
        } else {
          slack[q] -= least;
        }
      }
      at = next;
    } while (row_of[at] != 0);
    do {
      const int before = via[at];
      row_of[at] = row_of[before];
      at = before;
    } while (at != 0);
  }
  std::vector<int> out(static_cast<std::size_t>(m), 0);
  for (int q = 1; q <= K; ++q) {
    if (row_of[q] > 0) out[row_of[q] - 1] = q - 1;
  }
  return out;
}

std::string name_pairs(const std::vector<Pair>& pairs, std::size_t at_most) {
  std::string out;
  for (std::size_t s = 0; s < std::min(pairs.size(), at_most); ++s) {
    out += (s ? ", (" : "(") + std::to_string(pairs[s].first + 1) + ", " +
           std::to_string(pairs[s].second + 1) + ")";
  }
  if (pairs.size() > at_most) out += " and " + std::to_string(pairs.size() - at_most) + " more";
  return out;
}

GroupAssigner::GroupAssigner(const LinkGroups& links, Index clusters)
    : clusters_(clusters), conflicts_(static_cast<std::size_t>(links.groups)) {
  first_row_.assign(static_cast<std::size_t>(links.groups), -1);
  for (std::size_t i = 0; i < links.group.size(); ++i) {
    const int g = links.group[i];
    if (g != LinkGroups::none && first_row_[g] < 0) first_row_[g] = static_cast<int>(i);
  }
  for (const Pair& pair : links.conflicts) {
    conflicts_[pair.first].push_back(pair.second);
    conflicts_[pair.second].push_back(pair.first);
  }
  for (std::vector<int>& of : conflicts_) std::sort(of.begin(), of.end());

  std::vector<char> seen(static_cast<std::size_t>(links.groups), 0);
  for (int g = 0; g < links.groups; ++g) {
    if (seen[g]) continue;
    Component part;
    part.groups.push_back(g);
    seen[g] = 1;
    for (std::size_t s = 0; s < part.groups.size(); ++s) {
      for (const int other : conflicts_[part.groups[s]]) {
        if (seen[other]) continue;
        seen[other] = 1;
        part.groups.push_back(other);
      }
    }
    std::sort(part.groups.begin(), part.groups.end());
    part.clique = std::all_of(part.groups.begin(), part.groups.end(), [&](int member) {
      return conflicts_[member].size() + 1 == part.groups.size();
    });
    if (part.clique && static_cast<Index>(part.groups.size()) > clusters) refuse(part, true);
    parts_.push_back(std::move(part));
  }
}

void GroupAssigner::refuse(const Component& part, bool proven) const {
  // Of a component that is proven infeasible, a core: drop every group without which the rest is
  // still infeasible. What stays names the conflict.
  std::vector<int> core = part.groups;
  const auto conflict = [&](int a, int b) {
    return std::binary_search(conflicts_[a].begin(), conflicts_[a].end(), b);
  };
  if (part.clique) {
    core.resize(static_cast<std::size_t>(clusters_ + 1));  // any K + 1 of them are too many
  } else if (proven && core.size() <= 200) {
    const Eigen::MatrixXd free = Eigen::MatrixXd::Zero(
        static_cast<Index>(conflicts_.size()), clusters_);
    for (std::size_t s = core.size(); s-- > 0;) {
      Component smaller;
      smaller.groups = core;
      smaller.groups.erase(smaller.groups.begin() + static_cast<std::ptrdiff_t>(s));
      std::vector<int> labels(conflicts_.size(), -1);
      bool exhausted = false;
      if (!color(smaller, free, &labels, &exhausted) && !exhausted) core = smaller.groups;
    }
  }
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < core.size(); ++a) {
    for (std::size_t b = a + 1; b < core.size(); ++b) {
      if (conflict(core[a], core[b])) {
        pairs.emplace_back(first_row_[core[a]], first_row_[core[b]]);
      }
    }
  }
  throw InputError("The constraints are infeasible with " + std::to_string(clusters_) +
                   " clusters: the cannot-links between rows " + name_pairs(pairs, 10) +
                   (proven ? " cannot all hold." : " could not all be met within " +
                                                       std::to_string(max_placements) + " trials.") +
                   " Raise `n_clusters`, drop pairs, or use rank_wckm(), whose constraints are "
                   "soft.");
}

bool GroupAssigner::color(const Component& part, const Eigen::MatrixXd& cost,
                          std::vector<int>* labels, bool* exhausted) const {
  const std::size_t m = part.groups.size();
  const std::size_t K = static_cast<std::size_t>(clusters_);
  for (const int g : part.groups) (*labels)[g] = -1;
  std::vector<char> member(conflicts_.size(), 0);
  for (const int g : part.groups) member[g] = 1;
  // How many placed neighbors of a group hold each cluster, and how many clusters they hold.
  std::vector<int> held(conflicts_.size() * K, 0), distinct(conflicts_.size(), 0);
  std::vector<int> degree(conflicts_.size(), 0);
  for (const int g : part.groups) {
    for (const int other : conflicts_[g]) degree[g] += member[other];
  }
  const auto place = [&](int g, int q, int sign) {
    (*labels)[g] = sign > 0 ? q : -1;
    for (const int other : conflicts_[g]) {
      if (!member[other]) continue;
      int& count = held[other * K + q];
      distinct[other] += sign > 0 ? count == 0 : -(count == 1);
      count += sign;
    }
  };

  struct Step {
    int group;
    std::vector<int> order;  // clusters, cheapest first
    std::size_t next;        // to try
  };
  std::vector<Step> steps;
  const auto descend = [&] {
    int best = -1;
    for (const int g : part.groups) {
      if ((*labels)[g] >= 0) continue;
      if (best < 0 || distinct[g] > distinct[best] ||
          (distinct[g] == distinct[best] && degree[g] > degree[best])) {
        best = g;
      }
    }
    Step step{best, std::vector<int>(K), 0};
    std::iota(step.order.begin(), step.order.end(), 0);
    std::stable_sort(step.order.begin(), step.order.end(),
                     [&](int a, int b) { return cost(best, a) < cost(best, b); });
    steps.push_back(std::move(step));
  };

  int placements = 0;
  descend();
  while (true) {
    Step& step = steps.back();
    const int g = step.group;
    if ((*labels)[g] >= 0) place(g, (*labels)[g], -1);  // back from below: undo
    while (step.next < K && held[g * K + step.order[step.next]] > 0) ++step.next;
    if (step.next == K) {
      steps.pop_back();
      if (steps.empty()) return false;
      continue;
    }
    if (++placements > max_placements) {
      *exhausted = true;
      return false;
    }
    place(g, step.order[step.next++], 1);
    if (steps.size() == m) return true;
    descend();
  }
}

void GroupAssigner::sweep(const Component& part, const Eigen::MatrixXd& cost,
                          std::vector<int>* labels) const {
  bool moved = true;
  while (moved) {
    moved = false;
    for (const int g : part.groups) {
      std::vector<char> taken(static_cast<std::size_t>(clusters_), 0);
      for (const int other : conflicts_[g]) taken[(*labels)[other]] = 1;
      int best = (*labels)[g];
      for (int q = 0; q < clusters_; ++q) {
        if (!taken[q] && cost(g, q) < cost(g, best)) best = q;
      }
      if (best != (*labels)[g]) {
        (*labels)[g] = best;
        moved = true;
      }
    }
  }
}

void GroupAssigner::assign(const Eigen::MatrixXd& cost, std::vector<int>* labels) const {
  const bool first = labels->empty();
  std::vector<int> found(conflicts_.size(), -1);
  for (const Component& part : parts_) {
    const Index m = static_cast<Index>(part.groups.size());
    if (m == 1) {
      const int g = part.groups[0];
      int best = 0;
      for (int q = 1; q < clusters_; ++q) {
        if (cost(g, q) < cost(g, best)) best = q;
      }
      found[g] = best;
    } else if (part.clique) {
      Eigen::MatrixXd own(m, clusters_);
      for (Index s = 0; s < m; ++s) own.row(s) = cost.row(part.groups[s]);
      const std::vector<int> chosen = optimal_assignment(own);
      for (Index s = 0; s < m; ++s) found[part.groups[s]] = chosen[s];
    } else {
      bool exhausted = false;
      if (!color(part, cost, &found, &exhausted)) refuse(part, !exhausted);
      sweep(part, cost, &found);
    }
    if (first) continue;
    double before = 0, after = 0;
    for (const int g : part.groups) {
      before += cost(g, (*labels)[g]);
      after += cost(g, found[g]);
    }
    // Costs that differ by rounding are equal: the labels must not wander between them.
    if (before <= after * (1 + 1e-13)) {
      for (const int g : part.groups) found[g] = (*labels)[g];
      if (m > 1 && !part.clique) sweep(part, cost, &found);
    }
  }
  *labels = std::move(found);
}

}  // namespace semiselect
