#include <catch2/catch.hpp>

#include <algorithm>

#include "core/optim/manhattan.hpp"
#include "core/run/rng.hpp"
#include "core/select/statistics/relieff.hpp"
#include "worked_example.hpp"

using namespace semiselect;

namespace {

const Control control;

// The definition, probe by probe, over fully labelled rows.
Eigen::VectorXd naive(const Eigen::MatrixXd& x, const Labels& y, std::size_t k) {
  const Index l = x.rows();
  Eigen::MatrixXd z = x;
  for (Index c = 0; c < x.cols(); ++c) {
    const double low = x.col(c).minCoeff(), width = x.col(c).maxCoeff() - low;
    z.col(c) = width > 0 ? Eigen::VectorXd((x.col(c).array() - low) / width)
                         : Eigen::VectorXd(Eigen::VectorXd::Zero(l));
  }
  const std::vector<Index> sizes = y.class_sizes();
  Eigen::VectorXd w = Eigen::VectorXd::Zero(x.cols());
  for (Index i = 0; i < l; ++i) {
    for (int c = 0; c < y.classes; ++c) {
      std::vector<std::pair<double, Index>> near;
      for (Index j = 0; j < l; ++j) {
        if (j != i && y.code[j] == c) near.emplace_back((z.row(i) - z.row(j)).cwiseAbs().sum(), j);
      }
      std::sort(near.begin(), near.end());
      if (near.size() > k) near.resize(k);
      if (near.empty()) continue;
      const double own = static_cast<double>(sizes[y.code[i]]) / static_cast<double>(l);
      const double weight =
          c == y.code[i] ? -1 : static_cast<double>(sizes[c]) / static_cast<double>(l) / (1 - own);
      for (const auto& neighbor : near) {
        w += weight / static_cast<double>(near.size()) *
             (z.row(i) - z.row(neighbor.second)).cwiseAbs().transpose();
      }
    }
  }
  return w / static_cast<double>(l);
}

}  // namespace

TEST_CASE("relieff", "[statistics]") {
  const WorkedExample example;

  SECTION("agrees with the worked example") {
    const Eigen::VectorXd w =
        relieff(make_problem(example.x, Scale::none, example.all), 2, control).statistic;
    CHECK(w(0) == Approx(0.3125).epsilon(1e-9));
    CHECK(w(1) == Approx(0.1875).epsilon(1e-9));
    CHECK(w(2) == Approx(-0.008928571).epsilon(1e-7));
  }
  SECTION("is the sum over probes, with three classes, one of them a single row") {
    const Eigen::MatrixXd x = examples::gaussian(41, 300, 6);
    Labels y;
    for (int i = 0; i < 41; ++i) y.code.push_back(i == 40 ? 2 : i % 3 == 0);
    y.classes = 3;
    for (const int k : {1, 5, 10, 100}) {
      const Eigen::VectorXd w = relieff(make_problem(x, Scale::none, y), k, control).statistic;
      CHECK(w.isApprox(naive(x, y, static_cast<std::size_t>(k)), 1e-12));
    }
  }
  SECTION("decides in double among what single precision proposes, ties included") {
    Rng rng(4, 0);
    Eigen::MatrixXd x = examples::gaussian(400, 50, 7);
    Eigen::MatrixXd coarse(400, 30);  // few values: exact ties and identical rows in plenty
    for (Index i = 0; i < 400; ++i) {
      for (Index c = 0; c < 30; ++c) coarse(i, c) = static_cast<double>(rng.below(2));
    }
    coarse.bottomRows(40) = coarse.topRows(40);
    coarse.row(399).setZero();
    coarse.row(398).setOnes();
    Eigen::MatrixXd near = x;  // differences below the error of single precision
    near.topRows(200) = near.row(0).replicate(200, 1) + 1e-4 * x.topRows(200);
    Labels y;
    for (int i = 0; i < 400; ++i) y.code.push_back(i % 2);
    y.classes = 2;
    for (const Eigen::MatrixXd* data : {&x, &coarse, &near}) {
      const Eigen::VectorXd w = relieff(make_problem(*data, Scale::none, y), 5, control).statistic;
      CHECK(w.isApprox(naive(*data, y, 5), 1e-10));
    }
  }
  SECTION("sees the labelled rows only, and neither unit nor origin of a column") {
    Labels few = example.all;
    few.code[2] = few.code[6] = unlabelled;
    Eigen::MatrixXd kept(6, 3);
    kept << example.x.row(0), example.x.row(1), example.x.row(3), example.x.row(4),
        example.x.row(5), example.x.row(7);
    const Labels y{{0, 0, 1, 1, 1, 1}, 2};
    const Eigen::VectorXd w = naive(kept, y, 2);
    CHECK(relieff(make_problem(example.x, Scale::none, few), 2, control)
              .statistic.isApprox(w, 1e-12));
    const Eigen::MatrixXd moved = (-3 * example.x).array() + 100;
    CHECK(relieff(make_problem(moved, Scale::none, few), 2, control).statistic.isApprox(w, 1e-10));
  }
  SECTION("gives a column that is constant over the labelled rows 0") {
    Eigen::MatrixXd x(8, 4);
    x << example.x, Eigen::VectorXd::Unit(8, 2);
    Labels few = example.all;
    few.code[2] = unlabelled;
    CHECK(relieff(make_problem(x, Scale::none, few), 2, control).statistic(3) == 0);
  }
  SECTION("does not depend on the storage or the number of threads") {
    Eigen::MatrixXd x = examples::gaussian(60, 40, 9);
    x = (x.array() > 0.8).select(x, 0);
    Labels y;
    for (int i = 0; i < 60; ++i) y.code.push_back(i % 5 == 4 ? unlabelled : i % 2);
    y.classes = 2;
    const Eigen::VectorXd w = relieff(make_problem(x, Scale::none, y), 4, control).statistic;
    const SparseCopy copy(x);
    CHECK(relieff(copy.problem(Scale::none, y), 4, control).statistic.isApprox(w, 1e-12));
    Control two;
    two.threads = 2;
    CHECK(relieff(make_problem(x, Scale::none, y), 4, two).statistic == w);
  }
}

TEST_CASE("manhattan distances are summed column by column", "[optim]") {
  for (const Index m : {1, 7, 8, 133}) {
    const Index p = 600;
    const Eigen::MatrixXd x = examples::gaussian(m, p, 3);
    const auto fill = [&](Index first, Index count, double* out) {
      std::copy_n(x.data() + first * m, count * m, out);
    };
    const Eigen::MatrixXd d = manhattan_distances(m, p, fill, control);
    bool same = true;
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < m; ++j) {
        double sum = 0;
        for (Index c = 0; c < p; ++c) sum += std::abs(x(i, c) - x(j, c));
        same = same && d(i, j) == sum;  // to the last bit
      }
    }
    CHECK(same);
    const Eigen::MatrixXd unit = (x.array() / x.cwiseAbs().maxCoeff() + 1) / 2;
    const auto fill_unit = [&](Index first, Index count, double* out) {
      std::copy_n(unit.data() + first * m, count * m, out);
    };
    const RoughDistances rough = rough_manhattan_distances(m, p, fill_unit, control);
    const Eigen::MatrixXd exact = manhattan_distances(m, p, fill_unit, control);
    CHECK((rough.distance - exact).cwiseAbs().maxCoeff() <= rough.error);
    std::vector<std::pair<int, int>> pairs;
    for (int i = 1; i < m; i += 3) pairs.emplace_back(i / 2, i);
    const std::vector<double> listed = manhattan_distances(m, p, fill_unit, pairs, control);
    for (std::size_t e = 0; e < pairs.size(); ++e) {
      CHECK(listed[e] == Approx(exact(pairs[e].first, pairs[e].second)).epsilon(1e-13));
    }
  }
}
