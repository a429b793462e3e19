#include <catch2/catch.hpp>

#include <cmath>

#include "core/data/group_statistics.hpp"
#include "core/data/matrix.hpp"
#include "examples.hpp"
#include "storage.hpp"

using namespace semiselect;

TEST_CASE("feature matrix", "[data]") {
  Eigen::MatrixXd x = examples::eight_by_three();
  x.conservativeResize(8, 4);
  x.col(3).setConstant(2.5);
  const Sparse copy(x);
  const Scale scales[] = {Scale::none, Scale::standardize, Scale::range, Scale::unit};

  SECTION("scales as promised") {
    const Eigen::MatrixXd z = FeatureMatrix::dense(x).scaled(Scale::standardize).to_dense();
    CHECK(z.col(0).sum() == Approx(0).margin(1e-14));
    CHECK(z.col(0).squaredNorm() == Approx(7));
    CHECK(z.col(3).isZero(0));
    const Eigen::MatrixXd r = FeatureMatrix::dense(x).scaled(Scale::range).to_dense();
    CHECK(r.col(2).minCoeff() == 0);
    CHECK(r.col(2).maxCoeff() == 1);
    CHECK(r.col(3).isZero(0));
    const Eigen::MatrixXd u = FeatureMatrix::dense(x).scaled(Scale::unit).to_dense();
    for (Index i = 0; i < 8; ++i) CHECK(u.row(i).norm() == Approx(1));
  }
  SECTION("gives the same for dense and sparse storage under every scaling") {
    const Eigen::MatrixXd v = Eigen::MatrixXd::Random(4, 2), u = Eigen::MatrixXd::Random(8, 3);
    for (const Scale scale : scales) {
      const FeatureMatrix dense = FeatureMatrix::dense(x).scaled(scale);
      const FeatureMatrix sparse = copy.view().scaled(scale);
      const Eigen::MatrixXd z = dense.to_dense();
      for (const FeatureMatrix& m : {dense, sparse}) {
        CHECK(m.to_dense().isApprox(z, 1e-14));
        CHECK(m.times(v).isApprox(z * v, 1e-13));
        CHECK(m.transposed_times(u).isApprox(z.transpose() * u, 1e-13));
        CHECK(m.row(5).isApprox(z.row(5).transpose(), 1e-14));
        CHECK(m.rows({6, 1, 1}).to_dense().row(2).isApprox(z.row(1), 1e-14));
        CHECK(m.columns({2, 0}).to_dense().col(0).isApprox(z.col(2), 1e-14));
        std::vector<double> block(8 * 3);
        m.block_by_rows(1, 3, block.data(), 3);
        CHECK(block[4 * 3 + 1] == Approx(z(4, 2)));
      }
    }
  }
  SECTION("keeps the row divisor of rows that are all zero at one") {
    Eigen::MatrixXd zero = x;
    zero.row(0).setZero();
    CHECK(FeatureMatrix::dense(zero).scaled(Scale::unit).to_dense().row(0).isZero(0));
  }
  SECTION("reports what is not finite, and constant columns") {
    Eigen::MatrixXd bad = x;
    bad(4, 1) = NAN;
    bad(2, 2) = INFINITY;
    const ColumnReport report = report_columns(FeatureMatrix::dense(bad));
    CHECK(report.not_finite == 2);
    CHECK(report.first_column == 1);
    CHECK(report.first_row == 4);
    CHECK(report_columns(copy.view()).constant == std::vector<bool>{false, false, false, true});
  }
}

TEST_CASE("group moments", "[data]") {
  const Eigen::MatrixXd x = examples::eight_by_three();
  const Sparse copy(x);
  const RowGroups groups({0, 1, -1, 1, 0, 0, -1, 1}, 2);
  const Eigen::VectorXd weights = Eigen::VectorXd::LinSpaced(8, 1, 2);
  GroupMoments m;
  for (const FeatureMatrix& f : {FeatureMatrix::dense(x), copy.view()}) {
    group_moments(f, 0, groups, Eigen::VectorXd(), m);
    CHECK(m.mean(0) == Approx(10.0 / 3));       // rows 1, 5, 6: 0, 6, 4
    CHECK(m.squares(0) == Approx(56.0 / 3));
    group_moments(f, 0, groups, weights, m);
    double w = 0, sum = 0, squares = 0;
    for (const int i : {1, 3, 7}) w += weights(i), sum += weights(i) * x(i, 0);
    for (const int i : {1, 3, 7}) squares += weights(i) * std::pow(x(i, 0) - sum / w, 2);
    CHECK(m.weight(1) == Approx(w));
    CHECK(m.mean(1) == Approx(sum / w));
    CHECK(m.squares(1) == Approx(squares));
  }
}
