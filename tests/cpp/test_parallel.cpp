#include <catch2/catch.hpp>

#include <atomic>
#include <set>
#include <stdexcept>

#include "core/run/parallel.hpp"
#include "core/run/rng.hpp"

using namespace semiselect;

TEST_CASE("parallel_for", "[run]") {
  Control control;
  control.threads = 4;

  SECTION("runs every unit once") {
    std::vector<std::atomic<int>> seen(1000);
    parallel_for(1000, control, [&](Index unit) { ++seen[unit]; });
    for (const auto& count : seen) CHECK(count == 1);
  }
  SECTION("runs ranges that cover all items") {
    std::vector<std::atomic<int>> seen(103);
    parallel_ranges(103, 10, control, [&](Index begin, Index end) {
      for (Index item = begin; item < end; ++item) ++seen[item];
    });
    for (const auto& count : seen) CHECK(count == 1);
  }
  SECTION("rethrows the first exception after all threads have stopped") {
    CHECK_THROWS_AS(parallel_for(1000, control,
                                 [](Index unit) {
                                   if (unit == 500) throw std::runtime_error("here");
                                 }),
                    std::runtime_error);
  }
  SECTION("polls for interrupts on the calling thread only") {
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> foreign{false};
    control.check_interrupt = [&] { foreign = foreign || std::this_thread::get_id() != caller; };
    parallel_for(1000, control, [](Index) {});
    CHECK_FALSE(foreign);
    control.check_interrupt = [] { throw std::domain_error("stop"); };
    CHECK_THROWS_AS(parallel_for(1000, control, [](Index) {}), std::domain_error);
  }
  SECTION("takes no units at all") { parallel_for(0, control, [](Index) { FAIL(); }); }
}

TEST_CASE("random streams", "[run]") {
  SECTION("repeat, and differ between units") {
    Rng a(7, 0), b(7, 0), c(7, 1);
    const double first = a.uniform();
    CHECK(first == b.uniform());
    CHECK(first != c.uniform());
  }
  SECTION("cover their range evenly") {
    Rng rng(1, 2);
    std::vector<int> count(7, 0);
    double sum = 0, squares = 0;
    for (int draw = 0; draw < 70000; ++draw) {
      ++count[rng.below(7)];
      const double z = rng.normal();
      sum += z;
      squares += z * z;
    }
    for (const int c : count) CHECK(std::abs(c - 10000) < 500);
    CHECK(std::abs(sum / 70000) < 0.02);
    CHECK(std::abs(squares / 70000 - 1) < 0.03);
  }
}
