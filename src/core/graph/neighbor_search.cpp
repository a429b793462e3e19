#include "core/graph/neighbor_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>

#include "core/optim/gram.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace semiselect {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double round_to_12(double value) { return std::round(value * 1e12) / 1e12; }

// ---- Rows of sparse data ----

// v_ic = x_ic / row_divisor_i by rows, columns ascending.
struct SparseRows {
  std::vector<Index> start;
  std::vector<int> column;
  std::vector<double> value;
};

SparseRows sparse_rows(const FeatureMatrix& z) {
  SparseRows out;
  out.start.assign(at(z.n() + 1), 0);
  for (Index c = 0; c < z.p(); ++c) {
    z.for_each_stored(c, [&](Index i, double) { ++out.start[at(i + 1)]; });
  }
  std::partial_sum(out.start.begin(), out.start.end(), out.start.begin());
  out.column.resize(at(z.stored()));
  out.value.resize(at(z.stored()));
  std::vector<Index> next(out.start.begin(), out.start.end() - 1);
  for (Index c = 0; c < z.p(); ++c) {
    z.for_each_stored(c, [&](Index i, double v) {
      const std::size_t e = at(next[at(i)]++);
      out.column[e] = static_cast<int>(c);
      out.value[e] = v;
    });
  }
  return out;
}

// What cosines of sparse rows need: z_i'z_j = a_i'a_j - a_i'm - a_j'm + m'm, a = v / s, m the
// shift over s.
struct SparseMoments {
  Eigen::VectorXd square;    // |z_i|^2
  Eigen::VectorXd cross;     // a_i'm
  Eigen::VectorXd canceled;  // sqrt(|a_i|^2 + m'm) / |z_i|: how much rounding counts in z_i; 0 if z_i = 0
  double mm = 0;
};

SparseMoments sparse_moments(const FeatureMatrix& z, const SparseRows& rows) {
  SparseMoments out;
  out.square.resize(z.n());
  out.cross.resize(z.n());
  out.canceled.resize(z.n());
  long double mm = 0;
  for (Index c = 0; c < z.p(); ++c) {
    const double m = z.shift(c) / z.divisor(c);
    mm += m * m;
  }
  out.mm = static_cast<double>(mm);
  for (Index i = 0; i < z.n(); ++i) {
    long double square = 0, cross = 0;
    for (Index e = rows.start[at(i)]; e < rows.start[at(i + 1)]; ++e) {
      const Index c = rows.column[at(e)];
      const double a = rows.value[at(e)] / z.divisor(c);
      square += a * a;
      cross += a * (z.shift(c) / z.divisor(c));
    }
    const double whole = static_cast<double>(square - 2 * cross + mm);
    const double parts = static_cast<double>(square + mm);
    // A row close to the mean cancels to nothing but rounding: summed anew, entry by entry.
    out.square(i) = whole < 1e-3 * parts ? z.row(i).squaredNorm() : whole;
    out.cross(i) = static_cast<double>(cross);
    out.canceled(i) = out.square(i) > 0 ? std::sqrt(parts / out.square(i)) : 0;
  }
  return out;
}

// Calls f(column, a, b) for every column stored in row i or in row j, ascending.
template <class F>
void for_each_in_either(const SparseRows& rows, Index i, Index j, const F& f) {
  Index e = rows.start[at(i)], g = rows.start[at(j)];
  const Index e_end = rows.start[at(i + 1)], g_end = rows.start[at(j + 1)];
  while (e < e_end || g < g_end) {
    const int c = e < e_end ? rows.column[at(e)] : std::numeric_limits<int>::max();
    const int d = g < g_end ? rows.column[at(g)] : std::numeric_limits<int>::max();
    const double a = c <= d ? rows.value[at(e++)] : 0;
    const double b = d <= c ? rows.value[at(g++)] : 0;
    f(std::min(c, d), a, b);
  }
}

double sparse_distance(const FeatureMatrix& z, const SparseRows& rows, Index i, Index j) {
  double sum = 0;
  for_each_in_either(rows, i, j, [&](int c, double a, double b) {
    const double gap = (a - b) / z.divisor(c);
    sum += gap * gap;
  });
  return sum;
}

double sparse_cosine(const FeatureMatrix& z, const SparseRows& rows, const SparseMoments& moments,
                     Index i, Index j) {
  const double norms = std::sqrt(moments.square(i)) * std::sqrt(moments.square(j));
  if (!(norms > 0)) return 0;
  double product = 0;
  for_each_in_either(rows, i, j, [&](int c, double a, double b) {
    const double s = z.divisor(c);
    product += (a / s) * (b / s);
  });
  product += moments.mm - moments.cross(i) - moments.cross(j);
  return round_to_12(product / norms);
}

// ---- Direct sums over listed pairs, dense ----

enum class Term { squared_gap, product };

// Four pairs side by side, because the additions of one wait for each other.
template <Term term, bool divided>
void add_terms(const double* const* a, const double* const* b, const double* divisor, Index count,
               double* sum) {
  double s[4] = {sum[0], sum[1], sum[2], sum[3]};
  for (Index c = 0; c < count; ++c) {
    for (int t = 0; t < 4; ++t) {
      if (term == Term::product) {
        s[t] += a[t][c] * b[t][c];
      } else {
        double gap = a[t][c] - b[t][c];
        if (divided) gap /= divisor[c];
        s[t] += gap * gap;
      }
    }
  }
  std::copy_n(s, 4, sum);
}

// Adds to sum[e] the terms of pair e, column by column. Rows of a block of columns are laid side
// by side first: never the whole of z.
void add_direct_sums(const FeatureMatrix& z, const std::vector<Pair>& pairs, Term term,
                     const std::vector<int>* order, const Control& control, double* sum) {
  const Index n = z.n(), p = z.p(), count = static_cast<Index>(pairs.size());
  const bool divided = term == Term::squared_gap && z.has_shift();
  constexpr Index lane = 8;

  // Blocks of about 4 MB, so that rows come from the cache.
  const Index width = std::min(
      (p + lane - 1) / lane * lane,
      std::max<Index>(lane, (Index(1) << 19) / std::max<Index>(n, 1) / lane * lane));
  Eigen::VectorXd rows(n * width);
  Eigen::VectorXd divisor(width);
  std::vector<int> place(at(order ? n : 0));
  for (Index i = 0; i < static_cast<Index>(place.size()); ++i) {
    place[at((*order)[at(i)])] = static_cast<int>(i);
  }
  const auto row_at = [&](Index i) {
    return rows.data() + (order ? place[at(i)] : i) * width;
  };
  const Index tasks = std::min<Index>((count + 63) / 64, 32);
  for (Index first = 0; first < p; first += width) {
    const Index columns = std::min(width, p - first);
    for (Index c = 0; c < columns; ++c) divisor(c) = z.divisor(first + c);

    parallel_for((columns + lane - 1) / lane, control, [&](Index t) {
      const Index begin = t * lane, end = std::min(columns, begin + lane);
      if (term == Term::product) {
        Eigen::VectorXd f(n);
        for (Index c = begin; c < end; ++c) {
          z.column(first + c, f.data());
          for (Index i = 0; i < n; ++i) row_at(i)[c] = f(i);
        }
        return;
      }
      const double* column[lane];
      for (Index c = begin; c < end; ++c) column[c - begin] = z.stored_column(first + c).value;
      for (Index i = 0; i < n; ++i) {
        double* to = row_at(i) + begin;
        for (Index c = 0; c < end - begin; ++c) to[c] = column[c][i];
        if (z.scale() == Scale::unit) {
          for (Index c = 0; c < end - begin; ++c) to[c] /= z.row_divisor(i);
        }
      }
    });
    parallel_for(tasks, control, [&](Index t) {
      const Index end = (t + 1) * count / tasks;
      for (Index e = t * count / tasks; e < end; e += 4) {
        const double* a[4];
        const double* b[4];
        double part[4] = {};
        for (Index s = 0; s < 4; ++s) {
          const Pair& pair = pairs[at(std::min(e + s, end - 1))];
          a[s] = row_at(pair.first);
          b[s] = row_at(pair.second);
          if (e + s < end) part[s] = sum[e + s];
        }
        if (term == Term::product) {
          add_terms<Term::product, false>(a, b, divisor.data(), columns, part);
        } else if (divided) {
          add_terms<Term::squared_gap, true>(a, b, divisor.data(), columns, part);
        } else {
          add_terms<Term::squared_gap, false>(a, b, divisor.data(), columns, part);
        }
        for (Index s = 0; s < 4 && e + s < end; ++s) sum[e + s] = part[s];
      }
    });
  }
}

// The same for few pairs, straight from the columns.
void add_direct_sums_of_few(const FeatureMatrix& z, const std::vector<Pair>& pairs, Term term,
                            const Control& control, double* sum) {
  const Index count = static_cast<Index>(pairs.size());
  const Index tasks = std::min<Index>((count + 15) / 16, 32);
  parallel_for(tasks, control, [&](Index t) {
    for (Index c = 0; c < z.p(); ++c) {
      const double* f = z.stored_column(c).value;
      const double shift = z.shift(c), divisor = z.divisor(c);
      for (Index e = t * count / tasks; e < (t + 1) * count / tasks; ++e) {
        const int i = pairs[at(e)].first, j = pairs[at(e)].second;
        const double a = f[i] / z.row_divisor(i), b = f[j] / z.row_divisor(j);
        if (term == Term::product) {
          sum[e] += ((a - shift) / divisor) * ((b - shift) / divisor);
        } else {
          const double gap = (a - b) / divisor;
          sum[e] += gap * gap;
        }
      }
    }
  });
}

std::vector<double> direct_sums(const FeatureMatrix& z, const std::vector<Pair>& pairs, Term term,
                                const std::vector<int>* order, const Control& control) {
  std::vector<double> sum(pairs.size(), 0.0);
  if (pairs.empty()) return sum;
  if (4 * static_cast<Index>(pairs.size()) < z.n()) {
    add_direct_sums_of_few(z, pairs, term, control, sum.data());
  } else {
    add_direct_sums(z, pairs, term, order, control, sum.data());
  }
  return sum;
}

// |z_i|^2, or of z with other centers, in blocks of rows.
Eigen::VectorXd squared_norms(const FeatureMatrix& z, const Eigen::VectorXd& center,
                              const Eigen::VectorXd& factor, const Control& control) {
  constexpr Index size = 512;
  Eigen::VectorXd out = Eigen::VectorXd::Zero(z.n());
  parallel_for((z.n() + size - 1) / size, control, [&](Index t) {
    const Index first = t * size, count = std::min(size, z.n() - first);
    Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(count), f(count);
    for (Index c = 0; c < z.p(); ++c) {
      const StoredColumn column = z.stored_column(c);
      if (column.row) {
        f.setZero();
        const int* end = column.row + column.count;
        const int* row = std::lower_bound(column.row, end, static_cast<int>(first));
        for (; row != end && *row < first + count; ++row) {
          f(*row - first) = column.value[row - column.row] / z.row_divisor(*row);
        }
        sum += ((f - center(c)) * factor(c)).square();
      } else if (z.scale() == Scale::unit) {
        for (Index i = 0; i < count; ++i) f(i) = column.value[first + i] / z.row_divisor(first + i);
        sum += ((f - center(c)) * factor(c)).square();
      } else {
        const Eigen::Map<const Eigen::ArrayXd> stored(column.value + first, count);
        sum += ((stored - center(c)) * factor(c)).square();
      }
    }
    out.segment(first, count) = sum;
  });
  return out;
}

// ---- The best of many: bounded sorted lists ----

class BestLists {
 public:
  BestLists(Index n, Index capacity)
      : capacity_(capacity),
        distance_(at(n * capacity), infinity),
        index_(at(n * capacity), std::numeric_limits<int>::max()),
        bound_(at(n), infinity) {}

  const double* distance(Index i) const { return distance_.data() + i * capacity_; }
  const int* index(Index i) const { return index_.data() + i * capacity_; }
  Index capacity() const { return capacity_; }
  // What a distance must not exceed to enter the list of row i.
  const double* bound() const { return bound_.data(); }

  // The lists hold the least (d, j) seen, whatever the order they came in.
  void offer(Index i, double d, int j) {
    double* distance = distance_.data() + i * capacity_;
    int* index = index_.data() + i * capacity_;
    Index at = capacity_ - 1;
    if (d > distance[at] || (d == distance[at] && j > index[at])) return;
    for (; at > 0 && (distance[at - 1] > d || (distance[at - 1] == d && index[at - 1] > j)); --at) {
      distance[at] = distance[at - 1];
      index[at] = index[at - 1];
    }
    distance[at] = d;
    index[at] = j;
    bound_[static_cast<std::size_t>(i)] = distance[capacity_ - 1];
  }

 private:
  Index capacity_;
  std::vector<double> distance_;
  std::vector<int> index_;
  std::vector<double> bound_;
};

// The first e in [from, count) with d[e] <= limit[e] or d[e] <= other; count if there is none.
Index first_within(const double* d, const double* limit, double other, Index from, Index count) {
  Index e = from;
#if defined(__SSE2__)
  const __m128d common = _mm_set1_pd(other);
  for (; e + 4 <= count; e += 4) {
    const __m128d d0 = _mm_loadu_pd(d + e), d1 = _mm_loadu_pd(d + e + 2);
    const __m128d l0 = _mm_max_pd(_mm_loadu_pd(limit + e), common);
    const __m128d l1 = _mm_max_pd(_mm_loadu_pd(limit + e + 2), common);
    if (_mm_movemask_pd(_mm_or_pd(_mm_cmple_pd(d0, l0), _mm_cmple_pd(d1, l1)))) break;
  }
#endif
  while (e < count && !(d[e] <= limit[e]) && !(d[e] <= other)) ++e;
  return e;
}

// The first e in [from, count) with d[e] <= limit.
Index first_within(const double* d, double limit, Index from, Index count) {
  Index e = from;
#if defined(__SSE2__)
  const __m128d common = _mm_set1_pd(limit);
  for (; e + 4 <= count; e += 4) {
    const __m128d d0 = _mm_loadu_pd(d + e), d1 = _mm_loadu_pd(d + e + 2);
    if (_mm_movemask_pd(_mm_or_pd(_mm_cmple_pd(d0, common), _mm_cmple_pd(d1, common)))) break;
  }
#endif
  while (e < count && !(d[e] <= limit)) ++e;
  return e;
}

// ---- How far a proposed distance may be from the direct sum ----

// Euclidean. A Gram distance and the direct sum differ by at most E = c (|a| + |b|)^2, c a little
// more than the number of roundings in a row. If |b| <= 3 |a| that is at most 16 c |a|^2;
// otherwise the distance itself is at least a quarter of (|a| + |b|)^2, so that E <= 5 c d. Hence
// a slack that knows only row i and the proposed distance. Cosine: absolute, and the rounding to
// 12 decimals comes on top.
struct Slack {
  double absolute = 0;
  double per_square = 0;
  double per_distance = 0;

  // Every proposal up to this one may be among the k nearest by the direct sum, given the k-th
  // proposed distance of the row and its squared norm.
  double limit(double kth, double square) const {
    const double shared = absolute + per_square * square;
    const double upper = kth + shared + per_distance * std::max(kth, 0.0);
    return (upper + shared) / (1 - per_distance);
  }
};

Slack euclidean_slack(Index terms) {
  const double c = (2 * static_cast<double>(terms) + 600) * unit_roundoff;
  return {0, 16 * c, 5 * c};
}

Slack cosine_slack(Index terms) {
  return {4 * (2 * static_cast<double>(terms) + 600) * unit_roundoff + 1.2e-12, 0, 0};
}

struct Candidate {
  double distance;
  int index;
  bool operator<(const Candidate& other) const {
    return distance != other.distance ? distance < other.distance : index < other.index;
  }
};

// ---- Dense rows: Gram blocks ----

class DenseSearch {
 public:
  DenseSearch(const FeatureMatrix& z, int k, Metric metric, const Control& control)
      : z_(z), n_(z.n()), k_(k), cosine_(metric == Metric::cosine), control_(control) {
    center_.resize(z.p());
    factor_.resize(z.p());
    const bool whole = !cosine_ && z.scale() == Scale::none && is_whole();
    parallel_for((z.p() + 255) / 256, control, [&](Index t) {
      for (Index c = 256 * t; c < std::min(z.p(), 256 * (t + 1)); ++c) {
        factor_(c) = 1 / z.divisor(c);
        center_(c) = z.shift(c);
        if (!cosine_) {
          double sum = 0;
          if (z.scale() == Scale::unit) {
            z.for_each_stored(c, [&](Index, double v) { sum += v; });
          } else {
            const StoredColumn column = z.stored_column(c);
            sum = Eigen::Map<const Eigen::ArrayXd>(column.value, column.count).sum();
          }
          center_(c) = sum / static_cast<double>(n_);
          if (whole) center_(c) = std::round(center_(c));
        }
      }
    });
    square_ = squared_norms(z, center_, factor_, control);
    // Whole numbers whose products stay below 2^53: nothing is ever rounded, ties included.
    exact_ = whole && 4 * square_.maxCoeff() < 9e15;
    if (!exact_) slack_ = cosine_ ? cosine_slack(z.p()) : euclidean_slack(z.p());
    if (cosine_) {
      inverse_norm_ = square_.unaryExpr([](double s) { return s > 0 ? 1 / std::sqrt(s) : 0; });
    }
  }

  // For the listed rows of dense data, to the precision of the products.
  Neighbors run(const std::vector<int>& rows) {
    const Index m = static_cast<Index>(rows.size());
    BestLists lists(m, k_);
    const ProductShape shape{n_, m, z_.p()};
    const Index size = product_block_rows(shape);
    const std::unique_ptr<std::mutex[]> mutex(new std::mutex[at((m + size - 1) / size)]);
    // Gathered once: every block of the other side meets them again.
    Eigen::MatrixXd copy(m, z_.p());
    for (Index c = 0; c < z_.p(); ++c) {
      const double* f = z_.stored_column(c).value;
      for (Index i = 0; i < m; ++i) {
        const int row = rows[at(i)];
        copy(i, c) = (f[row] / z_.row_divisor(row) - center_(c)) * factor_(c);
      }
    }
    for_each_product_block(
        shape, pack_data_rows(z_, center_, factor_), pack_rows_of(copy.data(), m), control_,
        [&](const ProductBlock& block) {
          const std::lock_guard<std::mutex> lock(mutex[at(block.first_b / size)]);
          Eigen::VectorXd d(block.m);
          for (Index b = 0; b < block.q; ++b) {
            const Index listed = block.first_b + b;
            const int i = rows[at(listed)];
            distances(block.value + b * block.leading, block.first_a, block.m, i, d.data());
            const double* bound = lists.bound() + listed;
            for (Index e = first_within(d.data(), *bound, 0, block.m); e < block.m;
                 e = first_within(d.data(), *bound, e + 1, block.m)) {
              const int j = static_cast<int>(block.first_a + e);
              if (j != i) lists.offer(listed, d(e), j);
            }
          }
        });
    Neighbors out;
    out.k = k_;
    out.index.assign(lists.index(0), lists.index(0) + m * k_);
    out.squared_distance.assign(lists.distance(0), lists.distance(0) + m * k_);
    return out;
  }

  Neighbors run() {
    const Index capacity = std::min<Index>(exact_ ? k_ : k_ + 8, n_ - 1);
    BestLists lists(n_, capacity);
    propose(lists);

    Neighbors out;
    out.k = k_;
    out.index.resize(at(n_ * k_));
    out.squared_distance.resize(at(n_ * k_));
    std::vector<std::vector<int>> candidates(at(n_));
    std::vector<int> open;  // rows whose list may have been too short
    for (Index i = 0; i < n_; ++i) {
      const double* distance = lists.distance(i);
      const int* index = lists.index(i);
      if (exact_) {
        std::copy_n(index, k_, out.index.data() + i * k_);
        std::copy_n(distance, k_, out.squared_distance.data() + i * k_);
        continue;
      }
      const double limit = slack_.limit(distance[k_ - 1], square_(i));
      if (capacity < n_ - 1 && distance[capacity - 1] <= limit) {
        open.push_back(static_cast<int>(i));
        continue;
      }
      for (Index s = 0; s < capacity && distance[s] <= limit; ++s) {
        candidates[at(i)].push_back(index[s]);
      }
    }
    if (exact_) return out;
    std::vector<int> rows(at(n_));
    std::iota(rows.begin(), rows.end(), 0);
    settle(rows, candidates, out);

    // Near ties beyond the list: all rows within the limit, some rows at a time.
    const Index chunk = std::max<Index>(24, std::min<Index>(480, (Index(1) << 22) / n_));
    for (std::size_t first = 0; first < open.size(); first += at(chunk)) {
      const std::vector<int> some(open.begin() + static_cast<std::ptrdiff_t>(first),
                                  open.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                     open.size(), first + at(chunk))));
      settle(some, collect(some, lists), out);
    }
    return out;
  }

 private:
  bool is_whole() const {
    for (Index c = 0; c < z_.p(); ++c) {
      const StoredColumn column = z_.stored_column(c);
      for (Index e = 0; e < column.count; ++e) {
        if (column.value[e] != std::nearbyint(column.value[e])) return false;
      }
    }
    return true;
  }

  // d[i] for rows [first, first + count) against row j, given their products.
  void distances(const double* product, Index first, Index count, Index j, double* d) const {
    const Eigen::Map<const Eigen::ArrayXd> g(product, count);
    Eigen::Map<Eigen::ArrayXd> to(d, count);
    if (cosine_) {
      to = 2 - (2 * inverse_norm_(j)) * (g * inverse_norm_.segment(first, count).array());
    } else {
      to = (square_.segment(first, count).array() + square_(j)) - 2 * g;
    }
  }

  void propose(BestLists& lists) const {
    const RowPacker pack = pack_data_rows(z_, center_, factor_);
    const ProductShape shape{n_, n_, z_.p(), true};
    const Index size = product_block_rows(shape);
    const std::unique_ptr<std::mutex[]> mutex(new std::mutex[at((n_ + size - 1) / size)]);
    for_each_product_block(shape, pack, pack, control_, [&](const ProductBlock& block) {
      std::unique_lock<std::mutex> below(mutex[at(block.first_b / size)], std::defer_lock);
      std::unique_lock<std::mutex> above(mutex[at(block.first_a / size)], std::defer_lock);
      const bool diagonal = block.first_a == block.first_b;
      if (diagonal) {
        above.lock();
      } else {
        std::lock(above, below);
      }
      Eigen::VectorXd d(block.m);
      for (Index b = 0; b < block.q; ++b) {
        const Index j = block.first_b + b;
        const Index start = diagonal ? b + 1 : 0;
        const Index count = block.m - start, first = block.first_a + start;
        distances(block.value + b * block.leading + start, first, count, j, d.data());
        const double* bound = lists.bound() + first;
        for (Index e = first_within(d.data(), bound, lists.bound()[j], 0, count); e < count;
             e = first_within(d.data(), bound, lists.bound()[j], e + 1, count)) {
          lists.offer(first + e, d(e), static_cast<int>(j));
          lists.offer(j, d(e), static_cast<int>(first + e));
        }
      }
    });
  }

  // For each listed row, all rows that may be among its k nearest.
  std::vector<std::vector<int>> collect(const std::vector<int>& rows, const BestLists& lists) const {
    const Index m = static_cast<Index>(rows.size());
    std::vector<double> limit(at(m));
    for (Index i = 0; i < m; ++i) {
      limit[at(i)] = slack_.limit(lists.distance(rows[at(i)])[k_ - 1], square_(rows[at(i)]));
    }
    std::vector<std::vector<int>> out(at(n_));
    const Index size = product_block_rows({n_, m, z_.p()});
    const std::unique_ptr<std::mutex[]> mutex(new std::mutex[at((m + size - 1) / size)]);
    for_each_product_block(
        {n_, m, z_.p()}, pack_data_rows(z_, center_, factor_),
        pack_listed_rows(z_, rows, center_, factor_), control_, [&](const ProductBlock& block) {
          const std::lock_guard<std::mutex> lock(mutex[at(block.first_b / size)]);
          Eigen::VectorXd d(block.m);
          for (Index b = 0; b < block.q; ++b) {
            const Index listed = block.first_b + b;
            const int i = rows[at(listed)];
            distances(block.value + b * block.leading, block.first_a, block.m, i, d.data());
            const double most = limit[at(listed)];
            for (Index e = first_within(d.data(), most, 0, block.m); e < block.m;
                 e = first_within(d.data(), most, e + 1, block.m)) {
              if (block.first_a + e != i) out[at(i)].push_back(static_cast<int>(block.first_a + e));
            }
          }
        });
    return out;
  }

  // The k nearest of each listed row that has candidates, by direct sums over them.
  void settle(const std::vector<int>& rows, const std::vector<std::vector<int>>& candidates,
              Neighbors& out) const {
    // A pair that both rows ask for is summed once.
    std::vector<Pair> pairs;
    std::vector<std::size_t> start(at(n_), 0);
    std::vector<std::size_t> place;
    for (const int i : rows) {
      start[at(i)] = place.size();
      for (const int j : candidates[at(i)]) {
        std::size_t where = pairs.size();
        const std::vector<int>& other = candidates[at(j)];
        if (j < i && other.size() <= 64) {
          const auto found = std::find(other.begin(), other.end(), i);
          if (found != other.end()) where = place[start[at(j)] + at(found - other.begin())];
        }
        place.push_back(where);
        if (where == pairs.size()) pairs.emplace_back(std::min(i, j), std::max(i, j));
      }
    }
    const std::vector<double> d =
        squared_distances(z_, pairs, cosine_ ? Metric::cosine : Metric::euclidean, control_);
    std::vector<Candidate> near;
    for (const int i : rows) {
      const std::vector<int>& mine = candidates[at(i)];
      if (mine.empty()) continue;
      near.clear();
      for (std::size_t s = 0; s < mine.size(); ++s) {
        near.push_back({d[place[start[at(i)] + s]], mine[s]});
      }
      std::partial_sort(near.begin(), near.begin() + k_, near.end());
      for (int s = 0; s < k_; ++s) {
        out.index[at(i * Index(k_) + s)] = near[at(s)].index;
        out.squared_distance[at(i * Index(k_) + s)] = near[at(s)].distance;
      }
    }
  }

  const FeatureMatrix& z_;
  Index n_;
  int k_;
  bool cosine_;
  bool exact_ = false;
  const Control& control_;
  Slack slack_;
  Eigen::VectorXd center_, factor_, square_, inverse_norm_;
};

// ---- Sparse rows: products of stored entries ----

// Of all rows, or of the listed ones, list after list.
Neighbors sparse_search(const FeatureMatrix& z, int k, Metric metric, const Control& control,
                        const std::vector<int>* only = nullptr) {
  const Index n = z.n();
  const Index wanted = only ? static_cast<Index>(only->size()) : n;
  const bool cosine = metric == Metric::cosine;
  const SparseRows rows = sparse_rows(z);
  const SparseMoments moments = cosine ? sparse_moments(z, rows) : SparseMoments();

  Eigen::VectorXd square(n), inverse_row(n);
  Index longest = 0;
  bool whole = !cosine && z.scale() == Scale::none;
  for (Index i = 0; i < n; ++i) {
    double sum = 0;
    for (Index e = rows.start[at(i)]; e < rows.start[at(i + 1)]; ++e) {
      const double a = rows.value[at(e)] / z.divisor(rows.column[at(e)]);
      sum += a * a;
      whole = whole && a == std::nearbyint(a);
    }
    square(i) = sum;
    inverse_row(i) = 1 / z.row_divisor(i);
    longest = std::max(longest, rows.start[at(i + 1)] - rows.start[at(i)]);
  }
  const bool exact = whole && 4 * square.maxCoeff() < 9e15;
  Slack slack;
  double canceled = 0;
  Eigen::VectorXd inverse_norm;
  if (cosine) {
    slack = cosine_slack(z.p());
    canceled = 4 * slack.absolute * moments.canceled.maxCoeff();
    inverse_norm = moments.square.unaryExpr([](double s) { return s > 0 ? 1 / std::sqrt(s) : 0; });
  } else if (!exact) {
    slack = euclidean_slack(longest);
  }

  Neighbors out;
  out.k = k;
  out.index.resize(at(wanted * k));
  out.squared_distance.resize(at(wanted * k));
  const Index tasks = std::min<Index>(wanted, 512);
  parallel_for(tasks, control, [&](Index t) {
    Eigen::VectorXd product = Eigen::VectorXd::Zero(n), d(n);
    std::vector<Candidate> near;
    for (Index row = t * wanted / tasks; row < (t + 1) * wanted / tasks; ++row) {
      const Index i = only ? (*only)[at(row)] : row;
      product.setZero();
      for (Index e = rows.start[at(i)]; e < rows.start[at(i + 1)]; ++e) {
        const Index c = rows.column[at(e)];
        const double weight = rows.value[at(e)] / z.divisor(c) / z.divisor(c);
        const StoredColumn column = z.stored_column(c);
        for (Index g = 0; g < column.count; ++g) {
          product(column.row[g]) += weight * column.value[g];
        }
      }
      if (cosine) {
        const double level = moments.mm - moments.cross(i);
        d = 2 - (2 * inverse_norm(i)) *
                    ((product.array() * inverse_row.array() - moments.cross.array() + level) *
                     inverse_norm.array());
      } else {
        d = (square.array() + square(i)) - 2 * (product.array() * inverse_row.array());
      }
      d(i) = infinity;

      near.clear();
      double bound = infinity;
      const auto offer = [&](Index j) {
        near.push_back({d(j), static_cast<int>(j)});
        std::size_t s = near.size() - 1;
        for (; s > 0 && near[s] < near[s - 1]; --s) std::swap(near[s], near[s - 1]);
        if (near.size() > at(k)) near.pop_back();
        if (near.size() == at(k)) bound = near.back().distance;
      };
      for (Index j = first_within(d.data(), bound, 0, n); j < n;
           j = first_within(d.data(), bound, j + 1, n)) {
        if (j != i) offer(j);
      }
      if (!exact) {
        const double limit =
            slack.limit(bound, square(i)) + (cosine ? canceled * moments.canceled(i) : 0);
        near.clear();
        for (Index j = first_within(d.data(), limit, 0, n); j < n;
             j = first_within(d.data(), limit, j + 1, n)) {
          if (j == i) continue;
          const double settled = cosine ? 2 * (1 - sparse_cosine(z, rows, moments, i, j))
                                        : sparse_distance(z, rows, std::min(i, j), std::max(i, j));
          near.push_back({settled, static_cast<int>(j)});
        }
        std::partial_sort(near.begin(), near.begin() + k, near.end());
      }
      for (int s = 0; s < k; ++s) {
        out.index[at(row * k + s)] = near[at(s)].index;
        out.squared_distance[at(row * k + s)] = near[at(s)].distance;
      }
    }
  });
  return out;
}

// Stored entries are multiplied one by one: about 25 times as long each as in a packed block,
// where half of the pairs suffice.
bool worth_sparse(const FeatureMatrix& z) {
  double sparse = 0;
  for (Index c = 0; c < z.p(); ++c) {
    const double count = static_cast<double>(z.stored_column(c).count);
    sparse += count * count;
  }
  const double n = static_cast<double>(z.n());
  return sparse < 0.03 * n * n * static_cast<double>(z.p());
}

}  // namespace

namespace {

std::vector<double> ordered_cosines(const FeatureMatrix& z, const std::vector<Pair>& pairs,
                                    const std::vector<int>* order, const Control& control) {
  std::vector<double> out(pairs.size());
  if (pairs.empty()) return out;
  if (z.is_sparse()) {
    const SparseRows rows = sparse_rows(z);
    const SparseMoments moments = sparse_moments(z, rows);
    const Index tasks = std::min<Index>(static_cast<Index>(pairs.size()), 64);
    const Index count = static_cast<Index>(pairs.size());
    parallel_for(tasks, control, [&](Index t) {
      for (Index e = t * count / tasks; e < (t + 1) * count / tasks; ++e) {
        out[at(e)] = sparse_cosine(z, rows, moments, pairs[at(e)].first, pairs[at(e)].second);
      }
    });
    return out;
  }
  Eigen::VectorXd center(z.p()), factor(z.p());
  for (Index c = 0; c < z.p(); ++c) {
    center(c) = z.shift(c);
    factor(c) = 1 / z.divisor(c);
  }
  const Eigen::VectorXd norm = squared_norms(z, center, factor, control).cwiseSqrt();
  out = direct_sums(z, pairs, Term::product, order, control);
  for (std::size_t e = 0; e < pairs.size(); ++e) {
    const double norms = norm(pairs[e].first) * norm(pairs[e].second);
    out[e] = norms > 0 ? round_to_12(out[e] / norms) : 0;
  }
  return out;
}

}  // namespace

std::vector<double> cosines(const FeatureMatrix& z, const std::vector<Pair>& pairs,
                            const Control& control) {
  return ordered_cosines(z, pairs, nullptr, control);
}

std::vector<double> squared_distances(const FeatureMatrix& z, const std::vector<Pair>& pairs,
                                      Metric metric, const Control& control,
                                      const std::vector<int>* order) {
  if (metric == Metric::cosine) {
    std::vector<double> out = ordered_cosines(z, pairs, order, control);
    for (double& d : out) d = 2 * (1 - d);
    return out;
  }
  if (!z.is_sparse()) return direct_sums(z, pairs, Term::squared_gap, order, control);

  const SparseRows rows = sparse_rows(z);
  std::vector<double> out(pairs.size());
  const Index count = static_cast<Index>(pairs.size());
  const Index tasks = std::min<Index>(count, 64);
  parallel_for(tasks, control, [&](Index t) {
    for (Index e = t * count / tasks; e < (t + 1) * count / tasks; ++e) {
      out[at(e)] = sparse_distance(z, rows, pairs[at(e)].first, pairs[at(e)].second);
    }
  });
  return out;
}

Neighbors neighbors_of_rows(const FeatureMatrix& z, const std::vector<int>& rows, int k,
                            Metric metric, const Control& control) {
  k = static_cast<int>(std::max<Index>(std::min<Index>(k, z.n() - 1), 0));
  if (k == 0 || rows.empty()) return {};
  if (z.is_sparse()) return sparse_search(z, k, metric, control, &rows);
  return DenseSearch(z, k, metric, control).run(rows);
}

Neighbors nearest_neighbors(const FeatureMatrix& z, int k, Metric metric, const Control& control) {
  k = static_cast<int>(std::max<Index>(std::min<Index>(k, z.n() - 1), 0));
  if (k == 0) return {};
  if (z.is_sparse() && worth_sparse(z)) return sparse_search(z, k, metric, control);
  return DenseSearch(z, k, metric, control).run();
}

}  // namespace semiselect
