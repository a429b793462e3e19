#include <catch2/catch.hpp>

#include <cmath>

#include "core/optim/hinge_lp.hpp"
#include "core/run/rng.hpp"
#include "core/select/margin/l1svm.hpp"
#include "examples.hpp"

using namespace semiselect;

TEST_CASE("hinge_lp", "[margin]") {
  SECTION("one column, by hand") {
    // Points -1, 1: a margin of 1 costs w = 1, as long as C >= 1/2.
    Eigen::MatrixXd x(2, 1);
    x << -1, 1;
    Eigen::VectorXd y(2);
    y << -1, 1;
    const HingeLp rich = hinge_lp(x, y, 2, Control());
    CHECK(rich.w(0) == Approx(1).epsilon(1e-12));
    CHECK(rich.b == Approx(0).margin(1e-12));
    CHECK(rich.primal == Approx(1).epsilon(1e-12));
    const HingeLp poor = hinge_lp(x, y, 0.4, Control());
    CHECK(poor.w(0) == 0);
    CHECK(poor.primal == Approx(0.8).epsilon(1e-12));
  }
  SECTION("closes the gap on random problems, wide and tall, at any unit") {
    for (int seed = 0; seed < 20; ++seed) {
      Rng rng(5, static_cast<std::uint64_t>(seed));
      const Index l = 5 + seed, p = seed % 2 ? 40 : 4;
      Eigen::MatrixXd x(l, p);
      Eigen::VectorXd y(l);
      for (Index i = 0; i < l; ++i) {
        y(i) = i % 2 ? 1 : -1;
        for (Index j = 0; j < p; ++j) x(i, j) = rng.normal() + (j == 0 ? y(i) : 0);
      }
      for (const double unit : {1e-6, 1.0, 1e6}) {
        const HingeLp fit = hinge_lp(unit * x, y, 0.3 / unit, Control());
        CHECK(fit.gap >= -1e-12);
        CHECK(fit.gap <= 1e-9);
        CHECK((unit * x.transpose() * fit.alpha.cwiseProduct(y)).cwiseAbs().maxCoeff() <= 1 + 1e-9);
        CHECK(std::abs(fit.alpha.dot(y)) <= 1e-9 * fit.alpha.sum());
      }
    }
  }
  SECTION("takes classes that no column tells apart") {
    const Eigen::MatrixXd x = Eigen::MatrixXd::Constant(4, 2, 3.0);
    Eigen::VectorXd y(4);
    y << 1, -1, 1, -1;
    CHECK(hinge_lp(x, y, 1, Control()).w.isZero(0));
  }
}

TEST_CASE("squared_hinge_intercept", "[margin]") {
  Eigen::VectorXd f(3), y(3);
  f << 0, 0, 0;
  y << 1, 1, -1;
  // (1 + b)^2 twice and (1 - b)^2 once: b = -1/3
  CHECK(squared_hinge_intercept(f, y, 5) == Approx(-1.0 / 3));
}

TEST_CASE("l1svm", "[margin]") {
  // Feature 1 separates with margin 2 around 3, feature 2 does not; rows 5, 6 unlabelled.
  Eigen::MatrixXd x(6, 2);
  x << 1, 0, 2, 1, 4, 0, 5, 1, 9, 9, 3, 3;
  const Problem data = examples::problem(x, {0, 0, 1, 1, -1, -1}, 2);
  L1svmOptions options;
  options.cost = 10;
  const L1svmFit fit = l1svm(data, options, Control());
  CHECK(fit.by_class[0].w(0) == Approx(1).epsilon(1e-10));
  CHECK(fit.by_class[0].b == Approx(3).epsilon(1e-10));
  CHECK(fit.by_class[0].w(1) == 0);
  CHECK(fit.selection.order == std::vector<Index>{0, 1});
  CHECK(fit.selection.selected == std::vector<int>{1, 0});
  CHECK(fit.by_class[0].decision(4) == Approx(6));
}
