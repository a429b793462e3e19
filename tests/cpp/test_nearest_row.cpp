#include <catch2/catch.hpp>

#include "core/graph/nearest_row.hpp"

using namespace semiselect;

TEST_CASE("nearest_rows", "[graph]") {
  Eigen::MatrixXd train(4, 2);
  train << 0, 0,
           0, 5,
           0, 0,
           3, 1;
  Eigen::MatrixXd test(3, 2);
  test << 0, 4,
          3, 0,
          1, 0;

  SECTION("worked by hand, size after size, ties to the lower row") {
    const std::vector<Index> expected = {0, 3, 0, 1, 3, 0};
    CHECK(nearest_rows(train, test, {1, 2}, Control()) == expected);
  }
  SECTION("more rows than one block, any number of threads") {
    const Eigen::MatrixXd many = Eigen::MatrixXd::Random(100, 2);
    Control two;
    two.threads = 2;
    const std::vector<Index> found = nearest_rows(train, many, {2}, Control());
    CHECK(found == nearest_rows(train, many, {2}, two));
    for (Index i = 0; i < many.rows(); ++i) {
      Index nearest = 0;
      (train.rowwise() - many.row(i)).rowwise().squaredNorm().minCoeff(&nearest);
      CHECK(found[static_cast<std::size_t>(i)] == nearest);
    }
  }
  SECTION("no test row gives nothing") {
    CHECK(nearest_rows(train, Eigen::MatrixXd(0, 2), {1, 2}, Control()).empty());
  }
}
