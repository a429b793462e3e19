#include "convert.h"

#include "core/select/universum/sparsity.hpp"
#include "core/select/universum/uls.hpp"
#include "core/select/universum/uss.hpp"
#include "core/select/universum/uvs.hpp"

using namespace semiselect;

namespace {

UniversumOptions as_universum_options(double alpha, double beta, const std::string& beta_norm) {
  return {alpha, beta, beta_norm == "paper" ? UniversumSpread::paper : UniversumSpread::mean};
}

// S as triplets.
Rcpp::List to_r_weights(const SparseWeights& weights) {
  std::vector<Index> rows, columns;
  std::vector<double> values;
  for (std::size_t e = 0; e < weights.rows.size(); ++e) {
    for (const auto& entry : weights.entries[e]) {
      rows.push_back(weights.rows[e]);
      columns.push_back(entry.first);
      values.push_back(entry.second);
    }
  }
  return Rcpp::List::create(Rcpp::_["i"] = to_r_indices(rows), Rcpp::_["j"] = to_r_indices(columns),
                            Rcpp::_["x"] = values);
}

}  // namespace

// [[Rcpp::export]]
Rcpp::List sparsity_cpp(Rcpp::List problem, Rcpp::List control, double rho, bool affine,
                        int variant, bool supervised) {
  const SparsityFit fit =
      sparsity(as_problem(problem), {rho, affine, variant, supervised}, as_control(control));
  Rcpp::List out = to_r(fit.selection);
  out["weights"] = to_r_weights(fit.weights);
  return out;
}

// [[Rcpp::export]]
Rcpp::List uvs_cpp(Rcpp::List problem, SEXP universum, Rcpp::List control, double alpha,
                   double beta, std::string beta_norm) {
  const Problem data = as_problem(problem);
  return to_r(uvs(data, as_feature_matrix(universum).scaled_as(data.z),
                  as_universum_options(alpha, beta, beta_norm), as_control(control)));
}

// [[Rcpp::export]]
Rcpp::List uls_cpp(Rcpp::List problem, SEXP universum, Rcpp::List graph, Rcpp::List control,
                   double alpha, double beta, std::string beta_norm) {
  const Problem data = as_problem(problem);
  return to_r(uls(data, as_feature_matrix(universum).scaled_as(data.z),
                  as_universum_options(alpha, beta, beta_norm), as_graph_options(graph),
                  as_control(control)));
}

// [[Rcpp::export]]
Rcpp::List uss_cpp(Rcpp::List problem, SEXP universum, Rcpp::List control, double alpha,
                   double beta, std::string beta_norm, double rho, bool affine) {
  const Problem data = as_problem(problem);
  return to_r(uss(data, as_feature_matrix(universum).scaled_as(data.z),
                  as_universum_options(alpha, beta, beta_norm), {rho, affine, 1, false},
                  as_control(control)));
}
