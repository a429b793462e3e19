#include <catch2/catch.hpp>

#include "core/select/universum/uls.hpp"
#include "worked_example.hpp"

using namespace semiselect;

TEST_CASE("uls", "[universum]") {
  const WorkedExample example;
  const Control control;
  const Problem problem = make_problem(example.x);
  const FeatureMatrix universum = FeatureMatrix::dense(example.universum);
  UniversumOptions options;
  GraphOptions graph;
  graph.k = 2;

  SECTION("agrees with the worked example") {
    const Eigen::VectorXd l = uls(problem, universum, options, graph, control).statistic;
    CHECK(l(0) == Approx(-21.22294768).epsilon(1e-9));
    CHECK(l(1) == Approx(-27.02904063).epsilon(1e-9));
    CHECK(l(2) == Approx(-9.711978145).epsilon(1e-9));
  }
  SECTION("without weight on the Universum -2 LS is left") {
    options.alpha = options.beta = 0;
    const Eigen::VectorXd l = uls(problem, universum, options, graph, control).statistic;
    CHECK(l(0) == Approx(-2 * 0.1809182826).epsilon(1e-9));
    CHECK(l(1) == Approx(-2 * 0.3547980921).epsilon(1e-9));
    CHECK(l(2) == Approx(-2 * 0.7101557392).epsilon(1e-9));
  }
  SECTION("the storage of neither matrix matters") {
    const SparseCopy rows(example.x), others(example.universum);
    const Problem scaled = make_problem(example.x, Scale::range);
    const Problem sparse = rows.problem(Scale::range);
    const Eigen::VectorXd dense =
        uls(scaled, universum.scaled_as(scaled.z), options, graph, control).statistic;
    CHECK(uls(sparse, others.view().scaled_as(sparse.z), options, graph, control)
              .statistic.isApprox(dense, 1e-12));
  }
}
