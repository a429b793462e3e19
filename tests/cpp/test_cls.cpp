#include <catch2/catch.hpp>

#include "core/select/constraints/cls.hpp"
#include "core/select/graph/laplacian.hpp"
#include "examples.hpp"
#include "storage.hpp"

using namespace semiselect;

namespace {

// The double sum (3.1) halved, term by term.
double naive(const Eigen::VectorXd& f, const Graph& graph, const std::vector<Pair>& cannot_link) {
  const Index n = f.size();
  Eigen::MatrixXi cl = Eigen::MatrixXi::Zero(n, n);
  for (const Pair& p : cannot_link) cl(p.first, p.second) = cl(p.second, p.first) = 1;
  const double mu = graph.degree.dot(f) / graph.degree.sum();
  double top = 0, bottom = 0;
  for (const Edge& e : graph.edges) top += e.w * (f(e.i) - f(e.j)) * (f(e.i) - f(e.j));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      if (cl.row(j).sum() == 0) continue;
      const double other = cl(i, j) ? f(j) : mu;
      bottom += graph.degree(i) * (f(i) - other) * (f(i) - other);
    }
  }
  return top / bottom;
}

}  // namespace

TEST_CASE("cls", "[constraints]") {
  Problem data = examples::eight_by_three_problem();
  ClsOptions options;
  options.graph.k = 2;
  const auto score = [&](const Problem& p) { return cls(p, options, Control()).statistic; };

  SECTION("equals the worked example") {
    CHECK(score(data)(0) == Approx(0.02367021493).epsilon(1e-9));
    CHECK(score(data)(1) == Approx(0.04669133652).epsilon(1e-9));
    CHECK(score(data)(2) == Approx(0.1200857947).epsilon(1e-9));
    options.denominator = ClsDenominator::cl;
    CHECK(score(data)(0) == Approx(0.0371404056).epsilon(1e-8));
    CHECK(score(data)(1) == Approx(0.07132343228).epsilon(1e-9));
    CHECK(score(data)(2) == Approx(0.2498945577).epsilon(1e-9));
  }
  SECTION("equals the double sum over rows and cannot-links") {
    data.constraints.must_link = {{5, 6}};
    data.constraints.cannot_link = {{2, 5}, {1, 7}};
    const LinkGroups links = close_constraints(8, data.y, data.constraints);
    GraphEdits edits;
    edits.add = must_link_pairs(links);
    const Graph graph =
        without_conflicts(neighbor_graph(data.z, options.graph, edits, Control()), links);
    for (Index r = 0; r < 3; ++r) {
      CHECK(score(data)(r) ==
            Approx(naive(data.x.column(r), graph, links.pairs().cannot_link)).epsilon(1e-12));
    }
    const Sparse sparse(examples::eight_by_three());
    Problem stored = data;
    stored.x = stored.z = sparse.view();
    CHECK(score(stored).isApprox(score(data), 1e-12));
  }
  SECTION("without a cannot-link it is the Laplacian score") {
    data.y = Labels();
    CHECK(score(data).isApprox(laplacian(data, {options.graph, true}, Control()).statistic, 1e-15));
  }
}
