#include "convert.h"

#include "core/select/statistics/fisher.hpp"
#include "core/select/statistics/mrmr.hpp"
#include "core/select/statistics/relieff.hpp"
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

// [[Rcpp::export]]
Rcpp::List relieff_cpp(Rcpp::List problem, Rcpp::List control, int k) {
  return to_r(relieff(as_problem(problem), k, as_control(control)));
}

// [[Rcpp::export]]
Rcpp::List mrmr_cpp(Rcpp::List problem, Rcpp::List control, std::string criterion, double width,
                    int n_features) {
  MrmrOptions options;
  options.criterion = criterion == "MIQ" ? MrmrCriterion::quotient : MrmrCriterion::difference;
  options.width = width;
  options.n_features = n_features;
  return to_r(mrmr(as_problem(problem), options, as_control(control)));
}
