#include "core/select/margin/sparse_svm.hpp"

#include <algorithm>
#include <limits>

#include "core/data/group_statistics.hpp"
#include "core/optim/gram.hpp"
#include "core/optim/platt.hpp"
#include "core/optim/svm_dual.hpp"

namespace semiselect {

Eigen::VectorXd class_signs(const Labels& y, int c) {
  const int positive = y.classes == 2 ? 1 : c;
  std::vector<double> sign;
  for (const int code : y.code) {
    if (code != unlabelled) sign.push_back(code == positive ? 1 : -1);
  }
  return Eigen::Map<const Eigen::VectorXd>(sign.data(), static_cast<Index>(sign.size()));
}

int class_problems(const Labels& y) { return y.classes == 2 ? 1 : y.classes; }

double smallest_useful_cost(const LabelledRows& rows) {
  std::vector<int> side;
  for (Index i = 0; i < rows.sign.size(); ++i) side.push_back(rows.sign(i) > 0);
  const RowGroups groups(side, 2);
  const Eigen::VectorXd equal;
  GroupMoments m;
  double largest = 0;
  for (Index j = 0; j < rows.z.p(); ++j) {
    group_moments(rows.z, j, groups, equal, m);
    largest = std::max(largest, std::abs(m.mean(1) - m.mean(0)));
  }
  return 1 / (groups.size.minCoeff() * largest);
}

double mean_scatter(const FeatureMatrix& z, const std::vector<Index>& columns) {
  const RowGroups all(std::vector<int>(static_cast<std::size_t>(z.n()), 0), 1);
  const Eigen::VectorXd equal;
  GroupMoments m;
  double sum = 0;
  const Index count = columns.empty() ? z.p() : static_cast<Index>(columns.size());
  for (Index e = 0; e < count; ++e) {
    group_moments(z, columns.empty() ? e : columns[e], all, equal, m);
    sum += m.squares(0);
  }
  return sum / static_cast<double>(z.n());
}

void finish_classifier(const Problem& data, const LabelledRows& rows,
                       const std::vector<Index>& columns, SparseSvmFit& fit) {
  Eigen::VectorXd w = fit.w;
  double b = fit.b;
  if (!columns.empty()) {
    w.setZero();
    Eigen::MatrixXd chosen(rows.z.n(), static_cast<Index>(columns.size()));
    for (std::size_t e = 0; e < columns.size(); ++e) {
      rows.z.column(columns[e], chosen.col(static_cast<Index>(e)).data());
    }
    const double scatter = mean_scatter(rows.z, columns);
    SvmDualOptions options;
    options.cost = scatter > 0 ? 10 / scatter : 1;
    const Eigen::RowVectorXd center = chosen.colwise().mean();
    chosen.rowwise() -= center;
    const SvmDual svm =
        svm_dual(gram_rows(ConstMatrixRef(chosen), Control()), rows.sign, options);
    const Eigen::VectorXd refitted = chosen.transpose() * svm.alpha.cwiseProduct(rows.sign);
    for (std::size_t e = 0; e < columns.size(); ++e) w(columns[e]) = refitted(static_cast<Index>(e));
    b = svm.b + center.dot(refitted);
  }

  // From the scaled columns to those given: z = (x - shift) / divisor.
  fit.coefficients = w;
  fit.intercept = -b;
  for (Index j = 0; j < w.size(); ++j) {
    if (w(j) == 0) continue;
    fit.coefficients(j) = w(j) / data.z.divisor(j);
    fit.intercept -= fit.coefficients(j) * data.z.shift(j);
  }
  fit.decision = data.z.times(w).array() - b;
  Eigen::VectorXd known(rows.sign.size());
  Index at = 0;
  for (const Index i : data.y.labelled_rows()) known(at++) = fit.decision(i);
  const Platt sigmoid = platt(known, rows.sign);
  fit.platt_a = sigmoid.a;
  fit.platt_b = sigmoid.b;
}

void finish_selection(const Problem& data, const std::vector<LabelledRows>& rows, Index n_features,
                      Selection& selection, std::vector<SparseSvmFit>& by_class) {
  std::stable_partition(selection.order.begin(), selection.order.end(),
                        [&](Index j) { return !data.constant[j]; });
  std::vector<Index> chosen;
  selection.selected.assign(selection.order.size(), 0);
  for (Index e = 0; e < static_cast<Index>(selection.order.size()); ++e) {
    const Index j = selection.order[e];
    const bool take = n_features > 0 ? e < n_features && !data.constant[j]
                                     : selection.statistic(j) > 0;
    selection.selected[j] = take;
    if (take && n_features > 0) chosen.push_back(j);
  }
  for (std::size_t c = 0; c < by_class.size(); ++c) {
    finish_classifier(data, rows[c], chosen, by_class[c]);
  }
  if (by_class.size() == 1) selection.objective = by_class[0].objective;
}

Eigen::VectorXd combined_weights(const std::vector<SparseSvmFit>& fits) {
  if (fits.size() == 1) return fits[0].w.cwiseAbs();
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(fits[0].w.size());
  for (const SparseSvmFit& fit : fits) {
    const double largest = fit.w.cwiseAbs().maxCoeff();
    if (largest > 0) sum += fit.w.cwiseAbs() / largest;
  }
  return sum;
}

}  // namespace semiselect
