#include "core/graph/label_propagation.hpp"

#include <algorithm>
#include <utility>

#include "core/optim/conjugate_gradient.hpp"

namespace semiselect {

void LinkedGraph::times(const Eigen::VectorXd& v, Eigen::VectorXd& out) const {
  out.noalias() = neighbors.w * v;
  if (code.empty()) return;
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(static_cast<Index>(size.size()));
  for (Index i = 0; i < n(); ++i) {
    const int c = code[static_cast<std::size_t>(i)];
    if (c != unlabelled) sum(c) += v(i);
  }
  for (Index i = 0; i < n(); ++i) {
    const int c = code[static_cast<std::size_t>(i)];
    if (c != unlabelled) out(i) += eta * (sum(c) - v(i));
  }
}

Eigen::VectorXd LinkedGraph::laplacian_times(const Eigen::VectorXd& v) const {
  Eigen::VectorXd image(n());
  times(v, image);
  return degree.cwiseProduct(v) - image;
}

Eigen::MatrixXd LinkedGraph::laplacian_times(const Eigen::MatrixXd& v) const {
  Eigen::MatrixXd out(v.rows(), v.cols());
  for (Index c = 0; c < v.cols(); ++c) {
    out.col(c) = laplacian_times(Eigen::VectorXd(v.col(c)));
  }
  return out;
}

LinkedGraph without_links(Graph graph) {
  LinkedGraph out;
  out.degree = graph.degree;
  out.neighbors = std::move(graph);
  return out;
}

LinkedGraph link_classes(Graph graph, const Labels& y, double eta) {
  const Index n = graph.n();
  std::vector<Edge> kept;
  for (const Edge& edge : graph.edges) {
    if (!(y.is_labelled(edge.i) && y.is_labelled(edge.j))) kept.push_back(edge);
  }
  LinkedGraph out;
  out.neighbors = make_graph(n, std::move(kept));
  out.code = y.code;
  out.size = y.class_sizes();
  out.eta = eta;
  out.degree = out.neighbors.degree;
  for (Index i = 0; i < n; ++i) {
    if (!y.is_labelled(i)) continue;
    const std::size_t c = static_cast<std::size_t>(y.code[static_cast<std::size_t>(i)]);
    out.degree(i) += eta * static_cast<double>(out.size[c] - 1);
  }
  return out;
}

std::vector<bool> reachable_rows(const LinkedGraph& graph, const Labels& y) {
  // Class links join labelled rows only, which are reached to begin with.
  std::vector<bool> reached(static_cast<std::size_t>(graph.n()), false);
  std::vector<Index> open = y.labelled_rows();
  for (const Index i : open) reached[static_cast<std::size_t>(i)] = true;
  while (!open.empty()) {
    const Index i = open.back();
    open.pop_back();
    for (Eigen::SparseMatrix<double>::InnerIterator w(graph.neighbors.w, i); w; ++w) {
      const std::size_t j = static_cast<std::size_t>(w.index());
      if (w.value() <= 0 || reached[j]) continue;
      reached[j] = true;
      open.push_back(w.index());
    }
  }
  return reached;
}

PropagatedLabels propagate_labels(const LinkedGraph& graph, const Labels& y,
                                  const PropagationOptions& options, const Control& control) {
  const Index n = graph.n();
  const bool lgc = options.method == PropagationMethod::lgc;
  Eigen::MatrixXd indicator = Eigen::MatrixXd::Zero(n, y.classes);
  for (const Index i : y.labelled_rows()) indicator(i, y.code[static_cast<std::size_t>(i)]) = 1;

  PropagatedLabels out;
  out.reachable = reachable_rows(graph, y);
  ConjugateGradientOptions solver;
  solver.tol = options.tol;
  solver.max_iter = options.max_iter;
  ConjugateGradientSolution solution;

  if (lgc) {
    const Eigen::VectorXd root =
        (graph.degree.array() > 0).select(graph.degree.array().sqrt().inverse(), 0.0).matrix();
    const SymmetricProduct product = [&](const Eigen::VectorXd& v, Eigen::VectorXd& image) {
      graph.times(root.cwiseProduct(v), image);
      image = v - options.alpha * root.cwiseProduct(image);
    };
    solution = conjugate_gradients(product, (1 - options.alpha) * indicator, Eigen::VectorXd(),
                                   solver, control);
    out.f = std::move(solution.x);
  } else {
    // On the unlabelled rows alone; a vector is 0 on all others, so products with all of W do.
    // Rows that no label reaches would make the harmonic system singular. Their F is 0 anyway.
    const double alpha = options.method == PropagationMethod::harmonic ? 1 : options.alpha;
    Eigen::VectorXd inside = Eigen::VectorXd::Zero(n);
    for (Index i = 0; i < n; ++i) {
      inside(i) = !y.is_labelled(i) && out.reachable[static_cast<std::size_t>(i)];
    }
    const SymmetricProduct product = [&](const Eigen::VectorXd& v, Eigen::VectorXd& image) {
      graph.times(v, image);
      image = inside.cwiseProduct(graph.degree.cwiseProduct(v) - alpha * image);
    };
    Eigen::MatrixXd b(n, y.classes);
    for (Index c = 0; c < y.classes; ++c) {
      Eigen::VectorXd image(n);
      graph.times(indicator.col(c), image);
      b.col(c) = alpha * inside.cwiseProduct(image);
    }
    solution = conjugate_gradients(product, b, inside.cwiseProduct(graph.degree), solver, control);
    // Probabilities: what the solver left outside [0, 1] is rounding.
    out.f = solution.x.cwiseMax(0.0).cwiseMin(1.0) + indicator;
  }
  out.iterations = std::move(solution.iterations);
  out.residuals = std::move(solution.residual);
  out.converged = solution.converged;
  return out;
}

PropagatedLabels propagate_labels(const Graph& graph, const Labels& y,
                                  const PropagationOptions& options, const Control& control) {
  return propagate_labels(without_links(graph), y, options, control);
}

Eigen::MatrixXd class_mass_normalized(const Eigen::MatrixXd& f, const std::vector<bool>& reachable,
                                      const Labels& y) {
  const std::vector<Index> size = y.class_sizes();
  const double labels = static_cast<double>(y.count());
  Eigen::MatrixXd out = f;
  for (Index c = 0; c < f.cols(); ++c) {
    double mass = 0;
    for (Index i = 0; i < f.rows(); ++i) {
      if (!y.is_labelled(i) && reachable[static_cast<std::size_t>(i)]) mass += f(i, c);
    }
    if (mass > 0)
      out.col(c) *= static_cast<double>(size[static_cast<std::size_t>(c)]) / labels / mass;
  }
  return out;
}

std::vector<int> propagated_classes(const Eigen::MatrixXd& f, const std::vector<bool>& reachable,
                                    const Labels& y) {
  const double margin = f.size() > 0 ? 1e-10 * f.maxCoeff() : 0;
  std::vector<int> out(static_cast<std::size_t>(f.rows()), unlabelled);
  for (Index i = 0; i < f.rows(); ++i) {
    const std::size_t row = static_cast<std::size_t>(i);
    if (y.is_labelled(i)) {
      out[row] = y.code[row];
      continue;
    }
    if (!reachable[row]) continue;
    Index best = 0;
    const double largest = f.row(i).maxCoeff(&best);
    bool tied = false;
    for (Index c = 0; c < f.cols(); ++c) {
      if (c != best && largest - f(i, c) <= margin) tied = true;
    }
    if (!tied) out[row] = static_cast<int>(best);
  }
  return out;
}

}  // namespace semiselect
