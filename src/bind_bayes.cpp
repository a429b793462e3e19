#include "convert.h"
#include "core/select/bayes/jsfs.hpp"

using namespace semiselect;

static JsfsOptions as_jsfs_options(const Rcpp::List& options) {
  const auto number = [&](const char* name) { return Rcpp::as<double>(options[name]); };
  JsfsOptions out;
  out.gamma = number("gamma");
  out.mu = number("mu");
  const SEXP eta = options["eta"];
  out.link_labels = !Rf_isNull(eta);
  if (out.link_labels) out.eta = Rcpp::as<double>(eta);
  out.beta = number("beta");
  out.lp_alpha = number("lp_alpha");
  out.update =
      Rcpp::as<std::string>(options["update"]) == "em" ? RelevanceUpdate::em : RelevanceUpdate::mm;
  out.prune_weight = number("prune_weight");
  out.prune_row = number("prune_row");
  out.prune_scale = Rcpp::as<std::string>(options["prune_scale"]) == "absolute"
                        ? PruneScale::absolute
                        : PruneScale::relative;
  out.tol = number("tol");
  out.max_iter = Rcpp::as<int>(options["max_iter"]);
  out.newton_tol = number("newton_tol");
  out.max_newton = Rcpp::as<int>(options["max_newton"]);
  out.center = Rcpp::as<bool>(options["center"]);
  out.refresh = Rcpp::as<int>(options["refresh"]);
  return out;
}

static Rcpp::List to_r(const RelevanceFit& fit) {
  return Rcpp::List::create(
      Rcpp::Named("objective") = fit.objective, Rcpp::Named("log_ml_w") = fit.log_ml_w,
      Rcpp::Named("log_ml_lambda") = fit.log_ml_lambda, Rcpp::Named("n_features") = fit.n_features,
      Rcpp::Named("n_unlabelled") = fit.n_unlabelled, Rcpp::Named("newton") = fit.newton,
      Rcpp::Named("iterations") = fit.iterations, Rcpp::Named("converged") = fit.converged,
      Rcpp::Named("separates") = fit.separates, Rcpp::Named("weights") = fit.weights,
      Rcpp::Named("alpha") = fit.alpha, Rcpp::Named("pruned_at") = fit.pruned_at,
      Rcpp::Named("lambda") = fit.lambda, Rcpp::Named("row_precision") = fit.row_precision);
}

// [[Rcpp::export]]
Rcpp::List jsfs_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control, Rcpp::List options) {
  const Jsfs fit = jsfs(as_problem(problem), as_graph_options(graph), as_jsfs_options(options),
                        as_control(control));
  Rcpp::List out = to_r(fit.selection);
  Rcpp::List fits(fit.fits.size());
  for (std::size_t c = 0; c < fit.fits.size(); ++c) fits[c] = to_r(fit.fits[c]);
  out["fits"] = fits;
  out["pseudo"] = to_r_codes(fit.pseudo);
  out["coefficients"] = fit.coefficients;
  out["intercept"] = fit.intercept;
  out["link"] = fit.link;
  out["refresh"] = Rcpp::List::create(
      Rcpp::Named("revised") = fit.revised, Rcpp::Named("held_out") = fit.held_out,
      Rcpp::Named("right_before") = fit.right_before, Rcpp::Named("right_after") = fit.right_after);
  return out;
}
