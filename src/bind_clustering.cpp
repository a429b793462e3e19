#include "convert.h"

#include "core/select/clustering/l2gfs.hpp"
#include "core/select/clustering/wckm.hpp"

using namespace semiselect;

// Each start: `centroids` (clusters in rows) or `rows` (0: the mean of the cluster's class), and
// `weights` (a matrix, features in columns); NULL where there is none.
static std::vector<ClusterStart> as_starts(const Rcpp::List& starts) {
  std::vector<ClusterStart> out;
  for (const auto& element : starts) {
    const Rcpp::List given(element);
    ClusterStart start;
    const SEXP centroids = given["centroids"];
    const SEXP rows = given["rows"];
    const SEXP weights = given["weights"];
    if (!Rf_isNull(centroids)) start.centroids = Rcpp::as<Eigen::MatrixXd>(centroids);
    if (!Rf_isNull(rows)) start.rows = as_indices(Rcpp::IntegerVector(rows));
    if (!Rf_isNull(weights)) start.weights = Rcpp::as<Eigen::MatrixXd>(weights);
    out.push_back(std::move(start));
  }
  return out;
}

// [[Rcpp::export]]
Rcpp::List wckm_cpp(Rcpp::List problem, Rcpp::List control, Rcpp::List starts, double beta,
                    double lambda, double fuzzifier, int max_iter, double tol,
                    bool scale_penalty) {
  const Wckm fit =
      wckm(as_problem(problem), as_starts(starts),
           {beta, lambda, fuzzifier, max_iter, tol, scale_penalty}, as_control(control));
  return Rcpp::List::create(
      Rcpp::Named("weights") = fit.weights, Rcpp::Named("relevance") = fit.relevance,
      Rcpp::Named("best_weights") = fit.fit.weights,
      Rcpp::Named("best_relevance") = fit.fit.relevance,
      Rcpp::Named("memberships") = fit.fit.memberships,
      Rcpp::Named("centroids") = fit.fit.centroids,
      Rcpp::Named("must_link") = fit.fit.must_link,
      Rcpp::Named("cannot_link") = fit.fit.cannot_link,
      Rcpp::Named("objective") = fit.fit.objective,
      Rcpp::Named("objective_by_start") = fit.final_objective,
      Rcpp::Named("iterations") = fit.fit.iterations,
      Rcpp::Named("converged") = fit.fit.converged);
}

// [[Rcpp::export]]
Rcpp::List l2gfs_cpp(Rcpp::List problem, Rcpp::List control, Rcpp::List starts, double beta,
                     double tau, int max_iter) {
  const L2gfs fit =
      l2gfs(as_problem(problem), as_starts(starts), {beta, tau, max_iter}, as_control(control));
  return Rcpp::List::create(
      Rcpp::Named("weights") = fit.weights, Rcpp::Named("relevance") = fit.relevance,
      Rcpp::Named("best_weights") = fit.fit.weights,
      Rcpp::Named("best_relevance") = fit.fit.relevance,
      Rcpp::Named("cluster") =
          to_r_indices(std::vector<Index>(fit.fit.cluster.begin(), fit.fit.cluster.end())),
      Rcpp::Named("centroids") = fit.fit.centroids,
      Rcpp::Named("local_weights") = fit.fit.local_weights,
      Rcpp::Named("pure") = to_r_indices(fit.pure_order),
      Rcpp::Named("objective") = fit.fit.objective,
      Rcpp::Named("objective_by_start") = fit.final_objective,
      Rcpp::Named("iterations") = fit.fit.iterations,
      Rcpp::Named("converged") = fit.fit.converged);
}
