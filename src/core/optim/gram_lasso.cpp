#include "core/optim/gram_lasso.hpp"

#include <algorithm>
#include <cmath>

#include "core/optim/dense.hpp"

namespace semiselect {

namespace {

// The active block of G, and the state of its coordinates.
struct Active {
  std::vector<Index> index;
  Eigen::MatrixXd gram;
  Eigen::VectorXd target;  // b
  Eigen::VectorXd s;
  Eigen::VectorXd slope;  // b - G s within the block

  void add(const Eigen::MatrixXd& g, const Eigen::VectorXd& b, const std::vector<Index>& joining) {
    const Index before = static_cast<Index>(index.size());
    index.insert(index.end(), joining.begin(), joining.end());
    const Index size = static_cast<Index>(index.size());
    gram.conservativeResize(size, size);
    for (Index c = before; c < size; ++c) {
      for (Index r = 0; r < size; ++r) {
        gram(r, c) = g(index[static_cast<std::size_t>(r)], index[static_cast<std::size_t>(c)]);
        gram(c, r) = gram(r, c);
      }
    }
    target.conservativeResize(size);
    s.conservativeResize(size);
    for (Index c = before; c < size; ++c) {
      target(c) = b(index[static_cast<std::size_t>(c)]);
      s(c) = 0;
    }
    slope = target - gram * s;
  }
};

// The largest |change| sqrt(G_jj) of one sweep.
double sweep(Active& active, double lambda) {
  double largest = 0;
  for (Index j = 0; j < active.s.size(); ++j) {
    const double curvature = active.gram(j, j);
    if (!(curvature > 0)) continue;
    const double old = active.s(j);
    const double pull = active.slope(j) + curvature * old;
    const double shrunk = std::max(std::abs(pull) - lambda, 0.0) / curvature;
    const double now = pull < 0 ? -shrunk : shrunk;
    const double change = now - old;
    if (change == 0) continue;
    active.s(j) = now;
    active.slope -= change * active.gram.col(j);
    largest = std::max(largest, std::abs(change) * std::sqrt(curvature));
  }
  return largest;
}

// The minimizer with the support and signs at hand, if it has these signs and if the active
// coordinates outside the support stay within lambda: then it is the minimizer of the block.
bool solve_support(Active& active, double lambda) {
  std::vector<Index> support;
  for (Index j = 0; j < active.s.size(); ++j) {
    if (active.s(j) != 0) support.push_back(j);
  }
  const Index size = static_cast<Index>(support.size());
  if (size == 0) return false;
  Eigen::MatrixXd block(size, size);
  Eigen::VectorXd right(size);
  for (Index c = 0; c < size; ++c) {
    const Index j = support[static_cast<std::size_t>(c)];
    for (Index r = 0; r < size; ++r)
      block(r, c) = active.gram(support[static_cast<std::size_t>(r)], j);
    right(c) = active.target(j) - (active.s(j) > 0 ? lambda : -lambda);
  }
  const Cholesky factor(block);
  if (!factor.ok()) return false;
  // A factor whose pivots nearly vanish would solve to few digits.
  const Eigen::VectorXd pivots = factor.lower().diagonal();
  if (pivots.minCoeff() < 1e-6 * pivots.maxCoeff()) return false;

  Eigen::VectorXd solved = factor.solve(right);
  const Eigen::VectorXd remainder = right - block * solved;  // one step of refinement
  solved += factor.solve(remainder);

  Eigen::VectorXd s = Eigen::VectorXd::Zero(active.s.size());
  for (Index c = 0; c < size; ++c) {
    const Index j = support[static_cast<std::size_t>(c)];
    if (!(solved(c) * active.s(j) > 0)) return false;
    s(j) = solved(c);
  }
  const Eigen::VectorXd slope = active.target - active.gram * s;
  for (Index j = 0; j < s.size(); ++j) {
    if (s(j) == 0 && std::abs(slope(j)) > lambda * (1 + 1e-12)) return false;
  }
  active.s = s;
  active.slope = slope;
  return true;
}

}  // namespace

LassoSolution gram_lasso(const Eigen::MatrixXd& gram, const Eigen::VectorXd& b, double lambda,
                         const std::vector<Index>& allowed, double size,
                         const LassoOptions& options) {
  constexpr int patience = 20;  // sweeps before the support is tried as it is
  const double small = options.tolerance * size;
  // Rough while coordinates still join: what they change need not be known to the last digit.
  double accuracy = std::max(small, 1e-3 * size);

  LassoSolution out;
  Active active;
  std::vector<char> is_active(static_cast<std::size_t>(gram.rows()), 0);
  Eigen::VectorXd slope = b;
  for (;;) {
    std::vector<std::pair<double, Index>> violations;
    for (const Index j : allowed) {
      if (is_active[static_cast<std::size_t>(j)]) continue;
      const double excess = std::abs(slope(j)) - lambda;
      if (excess > 1e-12 * lambda && excess > 1e-14 * std::abs(b(j)))
        violations.emplace_back(-excess, j);
    }
    if (violations.empty()) {
      if (accuracy <= small) break;
      accuracy = std::max(small, 1e-4 * accuracy);
      if (active.index.empty()) break;
    } else {
      // The worst first and not all at a time: most violations vanish once a few have joined.
      const std::size_t most = std::max<std::size_t>(10, active.index.size());
      if (violations.size() > most) {
        std::nth_element(violations.begin(), violations.begin() + static_cast<std::ptrdiff_t>(most),
                         violations.end());
        violations.resize(most);
      }
      std::vector<Index> joining;
      for (const auto& violation : violations) joining.push_back(violation.second);
      std::sort(joining.begin(), joining.end());
      for (const Index j : joining) is_active[static_cast<std::size_t>(j)] = 1;
      active.add(gram, b, joining);
    }

    int here = 0;
    while (out.sweeps < options.max_sweeps) {
      ++out.sweeps;
      ++here;
      if (sweep(active, lambda) <= accuracy) break;
      if (here % patience == 0 && solve_support(active, lambda)) break;
    }
    if (out.sweeps >= options.max_sweeps) {
      out.converged = false;
      break;
    }
    slope = b;
    for (std::size_t c = 0; c < active.index.size(); ++c) {
      const double s = active.s(static_cast<Index>(c));
      if (s != 0) slope -= s * gram.col(active.index[c]);
    }
  }

  for (std::size_t c = 0; c < active.index.size(); ++c) {
    if (active.s(static_cast<Index>(c)) != 0) {
      out.entries.emplace_back(active.index[c], active.s(static_cast<Index>(c)));
    }
  }
  std::sort(out.entries.begin(), out.entries.end());
  return out;
}

}  // namespace semiselect
