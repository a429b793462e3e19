#include "core/select/graph/sselect.hpp"

#include <algorithm>
#include <cmath>

namespace semiselect {

namespace {

double entropy(const Eigen::VectorXd& counts, double total) {
  double h = 0;
  for (Index c = 0; c < counts.size(); ++c) {
    if (counts(c) > 0) h -= counts(c) / total * std::log(counts(c) / total);
  }
  return h;
}

}  // namespace

double normalized_information(const Eigen::MatrixXd& counts) {
  const double total = counts.sum();
  if (total <= 0) return 0;
  const Eigen::VectorXd rows = counts.rowwise().sum();
  const Eigen::VectorXd columns = counts.colwise().sum();
  const double normalizer = std::sqrt(entropy(rows, total) * entropy(columns, total));
  if (!(normalizer > 0)) return 0;
  double information = 0;
  for (Index a = 0; a < counts.rows(); ++a) {
    for (Index c = 0; c < counts.cols(); ++c) {
      const double joint = counts(a, c);
      if (joint > 0)
        information += joint / total * std::log(joint * total / (rows(a) * columns(c)));
    }
  }
  return std::min(std::max(information / normalizer, 0.0), 1.0);
}

Selection sselect(const Problem& problem, const SselectOptions& options, const Control& control) {
  const FeatureMatrix& x = problem.x;
  const Graph graph = neighbor_graph(problem.z, options.graph, control);
  const Eigen::VectorXd laplacian = laplacian_ratio(x, graph, control);
  Eigen::VectorXd mean;
  weighted_spread(x, graph.degree, control, &mean);

  const Labels& y = problem.y;
  Eigen::VectorXd class_size = Eigen::VectorXd::Zero(y.classes);
  for (const int c : y.code) {
    if (c != unlabelled) class_size(c) += 1;
  }

  Selection out;
  out.statistic.resize(x.p());
  parallel_for(x.p(), control, [&](Index r) {
    if (y.classes == 0) {
      out.statistic(r) = options.eta * laplacian(r) + (1 - options.eta);
      return;
    }
    double largest = 0;
    x.for_each_stored(r, [&](Index, double v) { largest = std::max(largest, std::abs(v)); });
    // At or above the mean but for rounding: a tie with the mean counts as above it.
    const double threshold = mean(r) - 1e-12 * largest;

    Eigen::MatrixXd counts = Eigen::MatrixXd::Zero(2, y.classes);
    Eigen::VectorXd unseen = class_size;
    x.for_each_stored(r, [&](Index i, double v) {
      if (!y.is_labelled(i)) return;
      const int c = y.code[static_cast<std::size_t>(i)];
      counts(v >= threshold ? 1 : 0, c) += 1;
      unseen(c) -= 1;
    });
    counts.row(0 >= threshold ? 1 : 0) += unseen.transpose();  // entries not stored are 0
    out.statistic(r) =
        options.eta * laplacian(r) + (1 - options.eta) * (1 - normalized_information(counts));
  });
  return out;
}

}  // namespace semiselect
