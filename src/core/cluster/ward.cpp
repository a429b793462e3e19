#include "core/cluster/ward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/data/union_find.hpp"
#include "core/optim/gram.hpp"

namespace semiselect {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Near {
  int slot = -1;
  double distance = infinity;  // squared height
};

// Nearest-neighbor chains: follow nearest clusters until two are each other's, merge them, go on
// from what is left of the chain. Ward's linkage is reducible: a new cluster is never nearer to a
// third than the nearer of its parts was, so a nearest neighbor found once stays one as long as it
// lives, and merges come out right in any order.
//
// nearest(slot, alive) searches; merged(a, b, alive) puts the union in slot a.
template <class Nearest, class Merged>
std::vector<Merge> chain(Index n, const Control& control, const Nearest& nearest,
                         const Merged& merged) {
  std::vector<char> alive(static_cast<std::size_t>(n), 1);
  std::vector<int> version(static_cast<std::size_t>(n), 0), known_version(version);
  std::vector<Near> known(static_cast<std::size_t>(n));
  const auto look = [&](int slot) {
    Near& found = known[slot];
    if (found.slot < 0 || !alive[found.slot] || version[found.slot] != known_version[slot]) {
      found = nearest(slot, alive);
      known_version[slot] = version[found.slot];
    }
    return found;
  };

  std::vector<Merge> merges;
  std::vector<int> path;
  int first = 0;
  while (static_cast<Index>(merges.size()) + 1 < n) {
    control.check_interrupt();
    if (path.empty()) {
      while (!alive[first]) ++first;
      path.push_back(first);
    }
    Near next = look(path.back());
    if (path.size() > 1) {
      // On a tie back to where the chain came from: else it might run in circles.
      const int before = path[path.size() - 2];
      const Near back = look(before);
      if (back.slot == path.back() && back.distance <= next.distance) next = {before, back.distance};
      if (next.slot == before) {
        const int a = std::min(before, path.back()), b = std::max(before, path.back());
        path.resize(path.size() - 2);
        merges.push_back({a, b, std::sqrt(std::max(next.distance, 0.0))});
        merged(a, b, alive);
        alive[b] = 0;
        ++version[a];
        known[a].slot = -1;
        control.progress(static_cast<double>(merges.size()) / static_cast<double>(n));
        continue;
      }
    }
    path.push_back(next.slot);
  }
  std::stable_sort(merges.begin(), merges.end(),
                   [](const Merge& s, const Merge& t) { return s.height < t.height; });
  return merges;
}

std::vector<Merge> ward_by_centroids(const FeatureMatrix& z, const Control& control) {
  const Index n = z.n(), p = z.p();
  Eigen::MatrixXd center(p, n);
  Eigen::VectorXd f(n);
  for (Index j = 0; j < p; ++j) {
    z.column(j, f.data());
    center.row(j) = f.transpose();
  }
  Eigen::VectorXd size = Eigen::VectorXd::Ones(n);
  Control quiet = control;
  quiet.progress = [](double) {};
  const auto nearest = [&](int slot, const std::vector<char>& alive) {
    // Ranges of slots: threads are worth their start only for a long search.
    const Index ranges = n * p > 4000000 ? 16 : 1;
    std::vector<Near> best(static_cast<std::size_t>(ranges));
    const auto search = [&](Index range) {
      Near& found = best[range];
      for (Index s = range * n / ranges; s < (range + 1) * n / ranges; ++s) {
        if (!alive[s] || s == slot) continue;
        const double d = 2 * size(s) * size(slot) / (size(s) + size(slot)) *
                         (center.col(s) - center.col(slot)).squaredNorm();
        if (d < found.distance) found = {static_cast<int>(s), d};
      }
    };
    if (ranges == 1) {
      search(0);
    } else {
      parallel_for(ranges, quiet, search);
    }
    Near out;
    for (const Near& part : best) {
      if (part.distance < out.distance) out = part;
    }
    return out;
  };
  const auto merged = [&](int a, int b, const std::vector<char>&) {
    const double both = size(a) + size(b);
    center.col(a) = (size(a) * center.col(a) + size(b) * center.col(b)) / both;
    size(a) = both;
  };
  return chain(n, control, nearest, merged);
}

std::vector<Merge> ward_by_distances(const FeatureMatrix& z, const Control& control) {
  const Index n = z.n();
  Eigen::MatrixXd d;
  if (z.is_sparse()) {
    d = gram_rows(z, control);
  } else {
    Eigen::MatrixXd rows = z.to_dense();
    rows.rowwise() -= rows.colwise().mean().eval();
    d = gram_rows(ConstMatrixRef(rows), control);
  }
  const Eigen::VectorXd norm = d.diagonal();
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) d(i, j) = std::max(norm(i) + norm(j) - 2 * d(i, j), 0.0);
    d(j, j) = 0;
  }
  Eigen::VectorXd size = Eigen::VectorXd::Ones(n);
  const auto nearest = [&](int slot, const std::vector<char>& alive) {
    Near out;
    for (int s = 0; s < n; ++s) {
      if (alive[s] && s != slot && d(s, slot) < out.distance) out = {s, d(s, slot)};
    }
    return out;
  };
  const auto merged = [&](int a, int b, const std::vector<char>& alive) {
    const double between = d(a, b);
    for (int s = 0; s < n; ++s) {
      if (!alive[s] || s == a || s == b) continue;
      const double all = size(a) + size(b) + size(s);
      const double there = ((size(a) + size(s)) * d(a, s) + (size(b) + size(s)) * d(b, s) -
                            size(s) * between) / all;
      d(a, s) = d(s, a) = std::max(there, 0.0);
    }
    size(a) += size(b);
  };
  return chain(n, control, nearest, merged);
}

}  // namespace

std::vector<Merge> ward(const FeatureMatrix& z, const Control& control) {
  return z.p() < z.n() && !z.is_sparse() ? ward_by_centroids(z, control)
                                         : ward_by_distances(z, control);
}

std::vector<int> cut(const std::vector<Merge>& merges, Index n, Index K) {
  DisjointSets sets(n);
  for (std::size_t s = 0; s + static_cast<std::size_t>(K) <= merges.size(); ++s) {
    sets.join(merges[s].a, merges[s].b);
  }
  std::vector<int> labels(static_cast<std::size_t>(n), -1);
  int next = 0;
  for (int i = 0; i < n; ++i) {
    const int root = sets.root(i);
    labels[i] = root == i ? next++ : labels[root];
  }
  return labels;
}

std::vector<double> davies_bouldin(const FeatureMatrix& z, const std::vector<Merge>& merges,
                                   Index most, const Control& control) {
  const Index n = z.n();
  // Nodes: the clusters at `most`, then one more for each merge down to two.
  struct Node {
    std::vector<int> rows;
    std::size_t offset;  // of its rows in `squares`
  };
  std::vector<Node> nodes(static_cast<std::size_t>(most));
  const std::vector<int> labels = cut(merges, n, most);
  for (int i = 0; i < n; ++i) nodes[labels[i]].rows.push_back(i);
  std::vector<std::vector<int>> level(1);  // nodes alive at most, most - 1, ..., 2
  level[0].resize(static_cast<std::size_t>(most));
  std::iota(level[0].begin(), level[0].end(), 0);
  std::vector<int> node_of(labels);  // of each row
  for (Index K = most; K > 2; --K) {
    const Merge& step = merges[static_cast<std::size_t>(n - K)];
    const int a = node_of[step.a], b = node_of[step.b];
    Node joined;
    std::merge(nodes[a].rows.begin(), nodes[a].rows.end(), nodes[b].rows.begin(),
               nodes[b].rows.end(), std::back_inserter(joined.rows));
    const int number = static_cast<int>(nodes.size());
    for (const int i : joined.rows) node_of[i] = number;
    nodes.push_back(std::move(joined));
    std::vector<int> here;
    for (const int s : level.back()) {
      if (s != a && s != b) here.push_back(s);
    }
    here.push_back(number);
    level.push_back(std::move(here));
  }
  std::size_t total = 0;
  for (Node& node : nodes) {
    node.offset = total;
    total += node.rows.size();
  }

  // Squared distances of rows to the centroids of their nodes and of centroids among each other.
  const std::size_t M = nodes.size();
  const Index blocks = std::min<Index>(z.p(), 8);
  std::vector<Eigen::VectorXd> to_center(static_cast<std::size_t>(blocks));
  std::vector<Eigen::MatrixXd> between(static_cast<std::size_t>(blocks));
  parallel_for(blocks, control, [&](Index block) {
    Eigen::VectorXd& squares = to_center[block];
    Eigen::MatrixXd& apart = between[block];
    squares = Eigen::VectorXd::Zero(static_cast<Index>(total));
    apart = Eigen::MatrixXd::Zero(static_cast<Index>(M), static_cast<Index>(M));
    Eigen::VectorXd f(n), center(static_cast<Index>(M));
    for (Index j = block * z.p() / blocks; j < (block + 1) * z.p() / blocks; ++j) {
      z.column(j, f.data());
      for (std::size_t s = 0; s < M; ++s) {
        double sum = 0;
        for (const int i : nodes[s].rows) sum += f(i);
        center(s) = sum / static_cast<double>(nodes[s].rows.size());
        double* to = squares.data() + nodes[s].offset;
        for (std::size_t r = 0; r < nodes[s].rows.size(); ++r) {
          const double gap = f(nodes[s].rows[r]) - center(s);
          to[r] += gap * gap;
        }
      }
      for (std::size_t s = 0; s < M; ++s) {
        apart.col(s).array() += (center.array() - center(s)).square();
      }
    }
  });
  for (Index block = 1; block < blocks; ++block) {
    to_center[0] += to_center[block];
    between[0] += between[block];
  }
  std::vector<double> spread(M);
  for (std::size_t s = 0; s < M; ++s) {
    const Index count = static_cast<Index>(nodes[s].rows.size());
    spread[s] = to_center[0].segment(static_cast<Index>(nodes[s].offset), count).cwiseSqrt().mean();
  }

  std::vector<double> out(static_cast<std::size_t>(most - 1));
  for (Index K = most; K >= 2; --K) {
    const std::vector<int>& here = level[static_cast<std::size_t>(most - K)];
    double sum = 0;
    for (const int s : here) {
      double worst = 0;
      for (const int t : here) {
        if (s == t) continue;
        const double distance = std::sqrt(between[0](s, t));
        // Two clusters in one place are the worst of all.
        worst = std::max(worst, distance > 0 ? (spread[s] + spread[t]) / distance : infinity);
      }
      sum += worst;
    }
    out[static_cast<std::size_t>(K - 2)] = sum / static_cast<double>(K);
  }
  return out;
}

std::vector<int> ward_clusters(const FeatureMatrix& z, const Control& control) {
  const Index n = z.n();
  if (n < 4) return std::vector<int>(static_cast<std::size_t>(n), 0);
  const Index most =
      std::max<Index>(2, static_cast<Index>(std::floor(std::sqrt(static_cast<double>(n)))));
  const std::vector<Merge> merges = ward(z, control);
  const std::vector<double> index = davies_bouldin(z, merges, most, control);
  const auto best = std::min_element(index.begin(), index.end());
  return cut(merges, n, 2 + (best - index.begin()));
}

}  // namespace semiselect
