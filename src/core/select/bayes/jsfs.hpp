#pragma once

#include <vector>

#include "core/data/problem.hpp"
#include "core/graph/label_propagation.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

enum class RelevanceUpdate { mm, em };
enum class PruneScale { relative, absolute };

struct JsfsOptions {
  double gamma = 0.001;     // weight of the graph penalty, >= 0
  double mu = 0.5;          // weight of the pseudo-labelled rows, in [0, 1]
  bool link_labels = true;  // rule (3); false: the graph as it is
  double eta = 10;          // weight of the class links
  double beta = 5;          // slope of the smooth truncation in (4)
  double lp_alpha = 0.99;
  RelevanceUpdate update = RelevanceUpdate::mm;
  double prune_weight = 1e-3;
  double prune_row = 1e-3;
  PruneScale prune_scale = PruneScale::relative;
  double tol = 1e-3;
  int max_iter = 200;
  double newton_tol = 1e-8;
  int max_newton = 50;
  bool center = true;
  int refresh = 0;  // rounds in which the graph is revised; 0: the paper
};

// One problem with two classes: the joint relevance model of Jiang, Wu, Yu and Chen (2019).
struct RelevanceFit {
  Eigen::VectorXd weights;        // p; 0 for pruned features
  Eigen::VectorXd alpha;          // p; infinite for pruned features
  std::vector<int> pruned_at;     // p; iteration in which the feature left, 0 = kept
  Eigen::VectorXd last_weight;    // p; |w| of a feature when it left
  Eigen::VectorXd lambda;         // n; 1 labelled, 0 pruned or undecided, NaN unlabelled if mu = 0
  Eigen::VectorXd row_precision;  // n; c, NaN where there is none
  // Traces, one entry per iteration.
  std::vector<double> objective, log_ml_w, log_ml_lambda;
  std::vector<int> n_features, n_unlabelled, newton;
  int iterations = 0;
  bool converged = false;
  bool separates = true;  // false: all weights are 0

  // |w| if kept; else (t - T - 1) + v / (1 + v), t the iteration in which the feature left with
  // weight v and T the iterations run: in [-T, 0), the later the better.
  double score(Index feature) const;
};

// Maximizes, over w and lambda in turn,
//
//   Q = sum_i t_i log sigma((2 y_i - 1) lambda_i x_i'w) - 1/2 w'(A + B)w
//       - 1/2 sum_j c_j lambda_j^2 + sum_j log sigma(beta lambda_j)                        (8)
//
// by Newton's method with t_i = 1, lambda_i = 1 for labelled rows and t_j = mu for pseudo-labelled
// ones, B = gamma X'LX, and the evidence (17), (19) over A = diag(alpha) and c: one step of (18)
// and (20) ("em") or of the concave bound in 1/alpha and the exact maximum in c ("mm"). Features
// with a weight near 0 and rows with lambda near 0 leave for good.
//
// z: n x p, of which `columns` take part; target: 0, 1 or `unlabelled` (a row without
// pseudo-label, which stays in L but not in the likelihood). Deterministic.
// O(min(n, d)^2 max(n, d)) per iteration. All weights 0: `separates` is false.
RelevanceFit fit_relevance(const FeatureMatrix& z, const std::vector<Index>& columns,
                           const LinkedGraph& graph, const std::vector<int>& target,
                           const std::vector<bool>& labelled, const JsfsOptions& options,
                           const Control& control);

struct Jsfs {
  Selection selection;
  std::vector<RelevanceFit> fits;  // one for two classes, else one per class
  std::vector<int> pseudo;         // per row: own label, pseudo-label or `unlabelled`
  Index n_undecided = 0;           // unlabelled rows without pseudo-label; 0 if mu = 0
  // refresh > 0: held-out labels that each graph got right, and whether the revised one was taken.
  int right_before = 0, right_after = 0, held_out = 0;
  bool revised = false;
  Eigen::MatrixXd coefficients;  // p x problems, on the scale of x (rows of unit norm if "unit")
  Eigen::VectorXd intercept;
  Eigen::MatrixXd link;  // n x problems: the fitted X w
};

// Joint feature selection and classification. Graph of rule (3), pseudo-labels by LGC on it, one
// relevance model for two classes (the second is the positive one), one against the rest for more,
// with one graph and one propagation for all.
//
// refresh > 0 (ours): noise columns spoil the neighbors and with them the pseudo-labels. So many
// times the rows are projected on the differences of their class means (labels, from the second
// round on also pseudo-labels), neighbors are sought there and labels propagated again. That graph
// replaces the first one only if it gets more labels right, by over a standard error, when they are
// held out, a tenth at a time: on data with a manifold and few labels the projection would lose it.
//
// statistic: |w_r|, sqrt(sum_c w_rc^2) for more classes; NaN for a constant column.
// selected: kept in at least one problem.
Jsfs jsfs(const Problem& problem, const GraphOptions& graph, const JsfsOptions& options,
          const Control& control);

}  // namespace semiselect
