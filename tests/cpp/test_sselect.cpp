#include <catch2/catch.hpp>

#include "core/select/graph/sselect.hpp"
#include "worked_example.hpp"

using namespace semiselect;

TEST_CASE("sselect", "[graph]") {
  const WorkedExample example;
  const Control control;
  SselectOptions options;
  options.graph.k = 2;
  const Problem problem = make_problem(example.x, Scale::none, example.few);

  SECTION("agrees with the worked example") {
    const Eigen::VectorXd s = sselect(problem, options, control).statistic;
    CHECK(s(0) == Approx(0.01809182826).epsilon(1e-9));
    CHECK(s(1) == Approx(0.03547980921).epsilon(1e-9));
    CHECK(s(2) == Approx(0.6599827470).epsilon(1e-9));
  }
  SECTION("eta = 1 is the Laplacian score, whatever the labels") {
    options.eta = 1;
    const Eigen::VectorXd s = sselect(problem, options, control).statistic;
    const Eigen::VectorXd ls =
        laplacian_ratio(problem.x, neighbor_graph(problem.z, options.graph, control), control);
    CHECK(s.isApprox(ls, 1e-14));
  }
  SECTION("one class or none leaves eta LS + 1 - eta") {
    const Eigen::VectorXd none = sselect(make_problem(example.x), options, control).statistic;
    const Labels one{{0, 0, -1, -1, 0, -1, -1, -1}, 1};
    const Eigen::VectorXd single =
        sselect(make_problem(example.x, Scale::none, one), options, control).statistic;
    CHECK(none(0) == Approx(0.1 * 0.1809182826 + 0.9).epsilon(1e-9));
    CHECK(single.isApprox(none, 1e-15));
  }
  SECTION("does not depend on the storage") {
    const SparseCopy copy(example.x);
    CHECK(sselect(copy.problem(Scale::none, example.few), options, control)
              .statistic.isApprox(sselect(problem, options, control).statistic, 1e-12));
  }
}

TEST_CASE("normalized information", "[graph]") {
  Eigen::MatrixXd counts(2, 2);
  counts << 3, 0, 0, 2;
  CHECK(normalized_information(counts) == Approx(1));
  counts << 2, 2, 1, 1;
  CHECK(std::abs(normalized_information(counts)) < 1e-15);
  counts << 4, 1, 0, 0;  // one side has no entropy
  CHECK(normalized_information(counts) == 0);
  // By hand: joint 2/4, 1/4, 1/4; H = 0.5623351446 and ln 2 ... I = H(a) + H(b) - H(a, b).
  counts << 2, 1, 0, 1;
  const double ha = -(0.75 * std::log(0.75) + 0.25 * std::log(0.25)), hb = std::log(2.0);
  const double joint = -(0.5 * std::log(0.5) + 2 * 0.25 * std::log(0.25));
  CHECK(normalized_information(counts) == Approx((ha + hb - joint) / std::sqrt(ha * hb)));
}
