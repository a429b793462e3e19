#include "core/cluster/start.hpp"

#include <cmath>

namespace semiselect {

std::vector<Index> active_columns(const Problem& data) {
  std::vector<Index> active;
  for (Index j = 0; j < data.x.p(); ++j) {
    if (!data.constant[static_cast<std::size_t>(j)]) active.push_back(j);
  }
  return active;
}

Eigen::MatrixXd start_centroids(const ClusterStart& start, const Problem& data,
                                const RowStore& store) {
  const Index p = store.p();
  const bool given = start.centroids.size() > 0;
  const Index K = given ? start.centroids.rows() : static_cast<Index>(start.rows.size());
  Eigen::MatrixXd out(K, p);
  if (given) {
    for (Index q = 0; q < K; ++q) {
      double length = 1;
      if (data.z.scale() == Scale::unit) {
        const double norm = start.centroids.row(q).norm();
        if (norm > 0) length = norm;
      }
      for (Index j = 0; j < p; ++j) {
        const Index c = store.columns()[j];
        out(q, j) = (start.centroids(q, c) / length - data.z.shift(c)) / data.z.divisor(c) -
                    store.mean()(j);
      }
    }
    return out;
  }

  std::vector<Index> place(static_cast<std::size_t>(store.n()));
  for (Index i = 0; i < store.n(); ++i) place[store.rows()[i]] = i;
  for (Index q = 0; q < K; ++q) {
    if (start.rows[q] != ClusterStart::class_mean) {
      out.row(q) = store.row(place[start.rows[q]]).transpose();
      continue;
    }
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(p);
    double count = 0;
    for (std::size_t i = 0; i < data.y.code.size(); ++i) {
      if (data.y.code[i] != q) continue;
      sum += store.row(place[i]);
      ++count;
    }
    out.row(q) = sum.transpose() / count;
  }
  return out;
}

Eigen::MatrixXd reported_centroids(const Eigen::MatrixXd& centroids, const Problem& data,
                                   const RowStore& store) {
  Eigen::MatrixXd out(centroids.rows(), data.x.p());
  for (Index j = 0; j < data.x.p(); ++j) {
    if (data.constant[static_cast<std::size_t>(j)]) out.col(j).setConstant(data.x.entry(0, j));
  }
  for (Index j = 0; j < store.p(); ++j) {
    const Index c = store.columns()[j];
    out.col(c) = (centroids.col(j).array() + store.mean()(j)) * data.z.divisor(c) + data.z.shift(c);
  }
  return out;
}

}  // namespace semiselect
