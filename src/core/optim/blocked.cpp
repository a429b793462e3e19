#include "core/optim/blocked.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/optim/dense.hpp"
#include "core/optim/gram.hpp"

namespace semiselect {

namespace {

// Small matrices are one panel: milliseconds, and packing would cost more than it saves.
constexpr Eigen::Index one_panel = 512;

Eigen::Index panel_width(Eigen::Index n) {
  return n <= one_panel ? std::max<Eigen::Index>(n, 1) : 128;
}

}  // namespace

BlockedCholesky::BlockedCholesky(Eigen::MatrixXd a, const Control& control) : l_(std::move(a)) {
  const Eigen::Index n = l_.rows(), panel = panel_width(n);
  for (Eigen::Index k = 0; k < n; k += panel) {
    control.check_interrupt();
    const Eigen::Index width = std::min(panel, n - k);
    const Eigen::Index below = n - k - width;
    const Cholesky corner(l_.block(k, k, width, width));
    if (!corner.ok()) {
      ok_ = false;
      return;
    }
    l_.block(k, k, width, width) = corner.lower();
    if (below == 0) break;
    const Eigen::MatrixXd side =
        corner.solve_lower(l_.block(k + width, k, below, width).transpose()).transpose();
    l_.block(k + width, k, below, width) = side;
    l_.bottomRightCorner(below, below) -= gram_rows(side, control);
  }
}

Eigen::MatrixXd BlockedCholesky::solve_lower(const Eigen::MatrixXd& b) const {
  return l_.triangularView<Eigen::Lower>().solve(b);
}

Eigen::MatrixXd BlockedCholesky::solve(const Eigen::MatrixXd& b) const {
  return l_.transpose().triangularView<Eigen::Upper>().solve(solve_lower(b));
}

Eigen::VectorXd BlockedCholesky::solve(const Eigen::VectorXd& b) const {
  Eigen::VectorXd x = b;
  l_.triangularView<Eigen::Lower>().solveInPlace(x);
  l_.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
  return x;
}

BlockedLu::BlockedLu(Eigen::MatrixXd a, const Control& control) : lu_(std::move(a)) {
  const Eigen::Index n = lu_.rows(), panel = std::min<Eigen::Index>(panel_width(n), 128);
  swapped_.resize(static_cast<std::size_t>(n));
  for (Eigen::Index k = 0; k < n; k += panel) {
    control.check_interrupt();
    const Eigen::Index width = std::min(panel, n - k);
    const Eigen::Index after = n - k - width;
    for (Eigen::Index j = k; j < k + width; ++j) {
      Eigen::Index at;
      const double largest = lu_.col(j).tail(n - j).cwiseAbs().maxCoeff(&at);
      if (!(largest > 0) || !std::isfinite(largest)) {
        ok_ = false;
        return;
      }
      at += j;
      swapped_[static_cast<std::size_t>(j)] = at;
      if (at != j) lu_.row(j).swap(lu_.row(at));
      lu_.col(j).tail(n - j - 1) /= lu_(j, j);
      const Eigen::Index rest = k + width - j - 1;
      lu_.block(j + 1, j + 1, n - j - 1, rest).noalias() -=
          lu_.col(j).tail(n - j - 1) * lu_.row(j).segment(j + 1, rest);
    }
    if (after == 0) break;
    Eigen::MatrixXd top = lu_.block(k, k + width, width, after);
    lu_.block(k, k, width, width).triangularView<Eigen::UnitLower>().solveInPlace(top);
    lu_.block(k, k + width, width, after) = top;
    const Eigen::MatrixXd side = lu_.block(k + width, k, after, width);
    lu_.bottomRightCorner(after, after) -= multiply(side, top, control);
  }
}

Eigen::MatrixXd BlockedLu::solve(const Eigen::MatrixXd& b) const {
  Eigen::MatrixXd x = b;
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const Eigen::Index other = swapped_[static_cast<std::size_t>(i)];
    if (other != i) x.row(i).swap(x.row(other));
  }
  lu_.triangularView<Eigen::UnitLower>().solveInPlace(x);
  lu_.triangularView<Eigen::Upper>().solveInPlace(x);
  return x;
}

}  // namespace semiselect
