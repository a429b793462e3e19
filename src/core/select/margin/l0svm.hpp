#pragma once

#include "core/select/margin/sparse_svm.hpp"

namespace semiselect {

enum class L0Variant { l2, l1 };

struct L0svmOptions {
  double cost = -1;  // C; negative: 100 / s, s the mean scatter of the labelled rows
  L0Variant variant = L0Variant::l2;
  double tol = 1e-4;     // of the fixed point, l2
  int max_rounds = 100;
  Index n_features = 0;  // 0: not given
};

struct L0svmFit {
  Selection selection;
  std::vector<SparseSvmFit> by_class;
};

// L0-SVM, "AROM" (Weston, Elisseeff, Schoelkopf and Tipping 2003): the number of non-zero weights is
// approximated by sum_j ln|v_j| and lowered by rescaling. Start with u_j = 1; train an SVM on the
// columns u_j z_j, with weights w_j there and v_j = u_j w_j on the columns themselves; set u = |v|;
// repeat.
//
//   l2  ordinary linear SVM each time (soft margin, cost C); a feature dies at
//       |v_j| <= 1e-8 max|v|; fixed point |w_j| = 1 for all that live, to `tol`. Each round lowers
//       J = sum ln|v_j| + C sum xi (until a weight dies).
//   l1  the linear program of the L1-SVM each time; a feature dies at |v_j| <= 1e-9 max|v|; stops
//       when |v| - u changes by at most 1e-6 max|v|.
//
// Survivors are ranked by |v_j|, then the dead, latest first, within a round by ln|v_j| (l2) or
// |u_j z_j'(a*y)| (l1). u is kept as a logarithm: weights fall double-exponentially. `objective` is
// J by round (l2). More than two classes: each against the rest, as in the L1-SVM. O(l^2 alive) a
// round.
L0svmFit l0svm(const Problem& data, const L0svmOptions& options, const Control& control);

}  // namespace semiselect
