#include "core/select/statistics/variance.hpp"

#include "core/run/parallel.hpp"

namespace semiselect {

Selection variance(const FeatureMatrix& x, const Control& control) {
  const double n = static_cast<double>(x.n());
  Selection out;
  out.statistic.resize(x.p());
  parallel_ranges(x.p(), 64, control, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      const StoredColumn c = x.stored_column(r);
      double squares = 0;
      if (!c.row && x.scale() != Scale::unit) {
        const Eigen::Map<const Eigen::ArrayXd> f(c.value, c.count);
        squares = (f - f.sum() / n).square().sum();
      } else {
        double sum = 0;
        x.for_each_stored(r, [&](Index, double v) { sum += v; });
        const double mean = sum / n;
        x.for_each_stored(r, [&](Index, double v) { squares += (v - mean) * (v - mean); });
        squares += static_cast<double>(x.n() - c.count) * mean * mean;
      }
      const double divisor = x.divisor(r);
      out.statistic(r) = squares / n / (divisor * divisor);
    }
  });
  return out;
}

}  // namespace semiselect
