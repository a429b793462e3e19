#include "core/graph/neighbor_graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_set>

#include "core/run/errors.hpp"

namespace semiselect {

namespace {

double round_to_12(double value) { return std::round(value * 1e12) / 1e12; }

// Cosines of listed pairs; 0 where a row is all zero.
std::vector<double> cosines(const FeatureMatrix& z, const std::vector<Pair>& pairs,
                            const Control& control) {
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(z.n());
  std::vector<double> product(pairs.size(), 0.0);
  Eigen::VectorXd f(z.n());
  for (Index c = 0; c < z.p(); ++c) {
    control.check_interrupt();
    z.column(c, f.data());
    squares += f.cwiseAbs2();
    for (std::size_t e = 0; e < pairs.size(); ++e) {
      product[e] += f(pairs[e].first) * f(pairs[e].second);
    }
  }
  for (std::size_t e = 0; e < pairs.size(); ++e) {
    const double norms = std::sqrt(squares(pairs[e].first) * squares(pairs[e].second));
    product[e] = norms > 0 ? round_to_12(product[e] / norms) : 0;
  }
  return product;
}

double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + half, values.end());
  const double upper = values[half];
  if (values.size() % 2 == 1) return upper;
  return 0.5 * (upper + *std::max_element(values.begin(), values.begin() + half));
}

}  // namespace

std::vector<double> squared_distances(const FeatureMatrix& z, const std::vector<Pair>& pairs,
                                      Metric metric, const Control& control) {
  if (metric == Metric::cosine) {
    std::vector<double> out = cosines(z, pairs, control);
    for (double& d : out) d = 2 * (1 - d);
    return out;
  }
  std::vector<double> out(pairs.size(), 0.0);
  Eigen::VectorXd f(z.n());
  for (Index c = 0; c < z.p(); ++c) {
    control.check_interrupt();
    z.column(c, f.data());
    for (std::size_t e = 0; e < pairs.size(); ++e) {
      const double gap = f(pairs[e].first) - f(pairs[e].second);
      out[e] += gap * gap;
    }
  }
  return out;
}

Neighbors nearest_neighbors(const FeatureMatrix& z, int k, Metric metric, const Control& control) {
  const Index n = z.n();
  Neighbors out;
  out.k = static_cast<int>(std::min<Index>(k, n - 1));
  out.index.resize(static_cast<std::size_t>(n * out.k));
  out.squared_distance.resize(out.index.size());
  for (int i = 0; i < n; ++i) {
    std::vector<Pair> pairs;
    for (int j = 0; j < n; ++j) {
      if (j != i) pairs.emplace_back(i, j);
    }
    const std::vector<double> d = squared_distances(z, pairs, metric, control);
    std::vector<std::pair<double, int>> near;
    for (std::size_t e = 0; e < pairs.size(); ++e) near.emplace_back(d[e], pairs[e].second);
    std::partial_sort(near.begin(), near.begin() + out.k, near.end());
    for (int s = 0; s < out.k; ++s) {
      out.index[i * out.k + s] = near[s].second;
      out.squared_distance[i * out.k + s] = near[s].first;
    }
  }
  return out;
}

Graph neighbor_graph(const FeatureMatrix& z, const GraphOptions& options, const Control& control) {
  return neighbor_graph(z, options, GraphEdits(), control);
}

Graph neighbor_graph(const FeatureMatrix& z, const GraphOptions& options, const GraphEdits& edits,
                     const Control& control) {
  const Index n = z.n();
  const auto key = [n](const Pair& p) { return static_cast<std::uint64_t>(p.first) * n + p.second; };

  // Edges before the edits, and the local scales.
  std::vector<Pair> pairs;
  Eigen::VectorXd local = Eigen::VectorXd::Ones(n);
  const bool given = options.given.n() > 0;
  if (given) {
    for (const Edge& edge : options.given.edges) pairs.emplace_back(edge.i, edge.j);
  } else {
    const Neighbors near = nearest_neighbors(z, options.k, options.metric, control);
    for (int i = 0; i < n; ++i) {
      for (int s = 0; s < near.k; ++s) {
        const int j = near.index[i * near.k + s];
        pairs.emplace_back(std::min(i, j), std::max(i, j));
      }
    }
    std::sort(pairs.begin(), pairs.end());
    if (options.symmetrize == Symmetrize::mutual) {
      std::vector<Pair> both;
      for (std::size_t e = 1; e < pairs.size(); ++e) {
        if (pairs[e] == pairs[e - 1]) both.push_back(pairs[e]);
      }
      pairs = std::move(both);
    }
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    if (options.bandwidth == Bandwidth::local) {
      for (int i = 0; i < n; ++i) {
        double far = near.squared_distance[i * near.k + near.k - 1];
        if (far == 0) {
          std::vector<Pair> all;
          for (int j = 0; j < n; ++j) {
            if (j != i) all.emplace_back(i, j);
          }
          far = 1;
          double least = 0;
          for (const double d : squared_distances(z, all, options.metric, control)) {
            if (d > 0 && (least == 0 || d < least)) least = d;
          }
          if (least > 0) far = least;
        }
        local(i) = std::sqrt(far);
      }
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

  std::vector<double> d;
  if (options.weights == EdgeWeight::heat && (!given || before < pairs.size())) {
    d = squared_distances(z, pairs, options.metric, control);
  } else if (options.weights == EdgeWeight::cosine) {
    d = cosines(z, pairs, control);
  }

  double bandwidth = options.bandwidth_value;
  if (options.weights == EdgeWeight::heat && !d.empty() && options.bandwidth == Bandwidth::median) {
    std::vector<double> positive;
    for (std::size_t e = 0; e < before; ++e) {
      if (d[e] > 0) positive.push_back(d[e]);
    }
    bandwidth = positive.empty() ? 1 : median(std::move(positive));
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
    throw InputError(
        "Every edge weight of the neighbor graph is zero: the distances are too large for "
        "`bandwidth`. Raise `bandwidth` (\"median\" always fits) or rescale `x`.");
  }
  if (2 * vanished > edges.size()) {
    control.warn(std::to_string(vanished) + " of " + std::to_string(edges.size()) +
                 " edge weights of the neighbor graph are zero. Raise `bandwidth` (\"median\" "
                 "always fits) or rescale `x`.");
  }
  return make_graph(n, std::move(edges));
}

}  // namespace semiselect
