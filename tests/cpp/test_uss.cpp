#include <catch2/catch.hpp>

#include "core/select/universum/uss.hpp"
#include "worked_example.hpp"

using namespace semiselect;

TEST_CASE("uss", "[universum]") {
  const WorkedExample example;
  const Control control;
  const Problem problem = make_problem(example.x);
  const FeatureMatrix universum = FeatureMatrix::dense(example.universum);
  UniversumOptions options;
  SparsityOptions weights;

  SECTION("agrees with the worked example") {
    const Eigen::VectorXd s = uss(problem, universum, options, weights, control).statistic;
    CHECK(s(0) == Approx(-30.30082467).epsilon(1e-9));
    CHECK(s(1) == Approx(-36.56104673).epsilon(1e-9));
    CHECK(s(2) == Approx(-12.13662939).epsilon(1e-9));
  }
  SECTION("without weight on the Universum -SS-1 is left") {
    options.alpha = options.beta = 0;
    const Eigen::VectorXd s = uss(problem, universum, options, weights, control).statistic;
    CHECK(s.isApprox(-sparsity(problem, weights, control).selection.statistic, 1e-15));
  }
}
