#include "core/select/margin/senfs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "core/optim/platt.hpp"
#include "core/run/errors.hpp"
#include "core/run/parallel.hpp"
#include "core/run/rng.hpp"

namespace semiselect {

namespace {

constexpr int max_outer = 50;
constexpr double outer_tol = 1e-9;
constexpr double search_tol = 1e-3;
constexpr int search_iter = 400;
constexpr int final_iter = 20000;
constexpr double small_problem = 1e5;    // n p up to which the search is as tight as the rest
constexpr double path_end = 0.01;        // smallest lambda1 of a path, of the largest
constexpr double admm_rho = 10;          // better than 1 and 100
constexpr int admm_iter = 300;

// The rows the solver sees and what is the same for every class, start and lambda1.
struct Machine {
  explicit Machine(const SenfsOptions& given) : options(given) {}

  const SenfsOptions& options;
  bool convex = false;        // no unlabelled row has a weight
  bool balance = false;
  std::vector<Index> rows;    // of the problem; ascending
  std::vector<Index> loose;   // positions in `rows` of the unlabelled
  Eigen::VectorXd principal;  // first principal component scores of the loose rows
  std::shared_ptr<const ElasticNetSvm> svm;
  double lambda2 = 0;

  ElasticNetSvmOptions search() const {
    ElasticNetSvmOptions inner = tight();
    if (static_cast<double>(svm->n()) * static_cast<double>(svm->p()) <= small_problem) {
      return inner;
    }
    inner.tol = std::max(search_tol, options.tol);
    inner.max_iter = search_iter;
    inner.exact = false;
    return inner;
  }
  ElasticNetSvmOptions tight() const {
    ElasticNetSvmOptions inner;
    inner.tol = options.tol;
    inner.max_iter = final_iter;
    return inner;
  }
};

// One class against the rest.
struct TwoClass {
  Eigen::VectorXd sign;      // of machine.rows: +1, -1, 0 = unlabelled
  Eigen::VectorXd centroid;  // (x_i - m)'(mean of + less mean of -) of the loose rows
  double r = 0;
  double lambda1 = 0;
  double reference = 0;
};

using Assignment = std::vector<int>;  // of machine.loose: -1, 0, +1

struct Run {
  ElasticNetSvmFit fit;  // of the best iterate
  double objective = std::numeric_limits<double>::infinity();
  std::vector<double> trace;
  Assignment assignment;
  ElasticNetSvmState state;
  int inner = 0;
  bool converged = false;
};

double unlabelled_loss(double g, double s) {
  return std::min(1 - s, std::max(0.0, 1 - std::abs(g)));
}

double objective(const Machine& machine, const TwoClass& problem, double cost_unlabelled,
                 double lambda1, const ElasticNetSvmFit& fit) {
  double labelled = 0, loose = 0;
  for (Index i = 0; i < fit.g.size(); ++i) {
    if (problem.sign(i) != 0) labelled += std::max(0.0, 1 - problem.sign(i) * fit.g(i));
  }
  for (const Index i : machine.loose) loose += unlabelled_loss(fit.g(i), machine.options.s);
  return machine.options.cost * labelled + cost_unlabelled * loose +
         lambda1 * fit.t.lpNorm<1>() + machine.lambda2 / 2 * fit.t.squaredNorm();
}

Assignment assign(const Machine& machine, const Eigen::VectorXd& g) {
  Assignment e(machine.loose.size());
  for (std::size_t k = 0; k < e.size(); ++k) {
    const double value = g(machine.loose[k]);
    e[k] = std::abs(value) <= machine.options.s ? 0 : value > 0 ? 1 : -1;
  }
  return e;
}

// Majorize and minimize from an assignment. `state` as it stands is the warm start.
Run descend(const Machine& machine, const TwoClass& problem, double cost_unlabelled,
            double lambda1, Assignment e, ElasticNetSvmState state,
            const ElasticNetSvmOptions& inner, const Control& control) {
  HingeRows rows;
  rows.offset = problem.r;
  rows.sign = problem.sign;
  rows.weight = (problem.sign.array() != 0).select(
      Eigen::ArrayXd::Constant(problem.sign.size(), machine.options.cost), 0.0);

  Run run;
  run.state = std::move(state);
  ElasticNetSvmState& current = run.state;
  std::size_t kept = 0;
  double before = std::numeric_limits<double>::infinity();
  const int rounds = machine.convex ? 1 : max_outer;
  for (int outer = 0; outer < rounds; ++outer) {
    for (std::size_t k = 0; k < e.size(); ++k) {
      rows.sign(machine.loose[k]) = e[k] < 0 ? -1 : 1;
      rows.weight(machine.loose[k]) = e[k] == 0 ? 0 : cost_unlabelled;
    }
    ElasticNetSvmFit fit = machine.svm->solve(rows, lambda1, current, inner, control);
    run.inner += fit.iterations;
    const double value = objective(machine, problem, cost_unlabelled, lambda1, fit);
    run.trace.push_back(value);
    Assignment next = assign(machine, fit.g);
    const bool fixed =
        machine.convex || next == e || before - value < outer_tol * std::abs(value);
    const bool solved = fit.converged;
    if (value < run.objective) {
      run.objective = value;
      run.assignment = next;
      run.fit = std::move(fit);
      kept = run.trace.size();
    }
    before = value;
    e = std::move(next);
    if (fixed) {
      run.converged = solved;
      break;
    }
  }
  run.trace.resize(kept);  // its last value is that of the result
  return run;
}

// The k largest q are of class +1, k following from the share r stands for; ties by row.
Assignment by_quantile(const Eigen::VectorXd& q, double r) {
  const Index u = q.size();
  const Index k = std::min<Index>(
      u - 1, std::max<Index>(1, static_cast<Index>(std::floor(u * (1 + r) / 2 + 0.5))));
  std::vector<Index> order(static_cast<std::size_t>(u));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return q(a) > q(b); });
  Assignment e(static_cast<std::size_t>(u), -1);
  for (Index a = 0; a < k; ++a) e[static_cast<std::size_t>(order[a])] = 1;
  return e;
}

// The paper's alternating directions with one variable per row and the exact proximal operator of
// the clipped loss: no guarantee, but an assignment to start from.
Assignment by_admm(const Machine& machine, const TwoClass& problem, double lambda1,
                   const Control& control) {
  const ElasticNetSvm svm = machine.svm->with(machine.lambda2, admm_rho);
  const Eigen::VectorXd& omega = svm.nominal();
  Eigen::VectorXd z = Eigen::VectorXd::Constant(svm.n(), machine.balance ? problem.r : 0);
  Eigen::VectorXd dz = Eigen::VectorXd::Zero(svm.n());
  Eigen::VectorXd t = Eigen::VectorXd::Zero(svm.p());
  Eigen::VectorXd dt = t, beta, g, q;
  ElasticNetSvm::Scratch scratch;
  scratch.accuracy = 1e-6;
  for (int iteration = 0; iteration < admm_iter; ++iteration) {
    control.check_interrupt();
    svm.step(z - dz, t - dt, problem.r, beta, g, scratch);
    q = g + dz;
    for (Index i = 0; i < q.size(); ++i) {
      const double y = problem.sign(i);
      const double reach =
          (y == 0 ? machine.options.cost_unlabelled : machine.options.cost) / (admm_rho * omega(i));
      if (y == 0) {
        z(i) = prox_clipped_loss(q(i), reach, machine.options.s);
      } else {
        const double h = 1 - y * q(i);
        z(i) = y * (1 - (h > reach ? h - reach : h >= 0 ? 0 : h));
      }
    }
    dz = q - z;
    q = beta + dt;
    t = soft_threshold(q, lambda1 / (admm_rho * svm.kappa()));
    dt = q - t;
  }
  return assign(machine, g);
}

Run from_start(const Machine& machine, const TwoClass& problem, double lambda1, SenfsStart start,
               const Control& control) {
  const double full = machine.options.cost_unlabelled;
  const ElasticNetSvmOptions inner = machine.search();
  Assignment e(machine.loose.size(), 0);
  switch (start) {
    case SenfsStart::labelled:
      break;
    case SenfsStart::anneal: {
      ElasticNetSvmState state;
      int iterations = 0;
      for (const double share : {64.0, 16.0, 4.0}) {
        Run run = descend(machine, problem, full / share, lambda1, e, state, inner, control);
        e = std::move(run.assignment);
        state = std::move(run.state);
        iterations += run.inner;
      }
      Run run = descend(machine, problem, full, lambda1, e, state, inner, control);
      run.inner += iterations;
      return run;
    }
    case SenfsStart::centroid:
      e = by_quantile(problem.centroid, problem.r);
      break;
    case SenfsStart::pca_plus:
      e = by_quantile(machine.principal, problem.r);
      break;
    case SenfsStart::pca_minus:
      e = by_quantile(-machine.principal, problem.r);
      break;
    case SenfsStart::given:
      e = machine.options.given;
      break;
    case SenfsStart::admm:
      e = by_admm(machine, problem, lambda1, control);
      break;
  }
  return descend(machine, problem, full, lambda1, std::move(e), {}, inner, control);
}

// Scores of the first principal component of the given rows, centered at m, by Lanczos with full
// reorthogonalization on the shorter side. Sign: the largest loading is positive.
Eigen::VectorXd principal_scores(const FeatureMatrix& x, const std::vector<Index>& rows,
                                 const Eigen::VectorXd& m, const std::vector<bool>& ignore,
                                 const Control& control) {
  // Only its products are of interest.
  const ElasticNetSvm centered(x, Eigen::VectorXd::Ones(x.n()), m, ignore, 1, 1,
                               SvmSystem::conjugate_gradient);
  Eigen::VectorXd mask = Eigen::VectorXd::Zero(x.n());
  for (const Index i : rows) mask(i) = 1;
  const bool by_rows = static_cast<Index>(rows.size()) <= x.p();
  const Index size = by_rows ? x.n() : x.p();
  const auto apply = [&](const Eigen::VectorXd& q) -> Eigen::VectorXd {
    if (by_rows) return mask.cwiseProduct(centered.times(centered.transposed_times(q)));
    return centered.transposed_times(mask.cwiseProduct(centered.times(q)));
  };

  Rng rng(20130416, 0);
  Eigen::VectorXd q(size);
  for (Index i = 0; i < size; ++i) q(i) = rng.normal();
  if (by_rows) q = q.cwiseProduct(mask);
  q.normalize();
  constexpr Index most = 300;
  const Index limit = std::min<Index>(most, by_rows ? static_cast<Index>(rows.size()) : size);
  Eigen::MatrixXd basis(size, limit);
  Eigen::MatrixXd small = Eigen::MatrixXd::Zero(limit, limit);
  Eigen::VectorXd top = q;
  for (Index k = 0; k < limit; ++k) {
    control.check_interrupt();
    basis.col(k) = q;
    Eigen::VectorXd next = apply(q);
    small(k, k) = q.dot(next);
    for (int twice = 0; twice < 2; ++twice) {
      next -= basis.leftCols(k + 1) * (basis.leftCols(k + 1).transpose() * next);
    }
    const double rest = next.norm();
    const bool last = k + 1 == limit || rest <= 1e-14 * small.topLeftCorner(k + 1, k + 1).norm();
    if (last || k % 5 == 4) {
      const SymmetricEigen eig = eigen_symmetric(small.topLeftCorner(k + 1, k + 1));
      const double value = eig.values(k);
      const bool settled = rest * std::abs(eig.vectors(k, k)) <= 1e-10 * std::abs(value);
      if (last || settled) {
        top = basis.leftCols(k + 1) * eig.vectors.col(k);
        break;
      }
    }
    q = next / rest;
    small(k + 1, k) = small(k, k + 1) = rest;
  }
  const Eigen::VectorXd loading = by_rows ? centered.transposed_times(top) : top;
  Index largest = 0;
  if (loading.size() > 0) loading.cwiseAbs().maxCoeff(&largest);
  const double sign = loading.size() > 0 && loading(largest) < 0 ? -1 : 1;
  const Eigen::VectorXd all = sign * centered.times(loading);
  Eigen::VectorXd out(static_cast<Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) out(static_cast<Index>(k)) = all(rows[k]);
  return out;
}

Eigen::VectorXd mean_of_rows(const FeatureMatrix& x, const std::vector<Index>& rows) {
  Eigen::VectorXd weight = Eigen::VectorXd::Zero(x.n());
  for (const Index i : rows) weight(i) = 1 / static_cast<double>(rows.size());
  return x.transposed_times(weight);
}

Eigen::VectorXd mean_of_sign(const FeatureMatrix& x, const Eigen::VectorXd& sign, double which) {
  const Eigen::VectorXd weight = (sign.array() == which).cast<double>();
  return x.transposed_times(Eigen::VectorXd(weight / std::max(1.0, weight.sum())));
}

std::vector<Index> rows_without_sign(const Eigen::VectorXd& sign) {
  std::vector<Index> rows;
  for (Index i = 0; i < sign.size(); ++i) {
    if (sign(i) == 0) rows.push_back(i);
  }
  return rows;
}

const Run& best_of(const std::vector<Run>& runs, int& which) {
  which = 0;
  for (std::size_t k = 1; k < runs.size(); ++k) {
    const double lowest = runs[static_cast<std::size_t>(which)].objective;
    if (runs[k].objective < lowest - 1e-9 * std::abs(lowest)) which = static_cast<int>(k);
  }
  return runs[static_cast<std::size_t>(which)];
}

void take(MarginFit& out, const Run& run) {
  out.t = run.fit.t;
  out.intercept_scaled = run.fit.intercept;
  out.v = run.fit.v;
  out.objective = run.objective;
  out.gap = run.fit.gap;
  out.converged = run.converged;
}

std::vector<double> path_ratios(int n_lambda) {
  std::vector<double> ratio(static_cast<std::size_t>(n_lambda), 1);
  for (int k = 1; k < n_lambda; ++k) {
    ratio[static_cast<std::size_t>(k)] =
        std::pow(path_end, static_cast<double>(k) / static_cast<double>(n_lambda - 1));
  }
  return ratio;
}

// The paths of all classes, lambda1 descending.
std::vector<std::vector<Run>> paths(const Machine& machine, const std::vector<TwoClass>& problems,
                                    const std::vector<SenfsStart>& starts,
                                    const std::vector<double>& ratio, const Control& control) {
  const Index classes = static_cast<Index>(problems.size());
  const std::size_t values = ratio.size();
  const double full = machine.options.cost_unlabelled;
  std::vector<std::vector<Run>> result(problems.size(), std::vector<Run>(values));
  const ElasticNetSvmOptions inner = machine.convex ? machine.tight() : machine.search();
  const auto sweep_down = [&](Index c, const Control& run_control) {
    Assignment e(machine.loose.size(), 0);
    ElasticNetSvmState state;
    for (std::size_t k = 0; k < values; ++k) {
      result[c][k] = descend(machine, problems[c], full, ratio[k] * problems[c].reference, e,
                             std::move(state), inner, run_control);
      e = result[c][k].assignment;
      ElasticNetSvmState& reached = result[c][k].state;
      KeptProducts products = std::move(reached.products);
      state = reached;
      state.products = std::move(products);
    }
  };
  if (machine.convex) {
    parallel_runs(classes, control, sweep_down);
    return result;
  }

  // Two sweeps: down from the labelled start, which follows the path of beta = 0 for too long, and
  // up from the best of all starts at the smallest lambda1.
  const Index width = static_cast<Index>(starts.size()) + 1;
  std::vector<std::vector<Run>> at_end(problems.size(), std::vector<Run>(starts.size()));
  parallel_runs(classes * width, control, [&](Index unit, const Control& run_control) {
    const Index c = unit / width, k = unit % width;
    if (k == 0) {
      sweep_down(c, run_control);
    } else {
      at_end[c][k - 1] = from_start(machine, problems[c], ratio.back() * problems[c].reference,
                                    starts[static_cast<std::size_t>(k - 1)], run_control);
    }
  });
  parallel_runs(classes, control, [&](Index c, const Control& run_control) {
    int which = 0;
    Run run = best_of(at_end[c], which);
    for (std::size_t back = 0; back < values; ++back) {
      const std::size_t k = values - 1 - back;
      if (back > 0) {
        run = descend(machine, problems[c], full, ratio[k] * problems[c].reference,
                      run.assignment, run.state, inner, run_control);
      }
      const double other = result[c][k].objective;
      if (run.objective < other - 1e-9 * std::abs(other)) result[c][k] = run;
    }
  });
  if (!inner.exact) {
    const Index length = static_cast<Index>(values);
    parallel_runs(classes * length, control, [&](Index unit, const Control& run_control) {
      const Index c = unit / length, k = unit % length;
      Run& run = result[c][k];
      run = descend(machine, problems[c], full, ratio[k] * problems[c].reference, run.assignment,
                    run.state, machine.tight(), run_control);
    });
  }
  return result;
}

void describe_path(MarginFit& out, const std::vector<Run>& runs, const std::vector<double>& ratio,
                   double reference) {
  const Index p = runs.front().fit.t.size();
  out.entry = Eigen::VectorXd::Zero(p);
  out.entry_t = Eigen::VectorXd::Zero(p);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Eigen::VectorXd& t = runs[k].fit.t;
    out.path_lambda1.push_back(ratio[k] * reference);
    out.path_objective.push_back(runs[k].objective);
    out.path_selected.push_back((t.array() != 0).count());
    out.path_converged = out.path_converged && runs[k].converged;
    for (Index j = 0; j < p; ++j) {
      if (t(j) != 0 && out.entry(j) == 0) {
        out.entry(j) = ratio[k];
        out.entry_t(j) = std::abs(t(j));
      }
    }
  }
  out.last_v = runs.back().fit.v.cwiseAbs();
}

// Statistic, order, score and choice over all classes.
Selection combine(const std::vector<MarginFit>& fits, const SenfsOptions& options,
                  const std::vector<bool>& constant) {
  const Index p = fits.front().t.size();
  Selection out;
  out.statistic = Eigen::VectorXd::Zero(p);
  Eigen::VectorXd nearness = Eigen::VectorXd::Zero(p);  // |v_j| / lambda1, largest over classes
  std::vector<int> chosen(static_cast<std::size_t>(p), 0);
  for (const MarginFit& fit : fits) {
    for (Index j = 0; j < p; ++j) {
      const double t = std::abs(fit.t(j));
      if (t != 0) chosen[static_cast<std::size_t>(j)] = 1;
      switch (options.aggregate) {
        case Aggregate::norm: out.statistic(j) = std::hypot(out.statistic(j), t); break;
        case Aggregate::max: out.statistic(j) = std::max(out.statistic(j), t); break;
        case Aggregate::sum: out.statistic(j) += t; break;
      }
      const double v = std::abs(fit.v(j));
      nearness(j) = std::max(nearness(j), fit.lambda1 > 0 ? v / fit.lambda1 : v);
    }
  }
  if (fits.size() == 1) out.statistic = fits.front().t.cwiseAbs();

  Eigen::VectorXd first = out.statistic, second = nearness;
  if (options.path) {
    // Entry, then the weight there; those that never enter by |v_j| at the smallest lambda1.
    first.setZero();
    second.setZero();
    for (const MarginFit& fit : fits) {
      for (Index j = 0; j < p; ++j) {
        if (fit.entry(j) > first(j)) {
          first(j) = fit.entry(j);
          second(j) = fit.entry_t(j);
        } else if (fit.entry(j) > 0 && fit.entry(j) == first(j)) {
          second(j) = std::max(second(j), fit.entry_t(j));
        }
      }
    }
    for (const MarginFit& fit : fits) {
      const double smallest = fit.path_lambda1.back();
      for (Index j = 0; j < p; ++j) {
        if (first(j) > 0) continue;
        second(j) = std::max(second(j), smallest > 0 ? fit.last_v(j) / smallest : fit.last_v(j));
      }
    }
  } else {
    out.score.resize(p);
    bool penalized = false;
    for (const MarginFit& fit : fits) penalized = penalized || fit.lambda1 > 0;
    for (Index j = 0; j < p; ++j) {
      const bool in = chosen[static_cast<std::size_t>(j)] != 0;
      out.score(j) = in ? out.statistic(j) : penalized ? std::min(0.0, nearness(j) - 1) : 0;
    }
  }
  out.order.resize(static_cast<std::size_t>(p));
  std::iota(out.order.begin(), out.order.end(), Index{0});
  const auto is_constant = [&](Index j) {
    return !constant.empty() && constant[static_cast<std::size_t>(j)];
  };
  std::stable_sort(out.order.begin(), out.order.end(), [&](Index a, Index b) {
    if (is_constant(a) != is_constant(b)) return is_constant(b);
    if (first(a) != first(b)) return first(a) > first(b);
    return second(a) > second(b);
  });
  if (options.n_features == 0) out.selected = std::move(chosen);
  return out;
}

}  // namespace

double prox_clipped_loss(double v, double c, double s) {
  if (v < 0) return -prox_clipped_loss(-v, c, s);
  const double candidates[] = {std::min(v, s), std::min(std::max(v + c, s), 1.0), std::max(v, 1.0)};
  double best = candidates[0];
  double lowest = std::numeric_limits<double>::infinity();
  for (const double z : candidates) {
    const double value = c * unlabelled_loss(z, s) + (z - v) * (z - v) / 2;
    if (value < lowest) {
      lowest = value;
      best = z;
    }
  }
  return best;
}

double senfs_lambda1_max(const FeatureMatrix& x, const Eigen::VectorXd& sign, double cost,
                         bool balance) {
  if (x.p() == 0) return 0;
  if (balance) {
    const Eigen::VectorXd m = mean_of_rows(x, rows_without_sign(sign));
    return cost * (x.transposed_times(sign) - sign.sum() * m).cwiseAbs().maxCoeff();
  }
  const double plus = static_cast<double>((sign.array() > 0).count());
  const double minus = static_cast<double>((sign.array() < 0).count());
  return cost * std::min(plus, minus) *
         (mean_of_sign(x, sign, 1) - mean_of_sign(x, sign, -1)).cwiseAbs().maxCoeff();
}

double senfs_lambda1_cap(const FeatureMatrix& x, const Eigen::VectorXd& sign, double cost,
                         double cost_unlabelled) {
  const Eigen::VectorXd m = mean_of_rows(x, rows_without_sign(sign));
  double cap = 0;
  Eigen::VectorXd f(x.n());
  for (Index j = 0; j < x.p(); ++j) {
    x.column(j, f.data());
    double labelled = 0, loose = 0;
    for (Index i = 0; i < f.size(); ++i) {
      (sign(i) == 0 ? loose : labelled) += std::abs(f(i) - m(j));
    }
    cap = std::max(cap, cost * labelled + cost_unlabelled * loose);
  }
  return cap;
}

SenfsFit senfs(const Problem& problem, const SenfsOptions& options, const Control& control) {
  const FeatureMatrix& z = problem.z;
  const Labels& y = problem.y;
  const std::vector<Index> labelled = y.labelled_rows();
  const std::vector<Index> loose = y.unlabelled_rows(z.n());
  const bool use_loose = options.cost_unlabelled > 0 && !loose.empty();
  if (options.cost > 0 && y.classes < 2) {
    throw InputError("Labels of both classes are needed: `y` must name at least two classes.");
  }

  Machine machine(options);
  machine.convex = !use_loose;
  machine.balance = options.balance && !loose.empty();

  // Rows that carry no weight whatever the assignment are left out of the solver.
  Eigen::VectorXd nominal;
  FeatureMatrix used = z;
  for (Index i = 0; i < z.n(); ++i) {
    const bool has_label = y.is_labelled(i);
    if (has_label ? options.cost > 0 : use_loose) {
      if (!has_label) machine.loose.push_back(static_cast<Index>(machine.rows.size()));
      machine.rows.push_back(i);
    }
  }
  const Index n = static_cast<Index>(machine.rows.size());
  if (n < z.n()) used = z.rows(machine.rows);
  nominal = Eigen::VectorXd::Constant(n, options.cost);
  for (const Index i : machine.loose) nominal(i) = options.cost_unlabelled;

  const double l = static_cast<double>(labelled.size());
  const double u = static_cast<double>(loose.size());
  machine.lambda2 = options.lambda2 >= 0
                        ? options.lambda2
                        : options.cost * l + (use_loose ? options.cost_unlabelled * u : 0);
  Eigen::VectorXd m;
  if (!loose.empty()) m = mean_of_rows(z, loose);
  machine.svm = std::make_shared<const ElasticNetSvm>(
      used, nominal, machine.balance ? m : Eigen::VectorXd(), problem.constant, machine.lambda2, 1,
      options.system, control);
  control.check_interrupt();

  std::vector<SenfsStart> starts = {SenfsStart::labelled};
  if (!machine.convex) {
    if (options.solver == SenfsSolver::admm) {
      starts = {SenfsStart::admm};
    } else if (options.cost == 0) {
      // Without labels the labelled start is beta = 0 and there are no class means.
      starts.clear();
      for (const SenfsStart s : options.starts) {
        if (s == SenfsStart::pca_plus || s == SenfsStart::pca_minus || s == SenfsStart::given) {
          starts.push_back(s);
        }
      }
      if (starts.empty()) starts = {SenfsStart::pca_plus, SenfsStart::pca_minus};
    } else {
      starts = options.starts;
    }
    if (machine.loose.size() < 2 && options.solver == SenfsSolver::mm) {
      starts = {SenfsStart::labelled};
    }
    const bool wants_principal =
        std::any_of(starts.begin(), starts.end(), [](SenfsStart s) {
          return s == SenfsStart::pca_plus || s == SenfsStart::pca_minus;
        });
    if (wants_principal) {
      machine.principal = principal_scores(used, machine.loose, m, problem.constant, control);
    }
  }

  // The two-class problems: one, or each class against the rest.
  const int count = y.classes > 2 ? y.classes : 1;
  std::vector<TwoClass> problems(static_cast<std::size_t>(count));
  for (int c = 0; c < count; ++c) {
    TwoClass& two = problems[static_cast<std::size_t>(c)];
    const int positive = count == 1 ? 1 : c;
    Eigen::VectorXd sign = Eigen::VectorXd::Zero(z.n());
    for (const Index i : labelled) {
      sign(i) = y.code[static_cast<std::size_t>(i)] == positive ? 1 : -1;
    }
    two.sign.resize(n);
    for (Index i = 0; i < n; ++i) two.sign(i) = sign(machine.rows[static_cast<std::size_t>(i)]);
    two.r = options.has_r ? options.r : l > 0 ? sign.sum() / l : 0;
    two.reference = machine.convex
                        ? senfs_lambda1_max(z, sign, options.cost, machine.balance)
                        : senfs_lambda1_cap(z, sign, options.cost, options.cost_unlabelled);
    const std::vector<double>& given = options.lambda1;
    two.lambda1 = given.empty()       ? (machine.convex ? 0.1 : 0.05) * two.reference
                  : given.size() == 1 ? given.front()
                                      : given[static_cast<std::size_t>(c)];
    const bool wants_centroid =
        std::find(starts.begin(), starts.end(), SenfsStart::centroid) != starts.end();
    if (wants_centroid) {
      const Eigen::VectorXd apart = mean_of_sign(z, sign, 1) - mean_of_sign(z, sign, -1);
      Eigen::VectorXd kept = apart;
      for (Index j = 0; j < kept.size(); ++j) {
        if (!problem.constant.empty() && problem.constant[static_cast<std::size_t>(j)]) kept(j) = 0;
      }
      const Eigen::VectorXd q = z.times(kept);
      two.centroid.resize(static_cast<Index>(machine.loose.size()));
      for (std::size_t k = 0; k < machine.loose.size(); ++k) {
        two.centroid(static_cast<Index>(k)) =
            q(machine.rows[static_cast<std::size_t>(machine.loose[k])]) - kept.dot(m);
      }
    }
  }

  SenfsFit out;
  out.path = options.path;
  out.by_class.resize(problems.size());
  for (std::size_t c = 0; c < problems.size(); ++c) {
    MarginFit& fit = out.by_class[c];
    fit.lambda1 = problems[c].lambda1;
    fit.lambda2 = machine.lambda2;
    fit.r = problems[c].r;
    fit.reference = problems[c].reference;
    fit.starts = starts;
  }

  // With a path and a number of features asked for, the model is a point of the path.
  const bool model_from_path = options.path && options.n_features > 0 && options.lambda1.empty();
  std::vector<Eigen::VectorXd> decision(problems.size());
  if (!model_from_path) {
    const Index width = static_cast<Index>(starts.size());
    std::vector<std::vector<Run>> runs(problems.size(), std::vector<Run>(starts.size()));
    if (!machine.convex) {
      parallel_runs(count * width, control, [&](Index unit, const Control& inner) {
        const Index c = unit / width, k = unit % width;
        runs[c][k] = from_start(machine, problems[c], problems[c].lambda1,
                                starts[static_cast<std::size_t>(k)], inner);
      });
    }
    parallel_runs(count, control, [&](Index c, const Control& inner) {
      MarginFit& fit = out.by_class[static_cast<std::size_t>(c)];
      Assignment e(machine.loose.size(), 0);
      ElasticNetSvmState state;
      if (!machine.convex) {
        const Run& winner = best_of(runs[c], fit.start);
        for (const Run& run : runs[c]) {
          fit.objective_by_start.push_back(run.objective);
          fit.inner += run.inner;
        }
        fit.trace = winner.trace;
        e = winner.assignment;
        state = winner.state;
      }
      const Run final = descend(machine, problems[c], options.cost_unlabelled, fit.lambda1, e,
                                std::move(state), machine.tight(), inner);
      take(fit, final);
      fit.trace.insert(fit.trace.end(), final.trace.begin(), final.trace.end());
      fit.inner += final.inner;
      fit.outer = static_cast<int>(fit.trace.size());
      decision[c] = final.fit.g;
    });
  }
  if (options.path) {
    const std::vector<double> ratio = path_ratios(options.n_lambda);
    const std::vector<std::vector<Run>> points = paths(machine, problems, starts, ratio, control);
    for (std::size_t c = 0; c < problems.size(); ++c) {
      MarginFit& fit = out.by_class[c];
      describe_path(fit, points[c], ratio, problems[c].reference);
      if (model_from_path) {
        std::size_t at = 0;
        while (at + 1 < ratio.size() && fit.path_selected[at] < options.n_features) ++at;
        const Run& run = points[c][at];
        fit.lambda1 = fit.path_lambda1[at];
        take(fit, run);
        fit.trace = run.trace;
        fit.outer = static_cast<int>(fit.trace.size());
        fit.inner = run.inner;
        decision[c] = run.fit.g;
      }
      fit.converged = fit.converged && fit.path_converged;
    }
  }

  for (std::size_t c = 0; c < problems.size(); ++c) {
    MarginFit& fit = out.by_class[c];
    fit.coefficients.resize(z.p());
    fit.intercept = fit.intercept_scaled;
    for (Index j = 0; j < z.p(); ++j) {
      fit.coefficients(j) = fit.t(j) / z.divisor(j);
      fit.intercept -= fit.coefficients(j) * z.shift(j);
    }
    if (n == z.n()) {
      fit.g = decision[c];
    } else {
      fit.g = z.times(fit.t).array() + fit.intercept_scaled;
      for (Index i = 0; i < n; ++i) {
        fit.g(machine.rows[static_cast<std::size_t>(i)]) = decision[c](i);
      }
    }
    Eigen::VectorXd g(static_cast<Index>(labelled.size())), sign(g.size());
    const int positive = count == 1 ? 1 : static_cast<int>(c);
    for (std::size_t k = 0; k < labelled.size(); ++k) {
      g(static_cast<Index>(k)) = fit.g(labelled[k]);
      sign(static_cast<Index>(k)) =
          y.code[static_cast<std::size_t>(labelled[k])] == positive ? 1 : -1;
    }
    const Platt sigmoid = platt(g, sign);
    fit.platt_a = sigmoid.a;
    fit.platt_b = sigmoid.b;
  }

  out.selection = combine(out.by_class, options, problem.constant);
  out.selection.objective = out.by_class.front().trace;
  for (const MarginFit& fit : out.by_class) {
    const int iterations = machine.convex ? fit.inner : fit.outer;
    out.selection.iterations = std::max(out.selection.iterations, iterations);
    out.selection.converged = out.selection.converged && fit.converged;
  }
  return out;
}

}  // namespace semiselect
