#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "core/run/errors.hpp"
#include "core/run/rng.hpp"
#include "core/select/margin/fs_manifold.hpp"

using namespace semiselect;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

Problem problem_of(const MatrixXd& x, std::vector<int> code, int classes) {
  Problem problem;
  problem.x = FeatureMatrix::dense(x);
  problem.z = problem.x.scaled(Scale::none);
  problem.y.code = std::move(code);
  problem.y.classes = classes;
  problem.constant = report_columns(problem.x).constant;
  return problem;
}

GraphOptions neighbors(int k) {
  GraphOptions graph;
  graph.k = k;
  graph.metric = Metric::cosine;
  graph.weights = EdgeWeight::binary;
  return graph;
}

struct Toy {
  MatrixXd x;
  std::vector<int> code;
};

Toy toy(Index n, Index d, int classes, std::uint64_t seed) {
  Rng rng(seed, 0);
  Toy out{MatrixXd(n, d), std::vector<int>(static_cast<std::size_t>(n), unlabelled)};
  for (Index i = 0; i < n; ++i) {
    const int c = static_cast<int>(i % classes);
    for (Index j = 0; j < d; ++j) out.x(i, j) = rng.normal() + (j == c ? 2.5 : 0) + 3;
    if (i < n / 2) out.code[static_cast<std::size_t>(i)] = c;
  }
  return out;
}

// S_m of section 1, and the two bounds at tau = 0, from the definition.
double lower_bound(const MatrixXd& x, const VectorXd& y, const VectorXd& alpha, Index m) {
  const VectorXd u = alpha.cwiseProduct(y);
  VectorXd squares = (x.transpose() * u).cwiseAbs2();
  std::sort(squares.data(), squares.data() + squares.size(), std::greater<double>());
  return alpha.sum() - 0.5 * squares.head(m).sum();
}

}  // namespace

TEST_CASE("fs_manifold worked by hand", "[margin]") {
  // Two rows at +-(1, 1/2): u = (a, -a), squares (2a)^2 and a^2. One feature: the first, and
  // 2a - 2a^2 is 1/2 at a = 1/2. Both: 2a - 2.5 a^2 is 2/5 at a = 2/5.
  MatrixXd x(2, 2);
  x << 1, 0.5, -1, -0.5;
  const Problem problem = problem_of(x, {1, 0}, 2);
  FsManifoldOptions options;
  options.cost = 10;
  options.tau = 0;
  options.tol = 1e-10;
  options.n_features = 1;
  FsManifoldFit fit = fs_manifold(problem, neighbors(1), options, Control());
  CHECK(fit.upper == Approx(0.5).epsilon(1e-9));
  CHECK(fit.lower == Approx(0.5).epsilon(1e-9));
  CHECK(fit.p(0) == Approx(1).epsilon(1e-6));
  CHECK(fit.alpha(0, 0) == Approx(0.5).epsilon(1e-6));
  CHECK(fit.b(0) == Approx(0).margin(1e-9));
  CHECK(fit.selection.order == std::vector<Index>{0, 1});
  CHECK(fit.components == -1);
  // The SVM on the first column alone: w = 1.
  CHECK(fit.coefficients(0, 0) == Approx(1).epsilon(1e-9));
  CHECK(fit.coefficients(1, 0) == 0);

  options.n_features = 2;
  fit = fs_manifold(problem, neighbors(1), options, Control());
  CHECK(fit.upper == Approx(0.4).epsilon(1e-10));
  CHECK(fit.p.isApproxToConstant(1));
  CHECK(fit.trace.size() == 1);
  CHECK_FALSE(fit.note.empty());
}

TEST_CASE("fs_manifold returns bounds that can be checked from the definition", "[margin]") {
  const Toy data = toy(40, 30, 2, 3);
  const Problem problem = problem_of(data.x, data.code, 2);
  FsManifoldOptions options;
  options.n_features = 4;
  options.tau = 0;
  options.tol = 1e-8;
  options.max_iter = 500;
  const FsManifoldFit fit = fs_manifold(problem, neighbors(5), options, Control());
  CHECK(fit.selection.converged);
  CHECK(std::abs(fit.p.sum() - 4) <= 1e-9);
  CHECK(fit.p.minCoeff() >= 0);
  CHECK(fit.p.maxCoeff() <= 1);

  const MatrixXd labelled = data.x.topRows(20).rowwise() - data.x.colwise().mean();
  VectorXd y(20);
  for (Index i = 0; i < 20; ++i) y(i) = i % 2 == 1 ? 1 : -1;
  const VectorXd alpha = fit.alpha.col(0), bar = fit.alpha_bar.col(0);
  CHECK(std::abs(alpha.dot(y)) <= 1e-9 * fit.cost);
  CHECK(std::abs(bar.dot(y)) <= 1e-9 * fit.cost);
  CHECK(bar.minCoeff() >= 0);
  CHECK(bar.maxCoeff() <= fit.cost * (1 + 1e-12));
  CHECK(lower_bound(labelled, y, bar, 4) >= fit.lower * (1 - 1e-10));
  CHECK(lower_bound(labelled, y, alpha, 4) <= fit.upper * (1 + 1e-10));

  const VectorXd w = fit.p.asDiagonal() * (labelled.transpose() * alpha.cwiseProduct(y));
  CHECK((w - fit.w.col(0)).norm() <= 1e-10 * w.norm());
  const VectorXd f = labelled * w;
  double primal = 0.5 * alpha.cwiseProduct(y).dot(f);
  for (Index i = 0; i < 20; ++i) primal += fit.cost * std::max(0.0, 1 - y(i) * (f(i) - fit.b(0)));
  CHECK(primal == Approx(fit.upper).epsilon(1e-9));

  // Optimality in p: 1 above the m-th largest square, 0 below.
  VectorXd squares = (labelled.transpose() * alpha.cwiseProduct(y)).cwiseAbs2();
  VectorXd sorted = squares;
  std::sort(sorted.data(), sorted.data() + sorted.size(), std::greater<double>());
  for (Index j = 0; j < 30; ++j) {
    if (fit.p(j) > 1e-4) CHECK(squares(j) >= sorted(3) * (1 - 1e-2));
    if (fit.p(j) < 1 - 1e-4) CHECK(squares(j) <= sorted(3) * (1 + 1e-2));
  }
  for (std::size_t i = 1; i < fit.trace.size(); ++i) {
    CHECK(fit.trace[i].upper <= fit.trace[i - 1].upper);
    CHECK(fit.trace[i].lower >= fit.trace[i - 1].lower);
  }
}

TEST_CASE("fs_manifold: the exact kernel is the same from features and from rows", "[margin]") {
  // p > n, so that the first iterations go through n x n and the last through the active columns;
  // the value must lie above that of the bound at any tau with the same rho (section 1.1).
  const Toy data = toy(24, 40, 2, 5);
  const Problem problem = problem_of(data.x, data.code, 2);
  FsManifoldOptions options;
  options.n_features = 3;
  options.cost = 0.5;
  options.rho = 0.05;
  options.ridge = 0;
  options.tol = 1e-7;
  options.max_iter = 500;
  options.objective = FsObjective::exact;
  const FsManifoldFit exact = fs_manifold(problem, neighbors(6), options, Control());
  CHECK(exact.selection.converged);
  CHECK(exact.lower <= exact.upper);
  options.objective = FsObjective::bound;
  for (const double tau : {0.0, 0.2, 0.5, 0.8}) {
    options.tau = tau;
    const FsManifoldFit bound = fs_manifold(problem, neighbors(6), options, Control());
    CHECK(bound.lower <= exact.upper * (1 + 1e-6));
  }
}

TEST_CASE("fs_manifold: threads leave no trace, also for several classes", "[margin]") {
  const Toy data = toy(60, 25, 3, 7);
  const Problem problem = problem_of(data.x, data.code, 3);
  FsManifoldOptions options;
  options.n_features = 5;
  for (const FsMulticlass multiclass : {FsMulticlass::joint, FsMulticlass::separate}) {
    options.multiclass = multiclass;
    Control one, four;
    one.threads = 1;
    four.threads = 4;
    const FsManifoldFit a = fs_manifold(problem, neighbors(8), options, one);
    const FsManifoldFit b = fs_manifold(problem, neighbors(8), options, four);
    CHECK(a.p == b.p);
    CHECK(a.alpha == b.alpha);
    CHECK(a.coefficients == b.coefficients);
    CHECK(a.alpha.cols() == 3);
    CHECK(a.upper - a.lower <= 1e-3 * a.upper);
    std::vector<Index> best(a.selection.order.begin(), a.selection.order.begin() + 3);
    std::sort(best.begin(), best.end());
    CHECK(best == std::vector<Index>{0, 1, 2});
  }
}

TEST_CASE("fs_manifold needs columns that vary over the labelled rows", "[margin]") {
  MatrixXd x(4, 2);
  x << 1, 2, 1, 2, 5, 3, 7, 9;
  const Problem problem = problem_of(x, {0, 1, unlabelled, unlabelled}, 2);
  FsManifoldOptions options;
  options.n_features = 1;
  CHECK_THROWS_AS(fs_manifold(problem, neighbors(2), options, Control()), InputError);
  options.objective = FsObjective::exact;
  CHECK_THROWS_AS(fs_manifold(problem, neighbors(2), options, Control()), InputError);
}
