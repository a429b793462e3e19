#pragma once

#include <utility>
#include <vector>

#include <Eigen/Core>

namespace semiselect {

using Index = Eigen::Index;

struct LassoOptions {
  double tolerance = 1e-12;  // of |change of s_j| sqrt(G_jj), relative to `size`
  int max_sweeps = 100000;   // over the active coordinates
};

struct LassoSolution {
  std::vector<std::pair<Index, double>> entries;  // non-zero coordinates, ascending
  int sweeps = 0;
  bool converged = true;
};

// min over s of  1/2 s'Gs - b's + lambda |s|_1,  s_j = 0 unless j is in `allowed`.
//
// Everything is read off the Gram matrix G (symmetric, positive semidefinite): coordinate descent
// on an active set, whose own block of G is packed, then one product for the gradient of the
// others; coordinates that violate |b_j - (Gs)_j| <= lambda join until none does. A support that
// has settled is solved for directly, which ends the slow tail of coordinate descent on nearly
// dependent coordinates; where the block is singular (identical rows) the descent goes on alone.
// `size` is the scale of a coordinate's effect, sqrt(z'z) of the target. O(sweeps |support|^2 +
// rounds |support| n).
LassoSolution gram_lasso(const Eigen::MatrixXd& gram, const Eigen::VectorXd& b, double lambda,
                         const std::vector<Index>& allowed, double size,
                         const LassoOptions& options);

}  // namespace semiselect
