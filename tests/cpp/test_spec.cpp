#include <catch2/catch.hpp>

#include "core/graph/row_products.hpp"
#include "core/optim/dense.hpp"
#include "core/optim/lanczos.hpp"
#include "core/run/errors.hpp"
#include "core/run/rng.hpp"
#include "core/select/graph/spec.hpp"
#include "worked_example.hpp"

using namespace semiselect;

namespace {

const Control control;

SpecOptions with(int phi, double r, Similarity similarity = Similarity::rbf) {
  SpecOptions options;
  options.phi = phi;
  options.r = r;
  options.similarity = similarity;
  options.graph.k = 2;
  return options;
}

Eigen::VectorXd score(const Problem& problem, const SpecOptions& options) {
  return spec(problem, options, control).selection.statistic;
}

// The definition, through all eigenvectors of N.
Eigen::VectorXd naive(const Eigen::MatrixXd& x, const Eigen::MatrixXd& s, int phi, double r,
                      Index m) {
  const Index n = x.rows();
  const Eigen::VectorXd d = s.rowwise().sum();
  Eigen::MatrixXd normalized = Eigen::MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      if (d(i) > 0 && d(j) > 0) {
        normalized(i, j) = (i == j ? 1 : 0) - s(i, j) / std::sqrt(d(i) * d(j));
      }
    }
  }
  const Eigen::VectorXd first = d.cwiseSqrt() / std::sqrt(d.sum());
  const SymmetricEigen rest = eigen_symmetric(normalized + 3 * first * first.transpose());
  Eigen::VectorXd out(x.cols());
  for (Index c = 0; c < x.cols(); ++c) {
    Eigen::VectorXd h = d.cwiseSqrt().cwiseProduct(x.col(c));
    h /= h.norm();
    const Eigen::VectorXd a2 = (rest.vectors.leftCols(n - 1).transpose() * h).cwiseAbs2();
    const Eigen::VectorXd l = rest.values.head(n - 1).cwiseMax(0);
    double sum = 0;
    for (Index j = 0; j < (phi == 3 ? m - 1 : n - 1); ++j) {
      sum += phi == 3 ? (std::pow(2.0, r) - std::pow(l(j), r)) * a2(j) : std::pow(l(j), r) * a2(j);
    }
    out(c) = phi == 2 ? sum / a2.sum() : sum;
  }
  return out;
}

}  // namespace

TEST_CASE("spec", "[graph]") {
  const WorkedExample example;
  const Problem problem = make_problem(example.x);

  SECTION("agrees with the worked example") {
    const SpecFit fit = spec(problem, with(1, 1), control);
    CHECK(fit.bandwidth == Approx(29));
    CHECK(fit.selection.statistic(0) == Approx(0.1962435969).epsilon(1e-9));
    CHECK(fit.selection.statistic(1) == Approx(0.2204837867).epsilon(1e-9));
    CHECK(fit.selection.statistic(2) == Approx(0.06875901815).epsilon(1e-9));
    const Eigen::VectorXd fourth = score(problem, with(2, 4));
    CHECK(fourth(0) == Approx(0.05532206177).epsilon(1e-9));
    CHECK(fourth(1) == Approx(0.1969349116).epsilon(1e-9));
    CHECK(fourth(2) == Approx(0.2439585124).epsilon(1e-9));
    SpecOptions third = with(3, 1);
    third.n_eigen = 3;
    const Eigen::VectorXd low = score(problem, third);
    CHECK(low(0) == Approx(0.6910203816).epsilon(1e-9));
    CHECK(low(1) == Approx(0.4396428470).epsilon(1e-9));
    CHECK(low(2) == Approx(0.1015370532).epsilon(1e-9));
  }

  SECTION("is the sum over eigenvectors for every phi, r and similarity") {
    const Eigen::MatrixXd x = examples::gaussian(25, 6, 4);
    Labels y;
    for (int i = 0; i < 25; ++i) y.code.push_back(i % 5 == 4 ? unlabelled : i % 3);
    y.classes = 3;
    const Problem data = make_problem(x, Scale::standardize, y);
    const Eigen::MatrixXd rbf = rbf_similarity(data.z, Bandwidth::median, 0, 5, control).s;
    GraphOptions graph;
    graph.k = 2;
    const Eigen::MatrixXd knn = neighbor_graph(data.z, graph, control).w;
    for (const int phi : {1, 2, 3}) {
      for (const double r : {1.0, 2.0, 3.0, 4.0, 1.5}) {
        CHECK(score(data, with(phi, r)).isApprox(naive(x, rbf, phi, r, 3), 1e-9));
        CHECK(score(data, with(phi, r, Similarity::knn)).isApprox(naive(x, knn, phi, r, 3), 1e-9));
      }
    }
    // Rows without a label have degree 0: every eigenvalue is 0 (3 classes, 5 rows) or 1.
    Eigen::MatrixXd classes = Eigen::MatrixXd::Zero(25, 25);
    const std::vector<Index> sizes = y.class_sizes();
    for (Index i = 0; i < 25; ++i) {
      for (Index j = 0; j < 25; ++j) {
        if (y.is_labelled(i) && y.code[i] == y.code[j]) {
          classes(i, j) = 1 / static_cast<double>(sizes[y.code[i]]);
        }
      }
    }
    for (const double r : {1.0, 2.0, 1.5}) {
      CHECK(
          score(data, with(1, r, Similarity::classes)).isApprox(naive(x, classes, 1, r, 8), 1e-9));
      CHECK(
          score(data, with(2, r, Similarity::classes)).isApprox(naive(x, classes, 2, r, 8), 1e-9));
      CHECK(
          score(data, with(3, r, Similarity::classes)).isApprox(naive(x, classes, 3, r, 8), 1e-9));
      SpecOptions all = with(3, r, Similarity::classes);
      all.n_eigen = 9;  // the first eigenvalue 1: all of them
      CHECK(score(data, all).isApprox(naive(x, classes, 3, r, 25), 1e-9));
    }
  }

  SECTION("phi 2 with r = 1 is the Laplacian score and ignores the origin") {
    const Eigen::VectorXd ls =
        laplacian_ratio(problem.x, neighbor_graph(problem.z, with(2, 1).graph, control), control);
    CHECK(score(problem, with(2, 1, Similarity::knn)).isApprox(ls, 1e-14));
    const Problem moved = make_problem((example.x.array() + 1e6).matrix());
    CHECK(score(moved, with(2, 1)).isApprox(score(problem, with(2, 1)), 1e-8));
    CHECK_FALSE(score(moved, with(1, 1)).isApprox(score(problem, with(1, 1)), 0.1));
  }

  SECTION("a constant column: no phi 2, phi 1 and phi 3 exactly 0") {
    Eigen::MatrixXd x(8, 4);
    x << example.x, Eigen::VectorXd::Constant(8, 0.1);
    const Problem data = make_problem(x);
    CHECK(std::isnan(score(data, with(2, 1))(3)));
    CHECK(score(data, with(1, 1))(3) == 0);
    CHECK(score(data, with(3, 1))(3) == 0);
  }

  SECTION("does not depend on the storage or the number of threads") {
    Eigen::MatrixXd x = examples::gaussian(30, 9, 8).cwiseMax(0);
    x.leftCols(4) = (x.leftCols(4).array() > 1.2).select(x.leftCols(4), 0);
    x.col(5).setZero();  // nothing stored
    const SparseCopy copy(x);
    Control two;
    two.threads = 2;
    for (const int phi : {1, 2, 3}) {
      for (const double r : {1.0, 2.0}) {
        const Eigen::VectorXd dense = score(make_problem(x, Scale::standardize), with(phi, r));
        const Eigen::VectorXd sparse = score(copy.problem(Scale::standardize), with(phi, r));
        const Eigen::VectorXd threads =
            spec(make_problem(x, Scale::standardize), with(phi, r), two).selection.statistic;
        CHECK(std::isnan(dense(5)));
        CHECK(std::isnan(sparse(5)));
        for (const Index c : {0, 1, 2, 3, 4, 6, 7, 8}) {
          CHECK(sparse(c) == Approx(dense(c)).epsilon(1e-9));
          CHECK(threads(c) == dense(c));
        }
      }
    }
  }

  SECTION("the whole eigenspace counts on a disconnected graph") {
    // Two pairs and a triangle: the eigenvalue 0 three times, so phi 3 with m = 2 takes both
    // vectors beside v_1, and an indicator of a component lies in them.
    SpecOptions options = with(3, 1, Similarity::knn);
    options.graph.given =
        make_graph(7, {{0, 1, 1.0}, {2, 3, 1.0}, {4, 5, 1.0}, {4, 6, 1.0}, {5, 6, 1.0}});
    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(7, 2);
    x.col(0).head(2).setOnes();
    x.col(1) << 1, -1, 0, 0, 0, 0, 0;
    const SpecFit fit = spec(make_problem(x), options, control);
    // h'h = 1, (v_1'h)^2 = 2 / 10: what lies in the eigenspace is 0.8, times gamma(2) = 2.
    CHECK(fit.selection.statistic(0) == Approx(1.6));
    CHECK(std::abs(fit.selection.statistic(1)) < 1e-12);
  }

  SECTION("local bandwidth: the distances to the k-th neighbor, those of the worked example") {
    const Eigen::MatrixXd d = all_squared_distances(problem.z, control);
    const RbfSimilarity local = rbf_similarity(problem.z, Bandwidth::local, 0, 2, control);
    Eigen::VectorXd squares(8);
    squares << 5, 11, 14, 8, 14, 12, 12, 50;
    for (Index i = 0; i < 8; ++i) {
      for (Index j = 0; j < 8; ++j) {
        CHECK(d(i, j) == Approx((example.x.row(i) - example.x.row(j)).squaredNorm()).margin(1e-12));
        CHECK(local.s(i, j) ==
              Approx(i == j ? 1 : std::exp(-d(i, j) / std::sqrt(squares(i) * squares(j)))));
      }
    }
  }

  SECTION("says so when every similarity vanishes") {
    SpecOptions options = with(2, 1);
    options.graph.bandwidth = Bandwidth::number;
    options.graph.bandwidth_value = 1e-6;
    CHECK_THROWS_AS(spec(problem, options, control), InputError);
  }
}

TEST_CASE("spec by Lanczos agrees with the dense solver", "[graph]") {
  const Index n = spec_dense_rows + 60;
  Eigen::MatrixXd x = examples::gaussian(n, 4, 21);
  x.topRows(n / 2).array() += 6;  // two far groups: the neighbor graph falls apart
  const Problem data = make_problem(x);
  SpecOptions options = with(3, 1, Similarity::knn);
  options.graph.k = 4;
  const Graph graph = neighbor_graph(data.z, options.graph, control);
  for (const int m : {2, 5}) {
    options.n_eigen = m;
    const SpecFit fit = spec(data, options, control);
    CHECK(fit.selection.converged);
    CHECK(fit.selection.statistic.isApprox(naive(x, Eigen::MatrixXd(graph.w), 3, 1, m), 1e-7));
  }
  const Eigen::MatrixXd rbf = rbf_similarity(data.z, Bandwidth::median, 0, 5, control).s;
  options = with(3, 2);
  options.n_eigen = 4;
  CHECK(spec(data, options, control).selection.statistic.isApprox(naive(x, rbf, 3, 2, 4), 1e-7));
}

TEST_CASE("lowest eigenpairs", "[optim]") {
  // A known spectrum with a threefold and a twofold eigenvalue, rotated.
  const Index n = 300;
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(n, 1, 2);
  values.head(6) << 0.1, 0.1, 0.1, 0.4, 0.6, 0.6;
  const SymmetricEigen basis = eigen_symmetric([&] {
    Eigen::MatrixXd a = examples::gaussian(n, n, 2);
    return Eigen::MatrixXd(a + a.transpose());
  }());
  const Eigen::MatrixXd a = basis.vectors * values.asDiagonal() * basis.vectors.transpose();
  const auto apply = [&](const Eigen::VectorXd& v) { return Eigen::VectorXd(a * v); };
  LanczosOptions options;
  options.norm = 2;

  const LanczosResult five =
      lowest_eigenpairs(n, apply, 5, Eigen::MatrixXd(), 1e-10, options, control);
  REQUIRE(five.values.size() == 6);  // the twin of the fifth comes along
  CHECK(five.converged);
  CHECK(five.values.isApprox(values.head(6), 1e-10));
  CHECK((a * five.vectors - five.vectors * five.values.asDiagonal()).norm() < 1e-9);
  CHECK((five.vectors.transpose() * five.vectors - Eigen::MatrixXd::Identity(6, 6)).norm() < 1e-12);

  const LanczosResult beyond =
      lowest_eigenpairs(n, apply, 2, basis.vectors.leftCols(3), 0, options, control);
  CHECK(beyond.values(0) == Approx(0.4));
  CHECK(beyond.values(1) == Approx(0.6));
}
