#include "core/select/universum/uss.hpp"

namespace semiselect {

Selection uss(const Problem& problem, const FeatureMatrix& universum,
              const UniversumOptions& options, const SparsityOptions& sparsity,
              const Control& control) {
  const SparseWeights weights = sparse_weights(problem.z, problem.y, sparsity, control);
  Selection out;
  out.statistic = universum_contrast(problem.z, universum, options, control) -
                  representation_error(problem.z, weights, control);
  out.iterations = weights.iterations;
  out.converged = weights.converged;
  return out;
}

}  // namespace semiselect
