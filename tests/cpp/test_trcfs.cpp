#include <catch2/catch.hpp>

#include "core/select/graph/trcfs.hpp"
#include "core/select/statistics/fisher.hpp"
#include "examples.hpp"

using namespace semiselect;

TEST_CASE("trcfs", "[graph]") {
  // a path a - ? - b: the walk from the middle ends at either with 0.495
  Eigen::MatrixXd x(3, 2);
  x << 0, 2, 1, 0, 4, 1;
  const Problem data = examples::problem(x, {0, -1, 1}, 2);
  TrcfsOptions options;
  options.graph.given = make_graph(3, {{0, 1, 1.0}, {1, 2, 1.0}});

  SECTION("by hand") {
    const TrcfsFit fit = trcfs(data, options, Control());
    CHECK(fit.soft_labels(1, 0) == Approx(0.495));
    CHECK(fit.soft_labels(1, 1) == Approx(0.495));
    const double n = 1.495, m0 = 0.495 / n, m1 = 4.495 / n, mu = (m0 + m1) / 2;
    const double between = n * ((m0 - mu) * (m0 - mu) + (m1 - mu) * (m1 - mu));
    const double within = m0 * m0 + 0.495 * (1 - m0) * (1 - m0) + (4 - m1) * (4 - m1) +
                          0.495 * (1 - m1) * (1 - m1);
    CHECK(fit.selection.statistic(0) == Approx(between / within).epsilon(1e-12));
  }
  SECTION("alpha 0 is the Fisher score") {
    options.alpha = 0;
    Eigen::MatrixXd more(5, 1);
    more << 0, 1, 5, 7, 9;
    const Problem five = examples::problem(more, {0, 0, 1, 1, -1}, 2);
    options.graph.given = make_graph(5, {{0, 4, 1.0}, {2, 4, 1.0}});
    CHECK(trcfs(five, options, Control()).selection.statistic.isApprox(
        fisher(five.x, five.y, FisherVariant::multiclass, Control()).statistic, 1e-13));
  }
}
