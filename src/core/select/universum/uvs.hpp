#pragma once

#include "core/data/problem.hpp"
#include "core/run/parallel.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

// Scores that use a Universum: rows that belong to none of the classes (Qiu and Pan 2016).
//
//   alpha B - beta V + base                                              maximized
//
//   B = mean over (universum row, target row) of the squared difference
//     = var_u + var_x + (mean_u - mean_x)^2
//   V = mean over ordered pairs of universum rows of the squared difference = 2 var_u
//
// with variances of divisor u and n: O(n + u) for a feature instead of O(n u + u^2). The paper
// divides the second sum by u only ("paper": V = 2 u var_u), which makes it u times an average, so
// that neither alpha nor beta matters any more; "mean" is the comparable one.
enum class UniversumSpread { mean, paper };

struct UniversumOptions {
  double alpha = 1;
  double beta = 10;
  UniversumSpread beta_norm = UniversumSpread::mean;
};

// alpha B - beta V of every column. x and the Universum share their scaling.
Eigen::VectorXd universum_contrast(const FeatureMatrix& x, const FeatureMatrix& universum,
                                   const UniversumOptions& options, const Control& control);

// UVS, (6): base = var_x, the variance score, on the scaled data. A single Universum row has V = 0.
Selection uvs(const Problem& problem, const FeatureMatrix& universum,
              const UniversumOptions& options, const Control& control);

}  // namespace semiselect
