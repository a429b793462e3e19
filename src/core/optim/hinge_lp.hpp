#pragma once

#include <Eigen/Core>

#include "core/run/control.hpp"

namespace semiselect {

// The linear-programming support vector machine (Fung and Mangasarian 2000), small and dense:
//
//   min  |w|_1 + C sum xi_i    s.t.  y_i (x_i'w - b) >= 1 - xi_i,  xi >= 0
//   dual max sum a_i           s.t.  |x_j'(a * y)| <= 1,  0 <= a <= C,  a'y = 0
//
// y in {-1, +1}, both present; b is free.
struct HingeLp {
  Eigen::VectorXd w;      // exact zeros
  double b = 0;           // midpoint of the interval of minimizers for this w
  Eigen::VectorXd alpha;  // feasible
  double primal = 0, dual = 0;
  double gap = 0;         // (primal - dual) / primal
  int iterations = 0;
};

// Primal-dual interior point (Mehrotra) with normal equations of size l, then the equations of the
// active sets solved exactly, kept if the gap shrinks. O(l^2 F) an iteration, 10 to 30 of them.
// The problem is normalized first, so that no tolerance depends on the unit of x.
HingeLp hinge_lp(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, double cost,
                 const Control& control);

// b that minimizes sum over i of weight * max(0, 1 - y (f - b))^2: Newton on a piecewise quadratic,
// exact after finitely many steps.
double squared_hinge_intercept(const Eigen::VectorXd& f, const Eigen::VectorXd& y, double start);

// Makes a'y = 0 by scaling the class with the larger sum down.
void balance_dual(Eigen::VectorXd& alpha, const Eigen::VectorXd& y);

}  // namespace semiselect
