#include "convert.h"

#include <algorithm>
#include <chrono>

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

// Several neighbor graphs of one metric from one exact search. `seconds`: of the search, then of
// each graph.
// [[Rcpp::export]]
Rcpp::List neighbor_graphs_cpp(Rcpp::List problem, Rcpp::List graphs, Rcpp::List control) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begun) {
    return std::chrono::duration<double>(Clock::now() - begun).count();
  };
  const Problem data = as_problem(problem);
  const Control run = as_control(control);
  std::vector<GraphOptions> options;
  int k = 1;
  for (R_xlen_t g = 0; g < graphs.size(); ++g) {
    options.push_back(as_graph_options(Rcpp::as<Rcpp::List>(graphs[g])));
    k = std::max(k, options.back().k);
  }
  Clock::time_point begun = Clock::now();
  const auto found = std::make_shared<const Neighbors>(
      nearest_neighbors(data.z, k, options.at(0).metric, run));
  std::vector<double> seconds = {since(begun)};
  Rcpp::List out;
  for (GraphOptions& each : options) {
    begun = Clock::now();
    each.found = found;
    out.push_back(to_r_graph(neighbor_graph(data.z, each, run)));
    seconds.push_back(since(begun));
  }
  return Rcpp::List::create(Rcpp::Named("graphs") = out, Rcpp::Named("seconds") = seconds);
}
