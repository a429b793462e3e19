#include "convert.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

using namespace semiselect;

// Calls f at most once in so many seconds, so that kernels may call as often as they like.
template <class F>
static auto at_most_every(double seconds, const F& f) {
  using Clock = std::chrono::steady_clock;
  return [f, seconds, last = Clock::now()](const auto&... arguments) mutable {
    const Clock::time_point now = Clock::now();
    if (std::chrono::duration<double>(now - last).count() < seconds) return;
    last = now;
    f(arguments...);
  };
}

FeatureMatrix as_feature_matrix(SEXP x) {
  if (Rf_isS4(x)) {
    const Rcpp::S4 matrix(x);
    const Rcpp::IntegerVector dim = matrix.slot("Dim");
    const Rcpp::NumericVector values = matrix.slot("x");
    const Rcpp::IntegerVector inner = matrix.slot("i");
    const Rcpp::IntegerVector outer = matrix.slot("p");
    return FeatureMatrix::sparse(values.begin(), inner.begin(), outer.begin(), dim[0], dim[1]);
  }
  if (!Rf_isMatrix(x) || TYPEOF(x) != REALSXP) {
    throw std::invalid_argument("as_feature_matrix: neither a double matrix nor a dgCMatrix");
  }
  const Rcpp::NumericMatrix matrix(x);
  return FeatureMatrix::dense(matrix.begin(), matrix.nrow(), matrix.ncol());
}

Scale as_scale(const std::string& name) {
  if (name == "none") return Scale::none;
  if (name == "standardize") return Scale::standardize;
  if (name == "range") return Scale::range;
  if (name == "unit") return Scale::unit;
  throw std::invalid_argument("as_scale: " + name);
}

Labels as_labels(SEXP y, int classes) {
  Labels labels;
  labels.classes = classes;
  if (Rf_isNull(y)) return labels;
  const Rcpp::IntegerVector codes(y);
  labels.code.resize(static_cast<std::size_t>(codes.size()));
  for (R_xlen_t i = 0; i < codes.size(); ++i) {
    labels.code[i] = codes[i] == NA_INTEGER ? unlabelled : codes[i] - 1;
  }
  return labels;
}

static std::vector<Pair> as_pairs(SEXP rows) {
  std::vector<Pair> pairs;
  if (Rf_isNull(rows)) return pairs;
  const Rcpp::IntegerMatrix from_one(rows);
  for (int e = 0; e < from_one.nrow(); ++e) {
    const int i = from_one(e, 0) - 1, j = from_one(e, 1) - 1;
    pairs.emplace_back(std::min(i, j), std::max(i, j));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

Constraints as_constraints(SEXP must_link, SEXP cannot_link) {
  return {as_pairs(must_link), as_pairs(cannot_link)};
}

std::vector<Index> as_indices(const Rcpp::IntegerVector& from_one) {
  std::vector<Index> out(from_one.begin(), from_one.end());
  for (Index& index : out) --index;
  return out;
}

Problem as_problem(const Rcpp::List& problem) {
  Problem out;
  out.x = as_feature_matrix(problem["x"]);
  out.z = out.x.scaled(as_scale(Rcpp::as<std::string>(problem["scale"])));
  out.y = as_labels(problem["y"], Rcpp::as<int>(problem["classes"]));
  out.constraints = as_constraints(problem["must_link"], problem["cannot_link"]);
  const Rcpp::LogicalVector constant = problem["constant"];
  out.constant.assign(constant.begin(), constant.end());
  return out;
}

GraphOptions as_graph_options(const Rcpp::List& graph) {
  const auto text = [&](const char* name) { return Rcpp::as<std::string>(graph[name]); };
  GraphOptions out;
  out.k = Rcpp::as<int>(graph["k"]);
  out.metric = text("metric") == "cosine" ? Metric::cosine : Metric::euclidean;
  const std::string weights = text("weights");
  out.weights = weights == "heat"     ? EdgeWeight::heat
                : weights == "binary" ? EdgeWeight::binary
                                      : EdgeWeight::cosine;
  const SEXP bandwidth = graph["bandwidth"];
  if (TYPEOF(bandwidth) == STRSXP) {
    out.bandwidth = text("bandwidth") == "local" ? Bandwidth::local : Bandwidth::median;
  } else {
    out.bandwidth = Bandwidth::number;
    out.bandwidth_value = Rcpp::as<double>(bandwidth);
  }
  out.symmetrize = text("symmetrize") == "mutual" ? Symmetrize::mutual : Symmetrize::either;
  const std::string search = text("search");
  out.search = search == "exact"         ? Search::exact
               : search == "approximate" ? Search::approximate
                                         : Search::automatic;
  const SEXP given = graph["graph"];
  if (!Rf_isNull(given)) out.given = as_graph(given);
  return out;
}

Control as_control(const Rcpp::List& control) {
  Control out;
  out.threads = Rcpp::as<int>(control["threads"]);
  const SEXP seed = control["seed"];
  if (!Rf_isNull(seed)) out.seed = static_cast<std::uint64_t>(Rcpp::as<double>(seed));
  out.check_interrupt = at_most_every(0.02, [] { Rcpp::checkUserInterrupt(); });
  const SEXP progress = control["progress"];
  if (!Rf_isNull(progress)) {
    const Rcpp::Function report(progress);
    out.progress = at_most_every(0.1, [report](double fraction) { report(fraction); });
  }
  const SEXP warn = control["warn"];
  if (!Rf_isNull(warn)) {
    const Rcpp::Function collect(warn);
    out.warn = [collect](const std::string& message) { collect(message); };
  }
  return out;
}

Graph as_graph(SEXP w) {
  const FeatureMatrix columns = as_feature_matrix(w);
  std::vector<Edge> edges;
  for (Index j = 0; j < columns.p(); ++j) {
    columns.for_each_stored(j, [&](Index i, double weight) {
      if (i < j && weight != 0) edges.push_back({static_cast<int>(i), static_cast<int>(j), weight});
    });
  }
  return make_graph(columns.n(), std::move(edges));
}

Rcpp::IntegerVector to_r_indices(const std::vector<Index>& from_zero) {
  Rcpp::IntegerVector out(from_zero.size());
  for (std::size_t e = 0; e < from_zero.size(); ++e) out[e] = static_cast<int>(from_zero[e]) + 1;
  return out;
}

Rcpp::IntegerVector to_r_codes(const std::vector<int>& codes) {
  Rcpp::IntegerVector out(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    out[i] = codes[i] == unlabelled ? NA_INTEGER : codes[i] + 1;
  }
  return out;
}

Rcpp::IntegerMatrix to_r_pairs(const std::vector<Pair>& pairs) {
  Rcpp::IntegerMatrix out(static_cast<int>(pairs.size()), 2);
  for (std::size_t e = 0; e < pairs.size(); ++e) {
    out(e, 0) = pairs[e].first + 1;
    out(e, 1) = pairs[e].second + 1;
  }
  return out;
}

Rcpp::S4 to_r_graph(const Graph& graph) { return Rcpp::wrap(graph.w); }

Rcpp::List to_r(const Selection& selection) {
  const auto vector_or_null = [](const auto& values) -> SEXP {
    return values.size() == 0 ? R_NilValue : static_cast<SEXP>(Rcpp::wrap(values));
  };
  Rcpp::List out = Rcpp::List::create(
      Rcpp::Named("statistic") = selection.statistic,
      Rcpp::Named("order") = R_NilValue, Rcpp::Named("score") = vector_or_null(selection.score),
      Rcpp::Named("selected") = R_NilValue,
      Rcpp::Named("objective") = vector_or_null(selection.objective),
      Rcpp::Named("iterations") = selection.iterations,
      Rcpp::Named("converged") = selection.converged);
  if (!selection.order.empty()) out["order"] = to_r_indices(selection.order);
  if (!selection.selected.empty()) {
    out["selected"] = Rcpp::LogicalVector(selection.selected.begin(), selection.selected.end());
  }
  return out;
}
