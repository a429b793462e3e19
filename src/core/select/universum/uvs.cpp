#include "core/select/universum/uvs.hpp"

#include "core/data/group_statistics.hpp"

namespace semiselect {

namespace {

struct Moments {
  double mean, variance;
};

RowGroups all_rows(const FeatureMatrix& x) {
  return RowGroups(std::vector<int>(static_cast<std::size_t>(x.n()), 0), 1);
}

Moments moments(const FeatureMatrix& x, Index r, const RowGroups& all) {
  GroupMoments m;
  group_moments(x, r, all, Eigen::VectorXd(), m);
  return {m.mean(0), m.squares(0) / m.weight(0)};
}

}  // namespace

Eigen::VectorXd universum_contrast(const FeatureMatrix& x, const FeatureMatrix& universum,
                                   const UniversumOptions& options, const Control& control) {
  const RowGroups target_rows = all_rows(x), universum_rows = all_rows(universum);
  const double pairs =
      options.beta_norm == UniversumSpread::paper ? static_cast<double>(universum.n()) : 1.0;
  Eigen::VectorXd out(x.p());
  parallel_for(x.p(), control, [&](Index r) {
    const Moments target = moments(x, r, target_rows);
    const Moments other = moments(universum, r, universum_rows);
    const double gap = other.mean - target.mean;
    out(r) = options.alpha * (other.variance + target.variance + gap * gap) -
             options.beta * (2 * pairs * other.variance);
  });
  return out;
}

Selection uvs(const Problem& problem, const FeatureMatrix& universum,
              const UniversumOptions& options, const Control& control) {
  Selection out;
  out.statistic = universum_contrast(problem.z, universum, options, control);
  const RowGroups rows = all_rows(problem.z);
  parallel_for(problem.z.p(), control,
               [&](Index r) { out.statistic(r) += moments(problem.z, r, rows).variance; });
  return out;
}

}  // namespace semiselect
