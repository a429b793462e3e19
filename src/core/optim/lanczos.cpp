#include "core/optim/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/optim/dense.hpp"
#include "core/run/rng.hpp"

namespace semiselect {

namespace {

using Operator = std::function<Eigen::VectorXd(const Eigen::VectorXd&)>;

// Twice is enough: what the first pass leaves by cancellation, the second removes.
void orthogonalize(Eigen::VectorXd& v, const Eigen::Ref<const Eigen::MatrixXd>& basis) {
  if (basis.cols() == 0) return;
  for (int pass = 0; pass < 2; ++pass) {
    const Eigen::VectorXd part = basis.transpose() * v;
    v.noalias() -= basis * part;
  }
}

struct Search {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
  int restarts = 0;
  bool converged = false;
};

// One thick-restart run in the complement of `outside`.
Search search(Index n, const Operator& apply, Index wanted, const Eigen::MatrixXd& outside,
              const LanczosOptions& options, Rng& rng, const Control& control) {
  const Index room = n - outside.cols();
  const Index most =
      std::min(room, options.basis > 0 ? options.basis : std::max(3 * wanted, wanted + 40));
  wanted = std::min(wanted, room);
  Search out;

  Eigen::MatrixXd v(n, most + 1);
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(most, most);  // v' A v
  const auto fresh = [&](Index filled) {
    Eigen::VectorXd start(n);
    for (;;) {
      for (Index i = 0; i < n; ++i) start(i) = rng.normal();
      orthogonalize(start, outside);
      orthogonalize(start, v.leftCols(filled));
      const double length = start.norm();
      if (length > 1e-8) return Eigen::VectorXd(start / length);
    }
  };
  v.col(0) = fresh(0);
  Index kept = 0;
  for (out.restarts = 0; out.restarts < options.max_restarts; ++out.restarts) {
    double beta = 0;
    for (Index j = kept; j < most; ++j) {
      control.check_interrupt();
      Eigen::VectorXd w = apply(v.col(j));
      orthogonalize(w, outside);
      const Eigen::VectorXd along = v.leftCols(j + 1).transpose() * w;
      h.col(j).head(j + 1) = along;
      h.row(j).head(j + 1) = along.transpose();
      orthogonalize(w, v.leftCols(j + 1));
      orthogonalize(w, outside);  // last: each step would magnify what the basis brings back
      beta = w.norm();
      bool invariant = beta <= 1e-15 * options.norm;
      if (!invariant) {
        w /= beta;
        if (beta < 1e-3 * options.norm) {
          // What is left may be the rounding of what was taken away.
          orthogonalize(w, v.leftCols(j + 1));
          orthogonalize(w, outside);
          const double length = w.norm();
          invariant = length < 0.5;
          w /= length;
        }
      }
      if (invariant) {
        beta = 0;  // A maps the basis into itself: go on outside of it
        if (j + 1 < most) v.col(j + 1) = fresh(j + 1);
      } else {
        v.col(j + 1) = w;
      }
    }
    const SymmetricEigen ritz = eigen_symmetric(h);
    // |A u - theta u| of a Ritz vector is beta times its last coordinate.
    Index good = 0;
    while (good < wanted &&
           std::abs(beta * ritz.vectors(most - 1, good)) <= options.tolerance * options.norm) {
      ++good;
    }
    if (good == wanted || most == room) {
      out.values = ritz.values.head(wanted);
      out.vectors = v.leftCols(most) * ritz.vectors.leftCols(wanted);
      out.converged = true;
      return out;
    }
    kept = std::min(most - 1, wanted + std::min<Index>((most - wanted) / 2, good + 10));
    const Eigen::MatrixXd basis = v.leftCols(most) * ritz.vectors.leftCols(kept);
    const Eigen::VectorXd next = beta > 0 ? Eigen::VectorXd(v.col(most)) : Eigen::VectorXd();
    v.leftCols(kept) = basis;
    if (beta > 0) {
      v.col(kept) = next;
    } else {
      v.col(kept) = fresh(kept);
    }
    h.setZero();
    h.diagonal().head(kept) = ritz.values.head(kept);
    if (out.restarts + 1 == options.max_restarts) {
      out.values = ritz.values.head(wanted);
      out.vectors = basis.leftCols(wanted);
    }
  }
  return out;
}

}  // namespace

LanczosResult lowest_eigenpairs(Index n, const Operator& apply, Index wanted,
                                const Eigen::MatrixXd& outside, double ties,
                                const LanczosOptions& options, const Control& control) {
  LanczosResult out;
  Rng rng(control.seed, 0);
  Eigen::MatrixXd excluded = outside;
  if (excluded.rows() == 0) excluded.resize(n, 0);
  std::vector<double> values;
  Eigen::MatrixXd found(n, 0);
  wanted = std::min(wanted, n - excluded.cols());

  Index ask = wanted;
  while (ask > 0 && excluded.cols() < n) {
    const Search run = search(n, apply, ask, excluded, options, rng, control);
    out.restarts += run.restarts;
    out.converged = out.converged && run.converged;
    // Nothing as low as the last one wanted is left: the list is complete.
    double last = std::numeric_limits<double>::infinity();
    if (static_cast<Index>(values.size()) >= wanted) {
      std::vector<double> sorted = values;
      std::nth_element(sorted.begin(), sorted.begin() + (wanted - 1), sorted.end());
      last = sorted[static_cast<std::size_t>(wanted - 1)];
      if (run.values(0) > last + ties) break;
    }
    const Index before = found.cols();
    found.conservativeResize(n, before + run.values.size());
    excluded.conservativeResize(n, excluded.cols() + run.values.size());
    for (Index c = 0; c < run.values.size(); ++c) {
      Eigen::VectorXd v = run.vectors.col(c);
      orthogonalize(v, excluded.leftCols(excluded.cols() - run.values.size() + c));
      v.normalize();
      found.col(before + c) = v;
      excluded.col(excluded.cols() - run.values.size() + c) = v;
      values.push_back(run.values(c));
    }
    ask = 1;
    if (!out.converged) break;
  }

  std::vector<Index> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
  });
  Index keep = std::min<Index>(wanted, static_cast<Index>(order.size()));
  const auto value_at = [&](Index c) {
    return values[static_cast<std::size_t>(order[static_cast<std::size_t>(c)])];
  };
  while (ties > 0 && keep >= wanted && keep > 0 && keep < static_cast<Index>(order.size()) &&
         value_at(keep) <= value_at(wanted - 1) + ties) {
    ++keep;
  }
  out.values.resize(keep);
  out.vectors.resize(n, keep);
  for (Index c = 0; c < keep; ++c) {
    out.values(c) = value_at(c);
    out.vectors.col(c) = found.col(order[static_cast<std::size_t>(c)]);
  }
  return out;
}

}  // namespace semiselect
