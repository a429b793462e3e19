#include "core/select/margin/senfs.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "core/run/rng.hpp"
#include "core/select/margin/drsvm.hpp"

using namespace semiselect;

namespace {

// Two clouds along the first two columns; `labels` rows of each class are labelled.
struct Toy {
  Eigen::MatrixXd x;
  std::vector<int> code;
};

Toy toy(Index n, Index p, Index labels, std::uint64_t seed, int classes = 2) {
  Rng rng(seed, 1);
  Toy out;
  out.x.resize(n, p);
  for (Index i = 0; i < n; ++i) {
    const int c = static_cast<int>(i % classes);
    for (Index j = 0; j < p; ++j) {
      out.x(i, j) = rng.normal() + (j % classes == c && j < 2 * classes ? 1.5 : 0);
    }
    out.code.push_back(i < labels * classes ? c : unlabelled);
  }
  return out;
}

Problem as_problem(const Toy& data, Scale scale = Scale::standardize) {
  Problem out;
  out.x = FeatureMatrix::dense(data.x.data(), data.x.rows(), data.x.cols());
  out.z = out.x.scaled(scale);
  out.y.code = data.code;
  out.y.classes = 1 + *std::max_element(data.code.begin(), data.code.end());
  out.constant = report_columns(out.x).constant;
  return out;
}

// F once more, from its definition.
double naive_objective(const Problem& problem, const SenfsOptions& o, const MarginFit& fit) {
  const Eigen::MatrixXd z = problem.z.to_dense();
  double sum = fit.lambda1 * fit.t.lpNorm<1>() + fit.lambda2 / 2 * fit.t.squaredNorm();
  for (Index i = 0; i < z.rows(); ++i) {
    const double g = z.row(i).dot(fit.t) + fit.intercept_scaled;
    const int c = problem.y.code[static_cast<std::size_t>(i)];
    sum += c == unlabelled
               ? o.cost_unlabelled * std::min(1 - o.s, std::max(0.0, 1 - std::abs(g)))
               : o.cost * std::max(0.0, 1 - (c == 1 ? g : -g));
  }
  return sum;
}

}  // namespace

TEST_CASE("senfs never lies below, and mostly at, the optimum over all assignments", "[margin]") {
  int exact = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Toy data = toy(11, 4, 3, seed);
    const Problem problem = as_problem(data);
    SenfsOptions o;
    o.cost_unlabelled = 0.5;
    o.lambda1 = {0.5};
    o.lambda2 = 1;
    const SenfsFit fit = senfs(problem, o, Control());
    const MarginFit& best = fit.by_class.front();
    REQUIRE(best.converged);
    CHECK(naive_objective(problem, o, best) == Approx(best.objective).epsilon(1e-9));

    // min F = min over e in {-1, 0, 1}^u of the convex problem plus C* (1 - s) per ignored row.
    const Index u = 5;
    const Eigen::VectorXd m = problem.z.to_dense().bottomRows(u).colwise().mean();
    Eigen::VectorXd nominal = Eigen::VectorXd::Constant(11, 1);
    nominal.tail(u).setConstant(0.5);
    const ElasticNetSvm svm(problem.z, nominal, m, {}, o.lambda2);
    double lowest = 1e300;
    for (int code = 0; code < 243; ++code) {
      HingeRows rows;
      rows.sign = Eigen::VectorXd::Ones(11);
      rows.weight = nominal;
      double ignored = 0;
      for (Index i = 0; i < 6; ++i) rows.sign(i) = data.code[i] == 1 ? 1 : -1;
      for (Index k = 0, rest = code; k < u; ++k, rest /= 3) {
        if (rest % 3 == 0) {
          rows.weight(6 + k) = 0;
          ignored += o.cost_unlabelled * (1 - o.s);
        } else {
          rows.sign(6 + k) = rest % 3 == 1 ? 1 : -1;
        }
      }
      ElasticNetSvmState state;
      lowest = std::min(lowest, svm.solve(rows, 0.5, state, {}, Control()).primal + ignored);
    }
    CHECK(best.objective >= lowest * (1 - 1e-9));
    CHECK(best.objective <= lowest * 1.15);
    if (best.objective <= lowest * (1 + 1e-6)) ++exact;
  }
  CHECK(exact >= 4);
}

TEST_CASE("senfs keeps the balance, descends and ends at a fixed point", "[margin]") {
  const Toy data = toy(60, 40, 3, 3);
  const Problem problem = as_problem(data);
  SenfsOptions o;
  const SenfsFit fit = senfs(problem, o, Control());
  const MarginFit& f = fit.by_class.front();
  REQUIRE(f.converged);
  double mean = 0;
  for (Index i = 6; i < 60; ++i) mean += f.g(i) / 54;
  CHECK(mean == Approx(f.r).margin(1e-10));
  for (std::size_t k = 1; k < f.trace.size(); ++k) {
    CHECK(f.trace[k] <= f.trace[k - 1] * (1 + 1e-6));
  }
  CHECK(f.trace.back() == f.objective);
  CHECK(*std::min_element(f.objective_by_start.begin(), f.objective_by_start.end()) ==
        Approx(f.objective).epsilon(1e-6));

  o.starts = {SenfsStart::given};
  for (Index i = 6; i < 60; ++i) {
    o.given.push_back(std::abs(f.g(i)) <= o.s ? 0 : f.g(i) > 0 ? 1 : -1);
  }
  const SenfsFit again = senfs(problem, o, Control());
  CHECK((again.by_class.front().t - f.t).cwiseAbs().maxCoeff() < 1e-10);

  // Optimality conditions of the last convex problem.
  for (Index j = 0; j < 40; ++j) {
    if (f.t(j) == 0) {
      CHECK(std::abs(f.v(j)) <= f.lambda1 * (1 + 1e-6));
    } else {
      CHECK(f.lambda2 * f.t(j) ==
            Approx(f.v(j) - std::copysign(f.lambda1, f.t(j))).margin(1e-7 * f.lambda2));
    }
  }
}

TEST_CASE("senfs is the same for any number of threads, classes and paths included", "[margin]") {
  const Toy data = toy(45, 12, 3, 8, 3);
  const Problem problem = as_problem(data);
  SenfsOptions o;
  o.path = true;
  o.n_lambda = 6;
  Control two;
  two.threads = 2;
  const SenfsFit a = senfs(problem, o, Control());
  const SenfsFit b = senfs(problem, o, two);
  REQUIRE(a.by_class.size() == 3);
  for (std::size_t c = 0; c < 3; ++c) {
    CHECK(a.by_class[c].t == b.by_class[c].t);
    CHECK(a.by_class[c].path_objective == b.by_class[c].path_objective);
  }
  CHECK(a.selection.order == b.selection.order);
  CHECK(a.by_class[0].path_selected.front() == 0);
  CHECK(a.by_class[0].path_selected.back() > 0);
}

TEST_CASE("senfs stops when told to, on one and on two threads", "[margin]") {
  const Toy data = toy(60, 40, 3, 3);
  const Problem problem = as_problem(data);
  struct Stop {};
  for (const int threads : {1, 2}) {
    Control control;
    control.threads = threads;
    int calls = 0;
    control.check_interrupt = [&calls] {
      if (++calls > 60) throw Stop();
    };
    CHECK_THROWS_AS(senfs(problem, SenfsOptions(), control), Stop);
  }
}

TEST_CASE("the proximal operator of the clipped loss is the global minimizer", "[margin]") {
  for (const double s : {0.0, 0.3, 0.8}) {
    for (const double c : {0.05, 0.4, 1.0, 3.0}) {
      for (double v = -2.5; v <= 2.5; v += 0.043) {
        const auto value = [&](double z) {
          return c * std::min(1 - s, std::max(0.0, 1 - std::abs(z))) + (z - v) * (z - v) / 2;
        };
        double lowest = 1e300;
        for (double z = -4; z <= 4; z += 0.001) lowest = std::min(lowest, value(z));
        CHECK(value(prox_clipped_loss(v, c, s)) <= lowest + 1e-12);
      }
    }
  }
}
