#pragma once

#include <RcppEigen.h>

#include "core/data/problem.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/run/control.hpp"
#include "core/select/selection.hpp"

// R values <-> core types, nowhere else. Row, column and class numbers count from 1 in R and from
// 0 in the core; only convert.cpp adds or subtracts one.

// A double matrix or dgCMatrix, looked at without a copy: the R object must outlive the result.
semiselect::FeatureMatrix as_feature_matrix(SEXP x);
semiselect::Scale as_scale(const std::string& name);
// Integer codes 1, 2, ... or NA; NULL: no labels.
semiselect::Labels as_labels(SEXP y, int classes);
// Two-column integer matrices of row numbers, or NULL.
semiselect::Constraints as_constraints(SEXP must_link, SEXP cannot_link);
std::vector<semiselect::Index> as_indices(const Rcpp::IntegerVector& from_one);

// The three bundles of every selector.
semiselect::Problem as_problem(const Rcpp::List& problem);
semiselect::GraphOptions as_graph_options(const Rcpp::List& graph);
semiselect::Control as_control(const Rcpp::List& control);

// A symmetric dgCMatrix of weights; the diagonal is ignored.
semiselect::Graph as_graph(SEXP w);

Rcpp::List to_r(const semiselect::Selection& selection);
Rcpp::IntegerVector to_r_indices(const std::vector<semiselect::Index>& from_zero);
// Class codes 1, 2, ..., NA for unlabelled rows.
Rcpp::IntegerVector to_r_codes(const std::vector<int>& codes);
Rcpp::IntegerMatrix to_r_pairs(const std::vector<semiselect::Pair>& pairs);
// Both triangles, as a dgCMatrix.
Rcpp::S4 to_r_graph(const semiselect::Graph& graph);
