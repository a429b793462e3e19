#pragma once

#include <utility>
#include <vector>

#include "core/data/problem.hpp"
#include "core/run/parallel.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

struct SparsityOptions {
  double rho = 0.1;         // penalty relative to the smallest one that gives s = 0
  bool affine = true;       // a constant 1 appended to each row: soft version of sum_j s_ij = 1
  int variant = 1;          // SS-1 or SS-2
  bool supervised = false;  // SuSS: labelled rows, represented by rows of their own class
};

// How rows represent each other: row i by sum_j s_ij z_j.
struct SparseWeights {
  std::vector<Index> rows;                                     // those represented, ascending
  std::vector<std::vector<std::pair<Index, double>>> entries;  // of each, (j, s_ij), j ascending
  int iterations = 0;                                          // most sweeps of any row
  bool converged = true;
};

// Row i of S is the solution of
//
//   min over s, s_i = 0, of  1/2 |z_i - sum_j s_j z_j|^2 + lambda_i |s|_1,
//   lambda_i = rho max_{j != i} |z_i'z_j|
//
// (j over the rows allowed to represent i). The paper minimizes |s|_1 under z_i = sum_j s_j z_j,
// which has no solution in general when n <= p and leaves every residual 0 where it has one, so
// that some slack is needed. rho >= 1 gives s = 0, as do a zero row and a class of one row.
// O(n^2 p) for the Gram matrix, computed once, then O(sweeps support^2) for each row.
SparseWeights sparse_weights(const FeatureMatrix& z, const Labels& y,
                             const SparsityOptions& options, const Control& control);

// sum_i (f_i - sum_j s_ij f_j)^2 for every column f of z: SS-1. O(nnz(S) p).
Eigen::VectorXd representation_error(const FeatureMatrix& z, const SparseWeights& s,
                                     const Control& control);

// Sparsity score (Liu, Sun and Zhang 2012; Qiu and Pan 2016, (4), whose inner sum runs over j).
//
//   SS-1 = sum_i (f_i - sum_j s_ij f_j)^2,   SS-2 = SS-1 / variance (divisor n)
//
// on the scaled data, over the rows represented. Low is good. SS-2 of a column without variance
// is NaN.
struct SparsityFit {
  Selection selection;
  SparseWeights weights;
};
SparsityFit sparsity(const Problem& problem, const SparsityOptions& options,
                     const Control& control);

}  // namespace semiselect
