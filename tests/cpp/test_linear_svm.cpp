#include "core/optim/linear_svm.hpp"

#include <catch2/catch.hpp>

#include "core/run/rng.hpp"

using namespace semiselect;

TEST_CASE("linear_svm equals solutions worked by hand", "[margin]") {
  // Rows +-2: the margin is reached by w = 1/2 for C >= 1/8, else w = 4C.
  Eigen::MatrixXd x(2, 1), s(2, 1);
  x << 12, 8;  // the intercept absorbs the 10
  s << 1, -1;
  LinearSvmOptions options;
  const LinearSvm hard = linear_svm(FeatureMatrix::dense(x), s, options, Control());
  CHECK(hard.w(0, 0) == Approx(0.5));
  CHECK(hard.b(0) == Approx(-5));
  options.cost = 0.05;
  const LinearSvm soft = linear_svm(FeatureMatrix::dense(x), s, options, Control());
  CHECK(soft.w(0, 0) == Approx(0.2));

  s << 1, 1;
  const LinearSvm one = linear_svm(FeatureMatrix::dense(x), s, options, Control());
  CHECK(one.w(0, 0) == 0);
  CHECK(one.b(0) == 1);
}

TEST_CASE("linear_svm has the gap it states, small and large, dense and sparse", "[margin]") {
  for (const Index n : {12, 60, 2300}) {
    const Index p = n > 2000 ? 5 : 20;
    Rng rng(3, static_cast<std::uint64_t>(n));
    Eigen::MatrixXd x(n, p), s(n, 2);
    std::vector<double> values;
    std::vector<int> inner, outer = {0};
    for (Index j = 0; j < p; ++j) {
      for (Index i = 0; i < n; ++i) {
        s(i, 0) = i % 2 ? 1 : -1;
        s(i, 1) = i % 3 ? 1 : -1;
        x(i, j) = rng.uniform() < 0.3 ? 0 : rng.normal() + (j < 2 ? 0.5 * s(i, 0) : 0);
        if (x(i, j) == 0) continue;
        values.push_back(x(i, j));
        inner.push_back(static_cast<int>(i));
      }
      outer.push_back(static_cast<int>(values.size()));
    }
    LinearSvmOptions options;
    options.cost = 0.7;
    const LinearSvm fit = linear_svm(FeatureMatrix::dense(x), s, options, Control());
    const LinearSvm sparse = linear_svm(
        FeatureMatrix::sparse(values.data(), inner.data(), outer.data(), n, p), s, options,
        Control());
    REQUIRE(fit.converged);
    for (Index c = 0; c < 2; ++c) {
      const auto primal = [&](const Eigen::VectorXd& w, double b) {
        const Eigen::ArrayXd g = (x * w).array() + b;
        return w.squaredNorm() / 2 + 0.7 * (1 - s.col(c).array() * g).max(0.0).sum();
      };
      const double value = primal(fit.w.col(c), fit.b(c));
      CHECK(primal(sparse.w.col(c), sparse.b(c)) == Approx(value).epsilon(2e-6));
      for (int trial = 0; trial < 30; ++trial) {
        Eigen::VectorXd w = fit.w.col(c);
        for (Index j = 0; j < p; ++j) w(j) += 0.02 * rng.normal();
        CHECK(primal(w, fit.b(c) + 0.02 * rng.normal()) >= value * (1 - 1e-6));
      }
    }
  }
}
