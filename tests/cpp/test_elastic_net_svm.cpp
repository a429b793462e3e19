#include "core/optim/elastic_net_svm.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "core/optim/platt.hpp"
#include "core/run/rng.hpp"

using namespace semiselect;

namespace {

struct Toy {
  Eigen::MatrixXd x;
  HingeRows rows;
};

Toy toy(Index n, Index p, std::uint64_t seed) {
  Rng rng(seed, 0);
  Toy out;
  out.x.resize(n, p);
  out.rows.sign.resize(n);
  out.rows.weight.resize(n);
  for (Index i = 0; i < n; ++i) {
    out.rows.sign(i) = i % 3 == 0 ? -1 : 1;
    out.rows.weight(i) = 0.5 + rng.uniform();
    for (Index j = 0; j < p; ++j) {
      out.x(i, j) = rng.normal() + (j < 3 ? 0.7 * out.rows.sign(i) : 0) + 2;
    }
  }
  return out;
}

double naive_primal(const Toy& data, const Eigen::VectorXd& t, double b, double l1, double l2) {
  double sum = l1 * t.lpNorm<1>() + l2 / 2 * t.squaredNorm();
  for (Index i = 0; i < data.x.rows(); ++i) {
    const double g = data.x.row(i).dot(t) + b;
    sum += data.rows.weight(i) * std::max(0.0, 1 - data.rows.sign(i) * g);
  }
  return sum;
}

ElasticNetSvmFit fit(const Toy& data, const Eigen::VectorXd& center, double l1, double l2,
                     SvmSystem system = SvmSystem::automatic, bool sparse = false) {
  const Index n = data.x.rows(), p = data.x.cols();
  std::vector<double> values;
  std::vector<int> inner, outer = {0};
  FeatureMatrix x = FeatureMatrix::dense(data.x.data(), n, p);
  if (sparse) {
    for (Index j = 0; j < p; ++j) {
      for (Index i = 0; i < n; ++i) {
        if (data.x(i, j) == 0) continue;
        values.push_back(data.x(i, j));
        inner.push_back(static_cast<int>(i));
      }
      outer.push_back(static_cast<int>(values.size()));
    }
    x = FeatureMatrix::sparse(values.data(), inner.data(), outer.data(), n, p);
  }
  const ElasticNetSvm svm(x, data.rows.weight, center, {}, l2, 1, system);
  ElasticNetSvmState state;
  ElasticNetSvmOptions options;
  options.tol = 1e-9;
  return svm.solve(data.rows, l1, state, options, Control());
}

}  // namespace

TEST_CASE("elastic_net_svm equals a solution worked by hand", "[margin]") {
  // Rows +1 at 2 and -1 at -2 in one dimension, b free, by symmetry b = 0:
  // min 2 C max(0, 1 - 2t) + l1 t + l2 t^2 / 2. For 4C > l1 + l2/2 the kink t = 1/2 is optimal.
  Toy data;
  data.x.resize(2, 1);
  data.x << 2, -2;
  data.rows.sign = Eigen::Vector2d(1, -1);
  data.rows.weight = Eigen::Vector2d(1, 1);
  const ElasticNetSvmFit kink = fit(data, {}, 1, 1);
  CHECK(kink.t(0) == Approx(0.5));
  CHECK(kink.intercept == Approx(0).margin(1e-12));
  CHECK(kink.primal == Approx(0.625));
  // For 4C < l1 + l2/2, t = (4C - l1) / l2.
  const ElasticNetSvmFit inside = fit(data, {}, 1, 10);
  CHECK(inside.t(0) == Approx(0.3));
  CHECK(inside.primal == Approx(2 * 0.4 + 0.3 + 0.45));
  // At and above 4C nothing is left.
  CHECK(fit(data, {}, 4.001, 1).t(0) == 0);
}

TEST_CASE("elastic_net_svm certifies its optimum", "[margin]") {
  for (const Index p : {4, 12, 40}) {
    const Toy data = toy(24, p, 7 + static_cast<std::uint64_t>(p));
    for (const double l2 : {10.0, 1.0, 0.1, 0.01, 0.0}) {
      for (const bool tied : {false, true}) {
        CAPTURE(p, l2, tied);
        Toy now = data;
        Eigen::VectorXd m;
        if (tied) {
          m = data.x.bottomRows(10).colwise().mean();
          now.rows.offset = -0.2;
        }
        const double l1 = 1.5;
        const ElasticNetSvmFit f = fit(now, m, l1, l2);
        REQUIRE(f.converged);
        CHECK(f.gap < 1e-9);
        CHECK(f.gap > -1e-12);
        CHECK(naive_primal(now, f.t, f.intercept, l1, l2) == Approx(f.primal).epsilon(1e-10));
        if (tied) CHECK(f.intercept == Approx(-0.2 - m.dot(f.t)));
        // Feasible multipliers, written out anew.
        CHECK((f.alpha.array() >= 0).all());
        CHECK((f.alpha.array() <= now.rows.weight.array() + 1e-12).all());
        const Eigen::VectorXd signed_alpha = f.alpha.cwiseProduct(now.rows.sign);
        Eigen::VectorXd v = now.x.transpose() * signed_alpha;
        if (tied) {
          v -= signed_alpha.sum() * m;
        } else {
          CHECK(signed_alpha.sum() == Approx(0).margin(1e-9));
        }
        CHECK(v.isApprox(f.v, 1e-9));
        for (Index j = 0; j < p; ++j) {
          if (f.t(j) == 0) {
            CHECK(std::abs(v(j)) <= l1 * (1 + 1e-6));
          } else {
            CHECK(v(j) - (f.t(j) > 0 ? l1 : -l1) == Approx(l2 * f.t(j)).margin(1e-6));
          }
        }
        // No nearby point is better.
        Rng rng(3, 0);
        for (int trial = 0; trial < 20; ++trial) {
          Eigen::VectorXd t = f.t;
          for (Index j = 0; j < p; ++j) t(j) += 1e-3 * rng.normal();
          const double b = tied ? -0.2 - m.dot(t) : f.intercept + 1e-3 * rng.normal();
          CHECK(naive_primal(now, t, b, l1, l2) >= f.primal * (1 - 1e-9));
        }
      }
    }
  }
}

TEST_CASE("elastic_net_svm does not depend on how its system is solved", "[margin]") {
  for (const Index p : {9, 30}) {
    Toy data = toy(20, p, 5);
    data.x = (data.x.array().abs() < 1.5).select(0.0, data.x);
    const ElasticNetSvmFit reference = fit(data, {}, 0.8, 0.7);
    for (const SvmSystem system : {SvmSystem::normal, SvmSystem::woodbury, SvmSystem::eigen,
                                   SvmSystem::conjugate_gradient}) {
      for (const bool sparse : {false, true}) {
        const ElasticNetSvmFit f = fit(data, {}, 0.8, 0.7, system, sparse);
        CHECK(f.converged);
        CHECK((f.t - reference.t).cwiseAbs().maxCoeff() < 1e-8);
        CHECK(f.intercept == Approx(reference.intercept).margin(1e-8));
      }
    }
  }
}

TEST_CASE("elastic_net_svm is solved again at once from its own solution", "[margin]") {
  const Toy data = toy(30, 50, 11);
  const FeatureMatrix x = FeatureMatrix::dense(data.x.data(), 30, 50);
  const ElasticNetSvm svm(x, data.rows.weight, {}, {}, 1);
  ElasticNetSvmState state;
  const ElasticNetSvmFit first = svm.solve(data.rows, 1, state, {}, Control());
  const ElasticNetSvmFit again = svm.solve(data.rows, 1, state, {}, Control());
  CHECK(again.iterations == 0);
  CHECK(again.t.isApprox(first.t, 1e-12));
}

TEST_CASE("elastic_net_svm keeps ignored columns at zero and survives constant ones", "[margin]") {
  Toy data = toy(15, 4, 2);
  data.x.col(1).setConstant(5);
  const FeatureMatrix x = FeatureMatrix::dense(data.x.data(), 15, 4);
  const ElasticNetSvm svm(x, data.rows.weight, {}, {true, true, false, false}, 1);
  ElasticNetSvmState state;
  const ElasticNetSvmFit f = svm.solve(data.rows, 0.1, state, {}, Control());
  CHECK(f.t(0) == 0);
  CHECK(f.t(1) == 0);
  CHECK(f.t(2) != 0);

  data.x.setConstant(3);
  ElasticNetSvmFit flat = fit(data, {}, 0.1, 1);
  CHECK(flat.t.isZero());
  CHECK(flat.converged);
}

TEST_CASE("weighted_hinge_intercept minimizes", "[margin]") {
  Rng rng(4, 0);
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::VectorXd f(7), s(7), w(7);
    for (Index i = 0; i < 7; ++i) {
      f(i) = rng.normal();
      s(i) = rng.uniform() < 0.5 ? -1 : 1;
      w(i) = rng.uniform() < 0.2 ? 0 : rng.uniform();
    }
    const auto loss = [&](double b) {
      return (w.array() * (1 - s.array() * (f.array() + b)).max(0.0)).sum();
    };
    const double b = weighted_hinge_intercept(f, s, w);
    for (double other = -6; other < 6; other += 0.01) CHECK(loss(b) <= loss(other) + 1e-12);
  }
  // An interval of minimizers: its middle. One class: the finite end.
  CHECK(weighted_hinge_intercept(Eigen::Vector2d(3, -4), Eigen::Vector2d(1, -1),
                                 Eigen::Vector2d(1, 1)) == Approx(0.5));
  CHECK(weighted_hinge_intercept(Eigen::Vector2d(0, 2), Eigen::Vector2d(1, 1),
                                 Eigen::Vector2d(1, 1)) == Approx(1));
  CHECK(weighted_hinge_intercept(Eigen::Vector2d(0, 2), Eigen::Vector2d(-1, -1),
                                 Eigen::Vector2d(1, 1)) == Approx(-3));
}

TEST_CASE("platt solves its likelihood equations under a <= 0", "[margin]") {
  Eigen::VectorXd g(6), s(6);
  g << -2, -1, 0.5, -0.2, 1, 3;
  s << -1, -1, -1, 1, 1, 1;
  const Platt f = platt(g, s);
  CHECK(f.a < 0);
  double da = 0, db = 0;
  for (Index i = 0; i < 6; ++i) {
    const double target = s(i) > 0 ? 4.0 / 5 : 1.0 / 5;
    const double d = target - 1 / (1 + std::exp(f.a * g(i) + f.b));
    da += d * g(i);
    db += d;
  }
  CHECK(da == Approx(0).margin(1e-8));
  CHECK(db == Approx(0).margin(1e-8));
  const Platt reversed = platt(-g, s);
  CHECK(reversed.a == 0);
  CHECK(reversed.b == Approx(0).margin(1e-12));
}

TEST_CASE("elastic_net_svm finds the columns that matter among many", "[margin]") {
  const Toy data = toy(30, 1500, 21);
  for (const bool tied : {false, true}) {
    Toy now = data;
    Eigen::VectorXd m;
    if (tied) {
      m = data.x.bottomRows(12).colwise().mean();
      now.rows.offset = 0.3;
    }
    for (const double l1 : {8.0, 2.0}) {
      const ElasticNetSvmFit few = fit(now, m, l1, 3);                         // by columns
      const ElasticNetSvmFit all = fit(now, m, l1, 3, SvmSystem::woodbury);    // all at once
      CHECK(few.converged);
      CHECK((few.t - all.t).cwiseAbs().maxCoeff() < 1e-8);
      CHECK(few.intercept == Approx(all.intercept).margin(1e-8));
      CHECK((few.v - all.v).cwiseAbs().maxCoeff() < 1e-7);
      CHECK(few.gap < 1e-9);
    }
  }
}

TEST_CASE("elastic_net_svm follows its active sets from one lambda1 to the next", "[margin]") {
  const Toy data = toy(120, 300, 11);
  const double l2 = 60;
  for (const bool tied : {false, true}) {
    Toy now = data;
    now.rows.offset = tied ? 0.2 : 0;
    const Eigen::VectorXd center =
        tied ? Eigen::VectorXd(now.x.colwise().mean().transpose()) : Eigen::VectorXd();
    const ElasticNetSvm svm(FeatureMatrix::dense(now.x.data(), 120, 300),
                            Eigen::VectorXd::Ones(120), center, {}, l2);
    ElasticNetSvmState state;
    int followed = 0, values = 0;
    for (double l1 = 30; l1 > 0.5; l1 *= 0.9) {
      const ElasticNetSvmFit f = svm.solve(now.rows, l1, state, {}, Control());
      ++values;
      followed += f.iterations == 0;
      // The bound from the definition, by products that owe nothing to what was kept.
      const Eigen::VectorXd u = f.alpha.cwiseProduct(now.rows.sign);
      CHECK(f.alpha.minCoeff() >= 0);
      CHECK((now.rows.weight - f.alpha).minCoeff() >= 0);
      Eigen::VectorXd v = now.x.transpose() * u;
      if (tied) v -= u.sum() * center;
      if (!tied) CHECK(std::abs(u.sum()) < 1e-10);
      const double dual = f.alpha.sum() - (tied ? 0.2 * u.sum() : 0) -
                          soft_threshold(v, l1).squaredNorm() / (2 * l2);
      const double primal = naive_primal(now, f.t, f.intercept, l1, l2);
      CHECK(primal == Approx(f.primal).epsilon(1e-10));
      CHECK(primal - dual <= 1.001e-6 * primal);
    }
    CHECK(followed > values / 2);

    // Kept products belong to their data: another matrix must not be answered from them.
    const Toy other = toy(120, 300, 12);
    const ElasticNetSvm elsewhere(FeatureMatrix::dense(other.x.data(), 120, 300),
                                  Eigen::VectorXd::Ones(120), center, {}, l2);
    ElasticNetSvmState fresh;
    const double moved = elsewhere.solve(now.rows, 5, state, {}, Control()).primal;
    CHECK(moved == Approx(elsewhere.solve(now.rows, 5, fresh, {}, Control()).primal).epsilon(2e-6));
  }
}
