#include "core/graph/graph.hpp"

#include <algorithm>

#include "core/data/no_value.hpp"

namespace semiselect {

namespace {

constexpr Index block_columns = 16;  // so many columns side by side stay in cache with their rows

// One pass over the edges for `block_columns` columns at a time, laid out row by row.
Eigen::VectorXd dense_edge_sums(const FeatureMatrix& x, const Graph& graph, const Control& control) {
  const Index blocks = (x.p() + block_columns - 1) / block_columns;
  Eigen::VectorXd out(x.p());
  parallel_for(blocks, control, [&](Index b) {
    const Index first = b * block_columns;
    const Index count = std::min(block_columns, x.p() - first);
    std::vector<double> rows(static_cast<std::size_t>(x.n() * block_columns), 0.0);
    x.block_by_rows(first, count, rows.data(), block_columns);
    double sum[block_columns] = {};
    for (const Edge& edge : graph.edges) {
      const double* f = rows.data() + edge.i * block_columns;
      const double* g = rows.data() + edge.j * block_columns;
      for (Index c = 0; c < block_columns; ++c) {
        const double gap = f[c] - g[c];
        sum[c] += edge.w * (gap * gap);
      }
    }
    for (Index c = 0; c < count; ++c) out(first + c) = sum[c];
  });
  return out;
}

// Only edges that touch a stored entry count: the others join two zeros.
Eigen::VectorXd sparse_edge_sums(const FeatureMatrix& x, const Graph& graph, const Control& control) {
  const Index tasks = std::min<Index>(x.p(), 64);
  Eigen::VectorXd out(x.p());
  parallel_for(tasks, control, [&](Index t) {
    std::vector<double> value(static_cast<std::size_t>(x.n()), 0.0);
    std::vector<char> stored(static_cast<std::size_t>(x.n()), 0);
    for (Index r = t * x.p() / tasks; r < (t + 1) * x.p() / tasks; ++r) {
      x.for_each_stored(r, [&](Index i, double v) {
        value[i] = v;
        stored[i] = 1;
      });
      double sum = 0;
      x.for_each_stored(r, [&](Index i, double v) {
        for (Eigen::SparseMatrix<double>::InnerIterator w(graph.w, i); w; ++w) {
          const Index j = w.index();
          if (stored[j] && j < i) continue;  // seen from the other end
          const double gap = v - value[j];
          sum += w.value() * (gap * gap);
        }
      });
      x.for_each_stored(r, [&](Index i, double) {
        value[i] = 0;
        stored[i] = 0;
      });
      const double divisor = x.divisor(r);
      out(r) = sum / (divisor * divisor);
    }
  });
  return out;
}

}  // namespace

Graph make_graph(Index n, std::vector<Edge> edges) {
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return a.i != b.i ? a.i < b.i : a.j < b.j;
  });

  Graph graph;
  graph.degree = Eigen::VectorXd::Zero(n);
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(2 * edges.size());
  for (const Edge& edge : edges) {
    graph.degree(edge.i) += edge.w;
    graph.degree(edge.j) += edge.w;
    triplets.emplace_back(edge.i, edge.j, edge.w);
    triplets.emplace_back(edge.j, edge.i, edge.w);
  }
  graph.w.resize(n, n);
  graph.w.setFromTriplets(triplets.begin(), triplets.end());
  graph.edges = std::move(edges);
  return graph;
}

Graph with_class_links(const Graph& graph, const Labels& y, double eta) {
  const auto labelled = [&](int i) { return y.code[static_cast<std::size_t>(i)] != unlabelled; };
  std::vector<Edge> edges;
  for (const Edge& edge : graph.edges) {
    if (!labelled(edge.i) || !labelled(edge.j)) edges.push_back(edge);
  }
  std::vector<std::vector<int>> members(static_cast<std::size_t>(y.classes));
  for (int i = 0; i < graph.n(); ++i) {
    if (!labelled(i)) continue;
    std::vector<int>& same = members[static_cast<std::size_t>(y.code[static_cast<std::size_t>(i)])];
    for (const int j : same) edges.push_back({j, i, eta});
    same.push_back(i);
  }
  Graph out = make_graph(graph.n(), std::move(edges));
  out.bandwidth = graph.bandwidth;
  out.recall = graph.recall;
  return out;
}

Eigen::VectorXd edge_sums(const FeatureMatrix& x, const Graph& graph, const Control& control) {
  return x.is_sparse() ? sparse_edge_sums(x, graph, control) : dense_edge_sums(x, graph, control);
}

Eigen::VectorXd weighted_spread(const FeatureMatrix& x, const Eigen::VectorXd& d,
                                const Control& control, Eigen::VectorXd* mean) {
  const double volume = d.sum();
  Eigen::VectorXd out(x.p());
  if (mean) mean->resize(x.p());
  parallel_for(x.p(), control, [&](Index r) {
    double sum = 0;
    x.for_each_stored(r, [&](Index i, double v) { sum += d(i) * v; });
    const double mu = volume > 0 ? sum / volume : 0;
    const double spread = weighted_squares(x, r, d, volume, mu);
    const double divisor = x.divisor(r);
    out(r) = spread / (divisor * divisor);
    if (mean) (*mean)(r) = (mu - x.shift(r)) / divisor;
  });
  return out;
}

Eigen::VectorXd laplacian_ratio(const FeatureMatrix& x, const Graph& graph, const Control& control) {
  Eigen::VectorXd mean;
  const Eigen::VectorXd roughness = edge_sums(x, graph, control);
  const Eigen::VectorXd spread = weighted_spread(x, graph.degree, control, &mean);
  const double volume = graph.degree.sum();

  Eigen::VectorXd out(x.p());
  for (Index r = 0; r < x.p(); ++r) {
    out(r) = is_noise(spread(r), volume, mean(r)) ? no_value : roughness(r) / spread(r);
  }
  return out;
}

}  // namespace semiselect
