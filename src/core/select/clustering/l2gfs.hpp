#pragma once

#include <vector>

#include "core/cluster/start.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

// Local-to-global feature selection (L2GFS; Hindawi 2013, section 4.4): k-means under hard
// constraints with one weight per feature and cluster.
//
//   Q(lab, C, w) = sum_i sum_j w_qj^beta ( (x_ij - c_qj)^2 + tau v_j ),   q = lab_i
//
// v_j: variance of the feature. Every must-link and cannot-link holds in the result. Q never rises
// (tau > 0), so the labels repeat after finitely many iterations. Departs from the thesis, whose
// greedy assignment may cycle and whose weights are undefined for a feature without dispersion:
// groups of must-linked rows are assigned together and optimally, never worse than before, and
// tau smooths the dispersions. tau = 0: the printed rule, weight 0 without dispersion, and no
// descent.
struct L2gfsOptions {
  double beta = -0.1;
  double tau = 0.01;
  int max_iter = 100;
};

// One run.
struct L2gfsFit {
  std::vector<int> cluster;       // of each row of x
  Eigen::MatrixXd centroids;      // K x p, on the scale of x
  Eigen::MatrixXd local_weights;  // K x p, 0 for constant features
  Eigen::VectorXd weights;        // mean over the clusters (4.37)
  Eigen::VectorXd relevance;      // mean over the clusters of what falls with the dispersion
  std::vector<bool> pure;         // not constant, but constant within every cluster
  std::vector<double> objective;
  int iterations = 0;
  bool converged = false;
};

struct L2gfs {
  std::vector<double> final_objective;
  int best = 0;                   // smallest Q, ties to the earlier run
  L2gfsFit fit;                   // of that run
  Eigen::VectorXd weights;        // mean over the runs
  Eigen::VectorXd relevance;
  std::vector<Index> pure_order;  // features pure in every run, by falling variance
};

// Throws InputError for contradictory or infeasible constraints. O(n p K) per iteration; the same
// bits for any number of threads.
L2gfs l2gfs(const Problem& data, const std::vector<ClusterStart>& starts,
            const L2gfsOptions& options, const Control& control);

// Throws InputError naming the two rows, if the links contradict each other.
void refuse_contradiction(const LinkGroups& links);

}  // namespace semiselect
