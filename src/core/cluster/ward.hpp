#pragma once

#include <vector>

#include "core/data/matrix.hpp"
#include "core/run/parallel.hpp"

namespace semiselect {

// One step of agglomeration: the clusters that hold rows a and b become one.
struct Merge {
  int a, b;
  double height;  // square root of 2 n_a n_b / (n_a + n_b) |c_a - c_b|^2, as hclust's "ward.D2"
};

// Ward's hierarchy of the rows of z by nearest-neighbor chains, merges by rising height.
// With more rows than columns from the centroids themselves, O(n p) memory and O(n^2 p) time; else
// by the Lance-Williams formula on squared distances, which then take less room than the rows.
std::vector<Merge> ward(const FeatureMatrix& z, const Control& control);

// Clusters after all but the last K - 1 merges, numbered by their lowest row.
std::vector<int> cut(const std::vector<Merge>& merges, Index n, Index K);

// Davies-Bouldin index of each number of clusters 2, ..., most: mean over the clusters of the worst
// (s_i + s_j) / d_ij, s the mean distance to the centroid, d the distance of centroids. One pass
// over the columns for all of them.
std::vector<double> davies_bouldin(const FeatureMatrix& z, const std::vector<Merge>& merges,
                                   Index most, const Control& control);

// Ward clusters, as many (2 to max(2, floor(sqrt(n)))) as give the smallest Davies-Bouldin index,
// ties to the fewer. n < 4: one cluster.
std::vector<int> ward_clusters(const FeatureMatrix& z, const Control& control);

}  // namespace semiselect
