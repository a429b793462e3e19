#include <catch2/catch.hpp>

#include "core/cluster/som.hpp"
#include "core/cluster/ward.hpp"
#include "core/run/rng.hpp"

using namespace semiselect;

namespace {

Eigen::MatrixXd noise(Index n, Index p, std::uint64_t seed) {
  Rng rng(seed, 0);
  Eigen::MatrixXd x(n, p);
  for (Index s = 0; s < x.size(); ++s) x(s) = rng.normal();
  for (Index j = 0; j < p; ++j) x.col(j) *= 1 + static_cast<double>(j % 5);
  return x;
}

}  // namespace

TEST_CASE("principal plane", "[cluster]") {
  for (const auto& size : {std::pair<Index, Index>{60, 7}, {9, 40}, {300, 250}, {5, 1}}) {
    const Eigen::MatrixXd x = noise(size.first, size.second, 2).array() + 100;
    const PrincipalPlane plane = principal_plane(FeatureMatrix::dense(x), Control());
    const Eigen::MatrixXd centred = x.rowwise() - x.colwise().mean();
    const Eigen::MatrixXd C = centred.transpose() * centred / static_cast<double>(x.rows());
    CHECK((C * plane.axis1 - plane.first * plane.axis1).norm() < 1e-9 * plane.first);
    CHECK((C * plane.axis2 - plane.second * plane.axis2).norm() < 1e-9 * plane.first);
    CHECK(plane.first >= plane.second);
    // Nothing outside is larger: the rest of C has no larger quotient along any axis tried.
    Eigen::MatrixXd rest = C - plane.first * plane.axis1 * plane.axis1.transpose() -
                           plane.second * plane.axis2 * plane.axis2.transpose();
    Eigen::VectorXd v = Eigen::VectorXd::Ones(x.cols());
    for (int step = 0; step < 500; ++step) {
      v = rest * v;
      if (v.norm() < 1e-9 * plane.first) break;
      v.normalize();
    }
    CHECK(v.dot(rest * v) <= plane.second * (1 + 1e-9) + 1e-9);
  }
}

TEST_CASE("som", "[cluster]") {
  SECTION("fewer than four rows are their own prototypes") {
    const Som map = som(FeatureMatrix::dense(noise(3, 2, 1)), Control());
    CHECK(map.prototypes == noise(3, 2, 1));
    CHECK(map.quantization_error == 0);
  }
  SECTION("is the same for any number of threads") {
    const Eigen::MatrixXd x = noise(400, 6, 1);
    Control two;
    two.threads = 2;
    const Som one_thread = som(FeatureMatrix::dense(x), Control());
    const Som two_threads = som(FeatureMatrix::dense(x), two);
    CHECK(one_thread.prototypes == two_threads.prototypes);
    CHECK(one_thread.a * one_thread.b == one_thread.prototypes.rows());
  }
  SECTION("labelled rows stay in front of the prototypes") {
    Problem data;
    const Eigen::MatrixXd x = noise(50, 3, 4);
    data.x = data.z = FeatureMatrix::dense(x);
    data.y.code.assign(50, unlabelled);
    data.y.code[7] = 0;
    data.y.code[30] = 1;
    data.y.classes = 2;
    data.constraints.cannot_link = {{7, 41}};
    data.constant.assign(3, false);
    const Problem small = compress_rows(data, Control());
    CHECK(small.x.row(0) == x.row(7).transpose());
    CHECK(small.x.row(1) == x.row(30).transpose());
    CHECK(small.x.row(2) == x.row(41).transpose());
    CHECK(small.y.code[0] == 0);
    CHECK(small.y.code[1] == 1);
    CHECK(small.y.code[2] == unlabelled);
    CHECK(small.constraints.cannot_link == std::vector<Pair>{{0, 2}});
    CHECK(small.x.n() == 3 + som(FeatureMatrix::dense(x).rows([] {
                               std::vector<Index> rows;
                               for (Index i = 0; i < 50; ++i) {
                                 if (i != 7 && i != 30 && i != 41) rows.push_back(i);
                               }
                               return rows;
                             }()), Control()).prototypes.rows());
  }
}

TEST_CASE("ward", "[cluster]") {
  SECTION("by hand: 0, 1, 10, 12 on a line") {
    Eigen::MatrixXd x(4, 1);
    x << 0, 1, 10, 12;
    const std::vector<Merge> merges = ward(FeatureMatrix::dense(x), Control());
    CHECK(merges[0].height == Approx(1));
    CHECK(merges[1].height == Approx(2));
    CHECK(merges[2].height == Approx(std::sqrt(2.0) * 10.5));  // 2 * 2 * 2 / 4 * 10.5^2
    CHECK(cut(merges, 4, 2) == std::vector<int>{0, 0, 1, 1});
    CHECK(cut(merges, 4, 3) == std::vector<int>{0, 0, 1, 2});
    CHECK(cut(merges, 4, 4) == std::vector<int>{0, 1, 2, 3});
    // Mean distances 0.5 and 1, centroids 10.5 apart.
    CHECK(davies_bouldin(FeatureMatrix::dense(x), merges, 2, Control())[0] == Approx(1.5 / 10.5));
  }
  SECTION("centroids and Lance-Williams give one hierarchy") {
    const Eigen::MatrixXd x = noise(60, 70, 8);
    Eigen::MatrixXd narrow = x.leftCols(59);
    Eigen::MatrixXd padded = Eigen::MatrixXd::Zero(60, 70);
    padded.leftCols(59) = narrow;
    const std::vector<Merge> a = ward(FeatureMatrix::dense(narrow), Control());
    const std::vector<Merge> b = ward(FeatureMatrix::dense(padded), Control());
    for (std::size_t s = 0; s < a.size(); ++s) CHECK(a[s].height == Approx(b[s].height));
    for (Index K = 2; K < 20; ++K) CHECK(cut(a, 60, K) == cut(b, 60, K));
  }
  SECTION("copies and few rows") {
    CHECK(ward_clusters(FeatureMatrix::dense(noise(3, 2, 1)), Control()) ==
          std::vector<int>{0, 0, 0});
    Eigen::MatrixXd same = Eigen::MatrixXd::Constant(9, 2, 3.0);
    CHECK(ward_clusters(FeatureMatrix::dense(same), Control()).size() == 9);
  }
}
