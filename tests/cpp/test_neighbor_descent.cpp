#include <catch2/catch.hpp>

#include <cmath>

#include "core/graph/neighbor_descent.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/run/rng.hpp"
#include "storage.hpp"

using namespace semiselect;

namespace {

// Rows on a curved surface of few dimensions, the case that descent is made for.
Eigen::MatrixXd surface(Index n, Index p, int dimension, std::uint64_t seed) {
  Rng rng(seed, 0);
  Eigen::MatrixXd u(n, dimension), b(dimension, p);
  for (Index e = 0; e < u.size(); ++e) u.data()[e] = rng.normal();
  for (Index e = 0; e < b.size(); ++e) b.data()[e] = rng.normal();
  return (u * b).array().sin();
}

Control with(int threads, std::uint64_t seed) {
  Control control;
  control.threads = threads;
  control.seed = seed;
  return control;
}

double share_found(const Neighbors& found, const Neighbors& truth) {
  std::size_t hits = 0;
  const std::size_t k = static_cast<std::size_t>(truth.k);
  for (std::size_t i = 0; i < truth.index.size() / k; ++i) {
    for (std::size_t s = 0; s < k; ++s) {
      for (std::size_t t = 0; t < k; ++t) hits += found.index[i * k + s] == truth.index[i * k + t];
    }
  }
  return static_cast<double>(hits) / static_cast<double>(truth.index.size());
}

}  // namespace

TEST_CASE("descent finds nearly all neighbors and says how many", "[descent]") {
  const Eigen::MatrixXd x = surface(3000, 20, 4, 1);
  const FeatureMatrix z = FeatureMatrix::dense(x.data(), x.rows(), x.cols()).scaled(Scale::standardize);
  for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
    CAPTURE(static_cast<int>(metric));
    const Neighbors truth = nearest_neighbors(z, 5, metric, with(2, 0));
    const Neighbors found = descent_neighbors(z, 5, metric, DescentOptions(), with(2, 3));
    const double share = share_found(found, truth);
    CHECK(share > 0.98);
    CHECK(std::abs(found.recall - share) < 0.02);

    // What was found has its true distance, nearest first, and never the row itself.
    std::vector<Pair> pairs;
    for (int i = 0; i < 3000; ++i) {
      for (int s = 0; s < 5; ++s) pairs.emplace_back(i, found.index[static_cast<std::size_t>(5 * i + s)]);
    }
    CHECK(squared_distances(z, pairs, metric, Control()) == found.squared_distance);
    bool sorted = true, self = false;
    for (std::size_t e = 0; e < pairs.size(); ++e) {
      self = self || pairs[e].first == pairs[e].second;
      if (e % 5 > 0) sorted = sorted && found.squared_distance[e] >= found.squared_distance[e - 1];
    }
    CHECK(sorted);
    CHECK_FALSE(self);
    CHECK(found.order.size() == 3000);
  }
}

TEST_CASE("descent repeats with its seed, whatever the threads", "[descent]") {
  const Eigen::MatrixXd x = surface(1500, 10, 3, 2);
  const FeatureMatrix z = FeatureMatrix::dense(x.data(), x.rows(), x.cols());
  const Neighbors one = descent_neighbors(z, 4, Metric::euclidean, DescentOptions(), with(1, 5));
  const Neighbors three = descent_neighbors(z, 4, Metric::euclidean, DescentOptions(), with(3, 5));
  CHECK(one.index == three.index);
  CHECK(one.squared_distance == three.squared_distance);
  CHECK(one.order == three.order);
  CHECK(one.recall == three.recall);
  CHECK(descent_neighbors(z, 4, Metric::euclidean, DescentOptions(), with(1, 6)).order != one.order);
}

TEST_CASE("descent on sparse rows", "[descent]") {
  Eigen::MatrixXd x = surface(1200, 40, 2, 3);
  x = (x.array() > 0.6).select(x.array(), 0.0);
  const Sparse stored(x);
  for (const Scale scale : {Scale::none, Scale::standardize, Scale::unit}) {
    for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
      CAPTURE(static_cast<int>(scale), static_cast<int>(metric));
      const FeatureMatrix z = stored.view().scaled(scale);
      const Neighbors found = descent_neighbors(z, 5, metric, DescentOptions(), with(2, 4));
      CHECK(found.recall > 0.95);
    }
  }
}

TEST_CASE("few rows, k near n, copies: descent is exact", "[descent]") {
  for (const Index n : {Index(2), Index(7), Index(40)}) {
    const Eigen::MatrixXd x = surface(n, 3, 2, 4);
    const FeatureMatrix z = FeatureMatrix::dense(x.data(), n, 3);
    const Neighbors truth = nearest_neighbors(z, 6, Metric::euclidean, Control());
    const Neighbors found = descent_neighbors(z, 6, Metric::euclidean, DescentOptions(), Control());
    CHECK(found.index == truth.index);
    CHECK(found.squared_distance == truth.squared_distance);
  }
  const Eigen::MatrixXd same = Eigen::MatrixXd::Constant(400, 2, 0.3);
  const Neighbors found = descent_neighbors(FeatureMatrix::dense(same.data(), 400, 2), 3,
                                            Metric::euclidean, DescentOptions(), Control());
  CHECK(*std::max_element(found.squared_distance.begin(), found.squared_distance.end()) == 0);
}

TEST_CASE("the graph tells the recall and warns where it is low", "[descent]") {
  // Structureless rows in many dimensions: the hard case.
  Rng rng(9, 0);
  Eigen::MatrixXd x(4000, 200);
  for (Index e = 0; e < x.size(); ++e) x.data()[e] = rng.normal();
  GraphOptions options;
  options.search = Search::approximate;
  std::string heard;
  Control control = with(2, 1);
  control.warn = [&](const std::string& word) { heard = word; };
  const Graph graph = neighbor_graph(FeatureMatrix::dense(x.data(), 4000, 200), options, control);
  CHECK(graph.recall < 0.9);
  CHECK(heard.find("approximate search") != std::string::npos);
}
