#include "core/data/coherence.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/data/no_value.hpp"
#include "core/optim/gram.hpp"
#include "core/run/errors.hpp"

namespace semiselect {

namespace {

// Whether [s, t] covers nothing of [0, 1].
bool apart(double s, double t) {
  return std::min(1.0, std::max(s, t)) - std::max(0.0, std::min(s, t)) <= 1e-12;
}

// The rows involved and the segments among them.
class Segments {
 public:
  Segments(const FeatureMatrix& z, const Constraints& pairs, const Control& control) {
    std::vector<int> place(static_cast<std::size_t>(z.n()), -1);
    std::vector<Index> rows;
    for (const auto* list : {&pairs.must_link, &pairs.cannot_link}) {
      for (const Pair& pair : *list) place[pair.first] = place[pair.second] = 0;
    }
    for (Index i = 0; i < z.n(); ++i) {
      if (place[i] < 0) continue;
      place[i] = static_cast<int>(rows.size());
      rows.push_back(i);
    }
    for (const Pair& pair : pairs.must_link) {
      must_link.emplace_back(place[pair.first], place[pair.second]);
    }
    for (const Pair& pair : pairs.cannot_link) {
      cannot_link.emplace_back(place[pair.first], place[pair.second]);
    }
    z_ = z.rows(rows);
    if (z_.is_sparse()) {
      gram_ = gram_rows(z_, control);
    } else {
      // Centred, so that an offset common to all rows costs no digits.
      Eigen::MatrixXd dense = z_.to_dense();
      dense.rowwise() -= dense.colwise().mean().eval();
      gram_ = gram_rows(ConstMatrixRef(dense), control);
    }
    largest_ = gram_.diagonal().maxCoeff();
  }

  Index points() const { return gram_.rows(); }

  double squared_length(const Pair& b) const {
    return gram_(b.first, b.first) + gram_(b.second, b.second) - 2 * gram_(b.first, b.second);
  }
  // The Gram matrix has not enough digits for segments much shorter than the rows are long.
  bool is_short(const Pair& b) const { return squared_length(b) < 1e-3 * largest_; }

  // t of one point on b; b not short.
  double at(const Pair& b, Index k, double length) const {
    if (k == b.first) return 0;
    if (k == b.second) return 1;
    return (gram_(k, b.second) - gram_(k, b.first) - gram_(b.first, b.second) +
            gram_(b.first, b.first)) / length;
  }

  // t of all points; empty if b is a point.
  std::vector<double> all(const Pair& b) const {
    std::vector<double> t(static_cast<std::size_t>(points()));
    if (!is_short(b)) {
      const double length = squared_length(b);
      for (Index k = 0; k < points(); ++k) t[k] = at(b, k, length);
      return t;
    }
    const Eigen::VectorXd from = z_.row(b.first);
    const Eigen::VectorXd direction = z_.row(b.second) - from;
    const double length = direction.squaredNorm();
    if (length == 0) return {};
    for (Index k = 0; k < points(); ++k) t[k] = (z_.row(k) - from).dot(direction) / length;
    t[b.first] = 0;
    t[b.second] = 1;
    return t;
  }

  std::vector<Pair> must_link, cannot_link;

 private:
  FeatureMatrix z_;
  Eigen::MatrixXd gram_;
  double largest_ = 0;
};

}  // namespace

Coherence coherence(const FeatureMatrix& z, const Constraints& pairs, CoherenceRule rule,
                    const Control& control) {
  const std::size_t m = pairs.must_link.size(), c = pairs.cannot_link.size();
  Coherence out;
  out.must_link.assign(m, no_value);
  out.cannot_link.assign(c, no_value);
  out.overall = no_value;
  if (m == 0 || c == 0) return out;
  if (static_cast<double>(m) * static_cast<double>(c) > 2e9) {
    throw InputError("The coherence of " + std::to_string(m) + " must-links and " +
                     std::to_string(c) +
                     " cannot-links would compare more than 2e9 pairs of them. Use fewer labels "
                     "or pairs.");
  }

  const Segments segments(z, pairs, control);
  std::vector<double> length(m);
  std::unordered_map<std::size_t, std::vector<double>> special;  // short must-links
  for (std::size_t p = 0; p < m; ++p) {
    length[p] = segments.squared_length(segments.must_link[p]);
    if (segments.is_short(segments.must_link[p])) {
      special.emplace(p, segments.all(segments.must_link[p]));
    }
  }
  std::vector<char> is_special(m, 0);
  for (const auto& entry : special) is_special[entry.first] = 1;

  // Counts are whole numbers: the order of their sums does not matter.
  const Index blocks = std::min<Index>(static_cast<Index>(c), 64);
  std::vector<std::vector<std::int64_t>> free_on(static_cast<std::size_t>(blocks));
  std::vector<std::int64_t> mutual_of_block(static_cast<std::size_t>(blocks), 0);
  std::vector<std::int64_t> of_cannot_link(c, 0);
  parallel_for(blocks, control, [&](Index block) {
    std::vector<std::int64_t>& of_must_link = free_on[block];
    of_must_link.assign(m, 0);
    const std::size_t first = static_cast<std::size_t>(block) * c / blocks;
    const std::size_t last = static_cast<std::size_t>(block + 1) * c / blocks;
    for (std::size_t q = first; q < last; ++q) {
      const Pair& own = segments.cannot_link[q];
      const std::vector<double> t = segments.all(own);
      for (std::size_t p = 0; p < m; ++p) {
        const Pair& other = segments.must_link[p];
        const bool p_on_q = t.empty() || apart(t[other.first], t[other.second]);
        bool q_on_p = true;
        if (!is_special[p]) {
          q_on_p = apart(segments.at(other, own.first, length[p]),
                         segments.at(other, own.second, length[p]));
        } else {
          const std::vector<double>& s = special.at(p);
          q_on_p = s.empty() || apart(s[own.first], s[own.second]);
        }
        const bool both = p_on_q && q_on_p;
        mutual_of_block[block] += both;
        of_must_link[p] += rule == CoherenceRule::mutual ? both : p_on_q;
        of_cannot_link[q] += rule == CoherenceRule::mutual ? both : q_on_p;
      }
    }
  });

  std::int64_t mutual = 0;
  for (const std::int64_t count : mutual_of_block) mutual += count;
  out.overall = static_cast<double>(mutual) / (static_cast<double>(m) * static_cast<double>(c));
  for (std::size_t p = 0; p < m; ++p) {
    std::int64_t sum = 0;
    for (const std::vector<std::int64_t>& part : free_on) sum += part[p];
    out.must_link[p] = static_cast<double>(sum) / static_cast<double>(c);
  }
  for (std::size_t q = 0; q < c; ++q) {
    out.cannot_link[q] = static_cast<double>(of_cannot_link[q]) / static_cast<double>(m);
  }
  return out;
}

Constraints coherent_constraints(const FeatureMatrix& z, const Constraints& pairs,
                                 CoherenceRule rule, const Control& control) {
  if (pairs.must_link.empty() || pairs.cannot_link.empty()) return pairs;
  const Coherence found = coherence(z, pairs, rule, control);
  Constraints out;
  for (std::size_t p = 0; p < pairs.must_link.size(); ++p) {
    if (found.must_link[p] >= found.overall - 1e-12) out.must_link.push_back(pairs.must_link[p]);
  }
  for (std::size_t q = 0; q < pairs.cannot_link.size(); ++q) {
    if (found.cannot_link[q] >= found.overall - 1e-12) {
      out.cannot_link.push_back(pairs.cannot_link[q]);
    }
  }
  return out;
}

}  // namespace semiselect
