#include "convert.h"
#include "core/graph/label_propagation.hpp"

using namespace semiselect;

// [[Rcpp::export]]
Rcpp::List label_propagation_cpp(Rcpp::List problem, Rcpp::List graph, Rcpp::List control,
                                 std::string method, double alpha, Rcpp::Nullable<double> eta,
                                 bool class_mass, double tol, int max_iter) {
  const Problem data = as_problem(problem);
  const Control run = as_control(control);
  PropagationOptions options;
  options.method = method == "lgc"        ? PropagationMethod::lgc
                   : method == "harmonic" ? PropagationMethod::harmonic
                                          : PropagationMethod::random_walk;
  options.alpha = alpha;
  options.tol = tol;
  options.max_iter = max_iter;
  Graph neighbors = neighbor_graph(data.z, as_graph_options(graph), run);
  const LinkedGraph linked =
      eta.isNull() ? without_links(std::move(neighbors))
                   : link_classes(std::move(neighbors), data.y, Rcpp::as<double>(eta));
  const PropagatedLabels out = propagate_labels(linked, data.y, options, run);
  const Eigen::MatrixXd weighted =
      class_mass ? class_mass_normalized(out.f, out.reachable, data.y) : out.f;
  return Rcpp::List::create(
      Rcpp::Named("class") = to_r_codes(propagated_classes(weighted, out.reachable, data.y)),
      Rcpp::Named("F") = out.f, Rcpp::Named("weighted") = weighted,
      Rcpp::Named("reachable") = Rcpp::LogicalVector(out.reachable.begin(), out.reachable.end()),
      Rcpp::Named("iterations") = out.iterations, Rcpp::Named("residuals") = out.residuals,
      Rcpp::Named("converged") = out.converged);
}
