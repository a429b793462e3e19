#pragma once

#include <functional>
#include <vector>

#include <Eigen/Core>

#include "core/data/matrix.hpp"
#include "core/graph/graph.hpp"
#include "core/run/control.hpp"

namespace semiselect {

// Number of connected components; edges of weight 0 do not connect.
int count_components(const Graph& graph);

// Mean of every column of z over all its rows.
Eigen::VectorXd column_means(const FeatureMatrix& z);

// L V for a block of columns, L = D - W.
Eigen::MatrixXd laplacian_times(const Graph& graph, const Eigen::MatrixXd& v);

// Z = X'LX over the listed columns of z (d x d), L the Laplacian of the graph. Block by block:
// never more than a few columns of z dense at once. O(|E| d + n d^2).
Eigen::MatrixXd smoothness_matrix(const FeatureMatrix& z, const std::vector<Index>& columns,
                                  const Graph& graph, const Control& control);

// X diag(weight) X' (n x n) for the rows of z, its columns centered at `mean`; columns of weight 0
// cost nothing. Thinly filled columns stay sparse.
Eigen::MatrixXd weighted_gram(const FeatureMatrix& z, const Eigen::VectorXd& mean,
                              const Eigen::VectorXd& weight, const Control& control);

// How to get H below; `automatic` chooses by size and by the ridge.
enum class ManifoldRoute {
  automatic,
  features,   // d x d: Cholesky, or an eigendecomposition if eps = 0
  samples,    // n x n: LU of L G + eps I, G = X X'; eigendecompositions if eps = 0
  laplacian,  // eps = 0, connected, rows of full rank: the labelled block of L^+
  iterative   // conjugate gradients on feature vectors, nothing larger than x
};

// The kernel of linear functions that are smooth on the graph,
//
//   H = X_l (X'LX + eps I)^-1 X_l'      (l x l),
//
// X the columns of z centered over all rows, X_l its listed rows. eps = 0: the pseudo-inverse of
// X'LX, eigenvalues below 1e-10 of the largest dropped.
struct ManifoldKernel {
  Eigen::MatrixXd h;
  // (X'LX + eps I)^-1 X_l'u for every column of u (l rows): p x columns.
  std::function<Eigen::MatrixXd(const Eigen::MatrixXd& u)> weights;
  ManifoldRoute route = ManifoldRoute::automatic;
  bool converged = true;  // of the iterative route
};

ManifoldKernel manifold_kernel(const FeatureMatrix& z, const Graph& graph,
                               const std::vector<Index>& rows, double eps, ManifoldRoute route,
                               const Control& control);

}  // namespace semiselect
