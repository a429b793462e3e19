#pragma once

#include "core/cluster/cop_kmeans.hpp"

namespace semiselect {

// MPC-KMeans (Bilenko, Basu and Mooney 2004) with a diagonal metric M_q per cluster. Row i in
// cluster q costs
//
//   |x_i - c_q|^2_Mq - sum_d log M_qd
//     + sum over mates r in h != q of ( |x_i - x_r|^2_Mq + |x_i - x_r|^2_Mh ) / 2
//     + sum over foes r in q of ( far_q - |x_i - x_r|^2_Mq )
//
// far_q: the largest squared distance under M_q between two constrained rows, the first such pair.
// Rows in turn go to the cheapest cluster, under the newest labels of the others; then centroids
// are means and
//
//   M_qd = n_q / max(den_qd, n_q 1e-9 v_d)
//   den_qd = sum_q (x_id - c_qd)^2 + 1/2 sum over violated must-links touching q (x_id - x_rd)^2
//            + sum over violated cannot-links in q ( (x'_d - x''_d)^2 - (x_id - x_rd)^2 )
//
// with x', x'' the pair of far_q. O(n p K + l^2 p K) per iteration for l constrained rows; the
// pairs are never listed.
Clustering mpc_kmeans(const FeatureMatrix& x, const LinkGroups& links,
                      const Eigen::MatrixXd& centroids, const VisitOrder& order, int max_iter,
                      const Control& control);

// Means of at most K neighborhoods (groups of two or more rows, and single rows that carry a
// cannot-link) by weighted farthest-first traversal: first the largest, ties to the one with the
// lower first row; then the one with the largest size times squared distance to the nearest
// chosen. Rows of the result may be fewer than K: the caller adds random rows.
Eigen::MatrixXd neighborhood_means(const FeatureMatrix& x, const LinkGroups& links,
                                   Index clusters);

}  // namespace semiselect
