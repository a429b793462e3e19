#include <catch2/catch.hpp>

#include "core/select/constraints/constraint.hpp"
#include "core/select/constraints/sc4.hpp"
#include "core/select/graph/laplacian.hpp"
#include "examples.hpp"

using namespace semiselect;

TEST_CASE("sc4", "[constraints]") {
  const Problem data = examples::eight_by_three_problem();
  GraphOptions graph;
  graph.k = 2;
  const Eigen::VectorXd s = sc4(data, graph, Control()).statistic;

  SECTION("equals the worked example") {
    CHECK(s(0) == Approx(0.0105185048).epsilon(1e-8));
    CHECK(s(1) == 0);
    CHECK(s(2) == Approx(0.2367185797).epsilon(1e-9));
  }
  SECTION("is the product of the unsupervised Laplacian score and CS1") {
    const Eigen::VectorXd ls = laplacian(data, {graph, false}, Control()).statistic;
    const Eigen::VectorXd cs = constraint(data, {1, 0.1}, Control()).statistic;
    CHECK(s.isApprox(ls.cwiseProduct(cs), 1e-15));
  }
}
