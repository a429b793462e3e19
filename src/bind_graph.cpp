#include "convert.h"

#include "core/select/graph/laplacian.hpp"

using namespace semiselect;

// [[Rcpp::export]]
Rcpp::List laplacian_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control,
                         bool link_labels) {
  return to_r(laplacian(as_problem(problem), {as_graph_options(graph), link_labels},
                        as_control(control)));
}
