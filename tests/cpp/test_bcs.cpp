#include <catch2/catch.hpp>

#include "core/select/constraints/bcs.hpp"

using namespace semiselect;

namespace {

Problem public_example() {
  Eigen::MatrixXd x(8, 3);
  x << 0, 0, 5, 1, 0, 7, 0, 2, 4, 4, 4, 5, 6, 4, 3, 4, 5, 6, 2, 3, 8, 9, 1, 1;
  Problem data;
  data.x = data.z = FeatureMatrix::dense(x);
  data.y.code = {0, 0, -1, 1, 1, -1, -1, -1};
  data.y.classes = 2;
  data.constant.assign(3, false);
  return data;
}

}  // namespace

TEST_CASE("bcs", "[constraints]") {
  // Must-links (1, 2), (4, 5); cannot-links (1, 4), (1, 5), (2, 4), (2, 5).
  SECTION("one bag with every pair once gives the ranks of the constraint score") {
    const Bcs one = bcs(public_example(), Eigen::MatrixXd::Ones(2, 1), Eigen::MatrixXd::Ones(4, 1),
                        {}, Control());
    CHECK(one.selection.statistic == Eigen::Vector3d(2, 1, 3));  // CS1 0.058, 0, 0.333
    CHECK(one.share == Eigen::Vector3d(0, 1, 0));
  }
  SECTION("counts weigh the pairs") {
    // Second bag: only (1, 2) and (1, 4): CS1 = 1/16, 0/16, 4/0.
    Eigen::MatrixXd near(2, 2), far(4, 2);
    near << 1, 2, 1, 0;
    far << 1, 4, 1, 0, 1, 0, 1, 0;
    const Bcs two = bcs(public_example(), near, far, {}, Control());
    CHECK(two.selection.statistic == Eigen::Vector3d(2, 1, 3));
    BcsOptions vote;
    vote.best = 2;
    vote.vote = true;
    const Bcs voted = bcs(public_example(), near, far, vote, Control());
    CHECK(voted.vote == std::vector<int>{0, 0, 0, 1, 1, 1, 1, 1});
  }
}
