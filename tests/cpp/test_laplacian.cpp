#include <catch2/catch.hpp>

#include <cmath>

#include "core/select/graph/laplacian.hpp"
#include "examples.hpp"
#include "storage.hpp"

using namespace semiselect;

namespace {

// 1 -- 2 -- 3, unit weights, D = diag(1, 2, 1)
GraphOptions path_of_three() {
  GraphOptions options;
  options.given = make_graph(3, {{0, 1, 1.0}, {1, 2, 1.0}});
  return options;
}

Eigen::VectorXd path_score(const Eigen::MatrixXd& x) {
  return laplacian(examples::problem(x, {}, 0), {path_of_three(), true}, Control()).statistic;
}

}  // namespace

TEST_CASE("laplacian", "[graph]") {
  Eigen::MatrixXd x(3, 4);
  x << 0, 1, 0, 7,
       1, 0, 0, 7,
       2, 1, 1, 7;

  SECTION("equals (2.6) worked by hand") {
    CHECK(path_score(x)(0) == Approx(1));
    CHECK(path_score(x)(1) == Approx(2));
    CHECK(path_score(x)(2) == Approx(4.0 / 3));
  }
  SECTION("gives a constant feature no score") { CHECK(std::isnan(path_score(x)(3))); }
  SECTION("ignores the unit and the origin of a feature") {
    const Eigen::MatrixXd moved = (-40 * x).array() + 3;
    CHECK(path_score(moved).head(3).isApprox(path_score(x).head(3), 1e-12));
  }
}

TEST_CASE("laplacian, worked example", "[graph]") {
  Problem data = examples::eight_by_three_problem();
  const Sparse sparse(examples::eight_by_three());
  const auto expect = [&](GraphOptions graph, double a, double b, double c) {
    graph.k = 2;
    const Eigen::VectorXd s = laplacian(data, {graph, false}, Control()).statistic;
    CHECK(s(0) == Approx(a).epsilon(1e-9));
    CHECK(s(1) == Approx(b).epsilon(1e-9));
    CHECK(s(2) == Approx(c).epsilon(1e-9));
    Problem stored = data;
    stored.x = stored.z = sparse.view();
    CHECK(laplacian(stored, {graph, false}, Control()).statistic.isApprox(s, 1e-13));
  };
  GraphOptions graph;
  expect(graph, 0.1809182826, 0.3547980921, 0.7101557392);
  graph.bandwidth = Bandwidth::local;
  expect(graph, 0.2136592228, 0.4587508160, 0.5937782901);
  graph.weights = EdgeWeight::binary;
  expect(graph, 0.3212061619, 0.5946337926, 0.6713109563);
}
