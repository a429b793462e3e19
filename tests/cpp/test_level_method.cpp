#include <cmath>

#include <catch2/catch.hpp>

#include "core/optim/level_method.hpp"
#include "core/run/rng.hpp"

using namespace semiselect;
using Eigen::Index;

namespace {

Eigen::VectorXd normals(Rng& rng, Index d) {
  Eigen::VectorXd v(d);
  for (Index i = 0; i < d; ++i) v(i) = rng.normal();
  return v;
}

double height(const std::vector<Eigen::VectorXd>& g, const std::vector<double>& c,
              const Eigen::VectorXd& p) {
  double top = -1e300;
  for (std::size_t j = 0; j < g.size(); ++j) top = std::max(top, c[j] + g[j].dot(p));
  return top;
}

}  // namespace

TEST_CASE("project_capped_simplex", "[optim]") {
  SECTION("worked by hand") {
    // nu = 0.5: clip((2, 1, 0.5) - 0.5) = (1, 0.5, 0), sum 1.5
    const Eigen::VectorXd p = project_capped_simplex(Eigen::Vector3d(2, 1, 0.5), 1.5);
    CHECK(p.isApprox(Eigen::Vector3d(1, 0.5, 0), 1e-14));
  }
  SECTION("the variational inequality holds against random points of P") {
    Rng rng(1, 0);
    for (int trial = 0; trial < 50; ++trial) {
      const Eigen::VectorXd q = 3 * normals(rng, 20);
      const double m = 1 + static_cast<double>(rng.below(18));
      const Eigen::VectorXd p = project_capped_simplex(q, m);
      CHECK(std::abs(p.sum() - m) <= 1e-13);
      CHECK(p.minCoeff() >= 0);
      CHECK(p.maxCoeff() <= 1);
      for (int other = 0; other < 20; ++other) {
        const Eigen::VectorXd o = project_capped_simplex(normals(rng, 20), m);
        CHECK((q - p).dot(o - p) <= 1e-12);
      }
    }
  }
}

TEST_CASE("the minimum of one cut is the sum of its m smallest slopes", "[optim]") {
  CutModel model(4, 2);
  Eigen::VectorXd g(4);
  g << 3, -1, 2, -4;
  model.add(g, 10);
  CHECK(model.minimum().value == Approx(5));
}

TEST_CASE("the minimum of two cuts worked by hand", "[optim]") {
  // d = 2, m = 1, p = (q, 1 - q): max(q, 1 - q) is 1/2 at q = 1/2.
  CutModel model(2, 1);
  model.add(Eigen::Vector2d(1, 0), 0);
  model.add(Eigen::Vector2d(0, 1), 0);
  const CutModel::Bound bound = model.minimum();
  CHECK(bound.value == Approx(0.5).epsilon(1e-9));
  CHECK(bound.mu(0) == Approx(0.5).epsilon(1e-9));
}

TEST_CASE("simplex and interior point agree, cut by cut", "[optim]") {
  Rng rng(11, 0);
  for (int trial = 0; trial < 12; ++trial) {
    const Index d = 10 + static_cast<Index>(rng.below(60));
    const Index m = 1 + static_cast<Index>(rng.below(static_cast<std::uint64_t>(d - 1)));
    const double unit = std::pow(10.0, static_cast<double>(rng.below(9)) - 4);
    CutModel model(d, m);
    std::vector<Eigen::VectorXd> g;
    std::vector<double> c;
    double last = -1e300;
    for (int cut = 0; cut < 25; ++cut) {
      Eigen::VectorXd slope = -unit * normals(rng, d).cwiseAbs2();
      if (trial % 3 == 0) slope(1) = slope(0), slope(3) = slope(2) = slope(0);  // identical columns
      g.push_back(slope);
      c.push_back(unit * rng.normal());
      model.add(g.back(), c.back());
      const CutModel::Bound bound = model.minimum();
      CAPTURE(trial, d, m, cut, unit);
      CHECK(bound.mu.minCoeff() >= 0);
      CHECK(bound.mu.sum() == Approx(1));
      CHECK(bound.value >= last - 1e-8 * unit);  // a new cut can only raise the minimum
      last = bound.value;
      CutModel::Bound other;
      REQUIRE(model.minimum_interior(other));
      const double size = std::abs(bound.value) + unit;
      CHECK(std::abs(bound.value - other.value) <= 1e-8 * size);
      // Weak duality: no point of P lies below.
      for (int points = 0; points < 5; ++points) {
        const Eigen::VectorXd p = project_capped_simplex(normals(rng, d), static_cast<double>(m));
        CHECK(height(g, c, p) >= bound.value - 1e-12 * size);
      }
    }
    CHECK(model.fallbacks() == 0);
  }
}

TEST_CASE("the projection on a level set is nearest and inside", "[optim]") {
  Rng rng(5, 0);
  for (int trial = 0; trial < 20; ++trial) {
    const Index d = 8 + static_cast<Index>(rng.below(60));
    const Index m = 1 + static_cast<Index>(rng.below(static_cast<std::uint64_t>(d - 1)));
    CutModel model(d, m);
    std::vector<Eigen::VectorXd> g;
    std::vector<double> c;
    for (int cut = 0; cut < 12; ++cut) {
      g.push_back(-normals(rng, d).cwiseAbs2());
      c.push_back(rng.normal());
      model.add(g.back(), c.back());
    }
    const double low = model.minimum().value;
    const Eigen::VectorXd start = project_capped_simplex(normals(rng, d), static_cast<double>(m));
    const double target = low + 0.3 * (height(g, c, start) - low);
    Eigen::VectorXd p = start, q = start;
    CAPTURE(trial, d, m);
    REQUIRE(model.project(p, target));
    REQUIRE(model.project_interior(q, target));
    CHECK(height(g, c, p) <= target + 1e-8 * (1 + std::abs(target)));
    CHECK(std::abs(p.sum() - static_cast<double>(m)) <= 1e-12 * static_cast<double>(d));
    CHECK((p - q).cwiseAbs().maxCoeff() <= 1e-5);
    CHECK((p - start).norm() <= (q - start).norm() + 1e-7);
  }
}

TEST_CASE("level_method finds the minimum of |p - a|^2, which is the projection", "[optim]") {
  Rng rng(2, 0);
  const Index d = 30, m = 7;
  const Eigen::VectorXd a = normals(rng, d);
  const Eigen::VectorXd best = project_capped_simplex(a, static_cast<double>(m));
  const double least = (best - a).squaredNorm();
  LevelOptions options;
  options.tol = 1e-6;
  options.max_iter = 500;
  const auto ask = [&](int, const Eigen::VectorXd& p) {
    LevelAnswer answer;
    answer.upper = answer.value = (p - a).squaredNorm();
    answer.g = 2 * (p - a);
    answer.c = answer.value - answer.g.dot(p);
    return answer;
  };
  const Eigen::VectorXd p0 = Eigen::VectorXd::Constant(d, 7.0 / 30);
  const LevelResult fit = level_method(p0, m, options, ask, Control());
  CHECK(fit.converged);
  CHECK(fit.upper == Approx(least).epsilon(2e-6));
  CHECK(fit.lower <= least);
  CHECK(fit.upper >= least * (1 - 1e-12));
  CHECK((fit.p - best).norm() <= 1e-2);
  CHECK(fit.mu.sum() == Approx(1));
  for (std::size_t i = 1; i < fit.trace.size(); ++i) {
    CHECK(fit.trace[i].upper <= fit.trace[i - 1].upper);
    CHECK(fit.trace[i].lower >= fit.trace[i - 1].lower);
  }
  // More cuts than are kept: dropping the idle ones must not stop it.
  options.tol = 1e-12;
  const LevelResult fine = level_method(p0, m, options, ask, Control());
  CHECK(fine.upper - least <= 1e-8 * least);
}

TEST_CASE("level_method stops at once where the function does not depend on p", "[optim]") {
  const auto ask = [&](int, const Eigen::VectorXd& p) {
    LevelAnswer answer;
    answer.upper = answer.value = answer.c = 4;
    answer.g = Eigen::VectorXd::Zero(p.size());
    return answer;
  };
  const LevelResult fit =
      level_method(Eigen::VectorXd::Constant(5, 0.4), 2, LevelOptions(), ask, Control());
  CHECK(fit.converged);
  CHECK(fit.trace.size() == 1);
  CHECK(fit.lower == Approx(4));
  CHECK(fit.p.isApproxToConstant(0.4));
}
