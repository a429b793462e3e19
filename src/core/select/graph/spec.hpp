#pragma once

#include "core/data/problem.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

enum class Similarity { rbf, knn, classes };  // "class"

struct SpecOptions {
  int phi = 2;   // the ranking function: 1, 2 or 3
  double r = 1;  // gamma(lambda) = lambda^r
  Similarity similarity = Similarity::rbf;
  int n_eigen = 0;     // m of phi 3; 0: max(2, number of classes)
  GraphOptions graph;  // of "knn"; "rbf" takes its bandwidth and, for "local", its k
};

// SPEC (Zhao and Liu 2007).
//
// S similarity of the rows, D = diag(S 1), N = I - D^-1/2 S D^-1/2 (rows of degree 0: zero rows)
// with eigenpairs (lambda_j, v_j), ascending, v_1 = D^1/2 1 / |.|; h = D^1/2 f / |D^1/2 f|,
// a_j = v_j'h.
//
//   phi 1 = sum_j a_j^2 lambda_j^r                                         minimized
//   phi 2 = sum_{j >= 2} a_j^2 lambda_j^r / sum_{j >= 2} a_j^2             minimized
//   phi 3 = sum_{j = 2}^{m} (2^r - lambda_j^r) a_j^2                       maximized
//
// S: "rbf" exp(-d^2 / bandwidth) for all pairs, diagonal 1, on the scaled rows; "knn" the neighbor
// graph, zero diagonal; "class" 1 / n_c for all pairs of labelled rows of a class, diagonal
// included. The score is that of the columns as given: phi 2 ignores their origin, phi 1 and phi 3
// do not.
//
// With g = h - (v_1'h) v_1, phi 1 and phi 2 are g'N^r g over h'h or g'g: r / 2 products with N,
// no eigenvectors (a fraction r needs them all). phi 3: eigenpairs by a dense solver for few rows,
// by Lanczos for many; all pairs within 1e-10 of lambda_m count, so that no choice of basis does.
// Cost for "rbf" O(n^2 p), n x n in memory; "knn" O(r |E| p); "class" O(n p), for any r.
// NaN for a feature that is constant wherever S has weight (phi 2), or 0 there (phi 1, phi 3).
struct SpecFit {
  Selection selection;
  double bandwidth = no_value;  // of the RBF similarity, in force
  Eigen::VectorXd eigenvalues;  // lambda_2, ... used by phi 3
};
SpecFit spec(const Problem& problem, const SpecOptions& options, const Control& control);

// Up to so many rows phi 3 takes the dense solver.
constexpr Index spec_dense_rows = 500;

}  // namespace semiselect
