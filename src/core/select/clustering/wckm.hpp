#pragma once

#include <vector>

#include "core/cluster/start.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

// Weighted constrained k-means (wCKM; Hindawi 2013, section 4.3): fuzzy k-means that learns one
// weight per feature, with soft must-link and cannot-link pairs.
//
//   F(A, C, w) = sum_q sum_i a_iq^m d_iq + lambda ( sum_ML (1 - a_i . a_r) + sum_CL a_i . a_r )
//   d_iq = sum_j w_j^beta (x_ij - c_qj)^2,   rows of A on the simplex,   sum_j w_j = 1
//
// Descends in A, C and w in turn: F never rises while no dispersion S_j is at its floor. Departs
// from the thesis where its updates fail: memberships are the exact minimizer on the simplex, not
// (4.15), which may be negative; constrained rows are updated one after the other, since the
// penalty couples them; distances have a floor; 0 <= beta <= 1 is refused.
struct WckmOptions {
  double beta = -0.1;
  double lambda = 1;
  double fuzzifier = 2;  // m
  int max_iter = 100;
  double tol = 1e-6;  // below 0: exactly max_iter iterations
  // lambda times p^(-beta) sum_j v_j, the mean weighted squared distance to the overall mean at
  // equal weights: penalties are counts, distances have units.
  bool scale_penalty = false;
};

// The pairs as they are, neither closed nor free of contradictions. Those of the labels are never
// listed: class sums of the memberships stand for them.
struct SoftLinks {
  std::vector<int> rows;                // that carry a constraint, ascending
  std::vector<int> code;                // class of each of them, or `unlabelled`
  int classes = 0;
  std::vector<std::vector<int>> mates;  // explicit pairs, as places in `rows`, without those that
  std::vector<std::vector<int>> foes;   // the labels imply
};
SoftLinks soft_links(Index n, const Labels& y, const Constraints& given);

// One run.
struct WckmFit {
  Eigen::MatrixXd memberships;  // n x K, in the order of the rows of x
  Eigen::MatrixXd centroids;    // K x p, on the scale of x
  Eigen::VectorXd weights;      // w, p, 0 for constant features
  Eigen::VectorXd relevance;    // w for beta > 1, w^beta / sum for beta < 0: falls with S_j
  std::vector<double> objective;
  std::vector<double> must_link;    // sum (1 - a_i . a_r) after each iteration
  std::vector<double> cannot_link;  // sum a_i . a_r
  int iterations = 0;
  bool converged = false;
};
// `store`: active columns, the rows of `links` first. O(n p K) per iteration and O(l K) for the
// labels. The same bits for any number of threads.
WckmFit wckm_run(const Problem& data, const RowStore& store, const SoftLinks& links,
                 const ClusterStart& start, const WckmOptions& options, const Control& control);

// Every start, and what they say together.
struct Wckm {
  std::vector<double> final_objective;  // of each run
  int best = 0;                         // smallest F, ties to the earlier run
  WckmFit fit;                          // of that run
  Eigen::VectorXd weights;              // mean over the runs
  Eigen::VectorXd relevance;
};
Wckm wckm(const Problem& data, const std::vector<ClusterStart>& starts, const WckmOptions& options,
          const Control& control);

// min sum_q a_q^m D_q + P_q a_q over the simplex, D_q > 0. K values each; replaces (4.15).
void simplex_membership(const double* distance, const double* penalty, Index clusters,
                        double fuzzifier, double* out);

}  // namespace semiselect
