#include <cmath>

#include <catch2/catch.hpp>

#include "core/optim/svm_dual.hpp"
#include "core/run/rng.hpp"

using namespace semiselect;

namespace {

Eigen::VectorXd random_labels(Rng& rng, Eigen::Index l) {
  Eigen::VectorXd y(l);
  for (Eigen::Index i = 0; i < l; ++i) y(i) = rng.uniform() < 0.4 ? 1 : -1;
  y(0) = 1;
  y(1) = -1;
  return y;
}

Eigen::MatrixXd random_rows(Rng& rng, Eigen::Index l, Eigen::Index d) {
  Eigen::MatrixXd x(l, d);
  for (Eigen::Index j = 0; j < d; ++j) {
    for (Eigen::Index i = 0; i < l; ++i) x(i, j) = rng.normal();
  }
  return x;
}

SvmDual solve(const Eigen::MatrixXd& kernel, const Eigen::VectorXd& y, double cost) {
  SvmDualOptions options;
  options.cost = cost;
  return svm_dual(kernel, y, options);
}

// Every condition of optimality, from the definition and not from what the solver reports.
void check_optimal(const Eigen::MatrixXd& kernel, const Eigen::VectorXd& y, double cost,
                   const SvmDual& fit, double tol) {
  const Eigen::VectorXd u = fit.alpha.cwiseProduct(y);
  CHECK(fit.alpha.minCoeff() >= 0);
  CHECK(fit.alpha.maxCoeff() <= cost * (1 + 1e-15));
  CHECK(std::abs(u.sum()) <= 1e-12 * cost * static_cast<double>(y.size()));
  const Eigen::VectorXd f = kernel * u;
  const double dual = fit.alpha.sum() - 0.5 * u.dot(f);
  double primal = 0.5 * u.dot(f);
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    primal += cost * std::max(0.0, 1 - y(i) * (f(i) - fit.b));
  }
  CHECK(primal - dual <= tol * std::abs(primal));
  CHECK(primal >= dual - 1e-13 * std::abs(primal));
  CHECK(fit.primal == Approx(primal).epsilon(1e-12));
  CHECK(fit.dual == Approx(dual).epsilon(1e-12));
}

}  // namespace

TEST_CASE("svm_dual worked by hand", "[optim]") {
  // Two points at +1 and -1: alpha_1 = alpha_2 = a, value 2a - 2a^2, so a = 1/2 or C.
  Eigen::MatrixXd kernel(2, 2);
  kernel << 1, -1, -1, 1;
  const Eigen::VectorXd y = Eigen::Vector2d(1, -1);

  const SvmDual inside = solve(kernel, y, 10);
  CHECK(inside.alpha(0) == Approx(0.5));
  CHECK(inside.dual == Approx(0.5));
  CHECK(inside.primal == Approx(0.5));
  CHECK(inside.b == Approx(0).margin(1e-12));
  CHECK(inside.converged);

  const SvmDual bounded = solve(kernel, y, 0.25);
  CHECK(bounded.alpha(1) == Approx(0.25));
  CHECK(bounded.dual == Approx(0.375));
  CHECK(bounded.primal == Approx(0.375));

  // Points 3 and 1 on a line: w = 1, the boundary halfway at 2.
  kernel << 9, 3, 3, 1;
  const SvmDual moved = solve(kernel, y, 10);
  CHECK(moved.alpha(0) == Approx(0.5));
  CHECK(moved.b == Approx(2));
}

TEST_CASE("svm_dual reaches a tiny gap on easy and awkward problems", "[optim]") {
  Rng rng(7, 0);
  for (int trial = 0; trial < 60; ++trial) {
    const Eigen::Index l = 4 + static_cast<Eigen::Index>(rng.below(60));
    const Eigen::Index d = 1 + static_cast<Eigen::Index>(rng.below(40));
    const Eigen::VectorXd y = random_labels(rng, l);
    Eigen::MatrixXd x = random_rows(rng, l, d);
    if (trial % 3 == 0) x.row(2) = x.row(0), x.row(3) = x.row(1);  // duplicates, maybe opposed
    if (trial % 4 == 0) x.col(0) += 0.5 * y;
    const Eigen::MatrixXd kernel = x * x.transpose();  // singular whenever d < l
    for (const double cost : {1e-4, 0.1, 1.0, 100.0}) {
      CAPTURE(trial, l, d, cost);
      const SvmDual fit = solve(kernel, y, cost);
      CHECK(fit.gap <= 1e-9);
      check_optimal(kernel, y, cost, fit, 1e-9);
    }
  }
}

TEST_CASE("svm_dual does not care for the unit of the kernel", "[optim]") {
  Rng rng(3, 0);
  const Eigen::VectorXd y = random_labels(rng, 30);
  const Eigen::MatrixXd x = random_rows(rng, 30, 5);
  const Eigen::MatrixXd kernel = x * x.transpose();
  const SvmDual plain = solve(kernel, y, 1);
  const SvmDual large = solve(1e10 * kernel, y, 1e-10);
  CHECK(large.dual == Approx(1e-10 * plain.dual).epsilon(1e-9));
  CHECK(large.gap <= 1e-9);
  CHECK(large.b == Approx(plain.b).epsilon(1e-6));
}

TEST_CASE("svm_dual with an empty kernel is a linear programme", "[optim]") {
  // max sum(alpha): the smaller class at C, the larger weighs the same; value 2 C n_small.
  Eigen::VectorXd y(5);
  y << 1, -1, -1, -1, 1;
  const SvmDual fit = solve(Eigen::MatrixXd::Zero(5, 5), y, 3);
  CHECK(fit.dual == Approx(12).epsilon(1e-10));
  CHECK(fit.primal == Approx(12).epsilon(1e-10));
  check_optimal(Eigen::MatrixXd::Zero(5, 5), y, 3, fit, 1e-10);
}

TEST_CASE("hinge_intercept takes the midpoint of the minimizers", "[optim]") {
  // Slope -1 up to the lower breakpoint (f - y = -1 of the first row), 0 up to 1, then +1.
  const Eigen::VectorXd y = Eigen::Vector2d(1, -1);
  CHECK(hinge_intercept(Eigen::Vector2d(0, 0), y) == 0);
  CHECK(hinge_sum(Eigen::Vector2d(0, 0), y, 0) == 2);
  CHECK(hinge_intercept(Eigen::Vector2d(5, 0), y) == 2.5);
  CHECK(hinge_sum(Eigen::Vector2d(5, 0), y, 2.5) == 0);
  // Three against one: the minimum is one point only where breakpoints meet.
  Eigen::VectorXd y3(4), f3(4);
  y3 << 1, 1, 1, -1;
  f3 << 4, 3, 2, 0;  // breakpoints 3, 2, 1 and 1
  CHECK(hinge_intercept(f3, y3) == 1);
}

TEST_CASE("svm_dual refuses what has no answer", "[optim]") {
  const Eigen::VectorXd y = Eigen::Vector2d(1, 1);
  CHECK_THROWS_AS(solve(Eigen::MatrixXd::Identity(2, 2), y, 1), std::invalid_argument);
  CHECK_THROWS_AS(solve(Eigen::MatrixXd::Identity(3, 3), Eigen::Vector2d(1, -1), 1),
                  std::invalid_argument);
  CHECK_THROWS_AS(solve(Eigen::MatrixXd::Identity(2, 2), Eigen::Vector2d(1, -1), 0),
                  std::invalid_argument);
}
