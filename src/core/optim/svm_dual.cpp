#include "core/optim/svm_dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/optim/blocked.hpp"
#include "core/optim/dense.hpp"

namespace semiselect {

namespace {

using Eigen::Index;

// The problem in t = alpha / C: only C M matters, so that units cancel.
//   min 1/2 t'Qt - 1't,  Q = C (yy' * M),  0 <= t <= 1,  y't = 0
struct Scaled {
  const Eigen::MatrixXd& kernel;
  const Eigen::VectorXd& y;
  double cost;

  Eigen::VectorXd fitted(const Eigen::VectorXd& t) const {
    return kernel * (cost * t.cwiseProduct(y));
  }
};

// Pulls t into the box and onto y't = 0, by shrinking the class that weighs more: the result is
// feasible to rounding, and t moves by no more than the violation.
void make_feasible(Eigen::VectorXd& t, const Eigen::VectorXd& y) {
  t = t.cwiseMax(0).cwiseMin(1);
  const double plus = (y.array() > 0).select(t, 0).sum();
  const double minus = (y.array() < 0).select(t, 0).sum();
  if (plus == minus) return;
  const double heavy = plus > minus ? 1 : -1;
  const double factor = std::min(plus, minus) / std::max(plus, minus);
  t = (y.array() == heavy).select(factor * t, t);
}

SvmDual describe(const Scaled& problem, const Eigen::VectorXd& t) {
  const double cost = problem.cost;
  SvmDual out;
  out.alpha = cost * t;
  out.f = problem.fitted(t);
  out.b = hinge_intercept(out.f, problem.y);
  const double norm = std::max(0.0, out.alpha.cwiseProduct(problem.y).dot(out.f));
  out.primal = norm / 2 + cost * hinge_sum(out.f, problem.y, out.b);
  out.dual = out.alpha.sum() - norm / 2;
  const double difference = std::max(0.0, out.primal - out.dual);
  out.gap = difference == 0 ? 0 : difference / std::abs(out.primal);
  const Eigen::ArrayXd slack = 1 - problem.y.array() * (out.f.array() - out.b);
  out.violation = (t.array() - (t.array() + slack).max(0.0).min(1.0)).abs().maxCoeff();
  return out;
}

// Above this many free variables the polish is left out: its rank-revealing factorization would
// take longer than all steps before it, and could not be interrupted.
constexpr std::size_t most_polished = 600;

// The steps' matrix is positive definite, but rounding may hide it once the diagonal that the
// barrier adds has faded.
BlockedCholesky factored(const Eigen::MatrixXd& a, const Control& control) {
  BlockedCholesky factor(a, control);
  double jitter = 1e-14 * a.diagonal().mean();
  for (int attempt = 0; !factor.ok() && attempt < 5; ++attempt, jitter *= 100) {
    Eigen::MatrixXd raised = a;
    raised.diagonal().array() += jitter;
    factor = BlockedCholesky(std::move(raised), control);
  }
  return factor;
}

double longest_step(const Eigen::VectorXd& x, const Eigen::VectorXd& dx) {
  double step = 1;
  for (Index i = 0; i < x.size(); ++i) {
    if (dx(i) < 0) step = std::min(step, -x(i) / dx(i));
  }
  return step;
}

// Free variables and b from Q_FF t_F - y_F b = 1 - Q_FB t_B, y't = 0, as a correction of least
// norm: where Q_FF is singular the solution next to t is taken.
Eigen::VectorXd polished(const Scaled& problem, const Eigen::VectorXd& t,
                         const std::vector<Index>& free) {
  const Index k = static_cast<Index>(free.size());
  const Eigen::VectorXd& y = problem.y;
  const Eigen::VectorXd f = problem.fitted(t);
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(k + 1, k + 1);
  Eigen::VectorXd right(k + 1);
  for (Index c = 0; c < k; ++c) {
    const Index j = free[c];
    for (Index r = 0; r < k; ++r) {
      const Index i = free[r];
      system(r, c) = problem.cost * y(i) * y(j) * problem.kernel(i, j);
    }
    system(c, k) = -y(j);
    system(k, c) = y(j);
    right(c) = 1 - y(j) * f(j);
  }
  right(k) = -t.dot(y);
  const Eigen::MatrixXd change = least_squares(system, right);
  Eigen::VectorXd out = t;
  for (Index c = 0; c < k; ++c) out(free[c]) += change(c, 0);
  return out;
}

}  // namespace

double hinge_intercept(const Eigen::VectorXd& f, const Eigen::VectorXd& y) {
  // Each breakpoint f_i - y_i raises the slope by one, from -(rows of class -1).
  std::vector<double> breakpoint(static_cast<std::size_t>(f.size()));
  std::size_t minus = 0;
  for (Index i = 0; i < f.size(); ++i) {
    breakpoint[static_cast<std::size_t>(i)] = f(i) - y(i);
    if (y(i) < 0) ++minus;
  }
  std::sort(breakpoint.begin(), breakpoint.end());
  return (breakpoint[minus - 1] + breakpoint[minus]) / 2;
}

double hinge_sum(const Eigen::VectorXd& f, const Eigen::VectorXd& y, double b) {
  return (1 - y.array() * (f.array() - b)).max(0.0).sum();
}

SvmDual svm_dual(const Eigen::MatrixXd& kernel, const Eigen::VectorXd& y,
                 const SvmDualOptions& options, const Control& control) {
  const Index l = y.size();
  const Index plus = (y.array() > 0).count();
  if (kernel.rows() != l || kernel.cols() != l) {
    throw std::invalid_argument("svm_dual: the kernel must have one row and column per label.");
  }
  if (plus == 0 || plus == l) {
    throw std::invalid_argument("svm_dual: both classes must be present.");
  }
  if (!(options.cost > 0)) throw std::invalid_argument("svm_dual: the cost must be positive.");

  const Scaled problem{kernel, y, options.cost};
  const Eigen::MatrixXd q =
      options.cost * (y.asDiagonal() * kernel * y.asDiagonal()).eval();
  const double size = static_cast<double>(2 * l);

  // A strictly feasible start for both problems: y't = 0, and z - s is the gradient.
  const double small = static_cast<double>(std::min(plus, l - plus));
  Eigen::VectorXd t = (y.array() > 0)
                          .select(Eigen::ArrayXd::Constant(l, small / (2.0 * plus)),
                                  Eigen::ArrayXd::Constant(l, small / (2.0 * (l - plus))))
                          .matrix();
  Eigen::VectorXd v = (1 - t.array()).matrix();
  Eigen::VectorXd gradient = (q * t).array() - 1;
  const double spare = std::max(1.0, gradient.cwiseAbs().mean());
  Eigen::VectorXd z = gradient.cwiseMax(0).array() + spare;  // of t >= 0
  Eigen::VectorXd s = (-gradient).cwiseMax(0).array() + spare;  // of t <= 1
  double beta = 0;  // of y't = 0: the b of the classifier

  int iterations = 0;
  double best = std::numeric_limits<double>::infinity();
  int stalled = 0;
  Eigen::VectorXd best_t = t, best_z = z, best_s = s;
  for (; iterations < options.max_iter; ++iterations) {
    const double gap = t.dot(z) + v.dot(s);
    // sum t - 1/2 t'Qt, with Qt = gradient + 1.
    const double value = std::max(std::abs(0.5 * t.sum() - 0.5 * t.dot(gradient)),
                                  std::numeric_limits<double>::min());
    if (gap < best) {
      if (gap < 0.5 * best) stalled = 0;
      best = gap;
      best_t = t;
      best_z = z;
      best_s = s;
    } else {
      ++stalled;
    }
    // An order beyond what was asked for: the true gap also has the error of b.
    if (gap <= 0.1 * std::max(options.tol, 1e-14) * value || stalled > 3) break;

    const Eigen::VectorXd rd = gradient - beta * y - z + s;
    const double rp = y.dot(t);
    Eigen::MatrixXd a = q;
    a.diagonal().array() += z.array() / t.array() + s.array() / v.array();
    const BlockedCholesky factor = factored(a, control);
    if (!factor.ok()) break;
    const Eigen::VectorXd ay = factor.solve(y);
    const double yay = y.dot(ay);

    Eigen::VectorXd dt, dz, ds;
    double dbeta = 0;
    const auto direction = [&](const Eigen::VectorXd& rz, const Eigen::VectorXd& rs) {
      const Eigen::VectorXd right = -rd + rz.cwiseQuotient(t) - rs.cwiseQuotient(v);
      const Eigen::VectorXd w = factor.solve(right);
      dbeta = (-rp - y.dot(w)) / yay;
      dt = w + dbeta * ay;
      dz = (rz - z.cwiseProduct(dt)).cwiseQuotient(t);
      ds = (rs + s.cwiseProduct(dt)).cwiseQuotient(v);
    };
    const auto longest = [&] {
      return std::min(std::min(longest_step(t, dt), longest_step(v, -dt)),
                      std::min(longest_step(z, dz), longest_step(s, ds)));
    };

    direction(-t.cwiseProduct(z), -v.cwiseProduct(s));
    const double affine = longest();
    const double mu = gap / size;
    const double mu_affine = ((t + affine * dt).dot(z + affine * dz) +
                              (v - affine * dt).dot(s + affine * ds)) / size;
    const double sigma = std::pow(mu_affine / mu, 3);
    const Eigen::VectorXd rz =
        sigma * mu - t.array() * z.array() - dt.array() * dz.array();
    const Eigen::VectorXd rs =
        sigma * mu - v.array() * s.array() + dt.array() * ds.array();
    direction(rz, rs);
    const double step = std::min(1.0, (1 - std::max(1e-3 * sigma, 1e-6)) * longest());
    if (!(step > 1e-12) || !dt.allFinite()) break;
    t += step * dt;
    v -= step * dt;
    z += step * dz;
    s += step * ds;
    beta += step * dbeta;
    gradient = (q * t).array() - 1;
  }

  Eigen::VectorXd feasible = best_t;
  make_feasible(feasible, y);
  SvmDual out = describe(problem, feasible);

  // Strict complementarity tells the active set: at a bound the multiplier is the larger.
  std::vector<Index> free;
  Eigen::VectorXd guess = best_t;
  for (Index i = 0; i < l; ++i) {
    if (best_t(i) < best_z(i)) {
      guess(i) = 0;
    } else if (1 - best_t(i) < best_s(i)) {
      guess(i) = 1;
    } else {
      free.push_back(i);
    }
  }
  if (free.size() > most_polished) guess = feasible;
  Eigen::VectorXd refined = free.empty() || free.size() > most_polished
                                ? guess
                                : polished(problem, guess, free);
  if (refined.allFinite()) {
    make_feasible(refined, y);
    const SvmDual attempt = describe(problem, refined);
    if (attempt.gap < out.gap) out = attempt;
  }
  out.iterations = iterations;
  out.converged = out.gap <= options.tol;
  return out;
}

}  // namespace semiselect
