#include "core/select/margin/fs_manifold.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "core/graph/manifold_kernel.hpp"
#include "core/optim/blocked.hpp"
#include "core/optim/gram.hpp"
#include "core/optim/level_method.hpp"
#include "core/optim/platt.hpp"
#include "core/optim/svm_dual.hpp"
#include "core/run/errors.hpp"

namespace semiselect {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double relative_cost = 10;   // C s by default
constexpr double order_tol = 1e-6;     // p this close to 0 or 1 is 0 or 1 in the order
constexpr Index large_svm = 500;       // rows from which one SVM may use all threads by itself
constexpr Index small_exact = 2000;    // columns up to which the exact objective stores Z

double centered_trace(const MatrixXd& a) {
  return a.trace() - a.sum() / static_cast<double>(a.rows());
}

// The features of some labelled rows: v_i in the formulas, centered over all rows of z.
class LabelledColumns {
 public:
  // `rows`: labelled rows. Features outside `allowed` or constant over the rows are dropped.
  LabelledColumns(const FeatureMatrix& z, const VectorXd& mean, const std::vector<Index>& rows,
                  const std::vector<bool>& dropped) {
    const Index l = static_cast<Index>(rows.size());
    const FeatureMatrix part = z.is_sparse() ? z.rows(rows) : FeatureMatrix();
    std::vector<double> f(static_cast<std::size_t>(l));
    std::vector<VectorXd> dense;
    for (Index j = 0; j < z.p(); ++j) {
      if (dropped[static_cast<std::size_t>(j)]) continue;
      std::fill(f.begin(), f.end(), 0.0);
      if (z.is_sparse()) {
        part.for_each_stored(j, [&](Index i, double v) { f[static_cast<std::size_t>(i)] = v; });
      } else {
        const StoredColumn column = z.stored_column(j);
        for (Index i = 0; i < l; ++i) {
          const Index row = rows[static_cast<std::size_t>(i)];
          f[static_cast<std::size_t>(i)] = column.value[row] / z.row_divisor(row);
        }
      }
      const auto extent = std::minmax_element(f.begin(), f.end());
      const double low = *extent.first, high = *extent.second;
      if (high - low <= 1e-12 * std::max(std::abs(low), std::abs(high))) continue;
      feature_.push_back(j);
      // Sum of squares about the mean of the labelled rows, on the scale of z.
      const Eigen::Map<const Eigen::ArrayXd> v(f.data(), l);
      spread_ += (v - v.mean()).square().sum() / (z.divisor(j) * z.divisor(j));
      if (!z.is_sparse()) dense.push_back(((v - z.shift(j)) / z.divisor(j) - mean(j)).matrix());
    }
    const Index d = static_cast<Index>(feature_.size());
    mean_.resize(d);
    for (Index e = 0; e < d; ++e) mean_(e) = mean(feature_[static_cast<std::size_t>(e)]);
    if (z.is_sparse()) {
      columns_ = part.columns(feature_);
    } else {
      MatrixXd values(l, d);
      for (Index e = 0; e < d; ++e) values.col(e) = dense[static_cast<std::size_t>(e)];
      columns_ = FeatureMatrix::dense(std::move(values));
      mean_.setZero();
    }
  }

  Index d() const { return static_cast<Index>(feature_.size()); }
  const std::vector<Index>& feature() const { return feature_; }
  double spread() const { return spread_; }  // trace_c(V V')
  // V'u; sum u = 0, so that the centering plays no part.
  MatrixXd cross(const MatrixXd& u) const { return columns_.transposed_times(u); }
  // V diag(p) V'.
  MatrixXd kernel(const VectorXd& p, const Control& control) const {
    return weighted_gram(columns_, mean_, p, control);
  }

 private:
  std::vector<Index> feature_;
  FeatureMatrix columns_;
  VectorXd mean_;
  double spread_ = 0;
};

// One min-max problem in p: its kernel and its cuts, in the units of x.
struct Saddle {
  Index d = 0;  // features that may have p > 0
  std::function<MatrixXd(const VectorXd& p)> kernel;  // l x l
  // For u (l x classes) found at p: slope (d) of the cut c + slope'p below the value, for the
  // kernel last computed. `value` = sum over classes of sum(alpha) - 1/2 u'Mu.
  std::function<void(const VectorXd& p, const MatrixXd& alpha, const MatrixXd& u, double value,
                     VectorXd& slope, double& constant)> cut;
  double s = 1;  // trace_c of the kernel at p = m / d, over l
};

struct SaddleSolution {
  VectorXd p;  // d
  MatrixXd alpha, alpha_bar;
  VectorXd b;
  double lower = 0, upper = 0;
  std::vector<LevelTrace> trace;
  bool converged = true;
  bool single = false;  // p = 1 throughout: nothing to choose
};

// All classes share p; y has one column of +-1 per problem.
SaddleSolution solve_saddle(const Saddle& saddle, const MatrixXd& y, Index m, double cost,
                            const FsManifoldOptions& options, const VectorXd& start,
                            const Control& control, const Control& shown) {
  const Index l = y.rows(), classes = y.cols();
  const double s = saddle.s;
  SvmDualOptions svm;
  svm.cost = cost * s;  // normalized: kernel / s, C s, values s times those of x
  svm.tol = std::min(1e-12, 0.01 * options.tol);

  struct Found {
    MatrixXd alpha;
    VectorXd b;
  };
  std::vector<Found> found;
  const auto ask = [&](int, const VectorXd& p) {
    const MatrixXd kernel = saddle.kernel(p) / s;
    std::vector<SvmDual> fit(static_cast<std::size_t>(classes));
    if (classes == 1 || l > large_svm) {
      for (Index c = 0; c < classes; ++c) {
        fit[static_cast<std::size_t>(c)] = svm_dual(kernel, y.col(c), svm, control);
      }
    } else {
      const Control inner = inner_control(control);
      parallel_for(classes, control, [&](Index c) {
        fit[static_cast<std::size_t>(c)] = svm_dual(kernel, y.col(c), svm, inner);
      });
    }
    LevelAnswer answer;
    Found at{MatrixXd(l, classes), VectorXd(classes)};
    for (Index c = 0; c < classes; ++c) {
      const SvmDual& one = fit[static_cast<std::size_t>(c)];
      answer.upper += one.primal;
      answer.value += one.dual;
      at.alpha.col(c) = one.alpha / s;
      at.b(c) = one.b;
    }
    const MatrixXd u = at.alpha.cwiseProduct(y);
    saddle.cut(p, at.alpha, u, answer.value / s, answer.g, answer.c);
    answer.g *= s;
    answer.c *= s;
    found.push_back(std::move(at));
    return answer;
  };

  SaddleSolution out;
  LevelResult result;
  if (m >= saddle.d) {
    // Every feature: one SVM, and its own duality gap is all there is.
    out.single = true;
    result.p = VectorXd::Ones(saddle.d);
    const LevelAnswer answer = ask(0, result.p);
    result.upper = answer.upper;
    result.lower = std::min(answer.value, answer.upper);
    result.mu = VectorXd::Ones(1);
    result.trace.push_back({answer.value, result.upper, result.lower});
    result.converged = true;
  } else {
    const VectorXd p0 = start.size() == saddle.d
                            ? start
                            : VectorXd::Constant(saddle.d, static_cast<double>(m) /
                                                               static_cast<double>(saddle.d));
    result = level_method(p0, m, {options.level, options.tol, options.max_iter}, ask, shown);
  }
  const Found& best = found[static_cast<std::size_t>(result.best)];
  out.p = result.p;
  out.alpha = best.alpha;
  out.b = best.b;
  out.alpha_bar = MatrixXd::Zero(l, classes);
  for (Index j = 0; j < result.mu.size(); ++j) {
    if (result.mu(j) > 0) out.alpha_bar += result.mu(j) * found[static_cast<std::size_t>(j)].alpha;
  }
  out.upper = result.upper / s;
  out.lower = result.lower / s;
  out.trace = result.trace;
  for (LevelTrace& row : out.trace) {
    row.value /= s;
    row.upper /= s;
    row.lower /= s;
  }
  out.converged = result.converged;
  return out;
}

// (11): linear in p, so that the cut is the function of p itself at the alpha found.
// h: H of the rows of v, or empty if tau = 0.
Saddle bound_saddle(const LabelledColumns& v, const MatrixXd& h, double tau, double rho, Index m,
                    Index l, const Control& control) {
  const double data = (1 - tau) * (1 - tau);
  const double manifold = tau * tau / rho;
  const double p0 = std::min(1.0, static_cast<double>(m) / static_cast<double>(v.d()));
  Saddle out;
  out.d = v.d();
  out.s = data * p0 * v.spread();
  if (tau > 0) out.s += manifold * centered_trace(h);
  out.s /= static_cast<double>(l);
  out.kernel = [&v, &h, &control, data, manifold, tau, l](const VectorXd& p) -> MatrixXd {
    MatrixXd k = MatrixXd::Zero(l, l);
    if (tau < 1) k = data * v.kernel(p, control);
    if (tau > 0) k += manifold * h;
    return k;
  };
  out.cut = [&v, &h, data, manifold, tau](const VectorXd&, const MatrixXd& alpha,
                                          const MatrixXd& u, double, VectorXd& slope,
                                          double& constant) {
    slope = -0.5 * data * v.cross(u).rowwise().squaredNorm();
    constant = alpha.sum();
    if (tau > 0) constant -= 0.5 * manifold * u.cwiseProduct(h * u).sum();
  };
  return out;
}

// (5). f: fitted values on all rows, kept from the last kernel for the gradient.
class ExactKernel {
 public:
  ExactKernel(const FeatureMatrix& z, const VectorXd& mean, const Graph& graph,
              const std::vector<Index>& rows, std::vector<Index> features, double rho,
              const Control& control)
      : z_(z.columns(features)), graph_(graph), rows_(rows), rho_(rho), control_(control) {
    mean_.resize(z_.p());
    for (Index e = 0; e < z_.p(); ++e) mean_(e) = mean(features[static_cast<std::size_t>(e)]);
    if (z_.p() <= small_exact) {
      std::vector<Index> every(static_cast<std::size_t>(z_.p()));
      std::iota(every.begin(), every.end(), Index{0});
      smooth_ = smoothness_matrix(z_, every, graph_, control_);
    }
  }

  MatrixXd kernel(const VectorXd& p) {
    std::vector<Index> active;
    for (Index e = 0; e < p.size(); ++e) {
      if (p(e) > 1e-12) active.push_back(e);
    }
    const Index size = static_cast<Index>(active.size()), l = static_cast<Index>(rows_.size());
    if (size <= z_.n()) {
      VectorXd root(size);
      for (Index a = 0; a < size; ++a) root(a) = std::sqrt(p(active[static_cast<std::size_t>(a)]));
      MatrixXd system;
      if (smooth_.size() > 0) {
        system.resize(size, size);
        for (Index a = 0; a < size; ++a) {
          const Index j = active[static_cast<std::size_t>(a)];
          for (Index i = 0; i < size; ++i) {
            system(i, a) = smooth_(active[static_cast<std::size_t>(i)], j);
          }
        }
      } else {
        system = smoothness_matrix(z_, active, graph_, control_);
      }
      system = rho_ * (root.asDiagonal() * system * root.asDiagonal());
      system.diagonal().array() += 1;
      const BlockedCholesky factor(std::move(system), control_);
      if (!factor.ok()) {
        throw std::runtime_error("The kernel of the exact objective is not positive definite.");
      }
      MatrixXd side(size, l);  // S X_lF'
      for (Index a = 0; a < size; ++a) {
        const Index j = active[static_cast<std::size_t>(a)];
        for (Index i = 0; i < l; ++i) {
          side(a, i) = root(a) * (z_.entry(rows_[static_cast<std::size_t>(i)], j) - mean_(j));
        }
      }
      const MatrixXd half = factor.solve_lower(side);
      const MatrixXd solved = factor.solve(side);
      fitted_ = [this, active, root, solved](const MatrixXd& u) {
        const MatrixXd small = root.asDiagonal() * (solved * u);
        MatrixXd w = MatrixXd::Zero(z_.p(), u.cols());
        for (std::size_t a = 0; a < active.size(); ++a) {
          w.row(active[a]) = small.row(static_cast<Index>(a));
        }
        MatrixXd f = z_.times(w);
        f.rowwise() -= Eigen::RowVectorXd(mean_.transpose() * w);
        return f;
      };
      return gram_columns(half, control_);
    }
    // More features than rows: K = G (I + rho L G)^-1, G = X D X'.
    const MatrixXd g = weighted_gram(z_, mean_, p, control_);
    MatrixXd system = rho_ * laplacian_times(graph_, g);
    system.diagonal().array() += 1;
    const BlockedLu factor(std::move(system), control_);
    if (!factor.ok()) throw std::runtime_error("The kernel of the exact objective is singular.");
    const MatrixXd columns =
        multiply(g, factor.solve(padded(MatrixXd::Identity(l, l))), control_);  // n x l
    fitted_ = [columns](const MatrixXd& u) -> MatrixXd { return columns * u; };
    MatrixXd k(l, l);
    for (Index i = 0; i < l; ++i) k.row(i) = columns.row(rows_[static_cast<std::size_t>(i)]);
    return 0.5 * (k + k.transpose());
  }

  // z = X'(u~ - rho L f), after kernel(p) for the same p.
  MatrixXd residual_cross(const MatrixXd& u) const {
    return z_.transposed_times(
        MatrixXd(padded(u) - rho_ * laplacian_times(graph_, fitted_(u))));
  }

 private:
  MatrixXd padded(const MatrixXd& u) const {
    MatrixXd out = MatrixXd::Zero(z_.n(), u.cols());
    for (Index i = 0; i < u.rows(); ++i) out.row(rows_[static_cast<std::size_t>(i)]) = u.row(i);
    return out;
  }

  FeatureMatrix z_;
  VectorXd mean_;
  const Graph& graph_;
  std::vector<Index> rows_;
  double rho_;
  const Control& control_;
  MatrixXd smooth_;  // Z, where it is small
  std::function<MatrixXd(const MatrixXd&)> fitted_;
};

// One relaxed solution, spread over all columns of x.
struct Relaxed {
  VectorXd p;         // all columns
  MatrixXd strength;  // |v_i'u| before the absolute value ("exact": z_i), columns x classes
  SaddleSolution saddle;
  double s = 1, cost = 0;
  bool few = false;  // step 1 of the algorithm left no more than m features
};

// Everything that stays the same over classes, costs and tau.
struct Setting {
  const Problem& problem;
  const FsManifoldOptions& options;
  const Control& control;  // without progress: the parts do not know of the whole
  Control shown;           // with it, for the run that the user waits for
  VectorXd mean;
  Graph graph;               // empty if nothing needs it
  std::vector<Index> rows;   // labelled
  MatrixXd h;                // of all labelled rows, or empty
  double rho = 0, eps = 0;
  Index m = 0;
};

MatrixXd block_of(const MatrixXd& a, const std::vector<Index>& at) {
  const Index k = static_cast<Index>(at.size());
  MatrixXd out(k, k);
  for (Index c = 0; c < k; ++c) {
    for (Index r = 0; r < k; ++r) {
      out(r, c) = a(at[static_cast<std::size_t>(r)], at[static_cast<std::size_t>(c)]);
    }
  }
  return out;
}

[[noreturn]] void no_variation() {
  throw InputError(
      "All columns of `x` are constant over the labelled rows: the labels cannot be told apart "
      "from these columns. Label rows that differ, or add columns.");
}

// `at`: positions within the labelled rows. `relative`: C s, used where no cost was given.
Relaxed relax_bound(const Setting& setting, const LabelledColumns& v, const std::vector<Index>& at,
                    const MatrixXd& y, double tau, double relative, double cost) {
  const Index m = setting.m, l = y.rows();
  const MatrixXd h = tau > 0 ? block_of(setting.h, at) : MatrixXd();
  const Saddle saddle = bound_saddle(v, h, tau, setting.rho, m, l, setting.control);
  if (!(saddle.s > 0)) no_variation();
  Relaxed out;
  out.s = saddle.s;
  out.cost = cost > 0 ? cost : relative / saddle.s;
  out.few = v.d() < m;
  out.saddle = solve_saddle(saddle, y, m, out.cost, setting.options, VectorXd(),
                            setting.control, setting.shown);
  const MatrixXd cross = v.cross(out.saddle.alpha.cwiseProduct(y));
  out.p = VectorXd::Zero(setting.problem.z.p());
  out.strength = MatrixXd::Zero(out.p.size(), y.cols());
  for (Index e = 0; e < v.d(); ++e) {
    const Index j = v.feature()[static_cast<std::size_t>(e)];
    out.p(j) = out.saddle.p(e);
    out.strength.row(j) = cross.row(e);
  }
  return out;
}

Relaxed relax_exact(const Setting& setting, const std::vector<Index>& at, const MatrixXd& y,
                    double relative, double cost) {
  const Problem& problem = setting.problem;
  const Index m = setting.m, l = y.rows();
  std::vector<Index> rows;
  for (const Index i : at) rows.push_back(setting.rows[static_cast<std::size_t>(i)]);
  // Only columns constant over all rows are out: one that is constant over the labelled rows can
  // still smooth f on the others.
  std::vector<Index> features;
  for (Index j = 0; j < problem.z.p(); ++j) {
    if (!problem.constant[static_cast<std::size_t>(j)]) features.push_back(j);
  }
  ExactKernel exact(problem.z, setting.mean, setting.graph, rows, features, setting.rho,
                    setting.control);
  Saddle saddle;
  saddle.d = static_cast<Index>(features.size());
  saddle.kernel = [&](const VectorXd& p) { return exact.kernel(p); };
  saddle.cut = [&](const VectorXd& p, const MatrixXd&, const MatrixXd& u, double value,
                   VectorXd& slope, double& constant) {
    slope = -0.5 * exact.residual_cross(u).rowwise().squaredNorm();
    constant = value - slope.dot(p);
  };
  // K(p0) = H(eps = 1 / (rho p0)) / rho: the routes of H serve where d x d would be too large.
  const double p0 = std::min(1.0, static_cast<double>(m) / static_cast<double>(saddle.d));
  const bool small = saddle.d <= small_exact;
  const MatrixXd first =
      small ? exact.kernel(VectorXd::Constant(saddle.d, p0))
            : MatrixXd(manifold_kernel(problem.z.columns(features), setting.graph, rows,
                                       1 / (setting.rho * p0), ManifoldRoute::automatic,
                                       setting.control).h / setting.rho);
  saddle.s = centered_trace(first) / static_cast<double>(l);

  Relaxed out;
  const LabelledColumns v(problem.z, setting.mean, rows, problem.constant);
  if (v.d() == 0 || !(saddle.s > 0)) no_variation();
  out.s = saddle.s;
  out.cost = cost > 0 ? cost : relative / saddle.s;
  VectorXd start;
  if (!small && m < saddle.d) {
    // From the supervised solution, so that few features are active from the first step on.
    const Relaxed supervised = relax_bound(setting, v, at, y, 0, relative, out.cost);
    start.resize(saddle.d);
    for (Index e = 0; e < saddle.d; ++e) {
      start(e) = supervised.p(features[static_cast<std::size_t>(e)]);
    }
    double missing = static_cast<double>(m) - start.sum();
    for (Index e = 0; e < saddle.d && missing > 1e-12; ++e) {
      const double more = std::min(1 - start(e), missing);
      start(e) += more;
      missing -= more;
    }
  }
  out.saddle = solve_saddle(saddle, y, m, out.cost, setting.options, start, setting.control,
                            setting.shown);
  exact.kernel(out.saddle.p);
  const MatrixXd cross = exact.residual_cross(out.saddle.alpha.cwiseProduct(y));
  out.p = VectorXd::Zero(problem.z.p());
  out.strength = MatrixXd::Zero(out.p.size(), y.cols());
  for (Index e = 0; e < saddle.d; ++e) {
    const Index j = features[static_cast<std::size_t>(e)];
    out.p(j) = out.saddle.p(e);
    out.strength.row(j) = cross.row(e);
  }
  return out;
}

// One run ("joint", two classes) or one per class.
struct Runs {
  std::vector<Relaxed> run;
  std::vector<Index> order;
  double s = 1, cost = 0, lower = 0, upper = 0;
};

VectorXd snapped(const VectorXd& p) {
  return p.unaryExpr([](double v) {
    return v <= order_tol ? 0.0 : v >= 1 - order_tol ? 1.0 : v;
  });
}

Runs relax(const Setting& setting, const std::vector<Index>& at, const MatrixXd& y, double tau,
           double relative, double cost) {
  const Problem& problem = setting.problem;
  const bool bound = setting.options.objective == FsObjective::bound;
  std::vector<MatrixXd> targets;
  if (setting.options.multiclass == FsMulticlass::joint) {
    targets.push_back(y);
  } else {
    for (Index c = 0; c < y.cols(); ++c) targets.push_back(y.col(c));
  }
  Runs out;
  if (bound) {
    std::vector<Index> rows;
    for (const Index i : at) rows.push_back(setting.rows[static_cast<std::size_t>(i)]);
    const LabelledColumns v(problem.z, setting.mean, rows, problem.constant);
    if (v.d() == 0) no_variation();
    for (const MatrixXd& target : targets) {
      out.run.push_back(relax_bound(setting, v, at, target, tau, relative, cost));
    }
  } else {
    for (const MatrixXd& target : targets) {
      out.run.push_back(relax_exact(setting, at, target, relative, cost));
    }
  }
  out.s = out.run[0].s;
  out.cost = out.run[0].cost;

  const Index d = problem.z.p();
  VectorXd first = VectorXd::Zero(d), second = VectorXd::Zero(d);
  for (const Relaxed& run : out.run) {
    out.lower += run.saddle.lower;
    out.upper += run.saddle.upper;
    first += snapped(run.p);
    const VectorXd strength = run.strength.rowwise().norm();
    const double largest = strength.maxCoeff();
    second += out.run.size() > 1 && largest > 0 ? VectorXd(strength / largest) : strength;
  }
  out.order.resize(static_cast<std::size_t>(d));
  std::iota(out.order.begin(), out.order.end(), Index{0});
  const auto& constant = problem.constant;
  std::sort(out.order.begin(), out.order.end(), [&](Index a, Index b) {
    const bool ca = constant[static_cast<std::size_t>(a)];
    const bool cb = constant[static_cast<std::size_t>(b)];
    if (ca != cb) return cb;
    if (first(a) != first(b)) return first(a) > first(b);
    if (second(a) != second(b)) return second(a) > second(b);
    return a < b;
  });
  return out;
}

// A linear SVM per class on the selected columns of the rows `at`, with the same relative cost.
struct Refit {
  std::vector<Index> columns;
  MatrixXd w;  // m x classes, for centered columns of z
  VectorXd b;
};

VectorXd centered_values(const Setting& setting, Index column, const std::vector<Index>& at) {
  VectorXd f(static_cast<Index>(at.size()));
  for (Index i = 0; i < f.size(); ++i) {
    const Index row = setting.rows[static_cast<std::size_t>(at[static_cast<std::size_t>(i)])];
    f(i) = setting.problem.z.entry(row, column) - setting.mean(column);
  }
  return f;
}

MatrixXd chosen_columns(const Setting& setting, const std::vector<Index>& columns,
                        const std::vector<Index>& at) {
  MatrixXd x(static_cast<Index>(at.size()), static_cast<Index>(columns.size()));
  for (Index c = 0; c < x.cols(); ++c) {
    x.col(c) = centered_values(setting, columns[static_cast<std::size_t>(c)], at);
  }
  return x;
}

Refit refit(const Setting& setting, const Runs& runs, const std::vector<Index>& at,
            const MatrixXd& y) {
  Refit out;
  out.columns.assign(runs.order.begin(), runs.order.begin() + setting.m);
  const MatrixXd x = chosen_columns(setting, out.columns, at);
  const MatrixXd kernel = gram_rows(x, setting.control);
  const double s = centered_trace(kernel) / static_cast<double>(y.rows());
  SvmDualOptions svm;
  svm.cost = s > 0 ? runs.cost * runs.s / s : runs.cost;
  out.w.resize(x.cols(), y.cols());
  out.b.resize(y.cols());
  for (Index c = 0; c < y.cols(); ++c) {
    const SvmDual fit = svm_dual(kernel, y.col(c), svm, setting.control);
    out.w.col(c) = x.transpose() * fit.alpha.cwiseProduct(y.col(c));
    out.b(c) = fit.b;
  }
  return out;
}

MatrixXd decision(const Setting& setting, const Refit& fit, const std::vector<Index>& at) {
  MatrixXd f = chosen_columns(setting, fit.columns, at) * fit.w;
  f.rowwise() -= fit.b.transpose();
  return f;
}

// +-1 per problem: the second class alone if there are two, else each class against the rest.
MatrixXd targets_of(const std::vector<int>& code, int classes) {
  const Index l = static_cast<Index>(code.size());
  MatrixXd y(l, classes == 2 ? 1 : classes);
  for (Index c = 0; c < y.cols(); ++c) {
    const int positive = classes == 2 ? 1 : static_cast<int>(c);
    for (Index i = 0; i < l; ++i) y(i, c) = code[static_cast<std::size_t>(i)] == positive ? 1 : -1;
  }
  return y;
}

Index count_errors(const MatrixXd& link, const std::vector<int>& code) {
  Index errors = 0;
  for (Index i = 0; i < link.rows(); ++i) {
    Index guess = link(i, 0) >= 0 ? 1 : 0;
    if (link.cols() > 1) link.row(i).maxCoeff(&guess);
    errors += guess != code[static_cast<std::size_t>(i)];
  }
  return errors;
}

// Error of every relative cost and tau on held-out labels; the first of the best wins, and they
// come by cost, then by tau.
FsManifoldCandidate cross_validate(const Setting& setting, const std::vector<int>& code,
                                   int classes, std::vector<FsManifoldCandidate>& tried,
                                   const Control& outer) {
  const bool bound = setting.options.objective == FsObjective::bound;
  std::vector<double> costs{1, 10, 100}, taus{0, 0.1, 0.3, 0.5, 0.7, 0.9};
  if (setting.options.cost > 0) costs = {no_value};
  if (!bound) taus = {no_value};
  for (const double cost : costs) {
    for (const double tau : taus) tried.push_back({cost, tau, 0});
  }
  Index total = 0;
  const Index units = static_cast<Index>(tried.size());
  double done = 0;
  const double work =
      static_cast<double>(units) * static_cast<double>(setting.options.folds.size());
  for (const std::vector<Index>& fold : setting.options.folds) {
    std::vector<Index> train, test;
    std::vector<int> train_code, test_code;
    for (Index i = 0; i < static_cast<Index>(setting.rows.size()); ++i) {
      const Index row = setting.rows[static_cast<std::size_t>(i)];
      const bool held = std::find(fold.begin(), fold.end(), row) != fold.end();
      (held ? test : train).push_back(i);
      (held ? test_code : train_code).push_back(code[static_cast<std::size_t>(i)]);
    }
    total += static_cast<Index>(test.size());
    const MatrixXd y = targets_of(train_code, classes);
    std::vector<Index> errors(tried.size(), 0);
    for (std::size_t e = 0; e < tried.size(); ++e) {
      outer.check_interrupt();
      try {
        const Runs runs = relax(setting, train, y, bound ? tried[e].tau : 0, tried[e].relative_cost,
                                setting.options.cost);
        const Refit fit = refit(setting, runs, train, y);
        errors[e] = count_errors(decision(setting, fit, test), test_code);
      } catch (const InputError&) {
        errors[e] = static_cast<Index>(test.size());  // nothing to learn from in this fold
      }
      outer.progress(++done / work);
    }
    for (std::size_t e = 0; e < tried.size(); ++e) tried[e].error += static_cast<double>(errors[e]);
  }
  FsManifoldCandidate best = tried.front();
  for (FsManifoldCandidate& candidate : tried) {
    if (candidate.error < best.error) best = candidate;
  }
  for (FsManifoldCandidate& candidate : tried) candidate.error /= static_cast<double>(total);
  return best;
}

// max over tau of the saddle value. Not unimodal in general: a grid first, then golden section
// between the neighbors of its best point.
double maximal_tau(const Setting& setting, const std::vector<Index>& at, const MatrixXd& y,
                   double cost, const Control& outer) {
  const std::vector<double> grid{0,   0.05, 0.1, 0.15, 0.2, 0.25, 0.3,  0.35, 0.4,
                                 0.5, 0.6,  0.7, 0.8,  0.9, 0.95, 0.99, 1};
  const auto value = [&](double tau) { return relax(setting, at, y, tau, 0, cost).upper; };
  std::vector<double> found;
  for (const double tau : grid) {
    found.push_back(value(tau));
    outer.progress(static_cast<double>(found.size()) / 40);
  }
  const std::size_t best =
      static_cast<std::size_t>(std::max_element(found.begin(), found.end()) - found.begin());
  double best_tau = grid[best], best_value = found[best];
  double low = grid[best > 0 ? best - 1 : 0], high = grid[std::min(best + 1, grid.size() - 1)];
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double a = high - ratio * (high - low), b = low + ratio * (high - low);
  double fa = value(a), fb = value(b);
  const auto keep = [&](double tau, double at_tau) {
    if (at_tau > best_value) {
      best_value = at_tau;
      best_tau = tau;
    }
  };
  keep(a, fa);
  keep(b, fb);
  while (high - low > 1e-3) {
    if (fa >= fb) {
      high = b;
      b = a;
      fb = fa;
      a = high - ratio * (high - low);
      fa = value(a);
      keep(a, fa);
    } else {
      low = a;
      a = b;
      fa = fb;
      b = low + ratio * (high - low);
      fb = value(b);
      keep(b, fb);
    }
  }
  return best_tau;
}

}  // namespace

FsManifoldFit fs_manifold(const Problem& problem, const GraphOptions& graph,
                          const FsManifoldOptions& options, const Control& control) {
  const FeatureMatrix& z = problem.z;
  const bool bound = options.objective == FsObjective::bound;
  const Index free = z.p() - std::count(problem.constant.begin(), problem.constant.end(), true);
  if (free == 0) no_variation();

  Control quiet = control;
  quiet.progress = [](double) {};
  Setting setting{problem, options, quiet, quiet, column_means(z), Graph(),
                  problem.y.labelled_rows(), MatrixXd(), 0, 0, std::min(options.n_features, free)};
  const int classes = problem.y.classes;
  std::vector<int> code;
  std::vector<Index> at;
  for (const Index row : setting.rows) {
    at.push_back(static_cast<Index>(at.size()));
    code.push_back(problem.y.code[static_cast<std::size_t>(row)]);
  }
  if (LabelledColumns(z, setting.mean, setting.rows, problem.constant).d() == 0) no_variation();

  FsManifoldFit out;
  const bool needs_graph = !bound || options.choose_tau != FsTau::fixed || options.tau > 0;
  if (needs_graph) {
    setting.graph = neighbor_graph(z, graph, quiet);
    out.components = count_components(setting.graph);
  }
  setting.rho = options.rho > 0 ? options.rho : 10;
  if (!bound && !(options.rho > 0)) {
    const VectorXd smooth = edge_sums(z, setting.graph, quiet);
    double trace = 0;
    for (Index j = 0; j < z.p(); ++j) {
      if (!problem.constant[static_cast<std::size_t>(j)]) trace += smooth(j);
    }
    // A graph along which nothing varies penalizes nothing, whatever rho is.
    setting.rho = trace > 0 ? 0.3 * static_cast<double>(free) / trace : 1;
  }
  ManifoldKernel manifold;
  setting.eps = options.ridge >= 0 ? options.ridge : 1 / setting.rho;
  if (bound && needs_graph) {
    if (setting.eps == 0 && out.components > 1) {
      control.warn("The neighbor graph has " + std::to_string(out.components) +
                   " connected components. With `ridge = 0` functions that are constant on each "
                   "of them get a small kernel though nothing penalizes them; the default "
                   "`ridge = NULL` does not have this flaw.");
    }
    manifold = manifold_kernel(z, setting.graph, setting.rows, setting.eps,
                               ManifoldRoute::automatic, quiet);
    if (!manifold.converged) {
      control.warn("The conjugate gradients behind the manifold term did not converge; a larger "
                   "`ridge` would help.");
    }
    setting.h = manifold.h;
  }

  const MatrixXd y = targets_of(code, classes);
  double tau = options.tau, relative = relative_cost, cost = options.cost;
  if (options.choose_tau == FsTau::cross_validated) {
    const FsManifoldCandidate best = cross_validate(setting, code, classes, out.candidates,
                                                    control);
    tau = best.tau;
    if (!(cost > 0)) relative = best.relative_cost;
  } else if (options.choose_tau == FsTau::maximal) {
    if (!(cost > 0)) {
      // One C for all tau, else their values could not be compared: that of the default tau.
      const LabelledColumns v(z, setting.mean, setting.rows, problem.constant);
      const Saddle at_default = bound_saddle(v, setting.h, 0.5, setting.rho, setting.m,
                                             static_cast<Index>(code.size()), quiet);
      cost = relative_cost / at_default.s;
    }
    tau = maximal_tau(setting, at, y, cost, control);
  }
  if (bound && tau == 1) {
    control.warn("With `tau = 1` the feature weights do not depend on `x`; the ranking rests on "
                 "the size of the gradient alone.");
  }

  if (options.choose_tau == FsTau::fixed) setting.shown = control;
  const Runs runs = relax(setting, at, y, bound ? tau : 0, relative, cost);
  out.p = VectorXd::Zero(z.p());
  out.alpha.resize(y.rows(), y.cols());
  out.alpha_bar.resize(y.rows(), y.cols());
  out.b.resize(y.cols());
  out.w.resize(z.p(), y.cols());
  Eigen::ArrayXi fractional = Eigen::ArrayXi::Zero(z.p());
  Index column = 0;
  for (std::size_t r = 0; r < runs.run.size(); ++r) {
    const Relaxed& run = runs.run[r];
    const Index count = run.saddle.alpha.cols();
    out.p += run.p;
    out.alpha.middleCols(column, count) = run.saddle.alpha;
    out.alpha_bar.middleCols(column, count) = run.saddle.alpha_bar;
    out.b.segment(column, count) = run.saddle.b;
    const double data = bound ? (1 - tau) * (1 - tau) : 1;
    out.w.middleCols(column, count) = data * (run.p.asDiagonal() * run.strength);
    if (bound && tau > 0) {
      const MatrixXd u = run.saddle.alpha.cwiseProduct(y.middleCols(column, count));
      out.w.middleCols(column, count) += tau * tau / setting.rho * manifold.weights(u);
    }
    fractional = fractional.max((run.p.array() > order_tol && run.p.array() < 1 - order_tol)
                                    .cast<int>());
    for (std::size_t i = 0; i < run.saddle.trace.size(); ++i) {
      const LevelTrace& t = run.saddle.trace[i];
      out.trace.push_back(
          {static_cast<int>(r), static_cast<int>(i) + 1, t.value, t.upper, t.lower});
    }
    out.selection.iterations += static_cast<int>(run.saddle.trace.size());
    out.selection.converged = out.selection.converged && run.saddle.converged;
    if (run.saddle.single) {
      out.note = run.few ? "Fewer features than `n_features` vary over the labelled rows: all of "
                           "them have weight 1."
                         : "Every feature that varies has weight 1: one SVM was solved.";
    }
    column += count;
  }
  out.lower = runs.lower;
  out.upper = runs.upper;
  out.gap = out.upper == 0 ? 0 : (out.upper - out.lower) / std::abs(out.upper);
  out.n_fractional = fractional.sum();
  out.cost = runs.cost;
  out.tau = bound ? tau : no_value;
  out.rho = setting.rho;
  out.eps = bound ? setting.eps : no_value;
  out.n_features = setting.m;

  out.selection.statistic = out.p;
  out.selection.order = runs.order;
  out.selection.selected.assign(static_cast<std::size_t>(z.p()), 0);
  for (Index e = 0; e < setting.m; ++e) {
    out.selection.selected[static_cast<std::size_t>(runs.order[static_cast<std::size_t>(e)])] = 1;
  }
  for (const FsManifoldTrace& t : out.trace) out.selection.objective.push_back(t.upper);

  const Refit classifier = refit(setting, runs, at, y);
  out.coefficients = MatrixXd::Zero(z.p(), y.cols());
  out.intercept = -classifier.b;
  for (Index e = 0; e < setting.m; ++e) {
    const Index j = classifier.columns[static_cast<std::size_t>(e)];
    // w (x / divisor - shift / divisor - mean) on the scale of x.
    out.coefficients.row(j) = classifier.w.row(e) / z.divisor(j);
    const double origin = z.shift(j) / z.divisor(j) + setting.mean(j);
    out.intercept -= origin * classifier.w.row(e).transpose();
  }
  const MatrixXd link = decision(setting, classifier, at);
  out.platt.resize(2, y.cols());
  for (Index c = 0; c < y.cols(); ++c) {
    const Platt sigmoid = platt(link.col(c), y.col(c));
    out.platt.col(c) << sigmoid.a, sigmoid.b;
  }
  return out;
}

}  // namespace semiselect
