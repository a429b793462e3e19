#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/run/rng.hpp"
#include "core/select/bayes/jsfs.hpp"
#include "core/select/bayes/relevance_algebra.hpp"

using namespace semiselect;

namespace {

const Control control;

Eigen::MatrixXd random_matrix(Index rows, Index cols, std::uint64_t seed) {
  Rng rng(seed, 0);
  Eigen::MatrixXd out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = rng.normal();
  return out;
}

double sigma(double z) { return 1 / (1 + std::exp(-z)); }

// A problem with two classes: the first feature shifted, some rows without pseudo-label.
struct Toy {
  Eigen::MatrixXd x;
  Labels y;
  std::vector<int> target;
  std::vector<bool> labelled;
  std::vector<Index> columns;
  LinkedGraph graph;

  Toy(Index n, Index p, std::uint64_t seed) : x(random_matrix(n, p, seed)) {
    Rng rng(seed, 1);
    y.code.assign(static_cast<std::size_t>(n), unlabelled);
    y.classes = 2;
    target = y.code;
    labelled.assign(static_cast<std::size_t>(n), false);
    for (Index i = 0; i < n; ++i) {
      const std::size_t row = static_cast<std::size_t>(i);
      const int c = static_cast<int>(i % 2);
      x(i, 0) += 1.2 * c;
      if (i % 5 < 2) {
        y.code[row] = c;
        labelled[row] = true;
      }
      if (i % 11 != 7 || labelled[row])
        target[row] = rng.uniform() < 0.85 || labelled[row] ? c : 1 - c;
    }
    for (Index r = 0; r < p; ++r) columns.push_back(r);
    GraphOptions options;
    options.k = 3;
    options.weights = EdgeWeight::binary;
    graph = link_classes(neighbor_graph(FeatureMatrix::dense(x), options, control), y, 4);
  }
  Eigen::MatrixXd laplacian() const {
    return graph.laplacian_times(Eigen::MatrixXd(Eigen::MatrixXd::Identity(x.rows(), x.rows())));
  }
  RelevanceFit fit(const JsfsOptions& options) const {
    return fit_relevance(FeatureMatrix::dense(x), columns, graph, target, labelled, options,
                         control);
  }
};

// The page's steps (a) to (f), with every inverse formed.
struct Naive {
  const Toy& toy;
  JsfsOptions o;
  Eigen::MatrixXd x, b;
  std::vector<Index> feature;
  Eigen::VectorXd w, alpha, lambda, c;
  std::vector<int> act;  // 1: in the likelihood
  std::vector<double> objective, log_ml_w, log_ml_lambda;

  Naive(const Toy& t, const JsfsOptions& options) : toy(t), o(options), x(t.x) {
    b = o.gamma * x.transpose() * toy.laplacian() * x;
    feature = toy.columns;
    w = Eigen::VectorXd::Zero(x.cols());
    alpha = Eigen::VectorXd::Ones(x.cols());
    lambda = c = Eigen::VectorXd::Ones(x.rows());
    for (Index i = 0; i < x.rows(); ++i) {
      act.push_back(toy.labelled[i] || (o.mu > 0 && toy.target[i] != unlabelled));
    }
  }
  double t(Index i) const { return !act[i] ? 0 : toy.labelled[i] ? 1 : o.mu; }
  double likelihood(const Eigen::VectorXd& w_, const Eigen::VectorXd& lambda_) const {
    const Eigen::VectorXd p = x * w_;
    double sum = 0;
    for (Index i = 0; i < x.rows(); ++i) {
      const double s = sigma(lambda_(i) * p(i));
      if (act[i]) sum += t(i) * std::log(toy.target[i] ? s : 1 - s);
    }
    return sum;
  }
  double q(const Eigen::VectorXd& w_, const Eigen::VectorXd& lambda_) const {
    Eigen::MatrixXd prior = b;
    prior.diagonal() += alpha;
    double sum = likelihood(w_, lambda_) - 0.5 * w_.dot(prior * w_);
    for (Index i = 0; i < x.rows(); ++i) {
      if (!act[i] || toy.labelled[i]) continue;
      sum += -0.5 * c(i) * lambda_(i) * lambda_(i) + std::log(sigma(o.beta * lambda_(i)));
    }
    return sum;
  }
  Eigen::VectorXd gradient(const Eigen::VectorXd& w_) const {
    const Eigen::VectorXd p = x * w_;
    Eigen::VectorXd u = Eigen::VectorXd::Zero(x.rows());
    for (Index i = 0; i < x.rows(); ++i) {
      if (act[i]) u(i) = t(i) * lambda(i) * (toy.target[i] - sigma(lambda(i) * p(i)));
    }
    return x.transpose() * u - alpha.cwiseProduct(w_) - b * w_;
  }
  Eigen::VectorXd e(const Eigen::VectorXd& w_) const {
    const Eigen::VectorXd p = x * w_;
    Eigen::VectorXd out(x.rows());
    for (Index i = 0; i < x.rows(); ++i) {
      const double s = sigma(lambda(i) * p(i));
      out(i) = t(i) * lambda(i) * lambda(i) * s * (1 - s);
    }
    return out;
  }
  Eigen::MatrixXd hessian(const Eigen::VectorXd& w_) const {
    Eigen::MatrixXd h = b + x.transpose() * e(w_).asDiagonal() * x;
    h.diagonal() += alpha;
    return h;
  }
  double g_lambda(Index j, double l) const {
    const double p = x.row(j).dot(w);
    return t(j) * p * (toy.target[j] - sigma(l * p)) - c(j) * l + o.beta * (1 - sigma(o.beta * l));
  }
  double h_lambda(Index j, double l) const {
    const double p = x.row(j).dot(w);
    const double s = sigma(l * p), z = sigma(o.beta * l);
    return t(j) * p * p * s * (1 - s) + o.beta * o.beta * z * (1 - z);
  }
  void iterate() {
    for (int step = 0; step < 100; ++step) {
      const Eigen::VectorXd v = solve_square(hessian(w), gradient(w));
      double length = 1;
      while (length > 1e-9 && q(w + length * v, lambda) < q(w, lambda) - 1e-13) length /= 2;
      w += length * v;
      if (v.norm() < 1e-13) break;
    }
    std::vector<Index> kept;
    const double m = std::min(1.0, w.cwiseAbs().maxCoeff());
    for (Index r = 0; r < w.size(); ++r) {
      if (std::abs(w(r)) >= o.prune_weight * m) kept.push_back(r);
    }
    const Index d = static_cast<Index>(kept.size());
    Eigen::MatrixXd x2(x.rows(), d), b2(d, d);
    Eigen::VectorXd w2(d), alpha2(d);
    std::vector<Index> feature2;
    for (Index r = 0; r < d; ++r) {
      x2.col(r) = x.col(kept[r]);
      w2(r) = w(kept[r]);
      alpha2(r) = alpha(kept[r]);
      feature2.push_back(feature[kept[r]]);
      for (Index s = 0; s < d; ++s) b2(r, s) = b(kept[r], kept[s]);
    }
    x = x2;
    b = b2;
    w = w2;
    alpha = alpha2;
    feature = feature2;
    for (Index j = 0; j < x.rows(); ++j) {
      if (!act[j] || toy.labelled[j]) continue;
      for (int step = 0; step < 200; ++step) {
        const double v = g_lambda(j, lambda(j)) / (c(j) + h_lambda(j, lambda(j)));
        lambda(j) += (step < 3 ? 0.5 : 1) * v;  // damped at first: no line search needed here
      }
      if (lambda(j) < o.prune_row) act[j] = 0;
    }
    Eigen::MatrixXd prior = b;
    prior.diagonal() += alpha;
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(d, d);
    const Eigen::MatrixXd v = solve_square(prior, identity);
    const Eigen::MatrixXd s = solve_square(hessian(w), identity);
    const Eigen::VectorXd delta = (v - s).diagonal();
    const double l = likelihood(w, lambda);
    const double ratio = Cholesky(prior).log_determinant() - Cholesky(hessian(w)).log_determinant();
    log_ml_w.push_back(l - 0.5 * w.dot(prior * w) + 0.5 * ratio);
    double sum = l;
    for (Index j = 0; j < x.rows(); ++j) {
      if (!act[j] || toy.labelled[j]) continue;
      const double h = h_lambda(j, lambda(j));
      sum += std::log(2.0) + 0.5 * std::log(c(j)) - 0.5 * c(j) * lambda(j) * lambda(j) +
             std::log(sigma(o.beta * lambda(j))) - 0.5 * std::log(c(j) + h);
      const double square = lambda(j) * lambda(j);
      c(j) = o.update == RelevanceUpdate::em
                 ? 1 / (square + 1 / (c(j) + h))
                 : 1 / (square / 2 + std::sqrt(square * square / 4 + square / h));
    }
    log_ml_lambda.push_back(sum);
    objective.push_back(log_ml_w.back() + sum - l);
    for (Index r = 0; r < d; ++r) {
      alpha(r) = o.update == RelevanceUpdate::em ? 1 / (w(r) * w(r) + 1 / alpha(r) - delta(r))
                                                 : alpha(r) * std::sqrt(delta(r)) / std::abs(w(r));
      alpha(r) = std::min(std::max(alpha(r), 1e-6), 1e12);
    }
  }
};

}  // namespace

TEST_CASE("jsfs reproduces the worked example", "[jsfs]") {
  Eigen::MatrixXd x(12, 4);
  x << -0.9, -0.8, -0.6, 0.5, 0.4, -0.4, 0.3, 0.7, 0.6, -1.3, 0.7, 1.6, -3.2, 0.1, 1.1, 0.3, 1.5,
      -2, 0.5, 1.3, -0.3, -0.3, 0.5, -0.1, 2.4, 0.6, 1.5, -1.2, 0.4, -0.3, 0.6, -0.5, 3.3, -0.4,
      0.2, 1.8, 2, 2.4, 1.2, 1.3, 2, 0.4, 2, -0.7, 1.6, 0.2, 0.6, 0.3;
  Problem problem;
  problem.x = problem.z = FeatureMatrix::dense(x);
  problem.y.code = {0, 0, -1, -1, -1, -1, 1, 1, -1, -1, -1, -1};
  problem.y.classes = 2;
  problem.constant.assign(4, false);
  GraphOptions graph;
  graph.k = 2;
  graph.weights = EdgeWeight::binary;
  JsfsOptions options;
  options.gamma = 0.05;
  options.center = false;
  options.tol = 0;
  options.newton_tol = 1e-13;

  // The page's table: w1..w4, alpha1..alpha4, lambda of rows 3, 4, 5, 6, 9, 10, 11, 12, c of rows
  // 3 and 4, log_ml_w, log_ml_lambda, objective.
  const double none = std::numeric_limits<double>::infinity();
  struct Column {
    RelevanceUpdate update;
    int iterations;
    std::vector<double> value;
  };
  const std::vector<Column> table = {
      {RelevanceUpdate::em,
       1,
       {0.1647861152,  0.4561377874,  0.0059021504, -0.5881594747, 1.031916784,  0.9075015918,
        1.113245783,   0.8294948451,  0.5403287178, 0.5057116178,  0.5402102674, 0.4685129011,
        0.5083959406,  0.5066325746,  0.5213974565, 0.4729805101,  1.508050015,  1.618718917,
        -5.1042572048, -3.9284438016, -5.3079510127}},
      {RelevanceUpdate::em,
       2,
       {0.1112975661,  0.3860662325,  0.0334018462, -0.6205626425, 1.071851752,  0.867178938,
        1.21864684,    0.6927240577,  0.4608982871, 0.4129316350,  0.4606302866, 0.3757905081,
        0.4330016736,  0.4091212661,  0.4376788786, 0.3788751349,  2.100659754,  2.427994853,
        -5.0707352747, -4.1633708517, -5.3400496816}},
      {RelevanceUpdate::em,
       5,
       {0.0738665997,  0.3221482016,  0.0315144235, -0.7232453362, 1.18651301,   0.79561883,
        1.510155074,   0.418853039,   0.3258786288, 0.2645501674,  0.3244815336, 0.2333177592,
        0.3042583173,  0.2471974662,  0.2947567654, 0.2327078324,  4.044071596,  5.327064455,
        -5.0370760941, -4.2929472671, -5.3038133909}},
      {RelevanceUpdate::mm,
       1,
       {0.1647861152,  0.4561377874,  0.0059021504, -0.5881594747, 1.462540557,  0.7142228659,
        54.04799227,   0.6370232804,  0.5403287178, 0.5057116178,  0.5402102674, 0.4685129011,
        0.5083959406,  0.5066325746,  0.5213974565, 0.4729805101,  1.70646812,   1.887807046,
        -5.1042572048, -3.9284438016, -5.3079510127}},
      {RelevanceUpdate::mm,
       2,
       {0.1029305835,  0.4204358593,  0.0008880911, -0.6773860813, 3.128699524,  0.5295908018,
        641.5649426,   0.3887863819,  0.4423260351, 0.3894116477,  0.4422570392, 0.3498089487,
        0.4122144850,  0.3829735478,  0.4125859095, 0.3504673321,  2.535943614,  3.104551387,
        -4.9575637211, -4.1309262049, -5.2377883816}},
      {RelevanceUpdate::mm, 5, {0.0057839083,  0.4094544177,  0,
                                -0.9059305011, 155.8578922,   0.1970558208,
                                none,          0.07594033546, 0.2980881507,
                                0.2134654135,  0.2983042248,  0.1867656753,
                                0.2805761492,  0.1915573336,  0.2483843740,
                                0.1776963350,  5.088834706,   8.119497969,
                                -4.8145413065, -4.1480950965, -5.0774460642}}};
  for (const Column& column : table) {
    options.update = column.update;
    options.max_iter = column.iterations;
    const Jsfs out = jsfs(problem, graph, options, control);
    const RelevanceFit& fit = out.fits.at(0);
    std::vector<double> got;
    for (Index r = 0; r < 4; ++r) got.push_back(fit.weights(r));
    for (Index r = 0; r < 4; ++r) got.push_back(fit.alpha(r));
    for (const Index i : {2, 3, 4, 5, 8, 9, 10, 11}) got.push_back(fit.lambda(i));
    for (const Index i : {2, 3}) got.push_back(fit.row_precision(i));
    got.push_back(fit.log_ml_w.back());
    got.push_back(fit.log_ml_lambda.back());
    got.push_back(fit.objective.back());
    REQUIRE(got.size() == column.value.size());
    for (std::size_t v = 0; v < got.size(); ++v) {
      INFO("iterations " << column.iterations << ", value " << v);
      if (std::isinf(column.value[v])) {
        CHECK(std::isinf(got[v]));
      } else {
        CHECK(got[v] == Approx(column.value[v]).epsilon(1e-8).margin(1e-9));
      }
    }
    CHECK(fit.n_unlabelled.back() == 8);
    CHECK_FALSE(fit.converged);
  }

  // "mm" after five iterations: the ranking, with the feature that left in the third.
  const Jsfs five = jsfs(problem, graph, options, control);
  CHECK(five.selection.score(3) == Approx(0.9059305011).epsilon(1e-8));
  CHECK(five.selection.score(2) == Approx(-2.9999372000).epsilon(1e-9));
  CHECK(five.fits[0].pruned_at == std::vector<int>{0, 0, 3, 0});
  CHECK(five.selection.selected == std::vector<int>{1, 1, 0, 1});

  options.tol = 1e-3;
  options.max_iter = 200;
  const Jsfs end = jsfs(problem, graph, options, control);
  CHECK(end.selection.iterations == 28);
  CHECK(end.selection.converged);
  CHECK(end.fits[0].weights(1) == Approx(0.3056574403).epsilon(1e-7));
  CHECK(end.fits[0].weights(3) == Approx(-0.9719955515).epsilon(1e-7));
  CHECK(end.fits[0].pruned_at == std::vector<int>{6, 0, 3, 0});
}

TEST_CASE("the naive steps have the right derivatives", "[jsfs]") {
  const Toy toy(30, 6, 4);
  JsfsOptions options;
  options.gamma = 0.03;
  Naive naive(toy, options);
  naive.w = random_matrix(6, 1, 9);
  naive.alpha = random_matrix(6, 1, 10).cwiseAbs();
  naive.lambda = random_matrix(30, 1, 11).cwiseAbs();
  const double step = 1e-5;
  const Eigen::VectorXd g = naive.gradient(naive.w);
  const Eigen::MatrixXd h = naive.hessian(naive.w);
  for (Index r = 0; r < 6; ++r) {
    const Eigen::VectorXd up = naive.w + step * Eigen::VectorXd::Unit(6, r);
    const Eigen::VectorXd down = naive.w - step * Eigen::VectorXd::Unit(6, r);
    CHECK((naive.q(up, naive.lambda) - naive.q(down, naive.lambda)) / (2 * step) ==
          Approx(g(r)).epsilon(1e-6).margin(1e-7));
    CHECK(((naive.gradient(up) - naive.gradient(down)) / (2 * step) + h.col(r)).norm() <
          1e-6 * h.norm());
  }
  for (Index j = 0; j < 30; ++j) {
    if (!naive.act[j] || toy.labelled[j]) continue;
    Eigen::VectorXd up = naive.lambda, down = naive.lambda;
    up(j) += step;
    down(j) -= step;
    CHECK((naive.q(naive.w, up) - naive.q(naive.w, down)) / (2 * step) ==
          Approx(naive.g_lambda(j, naive.lambda(j))).epsilon(1e-6).margin(1e-7));
    CHECK((naive.g_lambda(j, up(j)) - naive.g_lambda(j, down(j))) / (2 * step) ==
          Approx(-naive.c(j) - naive.h_lambda(j, naive.lambda(j))).epsilon(1e-6));
  }
}

TEST_CASE("primal and dual equal the naive steps", "[jsfs]") {
  for (const auto& shape :
       std::vector<std::pair<Index, Index>>{{40, 6}, {40, 25}, {24, 60}, {15, 90}}) {
    for (const double gamma : {0.0, 0.05, 1.0}) {
      for (const double mu : {0.0, 0.5, 1.0}) {
        for (const RelevanceUpdate update : {RelevanceUpdate::mm, RelevanceUpdate::em}) {
          const Toy toy(shape.first, shape.second, 17 + shape.second);
          JsfsOptions options;
          options.gamma = gamma;
          options.mu = mu;
          options.update = update;
          options.tol = 0;
          options.max_iter = 12;
          options.newton_tol = 1e-12;
          const RelevanceFit fit = toy.fit(options);
          Naive naive(toy, options);
          for (int it = 0; it < options.max_iter; ++it) naive.iterate();
          INFO("n " << shape.first << " p " << shape.second << " gamma " << gamma << " mu " << mu
                    << " mm " << (update == RelevanceUpdate::mm));
          Eigen::VectorXd w = Eigen::VectorXd::Zero(shape.second);
          for (std::size_t r = 0; r < naive.feature.size(); ++r) w(naive.feature[r]) = naive.w(r);
          CHECK((fit.weights - w).cwiseAbs().maxCoeff() < 1e-8);
          for (int it = 0; it < options.max_iter; ++it) {
            CHECK(fit.objective[it] == Approx(naive.objective[it]).epsilon(1e-8).margin(1e-8));
          }
        }
      }
    }
  }
}

namespace {

// J: what (17) is as a function of alpha, with w and E fixed.
double evidence(const Eigen::MatrixXd& x, const Eigen::MatrixXd& b, const Eigen::VectorXd& e,
                const Eigen::VectorXd& w, const Eigen::VectorXd& alpha) {
  Eigen::MatrixXd prior = b;
  prior.diagonal() += alpha;
  const Eigen::MatrixXd h = prior + x.transpose() * e.asDiagonal() * x;
  return 0.5 *
         (Cholesky(prior).log_determinant() - Cholesky(h).log_determinant() - w.dot(prior * w));
}

}  // namespace

TEST_CASE("Delta by products", "[jsfs]") {
  for (const auto& shape : std::vector<std::pair<Index, Index>>{{30, 8}, {30, 25}, {12, 50}}) {
    for (const double gamma : {0.0, 0.2}) {
      const Index n = shape.first, d = shape.second;
      const Toy toy(n, d, 5);
      Rng rng(6, 0);
      Eigen::VectorXd alpha(d), e = Eigen::VectorXd::Zero(n), w = random_matrix(d, 1, 7);
      for (Index r = 0; r < d; ++r) alpha(r) = std::pow(10.0, 6 * rng.uniform() - 3);
      std::vector<Index> rows;
      for (Index i = 0; i < n; ++i) {
        if (i % 3 == 1) continue;
        rows.push_back(i);
        e(i) = 0.25 * rng.uniform();
      }
      RelevanceAlgebra algebra(ColumnSubset(FeatureMatrix::dense(toy.x), toy.columns), toy.graph,
                               gamma, control);
      algebra.set_rows(rows);
      algebra.set_alpha(alpha);
      CHECK(algebra.is_primal() == (d <= n));
      const RelevanceAlgebra::Relevance out = algebra.relevance(e);

      const Eigen::MatrixXd b = gamma * toy.x.transpose() * toy.laplacian() * toy.x;
      Eigen::MatrixXd prior = b;
      prior.diagonal() += alpha;
      const Eigen::MatrixXd h = prior + toy.x.transpose() * e.asDiagonal() * toy.x;
      const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(d, d);
      const Eigen::VectorXd v = solve_square(prior, identity).diagonal();
      const Eigen::VectorXd s = solve_square(h, identity).diagonal();
      for (Index r = 0; r < d; ++r) {
        // The difference itself is good to about 1e-14 of what is subtracted.
        CHECK(std::abs(out.delta(r) - (v(r) - s(r))) < 1e-9 * out.delta(r) + 1e-13 * v(r));
        const double step = 1e-4 * alpha(r);
        Eigen::VectorXd up = alpha, down = alpha;
        up(r) += step;
        down(r) -= step;
        const double slope =
            (evidence(toy.x, b, e, w, up) - evidence(toy.x, b, e, w, down)) / (2 * step);
        CHECK(slope ==
              Approx((out.delta(r) - w(r) * w(r)) / 2).epsilon(1e-5).margin(1e-9 / alpha(r)));
      }
      CHECK(out.log_ratio ==
            Approx(Cholesky(prior).log_determinant() - Cholesky(h).log_determinant()));

      const Eigen::VectorXd g = random_matrix(d, 1, 8);
      const RelevanceAlgebra::Direction direction = algebra.solve(e, g);
      CHECK((direction.v - solve_square(h, g)).norm() < 1e-9 * direction.v.norm());
      CHECK((direction.image - toy.x * direction.v).norm() < 1e-9 * direction.image.norm());

      // Both rules raise J.
      const double before = evidence(toy.x, b, e, w, alpha);
      const Eigen::VectorXd mm =
          alpha.cwiseProduct(out.delta.cwiseSqrt()).cwiseQuotient(w.cwiseAbs());
      const Eigen::VectorXd em = (w.cwiseAbs2() + alpha.cwiseInverse() - out.delta).cwiseInverse();
      CHECK(evidence(toy.x, b, e, w, mm) >= before - 1e-9 * std::abs(before));
      CHECK(evidence(toy.x, b, e, w, em) >= before - 1e-9 * std::abs(before));
    }
  }
}

TEST_CASE("Delta keeps its digits where the diagonals agree", "[jsfs]") {
  // One row, orthogonal to nothing: V - Sigma = alpha^-2 e x^2 / (1 + e x'x / alpha) exactly.
  const Eigen::MatrixXd x = random_matrix(3, 5, 3);
  Eigen::VectorXd e = Eigen::VectorXd::Zero(3);
  e(1) = 0.2;
  for (const double alpha : {1e-3, 1.0, 1e4, 2e7, 1e11}) {
    for (const Index d : {2, 5}) {  // primal, dual
      std::vector<Index> columns;
      for (Index r = 0; r < d; ++r) columns.push_back(r);
      LinkedGraph none = without_links(make_graph(3, {}));
      RelevanceAlgebra algebra(ColumnSubset(FeatureMatrix::dense(x), columns), none, 0, control);
      algebra.set_alpha(Eigen::VectorXd::Constant(d, alpha));
      const Eigen::VectorXd delta = algebra.relevance(e).delta;
      const double norm = x.row(1).head(d).squaredNorm();
      for (Index r = 0; r < d; ++r) {
        const double exact = e(1) * x(1, r) * x(1, r) / (alpha * alpha) / (1 + e(1) * norm / alpha);
        CHECK(delta(r) == Approx(exact).epsilon(1e-13));
      }
    }
  }
}

TEST_CASE("the \"mm\" rule for c is the maximum", "[jsfs]") {
  for (const double lambda : {0.01, 0.4, 2.0}) {
    for (const double h : {0.05, 3.0}) {
      const double c =
          1 / (lambda * lambda / 2 + std::sqrt(std::pow(lambda, 4) / 4 + lambda * lambda / h));
      const auto value = [&](double at) {
        return 0.5 * std::log(at) - 0.5 * at * lambda * lambda - 0.5 * std::log(at + h);
      };
      for (double factor = 1e-3; factor < 1e3; factor *= 1.3)
        CHECK(value(c * factor) <= value(c) + 1e-12);
      CHECK(1 / c - 1 / (c + h) == Approx(lambda * lambda));
    }
  }
}

TEST_CASE("\"mm\" ends where the evidence is stationary, and \"em\" stays there", "[jsfs]") {
  const Toy toy(40, 6, 21);
  JsfsOptions options;
  options.gamma = 0;
  options.prune_weight = options.prune_row = 0;
  options.tol = 1e-8;
  options.max_iter = 5000;
  options.newton_tol = 1e-12;
  const RelevanceFit fit = toy.fit(options);
  REQUIRE(fit.converged);
  Eigen::VectorXd e = Eigen::VectorXd::Zero(40);
  std::vector<Index> rows;
  for (Index i = 0; i < 40; ++i) {
    if (toy.target[i] == unlabelled || fit.lambda(i) <= 0) continue;
    const double s = sigma(fit.lambda(i) * toy.x.row(i).dot(fit.weights));
    e(i) = (toy.labelled[i] ? 1 : options.mu) * fit.lambda(i) * fit.lambda(i) * s * (1 - s);
    rows.push_back(i);
  }
  RelevanceAlgebra algebra(ColumnSubset(FeatureMatrix::dense(toy.x), toy.columns), toy.graph, 0,
                           control);
  algebra.set_rows(rows);
  algebra.set_alpha(fit.alpha);
  const Eigen::VectorXd delta = algebra.relevance(e).delta;
  int interior = 0;
  for (Index r = 0; r < 6; ++r) {
    const double square = fit.weights(r) * fit.weights(r);
    if (fit.alpha(r) <= 1e-6) {
      CHECK(delta(r) <= square * (1 + 1e-6));
    } else if (std::abs(fit.weights(r)) > 1e-3) {
      ++interior;
      CHECK(delta(r) == Approx(square).epsilon(1e-6));
      CHECK(1 / (square + 1 / fit.alpha(r) - delta(r)) == Approx(fit.alpha(r)).epsilon(1e-6));
    }
  }
  CHECK(interior >= 1);
}

TEST_CASE("jsfs keeps its promises", "[jsfs]") {
  JsfsOptions options;
  options.gamma = 0.01;
  options.max_iter = 15;

  SECTION("exchanging the codes flips w and leaves lambda") {
    for (const Index p : {6, 60}) {
      Toy toy(30, p, 2);
      const RelevanceFit fit = toy.fit(options);
      for (int& code : toy.target) {
        if (code != unlabelled) code = 1 - code;
      }
      const RelevanceFit other = toy.fit(options);
      CHECK((fit.weights + other.weights).norm() < 1e-9);
      CHECK((fit.lambda - other.lambda).norm() < 1e-9);
    }
  }
  SECTION("threads change nothing, bit for bit") {
    for (const Index p : {6, 300, 1500}) {
      const Toy toy(200, p, 2);
      Control two;
      two.threads = 2;
      const FeatureMatrix x = FeatureMatrix::dense(toy.x);
      options.max_iter = 4;
      const RelevanceFit a =
          fit_relevance(x, toy.columns, toy.graph, toy.target, toy.labelled, options, control);
      const RelevanceFit b =
          fit_relevance(x, toy.columns, toy.graph, toy.target, toy.labelled, options, two);
      CHECK(a.weights == b.weights);
      CHECK(a.objective == b.objective);
    }
  }
  SECTION("rows that count for nothing may be left out") {
    options.gamma = options.mu = 0;
    const Toy toy(40, 50, 3);
    const RelevanceFit fit = toy.fit(options);
    std::vector<Index> rows;
    std::vector<int> target;
    for (Index i = 0; i < 40; ++i) {
      if (!toy.labelled[i]) continue;
      rows.push_back(i);
      target.push_back(toy.target[i]);
    }
    const RelevanceFit alone =
        fit_relevance(FeatureMatrix::dense(toy.x).rows(rows), toy.columns, LinkedGraph(), target,
                      std::vector<bool>(rows.size(), true), options, control);
    CHECK((fit.weights - alone.weights).norm() < 1e-10);
    CHECK(std::isnan(fit.lambda(2)));
  }
  SECTION("separable data end finite") {
    Toy toy(20, 3, 8);
    for (Index i = 0; i < 20; ++i) toy.x(i, 0) = i % 2 ? 5 + 0.01 * i : -5 - 0.01 * i;
    options.max_iter = 300;
    options.gamma = 0;
    const RelevanceFit fit = toy.fit(options);
    CHECK(fit.weights.allFinite());
    CHECK(fit.alpha.minCoeff() >= 1e-6);
    for (const double value : fit.objective) CHECK(std::isfinite(value));
  }
  SECTION("pruning by an absolute limit never empties the model") {
    const Toy toy(30, 5, 12);
    options.prune_scale = PruneScale::absolute;
    options.prune_weight = 0.999;
    const RelevanceFit fit = toy.fit(options);
    CHECK(fit.n_features.back() == 1);
    CHECK(std::count(fit.pruned_at.begin(), fit.pruned_at.end(), 0) == 1);
  }
  SECTION("every row present with both labels: no feature separates the classes") {
    Eigen::MatrixXd x(8, 2);
    x << 1, 2, 1, 2, -1, 3, -1, 3, 2, -2, 2, -2, 0, -3, 0, -3;
    std::vector<int> target;
    for (int i = 0; i < 8; ++i) target.push_back(i % 2);
    const RelevanceFit fit = fit_relevance(
        FeatureMatrix::dense(x), {0, 1}, LinkedGraph(), target, std::vector<bool>(8, true),
        [] {
          JsfsOptions o;
          o.gamma = 0;
          return o;
        }(),
        control);
    CHECK_FALSE(fit.separates);
    CHECK(fit.converged);
    CHECK(fit.weights.norm() == 0);
    CHECK(fit.objective.size() == 1);
  }
}
