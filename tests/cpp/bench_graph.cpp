// Products, the exact neighbor graph, sums over a graph and the descent, timed against yardsticks
// of the same run: the best double product of this machine and the speed of its memory.
//
//   bench_graph            what fits into half a minute
//   bench_graph "[tall]"   a million rows

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>

#include "core/graph/neighbor_descent.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/optim/gram.hpp"
#include "core/run/rng.hpp"
#include "examples.hpp"

using namespace semiselect;
using examples::gaussian;
using examples::with_threads;

namespace {

FeatureMatrix view(const Eigen::MatrixXd& x) {
  return FeatureMatrix::dense(x.data(), x.rows(), x.cols());
}

// CPU seconds, least of several runs: for one thread, where other work on the machine would count.
double cpu_seconds(const std::function<void()>& work, int runs = 5) {
  double best = 1e300;
  for (int r = 0; r < runs; ++r) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

// Seconds on the clock, least of several runs: for several threads; believe it on an idle machine.
double seconds(const std::function<void()>& work, int runs = 5) {
  double best = 1e300;
  for (int r = 0; r < runs; ++r) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

double gigaflops(Index n, Index p, double time) {
  return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(p) / time / 1e9;
}

void report(const char* what, bool reached, double figure, double target) {
  std::printf("%-58s %9.3f  target %8.3f  %s\n", what, figure, target,
              reached ? "reached" : "NOT REACHED");
}

// Slope of log(time) over log(size).
double exponent(double size_a, double time_a, double size_b, double time_b) {
  return std::log(time_b / time_a) / std::log(size_b / size_a);
}

}  // namespace

TEST_CASE("products and the exact neighbor graph", "[bench][graph]") {
  const Eigen::MatrixXd x = gaussian(2000, 2000, 1);
  const FeatureMatrix z = view(x).scaled(Scale::standardize);
  const RowPacker rows = pack_rows_of(x.data(), x.rows());
  double best = 0;
  for (std::size_t kernel = 0; kernel < product_kernels().size(); ++kernel) {
    ProductShape shape{2000, 2000, 2000, true};
    shape.kernel = static_cast<int>(kernel);
    const double time = cpu_seconds([&] {
      for_each_product_block(shape, rows, rows, Control(), [](const ProductBlock&) {});
    }, 3);
    best = std::max(best, gigaflops(2000, 2000, time));
    std::printf("Gram matrix 2000 x 2000, kernel %-7s %8.4f s %8.1f Gflop/s\n",
                product_kernels()[kernel].c_str(), time, gigaflops(2000, 2000, time));
  }
  Eigen::MatrixXd square(2000, 2000);
  const double eigen = cpu_seconds([&] { square.noalias() = x * x.transpose(); }, 3);
  best = std::max(best, 2 * gigaflops(2000, 2000, eigen));
  std::printf("Eigen's product as compiled here        %8.4f s %8.1f Gflop/s\n", eigen,
              2 * gigaflops(2000, 2000, eigen));

  const auto search = [&](int threads) {
    nearest_neighbors(z, 5, Metric::euclidean, with_threads(threads));
  };
  const double one = cpu_seconds([&] { search(1); });
  const double alone = seconds([&] { search(1); });
  const double two = seconds([&] { search(2); });
  std::printf("exact neighbors 2000 x 2000, 1 and 2 threads: %.4f and %.4f s\n", alone, two);
  const double share = gigaflops(2000, 2000, one) / best;
  report("neighbors, share of the best double product", share >= 0.6, share, 0.6);
  report("neighbors, 1 thread over 2 threads", alone / two >= 1.7, alone / two, 1.7);

  const Eigen::MatrixXd half = gaussian(1000, 2000, 2), narrow = gaussian(2000, 500, 3);
  const double fewer =
      cpu_seconds([&] { nearest_neighbors(view(half), 5, Metric::euclidean, Control()); });
  const double thinner =
      cpu_seconds([&] { nearest_neighbors(view(narrow), 5, Metric::euclidean, Control()); });
  const double in_n = exponent(1000, fewer, 2000, one), in_p = exponent(500, thinner, 2000, one);
  report("neighbors, exponent in n", in_n <= 2.2, in_n, 2.0);
  report("neighbors, exponent in p", in_p <= 1.2, in_p, 1.0);
}

TEST_CASE("sums over a graph", "[bench][graph]") {
  const Eigen::MatrixXd x = gaussian(2000, 2000, 4);
  const FeatureMatrix z = view(x);
  const Graph five = neighbor_graph(z, GraphOptions(), Control());
  GraphOptions options;
  options.k = 20;
  const Graph twenty = neighbor_graph(z, options, Control());
  double sum = 0;
  const double read =
      cpu_seconds([&] { sum += Eigen::Map<const Eigen::ArrayXd>(x.data(), x.size()).sum(); });
  const double edges = cpu_seconds([&] { edge_sums(z, five, Control()); });
  const double more = cpu_seconds([&] { edge_sums(z, twenty, Control()); });
  const double spread = cpu_seconds([&] { weighted_spread(z, five.degree, Control()); });
  const double all = cpu_seconds([&] { laplacian_ratio(z, five, Control()); });
  std::printf("2000 x 2000: read %.4f, edges %.4f, spread %.4f, Laplacian %.4f s (%g)\n", read,
              edges, spread, all, sum == 0 ? 1.0 : 0.0);
  report("weighted spread, share of the memory bandwidth", read / spread >= 0.2, read / spread, 0.2);
  report("Laplacian score given the graph, ms", all <= 0.016, 1e3 * all, 16);
  const double growth = exponent(static_cast<double>(five.edges.size()), edges,
                                 static_cast<double>(twenty.edges.size()), more);
  report("sums over edges, exponent in edges", growth <= 1.2, growth, 1.0);

  const Eigen::MatrixXd wide = gaussian(100, 200000, 5);
  const double whole = seconds([&] {
    const FeatureMatrix scaled = view(wide).scaled(Scale::standardize);
    laplacian_ratio(view(wide), neighbor_graph(scaled, GraphOptions(), with_threads(2)),
                    with_threads(2));
  }, 3);
  report("wide, 100 x 200 000, Laplacian with its graph, s", whole <= 0.3, whole, 0.3);
}

TEST_CASE("sparse rows", "[bench][graph]") {
  const Index n = 20000, p = 60000;
  Rng rng(6, 0);
  std::vector<double> value;
  std::vector<int> inner, outer{0};
  for (Index c = 0; c < p; ++c) {
    std::vector<int> rows;
    for (int e = 0; e < 20; ++e) rows.push_back(static_cast<int>(rng.below(n)));
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (const int i : rows) {
      inner.push_back(i);
      value.push_back(static_cast<double>(1 + rng.below(5)));
    }
    outer.push_back(static_cast<int>(value.size()));
  }
  const FeatureMatrix x = FeatureMatrix::sparse(value.data(), inner.data(), outer.data(), n, p);
  const double time = seconds([&] {
    const Graph graph =
        neighbor_graph(x.scaled(Scale::standardize), GraphOptions(), with_threads(2));
    laplacian_ratio(x, graph, with_threads(2));
  }, 1);
  report("sparse, 20 000 x 60 000, Laplacian with its graph, s", time <= 10, time, 10);
}

TEST_CASE("a million rows", "[.][tall]") {
  // Intrinsic dimension 8.
  const Index n = 1000000, p = 241;
  Eigen::MatrixXd x(n, p);
  {
    Rng rng(7, 0);
    const Eigen::MatrixXd base = gaussian(8, p, 8);
    Eigen::VectorXd u(8);
    for (Index i = 0; i < n; ++i) {
      for (int t = 0; t < 8; ++t) u(t) = rng.normal();
      x.row(i) = (0.7 * (u.transpose() * base)).array().sin();
    }
  }
  for (const int threads : {1, 2}) {
    Graph graph;
    const double time = seconds([&] {
      graph = neighbor_graph(view(x), GraphOptions(), with_threads(threads));
    }, 1);
    const double score =
        seconds([&] { laplacian_ratio(view(x), graph, with_threads(threads)); }, 1);
    const double target = threads == 1 ? 100 : 60;
    std::printf("%d thread(s): graph %.1f s, score %.1f s, recall %.4f\n", threads, time, score,
                graph.recall);
    report("tall, 1 000 000 x 241, Laplacian with its graph, s", time + score <= target,
           time + score, target);
    report("tall, recall", graph.recall >= 0.99, graph.recall, 0.99);
  }
}
