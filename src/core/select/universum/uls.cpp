#include "core/select/universum/uls.hpp"

namespace semiselect {

Selection uls(const Problem& problem, const FeatureMatrix& universum,
              const UniversumOptions& options, const GraphOptions& graph, const Control& control) {
  const Graph neighbors = neighbor_graph(problem.z, graph, control);
  Selection out;
  out.statistic = universum_contrast(problem.z, universum, options, control) -
                  2 * laplacian_ratio(problem.z, neighbors, control);
  return out;
}

}  // namespace semiselect
