#include <catch2/catch.hpp>

#include "core/data/coherence.hpp"
#include "core/graph/spanning_tree.hpp"
#include "core/run/rng.hpp"

using namespace semiselect;

namespace {

Coherence of(const Eigen::MatrixXd& x, const Constraints& pairs,
             CoherenceRule rule = CoherenceRule::directional) {
  return coherence(FeatureMatrix::dense(x), pairs, rule, Control());
}

}  // namespace

TEST_CASE("coherence", "[constraints]") {
  SECTION("public example: labels a, a, -, b, b") {
    Eigen::MatrixXd x(8, 3);
    x << 0, 0, 5, 1, 0, 7, 0, 2, 4, 4, 4, 5, 6, 4, 3, 4, 5, 6, 2, 3, 8, 9, 1, 1;
    Constraints pairs;
    pairs.must_link = {{0, 1}, {3, 4}};
    pairs.cannot_link = {{0, 3}, {0, 4}, {1, 3}, {1, 4}};
    const Coherence found = of(x, pairs);
    CHECK(found.overall == 0.25);
    CHECK(found.must_link == std::vector<double>{0, 0.5});
    CHECK(found.cannot_link == std::vector<double>{0.5, 0, 0.5, 0});
    const Coherence mutual = of(x, pairs, CoherenceRule::mutual);
    CHECK((mutual.must_link[0] + mutual.must_link[1]) / 2 == Approx(mutual.overall));
  }
  SECTION("geometry in the plane: one must-link on the axis, one cannot-link each") {
    const auto zero = [](double ax, double ay, double bx, double by) {
      Eigen::MatrixXd x(4, 2);
      x << 0, 0, 2, 0, ax, ay, bx, by;
      Constraints pairs;
      pairs.must_link = {{0, 1}};
      pairs.cannot_link = {{2, 3}};
      return of(x, pairs).cannot_link[0];  // cannot-link projected on the must-link
    };
    CHECK(zero(1, 1, 3, 1) == 0);   // covers [1, 2]
    CHECK(zero(2, 1, 3, 5) == 1);   // touches the end
    CHECK(zero(-3, 0, 0, 1) == 1);  // touches the start
    CHECK(zero(1, 0, 1, 5) == 1);   // orthogonal
    CHECK(zero(5, 1, 3, 1) == 1);   // beyond the end
    CHECK(zero(-1, 2, 9, 2) == 0);  // covers all
  }
  SECTION("a shared end point: overlap exactly where the angle is acute") {
    Rng rng(1, 0);
    for (int trial = 0; trial < 100; ++trial) {
      Eigen::MatrixXd x(3, 4);
      for (Index s = 0; s < x.size(); ++s) x(s) = rng.normal();
      Constraints pairs;
      pairs.must_link = {{0, 1}};
      pairs.cannot_link = {{0, 2}};
      const bool acute = (x.row(1) - x.row(0)).dot(x.row(2) - x.row(0)) > 0;
      const Coherence found = of(x, pairs);
      CHECK(found.must_link[0] == (acute ? 0 : 1));
      CHECK(found.cannot_link[0] == (acute ? 0 : 1));
    }
  }
  SECTION("copies of a row make a point, on which nothing lies; far from the origin as well") {
    Eigen::MatrixXd x(4, 2);
    x << 1, 1, 1, 1, 0, 0, 2, 2;
    x.array() += 1e6;
    Constraints pairs;
    pairs.must_link = {{0, 1}};
    pairs.cannot_link = {{2, 3}};
    const Coherence found = of(x, pairs);
    CHECK(found.cannot_link[0] == 1);
    CHECK(found.must_link[0] == 1);  // a point covers nothing
  }
  SECTION("one kind alone has none, and everything is kept") {
    Constraints pairs;
    pairs.must_link = {{0, 1}};
    CHECK(std::isnan(of(Eigen::MatrixXd::Identity(3, 3), pairs).overall));
    CHECK(coherent_constraints(FeatureMatrix::dense(Eigen::MatrixXd::Identity(3, 3)), pairs,
                               CoherenceRule::directional, Control()).must_link.size() == 1);
  }
}

TEST_CASE("spanning tree", "[graph]") {
  SECTION("figure 3.6: order F4, F1, F3, F2, F5, F6; edges F4-F1, F4-F3, F2-F5 keep F4, F2, F6") {
    // Numbers are places: 0 = F4, 1 = F1, 2 = F3, 3 = F2, 4 = F5, 5 = F6.
    const std::vector<TreeEdge> tree = {{0, 1, 1}, {0, 2, 1}, {3, 4, 1}};
    CHECK(independent_nodes(6, tree, 0) == std::vector<int>{1, 0, 0, 1, 0, 1});
  }
  SECTION("ties go to the better node outside, then inside") {
    const std::vector<TreeEdge> tree = maximum_spanning_tree(4, [](Index, double* row) {
      std::fill_n(row, 4, 1.0);
    }, Control());
    for (int s = 0; s < 3; ++s) {
      CHECK(tree[s].from == 0);
      CHECK(tree[s].to == s + 1);
    }
  }
  SECTION("edges below the least weight do not count") {
    const std::vector<TreeEdge> tree = {{0, 1, 0.01}, {1, 2, 0.2}};
    CHECK(independent_nodes(3, tree, 0) == std::vector<int>{1, 0, 1});
    CHECK(independent_nodes(3, tree, 0.05) == std::vector<int>{1, 1, 0});
  }
  SECTION("mutual information of a perfect correlation is infinite") {
    CHECK(std::isinf(mutual_information(-1)));
    CHECK(mutual_information(0.5) == Approx(-0.5 * std::log(0.75)));
  }
}
