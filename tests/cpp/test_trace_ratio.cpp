#include <catch2/catch.hpp>

#include <cmath>

#include "core/select/graph/trace_ratio.hpp"

using namespace semiselect;

TEST_CASE("trace_ratio", "[graph]") {
  Eigen::VectorXd a(4), b(4);

  SECTION("exchanges features, by hand") {
    // lambda 0 takes column 0 (10 / 10 = 1), then 1 takes column 1: 6 / 2 = 3
    a << 10, 6, 1, 0;
    b << 10, 2, 1, 0;
    const Selection s = trace_ratio_search(a, b, 1);
    CHECK(s.objective == std::vector<double>{1, 3, 3});
    CHECK(s.statistic(0) == -20);
    CHECK(s.statistic(1) == 0);
    CHECK(s.statistic(2) == -2);
    CHECK(std::isnan(s.statistic(3)));
    CHECK(s.order.empty());
  }
  SECTION("breaks ties of an infinite ratio by the numerator") {
    a << 1, 2, 3, 4;
    b << 0, 0, 3, 1;
    const Selection s = trace_ratio_search(a, b, 1);
    CHECK(std::isinf(s.objective.back()));
    CHECK(s.order == std::vector<Index>{1, 0, 3, 2});
  }
}
