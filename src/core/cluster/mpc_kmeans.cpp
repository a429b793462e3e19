#include "core/cluster/mpc_kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace semiselect {

namespace {

double squared_distance(const Eigen::MatrixXd& rows, Index a, Index b,
                        const Eigen::MatrixXd& metric, Index q) {
  return (rows.col(a) - rows.col(b)).cwiseAbs2().dot(metric.col(q));
}

struct FarPair {
  double distance = 0;
  Index a = 0, b = 0;
};

// The two constrained rows (columns of `rows`) farthest apart under metric q.
FarPair farthest_pair(const Eigen::MatrixXd& rows, const Eigen::MatrixXd& metric, Index q,
                      const Control& control) {
  const Index l = rows.cols();
  std::vector<FarPair> best(static_cast<std::size_t>(l));
  parallel_for(l, control, [&](Index a) {
    for (Index b = a + 1; b < l; ++b) {
      const double d = squared_distance(rows, a, b, metric, q);
      if (d > best[a].distance) best[a] = {d, a, b};
    }
  });
  FarPair out;
  for (const FarPair& pair : best) {
    if (pair.distance > out.distance) out = pair;
  }
  return out;
}

}  // namespace

Eigen::MatrixXd neighborhood_means(const FeatureMatrix& x, const LinkGroups& links,
                                   Index clusters) {
  const RowReader reader(x);
  const std::vector<std::vector<Index>> members = links.members();
  std::vector<char> in_conflict(members.size(), 0);
  for (const Pair& pair : links.conflicts) in_conflict[pair.first] = in_conflict[pair.second] = 1;
  std::vector<std::size_t> candidates;
  for (std::size_t g = 0; g < members.size(); ++g) {
    if (members[g].size() > 1 || in_conflict[g]) candidates.push_back(g);
  }
  Eigen::MatrixXd mean(x.p(), static_cast<Index>(candidates.size()));
  Eigen::VectorXd size(mean.cols());
  for (Index s = 0; s < mean.cols(); ++s) {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(x.p());
    for (const Index i : members[candidates[s]]) sum += reader.row(i);
    size(s) = static_cast<double>(members[candidates[s]].size());
    mean.col(s) = sum / size(s);
  }

  const Index count = std::min(clusters, mean.cols());
  Eigen::MatrixXd out(count, x.p());
  Eigen::VectorXd nearest =
      Eigen::VectorXd::Constant(mean.cols(), std::numeric_limits<double>::infinity());
  std::vector<char> chosen(static_cast<std::size_t>(mean.cols()), 0);
  for (Index q = 0; q < count; ++q) {
    // Groups are numbered by their first row: the first of equals wins.
    Index best = -1;
    double most = 0;
    for (Index s = 0; s < mean.cols(); ++s) {
      if (chosen[s]) continue;
      const double value = q == 0 ? size(s) : size(s) * nearest(s);
      if (best < 0 || value > most) {
        best = s;
        most = value;
      }
    }
    chosen[best] = 1;
    out.row(q) = mean.col(best).transpose();
    for (Index s = 0; s < mean.cols(); ++s) {
      nearest(s) = std::min(nearest(s), (mean.col(s) - mean.col(best)).squaredNorm());
    }
  }
  return out;
}

Clustering mpc_kmeans(const FeatureMatrix& x, const LinkGroups& links,
                      const Eigen::MatrixXd& centroids, const VisitOrder& order, int max_iter,
                      const Control& control) {
  const Index n = x.n(), p = x.p(), K = centroids.rows();
  const RowReader reader(x);
  Eigen::MatrixXd centers = centroids.transpose();
  Eigen::MatrixXd metric = Eigen::MatrixXd::Ones(p, K);

  // Variances set the floor of the metric.
  Eigen::VectorXd floor(p);
  {
    Eigen::VectorXd f(n);
    for (Index d = 0; d < p; ++d) {
      x.column(d, f.data());
      const double v = (f.array() - f.mean()).square().mean();
      const bool constant = f.maxCoeff() - f.minCoeff() <= 1e-12 * f.cwiseAbs().maxCoeff();
      floor(d) = 1e-9 * (constant ? 1 : v);
    }
  }

  // Constrained rows as columns, so that a pair is two contiguous vectors.
  std::vector<int> place(static_cast<std::size_t>(n), -1), constrained;
  for (int i = 0; i < n; ++i) {
    if (links.group[i] == LinkGroups::none) continue;
    place[i] = static_cast<int>(constrained.size());
    constrained.push_back(i);
  }
  Eigen::MatrixXd rows(p, static_cast<Index>(constrained.size()));
  for (Index s = 0; s < rows.cols(); ++s) rows.col(s) = reader.row(constrained[s]);
  const std::vector<std::vector<Index>> members = links.members();
  std::vector<std::vector<int>> conflicts(static_cast<std::size_t>(links.groups));
  for (const Pair& pair : links.conflicts) {
    conflicts[pair.first].push_back(pair.second);
    conflicts[pair.second].push_back(pair.first);
  }

  Clustering out;
  std::vector<int> labels(static_cast<std::size_t>(n), -1), visit(static_cast<std::size_t>(n));
  std::iota(visit.begin(), visit.end(), 0);
  std::vector<double> distance(static_cast<std::size_t>(n * K));
  std::vector<FarPair> far(static_cast<std::size_t>(K));
  Control quiet = control;
  quiet.progress = [](double) {};
  constexpr Index chunk = 256;
  for (int iteration = 0; iteration < max_iter; ++iteration) {
    control.check_interrupt();
    Eigen::VectorXd log_determinant(K);
    for (Index q = 0; q < K; ++q) {
      log_determinant(q) = metric.col(q).array().log().sum();
      far[q] = farthest_pair(rows, metric, q, quiet);
    }
    parallel_for((n + chunk - 1) / chunk, quiet, [&](Index part) {
      for (Index i = part * chunk; i < std::min(n, (part + 1) * chunk); ++i) {
        reader.distances(i, centers, metric, &distance[i * K]);
      }
    });

    const std::vector<int> before = labels;
    if (order) visit = order(iteration);
    Eigen::VectorXd cost(K), to_mates(K);
    for (std::size_t step = 0; step < visit.size(); ++step) {
      if (step % chunk == 0) control.check_interrupt();
      const int i = visit[step];
      for (Index q = 0; q < K; ++q) cost(q) = distance[i * K + q] - log_determinant(q);
      const int g = links.group[i];
      if (g != LinkGroups::none) {
        for (const Index r : members[g]) {
          if (r == i || labels[r] < 0) continue;
          const Index h = labels[r];
          for (Index q = 0; q < K; ++q) {
            to_mates(q) = squared_distance(rows, place[i], place[r], metric, q);
          }
          for (Index q = 0; q < K; ++q) {
            if (q != h) cost(q) += 0.5 * (to_mates(q) + to_mates(h));
          }
        }
        for (const int other : conflicts[g]) {
          for (const Index r : members[other]) {
            const int q = labels[r];
            if (q < 0) continue;
            cost(q) += far[q].distance - squared_distance(rows, place[i], place[r], metric, q);
          }
        }
      }
      Index best;
      cost.minCoeff(&best);
      labels[i] = static_cast<int>(best);
    }

    // Centroids, then the metric.
    std::vector<double> size(static_cast<std::size_t>(K), 0.0);
    for (const int q : labels) ++size[q];
    const Eigen::MatrixXd sums = reader.cluster_sums(labels, K);
    for (Index q = 0; q < K; ++q) {
      if (size[q] > 0) centers.col(q) = sums.col(q) / size[q];
    }
    Eigen::MatrixXd den = Eigen::MatrixXd::Zero(p, K);
    for (Index i = 0; i < n; ++i) {
      den.col(labels[i]) += (reader.row(i) - centers.col(labels[i])).cwiseAbs2();
    }
    for (int g = 0; g < links.groups; ++g) {
      for (std::size_t s = 0; s < members[g].size(); ++s) {
        const Index i = members[g][s];
        for (std::size_t t = s + 1; t < members[g].size(); ++t) {
          const Index r = members[g][t];
          if (labels[i] == labels[r]) continue;
          const Eigen::VectorXd gap = (rows.col(place[i]) - rows.col(place[r])).cwiseAbs2();
          den.col(labels[i]) += 0.5 * gap;
          den.col(labels[r]) += 0.5 * gap;
        }
      }
    }
    for (const Pair& pair : links.conflicts) {
      for (const Index i : members[pair.first]) {
        for (const Index r : members[pair.second]) {
          const int q = labels[i];
          if (labels[r] != q) continue;
          den.col(q) += (rows.col(far[q].a) - rows.col(far[q].b)).cwiseAbs2() -
                        (rows.col(place[i]) - rows.col(place[r])).cwiseAbs2();
        }
      }
    }
    for (Index q = 0; q < K; ++q) {
      if (size[q] == 0) continue;
      metric.col(q) = size[q] / den.col(q).cwiseMax(size[q] * floor).array();
    }
    out.iterations = iteration + 1;
    control.progress(static_cast<double>(iteration + 1) / max_iter);
    if (labels == before) {
      out.converged = true;
      break;
    }
  }
  out.cluster = std::move(labels);
  out.centroids = centers.transpose();
  out.metric = metric.transpose();
  return out;
}

}  // namespace semiselect
