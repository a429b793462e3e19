#include "convert.h"

#include "core/select/graph/laplacian.hpp"
#include "core/select/graph/lsdf.hpp"
#include "core/select/graph/spec.hpp"
#include "core/select/graph/spfs.hpp"
#include "core/select/graph/sselect.hpp"
#include "core/select/graph/trace_ratio.hpp"
#include "core/select/graph/trcfs.hpp"

using namespace semiselect;

// [[Rcpp::export]]
int exact_search_rows_cpp() { return static_cast<int>(exact_search_rows); }

// eta: weight of class links, NULL for none.
// [[Rcpp::export]]
Rcpp::List neighbor_graph_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control,
                              Rcpp::Nullable<double> eta) {
  const Problem data = as_problem(problem);
  Graph out = neighbor_graph(data.z, as_graph_options(graph), as_control(control));
  if (eta.isNotNull()) out = with_class_links(out, data.y, Rcpp::as<double>(eta));
  return Rcpp::List::create(Rcpp::Named("w") = to_r_graph(out),
                            Rcpp::Named("bandwidth") = out.bandwidth,
                            Rcpp::Named("recall") = out.recall);
}

// [[Rcpp::export]]
Rcpp::List laplacian_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control,
                         bool link_labels) {
  return to_r(laplacian(as_problem(problem), {as_graph_options(graph), link_labels},
                        as_control(control)));
}

// [[Rcpp::export]]
Rcpp::List lsdf_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control, double gamma) {
  return to_r(lsdf(as_problem(problem), {as_graph_options(graph), gamma}, as_control(control)));
}

// [[Rcpp::export]]
Rcpp::List trace_ratio_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control,
                           std::string criterion, int n_features) {
  const TraceRatioOptions options = {
      criterion == "fisher" ? TraceRatioCriterion::fisher : TraceRatioCriterion::laplacian,
      n_features, as_graph_options(graph)};
  return to_r(trace_ratio(as_problem(problem), options, as_control(control)));
}

// [[Rcpp::export]]
Rcpp::List trcfs_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control, double alpha) {
  const TrcfsFit fit =
      trcfs(as_problem(problem), {as_graph_options(graph), alpha}, as_control(control));
  Rcpp::List out = to_r(fit.selection);
  out["info"] = Rcpp::List::create(Rcpp::Named("soft_labels") = fit.soft_labels);
  return out;
}

// [[Rcpp::export]]
Rcpp::List spec_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control, int phi, double r,
                    std::string similarity, int n_eigen) {
  SpecOptions options;
  options.phi = phi;
  options.r = r;
  options.similarity = similarity == "rbf"   ? Similarity::rbf
                       : similarity == "knn" ? Similarity::knn
                                             : Similarity::classes;
  options.n_eigen = n_eigen;
  options.graph = as_graph_options(graph);
  const SpecFit fit = spec(as_problem(problem), options, as_control(control));
  Rcpp::List out = to_r(fit.selection);
  Rcpp::List info;
  if (options.similarity == Similarity::rbf) info["bandwidth"] = fit.bandwidth;
  if (phi == 3) info["eigenvalues"] = fit.eigenvalues;
  out["info"] = info;
  return out;
}

// [[Rcpp::export]]
Rcpp::List sselect_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control, double eta) {
  return to_r(sselect(as_problem(problem), {eta, as_graph_options(graph)}, as_control(control)));
}

// [[Rcpp::export]]
Rcpp::List spfs_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control, std::string search,
                    std::string similarity, double rho, int n_features) {
  const GraphOptions kernel = as_graph_options(graph);
  SpfsOptions options;
  options.search = search == "forward"    ? SpfsSearch::forward
                   : search == "nesterov" ? SpfsSearch::nesterov
                                          : SpfsSearch::lar;
  options.similarity = similarity == "rbf" ? Similarity::rbf : Similarity::classes;
  options.rho = rho;
  options.bandwidth = kernel.bandwidth;
  options.bandwidth_value = kernel.bandwidth_value;
  options.n_features = n_features;
  const SpfsFit fit = spfs(as_problem(problem), options, as_control(control));
  Rcpp::List out = to_r(fit.selection);
  Rcpp::List info;
  if (options.similarity == Similarity::rbf) info["bandwidth"] = fit.bandwidth;
  if (options.search == SpfsSearch::nesterov) {
    info["lambda"] = fit.lambda;
    info["gap"] = fit.gap;
  }
  out["info"] = info;
  return out;
}
