#include "core/select/margin/drsvm.hpp"

namespace semiselect {

SenfsFit drsvm(const Problem& problem, const DrsvmOptions& options, const Control& control) {
  SenfsOptions all;
  all.cost = options.cost;
  all.cost_unlabelled = 0;
  all.balance = false;
  all.lambda1 = options.lambda1;
  all.lambda2 = options.lambda2;
  all.path = options.path;
  all.n_lambda = options.n_lambda;
  all.n_features = options.n_features;
  all.tol = options.tol;
  all.aggregate = options.aggregate;
  all.system = options.system;
  return senfs(problem, all, control);
}

}  // namespace semiselect
