#include "core/select/margin/l1svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/optim/hinge_lp.hpp"
#include "core/run/parallel.hpp"

namespace semiselect {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double unit_of(const Eigen::VectorXd& unit, Index j) { return unit.size() ? unit(j) : 1; }

Eigen::MatrixXd gather(const FeatureMatrix& z, const Eigen::VectorXd& unit,
                       const std::vector<Index>& columns) {
  Eigen::MatrixXd out(z.n(), static_cast<Index>(columns.size()));
  for (std::size_t e = 0; e < columns.size(); ++e) {
    const Index c = static_cast<Index>(e);
    z.column(columns[e], out.col(c).data());
    out.col(c) *= unit_of(unit, columns[e]);
  }
  return out;
}

// The `count` columns with the largest value among those not yet in `working` (ties: lower
// column), added to it.
void add_largest(const Eigen::VectorXd& value, double above, Index count,
                 std::vector<Index>& working) {
  std::vector<bool> inside(static_cast<std::size_t>(value.size()), false);
  for (const Index j : working) inside[j] = true;
  std::vector<Index> candidates;
  for (Index j = 0; j < value.size(); ++j) {
    if (!inside[j] && value(j) > above) candidates.push_back(j);
  }
  count = std::min<Index>(count, static_cast<Index>(candidates.size()));
  std::partial_sort(candidates.begin(), candidates.begin() + count, candidates.end(),
                    [&](Index i, Index j) {
                      return value(i) != value(j) ? value(i) > value(j) : i < j;
                    });
  working.insert(working.end(), candidates.begin(), candidates.begin() + count);
  // By column: the answer must not depend on how a feature came in.
  std::sort(working.begin(), working.end());
}

// |unit_j z_j'(a * y)| for all features. a'y = 0, so the shift of the columns drops out.
Eigen::VectorXd price(const LabelledRows& rows, const Eigen::VectorXd& unit,
                      const Eigen::VectorXd& alpha) {
  Eigen::VectorXd out =
      rows.z.transposed_times(Eigen::VectorXd(alpha.cwiseProduct(rows.sign))).cwiseAbs();
  if (unit.size()) out = out.cwiseProduct(unit);
  return out;
}

// Coordinate descent on the squared hinge; columns centered over the labelled rows.
SparseSvmFit l1svm_squared(const LabelledRows& rows, double cost, const Control& control) {
  const Index l = rows.z.n(), p = rows.z.p();
  const Eigen::VectorXd& y = rows.sign;
  SparseSvmFit fit;
  fit.cost = cost;
  fit.w = Eigen::VectorXd::Zero(p);
  fit.converged = false;

  Eigen::VectorXd f = Eigen::VectorXd::Zero(l), column(l), mean(p);
  double b = squared_hinge_intercept(f, y, 0);
  Eigen::VectorXd r = (1 - y.array() * (f.array() - b)).matrix();
  for (Index j = 0; j < p; ++j) mean(j) = rows.z.column(j).mean();
  const auto load = [&](Index j) {
    rows.z.column(j, column.data());
    column.array() -= mean(j);
  };
  const auto loss = [&](double step) {
    double sum = 0;
    for (Index i = 0; i < l; ++i) {
      const double t = r(i) - step * y(i) * column(i);
      if (t > 0) sum += t * t;
    }
    return cost * sum;
  };

  std::vector<Index> active(static_cast<std::size_t>(p));
  std::iota(active.begin(), active.end(), 0);
  bool all = true;
  constexpr double accuracy = 1e-6;
  for (int sweep = 0; sweep < 100000; ++sweep) {
    control.check_interrupt();
    ++fit.iterations;
    double worst = 0;
    std::vector<Index> keep;
    for (const Index j : active) {
      load(j);
      double g = 0, h = 0;
      for (Index i = 0; i < l; ++i) {
        if (r(i) <= 0) continue;
        g -= y(i) * column(i) * r(i);
        h += column(i) * column(i);
      }
      g *= 2 * cost;
      h = std::max(2 * cost * h, 1e-12);
      const double w = fit.w(j);
      const double violation =
          w == 0 ? std::max(0.0, std::abs(g) - 1) : std::abs(g + (w > 0 ? 1 : -1));
      worst = std::max(worst, violation);
      // Shrinking: far from entering. Everything is looked at again before the end.
      if (w != 0 || std::abs(g) > 1 - 0.5 * std::min(1.0, std::max(worst, 1e-3))) keep.push_back(j);

      // Newton direction of g d + h d^2 / 2 + |w + d|.
      double d = 0;
      if (g + 1 <= h * w) {
        d = -(g + 1) / h;
      } else if (g - 1 >= h * w) {
        d = -(g - 1) / h;
      } else {
        d = -w;
      }
      if (std::abs(d) < 1e-18) continue;
      const double expected = g * d + std::abs(w + d) - std::abs(w);
      const double before = loss(0);
      double step = 1;
      for (int halving = 0; halving < 60; ++halving, step *= 0.5) {
        const double change =
            loss(step * d) - before + std::abs(w + step * d) - std::abs(w);
        if (change <= 0.01 * step * expected) break;
      }
      fit.w(j) += step * d;
      r.noalias() -= step * d * y.cwiseProduct(column);
    }
    // f - b from r, then b exactly.
    f = y.cwiseProduct(Eigen::VectorXd::Ones(l) - r).array() + b;
    b = squared_hinge_intercept(f, y, b);
    r = (1 - y.array() * (f.array() - b)).matrix();
    fit.objective.push_back(fit.w.lpNorm<1>() + cost * r.cwiseMax(0).squaredNorm());

    if (worst <= accuracy && all) {
      fit.converged = true;
      break;
    }
    if (worst <= accuracy) {
      active.resize(static_cast<std::size_t>(p));
      std::iota(active.begin(), active.end(), 0);
      all = true;
    } else {
      all = static_cast<Index>(keep.size()) == p;
      active = std::move(keep);
    }
  }

  Eigen::VectorXd alpha = 2 * cost * r.cwiseMax(0);
  balance_dual(alpha, y);
  fit.pull = price(rows, Eigen::VectorXd(), alpha);
  alpha /= std::max(1.0, fit.pull.maxCoeff());
  fit.primal = fit.objective.back();
  fit.dual = alpha.sum() - alpha.squaredNorm() / (4 * cost);
  fit.gap = (fit.primal - fit.dual) / fit.primal;
  fit.b = b + mean.dot(fit.w);
  return fit;
}

// Costs from C0 to 200 C0, the model at `cost` in between kept apart.
void follow_path(const LabelledRows& rows, double lowest, const L1svmOptions& options,
                 SparseSvmFit& fit, const Control& control) {
  const Index p = rows.z.p();
  fit.entry = Eigen::VectorXd::Constant(p, infinity);
  fit.entry_w = Eigen::VectorXd::Zero(p);
  std::vector<Index> working;
  Eigen::VectorXd last_pull;
  for (int k = 0; k < options.n_lambda; ++k) {
    const double relative =
        options.n_lambda == 1 ? 1 : std::pow(200.0, static_cast<double>(k) / (options.n_lambda - 1));
    const SparseSvmFit at =
        l1svm_hinge(rows, relative * lowest, options.tol, Eigen::VectorXd(), working, control);
    fit.path_cost.push_back(at.cost);
    fit.path_objective.push_back(at.primal);
    fit.path_selected.push_back((at.w.array() != 0).count());
    for (Index j = 0; j < p; ++j) {
      if (at.w(j) != 0 && std::isinf(fit.entry(j))) {
        fit.entry(j) = relative;
        fit.entry_w(j) = std::abs(at.w(j));
      }
    }
    fit.converged = fit.converged && at.converged;
    last_pull = at.pull;
  }
  fit.pull = last_pull;
}

}  // namespace

SparseSvmFit l1svm_hinge(const LabelledRows& rows, double cost, double tol,
                         const Eigen::VectorXd& unit, std::vector<Index>& working,
                         const Control& control) {
  const Index l = rows.z.n(), p = rows.z.p();
  SparseSvmFit fit;
  fit.cost = cost;
  if (working.empty()) {
    // |z_j'y| of columns centered over the labelled rows, so that no origin matters.
    Eigen::VectorXd centered = rows.sign.array() - rows.sign.mean();
    Eigen::VectorXd start = rows.z.transposed_times(centered).cwiseAbs();
    if (unit.size()) start = start.cwiseProduct(unit);
    add_largest(start, -1, std::max<Index>(20, l), working);
  }

  HingeLp lp;
  double worst = 0;
  for (;;) {
    control.check_interrupt();
    lp = hinge_lp(gather(rows.z, unit, working), rows.sign, cost, control);
    fit.iterations += lp.iterations;
    fit.pull = price(rows, unit, lp.alpha);
    worst = fit.pull.maxCoeff();
    const std::size_t before = working.size();
    // What rounding leaves of the working set is no reason to go on.
    add_largest(fit.pull, 1 + 1e-9, 50, working);
    fit.objective.push_back(lp.primal);
    if (working.size() == before || static_cast<Index>(before) == p) break;
  }
  fit.w = Eigen::VectorXd::Zero(p);
  for (std::size_t e = 0; e < working.size(); ++e) {
    fit.w(working[e]) = lp.w(static_cast<Index>(e)) * unit_of(unit, working[e]);
  }
  fit.b = lp.b;
  fit.primal = lp.primal;
  fit.dual = lp.dual / std::max(1.0, worst);
  fit.gap = fit.primal > 0 ? (fit.primal - fit.dual) / fit.primal : 0;
  fit.converged = fit.gap <= tol;
  return fit;
}

L1svmFit l1svm(const Problem& data, const L1svmOptions& options, const Control& control) {
  const std::vector<Index> at = data.y.labelled_rows();
  const FeatureMatrix z = data.z.rows(at);
  const int problems = class_problems(data.y);
  const Index p = z.p();

  L1svmFit out;
  out.by_class.resize(static_cast<std::size_t>(problems));
  std::vector<LabelledRows> rows;
  for (int c = 0; c < problems; ++c) rows.push_back({z, class_signs(data.y, c)});
  parallel_for(problems, control, [&](Index c) {
    const Control inner = problems == 1 ? control : inner_control(control);
    SparseSvmFit& fit = out.by_class[c];
    const double lowest = smallest_useful_cost(rows[c]);
    double cost = options.cost > 0 ? options.cost : 20 * lowest;
    if (!std::isfinite(cost)) cost = 1;  // nothing separates: w = 0 at any cost
    if (options.loss == L1Loss::squared) {
      fit = l1svm_squared(rows[c], cost, inner);
      return;
    }
    std::vector<Index> working;
    fit = l1svm_hinge(rows[c], cost, options.tol, Eigen::VectorXd(), working, inner);
    if (options.path && std::isfinite(lowest)) follow_path(rows[c], lowest, options, fit, inner);
  });

  Selection& selection = out.selection;
  selection.statistic = combined_weights(out.by_class);
  Eigen::VectorXd pull = Eigen::VectorXd::Zero(p), first, second;
  Eigen::VectorXd entry = Eigen::VectorXd::Constant(p, infinity), entry_w = pull;
  bool path = false;
  for (const SparseSvmFit& fit : out.by_class) {
    pull += fit.pull;
    selection.iterations = std::max(selection.iterations, fit.iterations);
    selection.converged = selection.converged && fit.converged;
    if (fit.entry.size() == 0) continue;
    path = true;
    for (Index j = 0; j < p; ++j) {
      if (fit.entry(j) < entry(j)) {
        entry(j) = fit.entry(j);
        entry_w(j) = fit.entry_w(j);
      } else if (fit.entry(j) == entry(j)) {
        entry_w(j) = std::max(entry_w(j), fit.entry_w(j));
      }
    }
  }
  selection.order.resize(static_cast<std::size_t>(p));
  std::iota(selection.order.begin(), selection.order.end(), 0);
  const Eigen::VectorXd& weight = selection.statistic;
  std::stable_sort(selection.order.begin(), selection.order.end(), [&](Index i, Index j) {
    if (path && entry(i) != entry(j)) return entry(i) < entry(j);
    const double a = path ? entry_w(i) : weight(i), b = path ? entry_w(j) : weight(j);
    return a != b ? a > b : pull(i) > pull(j);
  });
  finish_selection(data, rows, options.n_features, selection, out.by_class);
  return out;
}

}  // namespace semiselect
