#include "core/optim/manhattan.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

// With GCC on Windows 32-byte spills to the stack are misaligned.
#if defined(__x86_64__) && !defined(_WIN32) && (defined(__GNUC__) || defined(__clang__))
#define SEMISELECT_X86_DISPATCH 1
#include <immintrin.h>
#endif

namespace semiselect {

namespace {

// Rows of a panel; a few of them go against a whole panel at a time.
template <class Scalar>
constexpr Index panel_rows = std::is_same<Scalar, double>::value ? 8 : 16;
constexpr Index tall = 4;
constexpr Index depth = 256;  // columns at a time: a panel stays in the first cache
constexpr Index tile = 128;   // rows of a unit of work

// sum[r * leading + s] += sum over c of |a[c * wide + r] - b[c * wide + s]|, r < tall, s < wide.
template <class Scalar>
using Kernel = void (*)(Index count, const Scalar* a, const Scalar* b, double* sum, Index leading);

void plain_kernel(Index count, const double* a, const double* b, double* sum, Index leading) {
  constexpr Index wide = panel_rows<double>;
  double total[tall][wide];
  for (Index r = 0; r < tall; ++r) {
    for (Index s = 0; s < wide; ++s) total[r][s] = sum[r * leading + s];
  }
  for (Index c = 0; c < count; ++c, a += wide, b += wide) {
    for (Index r = 0; r < tall; ++r) {
      for (Index s = 0; s < wide; ++s) total[r][s] += std::abs(b[s] - a[r]);
    }
  }
  for (Index r = 0; r < tall; ++r) {
    for (Index s = 0; s < wide; ++s) sum[r * leading + s] = total[r][s];
  }
}

// Single precision within `count` columns, double beyond.
void plain_kernel(Index count, const float* a, const float* b, double* sum, Index leading) {
  constexpr Index wide = panel_rows<float>;
  float total[tall][wide] = {};
  for (Index c = 0; c < count; ++c, a += wide, b += wide) {
    for (Index r = 0; r < tall; ++r) {
      for (Index s = 0; s < wide; ++s) total[r][s] += std::abs(b[s] - a[r]);
    }
  }
  for (Index r = 0; r < tall; ++r) {
    for (Index s = 0; s < wide; ++s) sum[r * leading + s] += static_cast<double>(total[r][s]);
  }
}

#if defined(SEMISELECT_X86_DISPATCH)
// Subtraction, sign and addition only, in the same order: the bits of the plain kernel.
__attribute__((target("avx2"))) void avx2_kernel(Index count, const double* a, const double* b,
                                                 double* sum, Index leading) {
  constexpr Index wide = panel_rows<double>;
  const __m256d sign = _mm256_set1_pd(-0.0);
  __m256d t00 = _mm256_loadu_pd(sum), t01 = _mm256_loadu_pd(sum + 4);
  __m256d t10 = _mm256_loadu_pd(sum + leading), t11 = _mm256_loadu_pd(sum + leading + 4);
  __m256d t20 = _mm256_loadu_pd(sum + 2 * leading), t21 = _mm256_loadu_pd(sum + 2 * leading + 4);
  __m256d t30 = _mm256_loadu_pd(sum + 3 * leading), t31 = _mm256_loadu_pd(sum + 3 * leading + 4);
  for (Index c = 0; c < count; ++c, a += wide, b += wide) {
    const __m256d b0 = _mm256_loadu_pd(b), b1 = _mm256_loadu_pd(b + 4);
    __m256d v = _mm256_broadcast_sd(a);
    t00 = _mm256_add_pd(t00, _mm256_andnot_pd(sign, _mm256_sub_pd(b0, v)));
    t01 = _mm256_add_pd(t01, _mm256_andnot_pd(sign, _mm256_sub_pd(b1, v)));
    v = _mm256_broadcast_sd(a + 1);
    t10 = _mm256_add_pd(t10, _mm256_andnot_pd(sign, _mm256_sub_pd(b0, v)));
    t11 = _mm256_add_pd(t11, _mm256_andnot_pd(sign, _mm256_sub_pd(b1, v)));
    v = _mm256_broadcast_sd(a + 2);
    t20 = _mm256_add_pd(t20, _mm256_andnot_pd(sign, _mm256_sub_pd(b0, v)));
    t21 = _mm256_add_pd(t21, _mm256_andnot_pd(sign, _mm256_sub_pd(b1, v)));
    v = _mm256_broadcast_sd(a + 3);
    t30 = _mm256_add_pd(t30, _mm256_andnot_pd(sign, _mm256_sub_pd(b0, v)));
    t31 = _mm256_add_pd(t31, _mm256_andnot_pd(sign, _mm256_sub_pd(b1, v)));
  }
  _mm256_storeu_pd(sum, t00);
  _mm256_storeu_pd(sum + 4, t01);
  _mm256_storeu_pd(sum + leading, t10);
  _mm256_storeu_pd(sum + leading + 4, t11);
  _mm256_storeu_pd(sum + 2 * leading, t20);
  _mm256_storeu_pd(sum + 2 * leading + 4, t21);
  _mm256_storeu_pd(sum + 3 * leading, t30);
  _mm256_storeu_pd(sum + 3 * leading + 4, t31);
}

__attribute__((target("avx2"))) void avx2_kernel(Index count, const float* a, const float* b,
                                                 double* sum, Index leading) {
  constexpr Index wide = panel_rows<float>;
  const __m256 sign = _mm256_set1_ps(-0.0f);
  __m256 t00 = _mm256_setzero_ps(), t01 = t00, t10 = t00, t11 = t00;
  __m256 t20 = t00, t21 = t00, t30 = t00, t31 = t00;
  for (Index c = 0; c < count; ++c, a += wide, b += wide) {
    const __m256 b0 = _mm256_loadu_ps(b), b1 = _mm256_loadu_ps(b + 8);
    __m256 v = _mm256_broadcast_ss(a);
    t00 = _mm256_add_ps(t00, _mm256_andnot_ps(sign, _mm256_sub_ps(b0, v)));
    t01 = _mm256_add_ps(t01, _mm256_andnot_ps(sign, _mm256_sub_ps(b1, v)));
    v = _mm256_broadcast_ss(a + 1);
    t10 = _mm256_add_ps(t10, _mm256_andnot_ps(sign, _mm256_sub_ps(b0, v)));
    t11 = _mm256_add_ps(t11, _mm256_andnot_ps(sign, _mm256_sub_ps(b1, v)));
    v = _mm256_broadcast_ss(a + 2);
    t20 = _mm256_add_ps(t20, _mm256_andnot_ps(sign, _mm256_sub_ps(b0, v)));
    t21 = _mm256_add_ps(t21, _mm256_andnot_ps(sign, _mm256_sub_ps(b1, v)));
    v = _mm256_broadcast_ss(a + 3);
    t30 = _mm256_add_ps(t30, _mm256_andnot_ps(sign, _mm256_sub_ps(b0, v)));
    t31 = _mm256_add_ps(t31, _mm256_andnot_ps(sign, _mm256_sub_ps(b1, v)));
  }
  float total[tall][wide];
  _mm256_storeu_ps(total[0], t00);
  _mm256_storeu_ps(total[0] + 8, t01);
  _mm256_storeu_ps(total[1], t10);
  _mm256_storeu_ps(total[1] + 8, t11);
  _mm256_storeu_ps(total[2], t20);
  _mm256_storeu_ps(total[2] + 8, t21);
  _mm256_storeu_ps(total[3], t30);
  _mm256_storeu_ps(total[3] + 8, t31);
  for (Index r = 0; r < tall; ++r) {
    for (Index s = 0; s < wide; ++s) sum[r * leading + s] += static_cast<double>(total[r][s]);
  }
}
#endif

// sum over c < depth of |a_c - b_c|, in `lanes` partial sums.
constexpr Index lanes = 8;
using PairSum = double (*)(const double* a, const double* b);

double plain_pair_sum(const double* a, const double* b) {
  double total[lanes] = {};
  for (Index c = 0; c < depth; c += lanes) {
    for (Index s = 0; s < lanes; ++s) total[s] += std::abs(a[c + s] - b[c + s]);
  }
  double sum = 0;
  for (Index s = 0; s < lanes; ++s) sum += total[s];
  return sum;
}

#if defined(SEMISELECT_X86_DISPATCH)
__attribute__((target("avx2"))) double avx2_pair_sum(const double* a, const double* b) {
  const __m256d sign = _mm256_set1_pd(-0.0);
  __m256d t0 = _mm256_setzero_pd(), t1 = t0;
  for (Index c = 0; c < depth; c += lanes) {
    const __m256d d0 = _mm256_sub_pd(_mm256_loadu_pd(a + c), _mm256_loadu_pd(b + c));
    const __m256d d1 = _mm256_sub_pd(_mm256_loadu_pd(a + c + 4), _mm256_loadu_pd(b + c + 4));
    t0 = _mm256_add_pd(t0, _mm256_andnot_pd(sign, d0));
    t1 = _mm256_add_pd(t1, _mm256_andnot_pd(sign, d1));
  }
  double total[lanes];
  _mm256_storeu_pd(total, t0);
  _mm256_storeu_pd(total + 4, t1);
  double sum = 0;
  for (Index s = 0; s < lanes; ++s) sum += total[s];
  return sum;
}
#endif

PairSum best_pair_sum() {
#if defined(SEMISELECT_X86_DISPATCH)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) return avx2_pair_sum;
#endif
  return plain_pair_sum;
}

template <class Scalar>
Kernel<Scalar> best_kernel() {
#if defined(SEMISELECT_X86_DISPATCH)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) return avx2_kernel;
#endif
  return plain_kernel;
}

Control silent(const Control& control) {
  Control out = control;  // several passes: none of them is the whole work
  out.progress = [](double) {};
  return out;
}

template <class Scalar>
Eigen::MatrixXd all_distances(Index m, Index p, const ColumnSource& fill, const Control& control) {
  constexpr Index wide = panel_rows<Scalar>;
  const Kernel<Scalar> kernel = best_kernel<Scalar>();
  const Index padded = (m + wide - 1) / wide * wide;
  std::vector<std::pair<Index, Index>> tiles;
  for (Index a = 0; a < padded; a += tile) {
    for (Index b = 0; b <= a; b += tile) tiles.emplace_back(a, b);
  }

  const Control quiet = silent(control);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(padded, padded);  // row i at i * padded
  std::vector<double> columns(static_cast<std::size_t>(m * depth));
  std::vector<Scalar> panels(static_cast<std::size_t>(padded * depth));
  for (Index first = 0; first < p; first += depth) {
    const Index count = std::min(depth, p - first);
    fill(first, count, columns.data());
    parallel_for(padded / wide, quiet, [&](Index panel) {
      Scalar* to = panels.data() + panel * wide * depth;
      for (Index s = 0; s < wide; ++s) {
        const Index i = panel * wide + s;
        for (Index c = 0; c < count; ++c) {
          to[c * wide + s] = static_cast<Scalar>(i < m ? columns[c * m + i] : 0.0);
        }
      }
    });
    parallel_for(static_cast<Index>(tiles.size()), quiet, [&](Index t) {
      const Index a0 = tiles[static_cast<std::size_t>(t)].first;
      const Index b0 = tiles[static_cast<std::size_t>(t)].second;
      for (Index b = b0; b < std::min(b0 + tile, padded); b += wide) {
        for (Index a = std::max(a0, b); a < std::min(a0 + tile, padded); a += tall) {
          kernel(count, panels.data() + a / wide * wide * depth + a % wide,
                 panels.data() + b * depth, sum.data() + a * padded + b, padded);
        }
      }
    });
    control.progress(static_cast<double>(first + count) / static_cast<double>(p));
  }

  // Rows hold the columns up to the diagonal: seen as columns, the rows from it on.
  const Index edge = 64;
  parallel_for((padded + edge - 1) / edge, quiet, [&](Index block) {
    const Index first = block * edge, last = std::min(first + edge, padded);
    for (Index from = 0; from < last; from += edge) {
      for (Index i = first; i < last; ++i) {
        for (Index j = from; j < std::min(from + edge, i); ++j) sum(i, j) = sum(j, i);
      }
    }
  });
  if (padded == m) return sum;
  return sum.topLeftCorner(m, m);
}

}  // namespace

Eigen::MatrixXd manhattan_distances(Index m, Index p, const ColumnSource& fill,
                                    const Control& control) {
  return all_distances<double>(m, p, fill, control);
}

RoughDistances rough_manhattan_distances(Index m, Index p, const ColumnSource& fill,
                                         const Control& control) {
  // Entries and differences in [0, 1] are rounded by up to 2^-25 each, a sum of `depth` of them by
  // up to depth 2^-24 of its value at each addition, and its value is at most depth.
  const double error =
      static_cast<double>(p) * (static_cast<double>(depth) + 4) * std::ldexp(1.0, -24);
  return {all_distances<float>(m, p, fill, control), error};
}

std::vector<double> manhattan_distances(Index m, Index p, const ColumnSource& fill,
                                        const std::vector<std::pair<int, int>>& pairs,
                                        const Control& control) {
  constexpr Index grain = 1024;
  const PairSum pair_sum = best_pair_sum();
  const Control quiet = silent(control);
  const Index count = static_cast<Index>(pairs.size());
  std::vector<double> out(pairs.size(), 0.0);
  std::vector<double> columns(static_cast<std::size_t>(m * depth));
  std::vector<double> rows(static_cast<std::size_t>(m * depth));
  for (Index first = 0; first < p; first += depth) {
    const Index here = std::min(depth, p - first);
    fill(first, here, columns.data());
    std::fill(columns.begin() + static_cast<std::ptrdiff_t>(here * m), columns.end(), 0.0);
    parallel_ranges(m, 32, quiet, [&](Index begin, Index end) {
      for (Index c = 0; c < depth; ++c) {
        for (Index i = begin; i < end; ++i) rows[i * depth + c] = columns[c * m + i];
      }
    });
    parallel_ranges(count, grain, quiet, [&](Index begin, Index end) {
      for (Index e = begin; e < end; ++e) {
        const std::pair<int, int>& pair = pairs[static_cast<std::size_t>(e)];
        out[static_cast<std::size_t>(e)] +=
            pair_sum(rows.data() + pair.first * depth, rows.data() + pair.second * depth);
      }
    });
  }
  return out;
}

}  // namespace semiselect
