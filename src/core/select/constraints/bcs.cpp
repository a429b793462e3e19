#include "core/select/constraints/bcs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/run/parallel.hpp"

namespace semiselect {

namespace {

constexpr Index columns_at_once = 32;
constexpr Index pairs_at_once = 2048;

// sum over pairs of their count times (f_i - f_j)^2: bags x columns, added to `out`.
void add_pairs(const double* rows, Index columns, const std::vector<Pair>& pairs,
               const Eigen::MatrixXd& counts, Eigen::MatrixXd& out) {
  const Index m = static_cast<Index>(pairs.size());
  Eigen::MatrixXd squares(pairs_at_once, columns);
  for (Index first = 0; first < m; first += pairs_at_once) {
    const Index several = std::min(pairs_at_once, m - first);
    for (Index e = 0; e < several; ++e) {
      const double* f = rows + pairs[first + e].first * columns;
      const double* g = rows + pairs[first + e].second * columns;
      for (Index c = 0; c < columns; ++c) squares(e, c) = (f[c] - g[c]) * (f[c] - g[c]);
    }
    out.noalias() +=
        counts.middleRows(first, several).transpose() * squares.topRows(several);
  }
}

}  // namespace

Bcs bcs(const Problem& data, const Eigen::MatrixXd& must_link, const Eigen::MatrixXd& cannot_link,
        const BcsOptions& options, const Control& control) {
  const bool first_score = options.constraint.score == 1;
  const FeatureMatrix& x = first_score ? data.x : data.z;
  const Index n = x.n(), p = x.p(), bags = must_link.cols();
  const Constraints pairs = close_constraints(n, data.y, data.constraints).pairs();

  Eigen::MatrixXd score(p, bags);
  parallel_ranges(p, columns_at_once, control, [&](Index begin, Index end) {
    const Index columns = end - begin;
    std::vector<double> rows(static_cast<std::size_t>(n * columns));
    x.block_by_rows(begin, columns, rows.data(), columns);
    Eigen::MatrixXd near = Eigen::MatrixXd::Zero(bags, columns), far = near;
    add_pairs(rows.data(), columns, pairs.must_link, must_link, near);
    add_pairs(rows.data(), columns, pairs.cannot_link, cannot_link, far);
    for (Index c = 0; c < columns; ++c) {
      for (Index b = 0; b < bags; ++b) {
        // 0 / 0 has no value, x / 0 is the worst.
        score(begin + c, b) = first_score ? near(b, c) / far(b, c)
                                          : near(b, c) - options.constraint.nu * far(b, c);
      }
    }
  });

  Bcs out;
  out.selection.statistic = Eigen::VectorXd::Zero(p);
  out.share = Eigen::VectorXd::Zero(p);
  const Index count = std::min(options.best, p);
  std::vector<std::vector<Index>> best(static_cast<std::size_t>(bags));
  Eigen::MatrixXi ranks(p, bags);
  parallel_for(bags, control, [&](Index b) {
    // Equal scores by column; features without a score last, by column.
    std::vector<std::pair<double, Index>> order;
    std::vector<Index> none;
    order.reserve(static_cast<std::size_t>(p));
    for (Index r = 0; r < p; ++r) {
      if (data.constant[static_cast<std::size_t>(r)] || std::isnan(score(r, b))) {
        none.push_back(r);
      } else {
        order.emplace_back(score(r, b), r);
      }
    }
    std::sort(order.begin(), order.end());
    int rank = 0;
    const auto place = [&](Index r) {
      if (rank < count) best[b].push_back(r);
      ranks(r, b) = ++rank;
    };
    for (const auto& entry : order) place(entry.second);
    for (const Index r : none) place(r);
  });
  for (Index b = 0; b < bags; ++b) {
    out.selection.statistic += ranks.col(b).cast<double>();
    for (const Index r : best[b]) ++out.share(r);
  }
  out.selection.statistic /= static_cast<double>(bags);
  out.share /= static_cast<double>(bags);
  if (!options.vote) return out;

  const std::vector<Index> labelled = data.y.labelled_rows();
  std::vector<std::vector<int>> found(static_cast<std::size_t>(bags));
  parallel_for(bags, control, [&](Index b) {
    const FeatureMatrix own = data.z.columns(best[b]);
    Eigen::MatrixXd rows(own.p(), n);
    Eigen::VectorXd f(n);
    for (Index r = 0; r < own.p(); ++r) {
      own.column(r, f.data());
      rows.row(r) = f.transpose();
    }
    found[b].resize(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) {
      if (data.y.is_labelled(i)) {
        found[b][i] = data.y.code[static_cast<std::size_t>(i)];
        continue;
      }
      double least = std::numeric_limits<double>::infinity();
      for (const Index l : labelled) {
        const double d = (rows.col(i) - rows.col(l)).squaredNorm();
        if (d < least) {
          least = d;
          found[b][i] = data.y.code[static_cast<std::size_t>(l)];
        }
      }
    }
  });
  out.vote.resize(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    std::vector<int> votes(static_cast<std::size_t>(data.y.classes), 0);
    for (Index b = 0; b < bags; ++b) ++votes[found[b][i]];
    out.vote[i] = static_cast<int>(std::max_element(votes.begin(), votes.end()) - votes.begin());
  }
  return out;
}

}  // namespace semiselect
