#include <catch2/catch.hpp>

#include "core/select/graph/lsdf.hpp"
#include "examples.hpp"

using namespace semiselect;

TEST_CASE("lsdf", "[graph]") {
  // rows 1, 2 of class a, row 3 of class b, row 4 unlabelled; edges 1-3 (dropped) and 3-4
  Eigen::MatrixXd x(4, 2);
  x << 0, 1, 1, 1, 3, 4, 5, 4;
  const Problem data = examples::problem(x, {0, 0, 1, -1}, 2);
  LsdfOptions options;
  options.gamma = 10;
  options.graph.given = make_graph(4, {{0, 2, 5.0}, {2, 3, 0.5}});
  const Eigen::VectorXd s = lsdf(data, options, Control()).statistic;
  CHECK(s(0) == Approx((9.0 + 4) / (10 * 1 + 0.5 * 4)));
  CHECK(std::isinf(s(1)));
}
