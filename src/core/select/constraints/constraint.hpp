#pragma once

#include "core/data/problem.hpp"
#include "core/run/control.hpp"
#include "core/select/selection.hpp"

namespace semiselect {

struct ConstraintOptions {
  int score = 1;    // CS1 or CS2, the paper's own names
  double nu = 0.1;  // weight of the cannot-links in CS2; ours, the paper gives none
};

// Constraint scores (Zhang, Chen and Zhou 2008; Hindawi 2013, (2.17) to (2.22)).
//
//   CS1_r = sum_ML (f_i - f_j)^2 / sum_CL (f_i - f_j)^2
//   CS2_r = sum_ML (f_i - f_j)^2 - nu sum_CL (f_i - f_j)^2
//
// over unordered pairs of the closed constraints. Low is good. CS1 on the columns as given (it
// does not depend on their unit or origin), CS2 on the scaled ones. CS1 needs both kinds of pairs
// (InputError); x / 0 is Inf, 0 / 0 NaN. CS2 with one kind only warns. Labels never become a list
// of pairs: O((l + conflicts) p).
Selection constraint(const Problem& data, const ConstraintOptions& options, const Control& control);

}  // namespace semiselect
