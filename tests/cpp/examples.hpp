#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/data/problem.hpp"

namespace semiselect {
namespace examples {

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

// The same data in sparse storage; keeps its own arrays.
struct SparseCopy {
  explicit SparseCopy(const Eigen::MatrixXd& x) {
    outer.push_back(0);
    for (Index j = 0; j < x.cols(); ++j) {
      for (Index i = 0; i < x.rows(); ++i) {
        if (x(i, j) == 0) continue;
        inner.push_back(static_cast<int>(i));
        values.push_back(x(i, j));
      }
      outer.push_back(static_cast<int>(values.size()));
    }
    matrix = FeatureMatrix::sparse(values.data(), inner.data(), outer.data(), x.rows(), x.cols());
  }
  std::vector<double> values;
  std::vector<int> inner, outer;
  FeatureMatrix matrix;
};

}  // namespace examples
}  // namespace semiselect
