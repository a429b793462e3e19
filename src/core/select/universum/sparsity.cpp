#include "core/select/universum/sparsity.hpp"

#include <algorithm>
#include <cmath>

#include "core/data/group_statistics.hpp"
#include "core/optim/gram.hpp"
#include "core/optim/gram_lasso.hpp"

namespace semiselect {

namespace {

constexpr Index block_columns = 16;

Eigen::VectorXd dense_error(const FeatureMatrix& z, const SparseWeights& s,
                            const Control& control) {
  const Index blocks = (z.p() + block_columns - 1) / block_columns;
  Eigen::VectorXd out(z.p());
  parallel_for(blocks, control, [&](Index b) {
    const Index first = b * block_columns;
    const Index count = std::min(block_columns, z.p() - first);
    std::vector<double> rows(static_cast<std::size_t>(z.n() * block_columns), 0.0);
    z.block_by_rows(first, count, rows.data(), block_columns);
    double sum[block_columns] = {};
    for (std::size_t e = 0; e < s.rows.size(); ++e) {
      double residual[block_columns];
      const double* f = rows.data() + s.rows[e] * block_columns;
      for (Index c = 0; c < block_columns; ++c) residual[c] = f[c];
      for (const auto& entry : s.entries[e]) {
        const double* g = rows.data() + entry.first * block_columns;
        for (Index c = 0; c < block_columns; ++c) residual[c] -= entry.second * g[c];
      }
      for (Index c = 0; c < block_columns; ++c) sum[c] += residual[c] * residual[c];
    }
    for (Index c = 0; c < count; ++c) out(first + c) = sum[c];
  });
  return out;
}

// With z = (v - shift) / divisor and v sparse, the residual of row i is that of v less
// shift (1 - sum_j s_ij), all over the divisor: only the rows that a stored entry reaches differ.
Eigen::VectorXd sparse_error(const FeatureMatrix& z, const SparseWeights& s,
                             const Control& control) {
  const std::size_t represented = s.rows.size();
  std::vector<Index> position(static_cast<std::size_t>(z.n()), -1);
  std::vector<std::vector<std::pair<Index, double>>> used_by(static_cast<std::size_t>(z.n()));
  Eigen::VectorXd slack = Eigen::VectorXd::Ones(static_cast<Index>(represented));
  for (std::size_t e = 0; e < represented; ++e) {
    position[static_cast<std::size_t>(s.rows[e])] = static_cast<Index>(e);
    for (const auto& entry : s.entries[e]) {
      used_by[static_cast<std::size_t>(entry.first)].emplace_back(static_cast<Index>(e),
                                                                  entry.second);
      slack(static_cast<Index>(e)) -= entry.second;
    }
  }
  Eigen::VectorXd out(z.p());
  parallel_for(z.p(), control, [&](Index r) {
    Eigen::VectorXd residual = -z.shift(r) * slack;
    z.for_each_stored(r, [&](Index i, double v) {
      const Index own = position[static_cast<std::size_t>(i)];
      if (own >= 0) residual(own) += v;
      for (const auto& use : used_by[static_cast<std::size_t>(i)])
        residual(use.first) -= use.second * v;
    });
    out(r) = residual.squaredNorm() / (z.divisor(r) * z.divisor(r));
  });
  return out;
}

}  // namespace

SparseWeights sparse_weights(const FeatureMatrix& z, const Labels& y,
                             const SparsityOptions& options, const Control& control) {
  const Index n = z.n();
  SparseWeights out;
  std::vector<std::vector<Index>> candidates;  // of each group of rows, ascending
  std::vector<std::size_t> group(static_cast<std::size_t>(n), 0);
  if (options.supervised) {
    candidates.resize(static_cast<std::size_t>(y.classes));
    for (const Index i : y.labelled_rows()) {
      const std::size_t c = static_cast<std::size_t>(y.code[static_cast<std::size_t>(i)]);
      group[static_cast<std::size_t>(i)] = c;
      candidates[c].push_back(i);
      out.rows.push_back(i);
    }
  } else {
    candidates.resize(1);
    for (Index i = 0; i < n; ++i) {
      candidates[0].push_back(i);
      out.rows.push_back(i);
    }
  }

  Eigen::MatrixXd gram = gram_rows(z, control);
  if (options.affine) gram.array() += 1;

  const Index count = static_cast<Index>(out.rows.size());
  out.entries.resize(static_cast<std::size_t>(count));
  std::vector<int> sweeps(static_cast<std::size_t>(count), 0);
  std::vector<char> converged(static_cast<std::size_t>(count), 1);
  parallel_for(count, control, [&](Index e) {
    const std::size_t slot = static_cast<std::size_t>(e);
    const Index i = out.rows[slot];
    std::vector<Index> allowed;
    double largest = 0;
    for (const Index j : candidates[group[static_cast<std::size_t>(i)]]) {
      if (j == i) continue;
      allowed.push_back(j);
      largest = std::max(largest, std::abs(gram(j, i)));
    }
    if (largest == 0 || options.rho >= 1) return;  // nothing exceeds the penalty
    const LassoSolution fit = gram_lasso(gram, gram.col(i), options.rho * largest, allowed,
                                         std::sqrt(gram(i, i)), LassoOptions());
    out.entries[slot] = fit.entries;
    sweeps[slot] = fit.sweeps;
    converged[slot] = fit.converged;
  });
  for (Index e = 0; e < count; ++e) {
    out.iterations = std::max(out.iterations, sweeps[static_cast<std::size_t>(e)]);
    out.converged = out.converged && converged[static_cast<std::size_t>(e)];
  }
  return out;
}

Eigen::VectorXd representation_error(const FeatureMatrix& z, const SparseWeights& s,
                                     const Control& control) {
  return z.is_sparse() ? sparse_error(z, s, control) : dense_error(z, s, control);
}

SparsityFit sparsity(const Problem& problem, const SparsityOptions& options,
                     const Control& control) {
  const FeatureMatrix& z = problem.z;
  SparsityFit fit;
  fit.weights = sparse_weights(z, problem.y, options, control);
  Eigen::VectorXd& score = fit.selection.statistic;
  score = representation_error(z, fit.weights, control);
  if (options.variant == 2) {
    std::vector<int> group(static_cast<std::size_t>(z.n()), -1);
    for (const Index i : fit.weights.rows) group[static_cast<std::size_t>(i)] = 0;
    const RowGroups represented(group, 1);
    const Eigen::VectorXd equal;
    parallel_for(z.p(), control, [&](Index r) {
      GroupMoments m;
      group_moments(z, r, represented, equal, m);
      const double variance = m.squares(0) / m.weight(0);
      score(r) = problem.constant[static_cast<std::size_t>(r)] ? no_value : score(r) / variance;
    });
  }
  fit.selection.iterations = fit.weights.iterations;
  fit.selection.converged = fit.weights.converged;
  return fit;
}

}  // namespace semiselect
