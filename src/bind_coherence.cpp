#include "convert.h"

#include "core/data/coherence.hpp"

using namespace semiselect;

// Coherence of the closed pairs of the problem.
// [[Rcpp::export]]
Rcpp::List coherence_cpp(Rcpp::List problem, Rcpp::List control, bool mutual) {
  const Problem data = as_problem(problem);
  const Constraints pairs = close_constraints(data.x.n(), data.y, data.constraints).pairs();
  const Coherence found =
      coherence(data.z, pairs, mutual ? CoherenceRule::mutual : CoherenceRule::directional,
                as_control(control));
  return Rcpp::List::create(Rcpp::Named("must_link") = to_r_pairs(pairs.must_link),
                            Rcpp::Named("cannot_link") = to_r_pairs(pairs.cannot_link),
                            Rcpp::Named("of_must_link") = found.must_link,
                            Rcpp::Named("of_cannot_link") = found.cannot_link,
                            Rcpp::Named("overall") = found.overall);
}
