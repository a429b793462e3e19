#pragma once

#include <functional>
#include <vector>

#include <Eigen/Core>

#include "core/run/control.hpp"

namespace semiselect {

// Minimization of a convex function over
//
//   P = {p in [0, 1]^d : sum p = m},   1 <= m < d,
//
// by the level method (Lemarechal, Nemirovskii and Nesterov 1995) from cuts c_j + g_j'p that lie
// below the function everywhere.

// The piecewise linear model max_j c_j + g_j'p and the two problems on it. Cuts are kept until more
// than 200 have gathered; then those without a multiplier in the last 50 minimizations go.
class CutModel {
 public:
  CutModel(Eigen::Index d, Eigen::Index m) : d_(d), m_(m) {}

  void add(const Eigen::VectorXd& g, double c);
  Eigen::Index size() const { return k_; }
  // Number of the cut, counted from 0 as they were added.
  int number(Eigen::Index j) const { return number_[static_cast<std::size_t>(j)]; }

  // min over P of the model: a linear programme with few rows,
  //   min t  s.t.  c_j + g_j'p <= t,  sum p = m,  0 <= p <= 1,
  // by a bounded-variable dual simplex method that goes on from the basis of the last call.
  // `value` is certified: whatever the pivots did, it is the value of the dual feasible point mu
  // (mu >= 0, sum 1), so never above the minimum. O(d a) per pivot, a the number of tight cuts.
  struct Bound {
    double value = 0;
    Eigen::VectorXd mu;  // multiplier of each cut held
  };
  Bound minimum();

  // The point of P with c_j + g_j'p <= target for all j that is nearest to p; target not below the
  // minimum. Projected Newton in the dual (k multipliers), O(d k) per step. False if neither that
  // nor the interior point got there; p is then the best point found, in P all the same.
  bool project(Eigen::VectorXd& p, double target) const;

  // The same two problems by one interior-point code, O(d k^2) per step: what minimum() and
  // project() fall back on.
  bool minimum_interior(Bound& bound) const;
  bool project_interior(Eigen::VectorXd& p, double target) const;

  int pivots() const { return pivots_; }        // of all calls of minimum() so far
  int fallbacks() const { return fallbacks_; }  // of them, how often the interior point was needed

 private:
  void start_from(Eigen::Index cut);
  bool simplex();  // false: gave up
  Bound certified(Eigen::VectorXd mu) const;
  void drop_idle();
  bool interior(bool projection, const Eigen::VectorXd& from, double target, Eigen::VectorXd& p,
                Eigen::VectorXd& mu) const;

  Eigen::Index d_, m_, k_ = 0;
  Eigen::MatrixXd g_;  // one column per cut; capacity grows
  Eigen::VectorXd c_;
  std::vector<int> number_;
  std::vector<int> idle_;  // minimizations since the multiplier was last positive
  int added_ = 0;
  int pivots_ = 0;
  mutable int fallbacks_ = 0;

  // The basis: tight cuts, basic features, and the bound at which each other feature sits.
  double unit_ = 0;           // largest |g| of the first cut
  Eigen::VectorXd tie_break_; // distinct tiny costs: identical columns would make a basis singular
  std::vector<Eigen::Index> tight_, basic_;
  std::vector<signed char> status_;  // 0, 1: at that bound; 2: basic
  Eigen::VectorXd at_one_;           // per cut: sum of g over the features at 1
};

// The p of P nearest to q: clip(q - nu, 0, 1), exact to rounding.
Eigen::VectorXd project_capped_simplex(const Eigen::VectorXd& q, double m);

struct LevelOptions {
  double level = 0.5;  // lambda: target = level * upper + (1 - level) * lower
  double tol = 1e-3;   // on (upper - lower) / |upper|
  int max_iter = 200;
};

// What the function says at p: a value not below its own (upper), one not above it (value), and a
// cut that lies below it on all of P.
struct LevelAnswer {
  double upper = 0;
  double value = 0;
  Eigen::VectorXd g;
  double c = 0;
};

struct LevelTrace {
  double value, upper, lower;
};

struct LevelResult {
  Eigen::VectorXd p;         // where `upper` was reached
  int best = 0;              // the iteration that reached it, from 0
  double upper = 0;
  double lower = 0;
  // Multipliers behind `lower`: one per iteration, >= 0, sum 1.
  Eigen::VectorXd mu;
  std::vector<LevelTrace> trace;
  bool converged = false;
};

// Both bounds are monotone by construction; no random numbers. `ask(iteration, p)` is called once
// per iteration, in order. Interrupts are polled at the head of each.
LevelResult level_method(Eigen::VectorXd p, Eigen::Index m, const LevelOptions& options,
                         const std::function<LevelAnswer(int, const Eigen::VectorXd&)>& ask,
                         const Control& control);

}  // namespace semiselect
