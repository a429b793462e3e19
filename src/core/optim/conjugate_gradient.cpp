#include "core/optim/conjugate_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "core/run/parallel.hpp"

namespace semiselect {

namespace {

// One right-hand side, between two rounds.
struct Recurrence {
  Eigen::VectorXd x, r, z, direction;
  double rz = 0;      // r'z
  double target = 0;  // residual norm to reach
  int iterations = 0;
  bool done = false;
  bool converged = false;
};

Recurrence start(const Eigen::VectorXd& b, const Eigen::VectorXd& inverse, double tol) {
  Recurrence s;
  s.x = Eigen::VectorXd::Zero(b.size());
  s.r = b;
  s.z = inverse.size() > 0 ? Eigen::VectorXd(inverse.cwiseProduct(b)) : b;
  s.direction = s.z;
  s.rz = s.r.dot(s.z);
  s.target = tol * b.norm();
  s.done = s.converged = s.r.norm() <= s.target;
  return s;
}

void advance(Recurrence& s, const SymmetricProduct& product, const Eigen::VectorXd& inverse,
             int steps, int max_iter) {
  Eigen::VectorXd image(s.x.size());
  for (int step = 0; step < steps && !s.done; ++step) {
    if (s.iterations == max_iter) {
      s.done = true;
      return;
    }
    product(s.direction, image);
    const double curvature = s.direction.dot(image);
    if (!(curvature > 0)) {  // rounding has used up the direction
      s.done = true;
      return;
    }
    const double length = s.rz / curvature;
    s.x += length * s.direction;
    s.r -= length * image;
    ++s.iterations;
    if (s.r.norm() <= s.target) {
      s.done = s.converged = true;
      return;
    }
    if (inverse.size() > 0) {
      s.z = inverse.cwiseProduct(s.r);
    } else {
      s.z = s.r;
    }
    const double rz = s.r.dot(s.z);
    s.direction = s.z + (rz / s.rz) * s.direction;
    s.rz = rz;
  }
}

}  // namespace

ConjugateGradientSolution conjugate_gradients(const SymmetricProduct& product,
                                              const Eigen::MatrixXd& b,
                                              const Eigen::VectorXd& diagonal,
                                              const ConjugateGradientOptions& options,
                                              const Control& control) {
  const Eigen::VectorXd inverse =
      (diagonal.array() > 0).select(diagonal.array().inverse(), 1.0).matrix();
  std::vector<Recurrence> columns;
  for (Index c = 0; c < b.cols(); ++c) columns.push_back(start(b.col(c), inverse, options.tol));

  // About 1e7 vector entries per round: well below a second, well above the cost of a thread.
  const int steps =
      static_cast<int>(std::max<Index>(1, 10000000 / std::max<Index>(b.rows(), 1000)));
  std::vector<Index> open;
  do {
    control.check_interrupt();
    open.clear();
    for (Index c = 0; c < b.cols(); ++c) {
      if (!columns[static_cast<std::size_t>(c)].done) open.push_back(c);
    }
    Control round = control;
    round.progress = [](double) {};
    parallel_for(static_cast<Index>(open.size()), round, [&](Index u) {
      const std::size_t c = static_cast<std::size_t>(open[static_cast<std::size_t>(u)]);
      advance(columns[c], product, inverse, steps, options.max_iter);
    });
  } while (!open.empty());

  ConjugateGradientSolution out;
  out.x.resize(b.rows(), b.cols());
  out.residual = Eigen::VectorXd::Zero(b.cols());
  Eigen::VectorXd image(b.rows());
  for (Index c = 0; c < b.cols(); ++c) {
    const Recurrence& s = columns[static_cast<std::size_t>(c)];
    out.x.col(c) = s.x;
    out.iterations.push_back(s.iterations);
    out.converged = out.converged && s.converged;
    const double norm = b.col(c).norm();
    if (norm == 0) continue;
    product(s.x, image);
    out.residual(c) = (b.col(c) - image).norm() / norm;
  }
  return out;
}

}  // namespace semiselect
