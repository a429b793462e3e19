#include "core/cluster/cop_kmeans.hpp"

#include <algorithm>
#include <numeric>

namespace semiselect {

RowReader::RowReader(const FeatureMatrix& x) : n_(x.n()), p_(x.p()) {
  if (!x.is_sparse()) {
    rows_.resize(p_, n_);
    Eigen::VectorXd f(n_);
    for (Index j = 0; j < p_; ++j) {
      x.column(j, f.data());
      for (Index i = 0; i < n_; ++i) rows_(j, i) = f(i);
    }
    return;
  }
  start_.assign(static_cast<std::size_t>(n_ + 1), 0);
  for (Index j = 0; j < p_; ++j) {
    x.for_each_stored(j, [&](Index i, double) { ++start_[i + 1]; });
  }
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  at_.resize(static_cast<std::size_t>(start_.back()));
  value_.resize(at_.size());
  std::vector<Index> next(start_.begin(), start_.end() - 1);
  for (Index j = 0; j < p_; ++j) {
    x.for_each_stored(j, [&](Index i, double v) {
      at_[next[i]] = static_cast<int>(j);
      value_[next[i]++] = v;
    });
  }
}

Eigen::VectorXd RowReader::row(Index i) const {
  if (rows_.size() > 0 || p_ == 0) return rows_.col(i);
  Eigen::VectorXd out = Eigen::VectorXd::Zero(p_);
  for (Index e = start_[i]; e < start_[i + 1]; ++e) out(at_[e]) = value_[e];
  return out;
}

void RowReader::distances(Index i, const Eigen::MatrixXd& centers, const Eigen::MatrixXd& metric,
                          double* out) const {
  const bool plain = metric.size() == 0;
  for (Index q = 0; q < centers.cols(); ++q) {
    if (start_.empty()) {
      if (plain) {
        out[q] = (rows_.col(i) - centers.col(q)).squaredNorm();
      } else {
        out[q] = (rows_.col(i) - centers.col(q)).cwiseAbs2().dot(metric.col(q));
      }
      continue;
    }
    double sum = plain ? centers.col(q).squaredNorm()
                       : centers.col(q).cwiseAbs2().dot(metric.col(q));
    for (Index e = start_[i]; e < start_[i + 1]; ++e) {
      const double term = value_[e] * (value_[e] - 2 * centers(at_[e], q));
      sum += plain ? term : metric(at_[e], q) * term;
    }
    out[q] = std::max(sum, 0.0);
  }
}

Eigen::MatrixXd RowReader::cluster_sums(const std::vector<int>& cluster, Index clusters) const {
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(p_, clusters);
  for (Index i = 0; i < n_; ++i) {
    const int q = cluster[static_cast<std::size_t>(i)];
    if (start_.empty()) {
      sums.col(q) += rows_.col(i);
    } else {
      for (Index e = start_[i]; e < start_[i + 1]; ++e) sums(at_[e], q) += value_[e];
    }
  }
  return sums;
}

Clustering cop_kmeans(const FeatureMatrix& x, const LinkGroups& links,
                      const Eigen::MatrixXd& centroids, const VisitOrder& order, int max_iter,
                      const Control& control) {
  const Index n = x.n(), K = centroids.rows();
  const RowReader reader(x);
  Eigen::MatrixXd centers = centroids.transpose();
  std::vector<std::vector<int>> conflicts(static_cast<std::size_t>(links.groups));
  for (const Pair& pair : links.conflicts) {
    conflicts[pair.first].push_back(pair.second);
    conflicts[pair.second].push_back(pair.first);
  }

  Clustering out;
  std::vector<int> labels(static_cast<std::size_t>(n), -1), visit(static_cast<std::size_t>(n));
  std::iota(visit.begin(), visit.end(), 0);
  std::vector<double> distance(static_cast<std::size_t>(n * K));
  Control quiet = control;
  quiet.progress = [](double) {};
  constexpr Index chunk = 256;
  for (int iteration = 0; iteration < max_iter; ++iteration) {
    control.check_interrupt();
    parallel_for((n + chunk - 1) / chunk, quiet, [&](Index part) {
      for (Index i = part * chunk; i < std::min(n, (part + 1) * chunk); ++i) {
        reader.distances(i, centers, Eigen::MatrixXd(), &distance[i * K]);
      }
    });

    const std::vector<int> before = labels;
    if (order) visit = order(iteration);
    std::vector<int> placed(static_cast<std::size_t>(links.groups), -1);
    for (const int i : visit) {
      const int g = links.group[i];
      if (g != LinkGroups::none && placed[g] >= 0) {
        labels[i] = placed[g];
        continue;
      }
      std::vector<char> taken(static_cast<std::size_t>(K), 0);
      if (g != LinkGroups::none) {
        for (const int other : conflicts[g]) {
          if (placed[other] >= 0) taken[placed[other]] = 1;
        }
      }
      int best = -1;
      for (int q = 0; q < K; ++q) {
        if (!taken[q] && (best < 0 || distance[i * K + q] < distance[i * K + best])) best = q;
      }
      if (best < 0) {
        out.failed.push_back(i);
        for (int q = 0; q < K; ++q) {
          for (const int r : visit) {
            const int h = links.group[r];
            if (h != LinkGroups::none && placed[h] == q &&
                std::find(conflicts[g].begin(), conflicts[g].end(), h) != conflicts[g].end()) {
              out.failed.push_back(r);
              break;
            }
          }
        }
        out.iterations = iteration + 1;
        return out;
      }
      labels[i] = best;
      if (g != LinkGroups::none) placed[g] = best;
    }

    const Eigen::MatrixXd sums = reader.cluster_sums(labels, K);
    std::vector<double> size(static_cast<std::size_t>(K), 0.0);
    for (const int q : labels) ++size[q];
    for (Index q = 0; q < K; ++q) {
      if (size[q] > 0) centers.col(q) = sums.col(q) / size[q];
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
  return out;
}

}  // namespace semiselect
