#include "core/optim/platt.hpp"

#include <cmath>

namespace semiselect {

namespace {

using Eigen::Index;

// -log likelihood, computed without overflow.
double loss(const Eigen::VectorXd& g, const Eigen::VectorXd& target, double a, double b) {
  double sum = 0;
  for (Index i = 0; i < g.size(); ++i) {
    const double f = a * g(i) + b;
    sum += f >= 0 ? target(i) * f + std::log1p(std::exp(-f))
                  : (target(i) - 1) * f + std::log1p(std::exp(f));
  }
  return sum;
}

}  // namespace

Platt platt(const Eigen::VectorXd& g, const Eigen::VectorXd& sign) {
  const double plus = static_cast<double>((sign.array() > 0).count());
  const double minus = static_cast<double>((sign.array() < 0).count());
  Platt fit;
  if (plus + minus == 0) return fit;
  const Eigen::VectorXd target =
      (sign.array() > 0)
          .select(Eigen::ArrayXd::Constant(g.size(), (plus + 1) / (plus + 2)),
                  Eigen::ArrayXd::Constant(g.size(), 1 / (minus + 2)));
  fit.b = std::log((minus + 1) / (plus + 1));
  double value = loss(g, target, fit.a, fit.b);
  for (int iteration = 0; iteration < 200; ++iteration) {
    double ga = 0, gb = 0, haa = 0, hab = 0, hbb = 0;
    for (Index i = 0; i < g.size(); ++i) {
      const double f = fit.a * g(i) + fit.b;
      const double prob = f >= 0 ? std::exp(-f) / (1 + std::exp(-f)) : 1 / (1 + std::exp(f));
      const double d = target(i) - prob;
      const double w = prob * (1 - prob);
      ga += g(i) * d;
      gb += d;
      haa += w * g(i) * g(i);
      hab += w * g(i);
      hbb += w;
    }
    if (std::abs(ga) < 1e-10 && std::abs(gb) < 1e-10) break;
    // A ridge, relative to the scale of each, where all decision values are equal.
    haa += 1e-12 * (1 + haa);
    hbb += 1e-12 * (1 + hbb);
    const double determinant = haa * hbb - hab * hab;
    const double da = determinant > 0 ? -(hbb * ga - hab * gb) / determinant : -ga / haa;
    const double db = determinant > 0 ? -(haa * gb - hab * ga) / determinant : -gb / hbb;
    const double slope = ga * da + gb * db;
    double step = 1;
    bool moved = false;
    for (; step > 1e-12; step /= 2) {
      const double trial = loss(g, target, fit.a + step * da, fit.b + step * db);
      if (trial <= value + 1e-4 * step * slope) {
        fit.a += step * da;
        fit.b += step * db;
        moved = trial < value;
        value = trial;
        break;
      }
    }
    if (!moved) break;
  }
  if (fit.a > 0) {
    // The likelihood is concave: with its maximum at a > 0 the constrained one lies at a = 0,
    // where the probability is the mean of the targets.
    const double mean = target.mean();
    fit.a = 0;
    fit.b = std::log((1 - mean) / mean);
  }
  return fit;
}

}  // namespace semiselect
