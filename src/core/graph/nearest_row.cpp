#include "core/graph/nearest_row.hpp"

#include <algorithm>

namespace semiselect {

std::vector<Index> nearest_rows(const Eigen::Ref<const Eigen::MatrixXd>& train,
                                const Eigen::Ref<const Eigen::MatrixXd>& test,
                                const std::vector<Index>& sizes, const Control& control) {
  std::vector<Index> out(static_cast<std::size_t>(test.rows()) * sizes.size());
  // Blocks of rows, so that a column of `train` is fetched once for all of them.
  const Index at_once = 32;
  const Index blocks = (test.rows() + at_once - 1) / at_once;
  parallel_for(blocks, control, [&](Index block) {
    const Index first = block * at_once;
    const Index rows = std::min(at_once, test.rows() - first);
    Eigen::MatrixXd distance = Eigen::MatrixXd::Zero(train.rows(), rows);
    Index c = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      for (; c < sizes[k]; ++c) {
        for (Index i = 0; i < rows; ++i) {
          distance.col(i).array() += (train.col(c).array() - test(first + i, c)).square();
        }
      }
      for (Index i = 0; i < rows; ++i) {
        Index nearest = 0;
        distance.col(i).minCoeff(&nearest);  // may be any of several: look for the lowest
        const double least = distance(nearest, i);
        nearest = 0;
        while (distance(nearest, i) > least) ++nearest;
        out[k * static_cast<std::size_t>(test.rows()) + static_cast<std::size_t>(first + i)] = nearest;
      }
    }
  });
  return out;
}

}  // namespace semiselect
