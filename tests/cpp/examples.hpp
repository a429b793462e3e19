#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/data/problem.hpp"
#include "core/run/control.hpp"
#include "core/run/rng.hpp"

namespace semiselect {
namespace examples {

inline Eigen::MatrixXd gaussian(Index rows, Index columns, std::uint64_t seed) {
  Rng rng(seed, 0);
  Eigen::MatrixXd out(rows, columns);
  for (Index e = 0; e < out.size(); ++e) out.data()[e] = rng.normal();
  return out;
}

inline Control with_threads(int threads) {
  Control control;
  control.threads = threads;
  return control;
}

// The public worked example: eight rows, three features, four labels (0, 0, -, 1, 1, -, -, -).
inline Eigen::MatrixXd eight_by_three() {
  Eigen::MatrixXd x(8, 3);
  x << 0, 0, 5, 1, 0, 7, 0, 2, 4, 4, 4, 5, 6, 4, 3, 4, 5, 6, 2, 3, 8, 9, 1, 1;
  return x;
}

inline Problem problem(const Eigen::MatrixXd& x, std::vector<int> labels, int classes,
                       Scale scale = Scale::none) {
  Problem data;
  data.x = FeatureMatrix::dense(x);
  data.z = data.x.scaled(scale);
  data.y.code = std::move(labels);
  data.y.classes = classes;
  data.constant.assign(static_cast<std::size_t>(x.cols()), false);
  return data;
}

inline Problem eight_by_three_problem() {
  return problem(eight_by_three(), {0, 0, -1, 1, 1, -1, -1, -1}, 2);
}

}  // namespace examples
}  // namespace semiselect
