#include "core/optim/linear_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "core/optim/elastic_net_svm.hpp"
#include "core/optim/gram.hpp"
#include "core/optim/svm_dual.hpp"

namespace semiselect {

namespace {

constexpr Index largest_kernel = 2000;

// Which of the two ways is quicker: steps of two variables crawl where many rows lie at the margin,
// which takes many rows and fewer columns.
bool by_kernel(Index n, Index p) { return n <= 100 || (n <= largest_kernel && n <= p); }
constexpr double tiny = 1e-12;  // curvature below which a direction counts as flat

struct DualState {
  Eigen::VectorXd alpha;
  Eigen::VectorXd gradient;  // of 1/2 a'Qa - 1'a, Q = ss'K
};

// Steps until the largest violation of the optimality conditions is at most eps. False: not within
// `limit` steps.
bool minimize(const Eigen::MatrixXd& kernel, const Eigen::VectorXd& s, double cost, double eps,
              Index limit, DualState& state, Index& steps, const Control& control) {
  const Index n = s.size();
  Eigen::VectorXd& alpha = state.alpha;
  Eigen::VectorXd& g = state.gradient;
  const Eigen::VectorXd diagonal = kernel.diagonal();
  for (; steps < limit; ++steps) {
    if (steps % 1024 == 0) control.check_interrupt();
    // i: most violating among those that may move up along s; j: largest gain with it.
    double up = -std::numeric_limits<double>::infinity();
    double low = std::numeric_limits<double>::infinity();
    Index i = -1;
    for (Index t = 0; t < n; ++t) {
      const double value = -s(t) * g(t);
      const bool rises = s(t) > 0 ? alpha(t) < cost : alpha(t) > 0;
      if (rises && value > up) {
        up = value;
        i = t;
      }
      const bool falls = s(t) > 0 ? alpha(t) > 0 : alpha(t) < cost;
      if (falls && value < low) low = value;
    }
    if (i < 0 || up - low <= eps) return true;
    Index j = -1;
    double gain = 0;
    const double* row = kernel.data() + i * n;
    for (Index t = 0; t < n; ++t) {
      const bool falls = s(t) > 0 ? alpha(t) > 0 : alpha(t) < cost;
      if (!falls) continue;
      const double apart = up + s(t) * g(t);
      if (apart <= 0) continue;
      const double curve = std::max(diagonal(i) + diagonal(t) - 2 * row[t], tiny);
      if (apart * apart / curve > gain) {
        gain = apart * apart / curve;
        j = t;
      }
    }
    if (j < 0) return true;

    const double* other = kernel.data() + j * n;
    const double curve = std::max(diagonal(i) + diagonal(j) - 2 * row[j], tiny);
    // u = s alpha: u_i rises and u_j falls by the same amount.
    double move = (up + s(j) * g(j)) / curve;
    move = std::min(move, s(i) > 0 ? cost - alpha(i) : alpha(i));
    move = std::min(move, s(j) > 0 ? alpha(j) : cost - alpha(j));
    alpha(i) = std::min(cost, std::max(0.0, alpha(i) + s(i) * move));
    alpha(j) = std::min(cost, std::max(0.0, alpha(j) - s(j) * move));
    for (Index t = 0; t < n; ++t) g(t) += s(t) * move * (row[t] - other[t]);
  }
  return false;
}

struct Kernelized {
  Eigen::VectorXd u;  // s alpha
  double gap = 0;
};

Kernelized solve_kernel(const Eigen::MatrixXd& kernel, const Eigen::VectorXd& s,
                        const LinearSvmOptions& options, const Control& control) {
  const Index n = s.size();
  const double cost = options.cost;
  DualState state{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Constant(n, -1)};
  const Eigen::VectorXd weight = Eigen::VectorXd::Constant(n, cost);
  const Index limit = 20000 + 200 * n;
  Index steps = 0;
  Kernelized out;
  for (double eps = 1e-3; eps >= 1e-13; eps /= 10) {
    const bool done = minimize(kernel, s, cost, eps, limit, state, steps, control);
    out.u = s.cwiseProduct(state.alpha);
    const Eigen::VectorXd f = s.array() * (state.gradient.array() + 1);
    const double norm = std::max(0.0, out.u.dot(f));
    const double b = weighted_hinge_intercept(f, s, weight);
    const double loss = (1 - s.array() * (f.array() + b)).max(0.0).sum();
    const double primal = norm / 2 + cost * loss;
    const double dual = state.alpha.sum() - norm / 2;
    out.gap = (primal - dual) / std::max(std::abs(primal), 1e-12);
    if (out.gap <= options.tol) return out;
    if (!done) break;
  }
  // Large costs on rows that nearly cannot be told apart: steps of two variables crawl.
  SvmDualOptions interior;
  interior.cost = cost;
  interior.tol = options.tol;
  const SvmDual fit = svm_dual(kernel, s, interior);
  if (fit.gap < out.gap) {
    out.u = fit.alpha.cwiseProduct(s);
    out.gap = fit.gap;
  }
  return out;
}

}  // namespace

LinearSvm linear_svm(const FeatureMatrix& x, const Eigen::MatrixXd& sign,
                     const LinearSvmOptions& options, const Control& control) {
  const Index n = x.n();
  LinearSvm out;
  out.w = Eigen::MatrixXd::Zero(x.p(), sign.cols());
  out.b.resize(sign.cols());
  out.gap = Eigen::VectorXd::Zero(sign.cols());
  const Eigen::VectorXd ones = Eigen::VectorXd::Constant(n, options.cost);

  // The intercept absorbs any shift of the columns; centered, the kernel loses no digits to it.
  Eigen::MatrixXd kernel;
  Eigen::VectorXd mean;
  if (by_kernel(n, x.p())) {
    const Eigen::VectorXd share = Eigen::VectorXd::Constant(n, 1.0 / static_cast<double>(n));
    mean = x.transposed_times(share);
    if (x.is_sparse()) {
      kernel = gram_rows(x, control);
      const Eigen::VectorXd along = x.times(mean);
      kernel.colwise() -= along;
      kernel.rowwise() -= along.transpose();
      kernel.array() += mean.squaredNorm();
    } else {
      Eigen::MatrixXd centered = x.to_dense();
      centered.rowwise() -= mean.transpose();
      kernel = gram_rows(centered, control);
    }
  }
  std::unique_ptr<ElasticNetSvm> large;
  for (Index c = 0; c < sign.cols(); ++c) {
    const Eigen::VectorXd s = sign.col(c);
    if ((s.array() == s(0)).all()) {
      out.b(c) = s(0);
      continue;
    }
    if (by_kernel(n, x.p())) {
      const Kernelized fit = solve_kernel(kernel, s, options, control);
      out.w.col(c) = x.transposed_times(fit.u) - fit.u.sum() * mean;
      out.gap(c) = fit.gap;
    } else {
      if (!large) {
        large = std::make_unique<ElasticNetSvm>(x, ones, Eigen::VectorXd(), std::vector<bool>(), 1,
                                                1, SvmSystem::automatic, control);
      }
      ElasticNetSvmState state;
      ElasticNetSvmOptions inner;
      inner.tol = options.tol;
      inner.exact = false;
      const ElasticNetSvmFit fit = large->solve({s, ones, 0}, 0, state, inner, control);
      out.w.col(c) = fit.t;
      out.gap(c) = fit.gap;
    }
    out.b(c) = weighted_hinge_intercept(x.times(Eigen::VectorXd(out.w.col(c))), s, ones);
    out.converged = out.converged && out.gap(c) <= options.tol;
  }
  return out;
}

}  // namespace semiselect
