#pragma once

#include <vector>

#include "core/data/problem.hpp"
#include "core/run/parallel.hpp"

namespace semiselect {

// A self-organizing map of the rows, trained in batches; deterministic (Kohonen 2001; Hindawi 2013,
// (3.14)).
//
// Size a x b: about 5 sqrt(n) units, sides in the ratio of the two largest standard deviations.
// Prototypes start on the plane of the two principal axes. Each epoch: the nearest prototype v of
// every row (ties: lowest), then
//
//   c_z = sum_v h_vz S_v / sum_v h_vz n_v,   h = exp(-dist^2 / (2 T^2))
//
// S_v, n_v sum and number of the rows won by v, dist the steps between two units on the grid. The
// radius T falls to 1. O(n K p) per epoch; neither n x n nor p x p in memory. With more columns than
// rows (at most 2000 of these) prototypes are kept as combinations of the rows, O(n^2 K) per epoch:
// their Gram matrix then takes less room than the rows.
// Fewer than four rows: they are their own prototypes.
struct Som {
  Eigen::MatrixXd prototypes;  // K x p, in the units of z; unit i b + j at (i, j) of the grid
  Index a = 0, b = 0;
  std::vector<int> unit;       // winner of each row
  double quantization_error = 0;  // mean distance of a row to its winner
};
Som som(const FeatureMatrix& z, const Control& control);

// The problem with every row that carries neither a label nor a constraint replaced by prototypes:
// first the other rows, in their order, then the prototypes; all in scaled units. With fewer than
// four such rows: unchanged.
Problem compress_rows(const Problem& data, const Control& control);

// The two largest eigenvalues of the covariance (divisor n) of the rows, with their vectors.
struct PrincipalPlane {
  double first = 0, second = 0;
  Eigen::VectorXd axis1, axis2;
  // The axes as combinations of the centred rows, where n < p; else empty.
  Eigen::VectorXd rows1, rows2;
};
PrincipalPlane principal_plane(const FeatureMatrix& z, const Control& control);

}  // namespace semiselect
