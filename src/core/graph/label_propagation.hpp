#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/data/labels.hpp"
#include "core/graph/graph.hpp"

namespace semiselect {

// The graph of rule (3) of Jiang et al. (2019): neighbor edges, and over them the labels.
//
//   W_ij = eta for two labelled rows of one class, neighbors or not; 0 for two labelled rows of
//   different classes; the weight of the neighbor edge where at least one row is unlabelled;
//   W_ii = 0.
//
// The class links are never listed: W v = W_neighbors v + eta (sum over the class - v_i).
struct LinkedGraph {
  Graph neighbors;          // edges that the labels leave
  std::vector<int> code;    // classes of the rows; empty: no class links
  std::vector<Index> size;  // labelled rows per class
  double eta = 0;
  Eigen::VectorXd degree;  // D = diag(W 1), class links included

  Index n() const { return degree.size(); }
  // W v.
  void times(const Eigen::VectorXd& v, Eigen::VectorXd& out) const;
  // (D - W) v and (D - W) V.
  Eigen::VectorXd laplacian_times(const Eigen::VectorXd& v) const;
  Eigen::MatrixXd laplacian_times(const Eigen::MatrixXd& v) const;
};

// The graph as it is.
LinkedGraph without_links(Graph graph);
// Rule (3) with class links of weight eta > 0 in place of the edges between labelled rows.
LinkedGraph link_classes(Graph graph, const Labels& y, double eta);

// Whether a path of positive weights joins the row to a labelled row. Labelled rows: yes.
std::vector<bool> reachable_rows(const LinkedGraph& graph, const Labels& y);

enum class PropagationMethod { lgc, harmonic, random_walk };

struct PropagationOptions {
  PropagationMethod method = PropagationMethod::lgc;
  double alpha = 0.99;  // lgc: in (0, 1); random_walk: in [0, 1)
  double tol = 1e-12;
  int max_iter = 10000;
};

struct PropagatedLabels {
  Eigen::MatrixXd f;  // n x classes
  std::vector<bool> reachable;
  std::vector<int> iterations;  // per class
  Eigen::VectorXd residuals;    // relative, per class
  bool converged = true;
};

// Labels spread over a graph. Y is the n x K indicator of the labelled rows.
//
//   lgc          F = (1 - alpha)(I - alpha D^-1/2 W D^-1/2)^-1 Y        (Zhou et al. 2004)
//                rows without edges: (1 - alpha) Y
//   harmonic     F_L = Y_L, (D - W)_UU F_U = W_UL Y_L on the unlabelled rows that a label
//                reaches, 0 on the others                               (Zhu et al. 2003)
//   random_walk  F_L = Y_L, (D_UU - alpha W_UU) F_U = alpha W_UL Y_L: the probability that a walk
//                from row i ends at class c; it goes on with probability alpha at an unlabelled
//                row and is absorbed at a labelled one. 1 - F 1: it stops as unknown.
//
// By conjugate gradients, one right-hand side per class; no n x n matrix. Rows in a component
// without a label have F = 0 exactly. O(K edges) per iteration.
PropagatedLabels propagate_labels(const LinkedGraph& graph, const Labels& y,
                                  const PropagationOptions& options, const Control& control);
PropagatedLabels propagate_labels(const Graph& graph, const Labels& y,
                                  const PropagationOptions& options, const Control& control);

// Class mass normalization (Zhu et al. 2003): column c of f times (share of c among the labels) /
// (sum of the column over the unlabelled rows that a label reaches); columns without such mass
// stay.
Eigen::MatrixXd class_mass_normalized(const Eigen::MatrixXd& f, const std::vector<bool>& reachable,
                                      const Labels& y);

// The class of every row: its own label; else the column of the largest entry of its row of f;
// `unlabelled` if no label reaches it, or if its two largest entries differ by at most
// 1e-10 max(f), where rounding would decide.
std::vector<int> propagated_classes(const Eigen::MatrixXd& f, const std::vector<bool>& reachable,
                                    const Labels& y);

}  // namespace semiselect
