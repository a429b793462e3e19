#include "convert.h"

#include "core/data/constraints.hpp"

using namespace semiselect;

// [[Rcpp::export]]
Rcpp::List report_columns_cpp(SEXP x) {
  const ColumnReport report = report_columns(as_feature_matrix(x));
  const std::vector<Index> first = {report.first_column, report.first_row};
  const Rcpp::IntegerVector from_one = to_r_indices(first);
  return Rcpp::List::create(
      Rcpp::Named("not_finite") = static_cast<double>(report.not_finite),
      Rcpp::Named("first_column") = from_one[0], Rcpp::Named("first_row") = from_one[1],
      Rcpp::Named("constant") =
          Rcpp::LogicalVector(report.constant.begin(), report.constant.end()));
}

static SEXP contradiction_or_null(const LinkGroups& links) {
  if (!links.contradiction) return R_NilValue;
  return to_r_indices({links.contradiction->first, links.contradiction->second});
}

// [[Rcpp::export]]
Rcpp::List close_constraints_cpp(int n, SEXP y, int classes, SEXP must_link, SEXP cannot_link) {
  const LinkGroups links =
      close_constraints(n, as_labels(y, classes), as_constraints(must_link, cannot_link));
  const Constraints pairs = links.contradiction ? Constraints() : links.pairs();
  return Rcpp::List::create(Rcpp::Named("must_link") = to_r_pairs(pairs.must_link),
                            Rcpp::Named("cannot_link") = to_r_pairs(pairs.cannot_link),
                            Rcpp::Named("contradiction") = contradiction_or_null(links));
}

// [[Rcpp::export]]
SEXP check_contradiction_cpp(int n, SEXP y, int classes, SEXP must_link, SEXP cannot_link) {
  return contradiction_or_null(
      close_constraints(n, as_labels(y, classes), as_constraints(must_link, cannot_link)));
}
