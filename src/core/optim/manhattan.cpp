#include "core/optim/manhattan.hpp"

#include <algorithm>
#include <cmath>

// With GCC on Windows 32-byte spills to the stack are misaligned.
#if defined(__x86_64__) && !defined(_WIN32) && (defined(__GNUC__) || defined(__clang__))
#define SEMISELECT_X86_DISPATCH 1
#include <immintrin.h>
#endif

namespace semiselect {

namespace {

constexpr Index wide = 8;    // rows of a panel
constexpr Index tall = 4;    // rows of half a panel, against a whole one
constexpr Index depth = 256; // columns at a time: a panel stays in the first cache
constexpr Index tile = 128;  // rows of a unit of work

// sum[r * leading + s] += sum over c of |a[c * wide + r] - b[c * wide + s]|, r < tall, s < wide.
using Kernel = void (*)(Index count, const double* a, const double* b, double* sum, Index leading);

void plain_kernel(Index count, const double* a, const double* b, double* sum, Index leading) {
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

#if defined(SEMISELECT_X86_DISPATCH)
// Subtraction, sign and addition only, in the same order: the bits of the plain kernel.
__attribute__((target("avx2"))) void avx2_kernel(Index count, const double* a, const double* b,
                                                 double* sum, Index leading) {
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
#endif

Kernel best_kernel() {
#if defined(SEMISELECT_X86_DISPATCH)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) return avx2_kernel;
#endif
  return plain_kernel;
}

}  // namespace

Eigen::MatrixXd manhattan_distances(
    Index m, Index p, const std::function<void(Index first, Index count, double* out)>& fill,
    const Control& control) {
  const Kernel kernel = best_kernel();
  const Index padded = (m + wide - 1) / wide * wide;
  std::vector<std::pair<Index, Index>> tiles;
  for (Index a = 0; a < padded; a += tile) {
    for (Index b = 0; b <= a; b += tile) tiles.emplace_back(a, b);
  }

  Control quiet = control;  // several passes: none of them is the whole work
  quiet.progress = [](double) {};
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(padded, padded);  // row i at i * padded
  std::vector<double> columns(static_cast<std::size_t>(m * depth));
  std::vector<double> panels(static_cast<std::size_t>(padded * depth));
  for (Index first = 0; first < p; first += depth) {
    const Index count = std::min(depth, p - first);
    fill(first, count, columns.data());
    parallel_for(padded / wide, quiet, [&](Index panel) {
      double* to = panels.data() + panel * wide * depth;
      for (Index s = 0; s < wide; ++s) {
        const Index i = panel * wide + s;
        for (Index c = 0; c < count; ++c) to[c * wide + s] = i < m ? columns[c * m + i] : 0.0;
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

  Eigen::MatrixXd out(m, m);
  parallel_for(m, quiet, [&](Index j) {
    // Below the diagonal blocks row i holds the columns up to i only.
    for (Index i = 0; i < m; ++i) out(i, j) = sum.data()[std::max(i, j) * padded + std::min(i, j)];
  });
  return out;
}

}  // namespace semiselect
