#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <Eigen/Core>

#include "core/run/control.hpp"

namespace semiselect {

using Index = Eigen::Index;

// Calls work(unit) for every unit in [0, count), on up to control.threads threads.
//
// The calling thread works too and is the only one that polls for interrupts and reports
// progress. The first exception stops all threads and is rethrown once they are joined.
// A unit must write to its own slots only; then the result is the same, bit for bit, for
// any number of threads.
template <class Work>
void parallel_for(Index count, const Control& control, const Work& work) {
  const Index threads = std::min<Index>(std::max(control.threads, 1), count);
  if (threads <= 1) {
    for (Index unit = 0; unit < count; ++unit) {
      control.check_interrupt();
      work(unit);
      control.progress(static_cast<double>(unit + 1) / static_cast<double>(count));
    }
    return;
  }

  std::atomic<Index> next{0};
  std::atomic<bool> stop{false};
  std::exception_ptr failure;
  std::mutex failure_mutex;

  const auto run = [&](bool calling_thread) {
    try {
      while (!stop.load(std::memory_order_relaxed)) {
        if (calling_thread) control.check_interrupt();
        const Index unit = next.fetch_add(1);
        if (unit >= count) break;
        work(unit);
        if (calling_thread) {
          const Index begun = std::min(next.load(), count);
          control.progress(static_cast<double>(begun) / static_cast<double>(count));
        }
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      stop = true;
    }
  };

  std::vector<std::thread> helpers;
  helpers.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (Index t = 1; t < threads; ++t) helpers.emplace_back(run, false);
  } catch (const std::system_error&) {
    // The machine gives no more threads: those that started share the work.
  }
  run(true);
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

// parallel_for() for few, long units: work(unit, inner) gets a control whose check_interrupt()
// may be called inside the unit. On the calling thread it polls; on the others it gives up as
// soon as the calling thread was interrupted, so that nobody waits for their units to end.
template <class Work>
void parallel_runs(Index count, const Control& control, const Work& work) {
  struct Abandoned {};
  std::atomic<bool> interrupted{false};
  std::exception_ptr reason;
  const std::thread::id caller = std::this_thread::get_id();
  Control inner = inner_control(control);
  inner.check_interrupt = [&] {
    if (std::this_thread::get_id() != caller) {
      if (interrupted.load(std::memory_order_relaxed)) throw Abandoned();
      return;
    }
    try {
      control.check_interrupt();
    } catch (...) {
      reason = std::current_exception();
      interrupted = true;
      throw;
    }
  };
  try {
    parallel_for(count, control, [&](Index unit) { work(unit, inner); });
  } catch (const Abandoned&) {
    std::rethrow_exception(reason);
  }
}

// The same for cheap items: work(begin, end) for consecutive ranges of `grain` items. The ranges
// do not depend on the number of threads.
template <class Work>
void parallel_ranges(Index count, Index grain, const Control& control, const Work& work) {
  parallel_for((count + grain - 1) / grain, control, [&](Index unit) {
    work(unit * grain, std::min(count, (unit + 1) * grain));
  });
}

}  // namespace semiselect
