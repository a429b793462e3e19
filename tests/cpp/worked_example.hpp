#pragma once

#include "core/data/problem.hpp"
#include "examples.hpp"
#include "storage.hpp"

namespace semiselect {

// The public worked example with what the Universum and the supervised scores add to it.
struct WorkedExample {
  Eigen::MatrixXd x = examples::eight_by_three();
  Eigen::MatrixXd universum{3, 3};
  Labels few{{0, 0, -1, 1, 1, -1, -1, -1}, 2};
  Labels all{{0, 0, 0, 1, 1, 1, 0, 1}, 2};

  WorkedExample() { universum << 2, 2, 5, 5, 4, 4, 3, 1, 6; }
};

inline Problem problem_of(const FeatureMatrix& x, Scale scale, const Labels& y) {
  return {x, x.scaled(scale), y, {}, report_columns(x).constant};
}

inline Problem make_problem(const Eigen::MatrixXd& x, Scale scale = Scale::none,
                            const Labels& y = {}) {
  return problem_of(FeatureMatrix::dense(x), scale, y);
}

struct SparseCopy : Sparse {
  using Sparse::Sparse;
  Problem problem(Scale scale = Scale::none, const Labels& y = {}) const {
    return problem_of(view(), scale, y);
  }
};

}  // namespace semiselect
