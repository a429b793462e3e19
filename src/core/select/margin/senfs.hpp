#pragma once

#include <string>
#include <vector>

#include "core/data/problem.hpp"
#include "core/optim/elastic_net_svm.hpp"
#include "core/run/control.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

// Semi-supervised elastic-net SVM (Dai, Yu and Li 2013), as a well-posed problem:
//
//   F(beta, beta0) = C sum_{i in L} max(0, 1 - y_i g_i) + C* sum_{i in U} U_s(g_i)
//                    + lambda1 |beta|_1 + lambda2/2 |beta|^2,        g_i = x_i'beta + beta0
//   U_s(g) = min(1 - s, max(0, 1 - |g|))
//   subject to mean_{i in U} g_i = r if balance
//
// L, U: labelled and unlabelled rows. U_s(g) = min(1 - s, H(g), H(-g)), H the hinge: an unlabelled
// row is ignored, or counts as one of +1, or as one of -1. Given that assignment e the problem is
// convex (ElasticNetSvm), and e_i = sign(g_i) where |g_i| > s, 0 elsewhere, majorizes F at the
// present point: solving and reassigning in turn never increases F and ends after finitely many
// rounds. Several starts, because F is not convex.
//
// Not the paper's Algorithm 8, which does not converge reliably; a corrected form of it with one
// auxiliary variable per row gives a start (SenfsSolver::admm).
enum class SenfsStart { labelled, anneal, centroid, pca_plus, pca_minus, given, admm };
enum class SenfsSolver { mm, admm };
enum class Aggregate { norm, max, sum };

struct SenfsOptions {
  double cost = 1;               // C
  double cost_unlabelled = 0.1;  // C*
  std::vector<double> lambda1;   // one for all classes, one each, or empty: the default of each
  double lambda2 = -1;           // negative: default
  double s = 0.3;
  bool balance = true;
  double r = 0;
  bool has_r = false;            // r given; otherwise the mean of the labels +-1
  std::vector<SenfsStart> starts = {SenfsStart::labelled, SenfsStart::anneal, SenfsStart::centroid,
                                    SenfsStart::pca_plus, SenfsStart::pca_minus};
  std::vector<int> given;        // assignment of the unlabelled rows, ascending: -1, 0, 1
  SenfsSolver solver = SenfsSolver::mm;
  bool path = false;
  int n_lambda = 20;
  Index n_features = 0;          // 0: not given
  double tol = 1e-6;
  Aggregate aggregate = Aggregate::norm;
  SvmSystem system = SvmSystem::automatic;
};

// One two-class problem, class c against the rest.
struct MarginFit {
  Eigen::VectorXd t;             // coefficients on the scaled columns
  double intercept_scaled = 0;
  Eigen::VectorXd coefficients;  // on the columns as given
  double intercept = 0;
  Eigen::VectorXd v;             // of the dual: |t_j| = max(0, |v_j| - lambda1) / lambda2
  Eigen::VectorXd g;             // decision values of all rows
  double objective = 0;          // F at (t, beta0), on the scaled columns
  std::vector<double> trace;     // F over the outer iterations
  std::vector<SenfsStart> starts;
  std::vector<double> objective_by_start;
  int start = -1;                // which of them won
  int outer = 0;
  int inner = 0;
  double gap = 0;
  bool converged = true;
  double lambda1 = 0, lambda2 = 0, r = 0;
  double reference = 0;          // lambda1_cap, or lambda1_max of a convex problem
  // The path, lambda1 descending; empty without one.
  std::vector<double> path_lambda1, path_objective;
  std::vector<Index> path_selected;
  bool path_converged = true;
  Eigen::VectorXd entry;         // largest lambda1 / reference with t_j != 0; 0: never
  Eigen::VectorXd entry_t;       // |t_j| there
  Eigen::VectorXd last_v;        // |v_j| at the smallest lambda1
  double platt_a = 0, platt_b = 0;
};

struct SenfsFit {
  Selection selection;           // statistic, score, order, selected of all classes together
  std::vector<MarginFit> by_class;  // one for two classes, else one per class
  bool path = false;
};

// Ranks by |t_j|, then |v_j|; with a path by the largest lambda1 at which a feature enters.
// More than two classes: one against the rest each, t and v combined over the classes.
// O(n p min(n, p)) once, O(np) per inner iteration. Throws InputError where no class can be told
// from another.
SenfsFit senfs(const Problem& problem, const SenfsOptions& options, const Control& control);

// lambda1 at and above which the labelled problem has beta = 0: exact with balance, and without
// it for classes of equal size; else sufficient. sign: +1, -1, 0 = unlabelled.
double senfs_lambda1_max(const FeatureMatrix& x, const Eigen::VectorXd& sign, double cost,
                         bool balance);
// Above it beta = 0 is the only stationary point of F.
double senfs_lambda1_cap(const FeatureMatrix& x, const Eigen::VectorXd& sign, double cost,
                         double cost_unlabelled);

// argmin over z of c U_s(z) + (z - v)^2 / 2.
double prox_clipped_loss(double v, double c, double s);

}  // namespace semiselect
