#include "convert.h"

#include "core/select/statistics/fisher.hpp"
#include "core/select/statistics/variance.hpp"

using namespace semiselect;

// [[Rcpp::export]]
Rcpp::List variance_cpp(Rcpp::List problem, Rcpp::List control) {
  return to_r(variance(as_problem(problem).z, as_control(control)));
}

// [[Rcpp::export]]
Rcpp::List fisher_cpp(Rcpp::List problem, Rcpp::List control, std::string variant) {
  const Problem data = as_problem(problem);
  return to_r(fisher(data.x, data.y,
                     variant == "pairwise" ? FisherVariant::pairwise : FisherVariant::multiclass,
                     as_control(control)));
}
