#include "core/cluster/som.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/optim/dense.hpp"
#include "core/optim/gram.hpp"
#include "core/run/rng.hpp"

namespace semiselect {

namespace {

double half_up(double value) { return std::floor(value + 0.5); }

struct Shape {
  Index a, b;
};

Shape map_shape(Index n, double first, double second) {
  const double K = std::ceil(5 * std::sqrt(static_cast<double>(n)));
  const double ratio = first <= 0 || second * K < first ? 1 : std::sqrt(first / second);
  const double b = std::min(std::max(half_up(std::sqrt(K / ratio)), 1.0), K);
  const double a = std::min(std::max(half_up(K / b), 1.0), K);
  return {static_cast<Index>(a), static_cast<Index>(b)};
}

// `count` values from `first` to `last`; a single one is the first.
void add_radii(double first, double last, double count, std::vector<double>* out) {
  for (double s = 0; s < count; ++s) {
    out->push_back(count > 1 ? first + (last - first) * s / (count - 1) : first);
  }
}

// The prototype nearest to a row x, from x . c_k (`stride` apart), |c_k|^2 and |x|^2; the lowest of
// those that differ by rounding alone.
int nearest_unit(const Eigen::VectorXd& norm, const double* product, Index stride, double length) {
  double least = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < norm.size(); ++k) {
    least = std::min(least, norm(k) - 2 * product[k * stride]);
  }
  const double tie = least + 1e-13 * (length + std::abs(least));
  Index k = 0;
  while (norm(k) - 2 * product[k * stride] > tie) ++k;
  return static_cast<int>(k);
}

// Rows for the search of winners: dense rows moved to mean 0, or sparse ones as stored. `origin`
// is what a moved row must get back to be a row of z.
class Rows {
 public:
  explicit Rows(const FeatureMatrix& z) : z_(z), origin(z.p()) {
    if (z.is_sparse()) {
      for (Index j = 0; j < z.p(); ++j) origin(j) = -z.shift(j) / z.divisor(j);
      start_.assign(static_cast<std::size_t>(z.n() + 1), 0);
      for (Index j = 0; j < z.p(); ++j) {
        z.for_each_stored(j, [&](Index i, double) { ++start_[i + 1]; });
      }
      std::partial_sum(start_.begin(), start_.end(), start_.begin());
      at_.resize(static_cast<std::size_t>(start_.back()));
      value_.resize(at_.size());
      std::vector<Index> next(start_.begin(), start_.end() - 1);
      for (Index j = 0; j < z.p(); ++j) {
        z.for_each_stored(j, [&](Index i, double v) {
          at_[next[i]] = j;
          value_[next[i]++] = v / z.divisor(j);
        });
      }
      return;
    }
    dense_ = z.to_dense();
    origin = dense_.colwise().mean();
    dense_.rowwise() -= origin.transpose();
  }

  Index n() const { return z_.n(); }

  // Nearest of the prototypes (K x p, moved like the rows) to each row, ties to the lowest.
  std::vector<int> winners(const Eigen::MatrixXd& prototypes, const Control& control) const {
    constexpr Index chunk = 1024;
    const Index K = prototypes.rows();
    const Eigen::VectorXd norm = prototypes.rowwise().squaredNorm();
    std::vector<int> out(static_cast<std::size_t>(n()));
    const auto pick = [&](Index i, const double* product, Index stride, double length) {
      out[i] = nearest_unit(norm, product, stride, length);
    };
    Control quiet = control;
    quiet.progress = [](double) {};
    if (!z_.is_sparse()) {
      for (Index first = 0; first < n(); first += chunk) {
        control.check_interrupt();
        const Index count = std::min(chunk, n() - first);
        const Eigen::MatrixXd product =
            multiply_transposed(dense_.middleRows(first, count), prototypes, quiet);
        for (Index i = 0; i < count; ++i) {
          pick(first + i, product.data() + i, count, dense_.row(first + i).squaredNorm());
        }
      }
      return out;
    }
    parallel_ranges(n(), 64, quiet, [&](Index begin, Index end) {
      Eigen::VectorXd product(K);
      for (Index i = begin; i < end; ++i) {
        product.setZero();
        double length = 0;
        for (Index e = start_[i]; e < start_[i + 1]; ++e) {
          product += value_[e] * prototypes.col(at_[e]);
          length += value_[e] * value_[e];
        }
        pick(i, product.data(), 1, length);
      }
    });
    return out;
  }

  // Sum of the rows of each unit, K x p.
  Eigen::MatrixXd sums(const std::vector<int>& unit, Index K, const Control& control) const {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(K, z_.p());
    Control quiet = control;
    quiet.progress = [](double) {};
    parallel_ranges(z_.p(), 16, quiet, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        double* to = out.data() + j * K;
        if (z_.is_sparse()) {
          const double divisor = z_.divisor(j);
          z_.for_each_stored(j, [&](Index i, double v) { to[unit[i]] += v / divisor; });
        } else {
          for (Index i = 0; i < n(); ++i) to[unit[i]] += dense_(i, j);
        }
      }
    });
    return out;
  }

 private:
  const FeatureMatrix& z_;
  Eigen::MatrixXd dense_;
  std::vector<Index> start_, at_;
  std::vector<double> value_;

 public:
  Eigen::VectorXd origin;
};

double mean_distance(const FeatureMatrix& z, const Eigen::MatrixXd& prototypes,
                     const std::vector<int>& unit) {
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(z.n());
  Eigen::VectorXd f(z.n());
  for (Index j = 0; j < z.p(); ++j) {
    z.column(j, f.data());
    for (Index i = 0; i < z.n(); ++i) {
      const double gap = f(i) - prototypes(unit[i], j);
      squares(i) += gap * gap;
    }
  }
  return squares.cwiseSqrt().mean();
}

}  // namespace

PrincipalPlane principal_plane(const FeatureMatrix& z, const Control& control) {
  const Index n = z.n(), p = z.p();
  const Eigen::VectorXd mean =
      z.transposed_times(Eigen::VectorXd(Eigen::VectorXd::Ones(n))) / static_cast<double>(n);
  // v -> C v with C the covariance, of size p, or its counterpart on the rows, of size n: the same
  // eigenvalues.
  const bool on_rows = n < p;
  const Index size = on_rows ? n : p;
  const auto forward = [&](const Eigen::VectorXd& v) {  // centred rows times v
    return Eigen::VectorXd(z.times(v).array() - mean.dot(v));
  };
  const auto backward = [&](const Eigen::VectorXd& u) {
    return Eigen::VectorXd(z.transposed_times(u) - mean * u.sum());
  };
  const auto apply = [&](const Eigen::VectorXd& v) {
    return Eigen::VectorXd((on_rows ? forward(backward(v)) : backward(forward(v))) /
                           static_cast<double>(n));
  };

  // Lanczos with full reorthogonalization until both leading pairs are settled.
  const Index most = std::min<Index>(size, 600);
  Eigen::MatrixXd basis(size, most);
  Eigen::MatrixXd projected = Eigen::MatrixXd::Zero(most, most);
  Rng rng(1, 0);
  Eigen::VectorXd v(size);
  for (Index s = 0; s < size; ++s) v(s) = rng.normal();
  v.normalize();
  PrincipalPlane out;
  out.axis1 = out.axis2 = Eigen::VectorXd::Zero(p);
  Index steps = 0;
  SymmetricEigen ritz;
  for (; steps < most;) {
    control.check_interrupt();
    basis.col(steps) = v;
    Eigen::VectorXd w = apply(v);
    projected(steps, steps) = w.dot(v);
    for (int twice = 0; twice < 2; ++twice) {
      const Eigen::VectorXd along = basis.leftCols(steps + 1).transpose() * w;
      w -= basis.leftCols(steps + 1) * along;
    }
    const double beta = w.norm();
    ++steps;
    const bool last = steps == most;
    if (last || steps % 8 == 0 || beta <= 1e-14 * projected.diagonal().maxCoeff()) {
      ritz = eigen_symmetric(projected.topLeftCorner(steps, steps));
      const double top = std::max(ritz.values(steps - 1), 0.0);
      const double left1 = std::abs(beta * ritz.vectors(steps - 1, steps - 1));
      const double left2 = steps > 1 ? std::abs(beta * ritz.vectors(steps - 1, steps - 2)) : 0;
      if (last || beta <= 1e-14 * top || (steps > 1 && std::max(left1, left2) <= 1e-13 * top)) {
        break;
      }
    }
    projected(steps, steps - 1) = projected(steps - 1, steps) = beta;
    v = w / beta;
  }
  if (on_rows) out.rows1 = out.rows2 = Eigen::VectorXd::Zero(n);
  const auto take = [&](Index which, double* value, Eigen::VectorXd* axis,
                        Eigen::VectorXd* combination) {
    *value = std::max(ritz.values(which), 0.0);
    const Eigen::VectorXd found = basis.leftCols(steps) * ritz.vectors.col(which);
    if (!on_rows) {
      *axis = found;
      return;
    }
    const Eigen::VectorXd back = backward(found);
    const double length = back.norm();
    if (!(length > 0)) return;
    *axis = back / length;
    *combination = found / length;
  };
  take(steps - 1, &out.first, &out.axis1, &out.rows1);
  if (steps > 1) take(steps - 2, &out.second, &out.axis2, &out.rows2);
  return out;
}

namespace {

// The grid and its radii.
struct Grid {
  Index a, b;
  std::vector<double> radii;

  Grid(Index n, const PrincipalPlane& plane) {
    const Shape shape = map_shape(n, plane.first, plane.second);
    a = shape.a;
    b = shape.b;
    const double share = static_cast<double>(units()) / static_cast<double>(n);
    const double t0 = std::max(1.0, std::ceil(static_cast<double>(std::max(a, b)) / 8));
    const double t1 = std::max(1.0, t0 / 4);
    add_radii(t0, t1, std::max(1.0, std::ceil(10 * share)), &radii);
    add_radii(t1, 1, std::max(1.0, std::ceil(40 * share)), &radii);
  }
  Index units() const { return a * b; }
  // -1 to 1 along the sides.
  double first(Index unit) const { return along(unit / b, a); }
  double second(Index unit) const { return along(unit % b, b); }
  // h of the units from .. from + count - 1 and all units.
  Eigen::MatrixXd weights(Index from, Index count, double radius) const {
    Eigen::MatrixXd h(count, units());
    for (Index v = 0; v < units(); ++v) {
      for (Index s = 0; s < count; ++s) {
        const Index u = from + s;
        const double dist = static_cast<double>(std::abs(u / b - v / b) + std::abs(u % b - v % b));
        h(s, v) = std::exp(-dist * dist / (2 * radius * radius));
      }
    }
    return h;
  }

 private:
  static double along(Index at, Index side) {
    return side > 1 ? -1 + 2 * static_cast<double>(at) / static_cast<double>(side - 1) : 0;
  }
};

constexpr Index units_at_once = 256;

// One update of the prototypes (K x anything): sums over the rows that each unit has won.
void update(const Grid& grid, double radius, const Eigen::MatrixXd& sums,
            const Eigen::VectorXd& count, const Control& control, Eigen::MatrixXd* prototypes) {
  for (Index first = 0; first < grid.units(); first += units_at_once) {
    const Index several = std::min(units_at_once, grid.units() - first);
    const Eigen::MatrixXd h = grid.weights(first, several, radius);
    const Eigen::MatrixXd moved = multiply(h, sums, control);
    const Eigen::VectorXd weight = h * count;
    for (Index s = 0; s < several; ++s) {
      // Too far from every winner for any weight: the prototype stays.
      if (weight(s) > 0) prototypes->row(first + s) = moved.row(s) / weight(s);
    }
  }
}

Eigen::VectorXd counts(const std::vector<int>& unit, Index K) {
  Eigen::VectorXd count = Eigen::VectorXd::Zero(K);
  for (const int v : unit) ++count(v);
  return count;
}

// Prototypes as combinations of the centred rows, `share` (K x n), whose Gram matrix is all that
// the search of winners needs.
Eigen::MatrixXd train_on_gram(const FeatureMatrix& z, const PrincipalPlane& plane, const Grid& grid,
                              const Eigen::VectorXd& mean, std::vector<int>* unit,
                              const Control& control) {
  const Index n = z.n(), K = grid.units();
  Control quiet = control;
  quiet.progress = [](double) {};
  Eigen::MatrixXd gram;
  if (z.is_sparse()) {
    gram = gram_rows(z, quiet);
    const Eigen::VectorXd row_mean = gram.rowwise().mean();
    const double all = row_mean.mean();
    gram.colwise() -= row_mean;
    gram.rowwise() -= row_mean.transpose();
    gram.array() += all;
  } else {
    Eigen::MatrixXd rows = z.to_dense();
    rows.rowwise() -= mean.transpose();
    gram = gram_rows(ConstMatrixRef(rows), quiet);
  }
  Eigen::MatrixXd share(K, n);
  for (Index k = 0; k < K; ++k) {
    share.row(k) = (grid.first(k) * std::sqrt(plane.first) * plane.rows1 +
                    grid.second(k) * std::sqrt(plane.second) * plane.rows2).transpose();
  }
  const auto search = [&] {
    const Eigen::MatrixXd product = multiply(share, gram, quiet);  // K x n: c_k . x_i
    const Eigen::VectorXd norm = share.cwiseProduct(product).rowwise().sum();
    unit->resize(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) {
      (*unit)[i] = nearest_unit(norm, product.data() + i * K, 1, gram(i, i));
    }
  };
  for (std::size_t epoch = 0; epoch < grid.radii.size(); ++epoch) {
    control.check_interrupt();
    search();
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(K, n);
    for (Index i = 0; i < n; ++i) sums((*unit)[i], i) = 1;
    update(grid, grid.radii[epoch], sums, counts(*unit, K), quiet, &share);
    control.progress(static_cast<double>(epoch + 1) / static_cast<double>(grid.radii.size()));
  }
  search();
  // share (z - 1 mean') + mean
  Eigen::MatrixXd prototypes = z.transposed_times(Eigen::MatrixXd(share.transpose())).transpose();
  const Eigen::VectorXd left = 1 - share.rowwise().sum().array();
  prototypes += left * mean.transpose();
  return prototypes;
}

}  // namespace

Som som(const FeatureMatrix& z, const Control& control) {
  const Index n = z.n(), p = z.p();
  Som out;
  if (n < 4) {
    out.prototypes = z.to_dense();
    out.a = n;
    out.b = 1;
    out.unit.resize(static_cast<std::size_t>(n));
    std::iota(out.unit.begin(), out.unit.end(), 0);
    return out;
  }
  const PrincipalPlane plane = principal_plane(z, control);
  const Grid grid(n, plane);
  const Index K = grid.units();
  out.a = grid.a;
  out.b = grid.b;
  const Eigen::VectorXd mean =
      z.transposed_times(Eigen::VectorXd(Eigen::VectorXd::Ones(n))) / static_cast<double>(n);

  if (n < p && n <= 2000) {
    out.prototypes = train_on_gram(z, plane, grid, mean, &out.unit, control);
  } else {
    const Rows rows(z);
    Eigen::MatrixXd prototypes(K, p);
    for (Index k = 0; k < K; ++k) {
      prototypes.row(k) = (mean - rows.origin + grid.first(k) * std::sqrt(plane.first) * plane.axis1 +
                           grid.second(k) * std::sqrt(plane.second) * plane.axis2).transpose();
    }
    Control quiet = control;
    quiet.progress = [](double) {};
    for (std::size_t epoch = 0; epoch < grid.radii.size(); ++epoch) {
      control.check_interrupt();
      const std::vector<int> unit = rows.winners(prototypes, control);
      update(grid, grid.radii[epoch], rows.sums(unit, K, control), counts(unit, K), quiet,
             &prototypes);
      control.progress(static_cast<double>(epoch + 1) / static_cast<double>(grid.radii.size()));
    }
    out.unit = rows.winners(prototypes, control);
    prototypes.rowwise() += rows.origin.transpose();
    out.prototypes = std::move(prototypes);
  }
  out.quantization_error = mean_distance(z, out.prototypes, out.unit);
  return out;
}

Problem compress_rows(const Problem& data, const Control& control) {
  const Index n = data.x.n();
  std::vector<char> stays(static_cast<std::size_t>(n), 0);
  for (std::size_t i = 0; i < data.y.code.size(); ++i) stays[i] = data.y.code[i] != unlabelled;
  for (const auto* list : {&data.constraints.must_link, &data.constraints.cannot_link}) {
    for (const Pair& pair : *list) stays[pair.first] = stays[pair.second] = 1;
  }
  std::vector<Index> kept, free;
  for (Index i = 0; i < n; ++i) (stays[i] ? kept : free).push_back(i);
  if (free.size() < 4) return data;

  const Som map = som(data.z.rows(free), control);
  const Index l = static_cast<Index>(kept.size());
  Eigen::MatrixXd rows(l + map.prototypes.rows(), data.x.p());
  if (l > 0) rows.topRows(l) = data.z.rows(kept).to_dense();
  rows.bottomRows(map.prototypes.rows()) = map.prototypes;

  Problem out;
  std::vector<int> place(static_cast<std::size_t>(n), -1);
  for (Index s = 0; s < l; ++s) place[kept[s]] = static_cast<int>(s);
  const auto moved = [&](const std::vector<Pair>& pairs) {
    std::vector<Pair> to;
    for (const Pair& pair : pairs) to.emplace_back(place[pair.first], place[pair.second]);
    return to;
  };
  out.constraints = {moved(data.constraints.must_link), moved(data.constraints.cannot_link)};
  out.y.classes = data.y.classes;
  out.y.code.assign(static_cast<std::size_t>(rows.rows()), unlabelled);
  for (Index s = 0; s < l; ++s) {
    if (!data.y.code.empty()) out.y.code[s] = data.y.code[kept[s]];
  }
  out.constant = data.constant;
  out.x = FeatureMatrix::dense(std::move(rows));
  out.z = out.x;
  return out;
}

}  // namespace semiselect
