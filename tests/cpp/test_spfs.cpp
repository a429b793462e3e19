#include <catch2/catch.hpp>

#include "core/graph/row_products.hpp"
#include "core/optim/dense.hpp"
#include "core/run/rng.hpp"
#include "core/select/graph/spfs.hpp"
#include "worked_example.hpp"

using namespace semiselect;

namespace {

const Control control;

Eigen::MatrixXd unit_columns(Eigen::MatrixXd x) {
  x.rowwise() -= x.colwise().mean().eval();
  for (Index c = 0; c < x.cols(); ++c) x.col(c).normalize();
  return x;
}

Eigen::MatrixXd class_similarity(const Labels& y) {
  const Index n = static_cast<Index>(y.code.size());
  const std::vector<Index> sizes = y.class_sizes();
  Eigen::MatrixXd k = Eigen::MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      if (y.code[i] == y.code[j]) k(i, j) = 1 / static_cast<double>(sizes[y.code[i]]);
    }
  }
  return k;
}

SpfsOptions with(SpfsSearch search, Similarity similarity = Similarity::classes) {
  SpfsOptions options;
  options.search = search;
  options.similarity = similarity;
  return options;
}

Labels thirds(Index n) {
  Labels y;
  for (Index i = 0; i < n; ++i) y.code.push_back(static_cast<int>(i % 3));
  y.classes = 3;
  return y;
}

}  // namespace

TEST_CASE("spfs", "[graph]") {
  const WorkedExample example;
  const Problem worked = make_problem(example.x, Scale::none, example.all);

  SECTION("agrees with the worked example") {
    SpfsOptions options = with(SpfsSearch::forward);
    options.n_features = 3;
    const Selection forward = spfs(worked, options, control).selection;
    CHECK(forward.order == std::vector<Index>{0, 1, 2});
    CHECK(forward.statistic(0) == Approx(0.7194244604).epsilon(1e-9));
    CHECK(forward.statistic(1) == Approx(0.2936781010).epsilon(1e-9));
    CHECK(forward.statistic(2) == Approx(-0.1584386846).epsilon(1e-9));
    CHECK(forward.selected == std::vector<int>{1, 1, 0});
    options.search = SpfsSearch::lar;
    const Selection lar = spfs(worked, options, control).selection;
    CHECK(lar.order == std::vector<Index>{0, 1, 2});
    CHECK(lar.statistic(0) == Approx(1));
    CHECK(lar.statistic(1) == Approx(0.6182151778).epsilon(1e-9));
    CHECK(lar.statistic(2) == Approx(0.1900740387).epsilon(1e-9));
    options.search = SpfsSearch::nesterov;
    options.rho = 0.3;
    const SpfsFit lasso = spfs(worked, options, control);
    CHECK(lasso.selection.converged);
    CHECK(lasso.selection.statistic(0) == Approx(0.5294762990).epsilon(1e-8));
    CHECK(lasso.selection.statistic(1) == Approx(0.2056506393).epsilon(1e-8));
    CHECK(lasso.selection.statistic(2) == 0);
  }

  SECTION("forward minimizes what is left of the similarity, step by step") {
    const Eigen::MatrixXd x = examples::gaussian(30, 12, 5);
    const Eigen::MatrixXd z = unit_columns(x);
    for (const bool rbf : {false, true}) {
      const Problem data = make_problem(x, Scale::standardize, thirds(30));
      SpfsOptions options = with(SpfsSearch::forward, rbf ? Similarity::rbf : Similarity::classes);
      options.n_features = 5;
      const Selection got = spfs(data, options, control).selection;
      Eigen::MatrixXd left = rbf ? rbf_similarity(data.z, Bandwidth::median, 0, 1, control).s
                                 : class_similarity(data.y);
      std::vector<Index> picked;
      for (int step = 0; step < 5; ++step) {
        Index best = -1;
        double least = 0;
        for (Index r = 0; r < 12; ++r) {
          if (std::count(picked.begin(), picked.end(), r)) continue;
          const double error = (left - z.col(r) * z.col(r).transpose()).squaredNorm();
          if (best < 0 || error < least) best = r, least = error;
        }
        picked.push_back(best);
        CHECK(got.order[step] == best);
        CHECK(got.statistic(best) == Approx(z.col(best).dot(left * z.col(best))));
        left -= z.col(best) * z.col(best).transpose();
      }
      for (std::size_t e = 5; e < 12; ++e) {
        const Index r = got.order[e];
        CHECK(got.statistic(r) == Approx(z.col(r).dot(left * z.col(r))));
        if (e > 5) CHECK(got.statistic(got.order[e - 1]) >= got.statistic(r));
      }
    }
  }

  SECTION("nesterov satisfies the optimality conditions of its lasso") {
    const Eigen::MatrixXd x = examples::gaussian(25, 60, 8);
    const Eigen::MatrixXd z = unit_columns(x);
    for (const bool rbf : {false, true}) {
      for (const double rho : {0.05, 0.3}) {
        const Problem data = make_problem(x, Scale::standardize, thirds(25));
        SpfsOptions options =
            with(SpfsSearch::nesterov, rbf ? Similarity::rbf : Similarity::classes);
        options.rho = rho;
        const SpfsFit fit = spfs(data, options, control);
        CHECK(fit.selection.converged);
        CHECK(fit.gap < 1e-10);
        // The weights themselves, from their support by gradient steps on the same problem.
        const Eigen::MatrixXd k = rbf ? rbf_similarity(data.z, Bandwidth::median, 0, 1, control).s
                                      : class_similarity(data.y);
        const SymmetricEigen eigen = eigen_symmetric(k);
        const Eigen::MatrixXd y = eigen.vectors * eigen.values.cwiseMax(0).cwiseSqrt().asDiagonal();
        const double lambda = rho * (z.transpose() * y).rowwise().norm().maxCoeff();
        CHECK(fit.lambda == Approx(lambda).epsilon(1e-8));
        const double bound = eigenvalues_symmetric(z.transpose() * z).maxCoeff();
        Eigen::MatrixXd w = Eigen::MatrixXd::Zero(60, y.cols()), momentum = w;
        double t = 1;
        for (int step = 0; step < 20000; ++step) {
          Eigen::MatrixXd next = momentum + z.transpose() * (y - z * momentum) / bound;
          for (Index r = 0; r < 60; ++r) {
            const double size = next.row(r).norm();
            next.row(r) *= size > lambda / bound ? 1 - lambda / bound / size : 0;
          }
          const bool restart = (momentum - next).cwiseProduct(next - w).sum() > 0;
          const double longer = restart ? 1 : 0.5 * (1 + std::sqrt(1 + 4 * t * t));
          momentum = next + (restart ? 0 : (t - 1) / longer) * (next - w);
          t = longer;
          w = next;
        }
        CHECK(fit.selection.statistic.isApprox(w.rowwise().norm(), 1e-6));
      }
    }
  }

  SECTION("lar keeps the active features equally correlated, and above all others") {
    const Eigen::MatrixXd x = examples::gaussian(40, 15, 12);
    const Eigen::MatrixXd z = unit_columns(x);
    for (const bool rbf : {false, true}) {
      const Problem data = make_problem(x, Scale::standardize, thirds(40));
      SpfsOptions options = with(SpfsSearch::lar, rbf ? Similarity::rbf : Similarity::classes);
      options.n_features = 15;
      const Selection got = spfs(data, options, control).selection;
      const Eigen::MatrixXd k = rbf ? rbf_similarity(data.z, Bandwidth::median, 0, 1, control).s
                                    : class_similarity(data.y);
      const SymmetricEigen eigen = eigen_symmetric(k);
      const Eigen::MatrixXd y = eigen.vectors * eigen.values.cwiseMax(0).cwiseSqrt().asDiagonal();
      const double first = (z.transpose() * y).rowwise().norm().maxCoeff();
      Eigen::MatrixXd fitted = Eigen::MatrixXd::Zero(40, y.cols());
      for (Index size = 1; size < 15; ++size) {
        // From the entry of feature `size` to that of the next: (1 - gamma) is the ratio of levels.
        Eigen::MatrixXd active(40, size);
        for (Index e = 0; e < size; ++e) active.col(e) = z.col(got.order[e]);
        const double now = got.statistic(got.order[size - 1]),
                     next = got.statistic(got.order[size]);
        const Eigen::MatrixXd goal = active * least_squares(active, y);
        fitted += (1 - next / now) * (goal - fitted);
        const Eigen::VectorXd c = (z.transpose() * (y - fitted)).rowwise().norm() / first;
        for (Index e = 0; e <= size; ++e) CHECK(c(got.order[e]) == Approx(next).epsilon(1e-8));
        CHECK(c.maxCoeff() <= next * (1 + 1e-8));
      }
    }
  }

  SECTION("a copy of an active feature enters at once and changes nothing") {
    Eigen::MatrixXd x = examples::gaussian(30, 5, 3);
    Eigen::MatrixXd twice(30, 6);
    twice << x, -2 * x.col(1);
    SpfsOptions options = with(SpfsSearch::lar);
    options.n_features = 6;
    const Selection plain =
        spfs(make_problem(x, Scale::none, thirds(30)), options, control).selection;
    const Selection copied =
        spfs(make_problem(twice, Scale::none, thirds(30)), options, control).selection;
    CHECK(copied.statistic.head(5).isApprox(plain.statistic, 1e-9));
    CHECK(copied.statistic(5) == Approx(plain.statistic(1)));
  }

  SECTION("columns that are constant over the labelled rows come last, without a score") {
    Eigen::MatrixXd x(8, 4);
    x << Eigen::VectorXd::Unit(8, 2), example.x;
    Labels few = example.all;
    few.code[2] = unlabelled;
    for (const SpfsSearch search : {SpfsSearch::forward, SpfsSearch::lar}) {
      const Selection got =
          spfs(make_problem(x, Scale::none, few), with(search), control).selection;
      CHECK(got.order.back() == 0);
      CHECK(std::isnan(got.score(0)));
      CHECK(std::isnan(got.statistic(0)));
    }
  }

  SECTION("does not depend on the storage or the number of threads") {
    Eigen::MatrixXd x = examples::gaussian(50, 20, 14);
    x = (x.array() > 0.5).select(x, 0);
    const SparseCopy copy(x);
    Control two;
    two.threads = 2;
    for (const SpfsSearch search : {SpfsSearch::forward, SpfsSearch::nesterov, SpfsSearch::lar}) {
      for (const Similarity similarity : {Similarity::classes, Similarity::rbf}) {
        SpfsOptions options = with(search, similarity);
        options.n_features = 8;
        const Problem dense = make_problem(x, Scale::standardize, thirds(50));
        const Selection one = spfs(dense, options, control).selection;
        const Selection other =
            spfs(copy.problem(Scale::standardize, thirds(50)), options, control).selection;
        CHECK(other.order == one.order);
        CHECK(other.statistic.isApprox(one.statistic, 1e-7));
        CHECK(spfs(dense, options, two).selection.statistic == one.statistic);
      }
    }
  }
}
