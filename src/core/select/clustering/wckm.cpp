#include "core/select/clustering/wckm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace semiselect {

namespace {

constexpr Index tile_rows = RowStore::tile_rows;

// a_q proportional to D_q^(-1/(m-1)); relative to the least distance, so that nothing overflows.
void free_membership(const double* distance, Index K, double m, double* out) {
  double least = distance[0];
  for (Index q = 1; q < K; ++q) least = std::min(least, distance[q]);
  double sum = 0;
  for (Index q = 0; q < K; ++q) {
    const double ratio = least / distance[q];
    out[q] = m == 2 ? ratio : std::pow(ratio, 1 / (m - 1));
    sum += out[q];
  }
  for (Index q = 0; q < K; ++q) out[q] /= sum;
}

void square_membership(const double* distance, const double* penalty, Index K, double* out) {
  std::vector<Index> by_penalty(static_cast<std::size_t>(K));
  std::iota(by_penalty.begin(), by_penalty.end(), 0);
  std::stable_sort(by_penalty.begin(), by_penalty.end(),
                   [&](Index a, Index b) { return penalty[a] < penalty[b]; });
  std::fill_n(out, K, 0.0);
  // The support is an initial part of this order, and u is least at its end.
  for (Index size = K; size >= 1; --size) {
    const auto slack = [&](Index q) {
      double sum = 0;
      for (Index t = 0; t < size; ++t) {
        sum += (penalty[by_penalty[t]] - penalty[q]) / distance[by_penalty[t]];
      }
      return 1 + 0.5 * sum;
    };
    if (slack(by_penalty[size - 1]) < 0) continue;
    double total = 0, sum = 0;
    for (Index t = 0; t < size; ++t) total += 1 / distance[by_penalty[t]];
    for (Index t = 0; t < size; ++t) {
      const Index q = by_penalty[t];
      out[q] = std::max(0.0, (1 / distance[q]) / total * slack(q));
      sum += out[q];
    }
    for (Index q = 0; q < K; ++q) out[q] /= sum;
    return;
  }
}

// a_q = (max(kappa - P_q, 0) / (m D_q))^(1/(m-1)), kappa such that they sum to one.
void power_membership(const double* distance, const double* penalty, Index K, double m,
                      double* out) {
  const double power = 1 / (m - 1);
  const double least = *std::min_element(penalty, penalty + K);
  const double most = *std::max_element(penalty, penalty + K);
  const double far = *std::max_element(distance, distance + K);
  double low = 0, high = m * far + (most - least);  // of kappa - least
  const auto fill = [&](double kappa, double* slope) {
    double sum = 0;
    *slope = 0;
    for (Index q = 0; q < K; ++q) {
      const double above = kappa - (penalty[q] - least);
      out[q] = above > 0 ? std::pow(above / (m * distance[q]), power) : 0;
      sum += out[q];
      if (above > 0) *slope += power * out[q] / above;
    }
    return sum;
  };
  double kappa = 0.5 * (low + high), slope = 0;
  for (int step = 0; step < 200; ++step) {
    const double gap = fill(kappa, &slope) - 1;
    if (std::abs(gap) <= 1e-13) break;
    (gap > 0 ? high : low) = kappa;
    const double newton = kappa - gap / slope;
    kappa = newton > low && newton < high ? newton : 0.5 * (low + high);
    if (high - low <= 1e-15 * high) break;
  }
  const double sum = fill(kappa, &slope);
  for (Index q = 0; q < K; ++q) out[q] /= sum;
}

double dot(const double* a, const double* b, Index K) {
  double sum = 0;
  for (Index q = 0; q < K; ++q) sum += a[q] * b[q];
  return sum;
}

// The penalty: memberships of the constrained rows, `a`, one row after the other.
class Penalty {
 public:
  Penalty(const SoftLinks& links, Index K) : links_(links), K_(K) {}

  // Class sums anew, so that rounding does not build up over the iterations.
  void restart(const double* a) {
    class_sum_.assign(static_cast<std::size_t>(links_.classes * K_), 0.0);
    sum_.assign(static_cast<std::size_t>(K_), 0.0);
    size_.assign(static_cast<std::size_t>(links_.classes), 0.0);
    for (std::size_t i = 0; i < links_.rows.size(); ++i) {
      const int c = links_.code[i];
      if (c == unlabelled) continue;
      ++size_[c];
      for (Index q = 0; q < K_; ++q) {
        class_sum_[c * K_ + q] += a[i * K_ + q];
        sum_[q] += a[i * K_ + q];
      }
    }
  }

  // P_q of row i, without lambda.
  void at(std::size_t i, const double* a, double* out) const {
    std::fill_n(out, K_, 0.0);
    const int c = links_.code[i];
    if (c != unlabelled) {
      for (Index q = 0; q < K_; ++q) {
        const double own = class_sum_[c * K_ + q];
        out[q] += (size_[c] - 1) - (own - a[i * K_ + q]) + (sum_[q] - own);
      }
    }
    for (const int r : links_.mates[i]) {
      for (Index q = 0; q < K_; ++q) out[q] += 1 - a[r * K_ + q];
    }
    for (const int r : links_.foes[i]) {
      for (Index q = 0; q < K_; ++q) out[q] += a[r * K_ + q];
    }
  }

  void changed(std::size_t i, const double* before, const double* after) {
    const int c = links_.code[i];
    if (c == unlabelled) return;
    for (Index q = 0; q < K_; ++q) {
      class_sum_[c * K_ + q] += after[q] - before[q];
      sum_[q] += after[q] - before[q];
    }
  }

  // The two sums, from the memberships as they are.
  void violations(const double* a, double* must_link, double* cannot_link) {
    restart(a);
    *must_link = *cannot_link = 0;
    double total = dot(sum_.data(), sum_.data(), K_);
    for (int c = 0; c < links_.classes; ++c) {
      const double* own = class_sum_.data() + c * K_;
      const double square = dot(own, own, K_);
      *must_link += 0.5 * size_[c] * (size_[c] - 1) - 0.5 * square;
      total -= square;
    }
    *cannot_link = 0.5 * total;
    for (std::size_t i = 0; i < links_.rows.size(); ++i) {
      const double* own = a + i * K_;
      if (links_.code[i] != unlabelled) *must_link += 0.5 * dot(own, own, K_);
      for (const int r : links_.mates[i]) *must_link += 0.5 * (1 - dot(own, a + r * K_, K_));
      for (const int r : links_.foes[i]) *cannot_link += 0.5 * dot(own, a + r * K_, K_);
    }
    *must_link = std::max(*must_link, 0.0);
    *cannot_link = std::max(*cannot_link, 0.0);
  }

 private:
  const SoftLinks& links_;
  Index K_;
  std::vector<double> class_sum_, sum_, size_;
};

}  // namespace

void simplex_membership(const double* distance, const double* penalty, Index clusters,
                        double fuzzifier, double* out) {
  if (fuzzifier == 2) {
    square_membership(distance, penalty, clusters, out);
  } else {
    power_membership(distance, penalty, clusters, fuzzifier, out);
  }
}

SoftLinks soft_links(Index n, const Labels& y, const Constraints& given) {
  std::vector<char> constrained(static_cast<std::size_t>(n), 0);
  for (std::size_t i = 0; i < y.code.size(); ++i) constrained[i] = y.code[i] != unlabelled;
  for (const auto* list : {&given.must_link, &given.cannot_link}) {
    for (const Pair& pair : *list) constrained[pair.first] = constrained[pair.second] = 1;
  }

  SoftLinks out;
  out.classes = y.classes;
  std::vector<int> place(static_cast<std::size_t>(n), -1);
  for (int i = 0; i < n; ++i) {
    if (!constrained[i]) continue;
    place[i] = static_cast<int>(out.rows.size());
    out.rows.push_back(i);
    out.code.push_back(y.code.empty() ? unlabelled : y.code[i]);
  }
  out.mates.resize(out.rows.size());
  out.foes.resize(out.rows.size());
  const auto list = [&](const std::vector<Pair>& pairs, bool same,
                        std::vector<std::vector<int>>& to) {
    for (const Pair& pair : pairs) {
      const int i = place[pair.first], j = place[pair.second];
      const int a = out.code[i], b = out.code[j];
      // A pair that the labels imply counts once.
      if (a != unlabelled && b != unlabelled && (a == b) == same) continue;
      to[i].push_back(j);
      to[j].push_back(i);
    }
  };
  list(given.must_link, true, out.mates);
  list(given.cannot_link, false, out.foes);
  return out;
}

WckmFit wckm_run(const Problem& data, const RowStore& store, const SoftLinks& links,
                 const ClusterStart& start, const WckmOptions& options, const Control& control) {
  const Index n = store.n(), p = store.p();
  const double m = options.fuzzifier, beta = options.beta;
  const double lambda =
      options.lambda * (options.scale_penalty ? std::pow(static_cast<double>(p), -beta) *
                                                    store.variance().sum()
                                              : 1);
  Eigen::MatrixXd centroids = start_centroids(start, data, store);
  const Index K = centroids.rows();
  const Index constrained = static_cast<Index>(links.rows.size());

  // log w: weights of very unequal features underflow otherwise.
  Eigen::VectorXd log_weight(p);
  for (Index j = 0; j < p; ++j) {
    log_weight(j) = start.weights.size() == 0 ? -std::log(static_cast<double>(p))
                                              : std::log(start.weights(0, store.columns()[j]));
  }

  // a of the store's row i in [i K, (i + 1) K): constrained rows first.
  std::vector<double> a(static_cast<std::size_t>(n * K), 0.0);
  std::vector<double> distance(static_cast<std::size_t>(constrained * K));
  std::vector<double> penalty_at(static_cast<std::size_t>(K)), before(penalty_at);
  std::vector<double> d(static_cast<std::size_t>(K * tile_rows));
  Penalty penalty(links, K);

  WckmFit fit;
  for (int iteration = 0; iteration < options.max_iter && p > 0; ++iteration) {
    control.check_interrupt();
    Eigen::MatrixXd omega(1, p);
    for (Index j = 0; j < p; ++j) omega(0, j) = std::exp(beta * log_weight(j));
    const RowStore::Terms terms = store.terms(omega, centroids, Eigen::VectorXd::Zero(K));
    // The mean of all distances in closed form, as the columns have mean 0.
    double mean = 0;
    for (Index j = 0; j < p; ++j) {
      mean += omega(0, j) * (store.variance()(j) +
                             centroids.col(j).squaredNorm() / static_cast<double>(K));
    }
    const double least = mean > 0 ? 1e-12 * mean : 1e-300;

    // Constrained rows, one after the other.
    for (Index tile = 0; tile * tile_rows < constrained; ++tile) {
      store.distances(tile, terms, d.data());
      const Index last = std::min(constrained, (tile + 1) * tile_rows);
      for (Index i = tile * tile_rows; i < last; ++i) {
        for (Index q = 0; q < K; ++q) {
          distance[i * K + q] = std::max(d[q * tile_rows + i % tile_rows], least);
        }
        if (iteration == 0) free_membership(&distance[i * K], K, m, &a[i * K]);
      }
    }
    if (lambda > 0) {
      penalty.restart(a.data());
      for (Index i = 0; i < constrained; ++i) {
        penalty.at(static_cast<std::size_t>(i), a.data(), penalty_at.data());
        for (double& value : penalty_at) value *= lambda;
        std::copy_n(&a[i * K], K, before.data());
        simplex_membership(&distance[i * K], penalty_at.data(), K, m, &a[i * K]);
        penalty.changed(static_cast<std::size_t>(i), before.data(), &a[i * K]);
      }
    } else {
      for (Index i = 0; i < constrained; ++i) free_membership(&distance[i * K], K, m, &a[i * K]);
    }

    // The other rows, and the sums over all.
    const Index blocks = store.blocks();
    std::vector<RowStore::Sums> parts(static_cast<std::size_t>(blocks));
    Control quiet = control;
    quiet.progress = [](double) {};
    parallel_for(blocks, quiet, [&](Index block) {
      RowStore::Sums& part = parts[block];
      part = store.sums(K, true);
      std::vector<double> tile_distance(static_cast<std::size_t>(K * tile_rows));
      std::vector<double> powered(static_cast<std::size_t>(K * tile_rows));
      std::vector<double> own(static_cast<std::size_t>(K));
      for (Index tile = store.first_tile(block); tile < store.first_tile(block + 1); ++tile) {
        const Index first = tile * tile_rows, last = std::min(n, first + tile_rows);
        if (last > constrained) store.distances(tile, terms, tile_distance.data());
        std::fill(powered.begin(), powered.end(), 0.0);
        for (Index i = first; i < last; ++i) {
          if (i >= constrained) {
            for (Index q = 0; q < K; ++q) {
              own[q] = std::max(tile_distance[q * tile_rows + i - first], least);
            }
            free_membership(own.data(), K, m, &a[i * K]);
          }
          for (Index q = 0; q < K; ++q) {
            const double value = a[i * K + q];
            powered[q * tile_rows + i - first] = m == 2 ? value * value : std::pow(value, m);
          }
        }
        store.accumulate(tile, powered.data(), part);
      }
    });
    RowStore::Sums sums = std::move(parts[0]);
    for (Index block = 1; block < blocks; ++block) sums.add(parts[block]);
    store.finish(sums);

    // Centroids and dispersions; S_j by the expanded form, exact as c is the weighted mean.
    Eigen::VectorXd dispersion(p);
    for (Index j = 0; j < p; ++j) {
      double S = sums.squares[j];
      for (Index q = 0; q < K; ++q) {
        if (!(sums.weight[q] > 0)) continue;
        const double c = sums.sums[q * sums.width + j] / sums.weight[q];
        centroids(q, j) = c;
        S -= sums.weight[q] * c * c;
      }
      if (S < 1e-8 * sums.squares[j]) {
        // Almost nothing is left of the difference: from the residuals.
        const Eigen::VectorXd f = store.column(j);
        S = 0;
        for (Index i = 0; i < n; ++i) {
          for (Index q = 0; q < K; ++q) {
            const double value = a[i * K + q];
            const double gap = f(i) - centroids(q, j);
            S += (m == 2 ? value * value : std::pow(value, m)) * gap * gap;
          }
        }
      }
      dispersion(j) = S;
    }

    // Weights, in logarithms.
    const double total = dispersion.sum();
    if (total > 0) {
      const double floor = 1e-12 * total;
      for (Index j = 0; j < p; ++j) {
        log_weight(j) = std::log(std::max(dispersion(j), floor)) / (1 - beta);
      }
      const double top = log_weight.maxCoeff();
      log_weight.array() -= top + std::log((log_weight.array() - top).exp().sum());
    } else {
      log_weight.setConstant(-std::log(static_cast<double>(p)));
    }

    double must_link, cannot_link;
    penalty.violations(a.data(), &must_link, &cannot_link);
    double F = lambda * (must_link + cannot_link);
    for (Index j = 0; j < p; ++j) F += std::exp(beta * log_weight(j)) * dispersion(j);
    fit.objective.push_back(F);
    fit.must_link.push_back(must_link);
    fit.cannot_link.push_back(cannot_link);
    fit.iterations = iteration + 1;
    control.progress(static_cast<double>(iteration + 1) / options.max_iter);
    if (options.tol >= 0 && iteration > 0) {
      const double previous = fit.objective[fit.objective.size() - 2];
      if (previous - F <= options.tol * std::abs(previous)) {
        fit.converged = true;
        break;
      }
    }
  }
  if (options.tol < 0 || p == 0) fit.converged = true;  // what was asked for was done

  fit.memberships = Eigen::MatrixXd::Constant(n, K, 1.0 / static_cast<double>(K));
  if (p > 0) {
    for (Index i = 0; i < n; ++i) {
      for (Index q = 0; q < K; ++q) fit.memberships(store.rows()[i], q) = a[i * K + q];
    }
  }
  fit.centroids = reported_centroids(centroids, data, store);
  fit.weights = fit.relevance = Eigen::VectorXd::Zero(data.x.p());
  const Eigen::ArrayXd rising = beta > 1 ? log_weight : Eigen::VectorXd(beta * log_weight);
  const double top = p > 0 ? rising.maxCoeff() : 0;
  const double sum = (rising - top).exp().sum();
  for (Index j = 0; j < p; ++j) {
    fit.weights(store.columns()[j]) = std::exp(log_weight(j));
    fit.relevance(store.columns()[j]) = std::exp(rising(j) - top) / sum;
  }
  return fit;
}

Wckm wckm(const Problem& data, const std::vector<ClusterStart>& starts, const WckmOptions& options,
          const Control& control) {
  const SoftLinks links = soft_links(data.x.n(), data.y, data.constraints);
  std::vector<Index> rows(links.rows.begin(), links.rows.end());
  std::vector<char> first(static_cast<std::size_t>(data.x.n()), 0);
  for (const Index i : rows) first[i] = 1;
  for (Index i = 0; i < data.x.n(); ++i) {
    if (!first[i]) rows.push_back(i);
  }
  const RowStore store(data.z, active_columns(data), rows);

  const Index runs = static_cast<Index>(starts.size());
  std::vector<WckmFit> fits(starts.size());
  for_each_run(runs, store, control, [&](Index run, const Control& own) {
    fits[run] = wckm_run(data, store, links, starts[run], options, own);
  });

  Wckm out;
  out.weights = out.relevance = Eigen::VectorXd::Zero(data.x.p());
  for (Index run = 0; run < runs; ++run) {
    out.weights += fits[run].weights / static_cast<double>(runs);
    out.relevance += fits[run].relevance / static_cast<double>(runs);
    out.final_objective.push_back(fits[run].objective.empty() ? 0 : fits[run].objective.back());
    if (out.final_objective[run] < out.final_objective[out.best]) out.best = static_cast<int>(run);
  }
  out.fit = std::move(fits[out.best]);
  return out;
}

}  // namespace semiselect
