#include <catch2/catch.hpp>

#include "core/select/universum/uvs.hpp"
#include "worked_example.hpp"

using namespace semiselect;

TEST_CASE("uvs", "[universum]") {
  const WorkedExample example;
  const Control control;
  const Problem problem = make_problem(example.x);
  const FeatureMatrix universum = FeatureMatrix::dense(example.universum);
  UniversumOptions options;

  SECTION("agrees with the worked example") {
    const Eigen::VectorXd v = uvs(problem, universum, options, control).statistic;
    CHECK(v(0) == Approx(-12.17361111).epsilon(1e-9));
    CHECK(v(1) == Approx(-23.08506944).epsilon(1e-9));
    CHECK(v(2) == Approx(-3.932291667).epsilon(1e-9));
  }
  SECTION("the closed form is the double sum, in both normalizations") {
    const Index n = example.x.rows(), u = example.universum.rows();
    for (const bool paper : {false, true}) {
      options.beta_norm = paper ? UniversumSpread::paper : UniversumSpread::mean;
      const Eigen::VectorXd got = universum_contrast(problem.z, universum, options, control);
      for (Index r = 0; r < 3; ++r) {
        double between = 0, within = 0;
        for (Index a = 0; a < u; ++a) {
          for (Index i = 0; i < n; ++i) {
            between += std::pow(example.universum(a, r) - example.x(i, r), 2);
          }
          for (Index b = 0; b < u; ++b) {
            within += std::pow(example.universum(a, r) - example.universum(b, r), 2);
          }
        }
        const double expected = options.alpha * between / static_cast<double>(n * u) -
                                options.beta * within / static_cast<double>(paper ? u : u * u);
        CHECK(got(r) == Approx(expected).epsilon(1e-12));
      }
    }
  }
  SECTION("without weight on the Universum the variance score is left") {
    options.alpha = options.beta = 0;
    const Eigen::VectorXd v = uvs(problem, universum, options, control).statistic;
    CHECK(v(0) == Approx(8.6875));
    CHECK(v(1) == Approx(3.234375));
    CHECK(v(2) == Approx(4.359375));
  }
  SECTION("target rows as Universum: B = V = twice the variance; one row: V = 0") {
    options.beta = 1;
    CHECK(universum_contrast(problem.z, problem.z, options, control).norm() < 1e-12);
    const FeatureMatrix one = universum.rows({1});
    const Eigen::VectorXd with = universum_contrast(problem.z, one, options, control);
    options.beta = 0;
    CHECK(universum_contrast(problem.z, one, options, control) == with);
  }
}
