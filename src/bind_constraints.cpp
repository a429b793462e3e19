#include "convert.h"

#include "core/cluster/som.hpp"
#include "core/select/constraints/bcs.hpp"
#include "core/select/constraints/cls.hpp"
#include "core/select/constraints/constraint.hpp"
#include "core/select/constraints/csfs.hpp"
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

// `som`: rows without label or constraint are replaced by prototypes first.
// [[Rcpp::export]]
Rcpp::List cls_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control,
                   std::string denominator, bool drop_cl_edges, bool som) {
  const ClsOptions options = {
      as_graph_options(graph),
      denominator == "cl" ? ClsDenominator::cl : ClsDenominator::sum, drop_cl_edges};
  const Control run = as_control(control);
  const Problem all = as_problem(problem);
  const Problem data = som ? compress_rows(all, run) : all;
  Rcpp::List out = to_r(cls(data, options, run));
  if (som) {
    const int rows = static_cast<int>(data.x.n());
    out["info"] = Rcpp::List::create(Rcpp::Named("rows_compressed") = rows);
  }
  return out;
}

// [[Rcpp::export]]
Rcpp::List csfs_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control,
                    std::string neighborhood, std::string conflict, std::string coherence,
                    bool som) {
  const CsfsOptions options = {
      as_graph_options(graph),
      neighborhood == "knn" ? Neighborhood::knn : Neighborhood::cluster,
      conflict == "printed" ? Conflict::printed : Conflict::corrected, coherence != "none",
      coherence == "mutual" ? CoherenceRule::mutual : CoherenceRule::directional};
  const Control run = as_control(control);
  const Problem all = as_problem(problem);
  const Problem data = som ? compress_rows(all, run) : all;
  const Csfs fit = csfs(data, options, run);
  Rcpp::List out = to_r(fit.selection);
  out["must_link"] = to_r_pairs(fit.selected.must_link);
  out["cannot_link"] = to_r_pairs(fit.selected.cannot_link);
  out["overall"] = fit.overall;
  out["clusters"] = fit.clusters;
  out["rows_compressed"] = static_cast<int>(data.x.n());
  return out;
}

// Counts of the closed pairs in each bag, pairs x bags. best: for the share and the vote.
// [[Rcpp::export]]
Rcpp::List bcs_cpp(Rcpp::List problem, Rcpp::List control, Eigen::MatrixXd must_link,
                   Eigen::MatrixXd cannot_link, int score, double nu, int best, bool vote) {
  const Bcs fit = bcs(as_problem(problem), must_link, cannot_link, {{score, nu}, best, vote},
                      as_control(control));
  Rcpp::List out = to_r(fit.selection);
  out["share"] = fit.share;
  out["vote"] = to_r_indices(std::vector<Index>(fit.vote.begin(), fit.vote.end()));
  return out;
}

// How many pairs the closed constraints have.
// [[Rcpp::export]]
Rcpp::NumericVector count_pairs_cpp(Rcpp::List problem) {
  const Problem data = as_problem(problem);
  const LinkGroups links = close_constraints(data.x.n(), data.y, data.constraints);
  return {links.must_link_count(), links.cannot_link_count()};
}
