#include <cmath>

#include <catch2/catch.hpp>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "core/graph/manifold_kernel.hpp"
#include "core/optim/blocked.hpp"
#include "core/run/rng.hpp"

using namespace semiselect;
using Eigen::MatrixXd;

namespace {

MatrixXd random_matrix(Rng& rng, Index rows, Index columns) {
  MatrixXd x(rows, columns);
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) x(i, j) = rng.normal();
  }
  return x;
}

// A ring within each part, and some chords.
Graph ring(Rng& rng, Index n, int parts) {
  std::vector<Edge> edges;
  const Index size = n / parts;
  for (int part = 0; part < parts; ++part) {
    const int first = static_cast<int>(part * size);
    const int last = static_cast<int>(part + 1 == parts ? n : (part + 1) * size) - 1;
    for (int i = first; i < last; ++i) edges.push_back({i, i + 1, 0.5 + rng.uniform()});
    for (int i = first; i + 3 <= last; i += 2) edges.push_back({i, i + 3, 0.5 + rng.uniform()});
  }
  return make_graph(n, edges);
}

MatrixXd laplacian(const Graph& graph) {
  MatrixXd l = -MatrixXd(graph.w);
  l.diagonal() += graph.degree;
  return l;
}

MatrixXd centered(MatrixXd x) {
  x.rowwise() -= Eigen::RowVectorXd(x.colwise().mean());
  return x;
}

MatrixXd pick(const MatrixXd& a, const std::vector<Index>& rows) {
  MatrixXd out(static_cast<Index>(rows.size()), a.cols());
  for (Index i = 0; i < out.rows(); ++i) out.row(i) = a.row(rows[i]);
  return out;
}

// The pseudo-inverse as the definition has it: eigenvalues below 1e-10 of the largest dropped.
MatrixXd pseudo_inverse(const MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(a);
  const double largest = eigen.eigenvalues().maxCoeff();
  Eigen::VectorXd inverse = Eigen::VectorXd::Zero(a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    if (eigen.eigenvalues()(i) > 1e-10 * largest) inverse(i) = 1 / eigen.eigenvalues()(i);
  }
  return eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace

TEST_CASE("blocked factorizations solve what they factor", "[optim]") {
  Rng rng(4, 0);
  for (const Index n : {5, 128, 129, 300, 600}) {
    const MatrixXd a = random_matrix(rng, n, n);
    const MatrixXd b = random_matrix(rng, n, 3);
    const BlockedLu lu(a, Control());
    REQUIRE(lu.ok());
    CHECK((a * lu.solve(b) - b).norm() <= 1e-8 * b.norm());
    MatrixXd spd = a * a.transpose();
    spd.diagonal().array() += 1;
    const BlockedCholesky cholesky(spd, Control());
    REQUIRE(cholesky.ok());
    CHECK((spd * cholesky.solve(b) - b).norm() <= 1e-8 * b.norm());
    spd(n / 2, n / 2) = -1;
    CHECK_FALSE(BlockedCholesky(spd, Control()).ok());
  }
  CHECK_FALSE(BlockedLu(MatrixXd::Zero(3, 3), Control()).ok());
}

TEST_CASE("count_components counts rows without an edge", "[graph]") {
  CHECK(count_components(make_graph(5, {{0, 1, 1.0}, {1, 2, 0.5}})) == 3);
  CHECK(count_components(make_graph(3, {{0, 1, 1.0}, {1, 2, 0.0}})) == 2);
}

TEST_CASE("weighted_gram equals X D X' for dense and thin columns", "[graph]") {
  Rng rng(8, 0);
  MatrixXd x = random_matrix(rng, 12, 9);
  for (Index j = 0; j < 6; ++j) {
    for (Index i = 0; i < 12; ++i) {
      if ((i + j) % 6 != 0) x(i, j) = 0;  // two entries of twelve
    }
  }
  Eigen::VectorXd weight = random_matrix(rng, 9, 1).cwiseAbs();
  weight(3) = 0;
  const Eigen::SparseMatrix<double> s = x.sparseView();
  const FeatureMatrix thin =
      FeatureMatrix::sparse(s.valuePtr(), s.innerIndexPtr(), s.outerIndexPtr(), 12, 9);
  for (const Scale scale : {Scale::none, Scale::standardize, Scale::unit}) {
    const FeatureMatrix z = thin.scaled(scale);
    const MatrixXd c = centered(z.to_dense());
    const MatrixXd expected = c * weight.asDiagonal() * c.transpose();
    CHECK((weighted_gram(z, column_means(z), weight, Control()) - expected).norm() <= 1e-12);
    const FeatureMatrix full = FeatureMatrix::dense(z.to_dense());
    CHECK((weighted_gram(full, column_means(full), weight, Control()) - expected).norm() <= 1e-12);
  }
}

TEST_CASE("all routes to H agree with the definition", "[graph]") {
  Rng rng(21, 0);
  const std::vector<Index> rows{0, 3, 7, 12, 22, 28};
  for (const Index d : {5, 28, 30, 33, 60}) {
    for (const int parts : {1, 2}) {
      const Graph graph = ring(rng, 30, parts);
      MatrixXd x = random_matrix(rng, 30, d);
      x.col(0).array() += 40;  // an offset must not matter
      const FeatureMatrix z = FeatureMatrix::dense(x);
      const MatrixXd c = centered(x);
      const MatrixXd smooth = c.transpose() * laplacian(graph) * c;
      const MatrixXd labelled = pick(c, rows);
      const MatrixXd u = random_matrix(rng, 6, 2);
      for (const double eps : {0.1, 1e-4}) {
        const MatrixXd inverse = (smooth + eps * MatrixXd::Identity(d, d)).inverse();
        const MatrixXd expected = labelled * inverse * labelled.transpose();
        for (const ManifoldRoute route :
             {ManifoldRoute::features, ManifoldRoute::samples, ManifoldRoute::iterative}) {
          const ManifoldKernel k = manifold_kernel(z, graph, rows, eps, route, Control());
          CAPTURE(d, parts, eps, static_cast<int>(route));
          const double tol = route == ManifoldRoute::iterative ? 1e-7 : 1e-9;
          CHECK((k.h - expected).norm() <= tol * expected.norm());
          CHECK((k.h - k.h.transpose()).norm() == 0);
          const MatrixXd w = inverse * labelled.transpose() * u;
          CHECK((k.weights(u) - w).norm() <= 10 * tol * w.norm());
        }
      }
      // The pseudo-inverse of Z, also where the graph falls into parts.
      const MatrixXd plus = pseudo_inverse(smooth);
      const MatrixXd expected = labelled * plus * labelled.transpose();
      CAPTURE(d, parts);
      for (const ManifoldRoute route : {ManifoldRoute::features, ManifoldRoute::samples}) {
        const ManifoldKernel k = manifold_kernel(z, graph, rows, 0, route, Control());
        CHECK((k.h - expected).norm() <= 1e-8 * expected.norm());
        const MatrixXd w = plus * labelled.transpose() * u;
        CHECK((k.weights(u) - w).norm() <= 1e-7 * w.norm());
      }
      if (d >= 30 && parts == 1) {
        // H does not depend on x any more: the labelled block of L^+.
        const MatrixXd l_plus = pseudo_inverse(laplacian(graph));
        const MatrixXd block = pick(MatrixXd(pick(l_plus, rows).transpose()), rows);
        const ManifoldKernel k =
            manifold_kernel(z, graph, rows, 0, ManifoldRoute::laplacian, Control());
        CHECK((k.h - block).norm() <= 1e-10 * block.norm());
        CHECK((k.h - expected).norm() <= 1e-8 * expected.norm());
        const MatrixXd centered_u = u.rowwise() - Eigen::RowVectorXd(u.colwise().mean());
        const MatrixXd w = plus * labelled.transpose() * centered_u;
        CHECK((k.weights(centered_u) - w).norm() <= 1e-6 * w.norm());
        CHECK(manifold_kernel(z, graph, rows, 0, ManifoldRoute::automatic, Control()).route ==
              (d <= 30 ? ManifoldRoute::features : ManifoldRoute::laplacian));
      }
    }
  }
}

TEST_CASE("the iterative route has the pseudo-inverse on a graph in parts", "[graph]") {
  Rng rng(2, 0);
  const Graph graph = ring(rng, 24, 2);
  const MatrixXd x = random_matrix(rng, 24, 8);
  const MatrixXd c = centered(x);
  const std::vector<Index> rows{1, 5, 14, 20};
  const MatrixXd plus = pseudo_inverse(c.transpose() * laplacian(graph) * c);
  const MatrixXd expected = pick(c, rows) * plus * pick(c, rows).transpose();
  const ManifoldKernel k = manifold_kernel(FeatureMatrix::dense(x), graph, rows, 0,
                                           ManifoldRoute::iterative, Control());
  CHECK((k.h - expected).norm() <= 1e-6 * expected.norm());
}

TEST_CASE("rows without full rank go from L^+ to the general route", "[graph]") {
  Rng rng(9, 0);
  const Graph graph = ring(rng, 12, 1);
  MatrixXd x = random_matrix(rng, 12, 20);
  x.row(4) = x.row(9);
  const FeatureMatrix z = FeatureMatrix::dense(x);
  const std::vector<Index> rows{0, 4, 9};
  const ManifoldKernel k = manifold_kernel(z, graph, rows, 0, ManifoldRoute::automatic, Control());
  CHECK(k.route == ManifoldRoute::samples);
  const MatrixXd c = centered(x);
  const MatrixXd plus = pseudo_inverse(c.transpose() * laplacian(graph) * c);
  const MatrixXd expected = pick(c, rows) * plus * pick(c, rows).transpose();
  CHECK((k.h - expected).norm() <= 1e-8 * expected.norm());
}
