#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/data/matrix.hpp"
#include "core/run/parallel.hpp"

namespace semiselect {

// Rows of z laid out for k-means: some of its columns, each moved so that its mean is 0, in tiles
// of 32 rows. Distances to the centroids and the sums that give new centroids are taken tile by
// tile, while a tile is in cache, so that one iteration reads the data from memory once.
//
// Dense z is copied (8 n p bytes), column-major inside a tile. Sparse z is kept row by row with
// its zeros implicit: nothing is centred there, the means enter through the sums.
// Everything below speaks of the moved columns, in the order of `columns`, and of the rows in the
// order of `rows`: entry (i, j) is z(rows[i], columns[j]) - mean(j).
class RowStore {
 public:
  static constexpr Index tile_rows = 32;
  static constexpr Index max_blocks = 8;

  RowStore(const FeatureMatrix& z, std::vector<Index> columns, std::vector<Index> rows);

  Index n() const { return static_cast<Index>(rows_.size()); }
  Index p() const { return static_cast<Index>(columns_.size()); }
  Index tiles() const { return (n() + tile_rows - 1) / tile_rows; }
  // Blocks of tiles, the unit of parallel work: their number depends on n alone, so that sums
  // taken block by block and then in the order of the blocks have the same bits for any number
  // of threads.
  Index blocks() const { return std::min(tiles(), max_blocks); }
  Index first_tile(Index block) const { return block * tiles() / blocks(); }

  const std::vector<Index>& rows() const { return rows_; }
  const std::vector<Index>& columns() const { return columns_; }
  const Eigen::VectorXd& mean() const { return mean_; }          // of z
  const Eigen::VectorXd& variance() const { return variance_; }  // divisor n

  // Row i, and column j.
  Eigen::VectorXd row(Index i) const;
  Eigen::VectorXd column(Index j) const;

  // d_iq = offset_q + sum_j omega_qj (x_ij - c_qj)^2 as a quadratic in x_ij:
  // one weight per column (omega: 1 x p) or one per column and cluster (K x p).
  struct Terms {
    Index clusters = 0;
    bool shared = true;
    std::vector<double> square;  // [j], or [j K + q]
    std::vector<double> linear;  // [j K + q]
    std::vector<double> constant;
  };
  Terms terms(const Eigen::MatrixXd& omega, const Eigen::MatrixXd& centroids,
              const Eigen::VectorXd& offset) const;
  // Of the rows of one tile: out[q * tile_rows + i], never below 0. Rows beyond the last are junk.
  void distances(Index tile, const Terms& terms, double* out) const;

  // Weighted sums over rows: sum_i a_iq x_ij in sums[q width + j] and, with squares of their own,
  // sum_i a_iq x_ij^2, else sum_i (sum_q a_iq) x_ij^2.
  struct Sums {
    Index clusters = 0;
    Index width = 0;
    bool shared = true;
    std::vector<double> sums;
    std::vector<double> squares;
    std::vector<double> weight;  // sum_i a_iq
    void add(const Sums& other);
  };
  Sums sums(Index clusters, bool shared_squares) const;  // zero
  // a[q * tile_rows + i], 0 for rows beyond the last.
  void accumulate(Index tile, const double* a, Sums& out) const;
  // After the last tile: turns what was accumulated (of z as stored, when sparse) into sums of
  // the moved columns.
  void finish(Sums& out) const;

 private:
  FeatureMatrix z_;
  std::vector<Index> columns_;
  std::vector<Index> rows_;
  Eigen::VectorXd mean_;
  Eigen::VectorXd variance_;
  Eigen::VectorXd stored_mean_;  // sparse: of the entries as stored, z plus shift / divisor

  Index width_ = 0;            // p, rounded up to a multiple of four
  std::vector<double> tiles_;  // dense: [tile][column][row]

  std::vector<Index> start_;   // sparse: row by row
  std::vector<int> at_;
  std::vector<double> value_;
};

}  // namespace semiselect
