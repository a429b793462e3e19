#include <catch2/catch.hpp>

#include "core/select/margin/l0svm.hpp"
#include "examples.hpp"

using namespace semiselect;

TEST_CASE("l0svm", "[margin]") {
  // Either feature alone separates; the first with twice the margin.
  Eigen::MatrixXd x(4, 2);
  x << -2, -1, -2.5, -1.5, 2, 1, 2.5, 1.5;
  const Problem data = examples::problem(x, {0, 0, 1, 1}, 2);
  for (const L0Variant variant : {L0Variant::l2, L0Variant::l1}) {
    L0svmOptions options;
    options.variant = variant;
    options.cost = 100;
    const L0svmFit fit = l0svm(data, options, Control());
    CHECK(fit.selection.converged);
    CHECK(fit.selection.order == std::vector<Index>{0, 1});
    CHECK(fit.by_class[0].w(0) == Approx(0.5).epsilon(1e-6));
    CHECK(fit.by_class[0].w(1) == 0);
    CHECK(fit.by_class[0].b == Approx(0).margin(1e-8));
  }
}
