#include <catch2/catch.hpp>

#include "core/select/statistics/variance.hpp"
#include "examples.hpp"
#include "storage.hpp"

using namespace semiselect;

TEST_CASE("variance", "[statistics]") {
  const Eigen::MatrixXd x = examples::eight_by_three();
  const auto score = [](const Eigen::MatrixXd& m) {
    return variance(FeatureMatrix::dense(m), Control()).statistic;
  };

  SECTION("equals the worked example") {
    CHECK(score(x)(0) == Approx(8.6875).epsilon(1e-14));
    CHECK(score(x)(1) == Approx(3.234375).epsilon(1e-14));
    CHECK(score(x)(2) == Approx(4.359375).epsilon(1e-14));
  }
  SECTION("does not see the origin, and sees the unit squared") {
    CHECK(score(x.array() + 1e8).isApprox(score(x), 1e-12));
    CHECK(score(-3 * x).isApprox(9 * score(x), 1e-12));
  }
  SECTION("is the same for sparse storage under every scaling") {
    const Sparse sparse(x);
    for (const Scale scale : {Scale::none, Scale::range, Scale::standardize, Scale::unit}) {
      const FeatureMatrix dense = FeatureMatrix::dense(x).scaled(scale);
      CHECK(variance(sparse.view().scaled(scale), Control())
                .statistic.isApprox(variance(dense, Control()).statistic, 1e-12));
    }
  }
}
