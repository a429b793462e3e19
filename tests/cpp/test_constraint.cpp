#include <catch2/catch.hpp>

#include "core/run/errors.hpp"
#include "core/select/constraints/constraint.hpp"
#include "examples.hpp"

using namespace semiselect;

TEST_CASE("constraint", "[constraints]") {
  Problem data = examples::eight_by_three_problem();

  SECTION("equals the worked example") {
    const Eigen::VectorXd one = constraint(data, {1, 0.1}, Control()).statistic;
    CHECK(one(0) == Approx(0.05813953488).epsilon(1e-9));
    CHECK(one(1) == 0);
    CHECK(one(2) == Approx(1.0 / 3).epsilon(1e-9));
    const Eigen::VectorXd two = constraint(data, {2, 0.1}, Control()).statistic;
    CHECK(two(0) == Approx(-3.6));
    CHECK(two(1) == Approx(-6.4));
    CHECK(two(2) == Approx(5.6));
  }
  SECTION("the same pairs given one by one give the same sums") {
    Problem pairs = data;
    pairs.y = Labels();
    pairs.constraints.must_link = {{0, 1}, {3, 4}};
    pairs.constraints.cannot_link = {{0, 3}};  // the rest follows by transitivity
    CHECK(constraint(pairs, {1, 0.1}, Control())
              .statistic.isApprox(constraint(data, {1, 0.1}, Control()).statistic, 1e-14));
  }
  SECTION("needs both kinds of pairs for score 1, warns for score 2") {
    data.y.code = {0, 0, -1, -1, -1, -1, -1, -1};
    data.y.classes = 1;
    CHECK_THROWS_AS(constraint(data, {1, 0.1}, Control()), InputError);
    Control listening;
    int warnings = 0;
    listening.warn = [&](const std::string&) { ++warnings; };
    CHECK(constraint(data, {2, 0.1}, listening).statistic(0) == Approx(1));
    CHECK(warnings == 1);
  }
}
