#include <catch2/catch.hpp>

#include "core/run/rng.hpp"
#include "core/select/statistics/mrmr.hpp"
#include "worked_example.hpp"

using namespace semiselect;

namespace {

const Control control;

double information(const std::vector<int>& a, const std::vector<int>& b) {
  const double n = static_cast<double>(a.size());
  double out = 0;
  for (int u = -1; u <= 3; ++u) {
    for (int v = -1; v <= 3; ++v) {
      double joint = 0, left = 0, right = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        joint += a[i] == u && b[i] == v;
        left += a[i] == u;
        right += b[i] == v;
      }
      if (joint > 0) out += joint / n * std::log(joint * n / (left * right));
    }
  }
  return out;
}

std::vector<int> levels(const Eigen::VectorXd& f, double width) {
  const double mean = f.mean(), sd = std::sqrt((f.array() - mean).square().mean());
  std::vector<int> out;
  for (Index i = 0; i < f.size(); ++i) {
    out.push_back(f(i) < mean - width * sd ? -1 : f(i) > mean + width * sd ? 1 : 0);
  }
  return out;
}

}  // namespace

TEST_CASE("mrmr", "[statistics]") {
  const Index n = 150, p = 12;
  Eigen::MatrixXd x = examples::gaussian(n, p, 17);
  Labels y;
  for (Index i = 0; i < n; ++i) y.code.push_back(i % 3 == 0);
  y.classes = 2;
  for (Index i = 0; i < n; ++i) x(i, 4) += 2 * y.code[i], x(i, 7) += y.code[i];
  MrmrOptions options;
  options.n_features = 6;

  SECTION("picks as the definition does, by difference and by quotient") {
    for (const bool quotient : {false, true}) {
      options.criterion = quotient ? MrmrCriterion::quotient : MrmrCriterion::difference;
      for (const double width : {1.0, 0.5}) {
        options.width = width;
        const Selection got = mrmr(make_problem(x, Scale::none, y), options, control);
        std::vector<std::vector<int>> level;
        for (Index r = 0; r < p; ++r) level.push_back(levels(x.col(r), width));
        std::vector<Index> picked;
        for (int step = 0; step < 6; ++step) {
          Index best = -1;
          double most = 0;
          for (Index r = 0; r < p; ++r) {
            if (std::count(picked.begin(), picked.end(), r)) continue;
            double mean = 0;
            for (const Index s : picked) mean += information(level[r], level[s]) / step;
            const double relevance = information(level[r], y.code);
            const double value = step == 0  ? relevance
                                 : quotient ? relevance / (mean + 0.01)
                                            : relevance - mean;
            if (best < 0 || value > most) best = r, most = value;
          }
          picked.push_back(best);
          CHECK(got.order[step] == best);
          CHECK(got.statistic(best) == Approx(most).epsilon(1e-10));
        }
        for (Index r = 0; r < p; ++r) {
          const bool chosen = std::count(picked.begin(), picked.end(), r) > 0;
          CHECK(got.selected[r] == chosen);
          if (!chosen)
            CHECK(got.statistic(r) == Approx(information(level[r], y.code)).margin(1e-12));
        }
        for (Index e = 7; e < p; ++e) {
          CHECK(got.statistic(got.order[e - 1]) >= got.statistic(got.order[e]));
        }
      }
    }
  }
  SECTION("a copy of a picked feature comes last among equals") {
    // Four features of the same relevance, one of them twice: the copy waits under MID.
    Eigen::MatrixXd z(8, 3);
    z << 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1;
    const Labels two{{0, 0, 0, 0, 1, 1, 1, 1}, 2};
    options.n_features = 3;
    options.width = 0.5;
    const Selection got = mrmr(make_problem(z, Scale::none, two), options, control);
    CHECK(got.order == std::vector<Index>{0, 2, 1});
  }
  SECTION("never picks a constant column and stops when nothing else is left") {
    Eigen::MatrixXd z(n, 3);
    z << x.col(4), Eigen::VectorXd::Constant(n, 2), x.col(7);
    const Selection got = mrmr(make_problem(z, Scale::none, y), options, control);
    CHECK(got.order == std::vector<Index>{0, 2, 1});
    CHECK(got.selected == std::vector<int>{1, 0, 1});
    CHECK(got.statistic(1) == 0);
  }
  SECTION("a value on the limit lies between: strict inequalities, whatever the rounding") {
    // Two values, half each: mean -/+ sd are exactly these, but for rounding.
    Eigen::MatrixXd z(8, 2);
    z << 3.1, 0, 3.3, 1, 3.1, 0, 3.3, 5, 3.1, 0, 3.3, 9, 3.1, 0, 3.3, 1;
    const Labels two{{0, 1, 0, 1, 0, 1, 0, 1}, 2};
    CHECK(mrmr(make_problem(z, Scale::none, two), options, control).statistic(0) == 0);
  }
  SECTION("does not depend on the storage or the number of threads") {
    Eigen::MatrixXd z = (x.array() > 0.3).select(x, 0);
    for (Index i = 0; i < n; i += 7) y.code[i] = unlabelled;
    const SparseCopy copy(z);
    Control two;
    two.threads = 2;
    const Selection dense = mrmr(make_problem(z, Scale::none, y), options, control);
    const Selection sparse = mrmr(copy.problem(Scale::none, y), options, control);
    CHECK(dense.order == sparse.order);
    CHECK(dense.statistic.isApprox(sparse.statistic, 1e-12));
    CHECK(mrmr(make_problem(z, Scale::none, y), options, two).statistic == dense.statistic);
  }
}
