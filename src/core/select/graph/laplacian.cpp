#include "core/select/graph/laplacian.hpp"

#include "core/run/errors.hpp"

namespace semiselect {

std::vector<Pair> must_link_pairs(const LinkGroups& links) {
  if (links.must_link_count() > 5e7) {
    throw InputError(
        "The labels and constraints imply more than 5e7 must-link pairs, each of which would be an "
        "edge of the graph. Keep fewer labels, or use a score that needs no such edges "
        "(`rank_laplacian(link_labels = FALSE)`, `rank_fisher()`).");
  }
  LinkGroups within = links;
  within.conflicts.clear();
  return within.pairs().must_link;
}

Selection laplacian(const Problem& data, const LaplacianOptions& options, const Control& control) {
  GraphEdits edits;
  if (options.link_labels) {
    edits.add = must_link_pairs(close_constraints(data.x.n(), data.y, Constraints()));
  }
  Selection out;
  out.statistic =
      laplacian_ratio(data.x, neighbor_graph(data.z, options.graph, edits, control), control);
  return out;
}

}  // namespace semiselect
