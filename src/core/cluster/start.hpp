#pragma once

#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "core/cluster/row_store.hpp"
#include "core/data/problem.hpp"

namespace semiselect {

// Where one run of a k-means variant starts. Whoever calls the core draws what is random.
struct ClusterStart {
  static constexpr Index class_mean = -1;

  Eigen::MatrixXd centroids;  // K x p on the scale of x; empty: see `rows`
  std::vector<Index> rows;    // one per cluster: that row, or class_mean: the mean of the
                              // labelled rows of class q, for cluster q
  Eigen::MatrixXd weights;    // of the features: 1 x p or K x p; empty: uniform
};

// The centroids of a start in the units of `store`, K x store.p(): its columns, moved as there.
// Centroids given for `scale = "unit"` are brought to length 1, as the rows are.
Eigen::MatrixXd start_centroids(const ClusterStart& start, const Problem& data,
                                const RowStore& store);

// Back to the scale of x, all p columns; `constant` ones get their value in x. Under
// `scale = "unit"` they stay in the units of the scaled rows, there is no way back.
Eigen::MatrixXd reported_centroids(const Eigen::MatrixXd& centroids, const Problem& data,
                                   const RowStore& store);

// Columns of the problem that are not constant.
std::vector<Index> active_columns(const Problem& data);

// Runs work(run, control) for each of `runs` independent runs: side by side where a single one
// is too small to be worth splitting (its store has few tiles), else one after the other, each on
// all threads. Interrupts reach every run at its next poll, either way.
template <class Work>
void for_each_run(Index runs, const RowStore& store, const Control& control, const Work& work) {
  constexpr Index few_tiles = 64;
  if (runs == 1 || control.threads <= 1 || store.tiles() > few_tiles) {
    for (Index run = 0; run < runs; ++run) {
      Control own = control;
      own.progress = [&](double part) {
        control.progress((static_cast<double>(run) + part) / static_cast<double>(runs));
      };
      work(run, own);
    }
    return;
  }
  struct Stopped : std::exception {};
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> stop{false};
  std::atomic<Index> done{0};
  Control own = inner_control(control);
  own.check_interrupt = [&] {
    if (stop) throw Stopped();
    if (std::this_thread::get_id() != caller) return;
    try {
      control.check_interrupt();
    } catch (...) {
      stop = true;  // the other runs leave at their next poll, and this is what is rethrown
      throw;
    }
  };
  own.progress = [&](double) {
    if (std::this_thread::get_id() != caller) return;
    control.progress(static_cast<double>(done.load()) / static_cast<double>(runs));
  };
  parallel_for(runs, control, [&](Index run) {
    work(run, own);
    ++done;
  });
}

}  // namespace semiselect
