#include <catch2/catch.hpp>
#include <numeric>

#include "core/graph/label_propagation.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/optim/dense.hpp"
#include "core/run/rng.hpp"

using namespace semiselect;

namespace {

const Control control;

PropagationOptions with(PropagationMethod method, double alpha = 0.99) {
  PropagationOptions options;
  options.method = method;
  options.alpha = alpha;
  return options;
}

Eigen::MatrixXd dense_w(const LinkedGraph& graph) {
  Eigen::MatrixXd w(graph.n(), graph.n());
  for (Index j = 0; j < graph.n(); ++j) {
    Eigen::VectorXd column(graph.n());
    graph.times(Eigen::VectorXd::Unit(graph.n(), j), column);
    w.col(j) = column;
  }
  return w;
}

// Twelve rows, four features, two labels each of a (0) and b (1).
struct Example {
  Eigen::MatrixXd x{12, 4};
  Labels y;
  Example() {
    x << -0.9, -0.8, -0.6, 0.5, 0.4, -0.4, 0.3, 0.7, 0.6, -1.3, 0.7, 1.6, -3.2, 0.1, 1.1, 0.3, 1.5,
        -2, 0.5, 1.3, -0.3, -0.3, 0.5, -0.1, 2.4, 0.6, 1.5, -1.2, 0.4, -0.3, 0.6, -0.5, 3.3, -0.4,
        0.2, 1.8, 2, 2.4, 1.2, 1.3, 2, 0.4, 2, -0.7, 1.6, 0.2, 0.6, 0.3;
    y.code = {0, 0, -1, -1, -1, -1, 1, 1, -1, -1, -1, -1};
    y.classes = 2;
  }
  Graph neighbors() const {
    GraphOptions options;
    options.k = 2;
    options.weights = EdgeWeight::binary;
    return neighbor_graph(FeatureMatrix::dense(x), options, control);
  }
};

// 40 rows in three classes, random symmetric weights, rows 38 and 39 apart from the others.
struct Random {
  Graph graph;
  Labels y;
  explicit Random(std::uint64_t seed) {
    Rng rng(seed, 0);
    std::vector<Edge> edges;
    for (int i = 0; i < 38; ++i) {
      for (int j = i + 1; j < 38; ++j) {
        if (rng.uniform() < 0.12 || j == i + 1) edges.push_back({i, j, 0.1 + rng.uniform()});
      }
    }
    edges.push_back({38, 39, 1.0});
    graph = make_graph(40, edges);
    y.code.assign(40, unlabelled);
    for (int i = 0; i < 9; ++i) y.code[static_cast<std::size_t>(4 * i)] = i % 3;
    y.classes = 3;
  }
};

}  // namespace

TEST_CASE("rule (3)", "[label_propagation]") {
  const Example data;

  SECTION("gives the graph of the worked example") {
    const Eigen::MatrixXd w = dense_w(link_classes(data.neighbors(), data.y, 10));
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(12, 12);
    const int edges[][3] = {{1, 2, 10}, {7, 8, 10},  {1, 4, 1},   {1, 6, 1},  {2, 3, 1},
                            {2, 5, 1},  {2, 6, 1},   {2, 12, 1},  {3, 5, 1},  {4, 6, 1},
                            {5, 9, 1},  {6, 8, 1},   {7, 11, 1},  {7, 12, 1}, {8, 12, 1},
                            {9, 12, 1}, {10, 11, 1}, {10, 12, 1}, {11, 12, 1}};
    for (const auto& e : edges) {
      expected(e[0] - 1, e[1] - 1) = expected(e[1] - 1, e[0] - 1) = e[2];
    }
    CHECK(w == expected);
    CHECK(link_classes(data.neighbors(), data.y, 10).degree == expected.rowwise().sum());
  }
  SECTION("is idempotent") {
    const LinkedGraph once = link_classes(data.neighbors(), data.y, 10);
    std::vector<Edge> edges;
    const Eigen::MatrixXd w = dense_w(once);
    for (int i = 0; i < 12; ++i) {
      for (int j = i + 1; j < 12; ++j) {
        if (w(i, j) != 0) edges.push_back({i, j, w(i, j)});
      }
    }
    CHECK(dense_w(link_classes(make_graph(12, edges), data.y, 10)) == w);
  }
  SECTION("has the Laplacian of its listed edges") {
    const LinkedGraph graph = link_classes(data.neighbors(), data.y, 10);
    const Eigen::MatrixXd w = dense_w(graph);
    const Eigen::MatrixXd l = Eigen::MatrixXd(w.rowwise().sum().asDiagonal()) - w;
    CHECK(graph.laplacian_times(data.x).isApprox(l * data.x, 1e-14));
  }
}

TEST_CASE("label propagation", "[label_propagation]") {
  const Example data;
  const LinkedGraph linked = link_classes(data.neighbors(), data.y, 10);

  SECTION("lgc reproduces the worked example") {
    const PropagatedLabels out =
        propagate_labels(linked, data.y, with(PropagationMethod::lgc), control);
    Eigen::MatrixXd f(12, 2);
    f << 0.3742379554, 0.2919324499, 0.4005888366, 0.3167078967, 0.1454421787, 0.1189266640,
        0.1460554537, 0.1214338789, 0.1744211036, 0.1476448970, 0.2012136227, 0.1783889608,
        0.3033826620, 0.3672194372, 0.3052576846, 0.3658009369, 0.1347077598, 0.1266767408,
        0.1262591255, 0.1357841919, 0.1535172218, 0.1701788445, 0.2246862272, 0.2344522232;
    CHECK((out.f - f).cwiseAbs().maxCoeff() < 1e-9);
    CHECK(propagated_classes(out.f, out.reachable, data.y) ==
          std::vector<int>{0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 1});
  }
  SECTION("harmonic reproduces the worked example") {
    const PropagatedLabels out =
        propagate_labels(linked, data.y, with(PropagationMethod::harmonic), control);
    Eigen::VectorXd b(12);
    b << 0, 0, 0.0817610063, 0.1428571429, 0.1635220126, 0.2857142857, 1, 1, 0.4088050314,
        0.7232704403, 0.7924528302, 0.6540880503;
    CHECK((out.f.col(1) - b).cwiseAbs().maxCoeff() < 1e-9);
    CHECK((out.f.rowwise().sum().array() - 1).abs().maxCoeff() < 1e-10);
  }
}

TEST_CASE("label propagation against dense algebra", "[label_propagation]") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Random data(seed);
    for (const bool links : {false, true}) {
      const LinkedGraph graph =
          links ? link_classes(data.graph, data.y, 3) : without_links(data.graph);
      const Eigen::MatrixXd w = dense_w(graph);
      const Eigen::VectorXd d = w.rowwise().sum();
      Eigen::MatrixXd y = Eigen::MatrixXd::Zero(40, 3);
      for (const Index i : data.y.labelled_rows())
        y(i, data.y.code[static_cast<std::size_t>(i)]) = 1;
      const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(40, 40);

      const Eigen::VectorXd root = d.cwiseSqrt().cwiseInverse();
      const Eigen::MatrixXd s = root.asDiagonal() * w * root.asDiagonal();
      const PropagatedLabels lgc =
          propagate_labels(graph, data.y, with(PropagationMethod::lgc), control);
      CHECK(lgc.converged);
      CHECK(((identity - 0.99 * s) * lgc.f - 0.01 * y).norm() < 1e-12);
      CHECK((lgc.f - solve_square(identity - 0.99 * s, 0.01 * y)).norm() < 1e-10);

      // The class part of (I - I_a P)^-1 (I - I_a) [Y, 1 - Y 1].
      for (const double alpha : {0.99, 0.3, 0.0}) {
        Eigen::VectorXd on = Eigen::VectorXd::Constant(40, alpha);
        for (const Index i : data.y.labelled_rows()) on(i) = 0;
        const Eigen::MatrixXd p = d.cwiseInverse().asDiagonal() * w;
        const Eigen::MatrixXd start = (Eigen::VectorXd::Ones(40) - on).asDiagonal() * y;
        const Eigen::MatrixXd expected =
            solve_square(identity - Eigen::MatrixXd(on.asDiagonal()) * p, start);
        const PropagatedLabels walk =
            propagate_labels(graph, data.y, with(PropagationMethod::random_walk, alpha), control);
        CHECK((walk.f - expected).norm() < 1e-10);
        CHECK(walk.f.rowwise().sum().maxCoeff() <= 1 + 1e-12);
      }

      const PropagatedLabels harmonic =
          propagate_labels(graph, data.y, with(PropagationMethod::harmonic), control);
      const Eigen::MatrixXd mean = d.cwiseInverse().asDiagonal() * (w * harmonic.f);
      for (Index i = 0; i < 38; ++i) {
        if (data.y.is_labelled(i)) continue;
        CHECK((harmonic.f.row(i) - mean.row(i)).norm() < 1e-10);
        CHECK(harmonic.f.row(i).sum() == Approx(1).epsilon(1e-9));
      }
      CHECK(harmonic.f.minCoeff() >= 0);
      CHECK(harmonic.f.maxCoeff() <= 1);
      CHECK(harmonic.f.bottomRows(2).norm() == 0);
      CHECK(lgc.f.bottomRows(2).norm() == 0);
      CHECK_FALSE(lgc.reachable[38]);
      CHECK(lgc.reachable[37]);
      CHECK(propagated_classes(lgc.f, lgc.reachable, data.y)[39] == unlabelled);
    }
  }
}

TEST_CASE("a path a - ? - b walks to 0.495, 0.495 and 0.01", "[label_propagation]") {
  const Graph path = make_graph(3, {{0, 1, 2.5}, {1, 2, 2.5}});
  Labels y;
  y.code = {0, unlabelled, 1};
  y.classes = 2;
  const PropagatedLabels out =
      propagate_labels(path, y, with(PropagationMethod::random_walk), control);
  CHECK(out.f(1, 0) == Approx(0.495));
  CHECK(out.f(1, 1) == Approx(0.495));
  CHECK(propagated_classes(out.f, out.reachable, y)[1] == unlabelled);
}

TEST_CASE("label propagation at the edges", "[label_propagation]") {
  SECTION("an edge of weight 0 carries nothing") {
    const Graph graph = make_graph(3, {{0, 1, 1.0}, {1, 2, 0.0}});
    Labels y;
    y.code = {0, unlabelled, unlabelled};
    y.classes = 1;
    for (const auto method :
         {PropagationMethod::lgc, PropagationMethod::harmonic, PropagationMethod::random_walk}) {
      const PropagatedLabels out = propagate_labels(graph, y, with(method), control);
      CHECK(out.reachable == std::vector<bool>{true, true, false});
      CHECK(out.f(2, 0) == 0);
      CHECK(propagated_classes(out.f, out.reachable, y) == std::vector<int>{0, 0, unlabelled});
    }
  }
  SECTION("a labelled row without edges keeps (1 - alpha) under lgc") {
    const Graph graph = make_graph(3, {{0, 1, 1.0}});
    Labels y;
    y.code = {0, unlabelled, 1};
    y.classes = 2;
    const PropagatedLabels out = propagate_labels(graph, y, with(PropagationMethod::lgc), control);
    CHECK(out.f(2, 1) == Approx(0.01));
    CHECK(out.f(2, 0) == 0);
  }
  SECTION("all rows labelled") {
    const Graph graph = make_graph(2, {{0, 1, 1.0}});
    Labels y;
    y.code = {0, 1};
    y.classes = 2;
    const PropagatedLabels out =
        propagate_labels(graph, y, with(PropagationMethod::harmonic), control);
    CHECK(out.converged);
    CHECK(out.f == Eigen::MatrixXd::Identity(2, 2));
  }
}
