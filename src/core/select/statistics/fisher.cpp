#include "core/select/statistics/fisher.hpp"

#include "core/data/group_statistics.hpp"
#include "core/run/parallel.hpp"

namespace semiselect {

Selection fisher(const FeatureMatrix& x, const Labels& y, FisherVariant variant,
                 const Control& control) {
  const RowGroups groups(y);
  const double l = groups.size.sum();
  const Eigen::VectorXd equal;

  Selection out;
  out.statistic.resize(x.p());
  parallel_ranges(x.p(), 64, control, [&](Index begin, Index end) {
    GroupMoments m;
    for (Index r = begin; r < end; ++r) {
      group_moments(x, r, groups, equal, m);
      const Eigen::ArrayXd gap = m.mean.array() - m.mean(0);
      double between, within;
      if (variant == FisherVariant::pairwise) {
        between = gap(1) * gap(1);
        within = m.squares.cwiseQuotient(m.weight).sum();
      } else {
        const double mean = m.weight.dot(gap.matrix()) / l;
        between = m.weight.dot((gap - mean).square().matrix());
        within = m.squares.sum();
      }
      const double rounding = 1e-24 * l * m.largest * m.largest;
      if (between <= rounding) between = 0;
      if (within <= rounding) within = 0;
      out.statistic(r) = between / within;  // Inf and NaN as the header says
    }
  });
  return out;
}

}  // namespace semiselect
