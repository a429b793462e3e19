#pragma once

#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "core/data/matrix.hpp"
#include "core/run/parallel.hpp"

namespace semiselect {

// Dense products at the speed of the machine: packed panels, a register-blocked kernel chosen
// once at run time (AVX-512, AVX2 with FMA, SSE2 or plain C++), threads over blocks of the result.
//
// Every entry is summed in one order that depends on the shapes alone, so the result has the same
// bits for any number of threads. Kernels differ among each other by rounding.

using ConstMatrixRef = Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

// A B, A'B and A B'. 2 m k q flops.
Eigen::MatrixXd multiply(const ConstMatrixRef& a, const ConstMatrixRef& b, const Control& control);
Eigen::MatrixXd transposed_multiply(const ConstMatrixRef& a, const ConstMatrixRef& b,
                                    const Control& control);
Eigen::MatrixXd multiply_transposed(const ConstMatrixRef& a, const ConstMatrixRef& b,
                                    const Control& control);

// Gram matrices A A' (of the rows) and A'A (of the columns), symmetric to the last bit; half the
// flops of the general product.
Eigen::MatrixXd gram_rows(const ConstMatrixRef& a, const Control& control);
Eigen::MatrixXd gram_columns(const ConstMatrixRef& a, const Control& control);

// Z Z' (n x n) and Z'Z (p x p) of the scaled data. Sparse data stay sparse: products of the
// stored entries, the shift of the columns applied afterwards (z_i'z_j = a_i'a_j - a_i'm - a_j'm
// + m'm); cost sum over columns (rows) of the squared number of their entries, plus the result.
Eigen::MatrixXd gram_rows(const FeatureMatrix& z, const Control& control);
Eigen::MatrixXd gram_columns(const FeatureMatrix& z, const Control& control);

// The kernels that this machine can run, fastest first, of "avx512", "avx2", "sse2", "plain".
// Products above take the first.
std::vector<std::string> product_kernels();

// ---- Blocks, for callers that never want the whole product ----

// Widths and heights of kernels divide it: blocks have that many rows, rounded up.
constexpr Index product_multiple = 24;

// Where an operand's rows go when packed: panels of `width` rows, panel t at out + t * stride,
// entry (row r of the panel, column c) at c * width + r. Rows beyond the last are set to 0.
struct Panels {
  double* out;
  Index width;
  Index stride;
};

// Packs rows [first, first + count) by columns [from, from + depth) of one operand.
using RowPacker =
    std::function<void(Index first, Index count, Index from, Index depth, const Panels& to)>;

// The rows of a column-major matrix, and its columns taken as rows.
RowPacker pack_rows_of(const double* values, Index leading);
RowPacker pack_columns_of(const double* values, Index leading);
// Rows of the data, entry (x_ic / row_divisor_i - center_c) * factor_c. The vectors must outlive
// the packer.
RowPacker pack_data_rows(const FeatureMatrix& x, const Eigen::VectorXd& center,
                         const Eigen::VectorXd& factor);
// The listed rows of another packer's matrix are not contiguous: entry by entry, for few rows.
RowPacker pack_listed_rows(const FeatureMatrix& x, const std::vector<int>& rows,
                           const Eigen::VectorXd& center, const Eigen::VectorXd& factor);

// A finished block of A B': entry (i, j), i in [0, m), j in [0, q), is value[i + j * leading] and
// belongs to rows first_a + i of A and first_b + j of B. Symmetric products: only blocks with
// first_a >= first_b, and only entries first_a + i >= first_b + j are set.
struct ProductBlock {
  Index first_a, m;
  Index first_b, q;
  const double* value;
  Index leading;
};

struct ProductShape {
  Index rows_a;
  Index rows_b;
  Index depth;             // columns of both
  bool symmetric = false;  // B is A: lower half only
  int kernel = 0;          // number in product_kernels()
};

// How many rows a block has at most; blocks start at its multiples.
Index product_block_rows(const ProductShape& shape);

// Computes A B' block by block and hands each to `sink`, on any thread, in any order.
void for_each_product_block(const ProductShape& shape, const RowPacker& a, const RowPacker& b,
                            const Control& control,
                            const std::function<void(const ProductBlock&)>& sink);

}  // namespace semiselect
