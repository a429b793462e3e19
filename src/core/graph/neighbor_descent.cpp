#include "core/graph/neighbor_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/run/rng.hpp"

#if defined(__x86_64__) && !defined(_WIN32) && (defined(__GNUC__) || defined(__clang__))
#define SEMISELECT_X86_DISPATCH 1
#include <immintrin.h>
#endif

namespace semiselect {

namespace {

constexpr float far_away = std::numeric_limits<float>::infinity();
constexpr Index stretch = 64;  // floats between two looks at the bound

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// |a - b|^2 over `length` floats, a multiple of `stretch`; given up, with a value above it, once
// it exceeds the bound.
using Gap = float (*)(const float* a, const float* b, Index length, float bound);

float gap_plain(const float* a, const float* b, Index length, float bound) {
  float total = 0;
  for (Index c = 0; c < length && total <= bound; c += stretch) {
    using Lane = Eigen::Array<float, 16, 1>;
    Lane sum = Lane::Zero();
    for (Index s = c; s < c + stretch; s += 16) {
      sum += (Eigen::Map<const Lane>(a + s) - Eigen::Map<const Lane>(b + s)).square();
    }
    total += sum.sum();
  }
  return total;
}

#if defined(SEMISELECT_X86_DISPATCH)
__attribute__((target("avx2,fma"))) float gap_avx2(const float* a, const float* b, Index length,
                                                   float bound) {
  float total = 0;
  for (Index c = 0; c < length && total <= bound; c += stretch) {
    __m256 s0 = _mm256_setzero_ps(), s1 = s0;
    for (Index e = c; e < c + stretch; e += 16) {
      const __m256 d0 = _mm256_sub_ps(_mm256_loadu_ps(a + e), _mm256_loadu_ps(b + e));
      const __m256 d1 = _mm256_sub_ps(_mm256_loadu_ps(a + e + 8), _mm256_loadu_ps(b + e + 8));
      s0 = _mm256_fmadd_ps(d0, d0, s0);
      s1 = _mm256_fmadd_ps(d1, d1, s1);
    }
    const __m256 s = _mm256_add_ps(s0, s1);
    __m128 h = _mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
    h = _mm_add_ps(h, _mm_movehl_ps(h, h));
    h = _mm_add_ss(h, _mm_shuffle_ps(h, h, 1));
    total += _mm_cvtss_f32(h);
  }
  return total;
}
#endif

Gap choose_gap() {
#if defined(SEMISELECT_X86_DISPATCH)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return gap_avx2;
#endif
  return gap_plain;
}

// The rows of z for quick distances in single precision.
class Rows {
 public:
  Rows(const FeatureMatrix& z, Metric metric, const Control& control)
      : z_(z), cosine_(metric == Metric::cosine), sparse_(z.is_sparse()), gap_(choose_gap()) {
    if (sparse_) {
      read_sparse();
    } else {
      read_dense(control);
    }
  }

  // Squared distance; anything above `bound` may come back as any value above it.
  float distance(int i, int j, float bound) const {
    if (!sparse_) return gap_(row(i), row(j), length_, bound);
    double product = 0;
    Index e = start_[at(i)], g = start_[at(j)];
    const Index e_end = start_[at(i + 1)], g_end = start_[at(j + 1)];
    while (e < e_end && g < g_end) {
      const int c = column_[at(e)], d = column_[at(g)];
      if (c == d) product += value_[at(e)] * value_[at(g)];
      e += c <= d;
      g += d <= c;
    }
    if (cosine_) {
      product += mm_ - cross_[at(i)] - cross_[at(j)];
      return static_cast<float>(2 - 2 * product * size_[at(i)] * size_[at(j)]);
    }
    return static_cast<float>(std::max(0.0, size_[at(i)] + size_[at(j)] - 2 * product));
  }

  // Asks for the row to be brought near, before it is needed.
  void fetch(int i) const {
#if defined(__GNUC__) || defined(__clang__)
    if (sparse_) return;
    const char* bytes = reinterpret_cast<const char*>(row(i));
    const Index size = std::min<Index>(length_ * 4, 512);
    for (Index b = 0; b < size; b += 64) __builtin_prefetch(bytes + b);
#else
    static_cast<void>(i);
#endif
  }

  // Puts the rows into another order, so that rows which meet often lie close: position s then
  // holds what row order[s] was.
  void reorder(const std::vector<int>& order) {
    if (sparse_) {
      std::vector<Index> start{0};
      std::vector<int> column;
      std::vector<double> value, size, cross;
      column.reserve(column_.size());
      value.reserve(value_.size());
      for (const int i : order) {
        for (Index e = start_[at(i)]; e < start_[at(i + 1)]; ++e) {
          column.push_back(column_[at(e)]);
          value.push_back(value_[at(e)]);
        }
        start.push_back(static_cast<Index>(column.size()));
        size.push_back(size_[at(i)]);
        if (cosine_) cross.push_back(cross_[at(i)]);
      }
      start_ = std::move(start);
      column_ = std::move(column);
      value_ = std::move(value);
      size_ = std::move(size);
      cross_ = std::move(cross);
      return;
    }
    // Along the cycles of the permutation: the rows are too many for a second copy.
    std::vector<char> done(order.size(), 0);
    std::vector<float> first(at(length_));
    for (std::size_t s = 0; s < order.size(); ++s) {
      if (done[s]) continue;
      std::copy_n(row(static_cast<Index>(s)), length_, first.data());
      std::size_t to = s;
      for (;;) {
        done[to] = 1;
        const std::size_t from = at(order[to]);
        if (from == s) break;
        std::copy_n(row(static_cast<Index>(from)), length_, row(static_cast<Index>(to)));
        to = from;
      }
      std::copy_n(first.data(), length_, row(static_cast<Index>(to)));
    }
  }

 private:
  const float* row(Index i) const { return dense_.data() + at(i * length_); }
  float* row(Index i) { return dense_.data() + at(i * length_); }

  // Centered, unless angles are asked for: then rows of unit length.
  void read_dense(const Control& control) {
    const Index n = z_.n(), p = z_.p();
    length_ = (p + stretch - 1) / stretch * stretch;
    dense_.assign(at(n * length_), 0.0f);
    std::vector<double> center(at(p), 0.0);
    if (!cosine_) {
      parallel_for((p + 15) / 16, control, [&](Index t) {
        Eigen::VectorXd f(n);
        for (Index c = 16 * t; c < std::min(p, 16 * (t + 1)); ++c) {
          z_.column(c, f.data());
          center[at(c)] = f.mean();
        }
      });
    }
    constexpr Index block = 2048;
    parallel_for((n + block - 1) / block, control, [&](Index t) {
      const Index first = t * block, last = std::min(n, first + block);
      std::vector<double> square(at(last - first), 0.0);
      for (Index c = 0; c < p; ++c) {
        const double* f = z_.stored_column(c).value;
        const double shift = z_.shift(c), divisor = z_.divisor(c);
        for (Index i = first; i < last; ++i) {
          const double v = (f[i] / z_.row_divisor(i) - shift) / divisor - center[at(c)];
          square[at(i - first)] += v * v;
          row(i)[c] = static_cast<float>(v);
        }
      }
      if (!cosine_) return;
      for (Index i = first; i < last; ++i) {
        const double norm = std::sqrt(square[at(i - first)]);
        if (!(norm > 0)) continue;
        for (Index c = 0; c < p; ++c) row(i)[c] = static_cast<float>(row(i)[c] / norm);
      }
    });
  }

  // a = v / s by rows; for angles also a_i'm and m'm, m the shift over s, and 1 / |z_i|.
  void read_sparse() {
    const Index n = z_.n();
    start_.assign(at(n + 1), 0);
    for (Index c = 0; c < z_.p(); ++c) {
      z_.for_each_stored(c, [&](Index i, double) { ++start_[at(i + 1)]; });
    }
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    column_.resize(at(z_.stored()));
    value_.resize(at(z_.stored()));
    size_.assign(at(n), 0.0);
    cross_.assign(at(cosine_ ? n : 0), 0.0);
    std::vector<Index> next(start_.begin(), start_.end() - 1);
    for (Index c = 0; c < z_.p(); ++c) {
      const double divisor = z_.divisor(c), m = z_.shift(c) / divisor;
      if (cosine_) mm_ += m * m;
      z_.for_each_stored(c, [&](Index i, double v) {
        const std::size_t e = at(next[at(i)]++);
        column_[e] = static_cast<int>(c);
        value_[e] = v / divisor;
        size_[at(i)] += value_[e] * value_[e];
        if (cosine_) cross_[at(i)] += value_[e] * m;
      });
    }
    if (!cosine_) return;
    for (Index i = 0; i < n; ++i) {
      const double square = size_[at(i)] - 2 * cross_[at(i)] + mm_;
      size_[at(i)] = square > 0 ? 1 / std::sqrt(square) : 0;
    }
  }

  const FeatureMatrix& z_;
  bool cosine_, sparse_;
  Gap gap_;
  Index length_ = 0;
  std::vector<float> dense_;
  std::vector<Index> start_;
  std::vector<int> column_;
  std::vector<double> value_, size_, cross_;
  double mm_ = 0;
};

// The lists of all rows: the `kept` nearest seen, nearest first, ties to the lower position.
class Lists {
 public:
  Lists(Index n, Index kept)
      : kept_(kept),
        distance_(at(n * kept), far_away),
        index_(at(n * kept), -1),
        fresh_(at(n * kept), 0) {}

  Index kept() const { return kept_; }
  const int* index(Index i) const { return index_.data() + i * kept_; }
  const float* distance(Index i) const { return distance_.data() + i * kept_; }
  const char* fresh(Index i) const { return fresh_.data() + i * kept_; }
  float bound(Index i) const { return distance_[at(i * kept_ + kept_ - 1)]; }
  const std::vector<int>& indices() const { return index_; }
  const std::vector<char>& freshness() const { return fresh_; }

  bool offer(Index i, float d, int j) {
    float* distance = distance_.data() + i * kept_;
    int* index = index_.data() + i * kept_;
    char* fresh = fresh_.data() + i * kept_;
    Index to = kept_ - 1;
    if (d > distance[to] || (d == distance[to] && index[to] >= 0 && j >= index[to])) return false;
    Index place = to;
    while (place > 0 && (distance[place - 1] > d ||
                         (distance[place - 1] == d && index[place - 1] > j))) {
      --place;
    }
    // The same pair always has the same distance, so a copy could only stand here.
    if (place > 0 && index[place - 1] == j) return false;
    if (index[place] == j) return false;
    for (; to > place; --to) {
      distance[to] = distance[to - 1];
      index[to] = index[to - 1];
      fresh[to] = fresh[to - 1];
    }
    distance[place] = d;
    index[place] = j;
    fresh[place] = 1;
    return true;
  }

  void settle(Index i) { std::fill_n(fresh_.data() + i * kept_, kept_, char(0)); }

 private:
  Index kept_;
  std::vector<float> distance_;
  std::vector<int> index_;
  std::vector<char> fresh_;
};

// A random-projection tree over all rows: halved by which of two random rows is nearer, until a
// part is no larger than a leaf. `order` receives the rows leaf by leaf, the result where leaves
// start.
std::vector<Index> grow_tree(const Rows& rows, Index n, Index leaf, std::uint64_t seed,
                             std::uint64_t tree, const Control& control, std::vector<int>& order) {
  order.resize(at(n));
  std::iota(order.begin(), order.end(), 0);
  struct Part {
    Index first, last;
  };
  std::vector<Part> parts{{0, n}};
  std::vector<Index> starts;
  std::vector<std::pair<float, int>> keyed(at(n));
  // Level by level: large parts share the threads row by row, many small ones part by part.
  for (std::uint64_t level = 0; !parts.empty(); ++level) {
    const auto split = [&](Index t, const Control& run) {
      const Part& part = parts[at(t)];
      Rng rng(seed + 0x9E3779B97F4A7C15ULL * (tree + 1), (level << 32) + static_cast<std::uint64_t>(t));
      const Index count = part.last - part.first;
      const int a = order[at(part.first + static_cast<Index>(rng.below(static_cast<std::uint64_t>(count))))];
      int b = a;
      for (int attempt = 0; attempt < 8 && b == a; ++attempt) {
        b = order[at(part.first + static_cast<Index>(rng.below(static_cast<std::uint64_t>(count))))];
      }
      const Index chunk = 4096;
      parallel_for((count + chunk - 1) / chunk, run, [&](Index u) {
        const Index end = std::min(part.last, part.first + (u + 1) * chunk);
        for (Index s = part.first + u * chunk; s < end; ++s) {
          const int i = order[at(s)];
          keyed[at(s)] = {rows.distance(i, a, far_away) - rows.distance(i, b, far_away), i};
        }
      });
      const auto begin = keyed.begin() + part.first;
      std::nth_element(begin, begin + count / 2, keyed.begin() + part.last);
      for (Index s = part.first; s < part.last; ++s) order[at(s)] = keyed[at(s)].second;
    };
    std::vector<Part> large;
    for (const Part& part : parts) {
      if (part.last - part.first > leaf) {
        large.push_back(part);
      } else {
        starts.push_back(part.first);
      }
    }
    parts = std::move(large);
    const Index count = static_cast<Index>(parts.size());
    if (count < 16) {
      for (Index t = 0; t < count; ++t) split(t, control);
    } else {
      const Control inner = inner_control(control);
      parallel_for(count, control, [&](Index t) { split(t, inner); });
    }
    std::vector<Part> halves;
    for (const Part& part : parts) {
      const Index middle = part.first + (part.last - part.first) / 2;
      halves.push_back({part.first, middle});
      halves.push_back({middle, part.last});
    }
    parts = std::move(halves);
  }
  std::sort(starts.begin(), starts.end());
  starts.push_back(n);
  return starts;
}

// All pairs within each leaf.
void compare_leaves(const Rows& rows, const std::vector<int>& order,
                    const std::vector<Index>& starts, const Control& control, Lists& lists) {
  const Index leaves = static_cast<Index>(starts.size()) - 1;
  constexpr Index group = 32;
  parallel_for((leaves + group - 1) / group, control, [&](Index t) {
    for (Index f = t * group; f < std::min(leaves, (t + 1) * group); ++f) {
      for (Index s = starts[at(f)]; s < starts[at(f + 1)]; ++s) {
        for (Index u = starts[at(f)]; u < s; ++u) {
          const int i = order[at(s)], j = order[at(u)];
          const float bound = std::max(lists.bound(i), lists.bound(j));
          const float d = rows.distance(std::min(i, j), std::max(i, j), bound);
          if (d > bound) continue;
          lists.offer(i, d, j);
          lists.offer(j, d, i);
        }
      }
    }
  });
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = a * 0x9E3779B97F4A7C15ULL + b;
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ULL;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBULL;
  return h ^ (h >> 31);
}

// Some rows that have row j in their list, for every j, drawn at random where there are more. Half
// as many as a list holds: more cost time and find nothing.
struct Reverse {
  Index most;  // room for so many per row
  std::vector<int> index;
  std::vector<char> fresh;
  std::vector<int> count;
};

Reverse reversed(const Lists& lists, Index n, std::uint64_t seed, const Control& control) {
  const Index kept = lists.kept();
  const Index most = (kept + 1) / 2;
  Reverse out;
  out.most = most;
  out.index.resize(at(n * most));
  out.fresh.resize(at(n * most));
  out.count.assign(at(n), 0);
  std::vector<std::uint32_t> priority(at(n * most));
  // Every unit reads all lists and keeps what points into its own range of rows.
  const Index units = std::max(control.threads, 1);
  parallel_for(units, control, [&](Index t) {
    const Index first = t * n / units, last = (t + 1) * n / units;
    for (Index i = 0; i < n; ++i) {
      for (Index s = 0; s < kept; ++s) {
        const int j = lists.index(i)[s];
        if (j < first || j >= last) continue;
        const Index start = Index(j) * most;
        const std::uint32_t rank = static_cast<std::uint32_t>(
            mix(seed + static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)));
        Index to = out.count[at(j)];
        if (to < most) {
          ++out.count[at(j)];
        } else {
          // Equal ranks: the row that came first stays, in the fixed order of the rows.
          const auto worst =
              std::max_element(priority.begin() + start, priority.begin() + start + most);
          if (rank >= *worst) continue;
          to = worst - (priority.begin() + start);
        }
        out.index[at(start + to)] = static_cast<int>(i);
        out.fresh[at(start + to)] = lists.fresh(i)[s];
        priority[at(start + to)] = rank;
      }
    }
  });
  return out;
}

// Numbers seen by one row, forgotten at once.
class Seen {
 public:
  explicit Seen(Index most) {
    std::size_t size = 64;
    while (size < 2 * at(most)) size *= 2;
    slot_.assign(size, -1);
    used_.reserve(at(most));
  }
  bool insert(int j) {
    std::size_t s = (static_cast<std::size_t>(j) * 0x9E3779B1u) & (slot_.size() - 1);
    while (slot_[s] >= 0) {
      if (slot_[s] == j) return false;
      s = (s + 1) & (slot_.size() - 1);
    }
    slot_[s] = j;
    used_.push_back(s);
    return true;
  }
  void clear() {
    for (const std::size_t s : used_) slot_[s] = -1;
    used_.clear();
  }

 private:
  std::vector<int> slot_;
  std::vector<std::size_t> used_;
};

// One round: every row looks at the neighbors of its neighbors, in either direction, along paths
// that are not older than one round. Returns how many list entries changed.
Index descend(const Rows& rows, Index n, std::uint64_t seed, const Control& control, Lists& lists) {
  const Index kept = lists.kept();
  const Reverse back = reversed(lists, n, seed, control);
  const std::vector<int> index = lists.indices();       // as they were, for all to read
  const std::vector<char> fresh = lists.freshness();
  constexpr Index block = 512;
  const Index units = (n + block - 1) / block;
  std::vector<Index> changed(at(units), 0);
  parallel_for(units, control, [&](Index t) {
    Seen seen(4 * kept * kept + 4 * kept + 1);
    std::vector<int> tried;
    for (Index i = t * block; i < std::min(n, (t + 1) * block); ++i) {
      seen.clear();
      seen.insert(static_cast<int>(i));
      for (Index s = 0; s < kept; ++s) {
        const int j = index[at(i * kept + s)];
        if (j >= 0) seen.insert(j);
      }
      lists.settle(i);
      tried.clear();
      const auto follow = [&](int j, bool new_path) {
        for (Index s = 0; s < kept; ++s) {
          const int c = index[at(j * kept + s)];
          if (c >= 0 && (new_path || fresh[at(j * kept + s)]) && seen.insert(c)) tried.push_back(c);
        }
        for (Index s = 0; s < back.count[at(j)]; ++s) {
          const int c = back.index[at(j * back.most + s)];
          if ((new_path || back.fresh[at(j * back.most + s)]) && seen.insert(c)) tried.push_back(c);
        }
      };
      for (Index s = 0; s < back.count[at(i)]; ++s) {
        const int j = back.index[at(i * back.most + s)];
        if (seen.insert(j)) tried.push_back(j);
      }
      for (Index s = 0; s < kept; ++s) {
        const int j = index[at(i * kept + s)];
        if (j >= 0) follow(j, fresh[at(i * kept + s)] != 0);
      }
      for (Index s = 0; s < back.count[at(i)]; ++s) {
        follow(back.index[at(i * back.most + s)], back.fresh[at(i * back.most + s)] != 0);
      }

      constexpr std::size_t ahead = 4;
      for (std::size_t s = 0; s < std::min(ahead, tried.size()); ++s) rows.fetch(tried[s]);
      for (std::size_t s = 0; s < tried.size(); ++s) {
        if (s + ahead < tried.size()) rows.fetch(tried[s + ahead]);
        const int c = tried[s];
        const float bound = lists.bound(i);
        const int low = static_cast<int>(std::min<Index>(i, c));
        const int high = static_cast<int>(std::max<Index>(i, c));
        const float d = rows.distance(low, high, bound);
        if (d <= bound && lists.offer(i, d, c)) ++changed[at(t)];
      }
    }
  });
  return std::accumulate(changed.begin(), changed.end(), Index(0));
}

// Rows drawn without replacement, ascending.
std::vector<int> draw_rows(Index n, Index count, std::uint64_t seed) {
  if (count >= n) {
    std::vector<int> all(at(n));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  Rng rng(seed, 0x5A3B1E);
  std::vector<int> out;
  while (static_cast<Index>(out.size()) < count) {
    const int i = static_cast<int>(rng.below(static_cast<std::uint64_t>(n)));
    const auto place = std::lower_bound(out.begin(), out.end(), i);
    if (place == out.end() || *place != i) out.insert(place, i);
  }
  return out;
}

// A row found at the distance of the true k-th counts, whichever of tied rows it is.
double measured_recall(const FeatureMatrix& z, const Neighbors& found, Metric metric,
                       const std::vector<int>& sample, const Control& control) {
  const Neighbors truth = neighbors_of_rows(z, sample, found.k, metric, control);
  Index hits = 0;
  for (std::size_t s = 0; s < sample.size(); ++s) {
    const double kth = truth.squared_distance[(s + 1) * at(found.k) - 1];
    for (int t = 0; t < found.k; ++t) {
      const double d = found.squared_distance[at(Index(sample[s]) * found.k + t)];
      hits += d <= kth + 1e-9 * std::abs(kth) + 1e-12;
    }
  }
  return static_cast<double>(hits) / static_cast<double>(at(found.k) * sample.size());
}

}  // namespace

Neighbors descent_neighbors(const FeatureMatrix& z, int k, Metric metric,
                            const DescentOptions& options, const Control& control) {
  const Index n = z.n();
  Neighbors out;
  out.k = static_cast<int>(std::max<Index>(std::min<Index>(k, n - 1), 0));
  if (out.k == 0) return out;
  const Index kept = std::min<Index>(n - 1, std::max(options.kept, out.k + out.k / 2));
  // A leaf must be able to fill a list.
  const Index leaf = std::max<Index>(options.leaf, 2 * kept + 2);

  std::vector<int> nearest;  // n x k, in positions
  {
    Rows rows(z, metric, control);
    std::vector<int> order;
    std::vector<Index> starts = grow_tree(rows, n, leaf, control.seed, 0, control, out.order);
    rows.reorder(out.order);
    Lists lists(n, kept);
    order.resize(at(n));
    std::iota(order.begin(), order.end(), 0);
    compare_leaves(rows, order, starts, control, lists);
    for (int tree = 1; tree < options.trees; ++tree) {
      starts = grow_tree(rows, n, leaf, control.seed, static_cast<std::uint64_t>(tree), control, order);
      compare_leaves(rows, order, starts, control, lists);
    }
    const double enough = options.settled * static_cast<double>(n * kept);
    for (int round = 0; round < options.max_iter; ++round) {
      control.check_interrupt();
      const Index changed =
          descend(rows, n, mix(control.seed, static_cast<std::uint64_t>(round)), control, lists);
      if (static_cast<double>(changed) <= enough) break;
    }
    nearest.resize(at(n * out.k));
    for (Index s = 0; s < n; ++s) std::copy_n(lists.index(s), out.k, nearest.data() + s * out.k);
  }

  // Back to row numbers, and to direct sums. Pairs in the order of the tree, each once.
  std::vector<Pair> pairs;
  std::vector<std::size_t> place(at(n * out.k));
  const auto asks = [&](Index s, int other) {
    const int* list = nearest.data() + s * out.k;
    return std::find(list, list + out.k, other) - list;
  };
  for (Index s = 0; s < n; ++s) {
    for (int t = 0; t < out.k; ++t) {
      const int u = nearest[at(s * out.k + t)];
      std::size_t where = pairs.size();
      if (u < s) {
        const Index found = asks(u, static_cast<int>(s));
        if (found < out.k) where = place[at(Index(u) * out.k + found)];
      }
      place[at(s * out.k + t)] = where;
      if (where < pairs.size()) continue;
      const int i = out.order[at(s)], j = out.order[at(u)];
      pairs.emplace_back(std::min(i, j), std::max(i, j));
    }
  }
  const std::vector<double> d = squared_distances(z, pairs, metric, control, &out.order);
  out.index.resize(at(n * out.k));
  out.squared_distance.resize(at(n * out.k));
  std::vector<std::pair<double, int>> near(at(out.k));
  for (Index s = 0; s < n; ++s) {
    const Index i = out.order[at(s)];
    for (int t = 0; t < out.k; ++t) {
      const std::size_t e = at(s * out.k + t);
      near[at(t)] = {d[place[e]], out.order[at(nearest[e])]};
    }
    std::sort(near.begin(), near.end());
    for (int t = 0; t < out.k; ++t) {
      out.squared_distance[at(i * out.k + t)] = near[at(t)].first;
      out.index[at(i * out.k + t)] = near[at(t)].second;
    }
  }
  out.recall = measured_recall(z, out, metric, draw_rows(n, options.sample, control.seed), control);
  return out;
}

}  // namespace semiselect
