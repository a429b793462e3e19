#include "convert.h"

#include "core/graph/spanning_tree.hpp"

using namespace semiselect;

// `columns`: by falling relevance.
// [[Rcpp::export]]
Rcpp::List remove_redundant_cpp(SEXP x, Rcpp::IntegerVector columns, double min_mi,
                                Rcpp::List control) {
  const Redundancy found = remove_redundant(as_feature_matrix(x), as_indices(columns), min_mi,
                                            as_control(control));
  std::vector<Index> from, to;
  std::vector<double> mi;
  for (const TreeEdge& edge : found.tree) {
    from.push_back(edge.from);
    to.push_back(edge.to);
    mi.push_back(edge.weight);
  }
  return Rcpp::List::create(
      Rcpp::Named("from") = to_r_indices(from), Rcpp::Named("to") = to_r_indices(to),
      Rcpp::Named("mi") = mi,
      Rcpp::Named("kept") = Rcpp::LogicalVector(found.kept.begin(), found.kept.end()));
}

// [[Rcpp::export]]
double mean_correlation_cpp(SEXP x, Rcpp::IntegerVector columns, bool is_signed,
                            Rcpp::List control) {
  return mean_correlation(as_feature_matrix(x), as_indices(columns), is_signed,
                          as_control(control));
}
