#pragma once

#include "core/data/matrix.hpp"
#include "core/run/control.hpp"

namespace semiselect {

// The ordinary linear support vector machine with a free intercept,
//
//   min over w, b   1/2 |w|^2 + C sum_i max(0, 1 - s_i (x_i'w + b)),
//
// for each column of signs (+1, -1) over the same rows: one for two classes, one per class for
// each against the rest. Made for many small fits.
struct LinearSvmOptions {
  double cost = 1;
  double tol = 1e-6;  // relative duality gap
};

struct LinearSvm {
  Eigen::MatrixXd w;   // p x columns of signs
  Eigen::VectorXd b;   // midpoint of the interval of minimizers, given w
  Eigen::VectorXd gap;
  bool converged = true;
};

// Few rows, or fewer than columns and up to 2000: sequential minimal optimization with
// second-order selection on the kernel matrix (Fan, Chen and Lin 2005), with interior points where
// that takes too long. Else ElasticNetSvm.
// O(n^2 p) once, then O(n) a step. A column of signs with one class only: w = 0, b = that sign.
LinearSvm linear_svm(const FeatureMatrix& x, const Eigen::MatrixXd& sign,
                     const LinearSvmOptions& options, const Control& control);

}  // namespace semiselect
