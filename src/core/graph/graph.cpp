#include "core/graph/graph.hpp"

#include <algorithm>

#include "core/data/no_value.hpp"

namespace semiselect {

namespace {

constexpr Index block_columns = 16;  // so many columns side by side stay in cache with their rows

// Rows at their place in `order`, the edges likewise: then neighbors share the cache even where
// one block of columns does not fit into it.
std::vector<Edge> placed_edges(const Graph& graph, std::vector<int>& place) {
  place.resize(graph.order.size());
  for (std::size_t s = 0; s < place.size(); ++s) {
    place[static_cast<std::size_t>(graph.order[s])] = static_cast<int>(s);
  }
  std::vector<Edge> edges = graph.edges;
  for (Edge& edge : edges) {
    const int i = place[static_cast<std::size_t>(edge.i)];
    const int j = place[static_cast<std::size_t>(edge.j)];
    edge.i = std::min(i, j);
    edge.j = std::max(i, j);
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return a.i != b.i ? a.i < b.i : a.j < b.j;
  });
  return edges;
}

// One pass over the edges for `block_columns` columns at a time, laid out row by row.
Eigen::VectorXd dense_edge_sums(const FeatureMatrix& x, const Graph& graph, const Control& control) {
  using Lane = Eigen::Array<double, block_columns, 1>;
  const Index blocks = (x.p() + block_columns - 1) / block_columns;
  std::vector<int> place;
  const bool placed = !graph.order.empty();
  const std::vector<Edge> moved = placed ? placed_edges(graph, place) : std::vector<Edge>();
  const std::vector<Edge>& edges = placed ? moved : graph.edges;

  Eigen::VectorXd out(x.p());
  parallel_for(blocks, control, [&](Index b) {
    const Index first = b * block_columns;
    const Index count = std::min(block_columns, x.p() - first);
    Eigen::VectorXd rows(x.n() * block_columns);
    if (count < block_columns) rows.setZero();
    if (placed) {
      Eigen::VectorXd f(x.n());
      for (Index c = 0; c < count; ++c) {
        x.column(first + c, f.data());
        for (Index i = 0; i < x.n(); ++i) {
          rows(place[static_cast<std::size_t>(i)] * block_columns + c) = f(i);
        }
      }
    } else {
      x.block_by_rows(first, count, rows.data(), block_columns);
    }
    Lane sum = Lane::Zero();
    for (const Edge& edge : edges) {
      const Eigen::Map<const Lane> f(rows.data() + edge.i * block_columns);
      const Eigen::Map<const Lane> g(rows.data() + edge.j * block_columns);
      sum += edge.w * (f - g).square();
    }
    for (Index c = 0; c < count; ++c) out(first + c) = sum(c);
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
  // Several columns per unit of work where they are short.
  const Index columns = std::max<Index>(1, 16384 / std::max<Index>(x.n(), 1));
  parallel_for((x.p() + columns - 1) / columns, control, [&](Index t) {
    for (Index r = t * columns; r < std::min(x.p(), (t + 1) * columns); ++r) {
      double mu, spread;
      if (!x.is_sparse() && x.scale() != Scale::unit) {
        // The second pass finds the column in the cache.
        const Eigen::Map<const Eigen::ArrayXd> f(x.stored_column(r).value, x.n());
        mu = volume > 0 ? (d.array() * f).sum() / volume : 0;
        spread = (d.array() * (f - mu).square()).sum();
      } else {
        double sum = 0;
        x.for_each_stored(r, [&](Index i, double v) { sum += d(i) * v; });
        mu = volume > 0 ? sum / volume : 0;
        spread = weighted_squares(x, r, d, volume, mu);
      }
      const double divisor = x.divisor(r);
      out(r) = spread / (divisor * divisor);
      if (mean) (*mean)(r) = (mu - x.shift(r)) / divisor;
    }
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
