#include "core/select/statistics/mrmr.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#if defined(__x86_64__) && !defined(_WIN32) && (defined(__GNUC__) || defined(__clang__))
#define SEMISELECT_X86_DISPATCH 1
#endif

namespace semiselect {

namespace {

using Word = std::uint64_t;
constexpr double tie = 1e-12;

// Levels of all columns: 0 below, 1 between, 2 above.
//
// Dense: two bit sets a column, rows below and rows above. Sparse: the level of the entries that
// are not stored, and the rows at another level.
struct Levels {
  Index words = 0;
  bool sparse = false;
  std::vector<Word> bits;  // column r: `words` for below, then as many for above
  std::vector<std::vector<std::pair<int, int>>> other;  // sparse: (row, level)
  std::vector<int> common;                              // sparse: level of the entries not stored
  std::vector<std::array<Index, 3>> count;
};

using JointCounts = void (*)(Index words, const Word* a, const Word* b, Index* out);

Index ones(Word v) {
  v = v - ((v >> 1) & 0x5555555555555555u);
  v = (v & 0x3333333333333333u) + ((v >> 2) & 0x3333333333333333u);
  v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<Index>((v * 0x0101010101010101u) >> 56);
}

// Rows of a below and b below, a below and b above, a above and b below, both above.
void plain_joint(Index words, const Word* a, const Word* b, Index* out) {
  std::fill_n(out, 4, 0);
  for (Index w = 0; w < words; ++w) {
    const Word a0 = a[w], a2 = a[words + w], b0 = b[w], b2 = b[words + w];
    out[0] += ones(a0 & b0);
    out[1] += ones(a0 & b2);
    out[2] += ones(a2 & b0);
    out[3] += ones(a2 & b2);
  }
}

#if defined(SEMISELECT_X86_DISPATCH)
__attribute__((target("popcnt"))) void popcnt_joint(Index words, const Word* a, const Word* b,
                                                    Index* out) {
  Index n00 = 0, n02 = 0, n20 = 0, n22 = 0;
  for (Index w = 0; w < words; ++w) {
    const Word a0 = a[w], a2 = a[words + w], b0 = b[w], b2 = b[words + w];
    n00 += __builtin_popcountll(a0 & b0);
    n02 += __builtin_popcountll(a0 & b2);
    n20 += __builtin_popcountll(a2 & b0);
    n22 += __builtin_popcountll(a2 & b2);
  }
  out[0] = n00;
  out[1] = n02;
  out[2] = n20;
  out[3] = n22;
}
#endif

JointCounts best_joint() {
#if defined(SEMISELECT_X86_DISPATCH)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("popcnt")) return popcnt_joint;
#endif
  return plain_joint;
}

// n log n for n = 0, ..., l: the information of a table of counts is a sum of these.
std::vector<double> n_log_n(Index l) {
  std::vector<double> out(static_cast<std::size_t>(l + 1), 0.0);
  for (Index n = 2; n <= l; ++n) {
    out[static_cast<std::size_t>(n)] = static_cast<double>(n) * std::log(static_cast<double>(n));
  }
  return out;
}

struct Limits {
  double low, high;
};

Limits limits(const FeatureMatrix& x, Index r, double width) {
  const double l = static_cast<double>(x.n());
  double sum = 0, largest = 0;
  x.for_each_stored(r, [&](Index, double v) {
    sum += v;
    largest = std::max(largest, std::abs(v));
  });
  const double mean = sum / l;
  double squares = 0;
  x.for_each_stored(r, [&](Index, double v) { squares += (v - mean) * (v - mean); });
  squares += static_cast<double>(x.n() - x.stored_column(r).count) * mean * mean;
  const double reach = width * std::sqrt(squares / l) + 1e-12 * largest;
  return {mean - reach, mean + reach};
}

int level_of(double v, const Limits& limit) { return v < limit.low ? 0 : v > limit.high ? 2 : 1; }

}  // namespace

Selection mrmr(const Problem& problem, const MrmrOptions& options, const Control& control) {
  const std::vector<Index> labelled = problem.y.labelled_rows();
  const Index l = static_cast<Index>(labelled.size());
  const FeatureMatrix x = l == problem.z.n() ? problem.z : problem.z.rows(labelled);
  const Index p = x.p();
  const std::size_t classes = static_cast<std::size_t>(problem.y.classes);
  std::vector<int> y;
  std::vector<Index> class_size(classes, 0);
  for (const Index i : labelled) {
    y.push_back(problem.y.code[static_cast<std::size_t>(i)]);
    ++class_size[static_cast<std::size_t>(y.back())];
  }
  const std::vector<double> log_table = n_log_n(l);
  const auto nln = [&](Index n) { return log_table[static_cast<std::size_t>(n)]; };
  const auto information = [&](double joint, double a, double b) {
    return std::max((joint - a - b + nln(l)) / static_cast<double>(l), 0.0);
  };
  double y_entropy = 0;
  for (const Index n : class_size) y_entropy += nln(n);

  Levels levels;
  levels.sparse = x.is_sparse();
  levels.count.resize(static_cast<std::size_t>(p));
  if (levels.sparse) {
    levels.other.resize(static_cast<std::size_t>(p));
    levels.common.resize(static_cast<std::size_t>(p));
  } else {
    levels.words = (l + 63) / 64;
    levels.bits.assign(static_cast<std::size_t>(2 * levels.words * p), 0);
  }
  Eigen::VectorXd relevance(p), own(p);  // I(f; y), and the sum of n log n over the levels of f
  parallel_ranges(p, 64, control, [&](Index begin, Index end) {
    std::vector<Index> joint(3 * classes);
    for (Index r = begin; r < end; ++r) {
      const Limits limit = limits(x, r, options.width);
      std::fill(joint.begin(), joint.end(), 0);
      std::array<Index, 3>& count = levels.count[static_cast<std::size_t>(r)];
      count = {0, 0, 0};
      Index seen = 0;
      if (levels.sparse) {
        const int zero = level_of(0, limit);
        levels.common[static_cast<std::size_t>(r)] = zero;
        for (std::size_t c = 0; c < classes; ++c) joint[zero * classes + c] = class_size[c];
        x.for_each_stored(r, [&](Index i, double v) {
          const int level = level_of(v, limit);
          if (level == zero) return;
          const std::size_t c = static_cast<std::size_t>(y[static_cast<std::size_t>(i)]);
          levels.other[static_cast<std::size_t>(r)].emplace_back(static_cast<int>(i), level);
          ++joint[level * classes + c];
          --joint[zero * classes + c];
          ++count[static_cast<std::size_t>(level)];
          ++seen;
        });
        count[static_cast<std::size_t>(zero)] += l - seen;
      } else {
        Word* below = levels.bits.data() + 2 * levels.words * r;
        Word* above = below + levels.words;
        x.for_each_stored(r, [&](Index i, double v) {
          const Word under = v<limit.low, over = v> limit.high;
          below[i / 64] |= under << (i % 64);
          above[i / 64] |= over << (i % 64);
          const std::size_t level =
              1 + static_cast<std::size_t>(over) - static_cast<std::size_t>(under);
          ++joint[level * classes + static_cast<std::size_t>(y[static_cast<std::size_t>(i)])];
        });
        for (std::size_t a = 0; a < 3; ++a) {
          for (std::size_t c = 0; c < classes; ++c) count[a] += joint[a * classes + c];
        }
      }
      double together = 0;
      for (const Index n : joint) together += nln(n);
      own(r) = nln(count[0]) + nln(count[1]) + nln(count[2]);
      relevance(r) = information(together, own(r), y_entropy);
    }
  });

  Selection out;
  out.statistic = relevance;
  out.selected.assign(static_cast<std::size_t>(p), 0);
  std::vector<char> picked(static_cast<std::size_t>(p), 0);
  Eigen::VectorXd redundancy = Eigen::VectorXd::Zero(p);
  const JointCounts joint_counts = best_joint();
  Control quiet = control;
  quiet.progress = [](double) {};
  std::vector<int> scattered(static_cast<std::size_t>(l));
  Index last = -1;
  while (static_cast<Index>(out.order.size()) < options.n_features) {
    control.check_interrupt();
    const double chosen = static_cast<double>(out.order.size());
    if (last >= 0) {
      const std::array<Index, 3>& b = levels.count[static_cast<std::size_t>(last)];
      if (levels.sparse) {
        std::fill(scattered.begin(), scattered.end(),
                  levels.common[static_cast<std::size_t>(last)]);
        for (const auto& entry : levels.other[static_cast<std::size_t>(last)]) {
          scattered[static_cast<std::size_t>(entry.first)] = entry.second;
        }
      }
      parallel_ranges(p, 512, quiet, [&](Index begin, Index end) {
        for (Index r = begin; r < end; ++r) {
          if (picked[static_cast<std::size_t>(r)]) continue;
          Index table[3][3] = {};
          const std::array<Index, 3>& a = levels.count[static_cast<std::size_t>(r)];
          if (levels.sparse) {
            Index left[3] = {b[0], b[1], b[2]};
            for (const auto& entry : levels.other[static_cast<std::size_t>(r)]) {
              const int level = scattered[static_cast<std::size_t>(entry.first)];
              ++table[entry.second][level];
              --left[level];
            }
            for (int c = 0; c < 3; ++c)
              table[levels.common[static_cast<std::size_t>(r)]][c] += left[c];
          } else {
            Index corner[4];
            joint_counts(levels.words, levels.bits.data() + 2 * levels.words * r,
                         levels.bits.data() + 2 * levels.words * last, corner);
            table[0][0] = corner[0];
            table[0][2] = corner[1];
            table[2][0] = corner[2];
            table[2][2] = corner[3];
            table[0][1] = a[0] - corner[0] - corner[1];
            table[2][1] = a[2] - corner[2] - corner[3];
            for (int c = 0; c < 3; ++c) table[1][c] = b[c] - table[0][c] - table[2][c];
          }
          double together = 0;
          for (const auto& row : table) together += nln(row[0]) + nln(row[1]) + nln(row[2]);
          redundancy(r) += information(together, own(r), own(last));
        }
      });
    }
    const auto criterion = [&](Index r) {
      if (last < 0) return relevance(r);
      const double mean = redundancy(r) / chosen;
      return options.criterion == MrmrCriterion::difference ? relevance(r) - mean
                                                            : relevance(r) / (mean + 0.01);
    };
    double most = -std::numeric_limits<double>::infinity();
    const auto open = [&](Index r) {
      return !picked[static_cast<std::size_t>(r)] && !problem.constant[static_cast<std::size_t>(r)];
    };
    for (Index r = 0; r < p; ++r) {
      if (open(r)) most = std::max(most, criterion(r));
    }
    Index best = 0;
    while (best < p && !(open(best) && criterion(best) >= most - tie)) ++best;
    if (best == p) break;  // nothing but constant columns is left
    out.statistic(best) = criterion(best);
    out.order.push_back(best);
    out.selected[static_cast<std::size_t>(best)] = 1;
    picked[static_cast<std::size_t>(best)] = 1;
    last = best;
    control.progress(static_cast<double>(out.order.size()) /
                     static_cast<double>(options.n_features));
  }

  std::vector<Index> rest;
  for (Index r = 0; r < p; ++r) {
    if (!picked[static_cast<std::size_t>(r)]) rest.push_back(r);
  }
  std::stable_sort(rest.begin(), rest.end(),
                   [&](Index a, Index b) { return relevance(a) > relevance(b); });
  out.order.insert(out.order.end(), rest.begin(), rest.end());
  return out;
}

}  // namespace semiselect
