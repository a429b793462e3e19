#pragma once

#include "core/data/problem.hpp"
#include "core/graph/neighbor_graph.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

enum class ClsDenominator { sum, cl };

struct ClsOptions {
  GraphOptions graph;
  ClsDenominator denominator = ClsDenominator::sum;
  bool drop_cl_edges = true;  // false: (3.4), where cannot-linked neighbors keep their edge
};

// Constrained Laplacian score (Hindawi 2013, (3.1) to (3.13)), half of the printed sum, so that
// it is the Laplacian score where there is no cannot-link.
//
//   CLS_r = f' L f / den,
//   den   = sum_CL (d_i + d_j)(f_i - f_j)^2 + sum_i (c - c_i) d_i (f_i - mu)^2
//
// mu the degree-weighted mean of f, c the number of rows in a cannot-link, c_i the number of
// cannot-link partners of row i; without any cannot-link c - c_i is 1. ClsDenominator::cl takes
// the first sum alone. W: neighbor graph plus must-link edges, minus cannot-link edges.
//
// (3.12) and (3.13) print f' L_CL D f for the first sum, which is not symmetric and may be
// negative; the form above is the double sum (3.1) itself. Low is good. With labels the
// cannot-links are summed by class: O((|E| + l + conflicts) p). NaN for a feature that is constant
// wherever the graph has weight.
Selection cls(const Problem& data, const ClsOptions& options, const Control& control);

// The score on a given graph (already edited) and closed constraints of the rows of x.
Eigen::VectorXd cls_scores(const FeatureMatrix& x, const Graph& graph, const LinkGroups& links,
                           ClsDenominator denominator, const Control& control);

// The denominator alone, d being the degrees that enter it: CSFS shares it.
Eigen::VectorXd cls_denominator(const FeatureMatrix& x, const Eigen::VectorXd& d,
                                const LinkGroups& links, ClsDenominator denominator,
                                const Control& control);

// The graph without the edges that join two conflicting groups.
Graph without_conflicts(const Graph& graph, const LinkGroups& links);

}  // namespace semiselect
