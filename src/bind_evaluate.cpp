#include "convert.h"

#include "core/graph/nearest_row.hpp"

using namespace semiselect;

// Row numbers of `train`: those of all rows of `test` at the first size, then at the next.
// [[Rcpp::export]]
Rcpp::IntegerVector nearest_rows_cpp(const Eigen::Map<Eigen::MatrixXd> train,
                                     const Eigen::Map<Eigen::MatrixXd> test,
                                     Rcpp::IntegerVector sizes, Rcpp::List control) {
  return to_r_indices(nearest_rows(train, test, std::vector<Index>(sizes.begin(), sizes.end()),
                                   as_control(control)));
}
