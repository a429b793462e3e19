#include <catch2/catch.hpp>

#include "core/optim/gram_lasso.hpp"
#include "core/run/rng.hpp"
#include "core/select/universum/sparsity.hpp"
#include "worked_example.hpp"

using namespace semiselect;

namespace {

// Largest violation of the optimality conditions of row i, relative to lambda.
double violation(const Eigen::MatrixXd& z, const SparseWeights& s, Index i, double rho) {
  const Eigen::MatrixXd gram = z * z.transpose();
  double lambda = 0;
  for (Index j = 0; j < z.rows(); ++j) {
    if (j != i) lambda = std::max(lambda, rho * std::abs(gram(i, j)));
  }
  Eigen::VectorXd weight = Eigen::VectorXd::Zero(z.rows());
  for (const auto& entry : s.entries[static_cast<std::size_t>(i)])
    weight(entry.first) = entry.second;
  REQUIRE(weight(i) == 0);
  const Eigen::VectorXd slope = gram.col(i) - gram * weight;
  double worst = 0;
  for (Index j = 0; j < z.rows(); ++j) {
    if (j == i) continue;
    const double gap = weight(j) == 0 ? std::max(std::abs(slope(j)) - lambda, 0.0)
                                      : std::abs(slope(j) - (weight(j) > 0 ? lambda : -lambda));
    worst = std::max(worst, gap / lambda);
  }
  return worst;
}

Eigen::MatrixXd with_constant(const Eigen::MatrixXd& z) {
  Eigen::MatrixXd out(z.rows(), z.cols() + 1);
  out << z, Eigen::VectorXd::Ones(z.rows());
  return out;
}

}  // namespace

TEST_CASE("sparsity", "[universum]") {
  const WorkedExample example;
  const Control control;
  SparsityOptions options;

  SECTION("agrees with the worked example") {
    const Eigen::VectorXd s =
        sparsity(make_problem(example.x, Scale::standardize), options, control).selection.statistic;
    CHECK(s(0) == Approx(0.6710240782).epsilon(1e-9));
    CHECK(s(1) == Approx(0.6164890022).epsilon(1e-9));
    CHECK(s(2) == Approx(0.4471025413).epsilon(1e-9));
  }
  SECTION("solves its lasso, more columns than rows and fewer, with and without the constant") {
    for (const Index p : {5, 60}) {
      for (const bool affine : {true, false}) {
        options.affine = affine;
        const Eigen::MatrixXd x = examples::gaussian(40, p, 11);
        const SparseWeights s = sparse_weights(FeatureMatrix::dense(x), Labels(), options, control);
        CHECK(s.converged);
        double worst = 0;
        for (Index i = 0; i < 40; ++i) {
          worst = std::max(worst, violation(affine ? with_constant(x) : x, s, i, options.rho));
        }
        CHECK(worst < 1e-8);
      }
    }
  }
  SECTION("copes with identical and with zero rows") {
    Eigen::MatrixXd x = examples::gaussian(12, 6, 3);
    x.row(7) = x.row(2);
    x.row(8) = x.row(2);
    x.row(10).setZero();
    options.affine = false;
    const SparseWeights s = sparse_weights(FeatureMatrix::dense(x), Labels(), options, control);
    CHECK(s.converged);
    CHECK(s.entries[10].empty());
    for (Index i = 0; i < 12; ++i) {
      if (i != 10) CHECK(violation(x, s, i, options.rho) < 1e-8);
    }
  }
  SECTION("rho >= 1 represents nothing, so that SS-1 is the sum of squares") {
    options.rho = 1;
    const Problem problem = make_problem(example.x);
    CHECK(sparsity(problem, options, control)
              .selection.statistic.isApprox(example.x.colwise().squaredNorm().transpose(), 1e-14));
  }
  SECTION("does not change its weights with the unit of all data") {
    options.affine = false;
    const Eigen::MatrixXd x = examples::gaussian(20, 8, 5);
    const SparseWeights a = sparse_weights(FeatureMatrix::dense(x), Labels(), options, control);
    const SparseWeights b =
        sparse_weights(FeatureMatrix::dense(Eigen::MatrixXd(1000 * x)), Labels(), options, control);
    for (std::size_t i = 0; i < 20; ++i) {
      REQUIRE(a.entries[i].size() == b.entries[i].size());
      for (std::size_t e = 0; e < a.entries[i].size(); ++e) {
        CHECK(a.entries[i][e].second == Approx(b.entries[i][e].second).epsilon(1e-9));
      }
    }
  }
  SECTION("supervised: rows of the same class only, a class of one row by nothing") {
    options.supervised = true;
    const Labels y{{0, 0, 0, 1, 1, 1, -1, 2}, 3};
    const SparsityFit fit = sparsity(make_problem(example.x, Scale::none, y), options, control);
    CHECK(fit.weights.rows == std::vector<Index>{0, 1, 2, 3, 4, 5, 7});
    CHECK(fit.weights.entries[6].empty());
    for (std::size_t e = 0; e < 6; ++e) {
      for (const auto& entry : fit.weights.entries[e]) {
        CHECK(entry.first / 3 == fit.weights.rows[e] / 3);
      }
    }
  }
  SECTION("SS-2 is SS-1 over the variance, and the storage does not matter") {
    const Problem problem = make_problem(example.x, Scale::range);
    const Eigen::VectorXd first = sparsity(problem, options, control).selection.statistic;
    const SparseCopy copy(example.x);
    CHECK(sparsity(copy.problem(Scale::range), options, control)
              .selection.statistic.isApprox(first, 1e-10));
    options.variant = 2;
    const Eigen::MatrixXd z = problem.z.to_dense();
    const Eigen::VectorXd variance =
        (z.rowwise() - z.colwise().mean()).colwise().squaredNorm().transpose() / 8;
    CHECK(sparsity(problem, options, control)
              .selection.statistic.isApprox(first.cwiseQuotient(variance), 1e-12));
  }
}
