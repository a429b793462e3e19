#pragma once

#include "core/select/universum/sparsity.hpp"
#include "core/select/universum/uvs.hpp"

namespace semiselect {

// USS (Qiu and Pan 2016, (8)): the contrast of uvs.hpp with base -SS-1.
//
// The weights of the sparsity score represent target rows by target rows.
Selection uss(const Problem& problem, const FeatureMatrix& universum,
              const UniversumOptions& options, const SparsityOptions& sparsity,
              const Control& control);

}  // namespace semiselect
