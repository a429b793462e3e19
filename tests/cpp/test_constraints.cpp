#include <catch2/catch.hpp>

#include "core/data/constraints.hpp"

using namespace semiselect;

TEST_CASE("constraints are closed", "[data]") {
  SECTION("must-links join, cannot-links are lifted") {
    Constraints given;
    given.must_link = {{0, 1}, {1, 2}, {4, 5}};
    given.cannot_link = {{2, 4}, {0, 7}};
    const LinkGroups links = close_constraints(9, Labels(), given);
    CHECK_FALSE(links.contradiction);
    CHECK(links.groups == 3);
    CHECK(links.group == std::vector<int>{0, 0, 0, -1, 1, 1, -1, 2, -1});
    const Constraints pairs = links.pairs();
    CHECK(pairs.must_link == std::vector<Pair>{{0, 1}, {0, 2}, {1, 2}, {4, 5}});
    CHECK(pairs.cannot_link == std::vector<Pair>{{0, 4}, {0, 5}, {0, 7}, {1, 4}, {1, 5}, {1, 7},
                                                 {2, 4}, {2, 5}, {2, 7}});
    CHECK(links.must_link_count() == 4);
    CHECK(links.cannot_link_count() == 9);
  }
  SECTION("labels and pairs are joined") {
    Labels y;
    y.code = {0, 1, -1, 0};
    y.classes = 2;
    Constraints given;
    given.must_link = {{1, 2}};
    const Constraints pairs = close_constraints(4, y, given).pairs();
    CHECK(pairs.must_link == std::vector<Pair>{{0, 3}, {1, 2}});
    CHECK(pairs.cannot_link == std::vector<Pair>{{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  }
  SECTION("a contradiction is named, also one between labels") {
    Constraints given;
    given.must_link = {{0, 1}, {1, 2}};
    given.cannot_link = {{0, 2}};
    CHECK(close_constraints(3, Labels(), given).contradiction == Pair(0, 2));
    Labels y;
    y.code = {0, -1, 1};
    y.classes = 2;
    given.cannot_link.clear();
    CHECK(close_constraints(3, y, given).contradiction == Pair(0, 2));
  }
}
