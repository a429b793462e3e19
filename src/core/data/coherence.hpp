#pragma once

#include <vector>

#include "core/data/constraints.hpp"
#include "core/data/matrix.hpp"
#include "core/run/parallel.hpp"

namespace semiselect {

enum class CoherenceRule { directional, mutual };

// Coherence of constraints (Davidson, Wagstaff and Basu 2006; Hindawi 2013, (3.15) to (3.17)).
//
// A pair is the segment between its two rows. The overlap of segment a on segment b = [b1, b2] is
// the part of b that the orthogonal projection of a covers: with
//
//   t_k = (a_k - b1).(b2 - b1) / |b2 - b1|^2,   over_b(a) = max(0, min(1, max t) - max(0, min t))
//
// zero up to 1e-12, and zero if b is a point. Coherence of must-link p: the share of cannot-links q
// with over_q(p) = 0; of cannot-link q: the share of must-links p with over_p(q) = 0 (directional),
// or of those without overlap in either direction (mutual). `overall`: the share of pairs (p, q)
// without overlap in either direction.
//
// All from the Gram matrix of the l rows involved: O(l^2 p + |ML| |CL|). InputError above 2e9 pairs
// (p, q). NaN throughout if either set is empty.
struct Coherence {
  std::vector<double> must_link;    // in the order of the pairs
  std::vector<double> cannot_link;
  double overall;
};
Coherence coherence(const FeatureMatrix& z, const Constraints& pairs, CoherenceRule rule,
                    const Control& control);

// Algorithm 9: the pairs whose coherence is not below `overall` (up to 1e-12); all of them, if
// either set is empty.
Constraints coherent_constraints(const FeatureMatrix& z, const Constraints& pairs,
                                 CoherenceRule rule, const Control& control);

}  // namespace semiselect
