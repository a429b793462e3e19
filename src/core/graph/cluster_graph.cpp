#include "core/graph/cluster_graph.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/optim/gram.hpp"
#include "core/run/errors.hpp"

namespace semiselect {

namespace {

double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half), values.end());
  const double upper = values[half];
  if (values.size() % 2 == 1) return upper;
  return 0.5 * (upper + *std::max_element(values.begin(),
                                          values.begin() + static_cast<std::ptrdiff_t>(half)));
}

// Distances of the rows to their k-th neighbors; 0: the smallest positive distance, else 1.
Eigen::VectorXd local_scales(const FeatureMatrix& z, const GraphOptions& options,
                             const Control& control) {
  const Neighbors near = nearest_neighbors(z, options.k, options.metric, control);
  Eigen::VectorXd out = Eigen::VectorXd::Ones(z.n());
  for (int i = 0; i < z.n() && near.k > 0; ++i) {
    double square = near.squared_distance[static_cast<std::size_t>(i + 1) * near.k - 1];
    if (square == 0) {
      std::vector<Pair> pairs;
      for (int j = 0; j < z.n(); ++j) pairs.emplace_back(i, j);
      for (const double d : squared_distances(z, pairs, options.metric, control)) {
        if (d > 0 && (square == 0 || d < square)) square = d;
      }
    }
    if (square > 0) out(i) = std::sqrt(square);
  }
  return out;
}

}  // namespace

std::vector<double> EdgeWeigher::weigh(const FeatureMatrix& z, const std::vector<Pair>& pairs,
                                       const Control& control) const {
  if (weights == EdgeWeight::binary) return std::vector<double>(pairs.size(), 1.0);
  if (weights == EdgeWeight::cosine) {
    std::vector<double> out = cosines(z, pairs, control);
    for (double& w : out) w = std::max(0.0, w);
    return out;
  }
  std::vector<double> out = squared_distances(z, pairs, metric, control);
  for (std::size_t e = 0; e < pairs.size(); ++e) {
    const double scale =
        local.size() > 0 ? local(pairs[e].first) * local(pairs[e].second) : bandwidth;
    out[e] = std::exp(-out[e] / scale);
  }
  return out;
}

ClusterGraph cluster_graph(const FeatureMatrix& z, const std::vector<int>& cluster,
                           const GraphOptions& options, bool with_matrix, const Control& control) {
  const Index n = z.n();
  const int clusters = 1 + *std::max_element(cluster.begin(), cluster.end());
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(clusters));
  for (Index i = 0; i < n; ++i) members[cluster[i]].push_back(i);

  ClusterGraph out;
  out.weigher.weights = options.weights;
  out.weigher.metric = options.metric;
  const bool heat = options.weights == EdgeWeight::heat;
  const bool cosine = options.weights == EdgeWeight::cosine ||
                      (heat && options.metric == Metric::cosine);
  std::vector<Edge>& edges = out.graph.edges;

  // w holds the squared length (heat) or the cosine first.
  for (const std::vector<Index>& rows : members) {
    control.check_interrupt();
    const Index m = static_cast<Index>(rows.size());
    if (m < 2) continue;
    if (options.weights == EdgeWeight::binary) {
      for (Index a = 0; a < m; ++a) {
        for (Index b = a + 1; b < m; ++b) {
          edges.push_back({static_cast<int>(rows[a]), static_cast<int>(rows[b]), 1});
        }
      }
      continue;
    }
    const FeatureMatrix own = z.rows(rows);
    Eigen::MatrixXd gram;
    if (own.is_sparse()) {
      gram = gram_rows(own, control);
    } else {
      Eigen::MatrixXd dense = own.to_dense();
      // Cosines are those of the rows themselves.
      if (!cosine) dense.rowwise() -= dense.colwise().mean().eval();
      gram = gram_rows(ConstMatrixRef(dense), control);
    }
    std::vector<Pair> close;  // too close for the digits of the product
    std::vector<std::size_t> where;
    for (Index a = 0; a < m; ++a) {
      for (Index b = a + 1; b < m; ++b) {
        double value;
        if (cosine) {
          const double norms = std::sqrt(gram(a, a) * gram(b, b));
          const double cos = norms > 0 ? std::round(gram(a, b) / norms * 1e12) / 1e12 : 0;
          value = heat ? 2 * (1 - cos) : cos;
        } else {
          value = gram(a, a) + gram(b, b) - 2 * gram(a, b);
          if (value < 1e-5 * (gram(a, a) + gram(b, b))) {
            close.emplace_back(static_cast<int>(rows[a]), static_cast<int>(rows[b]));
            where.push_back(edges.size());
          }
        }
        edges.push_back({static_cast<int>(rows[a]), static_cast<int>(rows[b]), value});
      }
    }
    const std::vector<double> exact = squared_distances(z, close, Metric::euclidean, control);
    for (std::size_t e = 0; e < close.size(); ++e) edges[where[e]].w = exact[e];
  }

  if (heat) {
    if (options.bandwidth == Bandwidth::number) out.weigher.bandwidth = options.bandwidth_value;
    if (options.bandwidth == Bandwidth::local) {
      out.weigher.local = local_scales(z, options, control);
    }
    if (options.bandwidth == Bandwidth::median) {
      std::vector<double> positive;
      positive.reserve(edges.size());
      for (const Edge& edge : edges) {
        if (edge.w > 0) positive.push_back(edge.w);
      }
      out.weigher.bandwidth = positive.empty() ? 1 : median(std::move(positive));
    }
  }
  std::size_t vanished = 0;
  out.graph.degree = Eigen::VectorXd::Zero(n);
  for (Edge& edge : edges) {
    if (heat) {
      const double scale = out.weigher.local.size() > 0
                               ? out.weigher.local(edge.i) * out.weigher.local(edge.j)
                               : out.weigher.bandwidth;
      edge.w = std::exp(-edge.w / scale);
    } else if (options.weights == EdgeWeight::cosine) {
      edge.w = std::max(0.0, edge.w);
    }
    vanished += edge.w == 0;
    out.graph.degree(edge.i) += edge.w;
    out.graph.degree(edge.j) += edge.w;
  }
  if (!edges.empty() && vanished == edges.size()) {
    throw InputError(heat ? "Every edge weight within the clusters is zero: the distances are too "
                            "large for `bandwidth`. Raise `bandwidth` (\"median\" always fits) or "
                            "rescale `x`."
                          : "Every edge weight within the clusters is zero: no two rows of a "
                            "cluster have a positive cosine. Use other `weights` or rescale `x`.");
  }
  if (2 * vanished > edges.size()) {
    control.warn(std::to_string(vanished) + " of " + std::to_string(edges.size()) +
                 " edge weights within the clusters are zero. Raise `bandwidth` (\"median\" always "
                 "fits) or rescale `x`.");
  }
  if (with_matrix) out.graph = make_graph(n, std::move(out.graph.edges));
  return out;
}

}  // namespace semiselect
