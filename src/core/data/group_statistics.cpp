#include "core/data/group_statistics.hpp"

namespace semiselect {

namespace {

// One conflict of every pair of groups, as labels give it, has a shorter sum.
bool is_complete(const LinkGroups& links) {
  return static_cast<double>(links.conflicts.size()) == 0.5 * links.groups * (links.groups - 1.0);
}

}  // namespace

GroupMoments group_moments(const FeatureMatrix& x, Index j, const std::vector<int>& group,
                           int groups, const Eigen::VectorXd& weights) {
  const Index n = x.n();
  const auto weight = [&](Index i) { return weights.size() ? weights(i) : 1.0; };

  GroupMoments m;
  m.weight = Eigen::VectorXd::Zero(groups);
  m.mean = Eigen::VectorXd::Zero(groups);
  m.squares = Eigen::VectorXd::Zero(groups);
  for (Index i = 0; i < n; ++i) {
    if (group[i] >= 0) m.weight(group[i]) += weight(i);
  }

  // Entries that are not stored are 0: they count through what is left of the weight.
  Eigen::VectorXd stored_weight = Eigen::VectorXd::Zero(groups);
  x.for_each_stored(j, [&](Index i, double v) {
    if (group[i] < 0) return;
    m.mean(group[i]) += weight(i) * v;
    stored_weight(group[i]) += weight(i);
  });
  for (int g = 0; g < groups; ++g) {
    if (m.weight(g) > 0) m.mean(g) /= m.weight(g);
  }
  x.for_each_stored(j, [&](Index i, double v) {
    if (group[i] < 0) return;
    const double deviation = v - m.mean(group[i]);
    m.squares(group[i]) += weight(i) * deviation * deviation;
  });
  if (x.is_sparse()) {
    m.squares.array() += (m.weight - stored_weight).array().max(0.0) * m.mean.array().square();
  }

  // From the stored column to the scaled one.
  const double divisor = x.divisor(j);
  for (int g = 0; g < groups; ++g) {
    if (m.weight(g) > 0) m.mean(g) = (m.mean(g) - x.shift(j)) / divisor;
  }
  m.squares /= divisor * divisor;
  return m;
}

LinkSums link_sums(const FeatureMatrix& x, const LinkGroups& links, const Control& control) {
  const bool complete = is_complete(links);
  LinkSums out{Eigen::VectorXd(x.p()), Eigen::VectorXd(x.p())};
  const Eigen::VectorXd equal;
  parallel_for(x.p(), control, [&](Index j) {
    const GroupMoments m = group_moments(x, j, links.group, links.groups, equal);
    out.must_link(j) = m.weight.dot(m.squares);
    double sum = 0;
    if (complete) {
      const double l = m.weight.sum();
      const double mean = l > 0 ? m.weight.dot(m.mean) / l : 0;
      sum = (l - m.weight.array()).matrix().dot(m.squares) +
            l * m.weight.dot((m.mean.array() - mean).square().matrix());
    } else {
      for (const Pair& c : links.conflicts) {
        const int a = c.first, b = c.second;
        const double gap = m.mean(a) - m.mean(b);
        sum += m.weight(a) * m.squares(b) + m.weight(b) * m.squares(a) +
               m.weight(a) * m.weight(b) * gap * gap;
      }
    }
    out.cannot_link(j) = sum;
  });
  return out;
}

}  // namespace semiselect
