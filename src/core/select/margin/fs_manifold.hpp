#pragma once

#include <string>
#include <vector>

#include "core/data/problem.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

enum class FsObjective { bound, exact };
enum class FsMulticlass { joint, separate };
enum class FsTau { fixed, cross_validated, maximal };

struct FsManifoldOptions {
  Index n_features = 20;  // m
  double cost = 0;        // C; 0: 10 / s
  double rho = 0;         // 0: 10 ("bound"), 0.3 d / trace(Z) ("exact")
  double tau = 0.5;       // for FsTau::fixed
  FsTau choose_tau = FsTau::fixed;
  FsObjective objective = FsObjective::bound;
  double ridge = -1;      // eps; negative: 1 / rho; 0: pseudo-inverse
  double level = 0.5;     // lambda
  double tol = 1e-3;      // relative gap
  int max_iter = 200;
  FsMulticlass multiclass = FsMulticlass::joint;
  // Cross-validation: for each fold the rows to hold out.
  std::vector<std::vector<Index>> folds;
};

struct FsManifoldTrace {
  int run;        // of "separate": the class; else 0
  int iteration;  // from 1
  double dual, upper, lower;
};

struct FsManifoldCandidate {
  double relative_cost, tau, error;
};

struct FsManifoldFit {
  Selection selection;  // statistic = p, order, selected, objective = upper bounds
  // The relaxed problem: one column per class ("one against the rest"), a single one for two.
  Eigen::VectorXd p;          // per column of x; "separate": summed over the classes
  Eigen::MatrixXd alpha;      // per labelled row, in row order
  Eigen::MatrixXd alpha_bar;  // feasible, and its own lower bound is not below `lower`
  Eigen::VectorXd b;
  Eigen::MatrixXd w;          // p x classes, for scaled and centered columns
  double lower = 0, upper = 0, gap = 0;
  std::vector<FsManifoldTrace> trace;
  Index n_fractional = 0;
  std::string note;
  // What was in force. NaN or -1: does not apply.
  double cost = 0, tau = 0, rho = 0, eps = 0;
  int components = -1;
  Index n_features = 0;
  std::vector<FsManifoldCandidate> candidates;  // what cross-validation tried
  // The classifier: a linear SVM refitted on the selected columns, on the scale of x.
  Eigen::MatrixXd coefficients;
  Eigen::VectorXd intercept;
  Eigen::MatrixXd platt;  // 2 x classes: the sigmoid of its probabilities
};

// Discriminative feature selection by manifold regularization (Xu, Jin, Lyu and King 2009, with
// the corrections of the help page). With X_l the labelled rows, y = +-1, u = alpha * y,
// P = {p in [0, 1]^d : sum p = m}, Q = {alpha in [0, C]^l : alpha'y = 0} and Z = X'LX:
//
//   bound  min_P max_Q  sum(alpha) - 1/2 u'[(1 - tau)^2 X_l D(p) X_l' + tau^2 / rho H] u    (11)
//          H = X_l (Z + eps I)^-1 X_l'
//   exact  min_P max_Q  sum(alpha) - 1/2 u' X_l D^.5 (I + rho D^.5 Z D^.5)^-1 D^.5 X_l' u    (5)
//
// by the level method with both bounds; features by p, ties by |x_i'u|. More than two classes:
// one shared p for all problems of one class against the rest, or one run for each.
// Per iteration one SVM a class, O(l^3), and O(d k) for k cuts; never d x d unless d <= n.
// Throws InputError if all columns are constant over the labelled rows.
FsManifoldFit fs_manifold(const Problem& problem, const GraphOptions& graph,
                          const FsManifoldOptions& options, const Control& control);

}  // namespace semiselect
