#include "core/optim/hinge_lp.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/optim/dense.hpp"
#include "core/optim/gram.hpp"
#include "core/optim/svm_dual.hpp"

namespace semiselect {

namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// Primal variables, all non-negative: w = plus - minus, slack xi, surplus s. Their duals z, and the
// multipliers a of the rows.
struct Point {
  Vector plus, minus, xi, s;
  Vector z_plus, z_minus, z_xi, z_s;
  Vector a;
  double b = 0;
};

// The largest step in [0, 1] that keeps v + step dv non-negative.
double longest_step(const Vector& v, const Vector& dv) {
  double step = 1;
  for (Index i = 0; i < v.size(); ++i) {
    if (dv(i) < 0) step = std::min(step, -v(i) / dv(i));
  }
  return step;
}

class InteriorPoint {
 public:
  // a: rows times their sign, columns centered and scaled.
  InteriorPoint(const Matrix& a, const Vector& y, double cost, const Control& control)
      : a_(a), y_(y), cost_(cost), control_(control) {
    const Index l = a.rows(), f = a.cols();
    const double positive = static_cast<double>((y.array() > 0).count());
    const double negative = static_cast<double>(l) - positive;
    const double smaller = std::min(positive, negative);
    // Strictly feasible on both sides.
    at_.a.resize(l);
    for (Index i = 0; i < l; ++i) {
      at_.a(i) = 0.5 * cost * smaller / (y(i) > 0 ? positive : negative);
    }
    const double price = (a_.transpose() * at_.a).cwiseAbs().maxCoeff();
    if (price > 0.9) at_.a *= 0.9 / price;
    at_.s = Vector::Ones(l);
    at_.xi = Vector::Constant(l, 2.0);
    refresh_duals();
    const double mu = 0.5 * (at_.xi.dot(at_.z_xi) + at_.s.dot(at_.z_s)) / static_cast<double>(l);
    at_.plus = at_.minus = Vector::Constant(f, mu);
  }

  const Point& at() const { return at_; }

  double mu() const {
    return (at_.plus.dot(at_.z_plus) + at_.minus.dot(at_.z_minus) + at_.xi.dot(at_.z_xi) +
            at_.s.dot(at_.z_s)) /
           static_cast<double>(2 * (a_.rows() + a_.cols()));
  }

  // One predictor-corrector step. False if the normal equations broke down.
  bool step() {
    const Index l = a_.rows();
    theta_w_ = at_.plus.cwiseQuotient(at_.z_plus) + at_.minus.cwiseQuotient(at_.z_minus);
    const Matrix scaled = a_ * theta_w_.cwiseSqrt().asDiagonal();
    Matrix m = gram_rows(ConstMatrixRef(scaled), control_);
    m.diagonal() += at_.xi.cwiseQuotient(at_.z_xi) + at_.s.cwiseQuotient(at_.z_s);
    factor_ = Cholesky(m);
    if (!factor_.ok()) return false;
    solved_y_ = factor_.solve(y_);
    curvature_ = y_.dot(solved_y_);
    primal_residual_ = Vector::Ones(l) - a_ * (at_.plus - at_.minus) + at_.b * y_ - at_.xi + at_.s;
    balance_residual_ = at_.a.dot(y_);

    const Point affine = direction(0, nullptr);
    const double primal_step = primal_step_of(affine), dual_step = dual_step_of(affine);
    const double before = mu();
    const auto product = [&](const Vector& v, const Vector& dv, const Vector& z, const Vector& dz) {
      return (v + primal_step * dv).dot(z + dual_step * dz);
    };
    const double after = (product(at_.plus, affine.plus, at_.z_plus, affine.z_plus) +
                          product(at_.minus, affine.minus, at_.z_minus, affine.z_minus) +
                          product(at_.xi, affine.xi, at_.z_xi, affine.z_xi) +
                          product(at_.s, affine.s, at_.z_s, affine.z_s)) /
                         static_cast<double>(2 * (l + a_.cols()));
    const Point d = direction(before * std::pow(after / before, 3), &affine);
    move(d, std::min(1.0, 0.995 * primal_step_of(d)), std::min(1.0, 0.995 * dual_step_of(d)));
    return true;
  }

 private:
  void refresh_duals() {
    const Vector pull = a_.transpose() * at_.a;
    at_.z_plus = (1 - pull.array()).matrix();
    at_.z_minus = (1 + pull.array()).matrix();
    at_.z_xi = (cost_ - at_.a.array()).matrix();
    at_.z_s = at_.a;
  }

  double primal_step_of(const Point& d) const {
    return std::min({longest_step(at_.plus, d.plus), longest_step(at_.minus, d.minus),
                     longest_step(at_.xi, d.xi), longest_step(at_.s, d.s)});
  }
  double dual_step_of(const Point& d) const {
    return std::min({longest_step(at_.z_plus, d.z_plus), longest_step(at_.z_minus, d.z_minus),
                     longest_step(at_.z_xi, d.z_xi), longest_step(at_.z_s, d.z_s)});
  }

  // Newton direction towards v z = target; second-order terms of `affine` if given.
  Point direction(double target, const Point* affine) const {
    const auto aim = [&](const Vector& v, const Vector& z, const Vector* dv, const Vector* dz) {
      Vector r = target - (v.array() * z.array());
      if (dv) r -= dv->cwiseProduct(*dz);
      return Vector(r.cwiseQuotient(z));
    };
    const Vector plus = aim(at_.plus, at_.z_plus, affine ? &affine->plus : nullptr,
                            affine ? &affine->z_plus : nullptr);
    const Vector minus = aim(at_.minus, at_.z_minus, affine ? &affine->minus : nullptr,
                             affine ? &affine->z_minus : nullptr);
    const Vector xi =
        aim(at_.xi, at_.z_xi, affine ? &affine->xi : nullptr, affine ? &affine->z_xi : nullptr);
    const Vector s =
        aim(at_.s, at_.z_s, affine ? &affine->s : nullptr, affine ? &affine->z_s : nullptr);

    // Dual feasibility is kept exactly, so only the primal residual enters.
    const Vector right = primal_residual_ - a_ * (plus - minus) - xi + s;
    const Vector solved = factor_.solve(right);
    Point d;
    // (M, -y; y', 0) (da, db) = (right, -a'y)
    d.b = -(y_.dot(solved) + balance_residual_) / curvature_;
    d.a = solved + d.b * solved_y_;
    const Vector pull = a_.transpose() * d.a;
    d.z_plus = -pull;
    d.z_minus = pull;
    d.z_xi = -d.a;
    d.z_s = d.a;
    d.plus = plus - at_.plus.cwiseQuotient(at_.z_plus).cwiseProduct(d.z_plus);
    d.minus = minus - at_.minus.cwiseQuotient(at_.z_minus).cwiseProduct(d.z_minus);
    d.xi = xi - at_.xi.cwiseQuotient(at_.z_xi).cwiseProduct(d.z_xi);
    d.s = s - at_.s.cwiseQuotient(at_.z_s).cwiseProduct(d.z_s);
    return d;
  }

  void move(const Point& d, double primal, double dual) {
    at_.plus += primal * d.plus;
    at_.minus += primal * d.minus;
    at_.xi += primal * d.xi;
    at_.s += primal * d.s;
    at_.b += primal * d.b;
    at_.a += dual * d.a;
    at_.z_plus += dual * d.z_plus;
    at_.z_minus += dual * d.z_minus;
    at_.z_xi += dual * d.z_xi;
    at_.z_s += dual * d.z_s;
  }

  const Matrix& a_;
  const Vector& y_;
  double cost_;
  const Control& control_;
  Point at_;
  Vector theta_w_, primal_residual_, solved_y_;
  double balance_residual_ = 0, curvature_ = 0;
  Cholesky factor_;
};

// Both bounds at a candidate (w, a), a made feasible.
HingeLp certify(const Matrix& signed_rows, const Vector& y, double cost, Vector w, Vector a) {
  HingeLp out;
  a = a.cwiseMax(0).cwiseMin(cost);
  balance_dual(a, y);
  const double price = (signed_rows.transpose() * a).cwiseAbs().maxCoeff();
  if (price > 1) a /= price;
  const Vector f = (signed_rows * w).cwiseProduct(y);
  out.b = hinge_intercept(f, y);
  out.primal = w.lpNorm<1>() + cost * hinge_sum(f, y, out.b);
  out.dual = a.sum();
  out.gap = out.primal > 0 ? (out.primal - out.dual) / out.primal : 0;
  out.w = std::move(w);
  out.alpha = std::move(a);
  return out;
}

// The equations of the active sets: margins of the rows strictly between the bounds are 1, prices
// of the features in use are 1 in absolute value. Smallest correction where they leave freedom.
HingeLp polish(const Matrix& signed_rows, const Vector& y, double cost, const Point& at) {
  std::vector<Index> used, between, upper;
  for (Index j = 0; j < at.plus.size(); ++j) {
    if (at.plus(j) > at.z_plus(j) || at.minus(j) > at.z_minus(j)) used.push_back(j);
  }
  for (Index i = 0; i < y.size(); ++i) {
    if (at.xi(i) > at.z_xi(i)) {
      upper.push_back(i);
    } else if (at.s(i) <= at.z_s(i)) {
      between.push_back(i);
    }
  }
  const Index rows = static_cast<Index>(between.size()), columns = static_cast<Index>(used.size());
  Vector w = Vector::Zero(at.plus.size()), a = Vector::Zero(y.size());
  for (const Index j : used) w(j) = at.plus(j) - at.minus(j);
  for (const Index i : upper) a(i) = cost;
  for (const Index i : between) a(i) = at.a(i);
  if (rows == 0) return certify(signed_rows, y, cost, w, a);

  Matrix system(rows, columns + 1);
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) system(r, c) = signed_rows(between[r], used[c]);
    system(r, columns) = -y(between[r]);
  }
  Vector margin(rows), price(columns + 1);
  for (Index r = 0; r < rows; ++r) {
    margin(r) = 1 - signed_rows.row(between[r]).dot(w) + at.b * y(between[r]);
  }
  const Vector pull = signed_rows.transpose() * a;
  for (Index c = 0; c < columns; ++c) price(c) = (w(used[c]) > 0 ? 1 : -1) - pull(used[c]);
  price(columns) = a.dot(y);
  const Matrix dw = least_squares(system, margin);
  const Matrix da = least_squares(system.transpose(), price);
  for (Index c = 0; c < columns; ++c) w(used[c]) += dw(c, 0);
  for (Index r = 0; r < rows; ++r) a(between[r]) += da(r, 0);
  return certify(signed_rows, y, cost, w, a);
}

}  // namespace

void balance_dual(Eigen::VectorXd& alpha, const Eigen::VectorXd& y) {
  double plus = 0, minus = 0;
  for (Index i = 0; i < y.size(); ++i) (y(i) > 0 ? plus : minus) += alpha(i);
  const double least = std::min(plus, minus);
  for (Index i = 0; i < y.size(); ++i) {
    const double sum = y(i) > 0 ? plus : minus;
    alpha(i) = sum > 0 ? alpha(i) * (least / sum) : 0;
  }
}

double squared_hinge_intercept(const Eigen::VectorXd& f, const Eigen::VectorXd& y, double start) {
  // The minimum lies strictly between.
  double low = (f - y).minCoeff() - 1, high = (f - y).maxCoeff() + 1;
  double b = std::min(std::max(start, low), high);
  for (int step = 0; step < 200; ++step) {
    // Minimum over b with the rows that lose at present: mean of f - y over them.
    double sum = 0, count = 0;
    for (Index i = 0; i < y.size(); ++i) {
      if (1 - y(i) * (f(i) - b) > 0) {
        sum += f(i) - y(i);
        count += 1;
      }
    }
    if (count == 0) return b;
    double next = sum / count;
    (next > b ? low : high) = b;
    if (next <= low || next >= high) next = 0.5 * (low + high);
    if (std::abs(next - b) <= 1e-15 * std::max(1.0, std::abs(b))) return next;
    b = next;
  }
  return b;
}

HingeLp hinge_lp(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, double cost,
                 const Control& control) {
  const Eigen::RowVectorXd center = x.colwise().mean();
  Matrix rows = x.rowwise() - center;
  const double unit = x.cols() > 0 ? (rows.transpose() * y).cwiseAbs().maxCoeff() : 0;
  HingeLp best;
  if (unit == 0) {
    // Every column has the same mean in both classes and no margin can be bought: w = 0.
    rows *= 0;
    best = certify(rows.cols() ? rows : Matrix::Zero(y.size(), 1), y, cost,
                   Vector::Zero(std::max<Index>(rows.cols(), 1)), Vector::Constant(y.size(), cost));
    best.w = Vector::Zero(x.cols());
    return best;
  }
  rows = y.asDiagonal() * rows / unit;
  const double scaled_cost = cost * unit;

  InteriorPoint solver(rows, y, scaled_cost, control);
  best = certify(rows, y, scaled_cost, Vector::Zero(x.cols()), solver.at().a);
  const auto consider = [&best](HingeLp candidate) {
    candidate.iterations = best.iterations;
    if (candidate.gap < best.gap) best = std::move(candidate);
  };
  double last_mu = solver.mu();
  for (int k = 0; k < 100 && best.gap > 1e-14; ++k) {
    control.check_interrupt();
    if (!solver.step()) break;
    ++best.iterations;
    const double mu = solver.mu();
    if (!std::isfinite(mu)) break;
    if (mu < 1e-6 * scaled_cost || k >= 8) {
      const Point& at = solver.at();
      Vector w = at.plus - at.minus;
      // Exact zeros: small, and priced out.
      const double largest = w.cwiseAbs().maxCoeff();
      for (Index j = 0; j < w.size(); ++j) {
        const double slack = std::min(at.z_plus(j), at.z_minus(j));
        if (std::abs(w(j)) < 1e-8 * largest && slack > 1e-6) w(j) = 0;
      }
      consider(certify(rows, y, scaled_cost, w, at.a));
      consider(polish(rows, y, scaled_cost, at));
    }
    if (mu < 1e-16 * std::max(1.0, best.primal) || (k > 30 && mu > 0.9 * last_mu)) break;
    last_mu = mu;
  }

  best.w /= unit;
  best.alpha /= unit;
  best.primal /= unit;
  best.dual /= unit;
  best.b += center.dot(best.w);
  return best;
}

}  // namespace semiselect
