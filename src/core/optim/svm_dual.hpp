#pragma once

#include <Eigen/Core>

#include "core/run/control.hpp"

namespace semiselect {

// The support vector machine with a dense kernel, solved to high accuracy:
//
//   max over alpha   sum(alpha) - 1/2 u'Mu,   u = alpha * y,   0 <= alpha <= C,   alpha'y = 0
//
// M (l x l) symmetric positive semidefinite, often singular: alpha is then not unique, the value
// and f = M u are. y in {-1, +1}, both present. The classifier is sign(f - b).
struct SvmDualOptions {
  double cost = 1;      // C
  double tol = 1e-12;   // relative duality gap at which to stop
  int max_iter = 100;   // interior-point steps
};

struct SvmDual {
  Eigen::VectorXd alpha;  // in [0, C], alpha'y = 0
  Eigen::VectorXd f;      // M (alpha * y)
  double b = 0;           // midpoint of the interval of minimizers of the hinge sum
  // 1/2 u'Mu + C sum max(0, 1 - y (f - b)) and sum(alpha) - 1/2 u'Mu: bounds of the optimum from
  // above and from below, whatever the accuracy of alpha.
  double primal = 0;
  double dual = 0;
  double gap = 0;         // (primal - dual) / |primal|, 0 if both are 0
  // Largest |t - clip(t + 1 - y (f - b), 0, 1)|, t = alpha / C: 0 where the conditions of
  // Karush, Kuhn and Tucker hold with this b.
  double violation = 0;
  int iterations = 0;
  bool converged = false;  // gap <= tol
};

// Primal-dual interior point (Mehrotra), O(l^3 / 3) a step, some 10 to 20 steps; then one
// active-set polish: the free variables and b from their linear system, kept if it is feasible and
// the gap shrinks. Nothing is inverted, so a singular M does no harm, M = 0 included.
// Throws std::invalid_argument if sizes do not agree, a class is missing or C is not positive.
// `control` serves large problems: threads and interrupts within a step.
SvmDual svm_dual(const Eigen::MatrixXd& kernel, const Eigen::VectorXd& y,
                 const SvmDualOptions& options, const Control& control = Control());

// The b of f - b that minimizes sum max(0, 1 - y (f - b)): midpoint of the interval of minimizers.
// Both classes must be present; O(l log l).
double hinge_intercept(const Eigen::VectorXd& f, const Eigen::VectorXd& y);
// sum max(0, 1 - y (f - b)).
double hinge_sum(const Eigen::VectorXd& f, const Eigen::VectorXd& y, double b);

}  // namespace semiselect
