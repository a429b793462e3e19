#pragma once

#include <functional>
#include <vector>

#include <Eigen/Core>

#include "core/data/constraints.hpp"
#include "core/data/matrix.hpp"
#include "core/run/parallel.hpp"

namespace semiselect {

// A hard clustering of the rows.
struct Clustering {
  std::vector<int> cluster;
  Eigen::MatrixXd centroids;  // K x p
  Eigen::MatrixXd metric;     // K x p, MPC-KMeans only
  int iterations = 0;
  bool converged = false;
  // COP-KMeans: the row for which no cluster was left, then for each cluster a row in it that is
  // in cannot-link with that row. Empty: none.
  std::vector<int> failed;
};

// In which order rows are visited: `next(iteration)`, a permutation; empty: by row number.
using VisitOrder = std::function<std::vector<int>(int iteration)>;

// COP-KMeans (Wagstaff, Cardie, Rogers and Schroedl 2001). Rows in turn: one whose must-link group
// has been placed follows it, any other goes to the cluster nearest to that row that holds no row
// in cannot-link with it; if there is none the run fails and `failed` says where. Centroids
// are the means, an empty cluster keeps its own. It stops when the labels repeat, but it may cycle:
// nothing is minimized.
// `links` closed, without contradiction. O(n p K) per iteration.
Clustering cop_kmeans(const FeatureMatrix& x, const LinkGroups& links,
                      const Eigen::MatrixXd& centroids, const VisitOrder& order, int max_iter,
                      const Control& control);

// Rows of x one at a time, with squared distances to K centers under K diagonal metrics.
class RowReader {
 public:
  explicit RowReader(const FeatureMatrix& x);
  Index n() const { return n_; }
  Index p() const { return p_; }
  Eigen::VectorXd row(Index i) const;
  // out_q = sum_d metric_qd (x_id - c_qd)^2; summed directly when x is dense, so that ties of
  // integer data stay ties. `metric` empty: 1. The columns of `centers` and `metric` (p x K) are
  // the clusters.
  void distances(Index i, const Eigen::MatrixXd& centers, const Eigen::MatrixXd& metric,
                 double* out) const;
  // Sum of the rows of each cluster, in the order of the rows: p x K.
  Eigen::MatrixXd cluster_sums(const std::vector<int>& cluster, Index clusters) const;

 private:
  Index n_ = 0, p_ = 0;
  Eigen::MatrixXd rows_;  // dense: p x n
  std::vector<Index> start_;
  std::vector<int> at_;
  std::vector<double> value_;
};

}  // namespace semiselect
