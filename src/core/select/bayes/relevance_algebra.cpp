#include "core/select/bayes/relevance_algebra.hpp"

#include <algorithm>
#include <utility>

#include "core/optim/gram.hpp"

namespace semiselect {

namespace {

constexpr Index tile = 128;

Control quiet(const Control& control) {
  Control out = control;
  out.progress = [](double) {};
  return out;
}

Eigen::MatrixXd submatrix(const Eigen::MatrixXd& a, const std::vector<Index>& rows,
                          const std::vector<Index>& columns) {
  Eigen::MatrixXd out(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  for (Index j = 0; j < out.cols(); ++j) {
    const double* from = a.data() + columns[static_cast<std::size_t>(j)] * a.rows();
    for (Index i = 0; i < out.rows(); ++i) out(i, j) = from[rows[static_cast<std::size_t>(i)]];
  }
  return out;
}

Eigen::VectorXd subvector(const Eigen::VectorXd& a, const std::vector<Index>& at) {
  Eigen::VectorXd out(static_cast<Index>(at.size()));
  for (Index i = 0; i < out.size(); ++i) out(i) = a(at[static_cast<std::size_t>(i)]);
  return out;
}

// work(first, count) on fixed stretches of columns: the same bits for any number of threads.
template <class Work>
void by_columns(Index columns, const Control& control, const Work& work) {
  parallel_for((columns + tile - 1) / tile, control,
               [&](Index t) { work(t * tile, std::min(tile, columns - t * tile)); });
}

Eigen::MatrixXd solve_lower(const Cholesky& factor, const Eigen::MatrixXd& b,
                            const Control& control) {
  Eigen::MatrixXd out(b.rows(), b.cols());
  by_columns(b.cols(), control, [&](Index first, Index count) {
    out.middleCols(first, count) = factor.solve_lower(b.middleCols(first, count));
  });
  return out;
}

Eigen::MatrixXd solve_upper(const Cholesky& factor, const Eigen::MatrixXd& b,
                            const Control& control) {
  Eigen::MatrixXd out(b.rows(), b.cols());
  by_columns(b.cols(), control, [&](Index first, Index count) {
    out.middleCols(first, count) = factor.solve_upper(b.middleCols(first, count));
  });
  return out;
}

}  // namespace

RelevanceAlgebra::RelevanceAlgebra(ColumnSubset x, const LinkedGraph& graph, double gamma,
                                   const Control& control)
    : x_(std::move(x)), graph_(graph), gamma_(gamma), control_(quiet(control)) {
  alpha_ = Eigen::VectorXd::Ones(x_.d());
  for (Index i = 0; i < x_.n(); ++i) rows_.push_back(i);
  if (x_.d() <= x_.n()) enter_primal();
}

void RelevanceAlgebra::enter_primal() {
  primal_ = true;
  has_k_ = has_prior_ = false;
  k_.resize(0, 0);
  u_ = SquareFactor();
  u_rows_.resize(0, 0);
  k_b_.resize(0, 0);
  if (gamma_ > 0) {
    b_ = gamma_ *
         x_.column_form([this](const Eigen::VectorXd& f) { return graph_.laplacian_times(f); },
                        control_);
  } else {
    b_ = Eigen::MatrixXd::Zero(d(), d());
  }
}

void RelevanceAlgebra::set_alpha(const Eigen::VectorXd& alpha) {
  alpha_ = alpha;
  has_k_ = has_prior_ = false;
}

void RelevanceAlgebra::keep_features(const std::vector<Index>& positions) {
  const Index kept = static_cast<Index>(positions.size());
  if (kept == d()) return;
  has_prior_ = false;
  const Eigen::VectorXd alpha = subvector(alpha_, positions);
  if (primal_) {
    b_ = submatrix(b_, positions, positions);
  } else if (kept <= x_.n()) {
    has_k_ = false;
  } else if (has_k_ && d() - kept < kept) {
    std::vector<Index> dropped;
    for (Index j = 0, next = 0; j < d(); ++j) {
      if (next < kept && positions[static_cast<std::size_t>(next)] == j) {
        ++next;
      } else {
        dropped.push_back(j);
      }
    }
    k_ -= x_.at(dropped).row_gram(subvector(alpha_, dropped).cwiseInverse(), control_);
  } else {
    has_k_ = false;
  }
  x_.keep(positions);
  alpha_ = alpha;
  if (!primal_ && d() <= x_.n()) enter_primal();
}

void RelevanceAlgebra::set_rows(const std::vector<Index>& rows) {
  if (rows == rows_) return;
  if (has_prior_) {
    std::vector<Index> positions;  // of the rows that stay among those before
    std::size_t at = 0;
    for (const Index i : rows) {
      while (rows_[at] != i) ++at;
      positions.push_back(static_cast<Index>(at));
    }
    k_b_ = submatrix(k_b_, positions, positions);
    if (gamma_ > 0) {
      Eigen::MatrixXd kept(u_rows_.rows(), static_cast<Index>(positions.size()));
      for (Index j = 0; j < kept.cols(); ++j) {
        kept.col(j) = u_rows_.col(positions[static_cast<std::size_t>(j)]);
      }
      u_rows_ = std::move(kept);
    }
  }
  rows_ = rows;
}

Eigen::VectorXd RelevanceAlgebra::times(const Eigen::VectorXd& w) const {
  return x_.times(w, control_);
}

Eigen::VectorXd RelevanceAlgebra::transposed_times(const Eigen::VectorXd& u) const {
  return x_.transposed_times(u, control_);
}

void RelevanceAlgebra::prepare_dual() {
  if (!has_k_) {
    k_ = x_.row_gram(alpha_.cwiseInverse(), control_);
    has_k_ = true;
    has_prior_ = false;
  }
  if (has_prior_) return;
  const Index n = x_.n();
  const Index r = static_cast<Index>(rows_.size());
  if (gamma_ == 0) {
    k_b_ = submatrix(k_, rows_, rows_);
  } else {
    Eigen::MatrixXd u(n, n);
    by_columns(n, control_, [&](Index first, Index count) {
      u.middleCols(first, count) =
          gamma_ * graph_.laplacian_times(Eigen::MatrixXd(k_.middleCols(first, count)));
    });
    u.diagonal().array() += 1;
    control_.check_interrupt();
    u_ = SquareFactor(u);
    control_.check_interrupt();
    u_rows_.resize(n, r);
    by_columns(r, control_, [&](Index first, Index count) {
      Eigen::MatrixXd unit = Eigen::MatrixXd::Zero(n, count);
      for (Index c = 0; c < count; ++c) unit(rows_[static_cast<std::size_t>(first + c)], c) = 1;
      u_rows_.middleCols(first, count) = u_.solve(unit);
    });
    // Rows of K are its columns.
    Eigen::MatrixXd k_rows(n, r);
    for (Index j = 0; j < r; ++j) k_rows.col(j) = k_.col(rows_[static_cast<std::size_t>(j)]);
    const Eigen::MatrixXd half = transposed_multiply(k_rows, u_rows_, control_);
    k_b_ = 0.5 * (half + half.transpose());
  }
  has_prior_ = true;
}

Eigen::VectorXd RelevanceAlgebra::root_e(const Eigen::VectorXd& e) const {
  return subvector(e, rows_).cwiseSqrt();
}

Cholesky RelevanceAlgebra::likelihood_factor(const Eigen::VectorXd& q) const {
  Eigen::MatrixXd m = q.asDiagonal() * k_b_ * q.asDiagonal();
  m.diagonal().array() += 1;
  return robust_cholesky(std::move(m), "the likelihood");
}

RelevanceAlgebra::Direction RelevanceAlgebra::solve(const Eigen::VectorXd& e,
                                                    const Eigen::VectorXd& g) {
  Direction out;
  if (primal_) {
    Eigen::MatrixXd h = b_ + x_.column_gram(e, control_);
    h.diagonal() += alpha_;
    out.v = robust_cholesky(std::move(h), "the weights").solve(g);
    out.image = times(out.v);
    return out;
  }

  prepare_dual();
  const Eigen::VectorXd q = root_e(e);
  const Eigen::VectorXd scaled = g.cwiseQuotient(alpha_);  // A^-1 g
  const Eigen::VectorXd image = times(scaled);
  Eigen::VectorXd correction = Eigen::VectorXd::Zero(x_.n());
  if (gamma_ > 0) correction = u_.solve(Eigen::VectorXd(gamma_ * graph_.laplacian_times(image)));
  const Eigen::VectorXd prior = image - k_ * correction;  // X V g
  const Eigen::VectorXd inner =
      likelihood_factor(q).solve(Eigen::VectorXd(q.cwiseProduct(subvector(prior, rows_))));
  Eigen::VectorXd padded = Eigen::VectorXd::Zero(x_.n());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Index at = static_cast<Index>(i);
    padded(rows_[i]) = q(at) * inner(at);
  }
  if (gamma_ > 0) padded = u_.solve(padded);
  correction += padded;
  out.v = scaled - transposed_times(correction).cwiseQuotient(alpha_);
  out.image = image - k_ * correction;
  return out;
}

RelevanceAlgebra::Relevance RelevanceAlgebra::relevance(const Eigen::VectorXd& e) {
  Relevance out;
  const Eigen::VectorXd q = root_e(e);
  const Index r = q.size();

  if (!primal_) {
    prepare_dual();
    const Cholesky m = likelihood_factor(q);
    Eigen::MatrixXd z = Eigen::MatrixXd::Zero(r, x_.n());  // q (rows of U^-T)
    if (gamma_ > 0) {
      z = q.asDiagonal() * u_rows_.transpose();
    } else {
      for (Index i = 0; i < r; ++i) z(i, rows_[static_cast<std::size_t>(i)]) = q(i);
    }
    z = solve_lower(m, z, control_);
    out.delta = x_.image_norms(z, control_).cwiseQuotient(alpha_.cwiseAbs2());
    out.log_ratio = -m.log_determinant();
    return out;
  }

  Eigen::MatrixXd prior = b_;
  prior.diagonal() += alpha_;
  const Cholesky c = robust_cholesky(std::move(prior), "the prior");
  if (r <= d()) {
    // T = q X_R C^-T, M M' = I + T T', Delta_i = |column i of M^-1 T C^-1|^2.
    const Eigen::MatrixXd rows = q.asDiagonal() * x_.rows_dense(rows_);
    const Eigen::MatrixXd t = solve_lower(c, rows.transpose(), control_);  // T', d x r
    const Eigen::MatrixXd transposed = t.transpose();
    Eigen::MatrixXd inner = gram_columns(t, control_);
    inner.diagonal().array() += 1;
    const Cholesky m = robust_cholesky(std::move(inner), "the likelihood");
    const Eigen::MatrixXd reduced = solve_lower(m, transposed, control_);  // M^-1 T, r x d
    const Eigen::MatrixXd back = solve_upper(c, reduced.transpose(), control_);
    out.delta = back.rowwise().squaredNorm();
    out.log_ratio = -m.log_determinant();
    return out;
  }
  // G = C^-1 X'EX C^-T. With Y = (I + G)^-1 C^-1 and V - Sigma = C^-T G (I + G)^-1 C^-1,
  // (I + G)^-1 (G + G G)(I + G)^-1 = G (I + G)^-1 gives Delta_i = y_i'G y_i + |G y_i|^2.
  const Eigen::MatrixXd half = solve_lower(c, x_.column_gram(e, control_), control_);
  Eigen::MatrixXd gram = solve_lower(c, half.transpose(), control_);
  gram = 0.5 * (gram + Eigen::MatrixXd(gram.transpose()));
  Eigen::MatrixXd inner = gram;
  inner.diagonal().array() += 1;
  const Cholesky m = robust_cholesky(std::move(inner), "the likelihood");
  const Eigen::MatrixXd inverse = solve_lower(c, Eigen::MatrixXd::Identity(d(), d()), control_);
  const Eigen::MatrixXd y = solve_upper(m, solve_lower(m, inverse, control_), control_);
  const Eigen::MatrixXd gy = multiply(gram, y, control_);
  out.delta = (y.cwiseProduct(gy) + gy.cwiseAbs2()).colwise().sum().transpose();
  out.log_ratio = -m.log_determinant();
  return out;
}

}  // namespace semiselect
