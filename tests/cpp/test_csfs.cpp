#include <catch2/catch.hpp>

#include "core/select/constraints/csfs.hpp"
#include "examples.hpp"

using namespace semiselect;

TEST_CASE("csfs", "[constraints]") {
  CsfsOptions options;
  options.graph.k = 2;
  options.neighborhood = Neighborhood::knn;
  options.select = false;
  SECTION("public example, all constraints, both rules") {
    const Csfs corrected = csfs(examples::eight_by_three_problem(), options, Control());
    CHECK(corrected.selection.statistic(0) == Approx(0.02809340713).epsilon(1e-9));
    CHECK(corrected.selection.statistic(1) == Approx(0.04669133652).epsilon(1e-9));
    CHECK(corrected.selection.statistic(2) == Approx(0.1430157444).epsilon(1e-9));
    options.conflict = Conflict::printed;
    const Csfs printed = csfs(examples::eight_by_three_problem(), options, Control());
    CHECK(printed.selection.statistic(0) == Approx(0.01540520498).epsilon(1e-9));
    CHECK(printed.selection.statistic(1) == Approx(0.04669133652).epsilon(1e-9));
    CHECK(printed.selection.statistic(2) == Approx(0.08073577375).epsilon(1e-9));
  }
  SECTION("as printed nothing is left where the clusters are the classes") {
    Eigen::MatrixXd x(8, 2);
    x << 0, 0, 1, 0, 0, 1, 1, 1, 20, 20, 21, 20, 20, 21, 21, 21;
    Problem data = examples::eight_by_three_problem();
    data.x = data.z = FeatureMatrix::dense(x);
    data.y.code = {0, 0, 0, 0, 1, 1, 1, 1};
    data.constant.assign(2, false);
    options.neighborhood = Neighborhood::cluster;
    for (const EdgeWeight weights : {EdgeWeight::heat, EdgeWeight::binary}) {
      options.graph.weights = weights;
      options.conflict = Conflict::printed;
      CHECK(csfs(data, options, Control()).clusters == 2);
      CHECK(csfs(data, options, Control()).selection.statistic.isZero(0));
      options.conflict = Conflict::corrected;
      CHECK(csfs(data, options, Control()).selection.statistic.minCoeff() > 0);
    }
  }
}
