#include "core/select/graph/spfs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/graph/row_products.hpp"
#include "core/optim/dense.hpp"
#include "core/optim/gram.hpp"

namespace semiselect {

namespace {

constexpr Index block_columns = 256;
constexpr double tie = 1e-12;
constexpr double dependent = 1e-10;  // squared part of a unit column outside the span of others

// The columns centered and of unit norm, never stored.
class UnitColumns {
 public:
  UnitColumns(const FeatureMatrix& x, const Control& control)
      : x_(x), mean_(x.p()), norm_(x.p()), control_(control) {
    control_.progress = [](double) {};
    parallel_ranges(x.p(), 64, control_, [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) {
        double sum = 0, largest = 0, squares = 0;
        x.for_each_stored(r, [&](Index, double v) {
          sum += v;
          largest = std::max(largest, std::abs(v));
        });
        mean_(r) = sum / static_cast<double>(x.n());
        x.for_each_stored(r, [&](Index, double v) { squares += (v - mean_(r)) * (v - mean_(r)); });
        squares += static_cast<double>(x.n() - x.stored_column(r).count) * mean_(r) * mean_(r);
        const double rounding = 1e-12 * largest;
        const bool flat = squares <= rounding * rounding * static_cast<double>(x.n());
        norm_(r) = flat ? 0 : std::sqrt(squares);
      }
    });
  }
  Index p() const { return x_.p(); }
  bool usable(Index r) const { return norm_(r) > 0; }

  void column(Index r, double* out) const {
    if (!usable(r)) {
      std::fill_n(out, x_.n(), 0.0);
      return;
    }
    x_.column(r, out);
    Eigen::Map<Eigen::ArrayXd> f(out, x_.n());
    f = (f * x_.divisor(r) + x_.shift(r) - mean_(r)) / norm_(r);
  }
  Eigen::VectorXd column(Index r) const {
    Eigen::VectorXd out(x_.n());
    column(r, out.data());
    return out;
  }
  // Z'u, one pass over the stored entries.
  Eigen::VectorXd times(const Eigen::VectorXd& u) const {
    const double total = u.sum();
    Eigen::VectorXd out(p());
    parallel_ranges(p(), 64, control_, [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) {
        double sum = 0;
        const StoredColumn c = x_.stored_column(r);
        if (!c.row && x_.scale() != Scale::unit) {
          sum = Eigen::Map<const Eigen::VectorXd>(c.value, c.count).dot(u);
        } else {
          x_.for_each_stored(r, [&](Index i, double v) { sum += v * u(i); });
        }
        out(r) = usable(r) ? (sum - mean_(r) * total) / norm_(r) : 0;
      }
    });
    return out;
  }
  // Z'U, for many columns.
  Eigen::MatrixXd times(const Eigen::MatrixXd& u) const {
    Eigen::MatrixXd out(p(), u.cols());
    if (u.cols() <= 4 || x_.is_sparse()) {
      for (Index c = 0; c < u.cols(); ++c) out.col(c) = times(Eigen::VectorXd(u.col(c)));
      return out;
    }
    for (Index first = 0; first < p(); first += block_columns) {
      control_.check_interrupt();
      out.middleRows(first, std::min(block_columns, p() - first)) =
          transposed_multiply(block(first), u, control_);
    }
    return out;
  }
  Eigen::MatrixXd block(Index first) const {
    Eigen::MatrixXd z(x_.n(), std::min(block_columns, p() - first));
    parallel_for(z.cols(), control_, [&](Index c) { column(first + c, z.data() + c * x_.n()); });
    return z;
  }
  const Control& control() const { return control_; }

 private:
  const FeatureMatrix& x_;
  Eigen::VectorXd mean_, norm_;  // of the stored columns; norm 0: constant
  Control control_;
};

// What the searches share: which features are picked, the ranking they end in.
struct Picks {
  std::vector<Index> order;
  std::vector<char> picked;

  explicit Picks(Index p) : picked(static_cast<std::size_t>(p), 0) {}
  bool has(Index r) const { return picked[static_cast<std::size_t>(r)]; }
  void add(Index r) {
    order.push_back(r);
    picked[static_cast<std::size_t>(r)] = 1;
  }
  // The lowest column within `tie` of the largest value; -1 if no feature is left.
  Index best(const UnitColumns& z, const Eigen::VectorXd& value) const {
    double most = -std::numeric_limits<double>::infinity();
    for (Index r = 0; r < z.p(); ++r) {
      if (z.usable(r) && !has(r)) most = std::max(most, value(r));
    }
    for (Index r = 0; r < z.p(); ++r) {
      if (z.usable(r) && !has(r) && value(r) >= most - tie) return r;
    }
    return -1;
  }
  // The others by `value`, then those without a z in column order, which have no score.
  void finish(const UnitColumns& z, const Eigen::VectorXd& value, Selection& out) {
    std::vector<Index> rest;
    for (Index r = 0; r < z.p(); ++r) {
      if (z.usable(r) && !has(r)) rest.push_back(r);
    }
    std::stable_sort(rest.begin(), rest.end(),
                     [&](Index a, Index b) { return value(a) > value(b); });
    out.order = order;
    out.order.insert(out.order.end(), rest.begin(), rest.end());
    out.score = Eigen::VectorXd::Constant(z.p(), no_value);
    for (std::size_t e = 0; e < out.order.size(); ++e) {
      out.score(out.order[e]) = static_cast<double>(z.p() - static_cast<Index>(e));
    }
    for (Index r = 0; r < z.p(); ++r) {
      if (z.usable(r)) continue;
      out.order.push_back(r);
      out.statistic(r) = no_value;
    }
  }
};

void forward(const UnitColumns& z, Eigen::VectorXd q, Index wanted, Selection& out,
             const Control& control) {
  Picks picks(z.p());
  out.statistic = q;
  out.selected.assign(static_cast<std::size_t>(z.p()), 0);
  while (static_cast<Index>(picks.order.size()) < wanted) {
    control.check_interrupt();
    const Index best = picks.best(z, q);
    if (best < 0) break;
    picks.add(best);
    out.statistic(best) = q(best);
    out.selected[static_cast<std::size_t>(best)] = q(best) >= 0;
    q -= z.times(z.column(best)).cwiseAbs2();
    control.progress(static_cast<double>(picks.order.size()) / static_cast<double>(wanted));
  }
  for (Index r = 0; r < z.p(); ++r) {
    if (!picks.has(r)) out.statistic(r) = q(r);
  }
  picks.finish(z, q, out);
}

// The step at which an inactive feature is as correlated as the active ones: the smallest gamma in
// [0, 1] with |a - gamma b|^2 = (1 - gamma)^2 c^2, where |a| <= c.
double entry_step(double aa, double ab, double bb, double cc) {
  if (aa >= cc * (1 - 2 * tie)) return 0;
  const double quadratic = bb - cc, half = ab - cc, constant = aa - cc;  // constant < 0
  // quadratic g^2 - 2 half g + constant = 0
  if (quadratic == 0) {
    const double step = half < 0 ? constant / (2 * half) : 1;
    return std::min(std::max(step, 0.0), 1.0);
  }
  const double root = half * half - quadratic * constant;
  if (root < 0) return 1;
  // Both roots without cancellation.
  const double sum = half + (half >= 0 ? std::sqrt(root) : -std::sqrt(root));
  double step = 1;
  for (const double candidate : {sum / quadratic, sum != 0 ? constant / sum : 1.0}) {
    if (candidate > 0 && candidate < step) step = candidate;
  }
  return step;
}

void lar(const UnitColumns& z, const Eigen::MatrixXd& y, Index wanted, Selection& out,
         const Control& control) {
  const Index p = z.p(), n = y.rows();
  Picks picks(p);
  Eigen::MatrixXd a = z.times(y);  // z_f'(Y - F)
  Eigen::VectorXd c = a.rowwise().norm();
  const double first = c.size() > 0 ? c.maxCoeff() : 0;
  out.statistic = Eigen::VectorXd::Zero(p);
  out.selected.assign(static_cast<std::size_t>(p), 0);
  const bool any = first > 1e-12 * y.norm();

  Eigen::MatrixXd q(n, 0), zq(p, 0), t(0, y.cols());  // basis of the active features, Z'q, q'Y
  Eigen::VectorXd left(0);                            // 1 less how far F has gone along each q'Y
  double level = first;
  while (any && static_cast<Index>(picks.order.size()) < wanted) {
    control.check_interrupt();
    Index enters = -1;
    double step = 0;
    Eigen::MatrixXd b;
    if (picks.order.empty()) {
      enters = picks.best(z, c);
    } else {
      b = multiply(zq, left.asDiagonal() * t, z.control());  // z_f'(fit - F)
      Eigen::VectorXd steps = Eigen::VectorXd::Constant(p, 2);
      for (Index r = 0; r < p; ++r) {
        if (picks.has(r) || !z.usable(r)) continue;
        steps(r) = entry_step(a.row(r).squaredNorm(), a.row(r).dot(b.row(r)),
                              b.row(r).squaredNorm(), level * level);
      }
      enters = picks.best(z, -steps);
      if (enters < 0) break;
      step = steps(enters);
      if (step >= 1) break;  // the fit is reached before any other feature counts
      a -= step * b;
      level *= 1 - step;
      left *= 1 - step;
    }
    if (enters < 0) break;
    picks.add(enters);
    out.statistic(enters) = level / first;
    out.selected[static_cast<std::size_t>(enters)] = 1;

    Eigen::VectorXd v = z.column(enters);
    for (int pass = 0; pass < 2 && q.cols() > 0; ++pass) v -= q * (q.transpose() * v).eval();
    if (v.squaredNorm() > dependent) {  // else the feature adds nothing to the span
      v.normalize();
      const Index size = q.cols() + 1;
      q.conservativeResize(n, size);
      zq.conservativeResize(p, size);
      t.conservativeResize(size, y.cols());
      left.conservativeResize(size);
      q.col(size - 1) = v;
      zq.col(size - 1) = z.times(v);
      t.row(size - 1) = v.transpose() * y;
      left(size - 1) = 1;
    }
    control.progress(static_cast<double>(picks.order.size()) / static_cast<double>(wanted));
  }
  c = a.rowwise().norm();
  for (Index r = 0; r < p; ++r) {
    if (!picks.has(r)) out.statistic(r) = any ? c(r) / first : 0;
  }
  picks.finish(z, out.statistic, out);
}

// min 1/2 |Y - Z W|^2 + lambda sum_f |w_f| through Z'Y and the Gram matrix of the active features.
void nesterov(const UnitColumns& z, const Eigen::MatrixXd& y, const SpfsOptions& options,
              SpfsFit& fit, const Control& control) {
  const Index p = z.p();
  const Eigen::MatrixXd zy = z.times(y);
  const double squares = y.squaredNorm();
  const double largest = p > 0 ? zy.rowwise().norm().maxCoeff() : 0;
  const double lambda = options.rho * largest;
  fit.lambda = lambda;

  std::vector<Index> active;
  std::vector<char> is_active(static_cast<std::size_t>(p), 0);
  Eigen::MatrixXd cross(p, 0);  // Z'z of the active features
  Eigen::MatrixXd w(0, y.cols());
  Eigen::MatrixXd gram(0, 0), target(0, y.cols());
  Eigen::MatrixXd slope = zy;  // Z'(Y - Z W)
  fit.selection.converged = largest <= 1e-12 * std::sqrt(squares);
  fit.gap = 0;
  while (!fit.selection.converged) {
    control.check_interrupt();
    // The features that violate optimality most join, not many at a time.
    const Eigen::VectorXd size = slope.rowwise().norm();
    std::vector<std::pair<double, Index>> joining;
    for (Index r = 0; r < p; ++r) {
      if (z.usable(r) && !is_active[static_cast<std::size_t>(r)] && size(r) > lambda) {
        joining.emplace_back(-size(r), r);
      }
    }
    std::sort(joining.begin(), joining.end());
    joining.resize(std::min<std::size_t>(joining.size(), std::max<std::size_t>(10, active.size())));
    for (const auto& entry : joining) {
      const Index r = entry.second, at = static_cast<Index>(active.size());
      active.push_back(r);
      is_active[static_cast<std::size_t>(r)] = 1;
      cross.conservativeResize(p, at + 1);
      cross.col(at) = z.times(z.column(r));
      w.conservativeResize(at + 1, y.cols());
      w.row(at).setZero();
      target.conservativeResize(at + 1, y.cols());
      target.row(at) = zy.row(r);
      gram.conservativeResize(at + 1, at + 1);
      for (Index e = 0; e <= at; ++e) {
        gram(e, at) = gram(at, e) = cross(active[static_cast<std::size_t>(e)], at);
      }
      gram(at, at) = 1;
    }

    const Index count = static_cast<Index>(active.size());
    Eigen::MatrixXd pull = target - gram * w;  // slope of the active features
    double change = 1;
    const double scale =
        std::max(w.size() > 0 ? w.rowwise().norm().maxCoeff() : 0.0, 1e-3 * largest);
    for (int sweep = 0; sweep < 200 && change > 1e-13 * scale; ++sweep) {
      ++fit.selection.iterations;
      if (sweep % 16 == 0) control.check_interrupt();
      change = 0;
      for (Index e = 0; e < count; ++e) {
        const Eigen::RowVectorXd u = pull.row(e) + w.row(e);  // unit columns: curvature 1
        const double length = u.norm();
        const Eigen::RowVectorXd now = length > lambda
                                           ? Eigen::RowVectorXd((1 - lambda / length) * u)
                                           : Eigen::RowVectorXd(Eigen::RowVectorXd::Zero(u.size()));
        const Eigen::RowVectorXd difference = now - w.row(e);
        const double moved = difference.norm();
        if (moved == 0) continue;
        w.row(e) = now;
        pull.noalias() -= gram.col(e) * difference;
        change = std::max(change, moved);
      }
    }

    slope = zy - multiply(cross, w, z.control());
    // 1/2 |R|^2 + lambda |W| against the dual value of R scaled into its feasible set.
    const double along = w.cwiseProduct(target).sum();
    const double fitted = w.cwiseProduct(gram * w).sum();
    const double residual = std::max(squares - 2 * along + fitted, 0.0);
    const double primal = 0.5 * residual + lambda * w.rowwise().norm().sum();
    double steepest = 0;
    for (Index r = 0; r < p; ++r) {
      if (z.usable(r)) steepest = std::max(steepest, slope.row(r).norm());
    }
    const double shrink = steepest > lambda ? lambda / steepest : 1;
    const double dual = shrink * (squares - along) - 0.5 * shrink * shrink * residual;
    fit.gap = std::max(primal - dual, 0.0) / primal;
    fit.selection.objective.push_back(primal);
    // The gap bounds the objective; the weights are settled once nothing moves any more.
    const bool settled = change <= 1e-13 * scale && steepest <= lambda * (1 + 1e-10);
    const bool spent = fit.selection.iterations >= options.max_iter;
    if (fit.gap <= options.gap && (settled || spent)) fit.selection.converged = true;
    if (spent) break;
  }

  fit.selection.statistic = Eigen::VectorXd::Zero(p);
  fit.selection.selected.assign(static_cast<std::size_t>(p), 0);
  for (std::size_t e = 0; e < active.size(); ++e) {
    const double size = w.row(static_cast<Index>(e)).norm();
    fit.selection.statistic(active[e]) = size;
    fit.selection.selected[static_cast<std::size_t>(active[e])] = size > 0;
  }
  for (Index r = 0; r < p; ++r) {
    if (!z.usable(r)) fit.selection.statistic(r) = no_value;
  }
}

// Some Y with Y Y' = K: the searches depend on K alone. Cholesky where K allows, else eigenvectors
// without those of eigenvalues up to 1e-10 of the largest.
Eigen::MatrixXd square_root(const Eigen::MatrixXd& k) {
  const Cholesky factor(k);
  if (factor.ok() && factor.lower().diagonal().cwiseAbs2().minCoeff() > 1e-8) {
    return factor.lower().triangularView<Eigen::Lower>();
  }
  const SymmetricEigen eigen = eigen_symmetric(k);
  Index drop = 0;
  const Index n = k.rows();
  while (drop < n - 1 && eigen.values(drop) <= 1e-10 * eigen.values(n - 1)) ++drop;
  return eigen.vectors.rightCols(n - drop) *
         eigen.values.tail(n - drop).cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

}  // namespace

SpfsFit spfs(const Problem& problem, const SpfsOptions& options, const Control& control) {
  SpfsFit fit;
  const bool by_class = options.similarity == Similarity::classes;
  const FeatureMatrix x = by_class && problem.y.count() < problem.x.n()
                              ? problem.x.rows(problem.y.labelled_rows())
                              : problem.x;
  const UnitColumns z(x, control);

  RbfSimilarity rbf;
  Eigen::MatrixXd y;
  if (by_class) {
    const std::vector<Index> labelled = problem.y.labelled_rows(), sizes = problem.y.class_sizes();
    y = Eigen::MatrixXd::Zero(x.n(), problem.y.classes);
    for (std::size_t e = 0; e < labelled.size(); ++e) {
      const int c = problem.y.code[static_cast<std::size_t>(labelled[e])];
      y(static_cast<Index>(e), c) =
          1 / std::sqrt(static_cast<double>(sizes[static_cast<std::size_t>(c)]));
    }
  } else {
    rbf = rbf_similarity(problem.z, options.bandwidth, options.bandwidth_value, 1, control);
    fit.bandwidth = rbf.bandwidth;
    if (options.search != SpfsSearch::forward) y = square_root(rbf.s);
  }

  if (options.search == SpfsSearch::nesterov) {
    nesterov(z, y, options, fit, control);
  } else if (options.search == SpfsSearch::lar) {
    lar(z, y, options.n_features, fit.selection, control);
  } else {
    Eigen::VectorXd q(x.p());
    if (by_class) {
      q = z.times(y).rowwise().squaredNorm();
    } else {
      for (Index first = 0; first < x.p(); first += block_columns) {
        control.check_interrupt();
        q.segment(first, std::min(block_columns, x.p() - first)) =
            symmetric_forms(rbf.s, z.block(first), z.control());
      }
    }
    forward(z, q, options.n_features, fit.selection, control);
  }
  return fit;
}

}  // namespace semiselect
