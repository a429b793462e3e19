#include "core/select/margin/drsvm.hpp"

#include <catch2/catch.hpp>

#include "core/run/rng.hpp"

using namespace semiselect;

namespace {

Problem labelled(const Eigen::MatrixXd& x, const std::vector<int>& code) {
  Problem out;
  out.x = FeatureMatrix::dense(x.data(), x.rows(), x.cols());
  out.z = out.x;
  out.y.code = code;
  out.y.classes = 2;
  out.constant = report_columns(out.x).constant;
  return out;
}

}  // namespace

TEST_CASE("drsvm equals a solution worked by hand and leaves unlabelled rows out", "[margin]") {
  // Rows +-2 in one column: t = 1/2 wherever 4C > l1 + l2/2 (see test_elastic_net_svm).
  Eigen::MatrixXd x(3, 2);
  x << 2, 7, -2, 7, 100, 7;
  const Problem problem = labelled(x, {1, 0, unlabelled});
  DrsvmOptions o;
  o.lambda1 = {1};
  o.lambda2 = 1;
  const SenfsFit fit = drsvm(problem, o, Control());
  CHECK(fit.by_class.front().t(0) == Approx(0.5));
  CHECK(fit.by_class.front().t(1) == 0);
  CHECK(fit.by_class.front().objective == Approx(0.625));
  CHECK(fit.by_class.front().g(2) == Approx(50));
  CHECK(fit.selection.order == std::vector<Index>{0, 1});
  CHECK(fit.selection.selected == std::vector<int>{1, 0});

  o.lambda1.clear();  // 0.1 C min(n+, n-) |mean+ - mean-|
  o.lambda2 = -1;  // C l
  const SenfsFit defaults = drsvm(problem, o, Control());
  CHECK(defaults.by_class.front().lambda1 == Approx(0.4));
  CHECK(defaults.by_class.front().lambda2 == Approx(2));
}

TEST_CASE("a drsvm path meets the fits at its values, and enters at lambda1_max", "[margin]") {
  Rng rng(1, 0);
  Eigen::MatrixXd x(20, 30);
  std::vector<int> code;
  for (Index i = 0; i < 20; ++i) {
    code.push_back(static_cast<int>(i % 2));
    for (Index j = 0; j < 30; ++j) x(i, j) = rng.normal() + (j < 4 && i % 2 ? 1 : 0);
  }
  const Problem problem = labelled(x, code);
  DrsvmOptions o;
  o.path = true;
  o.n_lambda = 8;
  o.lambda2 = 2;
  const SenfsFit path = drsvm(problem, o, Control());
  const MarginFit& f = path.by_class.front();
  REQUIRE(f.path_lambda1.size() == 8);
  CHECK(f.path_lambda1.back() == Approx(0.01 * f.reference));
  o.path = false;
  for (std::size_t k = 0; k < 8; ++k) {
    o.lambda1 = {f.path_lambda1[k]};
    const SenfsFit cold = drsvm(problem, o, Control());
    CHECK(cold.by_class.front().objective == Approx(f.path_objective[k]).epsilon(1e-7));
    CHECK((cold.by_class.front().t.array() != 0).count() == f.path_selected[k]);
  }
  o.lambda1 = {1.0001 * f.reference};
  CHECK(drsvm(problem, o, Control()).by_class.front().t.isZero(0));
  o.lambda1 = {0.97 * f.reference};
  CHECK_FALSE(drsvm(problem, o, Control()).by_class.front().t.isZero(0));
}
