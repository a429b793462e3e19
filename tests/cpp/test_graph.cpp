#include <catch2/catch.hpp>

#include <cmath>

#include "core/graph/neighbor_graph.hpp"
#include "core/run/rng.hpp"
#include "examples.hpp"
#include "storage.hpp"

using namespace semiselect;
using examples::gaussian;
using examples::with_threads;

namespace {

// f'Lf and f~'Df~ with the matrices written out.
struct Naive {
  Eigen::VectorXd roughness, spread, mean;
};

Naive naive(const Eigen::MatrixXd& z, const Graph& graph) {
  const Eigen::MatrixXd w = graph.w;
  const Eigen::VectorXd d = w.rowwise().sum();
  const Eigen::MatrixXd laplacian = Eigen::MatrixXd(d.asDiagonal()) - w;
  Naive out;
  out.roughness.resize(z.cols());
  out.spread.resize(z.cols());
  out.mean.resize(z.cols());
  for (Index r = 0; r < z.cols(); ++r) {
    const Eigen::VectorXd f = z.col(r);
    out.mean(r) = f.dot(d) / d.sum();
    const Eigen::VectorXd g = f.array() - out.mean(r);
    out.roughness(r) = g.dot(laplacian * g);
    out.spread(r) = g.cwiseAbs2().dot(d);
  }
  return out;
}

Graph random_graph(Index n, std::uint64_t seed) {
  Rng rng(seed, 1);
  std::vector<Edge> edges;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      if (rng.uniform() < 0.2) edges.push_back({j, i, rng.uniform()});
    }
  }
  return make_graph(n, std::move(edges));
}

}  // namespace

TEST_CASE("a graph from edges in any order", "[graph]") {
  const Graph graph = make_graph(4, {{1, 2, 0.5}, {0, 2, 2.0}, {0, 1, 1.0}});
  CHECK(graph.edges[1].j == 2);
  CHECK(graph.degree(0) == 3);
  CHECK(graph.degree(3) == 0);
  CHECK(graph.w.coeff(2, 0) == 2);
  CHECK(graph.w.coeff(0, 2) == 2);
  CHECK(graph.w.nonZeros() == 6);
}

TEST_CASE("sums over edges and weighted spreads equal the quadratic forms", "[graph]") {
  Eigen::MatrixXd x = gaussian(50, 37, 2);
  x = (x.array() > 0.3).select(x.array(), 0.0);  // also what a sparse matrix would store
  const Sparse stored(x);
  const Graph graph = random_graph(50, 3);
  for (const Scale scale : {Scale::none, Scale::standardize, Scale::range, Scale::unit}) {
    CAPTURE(static_cast<int>(scale));
    const FeatureMatrix dense = FeatureMatrix::dense(x.data(), 50, 37).scaled(scale);
    const FeatureMatrix sparse = stored.view().scaled(scale);
    const Naive expected = naive(dense.to_dense(), graph);
    for (const FeatureMatrix& z : {dense, sparse}) {
      Eigen::VectorXd mean;
      CHECK(edge_sums(z, graph, Control()).isApprox(expected.roughness, 1e-12));
      CHECK(weighted_spread(z, graph.degree, Control(), &mean).isApprox(expected.spread, 1e-12));
      CHECK(mean.isApprox(expected.mean, 1e-10));
      CHECK(edge_sums(z, graph, with_threads(3)) == edge_sums(z, graph, Control()));
      CHECK(laplacian_ratio(z, graph, with_threads(2)) == laplacian_ratio(z, graph, Control()));
    }
  }
}

TEST_CASE("an order of the rows changes sums over edges by rounding only", "[graph]") {
  const Eigen::MatrixXd x = gaussian(60, 20, 4);
  const FeatureMatrix z = FeatureMatrix::dense(x.data(), 60, 20);
  Graph graph = random_graph(60, 5);
  const Eigen::VectorXd plain = edge_sums(z, graph, Control());
  for (int i = 0; i < 60; ++i) graph.order.push_back((7 * i) % 60);
  CHECK(edge_sums(z, graph, Control()).isApprox(plain, 1e-13));
}

TEST_CASE("an offset of 1e8 leaves the ratio, a constant has none", "[graph]") {
  Eigen::MatrixXd x = (64 * gaussian(40, 5, 6)).array().round() / 64;
  const Graph graph = random_graph(40, 7);
  const Eigen::VectorXd plain =
      laplacian_ratio(FeatureMatrix::dense(x.data(), 40, 5), graph, Control());
  x.array() += 1e8;
  x.col(3).setConstant(1e8 / 3);
  const Eigen::VectorXd moved =
      laplacian_ratio(FeatureMatrix::dense(x.data(), 40, 5), graph, Control());
  CHECK(moved.head(3).isApprox(plain.head(3), 1e-9));
  CHECK(std::isnan(moved(3)));
}

TEST_CASE("class links take the place of edges between labelled rows", "[graph]") {
  const Graph graph = make_graph(6, {{0, 1, 0.3}, {0, 3, 0.4}, {1, 4, 0.5}, {2, 3, 0.6}});
  Labels y;
  y.classes = 2;
  y.code = {0, unlabelled, 0, 1, unlabelled, 1};
  const Graph linked = with_class_links(graph, y, 10);
  const Eigen::MatrixXd w = linked.w;
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(6, 6);
  expected(0, 1) = 0.3;
  expected(1, 4) = 0.5;
  expected(0, 2) = 10;
  expected(3, 5) = 10;
  CHECK(w == expected + expected.transpose());
  const Eigen::MatrixXd again = with_class_links(linked, y, 10).w;
  CHECK(again == w);
}

TEST_CASE("the Laplacian scores of the worked example", "[graph]") {
  Eigen::MatrixXd x(8, 3);
  x << 0, 0, 5,
       1, 0, 7,
       0, 2, 4,
       4, 4, 5,
       6, 4, 3,
       4, 5, 6,
       2, 3, 8,
       9, 1, 1;
  const FeatureMatrix z = FeatureMatrix::dense(x.data(), 8, 3);
  const auto check = [&](const GraphOptions& options, double a, double b, double c) {
    const Eigen::VectorXd score = laplacian_ratio(z, neighbor_graph(z, options, Control()), Control());
    CHECK(score(0) == Approx(a).epsilon(1e-9));
    CHECK(score(1) == Approx(b).epsilon(1e-9));
    CHECK(score(2) == Approx(c).epsilon(1e-9));
  };
  GraphOptions options;
  options.k = 2;
  check(options, 0.1809182826, 0.3547980921, 0.7101557392);
  options.bandwidth = Bandwidth::local;
  check(options, 0.2136592228, 0.4587508160, 0.5937782901);
  options.weights = EdgeWeight::binary;
  check(options, 0.3212061619, 0.5946337926, 0.6713109563);
}
