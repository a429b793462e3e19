#include <catch2/catch.hpp>

#include "core/cluster/cop_kmeans.hpp"
#include "core/cluster/mpc_kmeans.hpp"

using namespace semiselect;

namespace {

Eigen::MatrixXd line() {
  Eigen::MatrixXd x(6, 1);
  x << 0, 1, 2, 10, 11, 12;
  return x;
}

}  // namespace

TEST_CASE("cop_kmeans", "[cluster]") {
  const FeatureMatrix x = FeatureMatrix::dense(line());
  Eigen::MatrixXd centers(2, 1);
  centers << 0, 12;
  Constraints given;
  const auto run = [&] {
    return cop_kmeans(x, close_constraints(6, Labels(), given), centers, {}, 100, Control());
  };
  SECTION("is k-means without constraints") {
    const Clustering fit = run();
    CHECK(fit.cluster == std::vector<int>{0, 0, 0, 1, 1, 1});
    CHECK(fit.centroids(0, 0) == Approx(1));
    CHECK(fit.centroids(1, 0) == Approx(11));
    CHECK(fit.converged);
    CHECK(fit.iterations == 2);
  }
  SECTION("keeps the links: row 3 follows row 1, row 4 must leave it") {
    given.must_link = {{0, 3}};
    given.cannot_link = {{1, 3}};
    const Clustering fit = run();
    CHECK(fit.cluster[3] == fit.cluster[0]);
    CHECK(fit.cluster[1] != fit.cluster[3]);
  }
  SECTION("says which row found no cluster") {
    given.cannot_link = {{0, 1}, {0, 2}, {1, 2}};
    CHECK(run().failed == std::vector<int>{2, 0, 1});
  }
}

TEST_CASE("mpc_kmeans", "[cluster]") {
  SECTION("neighborhoods: the largest, then size times squared distance") {
    Constraints given;
    given.must_link = {{0, 1}, {3, 4}, {4, 5}};
    given.cannot_link = {{2, 3}};
    const LinkGroups links = close_constraints(6, Labels(), given);
    const Eigen::MatrixXd means = neighborhood_means(FeatureMatrix::dense(line()), links, 3);
    REQUIRE(means.rows() == 3);
    CHECK(means(0, 0) == Approx(11));
    CHECK(means(1, 0) == Approx(0.5));  // 2 * 10.5^2 against 1 * 9^2
    CHECK(means(2, 0) == Approx(2));
  }
  SECTION("one iteration by hand") {
    // Rows 0, 1, 2 in cluster 0, the rest in cluster 1: M = n_q / sum of squares = 3 / 2.
    Eigen::MatrixXd centers(2, 1);
    centers << 0, 12;
    const LinkGroups none = close_constraints(6, Labels(), Constraints());
    const Clustering fit =
        mpc_kmeans(FeatureMatrix::dense(line()), none, centers, {}, 1, Control());
    CHECK(fit.cluster == std::vector<int>{0, 0, 0, 1, 1, 1});
    CHECK(fit.metric(0, 0) == Approx(1.5));
    CHECK_FALSE(fit.converged);
  }
  SECTION("a violated cannot-link enters the metric") {
    // Rows 1, 2 (values 1, 2) are foes, far = 1, so in cluster 0 together they cost 0 more than
    // apart: row 2 stays, and den = 2 + (1 - 1) = 2.
    Eigen::MatrixXd centers(2, 1);
    centers << 0, 12;
    Constraints given;
    given.cannot_link = {{1, 2}};
    const LinkGroups links = close_constraints(6, Labels(), given);
    const Clustering fit =
        mpc_kmeans(FeatureMatrix::dense(line()), links, centers, {}, 1, Control());
    CHECK(fit.cluster == std::vector<int>{0, 0, 0, 1, 1, 1});
    CHECK(fit.metric(0, 0) == Approx(1.5));
  }
  SECTION("a mate pulls a row to its own cluster") {
    // Row 5 (12) is the mate of row 0 (0), which is in cluster 0. There it costs 144; in cluster 1
    // it costs 0.25 and the broken link, (144 + 144) / 2.
    Eigen::MatrixXd centers(2, 1);
    centers << 0, 12.5;
    Constraints given;
    given.must_link = {{0, 5}};
    const LinkGroups links = close_constraints(6, Labels(), given);
    const Clustering fit =
        mpc_kmeans(FeatureMatrix::dense(line()), links, centers, {}, 1, Control());
    CHECK(fit.cluster == std::vector<int>{0, 0, 0, 1, 1, 0});
  }
}
