#include "core/select/statistics/relieff.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/graph/graph.hpp"
#include "core/optim/manhattan.hpp"

namespace semiselect {

namespace {

constexpr Index block_columns = 16;

struct Range {
  double low, width;  // width 0: constant over the labelled rows
};

std::vector<Range> ranges(const FeatureMatrix& x, const Control& control) {
  std::vector<Range> out(static_cast<std::size_t>(x.p()));
  parallel_for(x.p(), control, [&](Index r) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    if (x.stored_column(r).count < x.n()) low = high = 0;
    x.for_each_stored(r, [&](Index, double v) {
      low = std::min(low, v);
      high = std::max(high, v);
    });
    const bool constant = high - low <= 1e-12 * std::max(std::abs(high), std::abs(low));
    out[static_cast<std::size_t>(r)] = {low, constant ? 0 : high - low};
  });
  return out;
}

// Each probe's terms as edges i < j of a graph, with the weight of |f_i - f_j| in the sum over i.
class Terms {
 public:
  Terms(const Labels& y, int k, Index p) : y_(y), k_(k) {
    for (const Index size : y.class_sizes()) prior_.push_back(static_cast<double>(size));
    for (double& share : prior_) share /= static_cast<double>(y.count());
    double columns = 1;
    while (columns < static_cast<double>(p)) columns *= 2;
    grid_ = std::ldexp(1.0, 40) / columns;
  }

  Index neighbors() const { return static_cast<Index>(prior_.size()) * k_; }

  // distance[j]: from row i to row j, for all rows; NaN: not among the nearest, not known.
  std::vector<Edge> of_probe(Index i, const double* distance) const {
    const int own = y_.code[static_cast<std::size_t>(i)];
    std::vector<std::vector<std::pair<double, Index>>> near(prior_.size());
    for (std::size_t j = 0; j < y_.code.size(); ++j) {
      if (static_cast<Index>(j) == i || std::isnan(distance[j])) continue;
      near[static_cast<std::size_t>(y_.code[j])].emplace_back(std::round(distance[j] * grid_),
                                                              static_cast<Index>(j));
    }
    std::vector<Edge> out;
    for (std::size_t c = 0; c < near.size(); ++c) {
      std::vector<std::pair<double, Index>>& rows = near[c];
      if (rows.empty()) continue;
      const std::size_t found = std::min(rows.size(), static_cast<std::size_t>(k_));
      std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(found - 1),
                       rows.end());
      const bool hit = static_cast<int>(c) == own;
      const double weight = (hit ? -1.0 : prior_[c] / (1 - prior_[static_cast<std::size_t>(own)])) /
                            static_cast<double>(found);
      for (std::size_t s = 0; s < found; ++s) {
        const int j = static_cast<int>(rows[s].second);
        out.push_back({std::min(static_cast<int>(i), j), std::max(static_cast<int>(i), j), weight});
      }
    }
    return out;
  }

  // Rows that may be among the nearest of row i, from distances with the given error.
  std::vector<Index> candidates(Index i, const double* rough, double error) const {
    const double slack = 2 * error + 2 / grid_;
    std::vector<std::vector<double>> values(prior_.size());
    for (std::vector<double>& of_class : values) of_class.reserve(y_.code.size());
    for (std::size_t j = 0; j < y_.code.size(); ++j) {
      if (static_cast<Index>(j) != i)
        values[static_cast<std::size_t>(y_.code[j])].push_back(rough[j]);
    }
    std::vector<double> limit(prior_.size(), 0);
    for (std::size_t c = 0; c < values.size(); ++c) {
      if (values[c].empty()) continue;
      const std::size_t found = std::min(values[c].size(), static_cast<std::size_t>(k_));
      const auto last = values[c].begin() + static_cast<std::ptrdiff_t>(found - 1);
      std::nth_element(values[c].begin(), last, values[c].end());
      limit[c] = *last + slack;
    }
    std::vector<Index> out;
    for (std::size_t j = 0; j < y_.code.size(); ++j) {
      if (static_cast<Index>(j) != i && rough[j] <= limit[static_cast<std::size_t>(y_.code[j])]) {
        out.push_back(static_cast<Index>(j));
      }
    }
    return out;
  }

 private:
  const Labels& y_;
  int k_;
  std::vector<double> prior_;
  double grid_;
};

// One edge per pair, sorted, weights of both directions added in a fixed order.
std::vector<Edge> joined(const std::vector<std::vector<Edge>>& parts) {
  std::vector<Edge> all;
  for (const std::vector<Edge>& part : parts) all.insert(all.end(), part.begin(), part.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const Edge& a, const Edge& b) { return a.i != b.i ? a.i < b.i : a.j < b.j; });
  std::vector<Edge> out;
  for (const Edge& edge : all) {
    if (!out.empty() && out.back().i == edge.i && out.back().j == edge.j) {
      out.back().w += edge.w;
    } else {
      out.push_back(edge);
    }
  }
  return out;
}

std::vector<Edge> dense_terms(const FeatureMatrix& x, const std::vector<Range>& range,
                              const Terms& terms, const Control& control) {
  const Index l = x.n();
  const auto fill = [&](Index first, Index count, double* out) {
    parallel_for(count, control, [&](Index c) {
      const Range& r = range[static_cast<std::size_t>(first + c)];
      double* f = out + c * l;
      if (r.width == 0) {
        std::fill_n(f, l, 0.0);
      } else {
        Index next = 0;
        x.for_each_stored(first + c, [&](Index, double v) { f[next++] = (v - r.low) / r.width; });
      }
    });
  };
  std::vector<std::vector<Edge>> parts(static_cast<std::size_t>(l));
  const double pairs_at_most = 0.1 * static_cast<double>(l) * static_cast<double>(l);
  if (static_cast<double>(terms.neighbors()) * static_cast<double>(l) < pairs_at_most) {
    // Single precision proposes, double decides among what its error leaves open.
    std::vector<std::vector<Index>> open(static_cast<std::size_t>(l));
    std::vector<std::pair<int, int>> pairs;
    {
      const RoughDistances rough = rough_manhattan_distances(l, x.p(), fill, control);
      parallel_for(l, control, [&](Index i) {
        open[static_cast<std::size_t>(i)] =
            terms.candidates(i, rough.distance.data() + i * l, rough.error);
      });
    }
    for (Index i = 0; i < l; ++i) {
      for (const Index j : open[static_cast<std::size_t>(i)]) {
        pairs.emplace_back(static_cast<int>(std::min(i, j)), static_cast<int>(std::max(i, j)));
      }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    if (static_cast<double>(pairs.size()) < pairs_at_most) {
      const std::vector<double> exact = manhattan_distances(l, x.p(), fill, pairs, control);
      parallel_for(l, control, [&](Index i) {
        Eigen::VectorXd distance = Eigen::VectorXd::Constant(l, no_value);
        for (const Index j : open[static_cast<std::size_t>(i)]) {
          const std::pair<int, int> pair(static_cast<int>(std::min(i, j)),
                                         static_cast<int>(std::max(i, j)));
          const auto at = std::lower_bound(pairs.begin(), pairs.end(), pair);
          distance(j) = exact[static_cast<std::size_t>(at - pairs.begin())];
        }
        parts[static_cast<std::size_t>(i)] = terms.of_probe(i, distance.data());
      });
      return joined(parts);
    }
  }
  const Eigen::MatrixXd distance = manhattan_distances(l, x.p(), fill, control);
  parallel_for(l, control, [&](Index i) {
    parts[static_cast<std::size_t>(i)] = terms.of_probe(i, distance.data() + i * l);
  });
  return joined(parts);
}

// |a - b| = |a| + |b| where one of them is 0: only columns that two rows share need more.
std::vector<Edge> sparse_terms(const FeatureMatrix& x, const std::vector<Range>& range,
                               const Terms& terms, const Control& control) {
  const Index l = x.n();
  std::vector<std::vector<std::pair<Index, double>>> rows(static_cast<std::size_t>(l));
  Eigen::VectorXd length = Eigen::VectorXd::Zero(l);
  for (Index c = 0; c < x.p(); ++c) {
    const double width = range[static_cast<std::size_t>(c)].width;
    if (width == 0) continue;
    x.for_each_stored(c, [&](Index i, double v) {
      rows[static_cast<std::size_t>(i)].emplace_back(c, v / width);
      length(i) += std::abs(v / width);
    });
  }
  std::vector<std::vector<Edge>> parts(static_cast<std::size_t>(l));
  parallel_for(l, control, [&](Index i) {
    Eigen::VectorXd distance = length.array() + length(i);
    for (const auto& entry : rows[static_cast<std::size_t>(i)]) {
      const double width = range[static_cast<std::size_t>(entry.first)].width;
      const double a = entry.second;
      x.for_each_stored(entry.first, [&](Index j, double v) {
        const double b = v / width;
        distance(j) += std::abs(a - b) - std::abs(a) - std::abs(b);
      });
    }
    parts[static_cast<std::size_t>(i)] = terms.of_probe(i, distance.data());
  });
  return joined(parts);
}

// sum over edges of w |f_i - f_j| of the stored columns, 16 side by side.
Eigen::VectorXd dense_sums(const FeatureMatrix& x, const std::vector<Edge>& edges,
                           const Control& control) {
  Eigen::VectorXd out(x.p());
  parallel_ranges(x.p(), block_columns, control, [&](Index begin, Index end) {
    std::vector<double> rows(static_cast<std::size_t>(x.n() * block_columns), 0.0);
    for (Index c = begin; c < end; ++c) {
      x.for_each_stored(c, [&](Index i, double v) { rows[i * block_columns + c - begin] = v; });
    }
    double sum[block_columns] = {};
    for (const Edge& edge : edges) {
      const double* f = rows.data() + edge.i * block_columns;
      const double* g = rows.data() + edge.j * block_columns;
      for (Index c = 0; c < block_columns; ++c) sum[c] += edge.w * std::abs(f[c] - g[c]);
    }
    for (Index c = begin; c < end; ++c) out(c) = sum[c - begin];
  });
  return out;
}

Eigen::VectorXd sparse_sums(const FeatureMatrix& x, const std::vector<Edge>& edges,
                            const Control& control) {
  const Graph graph = make_graph(x.n(), edges);
  Eigen::VectorXd out(x.p());
  parallel_ranges(x.p(), 256, control, [&](Index begin, Index end) {
    std::vector<double> value(static_cast<std::size_t>(x.n()), 0.0);
    std::vector<char> stored(static_cast<std::size_t>(x.n()), 0);
    for (Index c = begin; c < end; ++c) {
      x.for_each_stored(c, [&](Index i, double v) {
        value[static_cast<std::size_t>(i)] = v;
        stored[static_cast<std::size_t>(i)] = 1;
      });
      double sum = 0;
      x.for_each_stored(c, [&](Index i, double v) {
        for (Eigen::SparseMatrix<double>::InnerIterator w(graph.w, i); w; ++w) {
          const std::size_t j = static_cast<std::size_t>(w.index());
          if (stored[j] && w.index() < i) continue;  // seen from the other end
          sum += w.value() * std::abs(v - value[j]);
        }
      });
      x.for_each_stored(c, [&](Index i, double) {
        value[static_cast<std::size_t>(i)] = 0;
        stored[static_cast<std::size_t>(i)] = 0;
      });
      out(c) = sum;
    }
  });
  return out;
}

}  // namespace

Selection relieff(const Problem& problem, int k, const Control& control) {
  const std::vector<Index> labelled = problem.y.labelled_rows();
  const Index l = static_cast<Index>(labelled.size());
  const FeatureMatrix x = l == problem.z.n() ? problem.z : problem.z.rows(labelled);
  Labels y;
  y.classes = problem.y.classes;
  for (const Index i : labelled) y.code.push_back(problem.y.code[static_cast<std::size_t>(i)]);

  const std::vector<Range> range = ranges(x, control);
  const Terms terms(y, k, x.p());
  const std::vector<Edge> edges = x.is_sparse() ? sparse_terms(x, range, terms, control)
                                                : dense_terms(x, range, terms, control);
  Selection out;
  out.statistic = x.is_sparse() ? sparse_sums(x, edges, control) : dense_sums(x, edges, control);
  for (Index r = 0; r < x.p(); ++r) {
    const double width = range[static_cast<std::size_t>(r)].width;
    out.statistic(r) = width == 0 ? 0 : out.statistic(r) / width / static_cast<double>(l);
  }
  return out;
}

}  // namespace semiselect
