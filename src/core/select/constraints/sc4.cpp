#include "core/select/constraints/sc4.hpp"

#include "core/select/constraints/constraint.hpp"

namespace semiselect {

Selection sc4(const Problem& data, const GraphOptions& graph, const Control& control) {
  Selection out = constraint(data, ConstraintOptions(), control);
  const Eigen::VectorXd ls =
      laplacian_ratio(data.x, neighbor_graph(data.z, graph, control), control);
  out.statistic = out.statistic.cwiseProduct(ls);
  return out;
}

}  // namespace semiselect
