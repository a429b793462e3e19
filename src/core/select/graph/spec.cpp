#include "core/select/graph/spec.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/data/group_statistics.hpp"
#include "core/graph/row_products.hpp"
#include "core/optim/dense.hpp"
#include "core/optim/gram.hpp"
#include "core/optim/lanczos.hpp"
#include "core/run/errors.hpp"

namespace semiselect {

namespace {

constexpr Index block_columns = 256;
constexpr double same_eigenvalue = 1e-10;  // the basis of a multiple eigenvalue must not matter
constexpr Index full_eigen_rows = 5000;    // beyond, all eigenvectors would take hours
constexpr double flat_spread = 1e-25;      // of the sum of squares: rounding of a constant column

// S behind its products with a block of columns.
struct Similarities {
  Eigen::VectorXd degree;
  Eigen::VectorXd root;     // D^1/2
  Eigen::VectorXd inverse;  // D^-1/2, 0 for rows of degree 0
  const Eigen::MatrixXd* full = nullptr;
  const Graph* graph = nullptr;

  Eigen::MatrixXd times(const Eigen::MatrixXd& f) const {
    if (full) return multiply(*full, f, Control());
    return graph->w * f;
  }
  Eigen::MatrixXd normalized(const Eigen::MatrixXd& g) const {  // N g
    const Eigen::MatrixXd scaled = inverse.asDiagonal() * g;
    Eigen::MatrixXd out = g - inverse.asDiagonal() * times(scaled);
    for (Index i = 0; i < degree.size(); ++i) {
      if (degree(i) == 0) out.row(i).setZero();
    }
    return out;
  }
  Eigen::VectorXd forms(const Eigen::MatrixXd& g) const {  // g'N g for every column
    const Eigen::MatrixXd scaled = inverse.asDiagonal() * g;
    const Eigen::VectorXd similar =
        full ? symmetric_forms(*full, scaled, Control())
             : Eigen::VectorXd(scaled.cwiseProduct(times(scaled)).colwise().sum().transpose());
    return g.colwise().squaredNorm().transpose() - similar;
  }
  Eigen::MatrixXd normalized_dense() const {  // N
    const Index n = degree.size();
    Eigen::MatrixXd out = full ? *full : Eigen::MatrixXd(graph->w);
    out = -(inverse.asDiagonal() * out * inverse.asDiagonal()).eval();
    for (Index i = 0; i < n; ++i) {
      if (degree(i) > 0) out(i, i) += 1;
    }
    return out;
  }
  Eigen::VectorXd first() const { return root / root.norm(); }  // v_1
};

Similarities similarities(const Eigen::VectorXd& degree) {
  Similarities s;
  s.degree = degree;
  s.root = degree.cwiseSqrt();
  s.inverse = (degree.array() > 0).select(s.root.array().inverse(), 0.0);
  return s;
}

// f'Df, f~'Df~ and, in `rough`, g'N^r g of every column, g = D^1/2 (f - mu_D): the same centring
// that takes v_1 out of h.
struct Forms {
  Eigen::VectorXd energy, spread, rough;
};

Eigen::VectorXd energies(const FeatureMatrix& x, const Eigen::VectorXd& degree,
                         const Control& control) {
  Eigen::VectorXd out(x.p());
  parallel_for(x.p(), control, [&](Index r) {
    double sum = 0;
    x.for_each_stored(r, [&](Index i, double v) { sum += degree(i) * (v * v); });
    out(r) = sum;
  });
  return out;
}

// Columns first, ..., of D^1/2 (f - mu_D), without those of degree 0.
Eigen::MatrixXd centered_block(const FeatureMatrix& x, Index first, Index count,
                               const Similarities& s, const Eigen::VectorXd& mean) {
  Eigen::MatrixXd g(x.n(), count);
  for (Index c = 0; c < count; ++c) {
    x.column(first + c, g.data() + c * x.n());
    g.col(c) = (g.col(c).array() - mean(first + c)) * s.root.array();
  }
  return g;
}

// f'(D - S)f of a sparse column from its stored entries alone. Negative: lost in cancellation.
double sparse_form(const FeatureMatrix& x, Index r, const Similarities& s, double energy) {
  std::vector<std::pair<Index, double>> stored;
  x.for_each_stored(r, [&](Index i, double v) {
    if (v != 0) stored.emplace_back(i, v);
  });
  double similar = 0;
  for (const auto& a : stored) {
    double sum = 0;
    for (const auto& b : stored) sum += (*s.full)(b.first, a.first) * b.second;
    similar += a.second * sum;
  }
  const double form = energy - similar;
  return form > 1e-10 * energy || energy == 0 ? form : -1;
}

void by_products(const FeatureMatrix& x, const Similarities& s, int r, const Eigen::VectorXd& mean,
                 Forms& forms, const Control& control) {
  const Index blocks = (x.p() + block_columns - 1) / block_columns;
  parallel_for(blocks, control, [&](Index b) {
    const Index first = b * block_columns;
    const Index count = std::min(block_columns, x.p() - first);
    if (r == 1 && s.full && x.is_sparse()) {
      for (Index c = first; c < first + count; ++c) {
        double form = -1;
        if (4 * x.stored_column(c).count < x.n()) form = sparse_form(x, c, s, forms.energy(c));
        forms.rough(c) = form >= 0 ? form : s.forms(centered_block(x, c, 1, s, mean))(0);
      }
      return;
    }
    Eigen::MatrixXd g = centered_block(x, first, count, s, mean);
    for (int step = 0; step < r / 2; ++step) g = s.normalized(g);
    forms.rough.segment(first, count) =
        r % 2 == 0 ? Eigen::VectorXd(g.colwise().squaredNorm().transpose()) : s.forms(g);
  });
}

// A fraction r has no product form: through all eigenvectors.
void by_eigenvectors(const FeatureMatrix& x, const Similarities& s, double r,
                     const Eigen::VectorXd& mean, Forms& forms, const Control& control) {
  if (x.n() > full_eigen_rows) {
    throw InputError("A fractional `r` needs all eigenvectors of a matrix of " +
                     std::to_string(x.n()) + " rows. Take a whole number for `r`.");
  }
  const SymmetricEigen eigen = eigen_symmetric(s.normalized_dense());
  const Eigen::VectorXd gamma = eigen.values.array().max(0.0).pow(r);
  const Index blocks = (x.p() + block_columns - 1) / block_columns;
  parallel_for(blocks, control, [&](Index b) {
    const Index first = b * block_columns;
    const Index count = std::min(block_columns, x.p() - first);
    const Eigen::MatrixXd a = eigen.vectors.transpose() * centered_block(x, first, count, s, mean);
    forms.rough.segment(first, count) = a.cwiseAbs2().transpose() * gamma;
  });
}

// Connected components of the rows that have a neighbor; -1 for the others.
std::vector<int> components(const Graph& graph, int& count) {
  std::vector<int> of(static_cast<std::size_t>(graph.n()), -1);
  count = 0;
  std::vector<Index> stack;
  for (Index start = 0; start < graph.n(); ++start) {
    if (of[static_cast<std::size_t>(start)] >= 0 || graph.degree(start) == 0) continue;
    of[static_cast<std::size_t>(start)] = count;
    stack.push_back(start);
    while (!stack.empty()) {
      const Index i = stack.back();
      stack.pop_back();
      for (Eigen::SparseMatrix<double>::InnerIterator w(graph.w, i); w; ++w) {
        if (w.value() == 0 || of[static_cast<std::size_t>(w.index())] >= 0) continue;
        of[static_cast<std::size_t>(w.index())] = count;
        stack.push_back(w.index());
      }
    }
    ++count;
  }
  return of;
}

// Eigenpairs 2, ..., m of N and all that tie with the last of them.
struct LowPairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;  // n x pairs; unit vectors of rows of degree 0 are left out: a_j = 0
  bool converged = true;
  int iterations = 0;
};

LowPairs dense_pairs(const Similarities& s, Index m) {
  const Eigen::VectorXd first = s.first();
  // v_1 moved above the spectrum, which ends at 2: what stays is orthogonal to it.
  const SymmetricEigen eigen =
      eigen_symmetric(s.normalized_dense() + 3 * first * first.transpose());
  Index keep = std::min<Index>(m - 1, s.degree.size() - 1);
  while (keep > 0 && keep < s.degree.size() - 1 &&
         eigen.values(keep) <= eigen.values(keep - 1) + same_eigenvalue) {
    ++keep;
  }
  LowPairs out;
  out.values = eigen.values.head(keep).cwiseMax(0.0);
  out.vectors = eigen.vectors.leftCols(keep);
  return out;
}

LowPairs lanczos_pairs(const Similarities& s, Index m, const Control& control) {
  const Index n = s.degree.size();
  std::vector<Index> rows;  // of positive degree
  for (Index i = 0; i < n; ++i) {
    if (s.degree(i) > 0) rows.push_back(i);
  }
  const Index active = static_cast<Index>(rows.size());
  // The eigenvalue 0 is known beforehand: D^1/2 1 on each component, a unit vector on each row of
  // degree 0.
  int parts = 1;
  std::vector<int> part(static_cast<std::size_t>(n), 0);
  if (s.graph) part = components(*s.graph, parts);
  Eigen::MatrixXd known = Eigen::MatrixXd::Zero(active, parts);
  for (Index e = 0; e < active; ++e) {
    const Index i = rows[static_cast<std::size_t>(e)];
    known(e, part[static_cast<std::size_t>(i)]) = s.root(i);
  }
  for (int c = 0; c < parts; ++c) known.col(c).normalize();

  const auto apply = [&](const Eigen::VectorXd& v) {
    Eigen::VectorXd wide = Eigen::VectorXd::Zero(n);
    for (Index e = 0; e < active; ++e) wide(rows[static_cast<std::size_t>(e)]) = v(e);
    const Eigen::VectorXd product = s.normalized(wide);
    Eigen::VectorXd out(active);
    for (Index e = 0; e < active; ++e) out(e) = product(rows[static_cast<std::size_t>(e)]);
    return out;
  };
  const Index zeros = parts - 1 + (n - active);
  const Index beyond = std::min(m - 1 - zeros, active - parts);
  LanczosOptions options;
  options.norm = 2;
  LanczosResult found;
  if (active > parts) {
    found = lowest_eigenpairs(active, apply, std::max<Index>(beyond, 1), known, same_eigenvalue,
                              options, control);
  }
  Index keep = found.values.size();
  if (beyond <= 0) {  // lambda_m = 0: only what cannot be told from 0
    keep = 0;
    while (keep < found.values.size() && found.values(keep) <= same_eigenvalue) ++keep;
  }

  // An orthonormal basis of the zero eigenspace without v_1: as a projection, all of it, because
  // the vectors it meets are orthogonal to v_1.
  const Index null = parts > 1 ? parts : 0;
  LowPairs out;
  out.converged = found.converged;
  out.iterations = found.restarts;
  out.values = Eigen::VectorXd::Zero(null + keep);
  out.vectors = Eigen::MatrixXd::Zero(n, null + keep);
  if (keep > 0) out.values.tail(keep) = found.values.head(keep).cwiseMax(0.0);
  for (Index e = 0; e < active; ++e) {
    const Index i = rows[static_cast<std::size_t>(e)];
    if (null > 0) out.vectors.row(i).head(null) = known.row(e);
    if (keep > 0) out.vectors.row(i).tail(keep) = found.vectors.row(e).head(keep);
  }
  return out;
}

// N of the class similarity is a projection: eigenvalue 0 on the class indicators (and on the rows
// without a label), 1 on what is left. So g'N^r g is the within-class sum of squares for every r.
SpecFit class_spec(const Problem& problem, const SpecOptions& options, Index m,
                   const Control& control) {
  const FeatureMatrix& x = problem.x;
  const Index zeros = problem.y.classes + (x.n() - problem.y.count());
  const double high = std::pow(2.0, options.r);
  Eigen::VectorXd degree(x.n());
  for (Index i = 0; i < x.n(); ++i) degree(i) = problem.y.is_labelled(i) ? 1 : 0;

  SpecFit fit;
  fit.selection.statistic.resize(x.p());
  const Eigen::VectorXd energy = energies(x, degree, control);
  const RowGroups groups(problem.y);
  const Eigen::VectorXd equal;
  parallel_for(x.p(), control, [&](Index r) {
    GroupMoments c;
    group_moments(x, r, groups, equal, c);
    const double mean = c.weight.dot(c.mean) / c.weight.sum();
    const double within = c.squares.sum();
    const double between = c.weight.dot((c.mean.array() - mean).square().matrix());
    double& out = fit.selection.statistic(r);
    if (options.phi == 2) {
      out = within + between <= flat_spread * energy(r) ? no_value : within / (within + between);
    } else if (!(energy(r) > 0)) {
      out = no_value;
    } else if (options.phi == 1) {
      out = within / energy(r);
    } else {
      out = (high * between + (m > zeros ? (high - 1) * within : 0.0)) / energy(r);
    }
  });
  if (options.phi == 3) {
    const Index last = m > zeros ? x.n() : zeros;
    fit.eigenvalues = Eigen::VectorXd::Ones(std::max<Index>(last - 1, 0));
    fit.eigenvalues.head(std::min(zeros - 1, fit.eigenvalues.size())).setZero();
  }
  return fit;
}

}  // namespace

SpecFit spec(const Problem& problem, const SpecOptions& options, const Control& control) {
  const FeatureMatrix& x = problem.x;
  const Index m = std::min<Index>(
      options.n_eigen > 0 ? options.n_eigen : std::max(2, problem.y.classes), x.n());
  if (options.similarity == Similarity::classes) return class_spec(problem, options, m, control);

  SpecFit fit;
  RbfSimilarity rbf;
  Graph graph;
  Similarities s;
  if (options.similarity == Similarity::rbf) {
    rbf = rbf_similarity(problem.z, options.graph.bandwidth, options.graph.bandwidth_value,
                         options.graph.k, control);
    fit.bandwidth = rbf.bandwidth;
    s = similarities(rbf.degree);
    s.full = &rbf.s;
  } else {
    graph = neighbor_graph(problem.z, options.graph, control);
    s = similarities(graph.degree);
    s.graph = &graph;
  }

  Eigen::VectorXd mean;
  Forms forms;
  forms.spread = weighted_spread(x, s.degree, control, &mean);
  forms.energy = energies(x, s.degree, control);
  Eigen::VectorXd& out = fit.selection.statistic;
  out.resize(x.p());

  if (options.phi == 3) {
    LowPairs low;
    const bool small = x.n() <= spec_dense_rows;
    if (!small) low = lanczos_pairs(s, m, control);
    if (small || (!low.converged && x.n() <= full_eigen_rows)) low = dense_pairs(s, m);
    fit.eigenvalues = low.values;
    fit.selection.converged = low.converged;
    fit.selection.iterations = low.iterations;
    const Eigen::VectorXd weight = std::pow(2.0, options.r) - low.values.array().pow(options.r);
    const Index blocks = (x.p() + block_columns - 1) / block_columns;
    parallel_for(blocks, control, [&](Index b) {
      const Index first = b * block_columns;
      const Index count = std::min(block_columns, x.p() - first);
      const Eigen::MatrixXd a = low.vectors.transpose() * centered_block(x, first, count, s, mean);
      out.segment(first, count) = a.cwiseAbs2().transpose() * weight;
    });
  } else {
    forms.rough.resize(x.p());
    const bool whole = options.r == std::floor(options.r) && options.r < 1000;
    if (!whole) {
      by_eigenvectors(x, s, options.r, mean, forms, control);
    } else if (options.r == 1 && s.graph) {
      forms.rough = edge_sums(x, graph, control);  // the difference form: nothing cancels
    } else {
      by_products(x, s, static_cast<int>(options.r), mean, forms, control);
    }
    out = forms.rough;
  }

  for (Index c = 0; c < x.p(); ++c) {
    if (options.phi == 2) {
      // Centring a constant leaves rounding noise, and a ratio of noise would be ranked.
      const bool flat = forms.spread(c) <= flat_spread * forms.energy(c);
      out(c) = flat || problem.constant[static_cast<std::size_t>(c)] ? no_value
                                                                     : out(c) / forms.spread(c);
    } else if (!(forms.energy(c) > 0)) {
      out(c) = no_value;
    } else {
      out(c) = problem.constant[static_cast<std::size_t>(c)] ? 0 : out(c) / forms.energy(c);
    }
  }
  return fit;
}

}  // namespace semiselect
