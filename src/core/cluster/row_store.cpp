#include "core/cluster/row_store.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

// Kernels are written once with vectors of four doubles. On x86-64 they are compiled twice, for
// the base instruction set and for AVX2 with FMA, and chosen when first used: the shipped library
// must run on any processor. Not on Windows, where GCC misaligns 32-byte spills.
#if defined(__x86_64__) && !defined(_WIN32) && (defined(__GNUC__) || defined(__clang__))
#define SEMISELECT_TWO_TARGETS 1
#else
#define SEMISELECT_TWO_TARGETS 0
#endif

namespace semiselect {

namespace {

constexpr Index rows_in_tile = RowStore::tile_rows;

typedef double Lanes __attribute__((vector_size(32), aligned(8), may_alias));

#define SEMISELECT_INLINE inline __attribute__((always_inline))

SEMISELECT_INLINE const Lanes& lanes(const double* at) {
  return *reinterpret_cast<const Lanes*>(at);
}
SEMISELECT_INLINE Lanes& lanes(double* at) { return *reinterpret_cast<Lanes*>(at); }

// Adds to out[q * 32 + i] the terms of `count` columns for Q clusters; with one weight for all
// clusters the squares go to base[i], and only if asked for.
template <int Q, bool shared, bool squares>
SEMISELECT_INLINE void add_distances(const double* x, Index count, const double* square,
                                     const double* linear, Index clusters, double* out,
                                     double* base) {
  for (Index r = 0; r < rows_in_tile; r += 8) {
    Lanes sum[Q][2];
    for (int q = 0; q < Q; ++q) {
      sum[q][0] = lanes(out + q * rows_in_tile + r);
      sum[q][1] = lanes(out + q * rows_in_tile + r + 4);
    }
    Lanes own[2] = {lanes(base + r), lanes(base + r + 4)};
    for (Index j = 0; j < count; ++j) {
      const Lanes a = lanes(x + j * rows_in_tile + r);
      const Lanes b = lanes(x + j * rows_in_tile + r + 4);
      if (shared && squares) {
        own[0] += (square[j] * a) * a;
        own[1] += (square[j] * b) * b;
      }
      for (int q = 0; q < Q; ++q) {
        const double slope = linear[j * clusters + q];
        if (shared) {
          sum[q][0] += slope * a;
          sum[q][1] += slope * b;
        } else {
          const double bend = square[j * clusters + q];
          sum[q][0] += (bend * a + slope) * a;
          sum[q][1] += (bend * b + slope) * b;
        }
      }
    }
    for (int q = 0; q < Q; ++q) {
      lanes(out + q * rows_in_tile + r) = sum[q][0];
      lanes(out + q * rows_in_tile + r + 4) = sum[q][1];
    }
    if (shared && squares) {
      lanes(base + r) = own[0];
      lanes(base + r + 4) = own[1];
    }
  }
}

template <bool shared, bool squares>
SEMISELECT_INLINE void add_distances_of(int q, const double* x, Index count, const double* square,
                                        const double* linear, Index clusters, double* out,
                                        double* base) {
  if (q == 1) add_distances<1, shared, squares>(x, count, square, linear, clusters, out, base);
  if (q == 2) add_distances<2, shared, squares>(x, count, square, linear, clusters, out, base);
  if (q == 3) add_distances<3, shared, squares>(x, count, square, linear, clusters, out, base);
  if (q == 4) add_distances<4, shared, squares>(x, count, square, linear, clusters, out, base);
}

// A tile of p columns. Chunks of columns, so that the four passes over the rows of a chunk find it
// in the nearest cache.
SEMISELECT_INLINE void tile_distances(const double* x, Index p, const double* square,
                                      const double* linear, Index clusters, bool shared,
                                      double* out) {
  constexpr Index chunk = 64;
  double base[rows_in_tile] = {};
  for (Index j = 0; j < p; j += chunk) {
    const Index count = std::min(chunk, p - j);
    const double* from = x + j * rows_in_tile;
    for (Index q = 0; q < clusters; q += 4) {
      const int several = static_cast<int>(std::min<Index>(4, clusters - q));
      const double* slope = linear + j * clusters + q;
      double* to = out + q * rows_in_tile;
      if (!shared) {
        add_distances_of<false, false>(several, from, count, square + j * clusters + q, slope,
                                       clusters, to, base);
      } else if (q == 0) {
        add_distances_of<true, true>(several, from, count, square + j, slope, clusters, to, base);
      } else {
        add_distances_of<true, false>(several, from, count, square + j, slope, clusters, to, base);
      }
    }
  }
  if (shared) {
    for (Index q = 0; q < clusters; ++q) {
      for (Index i = 0; i < rows_in_tile; ++i) out[q * rows_in_tile + i] += base[i];
    }
  }
}

// sum_i a_i x_ij and, if asked for, sum_i b_i x_ij^2 for four columns.
template <bool plain, bool squares>
SEMISELECT_INLINE void add_columns(const double* x, const double* a, const double* b, double* sums,
                                   double* squared) {
  Lanes sum[4] = {}, square[4] = {};
  for (Index r = 0; r < rows_in_tile; r += 4) {
    for (int c = 0; c < 4; ++c) {
      const Lanes f = lanes(x + c * rows_in_tile + r);
      if (plain) sum[c] += lanes(a + r) * f;
      if (squares) square[c] += (lanes(b + r) * f) * f;
    }
  }
  for (int c = 0; c < 4; ++c) {
    if (plain) sums[c] += (sum[c][0] + sum[c][1]) + (sum[c][2] + sum[c][3]);
    if (squares) squared[c] += (square[c][0] + square[c][1]) + (square[c][2] + square[c][3]);
  }
}

// width: a multiple of four. used[q] = 0 skips a cluster without weight in the tile.
SEMISELECT_INLINE void tile_sums(const double* x, Index width, const double* a, const double* b,
                                 const char* used, Index clusters, bool shared, double* sums,
                                 double* squares) {
  for (Index j = 0; j < width; j += 4) {
    const double* from = x + j * rows_in_tile;
    if (shared) add_columns<false, true>(from, nullptr, b, nullptr, squares + j);
    for (Index q = 0; q < clusters; ++q) {
      if (!used[q]) continue;
      const double* weight = a + q * rows_in_tile;
      double* to = sums + q * width + j;
      if (shared) {
        add_columns<true, false>(from, weight, nullptr, to, nullptr);
      } else {
        add_columns<true, true>(from, weight, weight, to, squares + q * width + j);
      }
    }
  }
}

void distances_base(const double* x, Index p, const double* square, const double* linear,
                    Index clusters, bool shared, double* out) {
  tile_distances(x, p, square, linear, clusters, shared, out);
}
void sums_base(const double* x, Index width, const double* a, const double* b, const char* used,
               Index clusters, bool shared, double* sums, double* squares) {
  tile_sums(x, width, a, b, used, clusters, shared, sums, squares);
}

#if SEMISELECT_TWO_TARGETS
__attribute__((target("avx2,fma"))) void distances_wide(const double* x, Index p,
                                                        const double* square, const double* linear,
                                                        Index clusters, bool shared, double* out) {
  tile_distances(x, p, square, linear, clusters, shared, out);
}
__attribute__((target("avx2,fma"))) void sums_wide(const double* x, Index width, const double* a,
                                                   const double* b, const char* used,
                                                   Index clusters, bool shared, double* sums,
                                                   double* squares) {
  tile_sums(x, width, a, b, used, clusters, shared, sums, squares);
}
bool has_wide() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif

struct Kernels {
  decltype(&distances_base) distances = distances_base;
  decltype(&sums_base) sums = sums_base;
  Kernels() {
#if SEMISELECT_TWO_TARGETS
    if (has_wide()) {
      distances = distances_wide;
      sums = sums_wide;
    }
#endif
  }
};

const Kernels& kernels() {
  static const Kernels chosen;
  return chosen;
}

}  // namespace

RowStore::RowStore(const FeatureMatrix& z, std::vector<Index> columns, std::vector<Index> rows)
    : z_(z), columns_(std::move(columns)), rows_(std::move(rows)), mean_(p()), variance_(p()) {
  const double count = static_cast<double>(n());
  width_ = (p() + 3) / 4 * 4;
  if (!z.is_sparse()) {
    tiles_.assign(static_cast<std::size_t>(tiles() * rows_in_tile * width_), 0.0);
    Eigen::VectorXd f(z.n());
    for (Index j = 0; j < p(); ++j) {
      z.column(columns_[j], f.data());
      double sum = 0;
      for (const Index i : rows_) sum += f(i);
      mean_(j) = sum / count;
      double left = 0;  // what rounding left of the mean
      for (const Index i : rows_) left += f(i) - mean_(j);
      mean_(j) += left / count;
      double squares = 0;
      for (Index i = 0; i < n(); ++i) {
        const double moved = f(rows_[i]) - mean_(j);
        tiles_[(i / rows_in_tile * width_ + j) * rows_in_tile + i % rows_in_tile] = moved;
        squares += moved * moved;
      }
      variance_(j) = squares / count;
    }
    return;
  }

  // Where each row of z goes: every row is taken at most once.
  std::vector<Index> place(static_cast<std::size_t>(z.n()), -1);
  for (Index i = 0; i < n(); ++i) place[rows_[i]] = i;
  start_.assign(static_cast<std::size_t>(n() + 1), 0);
  stored_mean_.resize(p());
  for (Index j = 0; j < p(); ++j) {
    const Index c = columns_[j];
    const double divisor = z.divisor(c);
    double sum = 0, stored = 0;
    z.for_each_stored(c, [&](Index i, double v) {
      if (place[i] < 0) return;
      ++start_[place[i] + 1];
      sum += v / divisor;
      ++stored;
    });
    stored_mean_(j) = sum / count;
    mean_(j) = stored_mean_(j) - z.shift(c) / divisor;
    double squares = (count - stored) * stored_mean_(j) * stored_mean_(j);
    z.for_each_stored(c, [&](Index i, double v) {
      if (place[i] < 0) return;
      const double moved = v / divisor - stored_mean_(j);
      squares += moved * moved;
    });
    variance_(j) = squares / count;
  }
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  at_.resize(static_cast<std::size_t>(start_.back()));
  value_.resize(at_.size());
  std::vector<Index> next(start_.begin(), start_.end() - 1);
  for (Index j = 0; j < p(); ++j) {
    const double divisor = z.divisor(columns_[j]);
    z.for_each_stored(columns_[j], [&](Index i, double v) {
      if (place[i] < 0) return;
      const Index e = next[place[i]]++;
      at_[e] = static_cast<int>(j);
      value_[e] = v / divisor;
    });
  }
}

Eigen::VectorXd RowStore::row(Index i) const {
  Eigen::VectorXd out(p());
  if (z_.is_sparse()) {
    out = -stored_mean_;
    for (Index e = start_[i]; e < start_[i + 1]; ++e) out(at_[e]) += value_[e];
  } else {
    const double* tile = tiles_.data() + i / rows_in_tile * width_ * rows_in_tile;
    for (Index j = 0; j < p(); ++j) out(j) = tile[j * rows_in_tile + i % rows_in_tile];
  }
  return out;
}

Eigen::VectorXd RowStore::column(Index j) const {
  const Eigen::VectorXd f = z_.column(columns_[j]);
  Eigen::VectorXd out(n());
  for (Index i = 0; i < n(); ++i) out(i) = f(rows_[i]) - mean_(j);
  return out;
}

RowStore::Terms RowStore::terms(const Eigen::MatrixXd& omega, const Eigen::MatrixXd& centroids,
                                const Eigen::VectorXd& offset) const {
  Terms out;
  const Index K = out.clusters = centroids.rows();
  out.shared = omega.rows() == 1 && K != 1;
  out.square.resize(static_cast<std::size_t>(out.shared ? p() : p() * K));
  out.linear.resize(static_cast<std::size_t>(p() * K));
  out.constant.assign(offset.data(), offset.data() + K);
  for (Index j = 0; j < p(); ++j) {
    // A stored entry u stands for x = u - m.
    const double m = z_.is_sparse() ? stored_mean_(j) : 0;
    if (out.shared) out.square[j] = omega(0, j);
    for (Index q = 0; q < K; ++q) {
      const double weight = omega(out.shared ? 0 : q, j);
      const double away = centroids(q, j) + m;
      if (!out.shared) out.square[j * K + q] = weight;
      out.linear[j * K + q] = -2 * weight * away;
      out.constant[q] += weight * away * away;
    }
  }
  return out;
}

void RowStore::distances(Index tile, const Terms& terms, double* out) const {
  const Index K = terms.clusters;
  for (Index q = 0; q < K; ++q) std::fill_n(out + q * tile_rows, tile_rows, terms.constant[q]);
  if (!z_.is_sparse()) {
    kernels().distances(tiles_.data() + tile * width_ * tile_rows, p(), terms.square.data(),
                        terms.linear.data(), K, terms.shared, out);
  } else {
    const Index last = std::min(n(), (tile + 1) * tile_rows);
    for (Index i = tile * tile_rows; i < last; ++i) {
      double* to = out + i % tile_rows;
      double base = 0;
      for (Index e = start_[i]; e < start_[i + 1]; ++e) {
        const Index j = at_[e];
        const double u = value_[e];
        const double* slope = terms.linear.data() + j * K;
        if (terms.shared) {
          base += terms.square[j] * u * u;
          for (Index q = 0; q < K; ++q) to[q * tile_rows] += slope[q] * u;
        } else {
          const double* bend = terms.square.data() + j * K;
          for (Index q = 0; q < K; ++q) to[q * tile_rows] += (bend[q] * u + slope[q]) * u;
        }
      }
      if (terms.shared) {
        for (Index q = 0; q < K; ++q) to[q * tile_rows] += base;
      }
    }
  }
  for (Index s = 0; s < K * tile_rows; ++s) out[s] = std::max(out[s], 0.0);
}

RowStore::Sums RowStore::sums(Index clusters, bool shared_squares) const {
  Sums out;
  out.clusters = clusters;
  out.width = width_;
  out.shared = shared_squares;
  out.sums.assign(static_cast<std::size_t>(clusters * width_), 0.0);
  out.squares.assign(static_cast<std::size_t>((shared_squares ? 1 : clusters) * width_), 0.0);
  out.weight.assign(static_cast<std::size_t>(clusters), 0.0);
  return out;
}

void RowStore::Sums::add(const Sums& other) {
  for (std::size_t s = 0; s < sums.size(); ++s) sums[s] += other.sums[s];
  for (std::size_t s = 0; s < squares.size(); ++s) squares[s] += other.squares[s];
  for (std::size_t q = 0; q < weight.size(); ++q) weight[q] += other.weight[q];
}

void RowStore::accumulate(Index tile, const double* a, Sums& out) const {
  const Index K = out.clusters;
  double b[rows_in_tile] = {};
  std::vector<char> used(static_cast<std::size_t>(K), 0);
  for (Index q = 0; q < K; ++q) {
    double sum = 0;
    for (Index i = 0; i < tile_rows; ++i) {
      const double weight = a[q * tile_rows + i];
      b[i] += weight;
      sum += weight;
    }
    used[q] = sum > 0;
    out.weight[q] += sum;
  }
  if (!z_.is_sparse()) {
    kernels().sums(tiles_.data() + tile * width_ * tile_rows, width_, a, b, used.data(), K,
                   out.shared, out.sums.data(), out.squares.data());
    return;
  }
  const Index last = std::min(n(), (tile + 1) * tile_rows);
  for (Index i = tile * tile_rows; i < last; ++i) {
    const Index r = i % tile_rows;
    for (Index e = start_[i]; e < start_[i + 1]; ++e) {
      const Index j = at_[e];
      const double u = value_[e];
      // sum (u - m)^2 = sum over stored u (u - 2 m), plus m^2 times the weight: see finish().
      const double square = u * (u - 2 * stored_mean_(j));
      if (out.shared) out.squares[j] += b[r] * square;
      for (Index q = 0; q < K; ++q) {
        const double weight = a[q * tile_rows + r];
        if (weight == 0) continue;
        out.sums[q * width_ + j] += weight * u;
        if (!out.shared) out.squares[q * width_ + j] += weight * square;
      }
    }
  }
}

void RowStore::finish(Sums& out) const {
  if (!z_.is_sparse()) return;
  const double total = std::accumulate(out.weight.begin(), out.weight.end(), 0.0);
  for (Index j = 0; j < p(); ++j) {
    const double m = stored_mean_(j);
    if (out.shared) out.squares[j] += m * m * total;
    for (Index q = 0; q < out.clusters; ++q) {
      out.sums[q * width_ + j] -= m * out.weight[q];
      if (!out.shared) out.squares[q * width_ + j] += m * m * out.weight[q];
    }
  }
}

}  // namespace semiselect
