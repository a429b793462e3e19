#include "core/data/group_statistics.hpp"

#include <cmath>

namespace semiselect {

namespace {

// A conflict between any two groups, as labels give it, has a shorter sum.
bool is_complete(const LinkGroups& links) {
  return static_cast<double>(links.conflicts.size()) == 0.5 * links.groups * (links.groups - 1.0);
}

// Moments of a dense column about `origin`: the rows of a group are gathered once, then both
// passes run over contiguous memory.
void dense_moments(const FeatureMatrix& x, Index j, const RowGroups& groups,
                   const Eigen::VectorXd& weights, double origin, GroupMoments& out) {
  const StoredColumn column = x.stored_column(j);
  thread_local std::vector<double> values, weight;
  for (int g = 0; g < groups.groups; ++g) {
    const Index begin = groups.start[g], count = groups.start[g + 1] - begin;
    values.resize(static_cast<std::size_t>(count));
    const Eigen::Map<Eigen::ArrayXd> f(values.data(), count);
    for (Index e = 0; e < count; ++e) {
      const Index i = groups.rows[begin + e];
      values[e] = column.value[i] / x.row_divisor(i) - origin;
    }
    if (weights.size() == 0) {
      out.weight(g) = static_cast<double>(count);
      out.mean(g) = count > 0 ? f.sum() / out.weight(g) : 0;
      out.squares(g) = (f - out.mean(g)).square().sum();
    } else {
      weight.resize(static_cast<std::size_t>(count));
      const Eigen::Map<Eigen::ArrayXd> w(weight.data(), count);
      for (Index e = 0; e < count; ++e) weight[e] = weights(groups.rows[begin + e]);
      out.weight(g) = w.sum();
      out.mean(g) = out.weight(g) > 0 ? (w * f).sum() / out.weight(g) : 0;
      out.squares(g) = (w * (f - out.mean(g)).square()).sum();
    }
    if (count > 0) out.largest = std::max(out.largest, (f + origin).abs().maxCoeff());
  }
}

// Moments of a sparse column: entries that are not stored are 0 and count through what is left of
// the weight of their group.
void sparse_moments(const FeatureMatrix& x, Index j, const RowGroups& groups,
                    const Eigen::VectorXd& weights, double origin, GroupMoments& out) {
  const auto weight = [&](Index i) { return weights.size() ? weights(i) : 1.0; };
  if (weights.size() == 0) {
    out.weight = groups.size;
  } else {
    out.weight.setZero();
    for (const Index i : groups.rows) out.weight(groups.group[i]) += weights(i);
  }
  Eigen::VectorXd stored = Eigen::VectorXd::Zero(groups.groups);
  Eigen::VectorXd count = Eigen::VectorXd::Zero(groups.groups);
  out.mean.setZero();
  out.squares.setZero();
  x.for_each_stored(j, [&](Index i, double v) {
    const int g = groups.group[i];
    if (g < 0) return;
    stored(g) += weight(i);
    count(g) += 1;
    out.mean(g) += weight(i) * (v - origin);
    out.largest = std::max(out.largest, std::abs(v));
  });
  for (int g = 0; g < groups.groups; ++g) {
    // Nothing is left where all rows are stored, though the sums may differ by rounding.
    const double rest = count(g) == groups.size(g) ? 0 : std::max(out.weight(g) - stored(g), 0.0);
    if (out.weight(g) > 0) out.mean(g) = (out.mean(g) - rest * origin) / out.weight(g);
    const double deviation = -origin - out.mean(g);
    out.squares(g) = rest * deviation * deviation;
  }
  x.for_each_stored(j, [&](Index i, double v) {
    const int g = groups.group[i];
    if (g < 0) return;
    const double deviation = v - origin - out.mean(g);
    out.squares(g) += weight(i) * deviation * deviation;
  });
}

// A value of the column within the groups; 0 for a sparse column that is not stored throughout.
double origin_of(const FeatureMatrix& x, Index j, const RowGroups& groups) {
  if (groups.rows.empty()) return 0;
  const StoredColumn column = x.stored_column(j);
  if (column.row && column.count < x.n()) {
    Index inside = 0;
    double value = 0;
    for (Index e = 0; e < column.count; ++e) {
      if (groups.group[column.row[e]] < 0) continue;
      if (inside++ == 0) value = column.value[e] / x.row_divisor(column.row[e]);
    }
    return inside == static_cast<Index>(groups.rows.size()) ? value : 0;
  }
  const Index first = groups.rows.front();
  return column.value[first] / x.row_divisor(first);
}

}  // namespace

RowGroups::RowGroups(const std::vector<int>& of_row, int count)
    : groups(count), group(of_row), start(static_cast<std::size_t>(count) + 1, 0) {
  for (const int g : group) {
    if (g >= 0) ++start[g + 1];
  }
  for (int g = 0; g < groups; ++g) start[g + 1] += start[g];
  rows.resize(static_cast<std::size_t>(start[groups]));
  std::vector<Index> next(start.begin(), start.end() - 1);
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (group[i] >= 0) rows[next[group[i]]++] = static_cast<Index>(i);
  }
  size.resize(groups);
  for (int g = 0; g < groups; ++g) size(g) = static_cast<double>(start[g + 1] - start[g]);
}

void group_moments(const FeatureMatrix& x, Index j, const RowGroups& groups,
                   const Eigen::VectorXd& weights, GroupMoments& out) {
  out.weight.resize(groups.groups);
  out.mean.resize(groups.groups);
  out.squares.resize(groups.groups);
  out.largest = 0;
  const double origin = origin_of(x, j, groups);
  if (x.is_sparse()) {
    sparse_moments(x, j, groups, weights, origin, out);
  } else {
    dense_moments(x, j, groups, weights, origin, out);
  }
  // From the stored column to the scaled one.
  const double divisor = x.divisor(j);
  for (int g = 0; g < groups.groups; ++g) {
    if (out.weight(g) > 0) out.mean(g) = (out.mean(g) + (origin - x.shift(j))) / divisor;
  }
  out.squares /= divisor * divisor;
}

LinkSums link_sums(const FeatureMatrix& x, const LinkGroups& links, const Control& control) {
  const RowGroups groups(links.group, links.groups);
  const bool complete = is_complete(links);
  const double l = groups.size.sum();
  const Eigen::VectorXd equal;
  LinkSums out{Eigen::VectorXd(x.p()), Eigen::VectorXd(x.p())};
  parallel_ranges(x.p(), 64, control, [&](Index begin, Index end) {
    GroupMoments m;
    for (Index j = begin; j < end; ++j) {
      group_moments(x, j, groups, equal, m);
      out.must_link(j) = m.weight.dot(m.squares);
      double sum = 0;
      if (complete) {
        // Means about the first one: equal means then differ by exactly 0.
        const Eigen::ArrayXd gap = m.mean.array() - (links.groups > 0 ? m.mean(0) : 0);
        const double mean = l > 0 ? m.weight.dot(gap.matrix()) / l : 0;
        sum = (l - m.weight.array()).matrix().dot(m.squares) +
              l * m.weight.dot((gap - mean).square().matrix());
      } else {
        for (const Pair& c : links.conflicts) {
          const int a = c.first, b = c.second;
          const double gap = m.mean(a) - m.mean(b);
          sum += m.weight(a) * m.squares(b) + m.weight(b) * m.squares(a) +
                 m.weight(a) * m.weight(b) * gap * gap;
        }
      }
      out.cannot_link(j) = sum;
    }
  });
  return out;
}

}  // namespace semiselect
