#include "convert.h"

#include "core/cluster/cop_kmeans.hpp"
#include "core/cluster/mpc_kmeans.hpp"
#include "core/cluster/som.hpp"
#include "core/cluster/ward.hpp"

using namespace semiselect;

static Rcpp::IntegerVector to_r_rows(const std::vector<int>& from_zero) {
  return to_r_indices(std::vector<Index>(from_zero.begin(), from_zero.end()));
}

// `order`: NULL, or a function without arguments that draws a permutation of the rows.
static VisitOrder as_visit_order(SEXP order) {
  if (Rf_isNull(order)) return {};
  const Rcpp::Function draw(order);
  return [draw](int) {
    const std::vector<Index> rows = as_indices(Rcpp::IntegerVector(draw()));
    return std::vector<int>(rows.begin(), rows.end());
  };
}

// [[Rcpp::export]]
Rcpp::List cop_kmeans_cpp(Rcpp::List problem, Rcpp::List control, Eigen::MatrixXd centroids,
                          SEXP order, int max_iter) {
  const Problem data = as_problem(problem);
  const LinkGroups links = close_constraints(data.x.n(), data.y, data.constraints);
  const Clustering fit = cop_kmeans(data.x, links, centroids, as_visit_order(order), max_iter,
                                    as_control(control));
  return Rcpp::List::create(
      Rcpp::Named("cluster") = to_r_rows(fit.cluster), Rcpp::Named("centroids") = fit.centroids,
      Rcpp::Named("iterations") = fit.iterations, Rcpp::Named("converged") = fit.converged,
      Rcpp::Named("failed") = to_r_rows(fit.failed));
}

// [[Rcpp::export]]
Rcpp::List mpc_kmeans_cpp(Rcpp::List problem, Rcpp::List control, Eigen::MatrixXd centroids,
                          SEXP order, int max_iter) {
  const Problem data = as_problem(problem);
  const LinkGroups links = close_constraints(data.x.n(), data.y, data.constraints);
  const Clustering fit = mpc_kmeans(data.x, links, centroids, as_visit_order(order), max_iter,
                                    as_control(control));
  return Rcpp::List::create(
      Rcpp::Named("cluster") = to_r_rows(fit.cluster), Rcpp::Named("centroids") = fit.centroids,
      Rcpp::Named("metric") = fit.metric, Rcpp::Named("iterations") = fit.iterations,
      Rcpp::Named("converged") = fit.converged);
}

// Means of at most `clusters` neighborhoods, in rows.
// [[Rcpp::export]]
Eigen::MatrixXd neighborhood_means_cpp(Rcpp::List problem, int clusters) {
  const Problem data = as_problem(problem);
  return neighborhood_means(
      data.x, close_constraints(data.x.n(), data.y, data.constraints), clusters);
}

// [[Rcpp::export]]
Rcpp::List som_cpp(Rcpp::List problem, Rcpp::List control) {
  const Som map = som(as_problem(problem).z, as_control(control));
  return Rcpp::List::create(
      Rcpp::Named("prototypes") = map.prototypes,
      Rcpp::Named("size") = Rcpp::IntegerVector::create(map.a, map.b),
      Rcpp::Named("unit") = to_r_rows(map.unit),
      Rcpp::Named("quantization_error") = map.quantization_error);
}

// Ward's hierarchy cut at `clusters`, its heights, and the Davies-Bouldin index of 2, 3, ...
// clusters; for tests.
// [[Rcpp::export]]
Rcpp::List ward_cpp(Rcpp::List problem, Rcpp::List control, int clusters, int most) {
  const Problem data = as_problem(problem);
  const Control run = as_control(control);
  const std::vector<Merge> merges = ward(data.z, run);
  std::vector<double> height;
  for (const Merge& merge : merges) height.push_back(merge.height);
  return Rcpp::List::create(
      Rcpp::Named("height") = height,
      Rcpp::Named("cluster") = to_r_rows(cut(merges, data.x.n(), clusters)),
      Rcpp::Named("index") = davies_bouldin(data.z, merges, most, run),
      Rcpp::Named("chosen") = to_r_rows(ward_clusters(data.z, run)));
}
