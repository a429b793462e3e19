#pragma once

#include <vector>

#include "core/data/problem.hpp"
#include "core/run/control.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

// What L1-SVM and L0-SVM share: labelled rows, one class against the rest, sparse linear
// classifiers f(z) = w'z - b.

// The labelled rows of the scaled data, with a sign for each.
struct LabelledRows {
  FeatureMatrix z;
  Eigen::VectorXd sign;  // +1 the class, -1 the rest
};

// Signs of the labelled rows for class c against the rest; two classes: the second is positive.
Eigen::VectorXd class_signs(const Labels& y, int c);
// How many problems there are: one for two classes, else one per class.
int class_problems(const Labels& y);

// One two-class problem.
struct SparseSvmFit {
  Eigen::VectorXd w;     // on the scaled columns
  double b = 0;
  Eigen::VectorXd pull;  // |z_j'(a * y)|: how close a feature without weight is to entering
  double cost = 0;
  double primal = 0, dual = 0, gap = 0;
  int iterations = 0;
  bool converged = true;
  std::vector<double> objective;  // trace

  // L1 path: costs ascending.
  std::vector<double> path_cost, path_objective;
  std::vector<Index> path_selected;
  Eigen::VectorXd entry;    // smallest cost / C0 with w_j != 0; Inf: never
  Eigen::VectorXd entry_w;  // |w_j| there

  // L0: the iteration in which a feature died (0: alive), and ln|v_j| or ln|z_j x_j'(a*y)| there.
  std::vector<int> death;
  Eigen::VectorXd last_words;

  // The classifier that predicts, on the columns as given; decision values of all rows.
  Eigen::VectorXd coefficients;
  double intercept = 0;
  Eigen::VectorXd decision;
  double platt_a = 0, platt_b = 0;
};

// C0 = 1 / (n_min max_j |mean_j+ - mean_j-|): at or below it w = 0 is optimal for the L1-SVM.
// Infinite if no feature has different means.
double smallest_useful_cost(const LabelledRows& rows);

// trace_c(Z Z') / l: the mean squared distance of the labelled rows from their mean, over the
// given columns (empty: all).
double mean_scatter(const FeatureMatrix& z, const std::vector<Index>& columns);

// Fills `coefficients`, `intercept`, `decision` and the Platt parameters from (w, b) of the scaled
// columns. With `columns` not empty a linear SVM of cost 10 / s_m, s_m the scatter of these
// columns, is refitted on them first.
void finish_classifier(const Problem& data, const LabelledRows& rows,
                       const std::vector<Index>& columns, SparseSvmFit& fit);

// The end of both methods, from `statistic` and `order` of the selection: constants behind
// everything that varies, `selected` (n_features of them, or the positive statistics when it is 0),
// and the classifiers, refitted on the selected columns if n_features is given.
void finish_selection(const Problem& data, const std::vector<LabelledRows>& rows, Index n_features,
                      Selection& selection, std::vector<SparseSvmFit>& by_class);

// sum over the classes of |w_j| / max |w|; a class without weights adds nothing. Two classes: |w_j|.
Eigen::VectorXd combined_weights(const std::vector<SparseSvmFit>& fits);

}  // namespace semiselect
