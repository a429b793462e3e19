#include "convert.h"

#include "core/select/constraints/cls.hpp"
#include "core/select/constraints/constraint.hpp"
#include "core/select/constraints/sc4.hpp"

using namespace semiselect;

// [[Rcpp::export]]
Rcpp::List constraint_cpp(Rcpp::List problem, Rcpp::List control, int score, double nu) {
  return to_r(constraint(as_problem(problem), {score, nu}, as_control(control)));
}

// [[Rcpp::export]]
Rcpp::List sc4_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control) {
  return to_r(sc4(as_problem(problem), as_graph_options(graph), as_control(control)));
}

// [[Rcpp::export]]
Rcpp::List cls_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control,
                   std::string denominator, bool drop_cl_edges) {
  const ClsOptions options = {
      as_graph_options(graph),
      denominator == "cl" ? ClsDenominator::cl : ClsDenominator::sum, drop_cl_edges};
  return to_r(cls(as_problem(problem), options, as_control(control)));
}
