#include <catch2/catch.hpp>

#include <cmath>

#include "core/select/statistics/fisher.hpp"
#include "examples.hpp"
#include "storage.hpp"

using namespace semiselect;

TEST_CASE("fisher", "[statistics]") {
  const Problem data = examples::eight_by_three_problem();
  const auto score = [&](const Eigen::MatrixXd& m, FisherVariant variant) {
    return fisher(FeatureMatrix::dense(m), data.y, variant, Control()).statistic;
  };
  const Eigen::MatrixXd x = examples::eight_by_three();

  SECTION("equals the worked example") {
    const Eigen::VectorXd s = score(x, FisherVariant::multiclass);
    CHECK(s(0) == Approx(8.1).epsilon(1e-14));
    CHECK(s(1) == std::numeric_limits<double>::infinity());
    CHECK(s(2) == Approx(1).epsilon(1e-14));
  }
  SECTION("pairwise, worked by hand") {
    // feature 1: means 0.5 and 5, variances 0.25 and 1
    CHECK(score(x, FisherVariant::pairwise)(0) == Approx(4.5 * 4.5 / 1.25).epsilon(1e-14));
  }
  SECTION("a feature constant over the labelled rows has no score, whatever its value") {
    Eigen::MatrixXd m = x;
    for (const int i : {0, 1, 3, 4}) m(i, 0) = 0.1;
    CHECK(std::isnan(score(m, FisherVariant::multiclass)(0)));
    CHECK(std::isnan(score(m, FisherVariant::pairwise)(0)));
  }
  SECTION("sparse storage gives the same") {
    const Sparse sparse(x);
    const Eigen::VectorXd s =
        fisher(sparse.view(), data.y, FisherVariant::multiclass, Control()).statistic;
    CHECK(s(0) == Approx(8.1).epsilon(1e-14));
    CHECK(std::isinf(s(1)));
    CHECK(s(2) == Approx(1).epsilon(1e-14));
  }
}
