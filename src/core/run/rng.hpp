#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace semiselect {

// Random numbers of one unit of work (a restart, a bag, a resample).
//
// Streams are told apart by (seed, unit), so the draws do not depend on which thread runs
// the unit. The engine is the standard's; the distributions are ours, because those of the
// standard library differ between compilers.
class Rng {
 public:
  Rng(std::uint64_t seed, std::uint64_t unit) {
    std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                           static_cast<std::uint32_t>(unit), static_cast<std::uint32_t>(unit >> 32)};
    engine_.seed(sequence);
  }

  // In [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

  // In 0, ..., bound - 1, without bias.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    std::uint64_t draw = engine_();
    while (draw >= limit) draw = engine_();
    return draw % bound;
  }

  // Standard normal (polar method of Marsaglia).
  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double u, v, s;
    do {
      u = 2 * uniform() - 1;
      v = 2 * uniform() - 1;
      s = u * u + v * v;
    } while (s >= 1 || s == 0);
    const double factor = std::sqrt(-2 * std::log(s) / s);
    spare_ = v * factor;
    has_spare_ = true;
    return u * factor;
  }

 private:
  std::mt19937_64 engine_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace semiselect
