#include "core/graph/neighbor_graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_set>

#include "core/graph/neighbor_descent.hpp"
#include "core/run/errors.hpp"

namespace semiselect {

namespace {

double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + half, values.end());
  const double upper = values[half];
  if (values.size() % 2 == 1) return upper;
  return 0.5 * (upper + *std::max_element(values.begin(), values.begin() + half));
}

bool is_approximate(const GraphOptions& options, Index n) {
  return options.search == Search::approximate ||
         (options.search == Search::automatic && n > exact_search_rows);
}

// The k first of longer lists.
Neighbors shortened(const Neighbors& near, int k) {
  Neighbors out;
  out.k = std::min(k, near.k);
  const std::size_t rows = near.k > 0 ? near.index.size() / static_cast<std::size_t>(near.k) : 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto first = static_cast<std::ptrdiff_t>(i) * near.k;
    out.index.insert(out.index.end(), near.index.begin() + first,
                     near.index.begin() + first + out.k);
    out.squared_distance.insert(out.squared_distance.end(), near.squared_distance.begin() + first,
                                near.squared_distance.begin() + first + out.k);
  }
  out.recall = near.recall;
  out.order = near.order;
  return out;
}

Neighbors find_neighbors(const FeatureMatrix& z, const GraphOptions& options,
                         const Control& control) {
  if (options.found) return shortened(*options.found, options.k);
  if (!is_approximate(options, z.n())) {
    return nearest_neighbors(z, options.k, options.metric, control);
  }
  Neighbors near = descent_neighbors(z, options.k, options.metric, DescentOptions(), control);
  if (near.recall < 0.9) {
    control.warn("The approximate search found " +
                 std::to_string(static_cast<int>(std::floor(100 * near.recall))) +
                 " % of the nearest neighbors of a sample of rows. Use `search = \"exact\"` if "
                 "the ranking has to be that of the exact graph.");
  }
  return near;
}

// The least positive squared distance from each listed row to any other, 1 if there is none.
std::vector<double> least_positive(const FeatureMatrix& z, const std::vector<int>& rows,
                                   Metric metric, const Control& control) {
  const std::size_t n = static_cast<std::size_t>(z.n());
  const std::size_t at_once = std::max<std::size_t>(1, (std::size_t(1) << 21) / n);
  std::vector<double> out(rows.size(), 1.0);
  for (std::size_t first = 0; first < rows.size(); first += at_once) {
    const std::size_t last = std::min(rows.size(), first + at_once);
    std::vector<Pair> pairs;
    for (std::size_t s = first; s < last; ++s) {
      for (int j = 0; j < z.n(); ++j) pairs.emplace_back(rows[s], j);
    }
    const std::vector<double> d = squared_distances(z, pairs, metric, control);
    for (std::size_t s = first; s < last; ++s) {
      double least = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double there = d[(s - first) * n + j];
        const bool self = static_cast<int>(j) == rows[s];
        if (!self && there > 0 && (least == 0 || there < least)) least = there;
      }
      if (least > 0) out[s] = least;
    }
  }
  return out;
}

// s_i of "local".
Eigen::VectorXd local_scales(const FeatureMatrix& z, const Neighbors& near, Metric metric,
                             const Control& control) {
  const Index n = z.n();
  Eigen::VectorXd squares = Eigen::VectorXd::Ones(n);
  if (near.k == 0) return squares;
  // Rows with k copies of themselves look further. Copies have the same distances, and the lowest
  // of them is the first neighbor of the others: one search serves all. (Rows at cosine 1 are not
  // copies, only parallel.)
  std::vector<int> asked;
  std::vector<std::pair<int, int>> later;  // row, and whose distance it takes
  for (int i = 0; i < n; ++i) {
    const std::size_t start = static_cast<std::size_t>(i) * static_cast<std::size_t>(near.k);
    const double far = near.squared_distance[start + static_cast<std::size_t>(near.k) - 1];
    if (far > 0) {
      squares(i) = far;
    } else {
      later.emplace_back(i, metric == Metric::cosine ? i : std::min(i, near.index[start]));
      asked.push_back(later.back().second);
    }
  }
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  const std::vector<double> least = least_positive(z, asked, metric, control);
  for (const auto& row : later) {
    const auto found = std::lower_bound(asked.begin(), asked.end(), row.second);
    squares(row.first) = least[static_cast<std::size_t>(found - asked.begin())];
  }
  return squares.cwiseSqrt();
}

}  // namespace

Graph neighbor_graph(const FeatureMatrix& z, const GraphOptions& options, const Control& control) {
  return neighbor_graph(z, options, GraphEdits(), control);
}

Graph neighbor_graph(const FeatureMatrix& z, const GraphOptions& options, const GraphEdits& edits,
                     const Control& control) {
  const Index n = z.n();
  const auto key = [n](const Pair& p) { return static_cast<std::uint64_t>(p.first) * n + p.second; };

  // Edges before the edits, with their squared lengths where the search has found them.
  std::vector<Pair> pairs;
  std::vector<double> d;
  Neighbors near;
  const bool given = options.given.n() > 0;
  const bool heat = options.weights == EdgeWeight::heat;
  if (given) {
    for (const Edge& edge : options.given.edges) pairs.emplace_back(edge.i, edge.j);
  } else {
    near = find_neighbors(z, options, control);
    struct Found {
      Pair pair;
      double d;
    };
    std::vector<Found> found;
    found.reserve(near.index.size());
    for (int i = 0; i < n; ++i) {
      for (int s = 0; s < near.k; ++s) {
        const std::size_t e = static_cast<std::size_t>(i) * static_cast<std::size_t>(near.k) +
                              static_cast<std::size_t>(s);
        const int j = near.index[e];
        found.push_back({{std::min(i, j), std::max(i, j)}, near.squared_distance[e]});
      }
    }
    std::sort(found.begin(), found.end(),
              [](const Found& a, const Found& b) { return a.pair < b.pair; });
    for (std::size_t e = 0; e < found.size(); ++e) {
      const bool again = e > 0 && found[e].pair == found[e - 1].pair;
      if (again != (options.symmetrize == Symmetrize::mutual)) continue;
      pairs.push_back(found[e].pair);
      d.push_back(found[e].d);
    }
  }

  const std::size_t before = pairs.size();
  std::unordered_set<std::uint64_t> present, removed;
  for (const Pair& p : edits.remove) removed.insert(key(p));
  if (!edits.add.empty()) {
    for (const Pair& p : pairs) present.insert(key(p));
    for (const Pair& p : edits.add) {
      if (present.insert(key(p)).second) pairs.push_back(p);
    }
  }
  const bool added = pairs.size() > before;

  Eigen::VectorXd local;
  double bandwidth = options.bandwidth_value;
  if (heat && (!given || added)) {
    // Only "median" asks for the lengths of a given graph's edges.
    const bool all = given && options.bandwidth == Bandwidth::median;
    if (given && !all) d.assign(before, 0.0);
    const std::vector<Pair> rest(pairs.begin() + static_cast<std::ptrdiff_t>(d.size()), pairs.end());
    const std::vector<double> lengths = squared_distances(z, rest, options.metric, control);
    d.insert(d.end(), lengths.begin(), lengths.end());

    if (options.bandwidth == Bandwidth::median) {
      std::vector<double> positive;
      for (std::size_t e = 0; e < before; ++e) {
        if (d[e] > 0) positive.push_back(d[e]);
      }
      bandwidth = positive.empty() ? 1 : median(std::move(positive));
    } else if (options.bandwidth == Bandwidth::local) {
      if (given) near = find_neighbors(z, options, control);
      local = local_scales(z, near, options.metric, control);
    }
  } else if (options.weights == EdgeWeight::cosine) {
    if (given) {
      const std::vector<Pair> rest(pairs.begin() + static_cast<std::ptrdiff_t>(before), pairs.end());
      const std::vector<double> there = cosines(z, rest, control);
      d.assign(before, 0.0);
      d.insert(d.end(), there.begin(), there.end());
    } else {
      d = cosines(z, pairs, control);
    }
  }

  std::vector<Edge> edges;
  edges.reserve(pairs.size());
  std::size_t vanished = 0;
  for (std::size_t e = 0; e < pairs.size(); ++e) {
    if (!removed.empty() && removed.count(key(pairs[e]))) continue;
    const int i = pairs[e].first, j = pairs[e].second;
    double w = 1;
    if (given && e < before) {
      w = options.given.edges[e].w;
    } else if (options.weights == EdgeWeight::heat) {
      const double scale = options.bandwidth == Bandwidth::local ? local(i) * local(j) : bandwidth;
      w = std::exp(-d[e] / scale);
    } else if (options.weights == EdgeWeight::cosine) {
      w = std::max(0.0, d[e]);
    }
    vanished += w == 0;
    edges.push_back({i, j, w});
  }
  if (!edges.empty() && vanished == edges.size()) {
    if (given) throw InputError("Every edge weight of `graph` is zero.");
    if (options.weights == EdgeWeight::cosine) {
      throw InputError(
          "Every edge weight of the neighbor graph is zero: no two neighbors have a positive "
          "cosine. Use `metric = \"cosine\"`, other `weights`, or rescale `x`.");
    }
    throw InputError(
        "Every edge weight of the neighbor graph is zero: the distances are too large for "
        "`bandwidth`. Raise `bandwidth` (\"median\" always fits) or rescale `x`.");
  }
  if (2 * vanished > edges.size()) {
    control.warn(std::to_string(vanished) + " of " + std::to_string(edges.size()) +
                 " edge weights of the neighbor graph are zero. Raise `bandwidth` (\"median\" "
                 "always fits) or rescale `x`.");
  }
  Graph graph = make_graph(n, std::move(edges));
  graph.recall = near.recall;
  graph.order = std::move(near.order);
  if (heat && options.bandwidth != Bandwidth::local && (!given || added)) graph.bandwidth = bandwidth;
  return graph;
}

}  // namespace semiselect
