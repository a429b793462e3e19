#include "core/optim/level_method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/optim/dense.hpp"

namespace semiselect {

namespace {

using Eigen::Index;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index most_cuts = 200;
constexpr int idle_limit = 50;
constexpr int pivot_limit = 5000;
constexpr double pivot_tol = 1e-10;        // in units of the first cut's largest |g|
constexpr double ratio_tol = 1e-10;        // Harris: ratios this close count as equal
constexpr double feasible_tol = 1e-11;     // of basic features and, in units, of cuts

double sum_of_smallest(Eigen::VectorXd v, Index m) {
  std::nth_element(v.data(), v.data() + (m - 1), v.data() + v.size());
  return v.head(m).sum();
}

}  // namespace

Eigen::VectorXd project_capped_simplex(const Eigen::VectorXd& q, double m) {
  // sum clip(q - nu, 0, 1) falls with nu, piecewise linearly: Newton within a bracket ends on the
  // right piece after finitely many steps.
  double low = q.minCoeff() - 1;  // sum = d
  double high = q.maxCoeff();     // sum = 0
  double nu = (low + high) / 2;
  Eigen::VectorXd p(q.size());
  for (int step = 0; step < 200; ++step) {
    double sum = 0;
    Index free = 0;
    for (Index i = 0; i < q.size(); ++i) {
      const double value = q(i) - nu;
      if (value >= 1) {
        sum += 1;
      } else if (value > 0) {
        sum += value;
        ++free;
      }
    }
    const double excess = sum - m;
    if (std::abs(excess) <= 1e-15 * m) break;
    if (excess > 0) low = nu; else high = nu;
    double next = free > 0 ? nu + excess / static_cast<double>(free) : (low + high) / 2;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (next == nu) break;
    nu = next;
  }
  p = (q.array() - nu).max(0.0).min(1.0);
  // What rounding left over goes to a feature in between, if there is one.
  const double rest = m - p.sum();
  for (Index i = 0; i < p.size() && rest != 0; ++i) {
    if (p(i) + rest > 0 && p(i) + rest < 1 && p(i) > 0 && p(i) < 1) {
      p(i) += rest;
      break;
    }
  }
  return p;
}

void CutModel::add(const Eigen::VectorXd& g, double c) {
  if (k_ >= most_cuts) drop_idle();
  if (k_ == g_.cols()) {
    const Index capacity = std::max<Index>(16, 2 * k_);
    g_.conservativeResize(d_, capacity);
    c_.conservativeResize(capacity);
    at_one_.conservativeResize(capacity);
  }
  g_.col(k_) = g;
  c_(k_) = c;
  number_.push_back(added_++);
  idle_.push_back(0);
  ++k_;
  if (k_ == 1) {
    unit_ = g.cwiseAbs().maxCoeff();
    if (!(unit_ > 0)) unit_ = 1;
    tie_break_.resize(d_);
    for (Index i = 0; i < d_; ++i) {
      const double spread = static_cast<double>(i) * 0.6180339887498949;
      tie_break_(i) = unit_ * 1e-10 * (1 + spread - std::floor(spread));
    }
    start_from(0);
  } else {
    double sum = 0;
    for (Index i = 0; i < d_; ++i) {
      if (status_[static_cast<std::size_t>(i)] == 1) sum += g(i);
    }
    at_one_(k_ - 1) = sum;
  }
}

// One tight cut: its m smallest entries at 1, the m-th of them basic.
void CutModel::start_from(Index cut) {
  std::vector<Index> order(static_cast<std::size_t>(d_));
  std::iota(order.begin(), order.end(), Index{0});
  const auto cost = [&](Index i) { return g_(i, cut) + tie_break_(i); };
  std::nth_element(order.begin(), order.begin() + (m_ - 1), order.end(), [&](Index a, Index b) {
    return cost(a) != cost(b) ? cost(a) < cost(b) : a < b;
  });
  status_.assign(static_cast<std::size_t>(d_), 0);
  for (Index e = 0; e + 1 < m_; ++e) status_[static_cast<std::size_t>(order[e])] = 1;
  basic_.assign(1, order[static_cast<std::size_t>(m_ - 1)]);
  status_[static_cast<std::size_t>(basic_[0])] = 2;
  tight_.assign(1, cut);
  for (Index j = 0; j < k_; ++j) {
    double sum = 0;
    for (Index e = 0; e + 1 < m_; ++e) sum += g_(order[e], j);
    at_one_(j) = sum;
  }
}

// Everything comes from K = [G_BT 1; 1' 0], refactored at each pivot: K (mu, nu) = (-tie_B, 1) are
// the duals, K' (p_B, -t) = (-c_T - at_one_T, m - number at 1) the basic values.
bool CutModel::simplex() {
  for (int pivot = 0; pivot <= pivot_limit; ++pivot) {
    const Index a = static_cast<Index>(basic_.size());
    Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(a + 1, a + 1);
    for (Index c = 0; c < a; ++c) {
      for (Index r = 0; r < a; ++r) basis(r, c) = g_(basic_[r], tight_[c]) / unit_;
    }
    basis.col(a).head(a).setOnes();
    basis.row(a).head(a).setOnes();
    const Eigen::MatrixXd inverse =
        solve_square(basis, Eigen::MatrixXd::Identity(a + 1, a + 1));
    if (!inverse.allFinite()) return false;
    const double residual =
        (basis * inverse - Eigen::MatrixXd::Identity(a + 1, a + 1)).cwiseAbs().maxCoeff();
    if (!(residual < 1e-6)) return false;

    // Primal values, all in units.
    Eigen::VectorXd right(a + 1);
    double ones = 0;
    for (const signed char s : status_) ones += s == 1;
    for (Index c = 0; c < a; ++c) right(c) = -(c_(tight_[c]) + at_one_(tight_[c])) / unit_;
    right(a) = static_cast<double>(m_) - ones;
    Eigen::VectorXd value = inverse.transpose() * right;
    value += inverse.transpose() * (right - basis.transpose() * value);  // one refinement
    const double t = -value(a);

    // Who leaves: the basic feature or the slack that is farthest outside.
    double worst = feasible_tol;
    Index out_feature = -1, out_cut = -1;
    for (Index r = 0; r < a; ++r) {
      const double outside = std::max(-value(r), value(r) - 1);
      if (outside > worst) {
        worst = outside;
        out_feature = r;
      }
    }
    const double scale = std::max(1.0, std::abs(t));
    for (Index j = 0; j < k_; ++j) {
      if (std::find(tight_.begin(), tight_.end(), j) != tight_.end()) continue;
      double height = (c_(j) + at_one_(j)) / unit_;
      for (Index r = 0; r < a; ++r) height += g_(basic_[r], j) / unit_ * value(r);
      if ((height - t) / scale > worst) {
        worst = (height - t) / scale;
        out_feature = -1;
        out_cut = j;
      }
    }
    if (out_feature < 0 && out_cut < 0) return true;
    ++pivots_;

    // Direction of the duals along which the leaving variable's multiplier grows.
    Eigen::VectorXd dual_right(a + 1), move_right = Eigen::VectorXd::Zero(a + 1);
    for (Index r = 0; r < a; ++r) dual_right(r) = -tie_break_(basic_[r]) / unit_;
    dual_right(a) = 1;
    bool to_one = false;
    if (out_cut >= 0) {
      for (Index r = 0; r < a; ++r) move_right(r) = -g_(basic_[r], out_cut) / unit_;
      move_right(a) = -1;
    } else {
      to_one = value(out_feature) > 1;
      move_right(out_feature) = to_one ? -1 : 1;
    }
    const Eigen::VectorXd dual = inverse * dual_right;
    const Eigen::VectorXd move = inverse * move_right;

    Eigen::ArrayXd reduced = tie_break_.array() / unit_ + dual(a);
    Eigen::ArrayXd slope = Eigen::ArrayXd::Constant(d_, move(a));
    for (Index c = 0; c < a; ++c) {
      reduced += (dual(c) / unit_) * g_.col(tight_[c]).array();
      slope += (move(c) / unit_) * g_.col(tight_[c]).array();
    }
    if (out_cut >= 0) slope += g_.col(out_cut).array() / unit_;

    // Harris' two passes: the smallest ratio with a little slack, then the largest pivot below it.
    double limit = infinity;
    const auto first = [&](double distance, double speed) {
      if (speed > pivot_tol) limit = std::min(limit, (std::max(distance, 0.0) + ratio_tol) / speed);
    };
    for (Index c = 0; c < a; ++c) first(dual(c), -move(c));
    for (Index i = 0; i < d_; ++i) {
      const signed char s = status_[static_cast<std::size_t>(i)];
      if (s == 0) first(reduced(i), -slope(i));
      if (s == 1) first(-reduced(i), slope(i));
    }
    if (limit == infinity) return false;
    double best = 0;
    Index in_feature = -1, in_cut = -1;
    for (Index c = 0; c < a; ++c) {
      const double speed = -move(c);
      if (speed > pivot_tol && std::max(dual(c), 0.0) <= limit * speed && speed > best) {
        best = speed;
        in_cut = c;
      }
    }
    for (Index i = 0; i < d_; ++i) {
      const signed char s = status_[static_cast<std::size_t>(i)];
      if (s == 2) continue;
      const double speed = s == 0 ? -slope(i) : slope(i);
      const double distance = s == 0 ? reduced(i) : -reduced(i);
      if (speed > pivot_tol && std::max(distance, 0.0) <= limit * speed && speed > best) {
        best = speed;
        in_feature = i;
        in_cut = -1;
      }
    }
    if (in_feature < 0 && in_cut < 0) return false;

    if (out_feature >= 0) {
      const Index feature = basic_[static_cast<std::size_t>(out_feature)];
      status_[static_cast<std::size_t>(feature)] = to_one ? 1 : 0;
      if (to_one) at_one_.head(k_) += g_.row(feature).head(k_).transpose();
      basic_.erase(basic_.begin() + out_feature);
    }
    if (in_cut >= 0) tight_.erase(tight_.begin() + in_cut);
    if (in_feature >= 0) {
      if (status_[static_cast<std::size_t>(in_feature)] == 1) {
        at_one_.head(k_) -= g_.row(in_feature).head(k_).transpose();
      }
      status_[static_cast<std::size_t>(in_feature)] = 2;
      basic_.push_back(in_feature);
    }
    if (out_cut >= 0) tight_.push_back(out_cut);
  }
  return false;
}

// By weak duality a lower bound of the minimum for any mu on the simplex.
CutModel::Bound CutModel::certified(Eigen::VectorXd mu) const {
  mu = mu.cwiseMax(0);
  mu /= mu.sum();
  Eigen::VectorXd slope = Eigen::VectorXd::Zero(d_);
  for (Index j = 0; j < k_; ++j) {
    if (mu(j) > 0) slope += mu(j) * g_.col(j);
  }
  Bound out;
  out.value = mu.dot(c_.head(k_)) + sum_of_smallest(std::move(slope), m_);
  out.mu = std::move(mu);
  return out;
}

CutModel::Bound CutModel::minimum() {
  const auto solved = [&](Bound& bound) {
    // at_one_ was updated by differences since the last call: sum it anew where it is used.
    for (Index j = 0; j < k_; ++j) {
      double sum = 0;
      for (Index i = 0; i < d_; ++i) {
        if (status_[static_cast<std::size_t>(i)] == 1) sum += g_(i, j);
      }
      at_one_(j) = sum;
    }
    if (!simplex()) return false;
    const Index a = static_cast<Index>(basic_.size());
    Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(a + 1, a + 1);
    Eigen::MatrixXd right(a + 1, 1);
    for (Index c = 0; c < a; ++c) {
      for (Index r = 0; r < a; ++r) basis(r, c) = g_(basic_[r], tight_[c]) / unit_;
      right(c, 0) = -tie_break_(basic_[c]) / unit_;
    }
    basis.col(a).head(a).setOnes();
    basis.row(a).head(a).setOnes();
    right(a, 0) = 1;
    const Eigen::MatrixXd dual = solve_square(basis, right);
    Eigen::VectorXd mu = Eigen::VectorXd::Zero(k_);
    for (Index c = 0; c < a; ++c) mu(tight_[c]) = std::max(dual(c, 0), 0.0);
    if (!mu.allFinite() || !(mu.sum() > 0)) return false;
    bound = certified(std::move(mu));
    return true;
  };

  Bound out;
  if (!solved(out)) {
    Index best = 0;
    double best_value = -infinity;
    for (Index j = 0; j < k_; ++j) {
      const double value = c_(j) + sum_of_smallest(g_.col(j), m_);
      if (value > best_value) {
        best_value = value;
        best = j;
      }
    }
    start_from(best);
    if (!solved(out)) {
      ++fallbacks_;
      Bound single = certified(Eigen::VectorXd::Unit(k_, best));
      if (!minimum_interior(out) || out.value < single.value) out = std::move(single);
      start_from(best);
    }
  }
  for (Index j = 0; j < k_; ++j) {
    int& idle = idle_[static_cast<std::size_t>(j)];
    idle = out.mu(j) > 0 ? 0 : idle + 1;
  }
  return out;
}

void CutModel::drop_idle() {
  std::vector<Index> keep, place(static_cast<std::size_t>(k_), -1);
  for (Index j = 0; j < k_; ++j) {
    const bool used = std::find(tight_.begin(), tight_.end(), j) != tight_.end();
    if (used || idle_[static_cast<std::size_t>(j)] < idle_limit) {
      place[static_cast<std::size_t>(j)] = static_cast<Index>(keep.size());
      keep.push_back(j);
    }
  }
  for (Index to = 0; to < static_cast<Index>(keep.size()); ++to) {
    const Index from = keep[static_cast<std::size_t>(to)];
    if (from == to) continue;
    g_.col(to) = g_.col(from);
    c_(to) = c_(from);
    at_one_(to) = at_one_(from);
    number_[static_cast<std::size_t>(to)] = number_[static_cast<std::size_t>(from)];
    idle_[static_cast<std::size_t>(to)] = idle_[static_cast<std::size_t>(from)];
  }
  k_ = static_cast<Index>(keep.size());
  number_.resize(keep.size());
  idle_.resize(keep.size());
  for (Index& j : tight_) j = place[static_cast<std::size_t>(j)];
}

bool CutModel::project(Eigen::VectorXd& p, double target) const {
  const double m = static_cast<double>(m_);
  // Each cut to unit norm; a cut without slope constrains nothing here.
  Eigen::VectorXd norm(k_);
  for (Index j = 0; j < k_; ++j) norm(j) = g_.col(j).norm();
  norm = (norm.array() > 0).select(norm, 1.0);
  const auto state = [&](const Eigen::VectorXd& mu, Eigen::VectorXd& at, Eigen::VectorXd& r) {
    Eigen::VectorXd q = p;
    for (Index j = 0; j < k_; ++j) {
      if (mu(j) > 0) q -= (mu(j) / norm(j)) * g_.col(j);
    }
    at = project_capped_simplex(q, m);
    r = ((g_.leftCols(k_).transpose() * at + c_.head(k_)).array() - target) / norm.array();
    return 0.5 * (at - p).squaredNorm() + mu.dot(r);  // the dual function
  };

  Eigen::VectorXd mu = Eigen::VectorXd::Zero(k_), at, r, next_at, next_r;
  double value = state(mu, at, r);
  const auto distance = [](const Eigen::VectorXd& m1, const Eigen::VectorXd& r1) {
    return (m1 - (m1 + r1).cwiseMax(0)).cwiseAbs().maxCoeff();
  };
  double residual = distance(mu, r);
  for (int step = 0; step < 200 && residual > 1e-10; ++step) {
    std::vector<Index> work, free;
    for (Index j = 0; j < k_; ++j) {
      if (mu(j) > 0 || r(j) > 0) work.push_back(j);
    }
    for (Index i = 0; i < d_; ++i) {
      if (at(i) > 0 && at(i) < 1) free.push_back(i);
    }
    const Index w = static_cast<Index>(work.size()), f = static_cast<Index>(free.size());
    Eigen::MatrixXd slope(f, w);
    Eigen::VectorXd right(w);
    for (Index c = 0; c < w; ++c) {
      const Index j = work[static_cast<std::size_t>(c)];
      for (Index e = 0; e < f; ++e) {
        slope(e, c) = g_(free[static_cast<std::size_t>(e)], j) / norm(j);
      }
      right(c) = r(j);
    }
    Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(w, w);
    if (f > 0) {
      const Eigen::RowVectorXd mean = slope.colwise().mean();
      slope.rowwise() -= mean;
      hessian.noalias() = slope.transpose() * slope;
    }
    const double diagonal = hessian.diagonal().mean();
    hessian.diagonal().array() += diagonal > 0 ? 1e-10 * diagonal : 1.0;

    bool moved = false;
    for (int kind = 0; kind < 2 && !moved; ++kind) {  // Newton, then the gradient
      Eigen::VectorXd direction = right;
      if (kind == 0) {
        const Cholesky factor(hessian);
        if (!factor.ok()) continue;
        direction = factor.solve(right);
        if (!direction.allFinite()) continue;
      }
      double length = 1;
      for (int halving = 0; halving < 40; ++halving, length /= 2) {
        Eigen::VectorXd next = mu;
        double promised = 0;
        for (Index c = 0; c < w; ++c) {
          const Index j = work[static_cast<std::size_t>(c)];
          next(j) = std::max(0.0, mu(j) + length * direction(c));
          promised += r(j) * (next(j) - mu(j));
        }
        if (!(promised > 0)) break;
        const double next_value = state(next, next_at, next_r);
        const double noise = 1e-15 * (std::abs(value) + 1);
        if (next_value >= value + 1e-4 * promised - noise) {
          const double next_residual = distance(next, next_r);
          // Within rounding the value says nothing any more: then the residual must fall.
          if (next_value <= value + noise && !(next_residual < residual)) continue;
          mu = next;
          at = next_at;
          r = next_r;
          value = next_value;
          residual = next_residual;
          moved = true;
          break;
        }
      }
    }
    if (!moved) break;
  }
  if (residual <= 1e-8) {
    p = at;
    return true;
  }
  ++fallbacks_;
  Eigen::VectorXd other = p;
  const bool done = project_interior(other, target);
  if (done || !at.allFinite()) {
    p = other;
  } else {
    p = at;
  }
  return done;
}

bool CutModel::minimum_interior(Bound& bound) const {
  Eigen::VectorXd p, mu;
  const bool done = interior(false, Eigen::VectorXd(), 0, p, mu);
  if (!mu.allFinite() || !(mu.cwiseMax(0).sum() > 0)) return false;
  bound = certified(mu);
  return done;
}

bool CutModel::project_interior(Eigen::VectorXd& p, double target) const {
  Eigen::VectorXd found, mu;
  const bool done = interior(true, p, target, found, mu);
  if (!found.allFinite()) return false;
  p = project_capped_simplex(found, static_cast<double>(m_));
  return done;
}

// Mehrotra's method for
//   min 1/2 |p - from|^2           s.t. c + G'p + s = target   (projection)
//   min t                          s.t. c + G'p + s = t        (minimum)
// with sum p = m, 0 <= p <= 1, s >= 0. The Hessian is diagonal, so that the normal equations have
// k + 2 unknowns: the multipliers of the cuts and of the sum, and t.
bool CutModel::interior(bool projection, const Eigen::VectorXd& from, double target,
                        Eigen::VectorXd& p, Eigen::VectorXd& mu) const {
  const double m = static_cast<double>(m_);
  // For the projection every cut has unit norm, as in project(); the minimum needs one unit, for
  // its multipliers have to add up.
  Eigen::VectorXd norm = Eigen::VectorXd::Constant(k_, unit_);
  if (projection) {
    for (Index j = 0; j < k_; ++j) norm(j) = g_.col(j).norm();
    norm = (norm.array() > 0).select(norm, unit_);
  }
  const Eigen::MatrixXd g = g_.leftCols(k_) * norm.cwiseInverse().asDiagonal();
  const Eigen::VectorXd c =
      ((c_.head(k_).array() - (projection ? target : 0)) / norm.array()).matrix();
  const double h = projection ? 1 : 0;
  const double count = static_cast<double>(2 * d_ + k_);

  p = Eigen::VectorXd::Constant(d_, m / static_cast<double>(d_));
  Eigen::VectorXd q = (1 - p.array()).matrix();
  Eigen::VectorXd zl = Eigen::VectorXd::Ones(d_), zu = zl;
  mu = Eigen::VectorXd::Constant(k_, 1.0 / static_cast<double>(k_));
  Eigen::VectorXd height = g.transpose() * p + c;
  double t = projection ? 0 : height.maxCoeff() + 1;
  Eigen::VectorXd s = (t - height.array()).max(1.0).matrix();
  double nu = 0;

  for (int step = 0; step < 150; ++step) {
    const Eigen::VectorXd r1 =
        (projection ? Eigen::VectorXd(p - from) : Eigen::VectorXd(Eigen::VectorXd::Zero(d_))) +
        g * mu + Eigen::VectorXd::Constant(d_, nu) - zl + zu;
    const Eigen::VectorXd r2 = (g.transpose() * p + c + s).array() - t;
    const double r3 = p.sum() - m;
    const double r4 = projection ? 0 : 1 - mu.sum();
    const double gap = p.dot(zl) + q.dot(zu) + s.dot(mu);
    const double infeasible =
        std::max(std::max(r1.cwiseAbs().maxCoeff(), r2.cwiseAbs().maxCoeff()),
                 std::max(std::abs(r3) / m, std::abs(r4)));
    if (gap <= 1e-11 * std::max(1.0, std::abs(t)) && infeasible <= 1e-9) return true;

    const Eigen::VectorXd weight =
        (h + zl.array() / p.array() + zu.array() / q.array()).inverse().matrix();
    const Eigen::MatrixXd scaled = weight.asDiagonal() * g;
    Eigen::MatrixXd system = Eigen::MatrixXd::Zero(k_ + 2, k_ + 2);
    system.topLeftCorner(k_, k_).noalias() = g.transpose() * scaled;
    system.topLeftCorner(k_, k_).diagonal().array() += s.array() / mu.array();
    system.col(k_).head(k_) = scaled.colwise().sum().transpose();
    system.row(k_).head(k_) = system.col(k_).head(k_).transpose();
    system(k_, k_) = weight.sum();
    if (projection) {
      system(k_ + 1, k_ + 1) = 1;  // no t
    } else {
      system.col(k_ + 1).head(k_).setOnes();
      system.row(k_ + 1).head(k_).setOnes();
    }

    Eigen::VectorXd dp, dmu, dzl, dzu, ds;
    double dnu = 0, dt = 0;
    const auto direction = [&](const Eigen::VectorXd& cl, const Eigen::VectorXd& cu,
                               const Eigen::VectorXd& cs) {
      const Eigen::VectorXd right1 = -r1 + cl.cwiseQuotient(p) - cu.cwiseQuotient(q);
      const Eigen::VectorXd right2 = -r2 - cs.cwiseQuotient(mu);
      Eigen::MatrixXd right(k_ + 2, 1);
      right.col(0).head(k_) = scaled.transpose() * right1 - right2;
      right(k_, 0) = weight.dot(right1) + r3;
      right(k_ + 1, 0) = r4;
      const Eigen::MatrixXd solution = solve_square(system, right);
      dmu = solution.col(0).head(k_);
      dnu = solution(k_, 0);
      dt = projection ? 0 : solution(k_ + 1, 0);
      dp = weight.cwiseProduct(right1 - g * dmu - Eigen::VectorXd::Constant(d_, dnu));
      dzl = (cl - zl.cwiseProduct(dp)).cwiseQuotient(p);
      dzu = (cu + zu.cwiseProduct(dp)).cwiseQuotient(q);
      ds = (cs - s.cwiseProduct(dmu)).cwiseQuotient(mu);
    };
    const auto longest = [&] {
      double length = 1;
      const auto bound = [&](const Eigen::VectorXd& x, const Eigen::VectorXd& dx, double sign) {
        for (Index i = 0; i < x.size(); ++i) {
          if (sign * dx(i) < 0) length = std::min(length, -x(i) / (sign * dx(i)));
        }
      };
      bound(p, dp, 1);
      bound(q, dp, -1);
      bound(zl, dzl, 1);
      bound(zu, dzu, 1);
      bound(s, ds, 1);
      bound(mu, dmu, 1);
      return length;
    };

    direction(-p.cwiseProduct(zl), -q.cwiseProduct(zu), -s.cwiseProduct(mu));
    const double affine = longest();
    const double after = (p + affine * dp).dot(zl + affine * dzl) +
                         (q - affine * dp).dot(zu + affine * dzu) +
                         (s + affine * ds).dot(mu + affine * dmu);
    const double center = std::pow(std::max(after, 0.0) / gap, 3) * gap / count;
    const Eigen::VectorXd cl = center - p.array() * zl.array() - dp.array() * dzl.array();
    const Eigen::VectorXd cu = center - q.array() * zu.array() + dp.array() * dzu.array();
    const Eigen::VectorXd cs = center - s.array() * mu.array() - ds.array() * dmu.array();
    direction(cl, cu, cs);
    const double length = std::min(1.0, 0.9995 * longest());
    if (!dp.allFinite() || !dmu.allFinite() || !(length > 1e-12)) return false;
    p += length * dp;
    q -= length * dp;
    zl += length * dzl;
    zu += length * dzu;
    s += length * ds;
    mu += length * dmu;
    nu += length * dnu;
    t += length * dt;
  }
  return false;
}

LevelResult level_method(Eigen::VectorXd p, Index m, const LevelOptions& options,
                         const std::function<LevelAnswer(int, const Eigen::VectorXd&)>& ask,
                         const Control& control) {
  CutModel model(p.size(), m);
  LevelResult out;
  out.upper = infinity;
  out.lower = -infinity;
  std::vector<std::pair<int, double>> multipliers;
  for (int iteration = 0; iteration < options.max_iter; ++iteration) {
    control.check_interrupt();
    const LevelAnswer answer = ask(iteration, p);
    if (answer.upper < out.upper) {
      out.upper = answer.upper;
      out.p = p;
      out.best = iteration;
    }
    model.add(answer.g, answer.c);
    const CutModel::Bound bound = model.minimum();
    if (bound.value > out.lower) {
      out.lower = bound.value;
      multipliers.clear();
      for (Index j = 0; j < model.size(); ++j) {
        if (bound.mu(j) > 0) multipliers.emplace_back(model.number(j), bound.mu(j));
      }
    }
    // Rounding alone can push one past the other once both are exact.
    out.lower = std::min(out.lower, out.upper);
    out.trace.push_back({answer.value, out.upper, out.lower});
    if (out.upper - out.lower <= options.tol * std::abs(out.upper)) {
      out.converged = true;
      break;
    }
    // The logarithm of the gap falls about linearly.
    const double gap = (out.upper - out.lower) / std::abs(out.upper);
    if (gap < 1 && options.tol < 1) {
      control.progress(std::min(1.0, std::log(gap) / std::log(options.tol)));
    }
    model.project(p, options.level * out.upper + (1 - options.level) * out.lower);
  }
  out.mu = Eigen::VectorXd::Zero(static_cast<Index>(out.trace.size()));
  for (const auto& entry : multipliers) out.mu(entry.first) = entry.second;
  return out;
}

}  // namespace semiselect
