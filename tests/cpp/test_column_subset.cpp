#include <catch2/catch.hpp>

#include "core/data/column_subset.hpp"
#include "core/run/rng.hpp"

using namespace semiselect;

namespace {

const Control control;

// Half of the entries are zero, the last column has a large offset.
Eigen::MatrixXd half_empty(Index n, Index p) {
  Rng rng(3, 0);
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(n, p);
  for (Index i = 0; i < x.size(); ++i) {
    if (rng.uniform() < 0.5) x.data()[i] = rng.normal() + 1;
  }
  x.col(p - 1).array() += 20;
  return x;
}

struct Sparse {
  std::vector<double> values;
  std::vector<int> inner, outer{0};
  FeatureMatrix view;
  explicit Sparse(const Eigen::MatrixXd& x) {
    for (Index j = 0; j < x.cols(); ++j) {
      for (Index i = 0; i < x.rows(); ++i) {
        if (x(i, j) == 0) continue;
        values.push_back(x(i, j));
        inner.push_back(static_cast<int>(i));
      }
      outer.push_back(static_cast<int>(values.size()));
    }
    view = FeatureMatrix::sparse(values.data(), inner.data(), outer.data(), x.rows(), x.cols());
  }
};

}  // namespace

TEST_CASE("a column subset does what its dense copy does", "[column_subset]") {
  const Index n = 23, p = 600;  // several blocks
  const Eigen::MatrixXd x = half_empty(n, p);
  const Sparse sparse(x);
  Rng rng(4, 0);
  const auto random = [&](Index rows, Index cols) {
    Eigen::MatrixXd out(rows, cols);
    for (Index i = 0; i < out.size(); ++i) out.data()[i] = rng.uniform();
    return out;
  };
  const Eigen::MatrixXd v = random(p, 1), u = random(n, 1), m = random(4, n);
  Eigen::MatrixXd l = -random(n, n);
  l = (l + l.transpose()).eval();
  l.diagonal().array() -= l.rowwise().sum().array();

  for (const Scale scale : {Scale::none, Scale::standardize, Scale::range, Scale::unit}) {
    for (const bool center : {false, true}) {
      for (const bool is_sparse : {false, true}) {
        const FeatureMatrix z =
            (is_sparse ? sparse.view : FeatureMatrix::dense(x)).scaled(scale).centered(center);
        INFO("scale " << static_cast<int>(scale) << " center " << center << " sparse "
                      << is_sparse);
        if (center) CHECK(z.to_dense().colwise().sum().cwiseAbs().maxCoeff() < 1e-10);
        std::vector<Index> all(static_cast<std::size_t>(p));
        for (Index j = 0; j < p; ++j) all[static_cast<std::size_t>(j)] = j;
        ColumnSubset subset(z, all);
        Eigen::MatrixXd dense = z.to_dense();
        std::vector<Index> kept = all;
        // All columns, then most of them, then so few that they are copied together.
        for (const Index every : {1, 2, 3}) {
          std::vector<Index> positions;
          for (Index j = 0; j < subset.d(); j += every) positions.push_back(j);
          Eigen::MatrixXd fewer(n, static_cast<Index>(positions.size()));
          for (Index j = 0; j < fewer.cols(); ++j) fewer.col(j) = dense.col(positions[j]);
          dense = fewer;
          subset.keep(positions);
          const Index d = subset.d();
          REQUIRE(d == dense.cols());
          const double size = dense.norm();
          CHECK((subset.times(v.topRows(d), control) - dense * v.topRows(d)).norm() <
                1e-12 * size * 20);
          CHECK((subset.transposed_times(u, control) - dense.transpose() * u).norm() <
                1e-11 * size);
          const Eigen::MatrixXd k = dense * v.col(0).head(d).asDiagonal() * dense.transpose();
          CHECK((subset.row_gram(v.topRows(d), control) - k).norm() < 1e-12 * size * size);
          const Eigen::MatrixXd s = dense.transpose() * u.col(0).asDiagonal() * dense;
          CHECK((subset.column_gram(u, control) - s).norm() < 1e-12 * size * size);
          const Eigen::MatrixXd form = dense.transpose() * l * dense;
          const auto product = [&](const Eigen::VectorXd& f) { return Eigen::VectorXd(l * f); };
          CHECK((subset.column_form(product, control) - form).norm() < 1e-10 * size * size);
          const Eigen::VectorXd norms = (m * dense).colwise().squaredNorm();
          CHECK((subset.image_norms(m, control) - norms).norm() < 1e-10 * norms.norm());
          CHECK((subset.rows_dense({2, 5}).row(1) - dense.row(5)).norm() < 1e-14 * size);
        }
      }
    }
  }
}
