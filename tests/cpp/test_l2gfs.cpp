#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/cluster/assignment.hpp"
#include "core/run/errors.hpp"
#include "core/run/rng.hpp"
#include "core/select/clustering/l2gfs.hpp"

using namespace semiselect;

namespace {

Problem problem_of(const Eigen::MatrixXd& x, std::vector<int> code = {}, int classes = 0) {
  Problem data;
  data.x = data.z = FeatureMatrix::dense(x);
  data.y.code = std::move(code);
  data.y.classes = classes;
  data.constant = report_columns(data.x).constant;
  return data;
}

ClusterStart from_rows(std::vector<Index> rows) {
  ClusterStart start;
  start.rows = std::move(rows);
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

TEST_CASE("optimal assignment", "[clustering]") {
  Rng rng(9, 0);
  for (int trial = 0; trial < 60; ++trial) {
    const int m = 1 + trial % 4, K = m + trial % 3;
    Eigen::MatrixXd cost(m, K);
    for (Index s = 0; s < cost.size(); ++s) cost(s) = rng.normal();
    const std::vector<int> found = optimal_assignment(cost);
    double value = 0;
    for (int i = 0; i < m; ++i) value += cost(i, found[i]);
    // Every injection.
    std::vector<int> order(static_cast<std::size_t>(K));
    std::iota(order.begin(), order.end(), 0);
    double best = 1e300;
    do {
      double sum = 0;
      for (int i = 0; i < m; ++i) sum += cost(i, order[i]);
      best = std::min(best, sum);
    } while (std::next_permutation(order.begin(), order.end()));
    CHECK(value == Approx(best));
  }
}

TEST_CASE("groups in conflict", "[clustering]") {
  Constraints given;
  const auto assign = [&](Index n, Index K, const Eigen::MatrixXd& cost) {
    const LinkGroups links = close_constraints(n, Labels(), given);
    std::vector<int> labels;
    GroupAssigner(links, K).assign(cost, &labels);
    return labels;
  };
  SECTION("a path takes two clusters, and the sweeps find the cheaper way") {
    given.cannot_link = {{0, 1}, {1, 2}};
    Eigen::MatrixXd cost(3, 2);
    cost << 5, 1, 0, 2, 5, 1;
    CHECK(assign(3, 2, cost) == std::vector<int>{1, 0, 1});
  }
  SECTION("four rows in mutual conflict do not fit three clusters, and are named") {
    given.cannot_link = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    CHECK_THROWS_WITH(assign(4, 3, Eigen::MatrixXd::Zero(4, 3)),
                      Catch::Contains("infeasible with 3 clusters") && Catch::Contains("(3, 4)"));
  }
  SECTION("an odd cycle does not fit two clusters; only its own pairs are named") {
    given.cannot_link = {{0, 1}, {0, 4}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}};
    CHECK_THROWS_WITH(assign(7, 2, Eigen::MatrixXd::Zero(7, 2)),
                      Catch::Contains("(1, 2), (1, 5), (2, 3), (3, 4), (4, 5) cannot"));
    CHECK_THROWS_AS(assign(7, 2, Eigen::MatrixXd::Zero(7, 2)), InputError);
    CHECK_NOTHROW(assign(7, 3, Eigen::MatrixXd::Zero(7, 3)));
  }
}

TEST_CASE("l2gfs", "[clustering]") {
  Eigen::MatrixXd x(6, 2);
  x << 0, 0, 1, 0, 0, 2, 4, 1, 5, 3, 4, 0;
  const Problem data = problem_of(x, {0, -1, 0, 1, -1, -1}, 2);
  L2gfsOptions options;

  SECTION("equals the worked example") {
    const L2gfs fit = l2gfs(data, {from_rows({1, 4})}, options, Control());
    CHECK(fit.fit.cluster == std::vector<int>{0, 0, 0, 1, 1, 1});
    CHECK(fit.fit.iterations == 3);
    CHECK(fit.fit.converged);
    CHECK(fit.fit.objective[0] == Approx(17.5015331019).epsilon(1e-10));
    CHECK(fit.fit.objective[1] == Approx(9.4392259331).epsilon(1e-10));
    CHECK(fit.fit.objective[2] == Approx(9.4392259331).epsilon(1e-10));
    CHECK(fit.fit.local_weights(0, 0) == Approx(0.2468165765).epsilon(1e-9));
    CHECK(fit.fit.local_weights(1, 1) == Approx(0.8346059458).epsilon(1e-9));
    CHECK(fit.weights(0) == Approx(0.2061053153).epsilon(1e-9));
    CHECK(fit.relevance(0) == Approx(0.5341201461).epsilon(1e-9));
    options.beta = 2;
    const L2gfs other = l2gfs(data, {from_rows({1, 4})}, options, Control());
    CHECK(other.fit.local_weights(0, 0) == Approx(0.7733333333).epsilon(1e-9));
    CHECK(other.fit.local_weights(1, 1) == Approx(0.1442424242).epsilon(1e-9));
  }
  SECTION("never lets the objective rise and keeps every link, on 400 random problems") {
    int rises = 0, unsettled = 0, broken = 0;
    for (const double beta : {-2.0, -0.1, 1.5, 4.0}) {
      for (int trial = 0; trial < 100; ++trial) {
        const Eigen::MatrixXd r = noise(18 + trial % 9, 4, 100 + trial);
        std::vector<int> code(static_cast<std::size_t>(r.rows()), -1);
        if (trial % 3) {
          for (int i = 0; i < 8; ++i) code[i] = i % 3;
        }
        Problem random = problem_of(r, code, trial % 3 ? 3 : 0);
        if (trial % 2) {
          random.constraints.must_link = {{9, 10}, {10, 11}};
          random.constraints.cannot_link = {{9, 12}, {12, 13}, {13, 14}};
        }
        options.beta = beta;
        const L2gfs fit = l2gfs(random, {from_rows({0, 1, 2})}, options, Control());
        const std::vector<double>& Q = fit.fit.objective;
        for (std::size_t t = 1; t < Q.size(); ++t) rises += Q[t] > Q[t - 1] * (1 + 1e-12);
        unsettled += !fit.fit.converged;
        const Constraints pairs = close_constraints(r.rows(), random.y, random.constraints).pairs();
        for (const Pair& ml : pairs.must_link) {
          broken += fit.fit.cluster[ml.first] != fit.fit.cluster[ml.second];
        }
        for (const Pair& cl : pairs.cannot_link) {
          broken += fit.fit.cluster[cl.first] == fit.fit.cluster[cl.second];
        }
        CHECK((fit.fit.local_weights.rowwise().sum().array() - 1).abs().maxCoeff() < 1e-12);
      }
    }
    CHECK(rises == 0);
    CHECK(unsettled == 0);
    CHECK(broken == 0);
  }
  SECTION("ranks first by relevance what is constant within the classes") {
    Eigen::MatrixXd r = noise(40, 5, 3);
    std::vector<int> code(40);
    for (int i = 0; i < 40; ++i) {
      code[i] = i % 2;
      r(i, 2) = 6.0 * (i % 2) + 0.1;
    }
    const L2gfs fit = l2gfs(problem_of(r, code, 2), {from_rows({0, 1})}, options, Control());
    Index best;
    fit.relevance.maxCoeff(&best);
    CHECK(best == 2);
    CHECK(fit.pure_order == std::vector<Index>{2});
    options.tau = 0;
    const L2gfs printed = l2gfs(problem_of(r, code, 2), {from_rows({0, 1})}, options, Control());
    CHECK(printed.fit.local_weights.col(2).isZero(0));
    CHECK(printed.pure_order == std::vector<Index>{2});
  }
  SECTION("gives the same bits for any number of threads") {
    const Eigen::MatrixXd r = noise(700, 13, 5);
    std::vector<int> code(700, -1);
    for (int i = 0; i < 60; ++i) code[7 * i] = i % 3;
    const Problem large = problem_of(r, code, 3);
    Control two;
    two.threads = 2;
    const std::vector<ClusterStart> starts = {from_rows({0, 1, 2}), from_rows({3, 9, 8})};
    const L2gfs a = l2gfs(large, starts, options, Control());
    const L2gfs b = l2gfs(large, starts, options, two);
    CHECK(a.weights == b.weights);
    CHECK(a.fit.cluster == b.fit.cluster);
    CHECK(a.fit.objective == b.fit.objective);
  }
  SECTION("names contradictory rows") {
    Problem wrong = problem_of(x);
    wrong.constraints.must_link = {{0, 1}, {1, 2}};
    wrong.constraints.cannot_link = {{0, 2}};
    CHECK_THROWS_WITH(l2gfs(wrong, {from_rows({1, 4})}, options, Control()),
                      Catch::Contains("Rows 1 and 3"));
  }
}
