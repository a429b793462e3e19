#pragma once

#include <memory>
#include <vector>

#include "core/data/matrix.hpp"
#include "core/optim/dense.hpp"
#include "core/run/control.hpp"

namespace semiselect {

// The linear support vector machine with an elastic-net penalty and a weight for every row:
//
//   min over t, b   sum_i w_i max(0, 1 - s_i g_i) + lambda1 |t|_1 + lambda2/2 |t|^2,
//   g_i = x_i' t + b
//
// s_i in {-1, +1}, w_i >= 0. The intercept b is free, or tied to the coefficients by
// b = r - m't for a given point m, so that g_i = r + (x_i - m)'t.
//
// Dual, 0 <= alpha_i <= w_i, v = sum_i alpha_i s_i (x_i - m):
//   max  sum_i alpha_i (1 - r s_i) - |soft(v, lambda1)|^2 / (2 lambda2)
// with r = 0 and sum_i alpha_i s_i = 0 if b is free. At the optimum lambda2 t = soft(v, lambda1).
// Its value is a lower bound for any feasible alpha: the relative gap (P - D) / |P| certifies a
// solution whatever produced it.
//
// Solved by alternating directions with the splits z = g and t = beta (Dai, Yu and Li 2013; Ye,
// Chen and Xie 2011), penalties in proportion to the weights, and finished by solving the
// optimality conditions on the active sets, which makes the result exact to rounding.

// How the linear system of each step is solved.
enum class SvmSystem {
  automatic,           // by shape
  normal,              // Cholesky of the p x p matrix
  woodbury,            // Cholesky of the n x n matrix
  eigen,               // eigenvectors of the smaller of both: any lambda2 at no further cost
  conjugate_gradient,  // no matrix at all
};

// What changes between problems over the same rows and columns.
struct HingeRows {
  Eigen::VectorXd sign;    // s, +1 or -1
  Eigen::VectorXd weight;  // w
  double offset = 0;       // r; without meaning if the intercept is free
};

// Inner products of some rows over some columns, kept because the next problem needs nearly the
// same. Only ever a matter of speed, and large: a copy starts without them.
struct KeptProducts {
  std::shared_ptr<const int> of;  // the data they belong to
  std::vector<Index> rows, columns;
  Eigen::MatrixXd value;

  KeptProducts() = default;
  KeptProducts(const KeptProducts&) {}
  KeptProducts& operator=(const KeptProducts&) { return *this = KeptProducts(); }
  KeptProducts(KeptProducts&&) = default;
  KeptProducts& operator=(KeptProducts&&) = default;
};

// Where the alternating directions stand: hand it to the next, similar problem.
struct ElasticNetSvmState {
  Eigen::VectorXd z, dz;  // n: decision values and their scaled multipliers
  Eigen::VectorXd t, dt;  // p: coefficients and theirs
  KeptProducts products;
};

struct ElasticNetSvmOptions {
  double tol = 1e-6;      // relative gap
  int max_iter = 20000;
  // Go on past tol until the active sets are solved exactly, for at most as many iterations again.
  bool exact = true;
};

struct ElasticNetSvmFit {
  Eigen::VectorXd t;      // coefficients, exact zeros
  double intercept = 0;   // b
  Eigen::VectorXd g;      // decision values
  Eigen::VectorXd alpha;
  Eigen::VectorXd v;      // of the dual
  double primal = 0;
  double dual = 0;
  double gap = 0;         // (primal - dual) / max(|primal|, 1e-12)
  int iterations = 0;
  bool converged = false;  // gap <= tol
};

// The rows and columns, with everything that can be computed before signs, weights and lambda1
// are known: one factorization serves them all.
class ElasticNetSvm {
 public:
  // nominal: omega > 0, the weight each row has, or would have; sets the penalty of its split.
  // center: m, of length p, for a tied intercept; empty for a free one.
  // ignore: columns whose coefficient stays 0 (may be empty).
  // rho: penalty parameter of the alternating directions.
  ElasticNetSvm(const FeatureMatrix& x, const Eigen::VectorXd& nominal,
                const Eigen::VectorXd& center, const std::vector<bool>& ignore, double lambda2,
                double rho = 1, SvmSystem system = SvmSystem::automatic,
                const Control& control = Control());

  // The same data under other penalties. Reuses the Gram matrix where it was kept.
  ElasticNetSvm with(double lambda2, double rho) const;

  Index n() const { return n_; }
  Index p() const { return p_; }
  double lambda2() const { return lambda2_; }
  double rho() const { return rho_; }
  double kappa() const { return kappa_; }
  bool free_intercept() const { return free_; }
  const Eigen::VectorXd& nominal() const { return omega_; }
  const Eigen::VectorXd& center() const { return center_; }

  // O(np) an iteration after the set-up: O(n p min(n, p)). With many more columns than rows and
  // lambda1 > 0 most of them never matter: then a growing set of columns is solved for, until no
  // other one violates the optimality conditions; the certificate is always that of all columns.
  // From the state of a similar problem its active sets are tried first, at O(nk) a round for k
  // columns near the support and O(e^3) for e rows on the margin.
  ElasticNetSvmFit solve(const HingeRows& rows, double lambda1, ElasticNetSvmState& state,
                         const ElasticNetSvmOptions& options, const Control& control) const;

  // Products with the centered rows: (x - 1m') t and (x - 1m')' u, m being the point of a tied
  // intercept, else the weighted mean of the rows.
  Eigen::VectorXd times(const Eigen::VectorXd& t) const;
  Eigen::VectorXd transposed_times(const Eigen::VectorXd& u) const;

  // One step: the minimizer beta of
  //   lambda2/2 |beta|^2 + rho/2 sum_i omega_i (target_i - off - xc_i'beta)^2
  //   + rho kappa/2 |beta - near|^2
  // and its decision values; off = offset, or chosen best if the intercept is free.
  // Scratch carries what conjugate gradients start from.
  struct Scratch {
    Eigen::VectorXd q;
    double accuracy = 1e-3;
  };
  void step(const Eigen::VectorXd& target, const Eigen::VectorXd& near, double offset,
            Eigen::VectorXd& beta, Eigen::VectorXd& g, Scratch& scratch) const;

 private:
  struct Certificate;
  struct Factors;
  void prepare(const Control& control);
  // The decomposition, made when it is first needed; thread-safe.
  const Factors& factors(const Control& control) const;
  bool follow(const HingeRows& rows, double lambda1, ElasticNetSvmState& state,
              const ElasticNetSvmOptions& options, const Control& control,
              ElasticNetSvmFit& fit) const;
  // From any state: alternating directions, on a growing set of columns where that is quicker.
  ElasticNetSvmFit search(const HingeRows& rows, double lambda1, ElasticNetSvmState& state,
                          const ElasticNetSvmOptions& options, const Control& control) const;
  void products(const std::vector<Index>& rows, const std::vector<Index>& columns,
                KeptProducts& kept, Eigen::MatrixXd& out) const;
  bool by_columns(double lambda1) const;
  bool solve_by_columns(const HingeRows& rows, double lambda1, ElasticNetSvmState& state,
                        const ElasticNetSvmOptions& options, const Control& control,
                        ElasticNetSvmFit& fit) const;
  Eigen::MatrixXd gram(const Control& control) const;
  Eigen::VectorXd solve_system(const Eigen::VectorXd& right, Scratch& scratch) const;
  double best_offset(const Eigen::VectorXd& xt, const HingeRows& rows) const;
  double primal(const Eigen::VectorXd& t, const HingeRows& rows, double lambda1,
                Eigen::VectorXd& g, double& offset) const;
  double dual(Eigen::VectorXd& alpha, const HingeRows& rows, double lambda1,
              Eigen::VectorXd& v) const;
  struct ActiveSets;
  bool polish(const HingeRows& rows, double lambda1, ActiveSets& sets, Certificate& out) const;
  Eigen::MatrixXd block(const std::vector<Index>& rows, const std::vector<Index>& columns) const;

  FeatureMatrix x_;
  Index n_ = 0, p_ = 0;
  Eigen::VectorXd omega_;
  bool free_ = false;
  Eigen::VectorXd center_;  // on the scale of x
  Eigen::VectorXd factor_;  // xc_ij = stored_ij / row_divisor_i * factor_j - moved_j
  Eigen::VectorXd moved_;
  double lambda2_ = 0, rho_ = 1, kappa_ = 1;
  SvmSystem system_ = SvmSystem::automatic;
  bool wide_ = false;  // the n x n side
  bool automatic_ = false;
  std::shared_ptr<Factors> factors_;
  std::shared_ptr<const int> data_ = std::make_shared<const int>(0);  // shared by copies
};

// sign(z) max(|z| - k, 0), element by element.
Eigen::VectorXd soft_threshold(const Eigen::VectorXd& z, double k);

// The b that minimizes sum_i w_i max(0, 1 - s_i (f_i + b)): the midpoint of the interval of
// minimizers, its finite end if it is unbounded, 0 if every weight is 0. O(n log n).
double weighted_hinge_intercept(const Eigen::VectorXd& f, const Eigen::VectorXd& sign,
                                const Eigen::VectorXd& weight);

}  // namespace semiselect
