#pragma once

#include "core/select/margin/sparse_svm.hpp"

namespace semiselect {

enum class L1Loss { hinge, squared };

struct L1svmOptions {
  double cost = -1;  // C; negative: 20 C0 of each class
  L1Loss loss = L1Loss::hinge;
  bool path = false;
  int n_lambda = 20;
  double tol = 1e-8;  // relative duality gap (hinge)
  Index n_features = 0;  // 0: not given
};

struct L1svmFit {
  Selection selection;
  std::vector<SparseSvmFit> by_class;
};

// L1-SVM (Fung and Mangasarian 2000) on the labelled rows:
//
//   hinge    min |w|_1 + C sum max(0, 1 - y (w'z - b))
//   squared  min |w|_1 + C sum max(0, 1 - y (w'z - b))^2
//
// b free. Hinge: a linear program by column generation. The working set starts with the max(20, l)
// features of largest |z_j'y|; all features are priced with the dual, |z_j'(a*y)|, and the 50 worst
// above 1 + 1e-9 join, until there is none: optimal for all p. Squared: coordinate descent with
// shrinking, until the subgradient condition holds to 1e-6.
//
// Ranked by |w_j|, then by |z_j'(a*y)|, the order in which features would enter; with `path` by the
// smallest of n_lambda costs from C0 to 200 C0 at which they enter. More than two classes: each
// against the rest, statistic sum_c |w_jc| / max |w_c|.
L1svmFit l1svm(const Problem& data, const L1svmOptions& options, const Control& control);

// One two-class problem by column generation; `working` is the working set, kept for warm starts.
// `unit` multiplies the columns (L0-SVM rescales them); empty: 1.
SparseSvmFit l1svm_hinge(const LabelledRows& rows, double cost, double tol,
                         const Eigen::VectorXd& unit, std::vector<Index>& working,
                         const Control& control);

}  // namespace semiselect
