#include "core/optim/elastic_net_svm.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/optim/gram.hpp"

namespace semiselect {

namespace {

constexpr double relaxation = 1.6;
constexpr int check_every = 10;
constexpr int retry_checks = 20;          // unchanged checks until a failed polish is tried again
constexpr Index largest_polish = 1500;    // rows strictly between their bounds
constexpr Index largest_system = 5000;    // beyond it no matrix is formed
constexpr Index largest_eigen = 800;
constexpr Index largest_kept_gram = 2500;  // 50 MB
constexpr Index block_size = 1024;
constexpr int first_attempt = 50;          // iterations before the first polish
constexpr int most_rounds = 20;            // of active sets in one polish
constexpr double near_support = 0.9;       // of lambda1: |v_j| that makes a column worth watching
constexpr double bound_share = 1e-7;      // of the weight: closer to a bound is at it

using DenseMap = Eigen::Map<const Eigen::MatrixXd>;

DenseMap stored(const FeatureMatrix& x) {
  return DenseMap(x.p() > 0 ? x.stored_column(0).value : nullptr, x.n(), x.p());
}

// c such that a c is close to r and |c| is least among the best; a of any rank.
Eigen::VectorXd least_norm(const Eigen::MatrixXd& a, const Eigen::VectorXd& r) {
  const double small = static_cast<double>(std::min(a.rows(), a.cols()));
  if (small * small * static_cast<double>(std::max(a.rows(), a.cols())) <= 5e7) {
    return least_squares(a, r);
  }
  // Too large for a pivoted orthogonal decomposition: a few proximal steps on the normal equations
  // of the smaller side converge to the same vector.
  const bool wide = a.rows() <= a.cols();
  Eigen::MatrixXd normal = wide ? gram_rows(a, Control()) : gram_columns(a, Control());
  normal.diagonal().array() += 1e-11 * std::max(normal.diagonal().mean(), 1e-300);
  const Cholesky factor = robust_cholesky(std::move(normal), "the active constraints");
  Eigen::VectorXd c = Eigen::VectorXd::Zero(a.cols());
  for (int round = 0; round < 4; ++round) {
    const Eigen::VectorXd rest = r - a * c;
    if (wide) {
      c += a.transpose() * factor.solve(rest);
    } else {
      c += factor.solve(Eigen::VectorXd(a.transpose() * rest));
    }
  }
  return c;
}

}  // namespace

Eigen::VectorXd soft_threshold(const Eigen::VectorXd& z, double k) {
  return (z.array() - z.array().max(-k).min(k)).matrix();
}

double weighted_hinge_intercept(const Eigen::VectorXd& f, const Eigen::VectorXd& sign,
                                const Eigen::VectorXd& weight) {
  struct Kink {
    double at, rise;
  };
  std::vector<Kink> kinks;
  kinks.reserve(static_cast<std::size_t>(f.size()));
  double slope = 0, total = 0;
  for (Index i = 0; i < f.size(); ++i) {
    if (!(weight(i) > 0)) continue;
    kinks.push_back({sign(i) - f(i), weight(i)});
    total += weight(i);
    if (sign(i) > 0) slope -= weight(i);
  }
  if (kinks.empty()) return 0;
  std::sort(kinks.begin(), kinks.end(), [](const Kink& a, const Kink& b) { return a.at < b.at; });
  // The slope climbs from -(weight of +1) to the weight of -1; rounding must not hide its zero.
  const double zero = 1e-12 * total;
  if (slope >= -zero) return kinks.front().at;  // no row of +1: flat to the left of every kink
  for (std::size_t k = 0; k < kinks.size(); ++k) {
    slope += kinks[k].rise;
    if (slope > zero) return kinks[k].at;
    if (slope >= -zero) {
      return k + 1 < kinks.size() ? (kinks[k].at + kinks[k + 1].at) / 2 : kinks[k].at;
    }
  }
  return kinks.back().at;
}

ElasticNetSvm::ElasticNetSvm(const FeatureMatrix& x, const Eigen::VectorXd& nominal,
                             const Eigen::VectorXd& center, const std::vector<bool>& ignore,
                             double lambda2, double rho, SvmSystem system, const Control& control)
    : x_(x), n_(x.n()), p_(x.p()), omega_(nominal), free_(center.size() == 0), center_(center),
      lambda2_(lambda2), rho_(rho), system_(system) {
  if (omega_.size() != n_ || !(omega_.array() > 0).all()) {
    throw std::invalid_argument("elastic_net_svm: one positive nominal weight per row is needed.");
  }
  if (free_) center_ = x_.transposed_times(omega_) / omega_.sum();
  factor_.resize(p_);
  moved_.resize(p_);
  for (Index j = 0; j < p_; ++j) {
    const bool skip = !ignore.empty() && ignore[static_cast<std::size_t>(j)];
    if (skip) center_(j) = 0;
    factor_(j) = skip ? 0 : 1 / x_.divisor(j);
    moved_(j) = skip ? 0 : x_.shift(j) / x_.divisor(j) + center_(j);
  }

  double squares = 0;
  const double total = omega_.sum();
  for (Index j = 0; j < p_; ++j) {
    if (factor_(j) == 0) continue;
    double present = 0, sum = 0;
    x_.for_each_stored(j, [&](Index i, double value) {
      const double d = value * factor_(j) - moved_(j);
      sum += omega_(i) * d * d;
      present += omega_(i);
    });
    squares += sum;
    if (x_.is_sparse()) squares += std::max(0.0, total - present) * moved_(j) * moved_(j);
  }
  kappa_ = squares / static_cast<double>(std::max<Index>(p_, 1));
  if (!(kappa_ > 0)) kappa_ = 1;  // every column is constant: the coefficients stay 0
  prepare(control);
}

void ElasticNetSvm::prepare(const Control& control) {
  const Index size = std::min(n_, p_);
  factors_ = std::make_shared<Factors>();
  automatic_ = system_ == SvmSystem::automatic;
  wide_ = p_ > n_;
  if (system_ == SvmSystem::automatic) {
    system_ = size > largest_system ? SvmSystem::conjugate_gradient
              : wide_               ? SvmSystem::woodbury
                                    : SvmSystem::normal;
  }
  if (system_ == SvmSystem::woodbury) wide_ = true;
  if (system_ == SvmSystem::normal) wide_ = false;

  // Where a set of columns will do, the matrix of all of them may never be needed.
  if (!by_columns(1)) factors(control);
}

struct ElasticNetSvm::Factors {
  std::once_flag once;
  std::shared_ptr<const Eigen::MatrixXd> gram;
  std::shared_ptr<const SymmetricEigen> eigen;
  std::shared_ptr<const Cholesky> cholesky;
};

const ElasticNetSvm::Factors& ElasticNetSvm::factors(const Control& control) const {
  Factors& made = *factors_;
  std::call_once(made.once, [&] {
    if (system_ == SvmSystem::conjugate_gradient || made.eigen) return;
    if (!made.gram) made.gram = std::make_shared<const Eigen::MatrixXd>(gram(control));
    if (system_ == SvmSystem::eigen) {
      made.eigen = std::make_shared<const SymmetricEigen>(eigen_symmetric(*made.gram));
      made.gram = nullptr;
      return;
    }
    Eigen::MatrixXd a = *made.gram;
    a.diagonal().array() += lambda2_ / rho_ + kappa_;
    made.cholesky =
        std::make_shared<const Cholesky>(robust_cholesky(std::move(a), "the elastic-net SVM"));
    if (made.gram->rows() > largest_kept_gram) made.gram = nullptr;
  });
  return made;
}

ElasticNetSvm ElasticNetSvm::with(double lambda2, double rho) const {
  ElasticNetSvm other = *this;
  if (lambda2 == lambda2_ && rho == rho_) return other;
  other.lambda2_ = lambda2;
  other.rho_ = rho;
  other.factors_ = std::make_shared<Factors>();
  const Factors& made = factors(Control());
  other.factors_->gram = made.gram;
  other.factors_->eigen = made.eigen;
  return other;
}

// Lower triangle of ZZ' (wide) or Z'Z, Z = diag(sqrt(omega)) xc.
Eigen::MatrixXd ElasticNetSvm::gram(const Control& control) const {
  const Eigen::VectorXd root = omega_.cwiseSqrt();
  const Index size = wide_ ? n_ : p_;
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(size, size);
  if (!x_.is_sparse()) {
    if (wide_) {
      Eigen::VectorXd from(p_);  // what is taken off before the factor
      for (Index j = 0; j < p_; ++j) from(j) = factor_(j) == 0 ? 0 : moved_(j) / factor_(j);
      ProductShape shape{n_, n_, p_};
      shape.symmetric = true;
      const RowPacker rows = pack_data_rows(x_, from, factor_);
      for_each_product_block(shape, rows, rows, control, [&](const ProductBlock& block) {
        for (Index j = 0; j < block.q; ++j) {
          const Index b = block.first_b + j;
          for (Index i = 0; i < block.m; ++i) {
            const Index a = block.first_a + i;
            if (a >= b) out(a, b) = root(a) * root(b) * block.value[i + j * block.leading];
          }
        }
      });
      return out;
    }
    const Index height = 4096;
    Eigen::MatrixXd part;
    for (Index first = 0; first < n_; first += height) {
      control.check_interrupt();
      const Index count = std::min(height, n_ - first);
      part.resize(count, p_);
      for (Index j = 0; j < p_; ++j) {
        const double* f = x_.stored_column(j).value + first;
        for (Index c = 0; c < count; ++c) {
          const Index i = first + c;
          part(c, j) = root(i) * (f[c] / x_.row_divisor(i) * factor_(j) - moved_(j));
        }
      }
      out += gram_columns(part, control);
    }
    return out;
  }

  // Sparse: the product of the stored entries, then the centering as a correction of rank two.
  if (wide_) {
    std::vector<std::pair<Index, double>> entries;
    for (Index j = 0; j < p_; ++j) {
      if (factor_(j) == 0) continue;
      entries.clear();
      x_.for_each_stored(j, [&](Index i, double value) {
        entries.emplace_back(i, root(i) * value * factor_(j));
      });
      for (std::size_t b = 0; b < entries.size(); ++b) {
        for (std::size_t a = b; a < entries.size(); ++a) {
          out(entries[a].first, entries[b].first) += entries[a].second * entries[b].second;
        }
      }
    }
    Eigen::VectorXd along = Eigen::VectorXd::Zero(n_);  // diag(root) x_s moved
    for (Index j = 0; j < p_; ++j) {
      x_.for_each_stored(j, [&](Index i, double value) {
        along(i) += root(i) * value * factor_(j) * moved_(j);
      });
    }
    const double square = moved_.squaredNorm();
    for (Index b = 0; b < n_; ++b) {
      for (Index a = b; a < n_; ++a) {
        out(a, b) += square * root(a) * root(b) - along(a) * root(b) - root(a) * along(b);
      }
    }
    return out;
  }
  // By rows: a transposed copy of the entries, grouped by row.
  std::vector<Index> start(static_cast<std::size_t>(n_ + 1), 0);
  for (Index j = 0; j < p_; ++j) {
    x_.for_each_stored(j, [&](Index i, double) { ++start[static_cast<std::size_t>(i + 1)]; });
  }
  for (Index i = 0; i < n_; ++i) start[i + 1] += start[i];
  std::vector<Index> fill(start.begin(), start.end() - 1);
  std::vector<std::pair<Index, double>> entries(static_cast<std::size_t>(start.back()));
  Eigen::VectorXd along = Eigen::VectorXd::Zero(p_);  // x_s' omega
  for (Index j = 0; j < p_; ++j) {
    x_.for_each_stored(j, [&](Index i, double value) {
      entries[static_cast<std::size_t>(fill[i]++)] = {j, root(i) * value * factor_(j)};
      along(j) += omega_(i) * value * factor_(j);
    });
  }
  for (Index i = 0; i < n_; ++i) {
    for (Index b = start[i]; b < start[i + 1]; ++b) {
      for (Index a = b; a < start[i + 1]; ++a) {
        out(entries[a].first, entries[b].first) += entries[a].second * entries[b].second;
      }
    }
  }
  const double total = omega_.sum();
  for (Index b = 0; b < p_; ++b) {
    for (Index a = b; a < p_; ++a) {
      out(a, b) += total * moved_(a) * moved_(b) - along(a) * moved_(b) - moved_(a) * along(b);
    }
  }
  return out;
}

Eigen::VectorXd ElasticNetSvm::times(const Eigen::VectorXd& t) const {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(n_);
  const Eigen::VectorXd weighted = t.cwiseProduct(factor_);
  const Index support = (weighted.array() != 0).count();
  if (support == 0) return out;
  if (x_.is_sparse()) {
    for (Index j = 0; j < p_; ++j) {
      if (weighted(j) == 0) continue;
      const StoredColumn f = x_.stored_column(j);
      for (Index e = 0; e < f.count; ++e) out(f.row[e]) += weighted(j) * f.value[e];
    }
  } else if (3 * support < p_) {
    const DenseMap x = stored(x_);
    for (Index j = 0; j < p_; ++j) {
      if (weighted(j) != 0) out.noalias() += weighted(j) * x.col(j);
    }
  } else {
    out.noalias() += stored(x_) * weighted;
  }
  if (x_.scale() == Scale::unit) {
    for (Index i = 0; i < n_; ++i) out(i) /= x_.row_divisor(i);
  }
  out.array() -= moved_.dot(t);
  return out;
}

Eigen::VectorXd ElasticNetSvm::transposed_times(const Eigen::VectorXd& u) const {
  Eigen::VectorXd weighted = u;
  if (x_.scale() == Scale::unit) {
    for (Index i = 0; i < n_; ++i) weighted(i) /= x_.row_divisor(i);
  }
  Eigen::VectorXd out(p_);
  if (x_.is_sparse()) {
    for (Index j = 0; j < p_; ++j) {
      const StoredColumn f = x_.stored_column(j);
      double sum = 0;
      for (Index e = 0; e < f.count; ++e) sum += f.value[e] * weighted(f.row[e]);
      out(j) = sum;
    }
  } else {
    out.noalias() = stored(x_).transpose() * weighted;
  }
  return out.cwiseProduct(factor_) - u.sum() * moved_;
}

// ((lambda2 / rho + kappa) I + ZZ')^-1 right, or with Z'Z.
Eigen::VectorXd ElasticNetSvm::solve_system(const Eigen::VectorXd& right, Scratch& scratch) const {
  const double shift = lambda2_ / rho_ + kappa_;
  const Factors& made = factors(Control());
  if (made.cholesky) return made.cholesky->solve(right);
  if (made.eigen) {
    const SymmetricEigen& eig = *made.eigen;
    const Eigen::VectorXd inner = eig.vectors.transpose() * right;
    return eig.vectors * (inner.array() / (eig.values.array().max(0.0) + shift)).matrix();
  }

  const Eigen::VectorXd root = omega_.cwiseSqrt();
  const auto apply = [&](const Eigen::VectorXd& q) -> Eigen::VectorXd {
    if (wide_) {
      return shift * q + root.cwiseProduct(times(transposed_times(root.cwiseProduct(q))));
    }
    return shift * q + transposed_times(omega_.cwiseProduct(times(q)));
  };
  Eigen::VectorXd& q = scratch.q;
  if (q.size() != right.size()) q = Eigen::VectorXd::Zero(right.size());
  Eigen::VectorXd rest = right - apply(q);
  Eigen::VectorXd direction = rest;
  double square = rest.squaredNorm();
  const double enough = std::pow(scratch.accuracy * right.norm(), 2);
  for (int round = 0; round < 500 && square > enough; ++round) {
    const Eigen::VectorXd image = apply(direction);
    const double length = square / direction.dot(image);
    q += length * direction;
    rest -= length * image;
    const double next = rest.squaredNorm();
    direction = rest + (next / square) * direction;
    square = next;
  }
  return q;
}

void ElasticNetSvm::step(const Eigen::VectorXd& target, const Eigen::VectorXd& near, double offset,
                         Eigen::VectorXd& beta, Eigen::VectorXd& g, Scratch& scratch) const {
  const double off = free_ ? omega_.dot(target) / omega_.sum() : offset;
  if (!wide_) {
    const Eigen::VectorXd c = omega_.array() * (target.array() - off);
    beta = solve_system(transposed_times(c) + kappa_ * near, scratch);
    g = times(beta).array() + off;
    return;
  }
  // By Woodbury, with q = rho (c - Z beta): neither ZZ'c nor Z beta needs a product of its own.
  const double a = lambda2_ + rho_ * kappa_;
  const Eigen::VectorXd root = omega_.cwiseSqrt();
  const Eigen::VectorXd right =
      root.array() * (a * (target.array() - off) - rho_ * kappa_ * times(near).array());
  const Eigen::VectorXd q = solve_system(right, scratch);
  beta = (transposed_times(root.cwiseProduct(q)) + rho_ * kappa_ * near) / a;
  g = target.array() - q.array() / (rho_ * root.array());
}

double ElasticNetSvm::best_offset(const Eigen::VectorXd& xt, const HingeRows& rows) const {
  return free_ ? weighted_hinge_intercept(xt, rows.sign, rows.weight) : rows.offset;
}

double ElasticNetSvm::primal(const Eigen::VectorXd& t, const HingeRows& rows, double lambda1,
                             Eigen::VectorXd& g, double& offset) const {
  g = times(t);
  offset = best_offset(g, rows);
  g.array() += offset;
  const double loss =
      (rows.weight.array() * (1 - rows.sign.array() * g.array()).max(0.0)).sum();
  return loss + lambda1 * t.lpNorm<1>() + lambda2_ / 2 * t.squaredNorm();
}

double ElasticNetSvm::dual(Eigen::VectorXd& alpha, const HingeRows& rows, double lambda1,
                           Eigen::VectorXd& v) const {
  if (free_) {
    double plus = 0, minus = 0;
    for (Index i = 0; i < n_; ++i) (rows.sign(i) > 0 ? plus : minus) += alpha(i);
    if (plus != minus) {
      const double factor = std::min(plus, minus) / std::max(plus, minus);
      const double heavy = plus > minus ? 1 : -1;
      for (Index i = 0; i < n_; ++i) {
        if (rows.sign(i) == heavy) alpha(i) *= factor;
      }
    }
  }
  const double r = free_ ? 0 : rows.offset;
  v = transposed_times(alpha.cwiseProduct(rows.sign));
  const double linear = (alpha.array() * (1 - r * rows.sign.array())).sum();
  const double largest = p_ > 0 ? v.lpNorm<Eigen::Infinity>() : 0;
  double value = linear * (largest > lambda1 ? lambda1 / largest : 1.0);
  if (lambda2_ > 0) {
    value = std::max(value, linear - soft_threshold(v, lambda1).squaredNorm() / (2 * lambda2_));
  } else if (largest > lambda1) {
    alpha *= lambda1 / largest;
    v *= lambda1 / largest;
  }
  return value;
}

struct ElasticNetSvm::Certificate {
  Eigen::VectorXd t, g, alpha, v;
  double offset = 0;
  double primal = std::numeric_limits<double>::infinity();
  double dual = -std::numeric_limits<double>::infinity();
  double gap() const { return (primal - dual) / std::max(std::abs(primal), 1e-12); }
};

// Where the solution is thought to lie: each row at its lower bound, strictly between, or at its
// upper bound; the support and the signs of t.
struct ElasticNetSvm::ActiveSets {
  std::vector<signed char> row;  // 0, 1, 2
  Eigen::VectorXd t;
  Eigen::VectorXd alpha;         // solved for between the bounds, and perhaps beyond them
};

// Rows and columns of xc.
Eigen::MatrixXd ElasticNetSvm::block(const std::vector<Index>& rows,
                                     const std::vector<Index>& columns) const {
  const Index m = static_cast<Index>(rows.size());
  const Index k = static_cast<Index>(columns.size());
  Eigen::MatrixXd out(m, k);
  std::vector<Index> place;
  if (x_.is_sparse()) {
    place.assign(static_cast<std::size_t>(n_), -1);
    for (Index a = 0; a < m; ++a) place[rows[a]] = a;
  }
  for (Index c = 0; c < k; ++c) {
    const Index j = columns[c];
    const StoredColumn f = x_.stored_column(j);
    if (f.row) {
      out.col(c).setConstant(-moved_(j));
      for (Index e = 0; e < f.count; ++e) {
        const Index a = place[f.row[e]];
        if (a >= 0) out(a, c) += f.value[e] / x_.row_divisor(f.row[e]) * factor_(j);
      }
    } else {
      for (Index a = 0; a < m; ++a) {
        out(a, c) = f.value[rows[a]] / x_.row_divisor(rows[a]) * factor_(j) - moved_(j);
      }
    }
  }
  return out;
}

// The optimality conditions on given active sets: columns S with t != 0, rows A at their upper
// bound, rows E strictly between. With B the rows E and columns S of s_i xc_i,
//
//   lambda2 t_S - B'alpha_E = xc_AS'(w s)_A - lambda1 sign(t_S)
//   B t_S + s_E off         = 1 - r s_E          (off and r: only one of the two)
//   s_E'alpha_E             = -(w's)_A           (free intercept only)
//
// solved as a correction of the present values, so that of several solutions the one nearby is
// found. True if something was computed; `out` then has its certificate.
bool ElasticNetSvm::polish(const HingeRows& rows, double lambda1, ActiveSets& sets,
                           Certificate& out) const {
  const Eigen::VectorXd& t = sets.t;
  std::vector<Index> between, support;
  Eigen::VectorXd bound = Eigen::VectorXd::Zero(n_);  // (w s) on A
  Eigen::VectorXd next = Eigen::VectorXd::Zero(n_);
  for (Index i = 0; i < n_; ++i) {
    if (sets.row[i] == 2) {
      bound(i) = rows.weight(i) * rows.sign(i);
      next(i) = rows.weight(i);
    } else if (sets.row[i] == 1) {
      between.push_back(i);
    }
  }
  for (Index j = 0; j < p_; ++j) {
    if (t(j) != 0) support.push_back(j);
  }
  const Index e = static_cast<Index>(between.size());
  const Index k = static_cast<Index>(support.size());
  if (e > largest_polish) return false;

  Eigen::VectorXd s(e), current(e);
  for (Index a = 0; a < e; ++a) {
    s(a) = rows.sign(between[a]);
    current(a) = std::min(std::max(sets.alpha(between[a]), 0.0), rows.weight(between[a]));
  }
  const double r = free_ ? 0 : rows.offset;
  const double missing = -bound.sum();
  Eigen::VectorXd pull = transposed_times(bound);  // xc_A'(w s)_A, less lambda1 sign(t) on S
  Eigen::VectorXd on_support = Eigen::VectorXd::Zero(p_);
  for (const Index j : support) on_support(j) = pull(j) - (t(j) > 0 ? lambda1 : -lambda1);
  const Eigen::VectorXd aim = 1 - r * s.array();

  Eigen::VectorXd coefficients;
  if (lambda2_ > 0) {
    Eigen::MatrixXd system = Eigen::MatrixXd::Zero(e, e);
    std::vector<Index> columns;
    for (Index first = 0; first < k && e > 0; first += block_size) {
      columns.assign(support.begin() + first,
                     support.begin() + std::min<Index>(k, first + block_size));
      const Eigen::MatrixXd part = s.asDiagonal() * block(between, columns);
      system += gram_rows(part, Control()) / lambda2_;
    }
    if (e > 0) {
      const Eigen::VectorXd from_bound = times(on_support);
      Eigen::VectorXd right(e);
      for (Index a = 0; a < e; ++a) right(a) = aim(a) - s(a) * from_bound(between[a]) / lambda2_;
      Eigen::MatrixXd shifted = system;
      shifted.diagonal().array() += 1e-11 * std::max(system.diagonal().mean(), 1e-300);
      const Cholesky factor = robust_cholesky(std::move(shifted), "the active rows");
      const Eigen::VectorXd along = factor.solve(s);
      double off = 0;
      for (int round = 0; round < 4; ++round) {
        Eigen::VectorXd change = factor.solve(Eigen::VectorXd(right - system * current - s * off));
        if (free_) {
          const double lacking = missing - s.dot(current);
          const double move = (s.dot(change) - lacking) / s.dot(along);
          change -= move * along;
          off += move;
        }
        current += change;
      }
    }
  } else {
    if (k > largest_polish) return false;
    const Index extra = free_ ? 1 : 0;
    Eigen::MatrixXd b(e, k + extra);
    b.leftCols(k) = s.asDiagonal() * block(between, support);
    if (free_) b.col(k) = s;
    Eigen::VectorXd unknown(k + extra), need(k + extra);
    for (Index c = 0; c < k; ++c) {
      unknown(c) = t(support[c]);
      need(c) = -on_support(support[c]);
    }
    if (free_) {
      unknown(k) = best_offset(times(t), rows);
      need(k) = missing;
    }
    if (e > 0 && k + extra > 0) {
      unknown += least_norm(b, aim - b * unknown);
      current += least_norm(b.transpose(), need - b.transpose() * current);
    }
    coefficients = Eigen::VectorXd::Zero(p_);
    for (Index c = 0; c < k; ++c) {
      if (unknown(c) * t(support[c]) < 0) return false;
      coefficients(support[c]) = unknown(c);
    }
  }
  if (!current.allFinite()) return false;
  sets.alpha = next;
  for (Index a = 0; a < e; ++a) {
    sets.alpha(between[a]) = current(a);
    next(between[a]) = std::min(std::max(current(a), 0.0), rows.weight(between[a]));
  }
  out.alpha = next;
  out.dual = dual(out.alpha, rows, lambda1, out.v);
  out.t = lambda2_ > 0 ? Eigen::VectorXd(soft_threshold(out.v, lambda1) / lambda2_) : coefficients;
  out.primal = primal(out.t, rows, lambda1, out.g, out.offset);
  return true;
}

// Many columns, of which the l1 penalty leaves few.
bool ElasticNetSvm::by_columns(double lambda1) const {
  return automatic_ && lambda1 > 0 && lambda2_ > 0 && p_ >= 500;
}

// Solves for a set of columns, prices all of them by one product, adds those with |v_j| > lambda1,
// and so on until none is left. False: the set became so large that all columns are quicker.
bool ElasticNetSvm::solve_by_columns(const HingeRows& rows, double lambda1,
                                     ElasticNetSvmState& state,
                                     const ElasticNetSvmOptions& options, const Control& control,
                                     ElasticNetSvmFit& fit) const {
  const bool warm = state.z.size() == n_ && state.t.size() == p_;
  std::vector<bool> inside(static_cast<std::size_t>(p_), false);
  std::vector<Index> columns;
  const auto add = [&](Index j) {
    if (inside[static_cast<std::size_t>(j)] || factor_(j) == 0) return;
    inside[static_cast<std::size_t>(j)] = true;
    columns.push_back(j);
  };
  Eigen::VectorXd v;
  // The columns of largest |v_j| above a level, at most so many.
  const auto add_largest = [&](double level, Index most) {
    std::vector<Index> order;
    for (Index j = 0; j < p_; ++j) {
      if (!inside[static_cast<std::size_t>(j)] && std::abs(v(j)) > level) order.push_back(j);
    }
    const auto larger = [&](Index a, Index b) {
      const double x = std::abs(v(a)), y = std::abs(v(b));
      return x != y ? x > y : a < b;
    };
    if (static_cast<Index>(order.size()) > most) {
      std::nth_element(order.begin(), order.begin() + most, order.end(), larger);
      order.resize(static_cast<std::size_t>(most));
    }
    for (const Index j : order) add(j);
  };

  Eigen::VectorXd alpha = warm ? Eigen::VectorXd((-(rows.sign.array() * rho_ * omega_.array() *
                                                    state.dz.array()))
                                                     .max(0.0)
                                                     .min(rows.weight.array()))
                               : rows.weight;
  dual(alpha, rows, lambda1, v);
  if (warm) {
    for (Index j = 0; j < p_; ++j) {
      if (state.t(j) != 0) add(j);
    }
  }
  const Index first_size =
      std::max<Index>(100, std::min<Index>(p_ / 5, std::min<Index>(n_, 1000)));
  add_largest(warm ? 0.9 * lambda1 : 0, first_size);
  if (columns.empty()) add_largest(0, first_size);

  ElasticNetSvmState part;
  if (warm) {
    part.z = state.z;
    part.dz = state.dz;
  }
  int spent = 0;
  for (int round = 0; round < 50; ++round) {
    if (static_cast<Index>(columns.size()) > p_ / 2) break;
    std::sort(columns.begin(), columns.end());
    const Index k = static_cast<Index>(columns.size());
    Eigen::VectorXd middle(k);
    for (Index c = 0; c < k; ++c) middle(c) = center_(columns[c]);
    // A free intercept is eliminated by the same weighted mean in any set of columns.
    ElasticNetSvm sub(x_.columns(columns), omega_, free_ ? Eigen::VectorXd() : middle, {}, lambda2_,
                      rho_, SvmSystem::automatic, Control());
    if (warm || round > 0) {
      const Eigen::VectorXd& t = round > 0 ? fit.t : state.t;
      const Eigen::VectorXd dt =
          round > 0 ? Eigen::VectorXd(v - lambda2_ * fit.t)
                    : Eigen::VectorXd(rho_ * kappa_ * state.dt);
      part.t.resize(k);
      part.dt.resize(k);
      for (Index c = 0; c < k; ++c) {
        part.t(c) = t(columns[c]);
        // Multipliers of columns that were outside until now are at most lambda1.
        part.dt(c) = std::min(std::max(dt(columns[c]), -lambda1), lambda1) / (rho_ * sub.kappa());
      }
    }
    ElasticNetSvmOptions inner = options;
    inner.max_iter = std::max(1, options.max_iter - spent);
    ElasticNetSvmFit found = sub.search(rows, lambda1, part, inner, control);
    spent += found.iterations;

    alpha = found.alpha;
    fit.dual = dual(alpha, rows, lambda1, v);
    fit.t = Eigen::VectorXd::Zero(p_);
    for (Index c = 0; c < k; ++c) fit.t(columns[c]) = found.t(c);
    fit.intercept = found.intercept;
    fit.g = found.g;
    fit.alpha = alpha;
    fit.v = v;
    fit.primal = found.primal;
    fit.gap = (fit.primal - fit.dual) / std::max(std::abs(fit.primal), 1e-12);
    fit.iterations = spent;
    fit.converged = fit.gap <= options.tol;

    Index violating = 0;
    for (Index j = 0; j < p_; ++j) {
      const bool outside = !inside[static_cast<std::size_t>(j)];
      if (outside && std::abs(v(j)) > lambda1 * (1 + 1e-10)) ++violating;
    }
    const bool enough = options.exact ? violating == 0 : fit.converged || violating == 0;
    if (enough || spent >= options.max_iter) {
      state.z = fit.g;
      state.t = fit.t;
      state.dz = -(rows.sign.array() * fit.alpha.array()) / (rho_ * omega_.array());
      state.dt = (fit.v - lambda2_ * fit.t) / (rho_ * kappa_);
      return true;
    }
    add_largest(lambda1, std::max<Index>(first_size, k));
    add_largest(0.95 * lambda1, 50);
  }
  return false;
}

// Inner products of rows over columns: out(a, b) belongs to rows[a] and rows[b]. What was kept is
// brought up to date by the columns that came and went, and the rows that came. Rows that went
// stay for a while: they often return.
void ElasticNetSvm::products(const std::vector<Index>& rows, const std::vector<Index>& columns,
                             KeptProducts& kept, Eigen::MatrixXd& out) const {
  const Index e = static_cast<Index>(rows.size());
  const Index k = static_cast<Index>(columns.size());
  std::vector<Index> came, went, added;
  std::vector<Index> place(static_cast<std::size_t>(n_), -1);
  bool anew = kept.of != data_ || static_cast<Index>(kept.rows.size()) > e + e / 2 + 32;
  if (!anew) {
    std::set_difference(columns.begin(), columns.end(), kept.columns.begin(), kept.columns.end(),
                        std::back_inserter(came));
    std::set_difference(kept.columns.begin(), kept.columns.end(), columns.begin(), columns.end(),
                        std::back_inserter(went));
    for (std::size_t a = 0; a < kept.rows.size(); ++a) {
      place[kept.rows[a]] = static_cast<Index>(a);
    }
    for (const Index i : rows) {
      if (place[i] < 0) added.push_back(i);
    }
    const Index changes = static_cast<Index>(came.size() + went.size());
    anew = 2 * changes > k || 3 * static_cast<Index>(added.size()) > e;
  }
  if (anew) {
    kept.of = data_;
    kept.rows = rows;
    kept.value = Eigen::MatrixXd::Zero(e, e);
    std::vector<Index> part;
    for (Index first = 0; first < k; first += block_size) {
      part.assign(columns.begin() + first, columns.begin() + std::min(k, first + block_size));
      kept.value += gram_rows(block(rows, part), Control());
    }
    kept.columns = columns;
    out = kept.value;
    return;
  }

  if (!came.empty()) kept.value += gram_rows(block(kept.rows, came), Control());
  if (!went.empty()) kept.value -= gram_rows(block(kept.rows, went), Control());
  kept.columns = columns;
  if (!added.empty()) {
    const Index before = static_cast<Index>(kept.rows.size());
    const Index more = static_cast<Index>(added.size());
    for (Index a = 0; a < more; ++a) place[added[a]] = before + a;
    kept.rows.insert(kept.rows.end(), added.begin(), added.end());
    Eigen::MatrixXd cross = Eigen::MatrixXd::Zero(before + more, more);
    std::vector<Index> part;
    for (Index first = 0; first < k; first += block_size) {
      part.assign(columns.begin() + first, columns.begin() + std::min(k, first + block_size));
      const Eigen::MatrixXd values = block(kept.rows, part);
      cross += multiply_transposed(values, values.bottomRows(more), Control());
    }
    kept.value.conservativeResize(before + more, before + more);
    kept.value.rightCols(more) = cross;
    kept.value.bottomRows(more) = cross.transpose();
  }
  out.resize(e, e);
  for (Index b = 0; b < e; ++b) {
    const Index from = place[rows[b]];
    for (Index a = 0; a < e; ++a) out(a, b) = kept.value(place[rows[a]], from);
  }
}

// Active sets from those of a similar problem, by the conditions of polish(): solve, move the rows
// and columns that disagree, solve again. Works on the columns near the support and prices all of
// them at the end. False, with `state` as it was: the sets did not settle.
bool ElasticNetSvm::follow(const HingeRows& rows, double lambda1, ElasticNetSvmState& state,
                           const ElasticNetSvmOptions& options, const Control& control,
                           ElasticNetSvmFit& fit) const {
  Eigen::VectorXd v = rho_ * kappa_ * state.dt + lambda2_ * state.t;
  std::vector<Index> columns;
  std::vector<bool> inside(static_cast<std::size_t>(p_), false);
  const auto watch = [&] {
    for (Index j = 0; j < p_; ++j) {
      if (factor_(j) != 0 && std::abs(v(j)) >= near_support * lambda1) {
        inside[static_cast<std::size_t>(j)] = true;
      }
    }
    columns.clear();
    for (Index j = 0; j < p_; ++j) {
      if (inside[static_cast<std::size_t>(j)]) columns.push_back(j);
    }
  };
  watch();

  Eigen::VectorXd alpha = -(rows.sign.array() * rho_ * omega_.array() * state.dz.array());
  std::vector<signed char> where(static_cast<std::size_t>(n_));
  for (Index i = 0; i < n_; ++i) {
    const double w = rows.weight(i);
    where[i] = static_cast<signed char>(
        w == 0 || alpha(i) <= bound_share * w ? 0 : alpha(i) >= (1 - bound_share) * w ? 2 : 1);
    if (where[i] != 1) alpha(i) = where[i] == 0 ? 0 : w;
  }

  const double r = free_ ? 0 : rows.offset;
  Eigen::VectorXd t = Eigen::VectorXd::Zero(p_), g, xt;
  Eigen::VectorXd u(n_);
  double offset = 0, primal_value = 0, dual_value = 0;
  // v, t and the decision values that belong to alpha; only the columns watched.
  const auto evaluate = [&] {
    u = alpha.cwiseProduct(rows.sign);
    const double total = u.sum();
    if (x_.scale() == Scale::unit) {
      for (Index i = 0; i < n_; ++i) u(i) /= x_.row_divisor(i);
    }
    double squares = 0, sum = 0;
    for (const Index j : columns) {
      const StoredColumn f = x_.stored_column(j);
      double product = 0;
      if (f.row) {
        for (Index a = 0; a < f.count; ++a) product += f.value[a] * u(f.row[a]);
      } else {
        product = Eigen::Map<const Eigen::VectorXd>(f.value, n_).dot(u);
      }
      v(j) = product * factor_(j) - total * moved_(j);
      const double over = std::abs(v(j)) - lambda1;
      t(j) = over > 0 ? (v(j) > 0 ? over : -over) / lambda2_ : 0;
      squares += t(j) * t(j);
      sum += std::abs(t(j));
    }
    xt = times(t);
    offset = best_offset(xt, rows);
    g = xt.array() + offset;
    primal_value = (rows.weight.array() * (1 - rows.sign.array() * g.array()).max(0.0)).sum() +
                   lambda1 * sum + lambda2_ / 2 * squares;
    dual_value = (alpha.array() * (1 - r * rows.sign.array())).sum() - lambda2_ / 2 * squares;
  };
  const auto gap = [&] {
    return (primal_value - dual_value) / std::max(std::abs(primal_value), 1e-12);
  };

  evaluate();
  double least = std::numeric_limits<double>::infinity();
  int worse = 0;
  std::vector<Index> between, support;
  Eigen::MatrixXd system;
  for (int round = 0; round < most_rounds; ++round) {
    control.check_interrupt();
    between.clear();
    support.clear();
    for (Index i = 0; i < n_; ++i) {
      if (where[i] == 1) between.push_back(i);
    }
    for (const Index j : columns) {
      if (t(j) != 0) support.push_back(j);
    }
    const Index e = static_cast<Index>(between.size());
    if (e > largest_polish) return false;
    Eigen::VectorXd current(e);
    if (e > 0) {
      products(between, support, state.products, system);
      Eigen::VectorXd s(e), right(e);
      for (Index a = 0; a < e; ++a) {
        const Index i = between[a];
        s(a) = rows.sign(i);
        right(a) = lambda2_ * (1 - r * s(a) - s(a) * xt(i));
        current(a) = alpha(i);
      }
      system = s.asDiagonal() * system * s.asDiagonal();
      Eigen::MatrixXd shifted = system;
      shifted.diagonal().array() += 1e-11 * std::max(system.diagonal().mean(), 1e-300);
      const Cholesky factor = robust_cholesky(std::move(shifted), "the active rows");
      const Eigen::VectorXd along = factor.solve(s);
      const double lacking = -alpha.dot(rows.sign);
      Eigen::VectorXd change = Eigen::VectorXd::Zero(e);
      double off = 0;
      const double scale = right.lpNorm<Eigen::Infinity>();
      for (int refine = 0; refine < 4; ++refine) {
        const Eigen::VectorXd rest = right - system * change - s * off;
        if (refine > 0 && rest.lpNorm<Eigen::Infinity>() <= 1e-13 * scale) break;
        Eigen::VectorXd more = factor.solve(rest);
        if (free_) {
          const double move = (s.dot(more) + s.dot(change) - lacking) / s.dot(along);
          more -= move * along;
          off += move;
        }
        change += more;
      }
      current += change;
      if (!current.allFinite()) return false;
      for (Index a = 0; a < e; ++a) {
        alpha(between[a]) = std::min(std::max(current(a), 0.0), rows.weight(between[a]));
      }
    }
    if (free_) {
      // What the bounds cut off, taken from the rows that still have room.
      const double excess = alpha.dot(rows.sign);
      double room = 0;
      const auto to_give = [&](Index i) {
        if (alpha(i) <= 0 || alpha(i) >= rows.weight(i)) return 0.0;  // stays at its bound
        return rows.sign(i) * excess > 0 ? -alpha(i) : rows.weight(i) - alpha(i);
      };
      for (const Index i : between) room += std::abs(to_give(i));
      if (std::abs(excess) > room) {
        if (std::abs(excess) > 1e-12 * rows.weight.sum()) return false;
      } else if (room > 0) {
        const double share = std::abs(excess) / room;
        for (const Index i : between) alpha(i) += share * to_give(i);
      }
    }
    evaluate();

    if (gap() <= options.tol) {
      Eigen::VectorXd all_alpha = alpha, all_v;
      const double bound = dual(all_alpha, rows, lambda1, all_v);
      Index violating = 0;
      for (Index j = 0; j < p_; ++j) {
        const bool outside = !inside[static_cast<std::size_t>(j)];
        if (outside && std::abs(all_v(j)) > lambda1 * (1 + 1e-10)) ++violating;
      }
      const double certified = (primal_value - bound) / std::max(std::abs(primal_value), 1e-12);
      if (certified <= options.tol && (!options.exact || violating == 0)) {
        fit.t = t;
        fit.intercept = offset - center_.dot(t);
        fit.g = g;
        fit.alpha = all_alpha;
        fit.v = all_v;
        fit.primal = primal_value;
        fit.dual = bound;
        fit.gap = certified;
        fit.iterations = 0;
        fit.converged = true;
        state.z = g;
        state.t = t;
        state.dz = -(rows.sign.array() * all_alpha.array()) / (rho_ * omega_.array());
        state.dt = (all_v - lambda2_ * t) / (rho_ * kappa_);
        return true;
      }
      v = all_v;
      watch();
      evaluate();
      least = std::numeric_limits<double>::infinity();
    }
    if (gap() > least && ++worse > 2) return false;
    least = std::min(least, gap());
    // Rows that left their bounds, and rows whose margin does not agree with theirs, change sets.
    for (Index i = 0, a = 0; i < n_; ++i) {
      const double w = rows.weight(i);
      if (where[i] == 1) {
        const double value = current(a++);
        if (value <= 0 || value >= w) where[i] = static_cast<signed char>(value <= 0 ? 0 : 2);
      } else if (w > 0) {
        const double h = 1 - rows.sign(i) * g(i);
        if ((where[i] == 0 && h > 1e-12) || (where[i] == 2 && h < -1e-12)) where[i] = 1;
      }
    }
  }
  return false;
}

ElasticNetSvmFit ElasticNetSvm::solve(const HingeRows& rows, double lambda1,
                                      ElasticNetSvmState& state,
                                      const ElasticNetSvmOptions& options,
                                      const Control& control) const {
  const bool warm = state.z.size() == n_ && state.t.size() == p_;
  if (warm && automatic_ && lambda2_ > 0) {
    ElasticNetSvmFit fit;
    if (follow(rows, lambda1, state, options, control, fit)) return fit;
  }
  return search(rows, lambda1, state, options, control);
}

ElasticNetSvmFit ElasticNetSvm::search(const HingeRows& rows, double lambda1,
                                       ElasticNetSvmState& state,
                                       const ElasticNetSvmOptions& options,
                                       const Control& control) const {
  if (by_columns(lambda1)) {
    ElasticNetSvmFit fit;
    if (solve_by_columns(rows, lambda1, state, options, control, fit)) return fit;
  }
  const bool warm = state.z.size() == n_ && state.t.size() == p_;
  if (!warm) {
    state.z = Eigen::VectorXd::Constant(n_, free_ ? 0 : rows.offset);
    state.dz = Eigen::VectorXd::Zero(n_);
    state.t = Eigen::VectorXd::Zero(p_);
    state.dt = Eigen::VectorXd::Zero(p_);
  }
  Eigen::VectorXd& z = state.z;
  Eigen::VectorXd& dz = state.dz;
  Eigen::VectorXd& t = state.t;
  Eigen::VectorXd& dt = state.dt;
  const Eigen::VectorXd reach = rows.weight.array() / (rho_ * omega_.array());
  const double threshold = lambda1 / (rho_ * kappa_);

  Certificate best;
  const auto keep_better = [&](const Certificate& found) {
    if (found.primal < best.primal) {
      best.t = found.t;
      best.g = found.g;
      best.offset = found.offset;
      best.primal = found.primal;
    }
    if (found.dual > best.dual) {
      best.alpha = found.alpha;
      best.v = found.v;
      best.dual = found.dual;
    }
  };

  std::vector<signed char> pattern, before;
  int unchanged = 0;
  int next_attempt = warm ? 0 : first_attempt;  // near enough, the old sets lead to the new
  // A polish may cost a fair share of what the iterations did, no more.
  const double pass = 2.0 * static_cast<double>(x_.stored());
  double spent = 0;
  bool finished = false;
  Certificate polished;
  const auto try_polish = [&](int iteration, const Certificate& now,
                              const std::vector<signed char>& where) {
    ActiveSets sets;
    sets.row.assign(where.begin(), where.begin() + n_);
    sets.t = now.t;
    sets.alpha = now.alpha;
    double previous = std::numeric_limits<double>::infinity();
    for (int round = 0; round < most_rounds; ++round) {
      const double e = static_cast<double>(std::count(sets.row.begin(), sets.row.end(), 1));
      const double k = static_cast<double>((sets.t.array() != 0).count());
      const double work = e * e * (k + e / 3) + pass;
      if (spent + work > 8 * pass * (iteration + 50)) return;
      spent += work;
      if (!polish(rows, lambda1, sets, polished)) return;
      // Both sides together: they satisfy the optimality conditions with each other.
      if (polished.gap() <= options.tol && polished.gap() <= std::max(best.gap(), 1e-13)) {
        best = polished;
        finished = true;
        return;
      }
      keep_better(polished);
      if (lambda2_ == 0 || polished.gap() > 2 * previous) return;
      previous = std::min(previous, polished.gap());
      // Rows that left their bounds, and rows whose margin does not agree with theirs, change sets.
      bool changed = false;
      for (Index i = 0; i < n_; ++i) {
        const double w = rows.weight(i);
        if (w == 0) continue;
        const double h = 1 - rows.sign(i) * polished.g(i);
        signed char to = sets.row[i];
        if (to == 1) {
          to = static_cast<signed char>(sets.alpha(i) <= 0 ? 0 : sets.alpha(i) >= w ? 2 : 1);
        } else if ((to == 0 && h > 1e-12) || (to == 2 && h < -1e-12)) {
          to = 1;
        }
        changed = changed || to != sets.row[i];
        sets.row[i] = to;
      }
      for (Index j = 0; j < p_ && !changed; ++j) {
        changed = (polished.t(j) > 0) != (sets.t(j) > 0) || (polished.t(j) < 0) != (sets.t(j) < 0);
      }
      if (!changed) return;
      sets.t = polished.t;
    }
  };

  int iteration = 0;
  int limit = options.max_iter;
  bool reached = false;
  const auto check = [&] {
    Certificate now;
    now.t = t;
    now.alpha = (-(rows.sign.array() * rho_ * omega_.array() * dz.array()))
                    .max(0.0).min(rows.weight.array());
    pattern.resize(static_cast<std::size_t>(n_ + p_));
    for (Index i = 0; i < n_; ++i) {
      const double w = rows.weight(i), a = now.alpha(i);
      pattern[i] = static_cast<signed char>(
          w == 0 || a <= bound_share * w ? 0 : a >= (1 - bound_share) * w ? 2 : 1);
    }
    for (Index j = 0; j < p_; ++j) {
      pattern[n_ + j] = static_cast<signed char>(t(j) > 0 ? 1 : t(j) < 0 ? -1 : 0);
    }
    const Eigen::VectorXd raw_alpha = now.alpha;
    now.dual = dual(now.alpha, rows, lambda1, now.v);
    now.primal = primal(now.t, rows, lambda1, now.g, now.offset);
    keep_better(now);
    const bool first_reached = !reached && best.gap() <= options.tol;
    if (first_reached) {
      reached = true;
      if (!options.exact) {
        finished = true;
        return;
      }
      limit = std::min(limit, iteration + std::max(100, iteration / 2));
    }
    unchanged = pattern == before ? unchanged + 1 : 0;
    before.swap(pattern);
    // Settled sets are nearly sure to be right; now and then it pays to try before.
    const bool due = lambda2_ > 0 && iteration >= next_attempt;
    if (due) next_attempt = std::max(first_attempt, 2 * iteration);
    if (first_reached || due || unchanged % retry_checks == 1) {
      now.alpha = raw_alpha;  // the sets come from the multipliers as they are
      try_polish(iteration, now, before);
    }
  };

  Scratch scratch;
  Eigen::VectorXd beta, g, q;
  if (warm) check();
  while (!finished && iteration < limit) {
    control.check_interrupt();
    step(z - dz, t - dt, rows.offset, beta, g, scratch);
    if (system_ == SvmSystem::conjugate_gradient) {
      // As exact as the iteration itself is by now.
      const double apart = std::sqrt((omega_.array() * (g - z).array().square()).sum() +
                                     kappa_ * (beta - t).squaredNorm());
      const double size = std::sqrt((omega_.array() * g.array().square()).sum() +
                                    kappa_ * beta.squaredNorm()) + 1e-300;
      scratch.accuracy = std::min(1e-3, std::max(1e-11, 0.02 * apart / size));
    }
    q = relaxation * g + (1 - relaxation) * z + dz;
    for (Index i = 0; i < n_; ++i) {
      double to = q(i);
      if (rows.weight(i) > 0) {
        double h = 1 - rows.sign(i) * q(i);
        if (h > reach(i)) {
          h -= reach(i);
        } else if (h >= 0) {
          h = 0;
        }
        to = rows.sign(i) * (1 - h);
      }
      z(i) = to;
    }
    dz = q - z;
    q = relaxation * beta + (1 - relaxation) * t + dt;
    t = soft_threshold(q, threshold);
    dt = q - t;
    ++iteration;
    if (iteration % check_every == 0 || iteration == limit) check();
  }
  if (!std::isfinite(best.primal)) check();

  // What comes next starts from the best, not from the last, iterate.
  z = best.g;
  t = best.t;
  dz = -(rows.sign.array() * best.alpha.array()) / (rho_ * omega_.array());
  dt = (best.v - lambda2_ * best.t) / (rho_ * kappa_);

  ElasticNetSvmFit fit;
  fit.t = best.t;
  fit.intercept = best.offset - center_.dot(best.t);
  fit.g = best.g;
  fit.alpha = best.alpha;
  fit.v = best.v;
  fit.primal = best.primal;
  fit.dual = best.dual;
  fit.gap = best.gap();
  fit.iterations = iteration;
  fit.converged = fit.gap <= options.tol;
  return fit;
}

}  // namespace semiselect
