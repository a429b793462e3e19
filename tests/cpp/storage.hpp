#pragma once

#include <vector>

#include "core/data/matrix.hpp"

namespace semiselect {

// A dense matrix kept as compressed sparse columns, for tests that compare the two storages.
class Sparse {
 public:
  explicit Sparse(const Eigen::MatrixXd& x) : n_(x.rows()), p_(x.cols()), outer_{0} {
    for (Index j = 0; j < p_; ++j) {
      for (Index i = 0; i < n_; ++i) {
        if (x(i, j) == 0) continue;
        values_.push_back(x(i, j));
        inner_.push_back(static_cast<int>(i));
      }
      outer_.push_back(static_cast<int>(values_.size()));
    }
  }
  FeatureMatrix view() const {
    return FeatureMatrix::sparse(values_.data(), inner_.data(), outer_.data(), n_, p_);
  }

 private:
  Index n_, p_;
  std::vector<double> values_;
  std::vector<int> inner_, outer_;
};

}  // namespace semiselect
