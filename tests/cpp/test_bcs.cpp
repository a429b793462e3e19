#include <catch2/catch.hpp>

#include "core/select/constraints/bcs.hpp"
#include "examples.hpp"

using namespace semiselect;

TEST_CASE("bcs", "[constraints]") {
  // Must-links (1, 2), (4, 5); cannot-links (1, 4), (1, 5), (2, 4), (2, 5).
  SECTION("one bag with every pair once gives the ranks of the constraint score") {
    const Bcs one = bcs(examples::eight_by_three_problem(), Eigen::MatrixXd::Ones(2, 1), Eigen::MatrixXd::Ones(4, 1),
                        {}, Control());
    CHECK(one.selection.statistic == Eigen::Vector3d(2, 1, 3));  // CS1 0.058, 0, 0.333
    CHECK(one.share == Eigen::Vector3d(0, 1, 0));
  }
  SECTION("counts weigh the pairs") {
    // Second bag: only (1, 2) and (1, 4): CS1 = 1/16, 0/16, 4/0.
    Eigen::MatrixXd near(2, 2), far(4, 2);
    near << 1, 2, 1, 0;
    far << 1, 4, 1, 0, 1, 0, 1, 0;
    const Bcs two = bcs(examples::eight_by_three_problem(), near, far, {}, Control());
    CHECK(two.selection.statistic == Eigen::Vector3d(2, 1, 3));
    BcsOptions vote;
    vote.best = 2;
    vote.vote = true;
    const Bcs voted = bcs(examples::eight_by_three_problem(), near, far, vote, Control());
    CHECK(voted.vote == std::vector<int>{0, 0, 0, 1, 1, 1, 1, 1});
  }
}
