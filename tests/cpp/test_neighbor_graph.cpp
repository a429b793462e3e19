#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "core/graph/neighbor_graph.hpp"
#include "core/run/errors.hpp"
#include "core/run/rng.hpp"
#include "examples.hpp"
#include "storage.hpp"

using namespace semiselect;
using examples::gaussian;
using examples::with_threads;

namespace {

Eigen::MatrixXd worked_example() {
  Eigen::MatrixXd x(8, 3);
  x << 0, 0, 5,
       1, 0, 7,
       0, 2, 4,
       4, 4, 5,
       6, 4, 3,
       4, 5, 6,
       2, 3, 8,
       9, 1, 1;
  return x;
}

FeatureMatrix view(const Eigen::MatrixXd& x) {
  return FeatureMatrix::dense(x.data(), x.rows(), x.cols());
}

double naive_distance(const FeatureMatrix& z, const Eigen::MatrixXd& x, Index i, Index j,
                      Metric metric) {
  double sum = 0, a2 = 0, b2 = 0;
  for (Index c = 0; c < z.p(); ++c) {
    if (metric == Metric::euclidean) {
      const double gap = (x(i, c) / z.row_divisor(i) - x(j, c) / z.row_divisor(j)) / z.divisor(c);
      sum += gap * gap;
    } else {
      const double a = z.entry(i, c), b = z.entry(j, c);
      sum += a * b;
      a2 += a * a;
      b2 += b * b;
    }
  }
  if (metric == Metric::euclidean) return sum;
  const double cosine = a2 > 0 && b2 > 0 ? sum / (std::sqrt(a2) * std::sqrt(b2)) : 0;
  return 2 * (1 - std::round(cosine * 1e12) / 1e12);
}

// Every distance, sorted.
Neighbors naive_neighbors(const FeatureMatrix& z, const Eigen::MatrixXd& x, int k, Metric metric) {
  Neighbors out;
  out.k = static_cast<int>(std::min<Index>(k, z.n() - 1));
  for (Index i = 0; i < z.n(); ++i) {
    std::vector<std::pair<double, int>> near;
    for (Index j = 0; j < z.n(); ++j) {
      if (j != i) near.emplace_back(naive_distance(z, x, i, j, metric), static_cast<int>(j));
    }
    std::sort(near.begin(), near.end());
    for (int s = 0; s < out.k; ++s) {
      out.squared_distance.push_back(near[static_cast<std::size_t>(s)].first);
      out.index.push_back(near[static_cast<std::size_t>(s)].second);
    }
  }
  return out;
}

void check_against_naive(const Eigen::MatrixXd& x, int k) {
  const Sparse stored(x);
  for (const Scale scale : {Scale::none, Scale::standardize, Scale::range, Scale::unit}) {
    for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
      CAPTURE(x.rows(), x.cols(), k, static_cast<int>(scale), static_cast<int>(metric));
      const FeatureMatrix z = view(x).scaled(scale);
      const Neighbors expected = naive_neighbors(z, x, k, metric);
      const Neighbors dense = nearest_neighbors(z, k, metric, with_threads(2));
      CHECK(dense.index == expected.index);
      if (metric == Metric::euclidean) CHECK(dense.squared_distance == expected.squared_distance);
      const Neighbors one = nearest_neighbors(z, k, metric, with_threads(1));
      CHECK(one.index == dense.index);
      CHECK(one.squared_distance == dense.squared_distance);

      const Neighbors sparse =
          nearest_neighbors(stored.view().scaled(scale), k, metric, with_threads(2));
      CHECK(sparse.index == expected.index);
      for (std::size_t e = 0; e < expected.index.size(); ++e) {
        CHECK(sparse.squared_distance[e] == Approx(expected.squared_distance[e]).margin(3e-12));
      }
    }
  }
}

std::vector<Pair> pairs_of(const Graph& graph) {
  std::vector<Pair> out;
  for (const Edge& edge : graph.edges) out.emplace_back(edge.i, edge.j);
  return out;
}

}  // namespace

TEST_CASE("neighbors equal those of all distances sorted", "[neighbors]") {
  SECTION("Gaussian rows") {
    check_against_naive(gaussian(120, 7, 1), 5);
    check_against_naive(gaussian(300, 40, 2), 3);
    check_against_naive(gaussian(40, 900, 3), 4);
  }
  SECTION("a sparse matrix") {
    Eigen::MatrixXd x = gaussian(200, 60, 4);
    x = (x.array() > 1.5).select(x.array(), 0.0);
    x.row(17).setZero();
    x.row(18).setZero();
    check_against_naive(x, 4);
  }
  SECTION("k = n - 1, k >= n, two rows, one column") {
    check_against_naive(gaussian(9, 3, 5), 8);
    check_against_naive(gaussian(9, 3, 5), 20);
    check_against_naive(gaussian(2, 3, 6), 1);
    CHECK(nearest_neighbors(view(gaussian(1, 3, 6)), 5, Metric::euclidean, Control()).k == 0);
  }
}

TEST_CASE("exact ties go to the lower row, although products would break them", "[neighbors]") {
  Rng rng(7, 0);
  SECTION("small counts, most distances tied") {
    Eigen::MatrixXd x(150, 4);
    for (Index e = 0; e < x.size(); ++e) x.data()[e] = static_cast<double>(rng.below(4));
    // Parallel rows make cosines that differ by rounding only: euclidean alone is compared bit by
    // bit, in units that centering would not keep.
    for (const double unit : {1.0, 0.1, 1e8, 1.0 / 3}) {
      const Eigen::MatrixXd scaled = unit * x;
      for (const Scale scale : {Scale::none, Scale::standardize, Scale::range}) {
        CAPTURE(unit, static_cast<int>(scale));
        const FeatureMatrix z = view(scaled).scaled(scale);
        const Neighbors expected = naive_neighbors(z, scaled, 5, Metric::euclidean);
        const Neighbors found = nearest_neighbors(z, 5, Metric::euclidean, with_threads(2));
        CHECK(found.index == expected.index);
        CHECK(found.squared_distance == expected.squared_distance);
        const Sparse stored(scaled);
        const Neighbors sparse =
            nearest_neighbors(stored.view().scaled_as(z), 5, Metric::euclidean, with_threads(2));
        CHECK(sparse.index == expected.index);
        CHECK(sparse.squared_distance == expected.squared_distance);
      }
    }
  }
  SECTION("all rows alike") {
    const Eigen::MatrixXd x = Eigen::MatrixXd::Constant(60, 3, 0.1);
    const Neighbors found = nearest_neighbors(view(x), 3, Metric::euclidean, Control());
    CHECK(found.index[0] == 1);
    CHECK(found.index[59 * 3] == 0);
    CHECK(found.index[59 * 3 + 2] == 2);
    CHECK(*std::max_element(found.squared_distance.begin(), found.squared_distance.end()) == 0);
  }
  SECTION("binary rows in many columns, cosine") {
    Eigen::MatrixXd x(90, 12);
    for (Index e = 0; e < x.size(); ++e) x.data()[e] = static_cast<double>(rng.below(2));
    x.row(3).setZero();
    const FeatureMatrix z = view(x);
    CHECK(nearest_neighbors(z, 5, Metric::cosine, Control()).index ==
          naive_neighbors(z, x, 5, Metric::cosine).index);
  }
}

TEST_CASE("an offset of 1e8 and rows of very different length change nothing", "[neighbors]") {
  // Entries on a grid of 1/64, so that the offset itself loses nothing.
  Eigen::MatrixXd x = (64 * gaussian(250, 30, 8)).array().round() / 64;
  const Neighbors plain = nearest_neighbors(view(x), 5, Metric::euclidean, Control());
  const Eigen::MatrixXd moved = x.array() + 1e8;
  const Neighbors far = nearest_neighbors(view(moved), 5, Metric::euclidean, Control());
  CHECK(far.index == plain.index);
  CHECK(far.squared_distance == plain.squared_distance);

  x.row(4) *= 1e9;
  x.row(5) *= 1e-9;
  const FeatureMatrix z = view(x);
  CHECK(nearest_neighbors(z, 5, Metric::euclidean, Control()).index ==
        naive_neighbors(z, x, 5, Metric::euclidean).index);
}

TEST_CASE("more rows than one block", "[neighbors]") {
  const Eigen::MatrixXd x = gaussian(1100, 9, 9);
  const FeatureMatrix z = view(x);
  const Neighbors expected = naive_neighbors(z, x, 6, Metric::euclidean);
  const Neighbors found = nearest_neighbors(z, 6, Metric::euclidean, with_threads(3));
  CHECK(found.index == expected.index);
  CHECK(found.squared_distance == expected.squared_distance);
}

TEST_CASE("the worked example: edges, bandwidths, weights", "[neighbors]") {
  const Eigen::MatrixXd x = worked_example();
  const std::vector<Pair> edges = {{0, 1}, {0, 2}, {1, 2}, {1, 6}, {3, 4},
                                   {3, 5}, {3, 7}, {4, 5}, {4, 7}, {5, 6}};
  const Sparse stored(x);
  for (const FeatureMatrix& z : {view(x), stored.view()}) {
    GraphOptions options;
    options.k = 2;
    const Graph graph = neighbor_graph(z, options, Control());
    CHECK(pairs_of(graph) == edges);
    CHECK(graph.edges[0].w == Approx(std::exp(-5 / 11.5)));  // "median" = 11.5
    CHECK(graph.edges[9].w == Approx(std::exp(-12 / 11.5)));
    CHECK(graph.degree(0) == Approx(std::exp(-5 / 11.5) + std::exp(-5 / 11.5)));
    CHECK(graph.w.coeff(7, 3) == Approx(std::exp(-50 / 11.5)));

    options.bandwidth = Bandwidth::local;
    const Graph local = neighbor_graph(z, options, Control());
    const double squares[8] = {5, 11, 14, 8, 14, 12, 12, 50};
    for (const Edge& edge : local.edges) {
      const double d = (x.row(edge.i) - x.row(edge.j)).squaredNorm();
      CHECK(edge.w == Approx(std::exp(-d / std::sqrt(squares[edge.i] * squares[edge.j]))));
    }

    options.weights = EdgeWeight::binary;
    options.symmetrize = Symmetrize::mutual;
    const Graph mutual = neighbor_graph(z, options, Control());
    CHECK(pairs_of(mutual) == std::vector<Pair>{{0, 1}, {0, 2}, {1, 6}, {3, 4}, {3, 5}, {5, 6}});
    CHECK(mutual.edges[0].w == 1);

    options.weights = EdgeWeight::cosine;
    const Graph cosine = neighbor_graph(z, options, Control());
    CHECK(cosine.edges[0].w == Approx(35 / std::sqrt(25.0 * 50)));
  }
}

TEST_CASE("edits add edges with their weight and take others out", "[neighbors]") {
  const Eigen::MatrixXd x = worked_example();
  GraphOptions options;
  options.k = 2;
  const GraphEdits edits{{{0, 1}, {0, 7}}, {{3, 7}, {2, 4}}};
  const Graph graph = neighbor_graph(view(x), options, edits, Control());
  const std::vector<Pair> edges = {{0, 1}, {0, 2}, {0, 7}, {1, 2}, {1, 6},
                                   {3, 4}, {3, 5}, {4, 5}, {4, 7}, {5, 6}};
  CHECK(pairs_of(graph) == edges);
  CHECK(graph.edges[2].w == Approx(std::exp(-98 / 11.5)));  // the bandwidth before the edits

  SECTION("of a given graph: median over its own edges") {
    GraphOptions own;
    own.given = make_graph(8, {{0, 1, 3.0}, {5, 6, 4.0}});  // squared lengths 5 and 12
    const Graph edited = neighbor_graph(view(x), own, {{{0, 7}}, {{5, 6}}}, Control());
    CHECK(pairs_of(edited) == std::vector<Pair>{{0, 1}, {0, 7}});
    CHECK(edited.edges[0].w == 3);
    CHECK(edited.edges[1].w == Approx(std::exp(-98 / 8.5)));

    own.bandwidth = Bandwidth::local;  // s from the k = 2 nearest rows
    own.k = 2;
    const Graph local = neighbor_graph(view(x), own, {{{0, 7}}, {}}, Control());
    CHECK(local.edges[1].w == Approx(std::exp(-98 / std::sqrt(5.0 * 50))));

    own.weights = EdgeWeight::cosine;
    CHECK(neighbor_graph(view(x), own, {{{0, 1}, {0, 7}}, {}}, Control()).edges[1].w ==
          Approx(5 / std::sqrt(25.0 * 83)));
    CHECK(neighbor_graph(view(x), own, Control()).edges[1].w == 4);
  }
}

TEST_CASE("copies of a row: median leaves zero lengths out, local looks further", "[neighbors]") {
  Eigen::MatrixXd x(7, 1);
  x << 0, 0, 0, 3, 3, 3, 10;
  GraphOptions options;
  options.k = 2;
  const Graph median = neighbor_graph(view(x), options, Control());
  CHECK(median.w.coeff(0, 1) == 1);
  CHECK(median.w.coeff(6, 3) == Approx(std::exp(-1)));  // 49 is the only positive length
  options.bandwidth = Bandwidth::local;                 // s = 3 for the copies, 7 for the last
  const Graph local = neighbor_graph(view(x), options, Control());
  CHECK(local.w.coeff(0, 1) == 1);
  CHECK(local.w.coeff(6, 4) == Approx(std::exp(-49.0 / 21)));

  x.setConstant(2);
  CHECK(neighbor_graph(view(x), options, Control()).edges[0].w == 1);
  options.bandwidth = Bandwidth::median;
  CHECK(neighbor_graph(view(x), options, Control()).edges[0].w == 1);
}

TEST_CASE("weights that vanish are refused when all, told when most", "[neighbors]") {
  Eigen::MatrixXd x(5, 1);
  x << 0, 1, 100, 300, 700;
  GraphOptions options;
  options.k = 1;
  options.bandwidth = Bandwidth::number;
  options.bandwidth_value = 1e-6;
  CHECK_THROWS_AS(neighbor_graph(view(x), options, Control()), InputError);
  options.bandwidth_value = 1;
  std::string heard;
  Control control;
  control.warn = [&](const std::string& word) { heard = word; };
  const Graph graph = neighbor_graph(view(x), options, control);
  CHECK(graph.edges.size() == 4);
  CHECK(graph.degree(4) == 0);
  CHECK(heard.find("3 of 4") == 0);
}
