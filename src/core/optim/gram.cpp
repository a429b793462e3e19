#include "core/optim/gram.hpp"

#include <algorithm>
#include <memory>

// GCC on Windows misaligns 32-byte spills on the stack, hence the plain kernel there.
#if defined(__x86_64__) && !defined(_WIN32) && (defined(__GNUC__) || defined(__clang__))
#define SEMISELECT_X86_DISPATCH 1
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace semiselect {

namespace {

constexpr Index panel_depth = 256;

// ---- Kernels: C (height x width, column-major) = or += the product of two packed panels ----

using Kernel = void (*)(Index depth, const double* a, const double* b, double* c, Index leading,
                        bool add);

#if defined(SEMISELECT_X86_DISPATCH)

// 8 x 6: 12 accumulators of 4, two of A, one of B: the 16 registers of AVX2.
__attribute__((target("avx2,fma"))) void kernel_avx2(Index depth, const double* a, const double* b,
                                                     double* c, Index leading, bool add) {
  __m256d s00 = _mm256_setzero_pd(), s01 = s00, s02 = s00, s03 = s00, s04 = s00, s05 = s00;
  __m256d s10 = s00, s11 = s00, s12 = s00, s13 = s00, s14 = s00, s15 = s00;
  if (add) {
    s00 = _mm256_loadu_pd(c), s10 = _mm256_loadu_pd(c + 4);
    s01 = _mm256_loadu_pd(c + leading), s11 = _mm256_loadu_pd(c + leading + 4);
    s02 = _mm256_loadu_pd(c + 2 * leading), s12 = _mm256_loadu_pd(c + 2 * leading + 4);
    s03 = _mm256_loadu_pd(c + 3 * leading), s13 = _mm256_loadu_pd(c + 3 * leading + 4);
    s04 = _mm256_loadu_pd(c + 4 * leading), s14 = _mm256_loadu_pd(c + 4 * leading + 4);
    s05 = _mm256_loadu_pd(c + 5 * leading), s15 = _mm256_loadu_pd(c + 5 * leading + 4);
  }
  __m256d t;
  for (Index d = 0; d < depth; ++d) {
    const __m256d a0 = _mm256_loadu_pd(a), a1 = _mm256_loadu_pd(a + 4);
    t = _mm256_broadcast_sd(b);
    s00 = _mm256_fmadd_pd(a0, t, s00), s10 = _mm256_fmadd_pd(a1, t, s10);
    t = _mm256_broadcast_sd(b + 1);
    s01 = _mm256_fmadd_pd(a0, t, s01), s11 = _mm256_fmadd_pd(a1, t, s11);
    t = _mm256_broadcast_sd(b + 2);
    s02 = _mm256_fmadd_pd(a0, t, s02), s12 = _mm256_fmadd_pd(a1, t, s12);
    t = _mm256_broadcast_sd(b + 3);
    s03 = _mm256_fmadd_pd(a0, t, s03), s13 = _mm256_fmadd_pd(a1, t, s13);
    t = _mm256_broadcast_sd(b + 4);
    s04 = _mm256_fmadd_pd(a0, t, s04), s14 = _mm256_fmadd_pd(a1, t, s14);
    t = _mm256_broadcast_sd(b + 5);
    s05 = _mm256_fmadd_pd(a0, t, s05), s15 = _mm256_fmadd_pd(a1, t, s15);
    a += 8;
    b += 6;
  }
  _mm256_storeu_pd(c, s00), _mm256_storeu_pd(c + 4, s10);
  _mm256_storeu_pd(c + leading, s01), _mm256_storeu_pd(c + leading + 4, s11);
  _mm256_storeu_pd(c + 2 * leading, s02), _mm256_storeu_pd(c + 2 * leading + 4, s12);
  _mm256_storeu_pd(c + 3 * leading, s03), _mm256_storeu_pd(c + 3 * leading + 4, s13);
  _mm256_storeu_pd(c + 4 * leading, s04), _mm256_storeu_pd(c + 4 * leading + 4, s14);
  _mm256_storeu_pd(c + 5 * leading, s05), _mm256_storeu_pd(c + 5 * leading + 4, s15);
}

// 24 x 8: 24 accumulators of 8. Twice the rate of AVX2 where the units are 512 bits wide.
__attribute__((target("avx512f"))) void kernel_avx512(Index depth, const double* a,
                                                      const double* b, double* c, Index leading,
                                                      bool add) {
  __m512d s00, s01, s02, s03, s04, s05, s06, s07;
  __m512d s10, s11, s12, s13, s14, s15, s16, s17;
  __m512d s20, s21, s22, s23, s24, s25, s26, s27;
  s00 = s01 = s02 = s03 = s04 = s05 = s06 = s07 = _mm512_setzero_pd();
  s10 = s11 = s12 = s13 = s14 = s15 = s16 = s17 = s00;
  s20 = s21 = s22 = s23 = s24 = s25 = s26 = s27 = s00;
  __m512d t;
  for (Index d = 0; d < depth; ++d) {
    const __m512d a0 = _mm512_loadu_pd(a);
    const __m512d a1 = _mm512_loadu_pd(a + 8);
    const __m512d a2 = _mm512_loadu_pd(a + 16);
#define SEMISELECT_STEP(j)               \
  t = _mm512_set1_pd(b[j]);              \
  s0##j = _mm512_fmadd_pd(a0, t, s0##j); \
  s1##j = _mm512_fmadd_pd(a1, t, s1##j); \
  s2##j = _mm512_fmadd_pd(a2, t, s2##j);
    SEMISELECT_STEP(0)
    SEMISELECT_STEP(1)
    SEMISELECT_STEP(2)
    SEMISELECT_STEP(3)
    SEMISELECT_STEP(4)
    SEMISELECT_STEP(5)
    SEMISELECT_STEP(6)
    SEMISELECT_STEP(7)
#undef SEMISELECT_STEP
    a += 24;
    b += 8;
  }
#define SEMISELECT_STORE(j)                                          \
  if (add) {                                                         \
    s0##j = _mm512_add_pd(s0##j, _mm512_loadu_pd(c + j * leading));  \
    s1##j = _mm512_add_pd(s1##j, _mm512_loadu_pd(c + j * leading + 8));  \
    s2##j = _mm512_add_pd(s2##j, _mm512_loadu_pd(c + j * leading + 16)); \
  }                                                                  \
  _mm512_storeu_pd(c + j * leading, s0##j);                          \
  _mm512_storeu_pd(c + j * leading + 8, s1##j);                      \
  _mm512_storeu_pd(c + j * leading + 16, s2##j);
  SEMISELECT_STORE(0)
  SEMISELECT_STORE(1)
  SEMISELECT_STORE(2)
  SEMISELECT_STORE(3)
  SEMISELECT_STORE(4)
  SEMISELECT_STORE(5)
  SEMISELECT_STORE(6)
  SEMISELECT_STORE(7)
#undef SEMISELECT_STORE
}

#endif

#if defined(__SSE2__)

// 4 x 4: 8 accumulators of 2.
void kernel_sse2(Index depth, const double* a, const double* b, double* c, Index leading,
                 bool add) {
  __m128d s00 = _mm_setzero_pd(), s01 = s00, s02 = s00, s03 = s00;
  __m128d s10 = s00, s11 = s00, s12 = s00, s13 = s00;
  __m128d t;
  for (Index d = 0; d < depth; ++d) {
    const __m128d a0 = _mm_loadu_pd(a), a1 = _mm_loadu_pd(a + 2);
    t = _mm_set1_pd(b[0]);
    s00 = _mm_add_pd(s00, _mm_mul_pd(a0, t)), s10 = _mm_add_pd(s10, _mm_mul_pd(a1, t));
    t = _mm_set1_pd(b[1]);
    s01 = _mm_add_pd(s01, _mm_mul_pd(a0, t)), s11 = _mm_add_pd(s11, _mm_mul_pd(a1, t));
    t = _mm_set1_pd(b[2]);
    s02 = _mm_add_pd(s02, _mm_mul_pd(a0, t)), s12 = _mm_add_pd(s12, _mm_mul_pd(a1, t));
    t = _mm_set1_pd(b[3]);
    s03 = _mm_add_pd(s03, _mm_mul_pd(a0, t)), s13 = _mm_add_pd(s13, _mm_mul_pd(a1, t));
    a += 4;
    b += 4;
  }
  double* c1 = c + leading;
  double* c2 = c1 + leading;
  double* c3 = c2 + leading;
  if (add) {
    s00 = _mm_add_pd(s00, _mm_loadu_pd(c)), s10 = _mm_add_pd(s10, _mm_loadu_pd(c + 2));
    s01 = _mm_add_pd(s01, _mm_loadu_pd(c1)), s11 = _mm_add_pd(s11, _mm_loadu_pd(c1 + 2));
    s02 = _mm_add_pd(s02, _mm_loadu_pd(c2)), s12 = _mm_add_pd(s12, _mm_loadu_pd(c2 + 2));
    s03 = _mm_add_pd(s03, _mm_loadu_pd(c3)), s13 = _mm_add_pd(s13, _mm_loadu_pd(c3 + 2));
  }
  _mm_storeu_pd(c, s00), _mm_storeu_pd(c + 2, s10);
  _mm_storeu_pd(c1, s01), _mm_storeu_pd(c1 + 2, s11);
  _mm_storeu_pd(c2, s02), _mm_storeu_pd(c2 + 2, s12);
  _mm_storeu_pd(c3, s03), _mm_storeu_pd(c3 + 2, s13);
}

#endif

void kernel_plain(Index depth, const double* a, const double* b, double* c, Index leading,
                  bool add) {
  double sum[16] = {};
  for (Index d = 0; d < depth; ++d) {
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 4; ++i) sum[4 * j + i] += a[i] * b[j];
    }
    a += 4;
    b += 4;
  }
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < 4; ++i) {
      double& to = c[i + j * leading];
      to = add ? to + sum[4 * j + i] : sum[4 * j + i];
    }
  }
}

struct KernelChoice {
  Kernel run;
  Index height;
  Index width;
  const char* name;
};

// Those that this machine can run, fastest first.
std::vector<KernelChoice> usable_kernels() {
  std::vector<KernelChoice> out;
#if defined(SEMISELECT_X86_DISPATCH)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) out.push_back({kernel_avx512, 24, 8, "avx512"});
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    out.push_back({kernel_avx2, 8, 6, "avx2"});
  }
#endif
#if defined(__SSE2__)
  out.push_back({kernel_sse2, 4, 4, "sse2"});
#endif
  out.push_back({kernel_plain, 4, 4, "plain"});
  return out;
}

const std::vector<KernelChoice>& kernels() {
  static const std::vector<KernelChoice> choices = usable_kernels();
  return choices;
}

// ---- Packing ----

Index rounded_up(Index count, Index multiple) { return (count + multiple - 1) / multiple * multiple; }

// So that panels do not all start at the same place of the cache.
Index panel_stride(Index width) { return width * panel_depth + 8; }

// out[0, Width) = (from - center) * factor, a fixed length that the compiler unrolls.
template <int Width>
void pack_column(const double* from, Index count, double center, double factor, const Panels& to,
                 Index c) {
  using Lane = Eigen::Array<double, Width, 1>;
  double* out = to.out + c * Width;
  Index i = 0;
  for (; i + Width <= count; i += Width, out += to.stride) {
    Eigen::Map<Lane> target(out);
    target = (Eigen::Map<const Lane>(from + i) - center) * factor;
  }
  if (i == count) return;
  for (Index r = 0; r < Width; ++r) out[r] = i + r < count ? (from[i + r] - center) * factor : 0;
}

void pack_column(const double* from, Index count, double center, double factor, const Panels& to,
                 Index c) {
  switch (to.width) {
    case 24: pack_column<24>(from, count, center, factor, to, c); break;
    case 8: pack_column<8>(from, count, center, factor, to, c); break;
    case 6: pack_column<6>(from, count, center, factor, to, c); break;
    default: pack_column<4>(from, count, center, factor, to, c);
  }
}

template <int Width>
void pack_across(const double* values, Index leading, Index count, Index depth, const Panels& to) {
  Index i = 0;
  double* out = to.out;
  for (; i + Width <= count; i += Width, out += to.stride) {
    const double* from = values + i * leading;
    for (Index c = 0; c < depth; ++c) {
      for (int r = 0; r < Width; ++r) out[c * Width + r] = from[c + r * leading];
    }
  }
  if (i == count) return;
  const double* from = values + i * leading;
  for (Index c = 0; c < depth; ++c) {
    for (int r = 0; r < Width; ++r) out[c * Width + r] = i + r < count ? from[c + r * leading] : 0;
  }
}

// ---- Blocks ----

// Packed operands of one thread.
struct Scratch {
  Eigen::VectorXd a, b;
};

// c (m x q, both rounded up) = rows of A times rows of B over columns [from, to).
void compute_block(const KernelChoice& k, const RowPacker& pack_a, const RowPacker& pack_b,
                   Index first_a, Index m, Index first_b, Index q, Index from, Index to,
                   bool symmetric, double* c, Index leading, Scratch& scratch) {
  const Index stride_a = panel_stride(k.height), stride_b = panel_stride(k.width);
  const Index panels_a = rounded_up(m, k.height) / k.height;
  const Index panels_b = rounded_up(q, k.width) / k.width;
  scratch.a.resize(panels_a * stride_a);
  scratch.b.resize(panels_b * stride_b);
  for (Index at = from; at < to; at += panel_depth) {
    const Index depth = std::min(panel_depth, to - at);
    pack_a(first_a, m, at, depth, {scratch.a.data(), k.height, stride_a});
    pack_b(first_b, q, at, depth, {scratch.b.data(), k.width, stride_b});
    for (Index s = 0; s < panels_b; ++s) {
      // The lower half: panels of A that end above the first row of this panel of B are skipped.
      const Index above = first_b + s * k.width - first_a;
      const Index start = symmetric && above > 0 ? above / k.height : 0;
      for (Index t = start; t < panels_a; ++t) {
        k.run(depth, scratch.a.data() + t * stride_a, scratch.b.data() + s * stride_b,
              c + t * k.height + s * k.width * leading, leading, at > from);
      }
    }
  }
  if (from >= to) {
    for (Index j = 0; j < q; ++j) std::fill_n(c + j * leading, m, 0.0);
  }
}

}  // namespace

std::vector<std::string> product_kernels() {
  std::vector<std::string> names;
  for (const KernelChoice& k : kernels()) names.emplace_back(k.name);
  return names;
}

RowPacker pack_rows_of(const double* values, Index leading) {
  return [=](Index first, Index count, Index from, Index depth, const Panels& to) {
    for (Index c = 0; c < depth; ++c) {
      pack_column(values + first + (from + c) * leading, count, 0, 1, to, c);
    }
  };
}

RowPacker pack_columns_of(const double* values, Index leading) {
  return [=](Index first, Index count, Index from, Index depth, const Panels& to) {
    const double* start = values + first * leading + from;
    switch (to.width) {
      case 24: pack_across<24>(start, leading, count, depth, to); break;
      case 8: pack_across<8>(start, leading, count, depth, to); break;
      case 6: pack_across<6>(start, leading, count, depth, to); break;
      default: pack_across<4>(start, leading, count, depth, to);
    }
  };
}

RowPacker pack_data_rows(const FeatureMatrix& x, const Eigen::VectorXd& center,
                         const Eigen::VectorXd& factor) {
  return [&x, &center, &factor](Index first, Index count, Index from, Index depth,
                                const Panels& to) {
    const bool by_row = x.scale() == Scale::unit;
    Eigen::VectorXd values(x.is_sparse() || by_row ? count : 0);
    for (Index c = 0; c < depth; ++c) {
      const Index j = from + c;
      const StoredColumn column = x.stored_column(j);
      const double* f = column.row ? nullptr : column.value + first;
      if (column.row) {
        values.setZero();
        const int* end = column.row + column.count;
        const int* at = std::lower_bound(column.row, end, static_cast<int>(first));
        for (; at != end && *at < first + count; ++at) {
          values(*at - first) = column.value[at - column.row] / x.row_divisor(*at);
        }
        f = values.data();
      } else if (by_row) {
        for (Index i = 0; i < count; ++i) values(i) = f[i] / x.row_divisor(first + i);
        f = values.data();
      }
      pack_column(f, count, center(j), factor(j), to, c);
    }
  };
}

RowPacker pack_listed_rows(const FeatureMatrix& x, const std::vector<int>& rows,
                           const Eigen::VectorXd& center, const Eigen::VectorXd& factor) {
  return [&x, &rows, &center, &factor](Index first, Index count, Index from, Index depth,
                                       const Panels& to) {
    Eigen::VectorXd all(x.is_sparse() ? x.n() : 0);
    if (x.is_sparse()) all.setZero();
    Eigen::VectorXd values(count);
    for (Index c = 0; c < depth; ++c) {
      const Index j = from + c;
      const StoredColumn column = x.stored_column(j);
      const double* f = column.value;
      if (column.row) {
        for (Index e = 0; e < column.count; ++e) all(column.row[e]) = column.value[e];
        f = all.data();
      }
      for (Index i = 0; i < count; ++i) {
        const int row = rows[static_cast<std::size_t>(first + i)];
        values(i) = f[row] / x.row_divisor(row);
      }
      if (column.row) {
        for (Index e = 0; e < column.count; ++e) all(column.row[e]) = 0;
      }
      pack_column(values.data(), count, center(j), factor(j), to, c);
    }
  };
}

Index product_block_rows(const ProductShape& shape) {
  // Large blocks are packed less often; but a block must neither take long (interrupts) nor
  // leave threads idle.
  const Index rows = std::max(shape.rows_a, shape.rows_b);
  const Index largest = rows >= 2000 && shape.depth <= 50000 ? 480 : 240;
  const Index blocks = std::max<Index>((rows + largest - 1) / largest, 1);
  return rounded_up((rows + blocks - 1) / blocks, product_multiple);
}

void for_each_product_block(const ProductShape& shape, const RowPacker& a, const RowPacker& b,
                            const Control& control,
                            const std::function<void(const ProductBlock&)>& sink) {
  const KernelChoice& k = kernels().at(static_cast<std::size_t>(shape.kernel));
  const Index size = product_block_rows(shape);
  if (size == 0 || shape.rows_a == 0 || shape.rows_b == 0) return;
  struct Unit {
    Index first_a, m, first_b, q;
  };
  std::vector<Unit> units;
  for (Index i = 0; i < shape.rows_a; i += size) {
    for (Index j = 0; j < shape.rows_b; j += size) {
      if (shape.symmetric && j > i) break;
      units.push_back({i, std::min(size, shape.rows_a - i), j, std::min(size, shape.rows_b - j)});
    }
  }
  const Index count = static_cast<Index>(units.size());

  // Few blocks of great depth: the depth is cut, by the shape alone so that sums keep their order.
  const Index cuts = std::max<Index>(
      1, std::min<Index>(count >= 6 ? 1 : 8 / count, shape.depth / (4 * panel_depth)));
  if (cuts == 1) {
    parallel_for(count, control, [&](Index u) {
      const Unit& unit = units[static_cast<std::size_t>(u)];
      const Index leading = rounded_up(unit.m, product_multiple);
      Eigen::MatrixXd c(leading, rounded_up(unit.q, product_multiple));
      Scratch scratch;
      compute_block(k, a, b, unit.first_a, unit.m, unit.first_b, unit.q, 0, shape.depth,
                    shape.symmetric, c.data(), leading, scratch);
      sink({unit.first_a, unit.m, unit.first_b, unit.q, c.data(), leading});
    });
    return;
  }

  std::vector<Eigen::MatrixXd> parts(static_cast<std::size_t>(count * cuts));
  parallel_for(count * cuts, control, [&](Index part) {
    const Unit& unit = units[static_cast<std::size_t>(part / cuts)];
    const Index cut = part % cuts;
    const Index leading = rounded_up(unit.m, product_multiple);
    Eigen::MatrixXd& c = parts[static_cast<std::size_t>(part)];
    c.setZero(leading, rounded_up(unit.q, product_multiple));
    Scratch scratch;
    compute_block(k, a, b, unit.first_a, unit.m, unit.first_b, unit.q, cut * shape.depth / cuts,
                  (cut + 1) * shape.depth / cuts, shape.symmetric, c.data(), leading, scratch);
  });
  parallel_for(count, control, [&](Index u) {
    const Unit& unit = units[static_cast<std::size_t>(u)];
    Eigen::MatrixXd& c = parts[static_cast<std::size_t>(u * cuts)];
    for (Index cut = 1; cut < cuts; ++cut) c += parts[static_cast<std::size_t>(u * cuts + cut)];
    sink({unit.first_a, unit.m, unit.first_b, unit.q, c.data(), c.rows()});
  });
}

namespace {

Eigen::MatrixXd general_product(Index rows_a, Index rows_b, Index depth, const RowPacker& a,
                                const RowPacker& b, const Control& control) {
  Eigen::MatrixXd out(rows_a, rows_b);
  for_each_product_block({rows_a, rows_b, depth}, a, b, control, [&](const ProductBlock& block) {
    for (Index j = 0; j < block.q; ++j) {
      std::copy_n(block.value + j * block.leading, block.m,
                  out.data() + block.first_a + (block.first_b + j) * rows_a);
    }
  });
  return out;
}

Eigen::MatrixXd symmetric_product(Index rows, Index depth, const RowPacker& a,
                                  const Control& control) {
  Eigen::MatrixXd out(rows, rows);
  for_each_product_block({rows, rows, depth, true}, a, a, control, [&](const ProductBlock& block) {
    for (Index j = 0; j < block.q; ++j) {
      const double* from = block.value + j * block.leading;
      const Index column = block.first_b + j;
      const Index start = std::max<Index>(0, column - block.first_a);
      for (Index i = start; i < block.m; ++i) out(block.first_a + i, column) = from[i];
      for (Index i = start; i < block.m; ++i) out(column, block.first_a + i) = from[i];
    }
  });
  return out;
}

// a_ic = x_ic / row_divisor_i / divisor_c by rows, columns ascending.
struct SparseRows {
  std::vector<Index> start;
  std::vector<int> column;
  std::vector<double> value;
};

SparseRows sparse_rows(const FeatureMatrix& z) {
  SparseRows out;
  out.start.assign(static_cast<std::size_t>(z.n() + 1), 0);
  for (Index c = 0; c < z.p(); ++c) {
    z.for_each_stored(c, [&](Index i, double) { ++out.start[i + 1]; });
  }
  for (Index i = 0; i < z.n(); ++i) out.start[i + 1] += out.start[i];
  out.column.resize(static_cast<std::size_t>(z.stored()));
  out.value.resize(out.column.size());
  std::vector<Index> next(out.start.begin(), out.start.end() - 1);
  for (Index c = 0; c < z.p(); ++c) {
    const double divisor = z.divisor(c);
    z.for_each_stored(c, [&](Index i, double v) {
      out.column[next[i]] = static_cast<int>(c);
      out.value[next[i]++] = v / divisor;
    });
  }
  return out;
}

}  // namespace

Eigen::MatrixXd multiply(const ConstMatrixRef& a, const ConstMatrixRef& b, const Control& control) {
  return general_product(a.rows(), b.cols(), a.cols(), pack_rows_of(a.data(), a.outerStride()),
                         pack_columns_of(b.data(), b.outerStride()), control);
}

Eigen::MatrixXd transposed_multiply(const ConstMatrixRef& a, const ConstMatrixRef& b,
                                    const Control& control) {
  return general_product(a.cols(), b.cols(), a.rows(), pack_columns_of(a.data(), a.outerStride()),
                         pack_columns_of(b.data(), b.outerStride()), control);
}

Eigen::MatrixXd multiply_transposed(const ConstMatrixRef& a, const ConstMatrixRef& b,
                                    const Control& control) {
  return general_product(a.rows(), b.rows(), a.cols(), pack_rows_of(a.data(), a.outerStride()),
                         pack_rows_of(b.data(), b.outerStride()), control);
}

Eigen::MatrixXd gram_rows(const ConstMatrixRef& a, const Control& control) {
  return symmetric_product(a.rows(), a.cols(), pack_rows_of(a.data(), a.outerStride()), control);
}

Eigen::MatrixXd gram_columns(const ConstMatrixRef& a, const Control& control) {
  return symmetric_product(a.cols(), a.rows(), pack_columns_of(a.data(), a.outerStride()), control);
}

Eigen::MatrixXd gram_rows(const FeatureMatrix& z, const Control& control) {
  const Index n = z.n(), p = z.p();
  if (!z.is_sparse()) {
    Eigen::VectorXd center(p), factor(p);
    for (Index c = 0; c < p; ++c) {
      center(c) = z.shift(c);
      factor(c) = 1 / z.divisor(c);
    }
    return symmetric_product(n, p, pack_data_rows(z, center, factor), control);
  }

  const SparseRows rows = sparse_rows(z);
  Eigen::VectorXd m(p);
  for (Index c = 0; c < p; ++c) m(c) = z.shift(c) / z.divisor(c);
  const double mm = m.squaredNorm();
  Eigen::VectorXd am = Eigen::VectorXd::Zero(n);
  for (Index i = 0; i < n; ++i) {
    for (Index e = rows.start[i]; e < rows.start[i + 1]; ++e) am(i) += rows.value[e] * m(rows.column[e]);
  }
  Eigen::MatrixXd out(n, n);
  parallel_for(n, control, [&](Index i) {
    auto sum = out.col(i);
    sum.setZero();
    for (Index e = rows.start[i]; e < rows.start[i + 1]; ++e) {
      const Index c = rows.column[e];
      const double weight = rows.value[e];
      const double divisor = z.divisor(c);
      z.for_each_stored(c, [&](Index j, double v) { sum(j) += weight * (v / divisor); });
    }
    if (z.has_shift()) {
      for (Index j = 0; j < n; ++j) sum(j) = sum(j) - (am(i) + am(j)) + mm;
    }
  });
  return out;
}

Eigen::MatrixXd gram_columns(const FeatureMatrix& z, const Control& control) {
  const Index n = z.n(), p = z.p();
  if (!z.is_sparse()) {
    // Columns of z are the rows of the product: scaled while they are packed.
    const RowPacker pack = [&z, n](Index first, Index count, Index from, Index depth,
                                   const Panels& to) {
      Eigen::MatrixXd values(depth, count);
      for (Index r = 0; r < count; ++r) {
        const Index j = first + r;
        const double* f = z.stored_column(j).value + from;
        const double shift = z.shift(j), divisor = z.divisor(j);
        if (z.scale() == Scale::unit) {
          for (Index c = 0; c < depth; ++c) {
            values(c, r) = (f[c] / z.row_divisor(from + c) - shift) / divisor;
          }
        } else {
          const Eigen::Map<const Eigen::ArrayXd> column(f, depth);
          values.col(r) = (column - shift) / divisor;
        }
      }
      pack_columns_of(values.data(), depth)(0, count, 0, depth, to);
    };
    return symmetric_product(p, n, pack, control);
  }

  const SparseRows rows = sparse_rows(z);
  Eigen::VectorXd total = Eigen::VectorXd::Zero(p);  // of the columns of a = v / divisor
  for (Index c = 0; c < p; ++c) {
    z.for_each_stored(c, [&](Index, double v) { total(c) += v / z.divisor(c); });
  }
  Eigen::MatrixXd out(p, p);
  parallel_for(p, control, [&](Index r) {
    auto sum = out.col(r);
    sum.setZero();
    const double divisor = z.divisor(r);
    z.for_each_stored(r, [&](Index i, double v) {
      const double weight = v / divisor;
      for (Index e = rows.start[i]; e < rows.start[i + 1]; ++e) {
        sum(rows.column[e]) += weight * rows.value[e];
      }
    });
    if (z.has_shift()) {
      const double mr = z.shift(r) / divisor;
      for (Index c = 0; c < p; ++c) {
        const double mc = z.shift(c) / z.divisor(c);
        sum(c) = sum(c) - (total(r) * mc + total(c) * mr) + static_cast<double>(n) * (mr * mc);
      }
    }
  });
  return out;
}

}  // namespace semiselect
