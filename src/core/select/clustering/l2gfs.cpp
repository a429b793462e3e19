#include "core/select/clustering/l2gfs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "core/cluster/assignment.hpp"
#include "core/run/errors.hpp"

namespace semiselect {

namespace {

constexpr Index tile_rows = RowStore::tile_rows;
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// exp(values) / sum, entries of minus infinity 0.
Eigen::VectorXd normalized(const Eigen::VectorXd& logs) {
  const double top = logs.maxCoeff();
  const Eigen::VectorXd out = (logs.array() - top).exp();
  return out / out.sum();
}

L2gfsFit l2gfs_run(const Problem& data, const RowStore& store, const LinkGroups& links,
                   const GroupAssigner& assigner, const ClusterStart& start,
                   const L2gfsOptions& options, const Control& control) {
  const Index n = store.n(), p = store.p();
  const double beta = options.beta, tau = options.tau;
  const Eigen::VectorXd& v = store.variance();
  Eigen::MatrixXd centroids = start_centroids(start, data, store);
  const Index K = centroids.rows();

  Eigen::MatrixXd log_weight(K, p);
  for (Index j = 0; j < p; ++j) {
    for (Index q = 0; q < K; ++q) {
      const Index from = start.weights.rows() == 1 ? 0 : q;
      log_weight(q, j) = start.weights.size() == 0
                             ? -std::log(static_cast<double>(p))
                             : std::log(start.weights(from, store.columns()[j]));
    }
  }
  // w^beta; a weight of 0 takes its feature out of the distance, whatever the sign of beta.
  const auto power = [&](double log_w) {
    return log_w == minus_infinity ? 0 : std::exp(beta * log_w);
  };

  std::vector<int> labels(static_cast<std::size_t>(n), -1), before, groups;
  std::vector<double> distance(static_cast<std::size_t>(n * K));
  Eigen::MatrixXd dispersion = Eigen::MatrixXd::Zero(K, p);
  std::vector<Index> size(static_cast<std::size_t>(K));
  Control quiet = control;
  quiet.progress = [](double) {};

  L2gfsFit fit;
  for (int iteration = 0; iteration < options.max_iter && p > 0; ++iteration) {
    control.check_interrupt();
    Eigen::MatrixXd omega(K, p);
    Eigen::VectorXd offset = Eigen::VectorXd::Zero(K);
    for (Index j = 0; j < p; ++j) {
      for (Index q = 0; q < K; ++q) {
        omega(q, j) = power(log_weight(q, j));
        offset(q) += omega(q, j) * tau * v(j);
      }
    }
    const RowStore::Terms terms = store.terms(omega, centroids, offset);
    parallel_for(store.blocks(), quiet, [&](Index block) {
      std::vector<double> d(static_cast<std::size_t>(K * tile_rows));
      for (Index tile = store.first_tile(block); tile < store.first_tile(block + 1); ++tile) {
        store.distances(tile, terms, d.data());
        const Index first = tile * tile_rows, last = std::min(n, first + tile_rows);
        for (Index i = first; i < last; ++i) {
          for (Index q = 0; q < K; ++q) distance[i * K + q] = d[q * tile_rows + i - first];
        }
      }
    });

    // Assignment: groups together, other rows each by itself.
    before = labels;
    Eigen::MatrixXd cost = Eigen::MatrixXd::Zero(links.groups, K);
    for (Index i = 0; i < n; ++i) {
      const int g = links.group[i];
      const double* d = &distance[i * K];
      if (g != LinkGroups::none) {
        for (Index q = 0; q < K; ++q) cost(g, q) += d[q];
        continue;
      }
      const double most = *std::max_element(d, d + K);
      const double least = *std::min_element(d, d + K);
      // Distances that differ by rounding are equal: the lowest cluster, or that of before.
      const double tie = least + 1e-13 * most;
      if (iteration > 0 && d[before[i]] <= tie) continue;
      int q = 0;
      while (d[q] > tie) ++q;
      labels[i] = q;
    }
    if (links.groups > 0) {
      assigner.assign(cost, &groups);
      for (Index i = 0; i < n; ++i) {
        if (links.group[i] != LinkGroups::none) labels[i] = groups[links.group[i]];
      }
    }
    std::fill(size.begin(), size.end(), 0);
    for (const int q : labels) ++size[q];
    for (int q = 0; q < K; ++q) {
      if (size[q] > 0) continue;
      Index farthest = -1;
      for (Index i = 0; i < n; ++i) {
        if (links.group[i] != LinkGroups::none || size[labels[i]] < 2) continue;
        if (farthest < 0 ||
            distance[i * K + labels[i]] > distance[farthest * K + labels[farthest]]) {
          farthest = i;
        }
      }
      if (farthest < 0) continue;
      --size[labels[farthest]];
      labels[farthest] = q;
      ++size[q];
    }

    // Centroids and dispersions.
    std::vector<RowStore::Sums> parts(static_cast<std::size_t>(store.blocks()));
    parallel_for(store.blocks(), quiet, [&](Index block) {
      RowStore::Sums& part = parts[block];
      part = store.sums(K, false);
      std::vector<double> member(static_cast<std::size_t>(K * tile_rows));
      for (Index tile = store.first_tile(block); tile < store.first_tile(block + 1); ++tile) {
        const Index first = tile * tile_rows, last = std::min(n, first + tile_rows);
        std::fill(member.begin(), member.end(), 0.0);
        for (Index i = first; i < last; ++i) member[labels[i] * tile_rows + i - first] = 1;
        store.accumulate(tile, member.data(), part);
      }
    });
    RowStore::Sums sums = std::move(parts[0]);
    for (std::size_t block = 1; block < parts.size(); ++block) sums.add(parts[block]);
    store.finish(sums);
    for (Index j = 0; j < p; ++j) {
      bool residuals = false;
      for (Index q = 0; q < K; ++q) {
        dispersion(q, j) = 0;
        if (size[q] == 0) continue;
        const double count = static_cast<double>(size[q]);
        const double c = sums.sums[q * sums.width + j] / count;
        const double squares = sums.squares[q * sums.width + j];
        centroids(q, j) = c;
        dispersion(q, j) = squares - count * c * c;
        residuals = residuals || dispersion(q, j) < 1e-8 * squares;
      }
      if (!residuals) continue;
      // The difference may be rounding alone: a true zero shows only in the residuals, taken
      // from the values as they are, since moving a column also leaves rounding in it.
      const Eigen::VectorXd f = store.column(j);
      Eigen::VectorXd low = Eigen::VectorXd::Constant(K, std::numeric_limits<double>::infinity());
      Eigen::VectorXd high = -low, squares = Eigen::VectorXd::Zero(K);
      for (Index i = 0; i < n; ++i) {
        const int q = labels[i];
        const double gap = f(i) - centroids(q, j);
        squares(q) += gap * gap;
        low(q) = std::min(low(q), f(i));
        high(q) = std::max(high(q), f(i));
      }
      for (Index q = 0; q < K; ++q) {
        if (dispersion(q, j) < 1e-8 * sums.squares[q * sums.width + j]) {
          dispersion(q, j) = low(q) == high(q) ? 0 : squares(q);
        }
      }
    }

    // Weights, in logarithms.
    double Q = 0;
    for (Index q = 0; q < K; ++q) {
      const double count = static_cast<double>(size[q]);
      const double total = dispersion.row(q).sum();
      for (Index j = 0; j < p; ++j) {
        double S = dispersion(q, j);
        if (tau > 0) {
          S += std::max(count, 1.0) * tau * v(j);
        } else if (S <= 1e-12 * total) {
          S = total > 0 ? 0 : 1;
        }
        log_weight(q, j) = S > 0 ? std::log(S) / (1 - beta) : minus_infinity;
      }
      const double top = log_weight.row(q).maxCoeff();
      log_weight.row(q).array() -=
          top + std::log((log_weight.row(q).array() - top).exp().sum());
      for (Index j = 0; j < p; ++j) {
        Q += power(log_weight(q, j)) * (dispersion(q, j) + count * tau * v(j));
      }
    }
    fit.objective.push_back(Q);
    fit.iterations = iteration + 1;
    control.progress(static_cast<double>(iteration + 1) / options.max_iter);
    if (labels == before) {
      fit.converged = true;
      break;
    }
  }
  if (p == 0) {
    fit.converged = true;
    std::fill(labels.begin(), labels.end(), 0);
  }

  fit.cluster.resize(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) fit.cluster[store.rows()[i]] = labels[i];
  fit.centroids = reported_centroids(centroids, data, store);
  fit.local_weights = Eigen::MatrixXd::Zero(K, data.x.p());
  fit.weights = fit.relevance = Eigen::VectorXd::Zero(data.x.p());
  fit.pure.assign(static_cast<std::size_t>(data.x.p()), false);
  for (Index q = 0; q < K && p > 0; ++q) {
    Eigen::VectorXd falling = log_weight.row(q).transpose();
    if (beta < 0) {
      for (Index j = 0; j < p; ++j) {
        falling(j) = falling(j) == minus_infinity ? minus_infinity : beta * falling(j);
      }
    }
    falling = normalized(falling);
    for (Index j = 0; j < p; ++j) {
      const Index c = store.columns()[j];
      fit.local_weights(q, c) = std::exp(log_weight(q, j));
      fit.weights(c) += fit.local_weights(q, c) / static_cast<double>(K);
      fit.relevance(c) += falling(j) / static_cast<double>(K);
    }
  }
  const Eigen::VectorXd total = dispersion.rowwise().sum();
  for (Index j = 0; j < p; ++j) {
    fit.pure[static_cast<std::size_t>(store.columns()[j])] =
        (dispersion.col(j).array() <= 1e-12 * total.array()).all();
  }
  return fit;
}

}  // namespace

void refuse_contradiction(const LinkGroups& links) {
  if (!links.contradiction) return;
  throw InputError("Rows " + std::to_string(links.contradiction->first + 1) + " and " +
                   std::to_string(links.contradiction->second + 1) +
                   " are both must-linked and cannot-linked, directly or through other pairs. "
                   "Drop one of these constraints.");
}

L2gfs l2gfs(const Problem& data, const std::vector<ClusterStart>& starts,
            const L2gfsOptions& options, const Control& control) {
  const LinkGroups links = close_constraints(data.x.n(), data.y, data.constraints);
  refuse_contradiction(links);
  std::vector<Index> rows(static_cast<std::size_t>(data.x.n()));
  std::iota(rows.begin(), rows.end(), 0);
  const RowStore store(data.z, active_columns(data), rows);
  const Index K = starts[0].centroids.size() > 0 ? starts[0].centroids.rows()
                                                 : static_cast<Index>(starts[0].rows.size());
  const GroupAssigner assigner(links, K);

  const Index runs = static_cast<Index>(starts.size());
  std::vector<L2gfsFit> fits(starts.size());
  for_each_run(runs, store, control, [&](Index run, const Control& own) {
    fits[run] = l2gfs_run(data, store, links, assigner, starts[run], options, own);
  });

  L2gfs out;
  out.weights = out.relevance = Eigen::VectorXd::Zero(data.x.p());
  for (Index run = 0; run < runs; ++run) {
    out.weights += fits[run].weights / static_cast<double>(runs);
    out.relevance += fits[run].relevance / static_cast<double>(runs);
    out.final_objective.push_back(fits[run].objective.empty() ? 0 : fits[run].objective.back());
    if (out.final_objective[run] < out.final_objective[out.best]) out.best = static_cast<int>(run);
  }
  for (Index j = 0; j < data.x.p(); ++j) {
    const bool pure = std::all_of(fits.begin(), fits.end(), [&](const L2gfsFit& fit) {
      return fit.pure[static_cast<std::size_t>(j)];
    });
    if (pure) out.pure_order.push_back(j);
  }
  Eigen::VectorXd variance = Eigen::VectorXd::Zero(data.x.p());
  for (Index j = 0; j < store.p(); ++j) variance(store.columns()[j]) = store.variance()(j);
  std::stable_sort(out.pure_order.begin(), out.pure_order.end(),
                   [&](Index a, Index b) { return variance(a) > variance(b); });
  out.fit = std::move(fits[out.best]);
  return out;
}

}  // namespace semiselect
