#pragma once

#include <Eigen/Core>

#include "core/data/matrix.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/run/parallel.hpp"

namespace semiselect {

// Squared Euclidean distances of all pairs of rows of z: n x n, diagonal 0. Columns are centered
// before the products, so that a common offset cannot swamp the differences, and pairs whose
// distance is lost in rounding are summed directly: identical rows have exactly 0.
Eigen::MatrixXd all_squared_distances(const FeatureMatrix& z, const Control& control);

// The full similarity exp(-d_ij^2 / bandwidth) of all pairs of rows of z, diagonal 1.
struct RbfSimilarity {
  Eigen::MatrixXd s;       // both triangles
  Eigen::VectorXd degree;  // s 1
  double bandwidth = 0;    // in force; NaN for "local"
};

// `kind` median: the median of all squared distances i < j that are positive, 1 if there is none.
// number: `value`. local: exp(-d_ij^2 / (s_i s_j)), s_i the distance to the k-th nearest other row
// (0: the smallest positive one from i, else 1). Throws InputError if every off-diagonal entry
// underflows to 0, warns if more than half of them do. n x n in memory, which the method is about.
RbfSimilarity rbf_similarity(const FeatureMatrix& z, Bandwidth kind, double value, int k,
                             const Control& control);

// f'Sf for every column f of the n x c matrix, S symmetric: half the products of S F.
Eigen::VectorXd symmetric_forms(const Eigen::MatrixXd& s, const Eigen::MatrixXd& f,
                                const Control& control);

}  // namespace semiselect
