#include "convert.h"

#include "core/select/margin/fs_manifold.hpp"

using namespace semiselect;

// ---- FS-Manifold ----

static FsManifoldOptions as_fs_manifold_options(const Rcpp::List& options) {
  FsManifoldOptions out;
  out.n_features = Rcpp::as<int>(options["n_features"]);
  out.cost = Rcpp::as<double>(options["cost"]);
  out.rho = Rcpp::as<double>(options["rho"]);
  out.ridge = Rcpp::as<double>(options["ridge"]);
  out.level = Rcpp::as<double>(options["level"]);
  out.tol = Rcpp::as<double>(options["tol"]);
  out.max_iter = Rcpp::as<int>(options["max_iter"]);
  out.objective = Rcpp::as<std::string>(options["objective"]) == "exact" ? FsObjective::exact
                                                                         : FsObjective::bound;
  out.multiclass = Rcpp::as<std::string>(options["multiclass"]) == "separate"
                       ? FsMulticlass::separate
                       : FsMulticlass::joint;
  const std::string choose = options["choose_tau"];
  out.choose_tau = choose == "cv"    ? FsTau::cross_validated
                   : choose == "max" ? FsTau::maximal
                                     : FsTau::fixed;
  out.tau = Rcpp::as<double>(options["tau"]);
  const Rcpp::List folds = options["folds"];
  for (R_xlen_t i = 0; i < folds.size(); ++i) {
    out.folds.push_back(as_indices(Rcpp::as<Rcpp::IntegerVector>(folds[i])));
  }
  return out;
}

// [[Rcpp::export]]
Rcpp::List fs_manifold_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control,
                           Rcpp::List options) {
  const FsManifoldFit fit =
      fs_manifold(as_problem(problem), as_graph_options(graph),
                  as_fs_manifold_options(options), as_control(control));
  const std::size_t rows = fit.trace.size();
  Rcpp::IntegerVector run(rows), iteration(rows);
  Rcpp::NumericVector dual(rows), upper(rows), lower(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    run[i] = fit.trace[i].run;
    iteration[i] = fit.trace[i].iteration;
    dual[i] = fit.trace[i].dual;
    upper[i] = fit.trace[i].upper;
    lower[i] = fit.trace[i].lower;
  }
  const std::size_t candidates = fit.candidates.size();
  Rcpp::NumericVector cost(candidates), tau(candidates), error(candidates);
  for (std::size_t i = 0; i < candidates; ++i) {
    cost[i] = fit.candidates[i].relative_cost;
    tau[i] = fit.candidates[i].tau;
    error[i] = fit.candidates[i].error;
  }
  Rcpp::List out = to_r(fit.selection);
  out["trace"] = Rcpp::List::create(
      Rcpp::Named("run") = run, Rcpp::Named("iteration") = iteration, Rcpp::Named("dual") = dual,
      Rcpp::Named("upper") = upper, Rcpp::Named("lower") = lower);
  out["candidates"] = Rcpp::List::create(Rcpp::Named("relative_cost") = cost,
                                         Rcpp::Named("tau") = tau, Rcpp::Named("error") = error);
  out["p"] = Rcpp::NumericVector(fit.p.data(), fit.p.data() + fit.p.size());
  out["alpha"] = Rcpp::wrap(fit.alpha);
  out["alpha_bar"] = Rcpp::wrap(fit.alpha_bar);
  out["b"] = Rcpp::NumericVector(fit.b.data(), fit.b.data() + fit.b.size());
  out["w"] = Rcpp::wrap(fit.w);
  out["lower"] = fit.lower;
  out["upper"] = fit.upper;
  out["gap"] = fit.gap;
  out["n_fractional"] = static_cast<int>(fit.n_fractional);
  out["note"] = fit.note;
  out["cost"] = fit.cost;
  out["tau"] = fit.tau;
  out["rho"] = fit.rho;
  out["eps"] = fit.eps;
  out["components"] = fit.components;
  out["coefficients"] = Rcpp::wrap(fit.coefficients);
  out["intercept"] =
      Rcpp::NumericVector(fit.intercept.data(), fit.intercept.data() + fit.intercept.size());
  out["link"] = Rcpp::wrap(fit.link);
  return out;
}
