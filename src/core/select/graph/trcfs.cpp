#include "core/select/graph/trcfs.hpp"

#include "core/graph/label_propagation.hpp"

namespace semiselect {

TrcfsFit trcfs(const Problem& data, const TrcfsOptions& options, const Control& control) {
  PropagationOptions walk;
  walk.method = PropagationMethod::random_walk;
  walk.alpha = options.alpha;
  const PropagatedLabels spread =
      propagate_labels(neighbor_graph(data.z, options.graph, control), data.y, walk, control);

  const int classes = data.y.classes;
  std::vector<Eigen::VectorXd> f;
  Eigen::VectorXd size(classes);
  for (int a = 0; a < classes; ++a) {
    f.push_back(spread.f.col(a));
    size(a) = f.back().sum();
  }
  const double volume = size.sum();

  TrcfsFit out;
  out.selection.statistic.resize(data.x.p());
  parallel_ranges(data.x.p(), 16, control, [&](Index begin, Index end) {
    Eigen::VectorXd mean(classes);
    for (Index r = begin; r < end; ++r) {
      mean.setZero();
      data.x.for_each_stored(r, [&](Index i, double v) {
        for (int a = 0; a < classes; ++a) mean(a) += f[a](i) * v;
      });
      mean.array() /= size.array();
      const double mu = size.dot(mean) / volume;
      double between = size.dot((mean.array() - mu).square().matrix());
      double within = 0;
      for (int a = 0; a < classes; ++a) {
        within += weighted_squares(data.x, r, f[a], size(a), mean(a));
      }
      if (is_noise(between, volume, mu)) between = 0;
      if (is_noise(within, volume, mu)) within = 0;
      out.selection.statistic(r) = between / within;
    }
  });
  out.soft_labels = spread.f;
  out.selection.converged = spread.converged;
  return out;
}

}  // namespace semiselect
