#include "convert.h"

#include "core/optim/linear_svm.hpp"
#include "core/select/margin/drsvm.hpp"
#include "core/select/margin/fs_manifold.hpp"
#include "core/select/margin/l0svm.hpp"
#include "core/select/margin/l1svm.hpp"
#include "core/select/margin/senfs.hpp"

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
  out["platt"] = Rcpp::wrap(fit.platt);
  return out;
}

// ---- SENFS and DrSVM ----

namespace {

struct StartName {
  SenfsStart start;
  const char* name;
};
constexpr StartName start_names[] = {
    {SenfsStart::labelled, "labelled"}, {SenfsStart::anneal, "anneal"},
    {SenfsStart::centroid, "centroid"}, {SenfsStart::pca_plus, "pca+"},
    {SenfsStart::pca_minus, "pca-"},    {SenfsStart::given, "given"},
    {SenfsStart::admm, "admm"}};

std::string name_of(SenfsStart start) {
  for (const StartName& s : start_names) {
    if (s.start == start) return s.name;
  }
  return "";
}

std::vector<SenfsStart> as_starts(const Rcpp::CharacterVector& names) {
  std::vector<SenfsStart> starts;
  for (R_xlen_t k = 0; k < names.size(); ++k) {
    const std::string name = Rcpp::as<std::string>(names[k]);
    for (const StartName& s : start_names) {
      if (name == s.name) starts.push_back(s.start);
    }
  }
  return starts;
}

Aggregate as_aggregate(const std::string& name) {
  return name == "max" ? Aggregate::max : name == "sum" ? Aggregate::sum : Aggregate::norm;
}

SvmSystem as_system(const std::string& name) {
  return name == "normal"     ? SvmSystem::normal
         : name == "woodbury" ? SvmSystem::woodbury
         : name == "eigen"    ? SvmSystem::eigen
         : name == "cg"       ? SvmSystem::conjugate_gradient
                              : SvmSystem::automatic;
}

std::vector<double> as_doubles(SEXP value) {
  return Rf_isNull(value) ? std::vector<double>() : Rcpp::as<std::vector<double>>(value);
}

double or_default(SEXP value, double otherwise) {
  return Rf_isNull(value) ? otherwise : Rcpp::as<double>(value);
}

// What one two-class problem has to say; R puts the classes together.
Rcpp::List to_r(const MarginFit& fit, bool path) {
  Rcpp::NumericVector by_start = Rcpp::wrap(fit.objective_by_start);
  if (!fit.objective_by_start.empty()) {
    std::vector<std::string> names;
    for (const SenfsStart s : fit.starts) names.push_back(name_of(s));
    by_start.names() = Rcpp::wrap(names);
  }
  Rcpp::List out = Rcpp::List::create(
      Rcpp::Named("coefficients") = fit.coefficients, Rcpp::Named("intercept") = fit.intercept,
      Rcpp::Named("standardized") = fit.t, Rcpp::Named("v") = fit.v,
      Rcpp::Named("decision") = fit.g, Rcpp::Named("value") = fit.objective,
      Rcpp::Named("objective") = fit.trace, Rcpp::Named("iterations") = fit.outer,
      Rcpp::Named("inner_iterations") = fit.inner, Rcpp::Named("gap") = fit.gap,
      Rcpp::Named("converged") = fit.converged, Rcpp::Named("lambda1") = fit.lambda1,
      Rcpp::Named("lambda2") = fit.lambda2, Rcpp::Named("r") = fit.r,
      Rcpp::Named("reference") = fit.reference,
      Rcpp::Named("prob") = Rcpp::NumericVector::create(fit.platt_a, fit.platt_b));
  if (!fit.objective_by_start.empty()) {
    out["objective_by_start"] = by_start;
    out["start"] = name_of(fit.starts[static_cast<std::size_t>(fit.start)]);
  }
  if (path) {
    out["path"] = Rcpp::DataFrame::create(
        Rcpp::Named("lambda1") = fit.path_lambda1, Rcpp::Named("objective") = fit.path_objective,
        Rcpp::Named("n_selected") =
            Rcpp::IntegerVector(fit.path_selected.begin(), fit.path_selected.end()));
  }
  return out;
}

Rcpp::List to_r(const SenfsFit& fit) {
  Rcpp::List out = ::to_r(fit.selection);
  Rcpp::List classes;
  for (const MarginFit& one : fit.by_class) classes.push_back(to_r(one, fit.path));
  out["by_class"] = classes;
  return out;
}

}  // namespace

// [[Rcpp::export]]
Rcpp::List senfs_cpp(Rcpp::List problem, Rcpp::List settings, Rcpp::List control) {
  const Problem data = as_problem(problem);
  const Control run = as_control(control);
  SenfsOptions options;
  options.cost = settings["cost"];
  options.cost_unlabelled = settings["cost_unlabelled"];
  options.lambda1 = as_doubles(settings["lambda1"]);
  options.lambda2 = or_default(settings["lambda2"], -1);
  options.s = settings["s"];
  options.balance = settings["balance"];
  options.has_r = !Rf_isNull(settings["r"]);
  options.r = or_default(settings["r"], 0);
  options.starts = as_starts(settings["starts"]);
  options.given = Rcpp::as<std::vector<int>>(settings["given"]);
  options.solver =
      Rcpp::as<std::string>(settings["solver"]) == "admm" ? SenfsSolver::admm : SenfsSolver::mm;
  options.path = settings["path"];
  options.n_lambda = settings["n_lambda"];
  options.n_features = Rcpp::as<int>(settings["n_features"]);
  options.tol = settings["tol"];
  options.aggregate = as_aggregate(settings["aggregate"]);
  options.system = as_system(settings["system"]);
  return to_r(senfs(data, options, run));
}

// [[Rcpp::export]]
Rcpp::List drsvm_cpp(Rcpp::List problem, Rcpp::List settings, Rcpp::List control) {
  const Problem data = as_problem(problem);
  const Control run = as_control(control);
  DrsvmOptions options;
  options.cost = settings["cost"];
  options.lambda1 = as_doubles(settings["lambda1"]);
  options.lambda2 = or_default(settings["lambda2"], -1);
  options.path = settings["path"];
  options.n_lambda = settings["n_lambda"];
  options.n_features = Rcpp::as<int>(settings["n_features"]);
  options.tol = settings["tol"];
  options.aggregate = as_aggregate(settings["aggregate"]);
  options.system = as_system(settings["system"]);
  return to_r(drsvm(data, options, run));
}

// ---- the linear SVM that judges rankings ----

// [[Rcpp::export]]
Rcpp::List linear_svm_cpp(SEXP x, Eigen::MatrixXd sign, double cost, double tol) {
  LinearSvmOptions options;
  options.cost = cost;
  options.tol = tol;
  Control control;
  control.check_interrupt = [] { Rcpp::checkUserInterrupt(); };
  const LinearSvm fit = linear_svm(as_feature_matrix(x), sign, options, control);
  return Rcpp::List::create(Rcpp::Named("w") = fit.w, Rcpp::Named("b") = fit.b,
                            Rcpp::Named("gap") = fit.gap);
}

// ---- L1-SVM and L0-SVM ----

namespace {

Rcpp::List to_r(const SparseSvmFit& fit) {
  Rcpp::List out = Rcpp::List::create(
      Rcpp::Named("coefficients") = fit.coefficients, Rcpp::Named("intercept") = fit.intercept,
      Rcpp::Named("standardized") = fit.w, Rcpp::Named("pull") = fit.pull,
      Rcpp::Named("decision") = fit.decision, Rcpp::Named("cost") = fit.cost,
      Rcpp::Named("primal") = fit.primal, Rcpp::Named("dual") = fit.dual,
      Rcpp::Named("gap") = fit.gap, Rcpp::Named("objective") = fit.objective,
      Rcpp::Named("iterations") = fit.iterations, Rcpp::Named("converged") = fit.converged,
      Rcpp::Named("prob") = Rcpp::NumericVector::create(fit.platt_a, fit.platt_b));
  if (!fit.path_cost.empty()) {
    const Eigen::ArrayXd cost =
        Eigen::Map<const Eigen::ArrayXd>(fit.path_cost.data(), fit.path_cost.size());
    out["path"] = Rcpp::DataFrame::create(
        Rcpp::Named("lambda1") = Eigen::VectorXd(cost.inverse()),
        Rcpp::Named("objective") = fit.path_objective,
        Rcpp::Named("n_selected") =
            Rcpp::IntegerVector(fit.path_selected.begin(), fit.path_selected.end()));
  }
  if (!fit.death.empty()) out["death"] = fit.death;
  return out;
}

Rcpp::List to_r(const Selection& selection, const std::vector<SparseSvmFit>& by_class) {
  Rcpp::List out = ::to_r(selection);
  Rcpp::List classes;
  for (const SparseSvmFit& one : by_class) classes.push_back(to_r(one));
  out["by_class"] = classes;
  return out;
}

}  // namespace

// [[Rcpp::export]]
Rcpp::List l1svm_cpp(Rcpp::List problem, Rcpp::List settings, Rcpp::List control) {
  const Problem data = as_problem(problem);
  L1svmOptions options;
  options.cost = or_default(settings["cost"], -1);
  options.loss =
      Rcpp::as<std::string>(settings["loss"]) == "squared" ? L1Loss::squared : L1Loss::hinge;
  options.path = settings["path"];
  options.n_lambda = settings["n_lambda"];
  options.tol = settings["tol"];
  options.n_features = Rcpp::as<int>(settings["n_features"]);
  const L1svmFit fit = l1svm(data, options, as_control(control));
  return to_r(fit.selection, fit.by_class);
}

// [[Rcpp::export]]
Rcpp::List l0svm_cpp(Rcpp::List problem, Rcpp::List settings, Rcpp::List control) {
  const Problem data = as_problem(problem);
  L0svmOptions options;
  options.cost = or_default(settings["cost"], -1);
  options.variant =
      Rcpp::as<std::string>(settings["variant"]) == "l1" ? L0Variant::l1 : L0Variant::l2;
  options.tol = settings["tol"];
  options.max_rounds = settings["max_rounds"];
  options.n_features = Rcpp::as<int>(settings["n_features"]);
  const L0svmFit fit = l0svm(data, options, as_control(control));
  return to_r(fit.selection, fit.by_class);
}
