#pragma once

#include "core/data/problem.hpp"

// The 8 x 3 example whose scores the tests check to ten digits.
struct WorkedExample {
  Eigen::MatrixXd x{8, 3};
  Eigen::MatrixXd universum{3, 3};
  semiselect::Labels few, all;

  WorkedExample() {
    x << 0, 0, 5,
         1, 0, 7,
         0, 2, 4,
         4, 4, 5,
         6, 4, 3,
         4, 5, 6,
         2, 3, 8,
         9, 1, 1;
    universum << 2, 2, 5,
                 5, 4, 4,
                 3, 1, 6;
    few = {{0, 0, -1, 1, 1, -1, -1, -1}, 2};
    all = {{0, 0, 0, 1, 1, 1, 0, 1}, 2};
  }
};

inline semiselect::Problem make_problem(const Eigen::MatrixXd& x,
                                        semiselect::Scale scale = semiselect::Scale::none,
                                        const semiselect::Labels& y = {}) {
  semiselect::Problem problem;
  problem.x = semiselect::FeatureMatrix::dense(x);
  problem.z = problem.x.scaled(scale);
  problem.y = y;
  problem.constant = semiselect::report_columns(problem.x).constant;
  return problem;
}

// The same entries in compressed sparse columns; owns them.
class SparseCopy {
 public:
  explicit SparseCopy(const Eigen::MatrixXd& x) : n_(x.rows()), p_(x.cols()) {
    outer_.push_back(0);
    for (Eigen::Index j = 0; j < p_; ++j) {
      for (Eigen::Index i = 0; i < n_; ++i) {
        if (x(i, j) == 0) continue;
        inner_.push_back(static_cast<int>(i));
        values_.push_back(x(i, j));
      }
      outer_.push_back(static_cast<int>(values_.size()));
    }
  }
  semiselect::FeatureMatrix view() const {
    return semiselect::FeatureMatrix::sparse(values_.data(), inner_.data(), outer_.data(), n_, p_);
  }
  semiselect::Problem problem(semiselect::Scale scale = semiselect::Scale::none,
                              const semiselect::Labels& y = {}) const {
    semiselect::Problem out;
    out.x = view();
    out.z = out.x.scaled(scale);
    out.y = y;
    out.constant = semiselect::report_columns(out.x).constant;
    return out;
  }

 private:
  Eigen::Index n_, p_;
  std::vector<double> values_;
  std::vector<int> inner_, outer_;
};
