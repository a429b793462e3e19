#include "core/select/constraints/constraint.hpp"

#include <string>

#include "core/data/group_statistics.hpp"
#include "core/run/errors.hpp"

namespace semiselect {

Selection constraint(const Problem& data, const ConstraintOptions& options,
                     const Control& control) {
  const LinkGroups links = close_constraints(data.x.n(), data.y, data.constraints);
  const bool any_must = links.must_link_count() > 0;
  const bool any_cannot = !links.conflicts.empty();
  const std::string missing = any_must ? "cannot-link" : "must-link";

  Selection out;
  if (options.score == 1) {
    if (!any_must || !any_cannot) {
      throw InputError("Constraint score 1 needs must-link and cannot-link pairs, but there is no " +
                       missing + " pair. Label two rows of one class and rows of another, give "
                       "`constraints`, or use `score = 2`.");
    }
    const LinkSums sums = link_sums(data.x, links, control);
    out.statistic = sums.must_link.cwiseQuotient(sums.cannot_link);
  } else {
    if (!any_must || !any_cannot) {
      control.warn("There is no " + missing +
                   " pair: constraint score 2 has one of its two sums only.");
    }
    const LinkSums sums = link_sums(data.z, links, control);
    out.statistic = sums.must_link - options.nu * sums.cannot_link;
  }
  return out;
}

}  // namespace semiselect
