#include <catch2/catch.hpp>

#include "core/optim/conjugate_gradient.hpp"
#include "core/optim/dense.hpp"
#include "core/run/rng.hpp"

using namespace semiselect;

namespace {

Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index cols, std::uint64_t seed) {
  Rng rng(seed, 0);
  Eigen::MatrixXd out(rows, cols);
  for (Eigen::Index i = 0; i < out.size(); ++i) out.data()[i] = rng.normal();
  return out;
}

SymmetricProduct product_with(const Eigen::MatrixXd& a) {
  return [&a](const Eigen::VectorXd& v, Eigen::VectorXd& out) { out = a * v; };
}

}  // namespace

TEST_CASE("conjugate gradients", "[optim]") {
  const Eigen::MatrixXd half = random_matrix(30, 12, 1);
  Eigen::MatrixXd a = half.transpose() * half + Eigen::MatrixXd::Identity(12, 12);
  const Eigen::MatrixXd b = random_matrix(12, 3, 2);
  const Control control;

  SECTION("solve what a dense factorization solves, with and without the diagonal") {
    const Eigen::MatrixXd exact = Cholesky(a).solve(b);
    for (const Eigen::VectorXd& diagonal : {Eigen::VectorXd(), Eigen::VectorXd(a.diagonal())}) {
      const ConjugateGradientSolution s =
          conjugate_gradients(product_with(a), b, diagonal, {}, control);
      CHECK(s.converged);
      CHECK((s.x - exact).norm() <= 1e-11 * exact.norm());
      CHECK(s.residual.maxCoeff() <= 1e-11);
      CHECK(s.iterations[0] <= 20);
    }
  }
  SECTION("a diagonal matrix takes one step with its diagonal as preconditioner") {
    const Eigen::MatrixXd d = Eigen::VectorXd::LinSpaced(12, 1, 1e6).asDiagonal();
    const ConjugateGradientSolution s =
        conjugate_gradients(product_with(d), b, d.diagonal(), {}, control);
    CHECK(s.iterations[0] == 1);
  }
  SECTION("never leave the block that the right-hand side touches") {
    a.topRightCorner(6, 6).setZero();
    a.bottomLeftCorner(6, 6).setZero();
    Eigen::MatrixXd top = b;
    top.bottomRows(6).setZero();
    const ConjugateGradientSolution s =
        conjugate_gradients(product_with(a), top, a.diagonal(), {}, control);
    CHECK(s.x.bottomRows(6) == Eigen::MatrixXd::Zero(6, 3));
  }
  SECTION("say when the limit came first, and answer 0 to 0") {
    ConjugateGradientOptions few;
    few.max_iter = 2;
    const ConjugateGradientSolution s = conjugate_gradients(product_with(a), b, {}, few, control);
    CHECK_FALSE(s.converged);
    CHECK(s.iterations == std::vector<int>{2, 2, 2});
    const ConjugateGradientSolution zero =
        conjugate_gradients(product_with(a), Eigen::MatrixXd::Zero(12, 1), {}, few, control);
    CHECK(zero.converged);
    CHECK(zero.x.norm() == 0);
  }
  SECTION("are the same for any number of threads") {
    Control two;
    two.threads = 2;
    CHECK(conjugate_gradients(product_with(a), b, {}, {}, two).x ==
          conjugate_gradients(product_with(a), b, {}, {}, control).x);
  }
}
