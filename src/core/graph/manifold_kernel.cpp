#include "core/graph/manifold_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/optim/blocked.hpp"
#include "core/optim/conjugate_gradient.hpp"
#include "core/optim/dense.hpp"
#include "core/optim/gram.hpp"

namespace semiselect {

namespace {

constexpr double rank_tol = 1e-10;      // eigenvalues below this share of the largest are 0
constexpr Index largest_dense = 5000;   // rows of a matrix that is factored
constexpr Index column_block = 256;

// Columns of a dense block: as many as stay near 32 MB.
Index block_width(Index n) {
  const Index fitting = (Index{1} << 22) / std::max<Index>(n, 1);
  return std::max<Index>(16, std::min<Index>(column_block, fitting));
}

Eigen::MatrixXd centered_columns(const FeatureMatrix& z, const std::vector<Index>& columns,
                                 Index first, Index count, const Eigen::VectorXd& mean) {
  Eigen::MatrixXd block(z.n(), count);
  for (Index c = 0; c < count; ++c) {
    const Index j = columns[static_cast<std::size_t>(first + c)];
    z.column(j, block.col(c).data());
    block.col(c).array() -= mean(j);
  }
  return block;
}

std::vector<Index> all_columns(const FeatureMatrix& z) {
  std::vector<Index> columns(static_cast<std::size_t>(z.p()));
  std::iota(columns.begin(), columns.end(), Index{0});
  return columns;
}

Eigen::MatrixXd chosen_rows(const Eigen::MatrixXd& a, const std::vector<Index>& rows) {
  Eigen::MatrixXd out(static_cast<Index>(rows.size()), a.cols());
  for (Index i = 0; i < out.rows(); ++i) out.row(i) = a.row(rows[static_cast<std::size_t>(i)]);
  return out;
}

// The labelled columns of the identity, times u.
Eigen::MatrixXd padded(const Eigen::MatrixXd& u, const std::vector<Index>& rows, Index n) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, u.cols());
  for (Index i = 0; i < u.rows(); ++i) out.row(rows[static_cast<std::size_t>(i)]) = u.row(i);
  return out;
}

// Xc'u, Xc the centered columns.
Eigen::MatrixXd centered_cross(const FeatureMatrix& z, const Eigen::VectorXd& mean,
                               const Eigen::MatrixXd& u) {
  Eigen::MatrixXd out = z.transposed_times(u);
  out.noalias() -= mean * u.colwise().sum();
  return out;
}

Eigen::MatrixXd symmetric_part(const Eigen::MatrixXd& a) { return 0.5 * (a + a.transpose()); }

// a^+ b from an eigendecomposition of a >= 0.
struct PseudoInverse {
  Eigen::MatrixXd vectors;   // of the eigenvalues kept
  Eigen::VectorXd inverse;

  explicit PseudoInverse(const Eigen::MatrixXd& a) {
    const SymmetricEigen eigen = eigen_symmetric(a);
    const Index size = eigen.values.size();
    const double largest = size > 0 ? std::max(eigen.values(size - 1), 0.0) : 0;
    Index first = 0;
    while (first < size && !(eigen.values(first) > rank_tol * largest)) ++first;
    vectors = eigen.vectors.rightCols(size - first);
    inverse = eigen.values.tail(size - first).cwiseInverse();
  }
};

ManifoldKernel by_features(const FeatureMatrix& z, const Graph& graph,
                           const std::vector<Index>& rows, double eps, const Control& control) {
  const Eigen::VectorXd mean = column_means(z);
  Eigen::MatrixXd smooth = smoothness_matrix(z, all_columns(z), graph, control);
  Eigen::MatrixXd right =
      centered_cross(z, mean, padded(Eigen::MatrixXd::Identity(static_cast<Index>(rows.size()),
                                                               static_cast<Index>(rows.size())),
                                     rows, z.n()));  // X_l', d x l
  ManifoldKernel out;
  if (eps > 0) {
    smooth.diagonal().array() += eps;
    const auto factor = std::make_shared<const BlockedCholesky>(std::move(smooth), control);
    if (!factor->ok()) {
      throw std::runtime_error(
          "The matrix of the manifold term is not positive definite to working precision; a larger "
          "`ridge` would help.");
    }
    out.h = gram_columns(factor->solve_lower(right), control);
    const auto cross = std::make_shared<const Eigen::MatrixXd>(std::move(right));
    out.weights = [factor, cross](const Eigen::MatrixXd& u) {
      return factor->solve(Eigen::MatrixXd(*cross * u));
    };
    return out;
  }
  const auto inverse = std::make_shared<const PseudoInverse>(smooth);
  const auto part =
      std::make_shared<const Eigen::MatrixXd>(inverse->vectors.transpose() * right);  // r x l
  out.h = gram_columns(inverse->inverse.cwiseSqrt().asDiagonal() * *part, control);
  out.weights = [inverse, part](const Eigen::MatrixXd& u) -> Eigen::MatrixXd {
    return inverse->vectors * (inverse->inverse.asDiagonal() * (*part * u));
  };
  return out;
}

Eigen::MatrixXd full_gram(const FeatureMatrix& z, const Eigen::VectorXd& mean,
                          const Control& control) {
  return weighted_gram(z, mean, Eigen::VectorXd::Ones(z.p()), control);
}

Eigen::MatrixXd dense_laplacian(const Graph& graph) {
  return laplacian_times(graph, Eigen::MatrixXd::Identity(graph.n(), graph.n()));
}

// (Z + eps I) X' = X' (L G + eps I), so the weights are X'Y u with (L G + eps I) Y = E_l.
ManifoldKernel by_samples(const FeatureMatrix& z, const Graph& graph,
                          const std::vector<Index>& rows, double eps, const Control& control) {
  const Index n = z.n();
  const Index l = static_cast<Index>(rows.size());
  const Eigen::VectorXd mean = column_means(z);
  Eigen::MatrixXd g = full_gram(z, mean, control);
  ManifoldKernel out;
  if (eps > 0) {
    Eigen::MatrixXd system = laplacian_times(graph, g);
    system.diagonal().array() += eps;
    const Eigen::MatrixXd g_rows = chosen_rows(g, rows);
    g.resize(0, 0);
    const BlockedLu factor(std::move(system), control);
    if (!factor.ok()) throw std::runtime_error("The matrix of the manifold term is singular.");
    const auto y = std::make_shared<const Eigen::MatrixXd>(
        factor.solve(padded(Eigen::MatrixXd::Identity(l, l), rows, n)));
    out.h = symmetric_part(multiply(g_rows, *y, control));
    out.weights = [z, mean, y](const Eigen::MatrixXd& u) {
      return centered_cross(z, mean, *y * u);
    };
    return out;
  }
  // X = U S V': the pseudo-inverse of Z = V (S U'LU S) V', not of U'LU (which differs where the
  // graph falls into parts).
  const SymmetricEigen gram = eigen_symmetric(g);
  control.check_interrupt();
  const double largest = std::max(gram.values(n - 1), 0.0);
  Index first = 0;
  while (first < n && !(gram.values(first) > 1e-12 * largest)) ++first;
  const Eigen::VectorXd s = gram.values.tail(n - first).cwiseSqrt();
  const Eigen::MatrixXd us = gram.vectors.rightCols(n - first) * s.asDiagonal();
  const Eigen::MatrixXd inner = transposed_multiply(us, laplacian_times(graph, us), control);
  const PseudoInverse inverse(symmetric_part(inner));
  const Eigen::MatrixXd part = inverse.vectors.transpose() * chosen_rows(us, rows).transpose();
  out.h = gram_columns(inverse.inverse.cwiseSqrt().asDiagonal() * part, control);
  // w = V q, V = X'U S^-1.
  const auto back = std::make_shared<const Eigen::MatrixXd>(
      gram.vectors.rightCols(n - first) * s.cwiseInverse().asDiagonal() *
      (inverse.vectors * (inverse.inverse.asDiagonal() * part)));
  out.weights = [z, mean, back](const Eigen::MatrixXd& u) {
    return centered_cross(z, mean, *back * u);
  };
  return out;
}

// eps = 0, connected graph, centered rows of rank n - 1: H does not depend on x. False where the
// rows have less rank.
bool by_laplacian(const FeatureMatrix& z, const Graph& graph, const std::vector<Index>& rows,
                  const Control& control, ManifoldKernel& out) {
  const Index n = z.n();
  const Index l = static_cast<Index>(rows.size());
  const Eigen::VectorXd mean = column_means(z);
  // Constants are the null space of both matrices: filled up, each is positive definite.
  Eigen::MatrixXd g = full_gram(z, mean, control);
  g.array() += g.trace() / static_cast<double>(n) / static_cast<double>(n);
  const auto gram = std::make_shared<const BlockedCholesky>(std::move(g), control);
  if (!gram->ok()) return false;
  const Eigen::ArrayXd pivots = gram->lower().diagonal().array().square();
  if (!(pivots.minCoeff() > rank_tol * pivots.maxCoeff())) return false;

  Eigen::MatrixXd filled = dense_laplacian(graph);
  const double level = graph.degree.mean() / static_cast<double>(n);
  filled.array() += level;
  const auto laplacian = std::make_shared<const BlockedCholesky>(std::move(filled), control);
  if (!laplacian->ok()) return false;
  const auto plus = [laplacian, rows, n](const Eigen::MatrixXd& u) {  // L^+ (padded u)
    Eigen::MatrixXd centered = padded(u, rows, n);
    centered.rowwise() -= Eigen::RowVectorXd(centered.colwise().mean());
    return laplacian->solve(centered);
  };
  out.h = symmetric_part(chosen_rows(plus(Eigen::MatrixXd::Identity(l, l)), rows));
  // The shortest w with Xc w = f.
  out.weights = [z, mean, gram, plus](const Eigen::MatrixXd& u) {
    Eigen::MatrixXd f = plus(u);
    f.rowwise() -= Eigen::RowVectorXd(f.colwise().mean());
    return centered_cross(z, mean, gram->solve(f));
  };
  return true;
}

ManifoldKernel by_iterations(const FeatureMatrix& z, const Graph& graph,
                             const std::vector<Index>& rows, double eps, const Control& control) {
  const Index l = static_cast<Index>(rows.size());
  const Eigen::VectorXd mean = column_means(z);
  const auto apply = [z, graph, eps](const Eigen::VectorXd& v, Eigen::VectorXd& to) {
    to = z.transposed_times(Eigen::VectorXd(laplacian_times(graph, z.times(v)))) + eps * v;
  };
  // With eps = 0 the right-hand sides may leave the range of Z; the normal equations Z^2 w = Z b
  // then give the pseudo-inverse.
  const bool squared = eps == 0 && count_components(graph) > 1;
  const SymmetricProduct product = [apply, squared](const Eigen::VectorXd& v, Eigen::VectorXd& to) {
    apply(v, to);
    if (squared) {
      const Eigen::VectorXd once = to;
      apply(once, to);
    }
  };
  const auto solve = [z, mean, rows, apply, product, squared](const Eigen::MatrixXd& u,
                                                              const Control& run, bool& converged) {
    Eigen::MatrixXd right = centered_cross(z, mean, padded(u, rows, z.n()));
    if (squared) {
      Eigen::VectorXd to;
      for (Index c = 0; c < right.cols(); ++c) {
        apply(right.col(c), to);
        right.col(c) = to;
      }
    }
    ConjugateGradientOptions options;
    options.tol = squared ? 1e-12 : 1e-9;
    // No preconditioner: the diagonal makes it worse (740 iterations for 340 on text).
    const ConjugateGradientSolution solution =
        conjugate_gradients(product, right, Eigen::VectorXd(), options, run);
    converged = converged && solution.converged;
    return solution.x;
  };
  ManifoldKernel out;
  out.h.resize(l, l);
  constexpr Index chunk = 16;
  for (Index first = 0; first < l; first += chunk) {
    const Index count = std::min(chunk, l - first);
    const Eigen::MatrixXd w =
        solve(Eigen::MatrixXd::Identity(l, l).middleCols(first, count), control, out.converged);
    Eigen::MatrixXd f = z.times(w);
    f.rowwise() -= Eigen::RowVectorXd(mean.transpose() * w);
    out.h.middleCols(first, count) = chosen_rows(f, rows);
  }
  out.h = symmetric_part(out.h);
  out.weights = [solve](const Eigen::MatrixXd& u) {
    bool converged = true;
    return solve(u, Control(), converged);
  };
  return out;
}

}  // namespace

int count_components(const Graph& graph) {
  std::vector<int> parent(static_cast<std::size_t>(graph.n()));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[static_cast<std::size_t>(i)] != i) {
      parent[static_cast<std::size_t>(i)] =
          parent[static_cast<std::size_t>(parent[static_cast<std::size_t>(i)])];
      i = parent[static_cast<std::size_t>(i)];
    }
    return i;
  };
  int components = static_cast<int>(graph.n());
  for (const Edge& edge : graph.edges) {
    if (!(edge.w > 0)) continue;
    const int a = root(edge.i), b = root(edge.j);
    if (a != b) {
      parent[static_cast<std::size_t>(a)] = b;
      --components;
    }
  }
  return components;
}

Eigen::VectorXd column_means(const FeatureMatrix& z) {
  return z.transposed_times(Eigen::VectorXd(Eigen::VectorXd::Ones(z.n()))) /
         static_cast<double>(z.n());
}

Eigen::MatrixXd laplacian_times(const Graph& graph, const Eigen::MatrixXd& v) {
  Eigen::MatrixXd out = graph.degree.asDiagonal() * v;
  out -= graph.w * v;
  return out;
}

Eigen::MatrixXd smoothness_matrix(const FeatureMatrix& z, const std::vector<Index>& columns,
                                  const Graph& graph, const Control& control) {
  const Index d = static_cast<Index>(columns.size());
  const Index width = block_width(z.n());
  const Eigen::VectorXd mean = column_means(z);  // L 1 = 0 in theory; in rounding it matters
  Eigen::MatrixXd out(d, d);
  for (Index first = 0; first < d; first += width) {
    control.check_interrupt();
    const Index count = std::min(width, d - first);
    const Eigen::MatrixXd block = centered_columns(z, columns, first, count, mean);
    const Eigen::MatrixXd smooth = laplacian_times(graph, block);
    out.block(first, first, count, count) =
        symmetric_part(transposed_multiply(block, smooth, control));
    for (Index other = first + width; other < d; other += width) {
      control.check_interrupt();
      const Index many = std::min(width, d - other);
      const Eigen::MatrixXd partner = centered_columns(z, columns, other, many, mean);
      out.block(other, first, many, count) = transposed_multiply(partner, smooth, control);
      out.block(first, other, count, many) = out.block(other, first, many, count).transpose();
    }
  }
  return out;
}

Eigen::MatrixXd weighted_gram(const FeatureMatrix& z, const Eigen::VectorXd& mean,
                              const Eigen::VectorXd& weight, const Control& control) {
  const Index n = z.n();
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd linear = Eigen::VectorXd::Zero(n);  // S D m, S the stored part of the columns
  double constant = 0;                                // m'D m
  bool thin = false;

  const Index width = block_width(n);
  Eigen::MatrixXd block(n, width);
  Index filled = 0;
  const auto flush = [&] {
    if (filled == 0) return;
    control.check_interrupt();
    out += gram_rows(block.leftCols(filled), control);
    filled = 0;
  };
  std::vector<double> value;
  for (Index j = 0; j < z.p(); ++j) {
    if (weight(j) == 0) continue;
    const StoredColumn c = z.stored_column(j);
    if (c.row && 4 * c.count <= n) {
      // Stored entries v / divisor; a centered entry is that minus (shift / divisor + mean).
      const double offset = z.shift(j) / z.divisor(j) + mean(j);
      value.resize(static_cast<std::size_t>(c.count));
      for (Index e = 0; e < c.count; ++e) {
        value[static_cast<std::size_t>(e)] = c.value[e] / z.row_divisor(c.row[e]) / z.divisor(j);
      }
      for (Index e = 0; e < c.count; ++e) {
        const double factor = weight(j) * value[static_cast<std::size_t>(e)];
        double* column = out.data() + c.row[e] * n;
        for (Index o = e; o < c.count; ++o) {
          column[c.row[o]] += factor * value[static_cast<std::size_t>(o)];
        }
        linear(c.row[e]) += factor * offset;
      }
      constant += weight(j) * offset * offset;
      thin = true;
      continue;
    }
    z.column(j, block.col(filled).data());
    block.col(filled) = std::sqrt(weight(j)) * (block.col(filled).array() - mean(j));
    if (++filled == width) flush();
  }
  flush();
  if (thin) {
    for (Index i = 0; i < n; ++i) {
      out.col(i).tail(n - i).array() += constant - linear(i) - linear.tail(n - i).array();
    }
    out.triangularView<Eigen::StrictlyUpper>() = out.transpose();
  }
  return out;
}

ManifoldKernel manifold_kernel(const FeatureMatrix& z, const Graph& graph,
                               const std::vector<Index>& rows, double eps, ManifoldRoute route,
                               const Control& control) {
  const Index n = z.n(), d = z.p();
  const bool guess = route == ManifoldRoute::automatic;
  if (guess) {
    if (d <= n && d <= largest_dense) {
      route = ManifoldRoute::features;
    } else if (n <= largest_dense) {
      route = eps == 0 && count_components(graph) == 1 ? ManifoldRoute::laplacian
                                                       : ManifoldRoute::samples;
    } else {
      route = ManifoldRoute::iterative;
    }
  }
  ManifoldKernel out;
  if (route == ManifoldRoute::laplacian && !by_laplacian(z, graph, rows, control, out)) {
    if (!guess) throw std::runtime_error("The rows do not have full rank.");
    route = ManifoldRoute::samples;
  }
  if (route == ManifoldRoute::features) out = by_features(z, graph, rows, eps, control);
  if (route == ManifoldRoute::samples) out = by_samples(z, graph, rows, eps, control);
  if (route == ManifoldRoute::iterative) out = by_iterations(z, graph, rows, eps, control);
  out.route = route;
  return out;
}

}  // namespace semiselect
