#include "core/select/margin/l0svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/optim/gram.hpp"
#include "core/optim/svm_dual.hpp"
#include "core/run/parallel.hpp"
#include "core/select/margin/l1svm.hpp"

namespace semiselect {

namespace {

// The state of the rounds: what lives, and ln u.
struct Rounds {
  std::vector<Index> alive;
  Eigen::VectorXd log_u;

  explicit Rounds(Index p) : alive(static_cast<std::size_t>(p)), log_u(Eigen::VectorXd::Zero(p)) {
    std::iota(alive.begin(), alive.end(), 0);
  }
};

// Drops the features at or below `threshold` times the largest |v|, with their last words.
void bury(const Eigen::VectorXd& log_v, const Eigen::VectorXd& words, double threshold, int round,
          Rounds& state, SparseSvmFit& fit) {
  const double limit = log_v.maxCoeff() + std::log(threshold);
  std::vector<Index> alive;
  for (std::size_t e = 0; e < state.alive.size(); ++e) {
    const Index j = state.alive[e];
    const Index at = static_cast<Index>(e);
    if (log_v(at) > limit) {
      alive.push_back(j);
      fit.last_words(j) = log_v(at);
    } else {
      fit.death[j] = round;
      fit.last_words(j) = words(at);
      fit.w(j) = 0;
    }
    state.log_u(j) = log_v(at);
  }
  state.alive = std::move(alive);
}

void l2_rounds(const LabelledRows& rows, const L0svmOptions& options, SparseSvmFit& fit,
               const Control& control) {
  constexpr double dying = 1e-8;  // of the largest |v|
  const Index l = rows.z.n();
  Rounds state(rows.z.p());
  SvmDualOptions svm_options;
  svm_options.cost = fit.cost;
  for (int round = 1; round <= options.max_rounds; ++round) {
    control.check_interrupt();
    fit.iterations = round;
    const Index alive = static_cast<Index>(state.alive.size());
    Eigen::MatrixXd x(l, alive);
    Eigen::VectorXd mean(alive);
    for (Index e = 0; e < alive; ++e) {
      rows.z.column(state.alive[e], x.col(e).data());
      mean(e) = x.col(e).mean();
      x.col(e).array() -= mean(e);  // b absorbs it, and the kernel is better conditioned
    }
    Eigen::VectorXd u(alive);
    for (Index e = 0; e < alive; ++e) u(e) = std::exp(state.log_u(state.alive[e]));
    const Eigen::MatrixXd scaled = x * u.asDiagonal();
    const SvmDual svm = svm_dual(gram_rows(ConstMatrixRef(scaled), control), rows.sign, svm_options);
    const Eigen::VectorXd w = scaled.transpose() * svm.alpha.cwiseProduct(rows.sign);
    const Eigen::VectorXd v = u.cwiseProduct(w);
    const Eigen::VectorXd log_v = v.cwiseAbs().array().log();
    fit.gap = std::max(fit.gap, svm.gap);

    fit.w.setZero();
    for (Index e = 0; e < alive; ++e) fit.w(state.alive[e]) = v(e);
    fit.b = svm.b + mean.dot(v);
    fit.primal = fit.cost * hinge_sum(svm.f, rows.sign, svm.b);
    if (v.cwiseAbs().maxCoeff() == 0) {
      // No margin to be had from any feature: nothing lives.
      for (const Index j : state.alive) fit.death[j] = round;
      fit.converged = true;
      return;
    }
    // At the fixed point |w_j| = 1 for all that live.
    double deviation = 0;
    const double limit = log_v.maxCoeff() + std::log(dying);
    for (Index e = 0; e < alive; ++e) {
      if (log_v(e) > limit) deviation = std::max(deviation, std::abs(std::abs(w(e)) - 1));
    }
    bury(log_v, log_v, dying, round, state, fit);
    double logs = 0;
    for (const Index j : state.alive) logs += fit.last_words(j);
    fit.objective.push_back(logs + fit.primal);
    if (deviation <= options.tol) {
      fit.converged = true;
      return;
    }
  }
  fit.converged = false;
}

void l1_rounds(const LabelledRows& rows, const L0svmOptions& options, SparseSvmFit& fit,
               const Control& control) {
  const Index p = rows.z.p();
  Rounds state(p);
  Eigen::VectorXd u = Eigen::VectorXd::Ones(p);
  std::vector<Index> working;
  for (int round = 1; round <= options.max_rounds; ++round) {
    control.check_interrupt();
    fit.iterations = round;
    const SparseSvmFit lp = l1svm_hinge(rows, fit.cost, 1e-8, u, working, control);
    fit.w = lp.w;
    fit.b = lp.b;
    fit.pull = lp.pull;
    fit.gap = std::max(fit.gap, lp.gap);
    fit.primal = lp.primal;
    fit.dual = lp.dual;
    const double largest = fit.w.cwiseAbs().maxCoeff();
    if (largest == 0) {
      for (const Index j : state.alive) {
        fit.death[j] = round;
        fit.last_words(j) = std::log(lp.pull(j));
      }
      fit.converged = true;
      return;
    }
    Eigen::VectorXd log_v(static_cast<Index>(state.alive.size())), words(log_v.size());
    double change = 0;
    for (std::size_t e = 0; e < state.alive.size(); ++e) {
      const Index j = state.alive[e];
      log_v(static_cast<Index>(e)) = std::log(std::abs(fit.w(j)));
      words(static_cast<Index>(e)) = std::log(lp.pull(j));
      if (std::abs(fit.w(j)) > 1e-9 * largest) {
        change = std::max(change, std::abs(std::abs(fit.w(j)) - u(j)));
      }
    }
    bury(log_v, words, 1e-9, round, state, fit);
    u.setZero();
    for (const Index j : state.alive) u(j) = std::abs(fit.w(j));
    working = state.alive;
    if (change <= 1e-6 * largest) {
      fit.converged = true;
      return;
    }
  }
  fit.converged = false;
}

}  // namespace

L0svmFit l0svm(const Problem& data, const L0svmOptions& options, const Control& control) {
  const FeatureMatrix z = data.z.rows(data.y.labelled_rows());
  const Index p = z.p();
  const int problems = class_problems(data.y);
  const double scatter = mean_scatter(z, {});
  const double cost = options.cost > 0 ? options.cost : scatter > 0 ? 100 / scatter : 1;

  L0svmFit out;
  out.by_class.resize(static_cast<std::size_t>(problems));
  std::vector<LabelledRows> rows;
  for (int c = 0; c < problems; ++c) rows.push_back({z, class_signs(data.y, c)});
  parallel_for(problems, control, [&](Index c) {
    const Control inner = problems == 1 ? control : inner_control(control);
    SparseSvmFit& fit = out.by_class[c];
    fit.cost = cost;
    fit.w = Eigen::VectorXd::Zero(p);
    fit.death.assign(static_cast<std::size_t>(p), 0);
    fit.last_words = Eigen::VectorXd::Constant(p, -std::numeric_limits<double>::infinity());
    if (options.variant == L0Variant::l2) {
      l2_rounds(rows[c], options, fit, inner);
    } else {
      l1_rounds(rows[c], options, fit, inner);
    }
  });

  // The latest death in any class, and the best last words among those.
  Selection& selection = out.selection;
  selection.statistic = combined_weights(out.by_class);
  std::vector<int> death(static_cast<std::size_t>(p), 0);
  Eigen::VectorXd words = Eigen::VectorXd::Constant(p, -std::numeric_limits<double>::infinity());
  for (const SparseSvmFit& fit : out.by_class) {
    selection.iterations = std::max(selection.iterations, fit.iterations);
    selection.converged = selection.converged && fit.converged;
    for (Index j = 0; j < p; ++j) {
      if (fit.death[j] > death[j]) {
        death[j] = fit.death[j];
        words(j) = fit.last_words(j);
      } else if (fit.death[j] == death[j]) {
        words(j) = std::max(words(j), fit.last_words(j));
      }
    }
  }
  selection.order.resize(static_cast<std::size_t>(p));
  std::iota(selection.order.begin(), selection.order.end(), 0);
  const Eigen::VectorXd& weight = selection.statistic;
  std::stable_sort(selection.order.begin(), selection.order.end(), [&](Index i, Index j) {
    if (weight(i) != weight(j)) return weight(i) > weight(j);
    if (weight(i) > 0) return false;
    return death[i] != death[j] ? death[i] > death[j] : words(i) > words(j);
  });
  finish_selection(data, rows, options.n_features, selection, out.by_class);
  return out;
}

}  // namespace semiselect
