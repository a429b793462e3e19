#include "convert.h"

#include "core/select/graph/laplacian.hpp"

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
