#include "core/select/bayes/jsfs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/select/bayes/relevance_algebra.hpp"

namespace semiselect {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double precision_min = 1e-6, precision_max = 1e12;  // bounds of alpha and c

double sigmoid(double z) {
  if (z >= 0) return 1 / (1 + std::exp(-z));
  const double e = std::exp(z);
  return e / (1 + e);
}

double log_sigmoid(double z) {
  return z >= 0 ? -std::log1p(std::exp(-z)) : z - std::log1p(std::exp(z));
}

double clip_precision(double value) {
  return std::min(std::max(value, precision_min), precision_max);
}

// The rows of the graph, in a new numbering; the others have no edge.
LinkedGraph graph_of_rows(const LinkedGraph& graph, const std::vector<Index>& rows) {
  std::vector<int> place(static_cast<std::size_t>(graph.n()), -1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    place[static_cast<std::size_t>(rows[i])] = static_cast<int>(i);
  }
  std::vector<Edge> edges;
  for (const Edge& edge : graph.neighbors.edges) {
    const int i = place[static_cast<std::size_t>(edge.i)];
    const int j = place[static_cast<std::size_t>(edge.j)];
    if (i >= 0 && j >= 0) edges.push_back({std::min(i, j), std::max(i, j), edge.w});
  }
  LinkedGraph out;
  out.neighbors = make_graph(static_cast<Index>(rows.size()), std::move(edges));
  out.size = graph.size;
  out.eta = graph.eta;
  out.degree.resize(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!graph.code.empty()) out.code.push_back(graph.code[static_cast<std::size_t>(rows[i])]);
    out.degree(static_cast<Index>(i)) = graph.degree(rows[i]);
  }
  return out;
}

// One run of fit_relevance(): the rows that count, and what the steps (a) to (g) hand on.
class RelevanceModel {
 public:
  RelevanceModel(const FeatureMatrix& x, const std::vector<Index>& columns,
                 const LinkedGraph& graph, const std::vector<int>& target,
                 const std::vector<bool>& labelled, const JsfsOptions& options,
                 const Control& control)
      : options_(options),
        control_(control),
        graph_(graph),
        algebra_(ColumnSubset(x, columns), graph, options.gamma, control),
        feature_(columns) {
    const Index n = x.n();
    w_ = Eigen::VectorXd::Zero(algebra_.d());
    alpha_ = Eigen::VectorXd::Ones(algebra_.d());
    lambda_ = Eigen::VectorXd::Ones(n);
    c_ = Eigen::VectorXd::Ones(n);
    y_ = Eigen::VectorXd::Zero(n);
    t_ = Eigen::VectorXd::Zero(n);
    for (Index i = 0; i < n; ++i) {
      const std::size_t row = static_cast<std::size_t>(i);
      if (target[row] == unlabelled || (!labelled[row] && options.mu == 0)) continue;
      y_(i) = target[row];
      t_(i) = labelled[row] ? 1 : options.mu;
      if (!labelled[row]) active_.push_back(i);
      rows_.push_back(i);
    }
    algebra_.set_rows(rows_);
    p_ = Eigen::VectorXd::Zero(n);
  }

  int update_weights();                            // (a), number of Newton steps
  bool prune_features(int it, RelevanceFit& fit);  // (b)
  void update_lambda();                            // (c)
  bool prune_rows();                               // (d)
  void evidence(RelevanceFit& fit);                // (e)
  void update_precisions();                        // (f)

  double largest_weight() const { return w_.size() > 0 ? w_.cwiseAbs().maxCoeff() : 0; }
  double unit() const {
    return options_.prune_scale == PruneScale::relative ? std::min(1.0, largest_weight()) : 1.0;
  }
  const Eigen::VectorXd& weights() const { return w_; }
  Eigen::VectorXd& start() { return start_; }

  void store(RelevanceFit& fit, const std::vector<Index>& original_row) const;

 private:
  Eigen::VectorXd laplacian(const Eigen::VectorXd& f) const {
    if (options_.gamma == 0) return Eigen::VectorXd::Zero(f.size());
    return options_.gamma * graph_.laplacian_times(f);
  }
  double log_likelihood(const Eigen::VectorXd& p) const {
    double sum = 0;
    for (const Index i : rows_) {
      const double z = lambda_(i) * p(i);
      sum += t_(i) * log_sigmoid(y_(i) > 0 ? z : -z);
    }
    return sum;
  }
  // Diagonal of E at p.
  Eigen::VectorXd curvature(const Eigen::VectorXd& p) const {
    Eigen::VectorXd e = Eigen::VectorXd::Zero(p.size());
    for (const Index i : rows_) {
      const double s = sigmoid(lambda_(i) * p(i));
      e(i) = t_(i) * lambda_(i) * lambda_(i) * s * (1 - s);
    }
    return e;
  }
  // h_j: minus the second derivative of the terms of lambda_j other than its Gaussian.
  double row_curvature(Index j) const {
    const double s = sigmoid(lambda_(j) * p_(j));
    const double b = sigmoid(options_.beta * lambda_(j));
    return t_(j) * p_(j) * p_(j) * s * (1 - s) + options_.beta * options_.beta * b * (1 - b);
  }
  double row_objective(Index j, double lambda) const {
    const double z = lambda * p_(j);
    return t_(j) * log_sigmoid(y_(j) > 0 ? z : -z) - 0.5 * c_(j) * lambda * lambda +
           log_sigmoid(options_.beta * lambda);
  }

  const JsfsOptions& options_;
  const Control& control_;
  const LinkedGraph& graph_;
  RelevanceAlgebra algebra_;
  std::vector<Index> feature_;  // original columns of the features still in the model
  std::vector<Index> active_;   // pseudo-labelled rows still in the model
  std::vector<Index> rows_;     // these and the labelled ones
  Eigen::VectorXd w_, alpha_, start_;
  Eigen::VectorXd lambda_, c_, y_, t_;
  Eigen::VectorXd p_;  // X w
  Eigen::VectorXd delta_;
};

int RelevanceModel::update_weights() {
  start_ = w_;
  p_ = algebra_.times(w_);
  int steps = 0;
  while (steps < options_.max_newton) {
    control_.check_interrupt();
    Eigen::VectorXd pull = Eigen::VectorXd::Zero(p_.size());
    for (const Index i : rows_) {
      pull(i) = t_(i) * lambda_(i) * (y_(i) - sigmoid(lambda_(i) * p_(i)));
    }
    const Eigen::VectorXd lp = laplacian(p_);
    const Eigen::VectorXd g = algebra_.transposed_times(pull - lp) - alpha_.cwiseProduct(w_);
    if (!(g.cwiseAbs().maxCoeff() > options_.newton_tol)) break;
    const RelevanceAlgebra::Direction direction = algebra_.solve(curvature(p_), g);
    const Eigen::VectorXd& v = direction.v;
    const Eigen::VectorXd& xv = direction.image;

    // Along w + step v the penalty is a parabola: a trial costs O(n).
    const double slope = g.dot(v);
    const double penalty = alpha_.dot(w_.cwiseAbs2()) + p_.dot(lp);
    const double cross = (alpha_.cwiseProduct(w_)).dot(v) + xv.dot(lp);
    const double bend = alpha_.dot(v.cwiseAbs2()) + xv.dot(laplacian(xv));
    const double q = log_likelihood(p_) - 0.5 * penalty;
    double step = 1;
    while (step > 1e-8) {
      const double trial =
          log_likelihood(p_ + step * xv) - 0.5 * (penalty + 2 * step * cross + step * step * bend);
      if (!(trial < q + 1e-4 * step * slope - 1e-12 * (1 + std::abs(q)))) break;
      step /= 2;
    }
    w_ += step * v;
    p_ += step * xv;
    ++steps;
    if (step * v.cwiseAbs().maxCoeff() < 1e-10 * std::max(1.0, largest_weight())) break;
  }
  return steps;
}

bool RelevanceModel::prune_features(int it, RelevanceFit& fit) {
  const double limit = options_.prune_weight * unit();
  std::vector<Index> kept;
  for (Index r = 0; r < w_.size(); ++r) {
    if (std::abs(w_(r)) >= limit) kept.push_back(r);
  }
  if (kept.empty()) {
    Index best = 0;
    w_.cwiseAbs().maxCoeff(&best);
    kept.push_back(best);
  }
  const bool pruned = static_cast<Index>(kept.size()) < w_.size();
  if (pruned) {
    std::vector<Index> feature;
    Eigen::VectorXd w(static_cast<Index>(kept.size())), alpha(w.size()), start(w.size());
    std::size_t next = 0;
    for (Index r = 0; r < w_.size(); ++r) {
      const Index column = feature_[static_cast<std::size_t>(r)];
      if (next < kept.size() && kept[next] == r) {
        const Index at = static_cast<Index>(next++);
        w(at) = w_(r);
        alpha(at) = alpha_(r);
        start(at) = start_(r);
        feature.push_back(column);
      } else {
        fit.pruned_at[static_cast<std::size_t>(column)] = it;
        fit.last_weight(column) = std::abs(w_(r));
      }
    }
    w_ = std::move(w);
    alpha_ = std::move(alpha);
    start_ = std::move(start);
    feature_ = std::move(feature);
    algebra_.keep_features(kept);
  }
  p_ = algebra_.times(w_);
  return pruned;
}

void RelevanceModel::update_lambda() {
  const double beta = options_.beta;
  for (int step = 0; step < options_.max_newton; ++step) {
    control_.check_interrupt();
    Eigen::VectorXd g(static_cast<Index>(active_.size()));
    for (Index a = 0; a < g.size(); ++a) {
      const Index j = active_[static_cast<std::size_t>(a)];
      g(a) = t_(j) * p_(j) * (y_(j) - sigmoid(lambda_(j) * p_(j))) - c_(j) * lambda_(j) +
             beta * sigmoid(-beta * lambda_(j));
    }
    if (g.size() == 0 || !(g.cwiseAbs().maxCoeff() > options_.newton_tol)) break;
    for (Index a = 0; a < g.size(); ++a) {
      const Index j = active_[static_cast<std::size_t>(a)];
      const double v = g(a) / (c_(j) + row_curvature(j));
      const double q = row_objective(j, lambda_(j));
      double length = 1;
      for (int halving = 0; halving < 40; ++halving) {
        const double trial = row_objective(j, lambda_(j) + length * v);
        if (!(trial < q + 1e-4 * length * g(a) * v - 1e-12 * (1 + std::abs(q)))) break;
        length /= 2;
      }
      lambda_(j) += length * v;
    }
  }
}

bool RelevanceModel::prune_rows() {
  std::vector<Index> kept, dropped;
  for (const Index j : active_) (lambda_(j) < options_.prune_row ? dropped : kept).push_back(j);
  if (dropped.empty()) return false;
  for (const Index j : dropped) {
    lambda_(j) = 0;
    t_(j) = 0;
  }
  active_ = std::move(kept);
  rows_.erase(std::remove_if(rows_.begin(), rows_.end(), [&](Index i) { return t_(i) == 0; }),
              rows_.end());
  algebra_.set_rows(rows_);
  return true;
}

void RelevanceModel::evidence(RelevanceFit& fit) {
  const RelevanceAlgebra::Relevance relevance = algebra_.relevance(curvature(p_));
  delta_ = relevance.delta;
  const double likelihood = log_likelihood(p_);
  const double log_ml_w = likelihood - 0.5 * (alpha_.dot(w_.cwiseAbs2()) + p_.dot(laplacian(p_))) +
                          0.5 * relevance.log_ratio;
  double log_ml_lambda = likelihood;
  for (const Index j : active_) {
    log_ml_lambda += std::log(2.0) + 0.5 * std::log(c_(j)) - 0.5 * c_(j) * lambda_(j) * lambda_(j) +
                     log_sigmoid(options_.beta * lambda_(j)) -
                     0.5 * std::log(c_(j) + row_curvature(j));
  }
  fit.log_ml_w.push_back(log_ml_w);
  fit.log_ml_lambda.push_back(log_ml_lambda);
  fit.objective.push_back(log_ml_w + log_ml_lambda - likelihood);
  fit.n_features.push_back(static_cast<int>(w_.size()));
  fit.n_unlabelled.push_back(static_cast<int>(active_.size()));
}

void RelevanceModel::update_precisions() {
  for (Index r = 0; r < w_.size(); ++r) {
    const double delta = std::max(delta_(r), 0.0);
    if (options_.update == RelevanceUpdate::em) {
      alpha_(r) = 1 / (w_(r) * w_(r) + 1 / alpha_(r) - delta);
      if (!(alpha_(r) > 0)) alpha_(r) = precision_max;  // 1/alpha = Delta up to rounding
    } else {
      alpha_(r) *= std::sqrt(delta) / std::max(std::abs(w_(r)), 1e-300);
    }
    alpha_(r) = clip_precision(alpha_(r));
  }
  for (const Index j : active_) {
    const double square = lambda_(j) * lambda_(j);
    const double h = row_curvature(j);
    c_(j) = options_.update == RelevanceUpdate::em
                ? 1 / (square + 1 / (c_(j) + h))
                : 1 / (square / 2 + std::sqrt(square * square / 4 + square / h));
    c_(j) = clip_precision(c_(j));
  }
  algebra_.set_alpha(alpha_);
}

void RelevanceModel::store(RelevanceFit& fit, const std::vector<Index>& original_row) const {
  for (Index r = 0; r < w_.size(); ++r) {
    const Index column = feature_[static_cast<std::size_t>(r)];
    fit.weights(column) = w_(r);
    fit.alpha(column) = alpha_(r);
  }
  for (const Index j : active_) {
    fit.lambda(original_row[static_cast<std::size_t>(j)]) = lambda_(j);
    fit.row_precision(original_row[static_cast<std::size_t>(j)]) = c_(j);
  }
}

}  // namespace

double RelevanceFit::score(Index feature) const {
  const int t = pruned_at[static_cast<std::size_t>(feature)];
  if (t == 0) return std::abs(weights(feature));
  const double v = last_weight(feature);
  return (t - iterations - 1) + v / (1 + v);
}

RelevanceFit fit_relevance(const FeatureMatrix& z, const std::vector<Index>& columns,
                           const LinkedGraph& graph, const std::vector<int>& target,
                           const std::vector<bool>& labelled, const JsfsOptions& options,
                           const Control& control) {
  const Index n = z.n(), p = z.p();
  RelevanceFit fit;
  fit.weights = Eigen::VectorXd::Zero(p);
  fit.alpha = Eigen::VectorXd::Constant(p, infinity);
  fit.pruned_at.assign(static_cast<std::size_t>(p), 0);
  fit.last_weight = Eigen::VectorXd::Zero(p);
  fit.lambda = Eigen::VectorXd::Zero(n);
  fit.row_precision = Eigen::VectorXd::Constant(n, no_value);

  // Rows outside the likelihood count only through their edges.
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i) {
    const std::size_t row = static_cast<std::size_t>(i);
    if (labelled[row]) {
      fit.lambda(i) = 1;
    } else if (options.mu == 0) {
      fit.lambda(i) = no_value;
    }
    const bool in_likelihood = labelled[row] || (options.mu > 0 && target[row] != unlabelled);
    if (in_likelihood || (options.gamma > 0 && graph.degree(i) > 0)) rows.push_back(i);
  }
  // A copy pays only if it is much smaller; rows that stay without need do no harm.
  const bool fewer = 4 * static_cast<Index>(rows.size()) <= 3 * n;
  LinkedGraph own_graph;
  FeatureMatrix own_x;
  std::vector<int> own_target;
  std::vector<bool> own_labelled;
  if (fewer) {
    own_x = z.rows(rows);
    if (options.gamma > 0) own_graph = graph_of_rows(graph, rows);
    for (const Index i : rows) {
      own_target.push_back(target[static_cast<std::size_t>(i)]);
      own_labelled.push_back(labelled[static_cast<std::size_t>(i)]);
    }
  } else {
    rows.clear();
    for (Index i = 0; i < n; ++i) rows.push_back(i);
  }

  RelevanceModel model(fewer ? own_x : z, columns, fewer ? own_graph : graph,
                       fewer ? own_target : target, fewer ? own_labelled : labelled, options,
                       control);
  int it = 0;
  try {
    while (it < options.max_iter) {
      ++it;
      control.check_interrupt();
      fit.newton.push_back(model.update_weights());
      fit.separates = model.largest_weight() > 0;
      const bool pruned_feature = fit.separates && model.prune_features(it, fit);
      model.update_lambda();
      const bool pruned_row = model.prune_rows();
      model.evidence(fit);
      model.update_precisions();
      control.progress(static_cast<double>(it) / options.max_iter);
      const double moved = (model.weights() - model.start()).cwiseAbs().maxCoeff();
      if (!fit.separates ||
          (!pruned_feature && !pruned_row && moved < options.tol * model.unit())) {
        fit.converged = true;
        break;
      }
    }
  } catch (const std::runtime_error& failure) {
    throw std::runtime_error(std::string(failure.what()) + " JSFS stopped in iteration " +
                             std::to_string(it) + ". Scale `x`, or raise `gamma`.");
  }
  fit.iterations = it;
  model.store(fit, rows);
  if (!fit.separates) {
    for (const Index r : columns) fit.pruned_at[static_cast<std::size_t>(r)] = it;
    fit.alpha.setConstant(infinity);
  }
  control.progress(1);
  return fit;
}

namespace {

// Coefficients on the scale of x: (x_j / divisor_j) w_j, with the shifts in the intercept.
void fold_scaling(const FeatureMatrix& z, Jsfs& out) {
  const Index problems = static_cast<Index>(out.fits.size());
  out.coefficients.resize(z.p(), problems);
  out.intercept = Eigen::VectorXd::Zero(problems);
  out.link.resize(z.n(), problems);
  for (Index c = 0; c < problems; ++c) {
    const Eigen::VectorXd& w = out.fits[static_cast<std::size_t>(c)].weights;
    for (Index r = 0; r < z.p(); ++r) {
      out.coefficients(r, c) = w(r) / z.divisor(r);
      out.intercept(c) -= out.coefficients(r, c) * z.shift(r);
    }
    out.link.col(c) = z.times(w);
  }
}

void rank_features(const std::vector<bool>& constant, Jsfs& out) {
  const Index p = static_cast<Index>(constant.size());
  Selection& s = out.selection;
  s.statistic = Eigen::VectorXd::Zero(p);
  s.score.resize(p);
  s.selected.assign(static_cast<std::size_t>(p), 0);
  for (Index r = 0; r < p; ++r) {
    const std::size_t at = static_cast<std::size_t>(r);
    if (constant[at]) {
      s.statistic(r) = s.score(r) = no_value;
      for (RelevanceFit& fit : out.fits) fit.alpha(r) = no_value;
      continue;
    }
    double best = -infinity;
    bool kept = false;
    for (const RelevanceFit& fit : out.fits) {
      s.statistic(r) += fit.weights(r) * fit.weights(r);
      best = std::max(best, fit.score(r));
      kept = kept || fit.pruned_at[at] == 0;
    }
    s.statistic(r) = std::sqrt(s.statistic(r));
    s.score(r) = kept ? s.statistic(r) : best;
    s.selected[at] = kept;
  }
  s.converged = true;
  for (const RelevanceFit& fit : out.fits) {
    s.iterations = std::max(s.iterations, fit.iterations);
    s.converged = s.converged && fit.converged;
  }
  if (out.fits.size() == 1) s.objective = out.fits[0].objective;
}

// What the graph says of labels, and its revision on a projection of the rows.
class Propagator {
 public:
  Propagator(const FeatureMatrix& z, const std::vector<Index>& columns,
             const GraphOptions& graph_options, const JsfsOptions& options, const Control& control)
      : x_(z, columns), graph_options_(graph_options), options_(options), control_(control) {
    // One column would be all alike by its cosine.
    graph_options_.metric = Metric::euclidean;
    graph_options_.given = Graph();
  }

  LinkedGraph linked(Graph neighbors, const Labels& y) const {
    return options_.link_labels ? link_classes(std::move(neighbors), y, options_.eta)
                                : without_links(std::move(neighbors));
  }

  std::vector<int> classes(const LinkedGraph& graph, const Labels& y) const {
    PropagationOptions propagation;
    propagation.alpha = options_.lp_alpha;
    const PropagatedLabels labels = propagate_labels(graph, y, propagation, control_);
    return propagated_classes(labels.f, labels.reachable, y);
  }

  // Neighbors on the differences of the class means, after so many rounds; their labels.
  struct Revision {
    Graph neighbors;
    std::vector<int> code;
  };
  Revision revise(const Labels& y) const {
    Revision out;
    out.code = y.code;
    for (int round = 0; round < options_.refresh; ++round) {
      control_.check_interrupt();
      Labels known = y;
      known.code = out.code;
      out.neighbors =
          neighbor_graph(FeatureMatrix::dense(projection(known)), graph_options_, control_);
      out.code = classes(linked(out.neighbors, y), y);
    }
    return out;
  }

 private:
  // z times (mean of a class - mean of the class means); two classes: one column will do.
  Eigen::MatrixXd projection(const Labels& y) const {
    const std::vector<Index> size = y.class_sizes();
    Eigen::MatrixXd mean(x_.d(), y.classes);
    for (int c = 0; c < y.classes; ++c) {
      Eigen::VectorXd inside = Eigen::VectorXd::Zero(x_.n());
      for (Index i = 0; i < x_.n(); ++i) {
        if (y.code[static_cast<std::size_t>(i)] != c) continue;
        inside(i) = 1 / static_cast<double>(size[static_cast<std::size_t>(c)]);
      }
      mean.col(c) = x_.transposed_times(inside, control_);
    }
    const Eigen::VectorXd center = mean.rowwise().mean();
    const Index directions = y.classes == 2 ? 1 : y.classes;
    Eigen::MatrixXd out(x_.n(), directions);
    for (Index c = 0; c < directions; ++c) out.col(c) = x_.times(mean.col(c) - center, control_);
    return out;
  }

  ColumnSubset x_;
  GraphOptions graph_options_;
  const JsfsOptions& options_;
  const Control& control_;
};

// Whether the revised graph says more of the labels than the one at hand, each tenth of them (by
// their order within a class) held out in turn. The gain must exceed its standard error, the root
// of the number of labels on which the two differ (as in McNemar's test): with ten labels one more
// right is luck.
void compare_graphs(const Propagator& propagator, const Graph& neighbors, const Labels& y,
                    Jsfs& out) {
  constexpr Index folds = 10;
  int differ = 0;  // held-out labels that one graph alone gets right
  std::vector<Index> fold(y.code.size(), -1);
  std::vector<Index> seen(static_cast<std::size_t>(y.classes), 0);
  for (const Index i : y.labelled_rows()) {
    const std::size_t row = static_cast<std::size_t>(i);
    fold[row] = seen[static_cast<std::size_t>(y.code[row])]++ % folds;
  }
  for (Index f = 0; f < folds; ++f) {
    Labels rest = y;
    for (std::size_t i = 0; i < fold.size(); ++i) {
      if (fold[i] == f) rest.code[i] = unlabelled;
    }
    const std::vector<Index> left = rest.class_sizes();
    if (rest.code == y.code || *std::min_element(left.begin(), left.end()) == 0) continue;
    const std::vector<int> before = propagator.classes(propagator.linked(neighbors, rest), rest);
    const std::vector<int> after = propagator.revise(rest).code;
    for (std::size_t i = 0; i < fold.size(); ++i) {
      if (fold[i] != f) continue;
      ++out.held_out;
      const bool first = before[i] == y.code[i], second = after[i] == y.code[i];
      out.right_before += first;
      out.right_after += second;
      differ += first != second;
    }
  }
  const double gain = out.right_after - out.right_before;
  out.revised = gain > 0 && gain * gain > differ;
}

}  // namespace

Jsfs jsfs(const Problem& problem, const GraphOptions& graph_options, const JsfsOptions& options,
          const Control& control) {
  const FeatureMatrix z = problem.z.centered(options.center);
  const Labels& y = problem.y;
  const Index n = z.n();

  std::vector<Index> columns;
  for (Index r = 0; r < z.p(); ++r) {
    if (!problem.constant[static_cast<std::size_t>(r)]) columns.push_back(r);
  }
  std::vector<bool> labelled(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) labelled[static_cast<std::size_t>(i)] = y.is_labelled(i);

  Jsfs out;
  out.pseudo = y.code;
  LinkedGraph graph;
  const Propagator propagator(z, columns, graph_options, options, control);
  if (options.gamma > 0 || options.mu > 0) {
    Graph neighbors = neighbor_graph(z, graph_options, control);
    if (options.refresh > 0 && y.count() < n) {
      compare_graphs(propagator, neighbors, y, out);
      if (out.revised) neighbors = propagator.revise(y).neighbors;
    }
    graph = propagator.linked(std::move(neighbors), y);
  }
  if (options.mu > 0) {
    out.pseudo = propagator.classes(graph, y);
    out.n_undecided = std::count(out.pseudo.begin(), out.pseudo.end(), unlabelled);
  }

  const int problems = y.classes == 2 ? 1 : y.classes;
  for (int c = 0; c < problems; ++c) {
    const int positive = y.classes == 2 ? 1 : c;
    std::vector<int> target(out.pseudo);
    for (int& code : target) {
      if (code != unlabelled) code = code == positive;
    }
    Control share = control;
    share.progress = [&control, c, problems](double done) {
      control.progress((c + done) / problems);
    };
    out.fits.push_back(fit_relevance(z, columns, graph, target, labelled, options, share));
  }
  rank_features(problem.constant, out);
  fold_scaling(z, out);
  return out;
}

}  // namespace semiselect
