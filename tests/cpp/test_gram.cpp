#include <catch2/catch.hpp>

#include "core/optim/gram.hpp"
#include "examples.hpp"
#include "storage.hpp"

using namespace semiselect;
using examples::gaussian;
using examples::with_threads;

namespace {

// The triple loop.
Eigen::MatrixXd naive(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(a.rows(), b.cols());
  for (Index j = 0; j < b.cols(); ++j) {
    for (Index c = 0; c < a.cols(); ++c) {
      for (Index i = 0; i < a.rows(); ++i) out(i, j) += a(i, c) * b(c, j);
    }
  }
  return out;
}

double gap(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("products equal the triple loop at every shape of the edges", "[gram]") {
  struct Shape {
    Index m, k, q;
  };
  for (const Shape s : {Shape{1, 1, 1}, Shape{7, 3, 5}, Shape{24, 256, 24}, Shape{25, 257, 49},
                        Shape{30, 1100, 31}, Shape{509, 40, 270}, Shape{3, 600, 2}}) {
    CAPTURE(s.m, s.k, s.q);
    const Eigen::MatrixXd a = gaussian(s.m, s.k, 1), b = gaussian(s.k, s.q, 2);
    const Eigen::MatrixXd at = a.transpose(), bt = b.transpose();
    const Eigen::MatrixXd expected = naive(a, b);
    const double tolerance = 1e-13 * static_cast<double>(s.k);
    const Control control = with_threads(2);
    CHECK(gap(multiply(a, b, control), expected) <= tolerance);
    CHECK(gap(transposed_multiply(at, b, control), expected) <= tolerance);
    CHECK(gap(multiply_transposed(a, bt, control), expected) <= tolerance);
    CHECK(gap(gram_rows(a, control), naive(a, at)) <= tolerance);
    CHECK(gap(gram_columns(a, control), naive(at, a)) <= tolerance);
  }
}

TEST_CASE("every kernel of this machine gives the product of whole numbers exactly", "[gram]") {
  const Eigen::MatrixXd a = (10 * gaussian(70, 300, 8)).array().round();
  const Eigen::MatrixXd b = (10 * gaussian(53, 300, 9)).array().round();
  const Eigen::MatrixXd expected = naive(a, b.transpose());
  const RowPacker rows_a = pack_rows_of(a.data(), a.rows()), rows_b = pack_rows_of(b.data(), b.rows());
  for (std::size_t kernel = 0; kernel < product_kernels().size(); ++kernel) {
    CAPTURE(product_kernels()[kernel]);
    Eigen::MatrixXd out(a.rows(), b.rows());
    ProductShape shape{a.rows(), b.rows(), a.cols()};
    shape.kernel = static_cast<int>(kernel);
    for_each_product_block(shape, rows_a, rows_b, Control(), [&](const ProductBlock& block) {
      for (Index j = 0; j < block.q; ++j) {
        for (Index i = 0; i < block.m; ++i) {
          out(block.first_a + i, block.first_b + j) = block.value[i + j * block.leading];
        }
      }
    });
    CHECK(out == expected);
  }
}

TEST_CASE("products of integers are exact and of empty matrices zero", "[gram]") {
  Eigen::MatrixXd a = (10 * gaussian(70, 300, 3)).array().round();
  const Eigen::MatrixXd at = a.transpose();
  CHECK(gram_rows(a, Control()) == naive(a, at));
  CHECK(multiply(Eigen::MatrixXd(4, 0), Eigen::MatrixXd(0, 3), Control()) ==
        Eigen::MatrixXd::Zero(4, 3));
  CHECK(multiply(Eigen::MatrixXd(0, 2), Eigen::MatrixXd(2, 3), Control()).rows() == 0);
}

TEST_CASE("a block of a larger matrix is multiplied in place", "[gram]") {
  const Eigen::MatrixXd a = gaussian(60, 40, 4), b = gaussian(40, 50, 5);
  const Eigen::MatrixXd part = naive(a.block(3, 2, 30, 11), b.block(5, 7, 11, 20));
  CHECK(gap(multiply(a.block(3, 2, 30, 11), b.block(5, 7, 11, 20), Control()), part) < 1e-12);
}

TEST_CASE("Gram matrices are symmetric and the same for any number of threads", "[gram]") {
  for (const Index n : {Index(30), Index(700)}) {
    const Eigen::MatrixXd a = gaussian(n, 5000 / (n / 30), 6);
    const Eigen::MatrixXd one = gram_rows(a, with_threads(1));
    CHECK(one == one.transpose());
    CHECK(one == gram_rows(a, with_threads(2)));
    CHECK(one == gram_rows(a, with_threads(5)));
  }
}

TEST_CASE("Gram matrices of the data do not depend on storage", "[gram]") {
  Eigen::MatrixXd x = gaussian(40, 30, 7);
  x = (x.array() > 0.7).select(x.array(), 0.0);
  x.row(5).setZero();
  x.col(6).setZero();
  const Sparse stored(x);
  for (const Scale scale : {Scale::none, Scale::standardize, Scale::range, Scale::unit}) {
    CAPTURE(static_cast<int>(scale));
    const FeatureMatrix dense = FeatureMatrix::dense(x.data(), x.rows(), x.cols()).scaled(scale);
    const FeatureMatrix sparse = stored.view().scaled(scale);
    const Eigen::MatrixXd z = dense.to_dense();
    CHECK(gap(gram_rows(dense, with_threads(2)), naive(z, z.transpose())) < 1e-12);
    CHECK(gap(gram_columns(dense, with_threads(2)), naive(z.transpose(), z)) < 1e-12);
    CHECK(gap(gram_rows(sparse, with_threads(2)), naive(z, z.transpose())) < 1e-12);
    CHECK(gap(gram_columns(sparse, with_threads(2)), naive(z.transpose(), z)) < 1e-12);
  }
}
