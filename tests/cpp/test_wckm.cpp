#include <catch2/catch.hpp>

#include <cmath>

#include "core/run/rng.hpp"
#include "core/select/clustering/wckm.hpp"

using namespace semiselect;

namespace {

Eigen::MatrixXd example() {
  Eigen::MatrixXd x(6, 2);
  x << 0, 0, 1, 0, 0, 2, 4, 1, 5, 3, 4, 0;
  return x;
}

Problem problem_of(const Eigen::MatrixXd& x, std::vector<int> code = {}, int classes = 0) {
  Problem data;
  data.x = data.z = FeatureMatrix::dense(x);
  data.y.code = std::move(code);
  data.y.classes = classes;
  data.constant = report_columns(data.x).constant;
  return data;
}

ClusterStart from_rows(const Eigen::MatrixXd& x, std::vector<Index> rows) {
  ClusterStart start;
  start.centroids.resize(static_cast<Index>(rows.size()), x.cols());
  for (std::size_t q = 0; q < rows.size(); ++q) start.centroids.row(q) = x.row(rows[q]);
  return start;
}

Eigen::MatrixXd noise(Index n, Index p, std::uint64_t seed) {
  Rng rng(seed, 0);
  Eigen::MatrixXd x(n, p);
  for (Index j = 0; j < p; ++j) {
    for (Index i = 0; i < n; ++i) x(i, j) = rng.normal() * (1 + 0.3 * j) + (i % 3) * (j % 2);
  }
  return x;
}

}  // namespace

TEST_CASE("membership of one row", "[clustering]") {
  const double D[3] = {1, 2, 4};
  double a[3];
  SECTION("equals the worked minimizers of the specification") {
    const double P[3] = {5, 0.5, 0};
    simplex_membership(D, P, 3, 2, a);
    CHECK(a[0] == 0);
    CHECK(a[1] == Approx(0.625));
    CHECK(a[2] == Approx(0.375));
    const double Q[3] = {0.3, 0.5, 0};
    simplex_membership(D, Q, 3, 2, a);
    CHECK(a[0] == Approx(0.5785714286).epsilon(1e-9));
    CHECK(a[1] == Approx(0.2392857143).epsilon(1e-9));
    CHECK(a[2] == Approx(0.1821428571).epsilon(1e-9));
  }
  SECTION("satisfies the optimality conditions for any fuzzifier") {
    Rng rng(3, 0);
    for (const double m : {1.1, 1.3, 2.0, 2.0001, 3.5}) {
      for (int trial = 0; trial < 50; ++trial) {
        double d[4], p[4], out[4];
        for (int q = 0; q < 4; ++q) {
          d[q] = std::exp(3 * rng.normal());
          p[q] = 5 * rng.uniform();
        }
        simplex_membership(d, p, 4, m, out);
        double sum = 0, most = -1e300, least = 1e300;
        for (int q = 0; q < 4; ++q) {
          sum += out[q];
          const double slope = m * std::pow(out[q], m - 1) * d[q] + p[q];
          if (out[q] > 0) most = std::max(most, slope);
          least = std::min(least, slope);
        }
        CHECK(sum == Approx(1).epsilon(1e-12));
        // Slopes agree on the support and are nowhere lower.
        CHECK(most - least <= 1e-8 * std::max(1.0, std::abs(most)));
      }
    }
  }
}

TEST_CASE("wckm", "[clustering]") {
  const Eigen::MatrixXd x = example();
  const Problem data = problem_of(x, {0, -1, 0, 1, -1, -1}, 2);
  WckmOptions options;

  SECTION("equals the worked example") {
    options.max_iter = 1;
    options.tol = -1;
    const Wckm one = wckm(data, {from_rows(x, {1, 4})}, options, Control());
    const double expected[6] = {0.9849009372, 1, 0.8583204539, 0.2808831082, 0, 0.5263157895};
    for (int i = 0; i < 6; ++i) CHECK(std::abs(one.fit.memberships(i, 0) - expected[i]) < 1e-9);
    CHECK(one.fit.weights(0) == Approx(0.5428554399).epsilon(1e-9));
    CHECK(one.fit.objective[0] == Approx(11.7921156096).epsilon(1e-10));
    CHECK(one.fit.must_link[0] == Approx(0.1525001522).epsilon(1e-8));
    CHECK(one.fit.cannot_link[0] == Approx(0.6304718994).epsilon(1e-8));
    options.max_iter = 2;
    const Wckm two = wckm(data, {from_rows(x, {1, 4})}, options, Control());
    CHECK(two.fit.weights(0) == Approx(0.3244729944).epsilon(1e-9));
    CHECK(two.fit.objective[1] == Approx(9.1020708321).epsilon(1e-10));
    CHECK(two.fit.iterations == 2);
  }
  SECTION("takes listed pairs as the labels that imply them") {
    Problem listed = problem_of(x);
    listed.constraints.must_link = {{0, 2}};
    listed.constraints.cannot_link = {{0, 3}, {2, 3}};
    Problem both = data;
    both.constraints = listed.constraints;
    const Wckm a = wckm(data, {from_rows(x, {1, 4})}, options, Control());
    const Wckm b = wckm(listed, {from_rows(x, {1, 4})}, options, Control());
    const Wckm c = wckm(both, {from_rows(x, {1, 4})}, options, Control());
    CHECK(a.weights.isApprox(b.weights, 1e-12));
    CHECK(a.weights.isApprox(c.weights, 1e-12));
    CHECK(a.fit.objective.size() == b.fit.objective.size());
  }
  SECTION("never lets the objective rise, on 400 random problems") {
    int rises = 0, unsettled = 0, problems = 0;
    double worst_sum = 0;
    for (const double beta : {-2.0, -0.1, 1.5, 4.0}) {
      for (int trial = 0; trial < 100; ++trial) {
        const Eigen::MatrixXd r = noise(18 + trial % 9, 4, 100 + trial);
        std::vector<int> code(static_cast<std::size_t>(r.rows()), -1);
        if (trial % 3) {
          for (int i = 0; i < 8; ++i) code[i] = i % 3;
        }
        Problem random = problem_of(r, code, trial % 3 ? 3 : 0);
        if (trial % 2) {
          random.constraints.must_link = {{1, 9}, {2, 10}, {9, 11}};
          random.constraints.cannot_link = {{1, 11}, {3, 12}, {9, 10}};
        }
        options.beta = beta;
        options.lambda = trial % 5 ? 3.0 * (trial % 7) : 0;
        options.fuzzifier = trial % 4 ? 2 : 1.2;
        options.max_iter = 300;
        const Wckm fit = wckm(random, {from_rows(r, {0, 1, 2})}, options, Control());
        const std::vector<double>& F = fit.fit.objective;
        for (std::size_t t = 1; t < F.size(); ++t) rises += F[t] > F[t - 1] * (1 + 1e-12);
        unsettled += !fit.fit.converged;
        worst_sum = std::max(worst_sum, (fit.fit.memberships.rowwise().sum().array() - 1)
                                            .abs().maxCoeff());
        CHECK(fit.fit.memberships.minCoeff() >= 0);
        CHECK(fit.weights.sum() == Approx(1));
        ++problems;
      }
    }
    CHECK(problems == 400);
    CHECK(rises == 0);
    CHECK(unsettled == 0);
    CHECK(worst_sum < 1e-12);
  }
  SECTION("gives the same bits for any number of threads, and for sparse rows the same fit") {
    const Eigen::MatrixXd r = noise(700, 13, 5);
    std::vector<int> code(700, -1);
    for (int i = 0; i < 60; ++i) code[7 * i] = i % 3;
    const Problem large = problem_of(r, code, 3);
    std::vector<ClusterStart> starts;
    for (Index s = 0; s < 4; ++s) starts.push_back(from_rows(r, {s, s + 10, s + 20}));
    Control two;
    two.threads = 2;
    const Wckm a = wckm(large, starts, options, Control());
    const Wckm b = wckm(large, starts, options, two);
    CHECK(a.weights == b.weights);
    CHECK(a.fit.memberships == b.fit.memberships);
    CHECK(a.fit.objective == b.fit.objective);

    std::vector<double> value(r.data(), r.data() + r.size());
    std::vector<int> inner, outer = {0};
    for (int j = 0; j < 13; ++j) {
      for (int i = 0; i < 700; ++i) inner.push_back(i);
      outer.push_back(static_cast<int>(inner.size()));
    }
    Problem sparse = large;
    sparse.x = sparse.z = FeatureMatrix::sparse(value.data(), inner.data(), outer.data(), 700, 13);
    const Wckm c = wckm(sparse, starts, options, Control());
    CHECK(c.weights.isApprox(a.weights, 1e-10));
    CHECK(c.fit.memberships.isApprox(a.fit.memberships, 1e-10));
  }
  SECTION("ignores a constant feature") {
    Eigen::MatrixXd wider(6, 3);
    wider << x.col(0), Eigen::VectorXd::Constant(6, 7), x.col(1);
    const Wckm fit = wckm(problem_of(wider, {0, -1, 0, 1, -1, -1}, 2), {from_rows(wider, {1, 4})},
                          options, Control());
    const Wckm plain = wckm(data, {from_rows(x, {1, 4})}, options, Control());
    CHECK(fit.weights(1) == 0);
    CHECK(fit.weights(0) == plain.weights(0));
    CHECK(fit.weights(2) == plain.weights(1));
    CHECK(fit.fit.centroids(1, 1) == 7);
  }
}
