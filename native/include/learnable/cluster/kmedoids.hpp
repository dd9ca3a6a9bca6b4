// k-medoids by swaps: a medoid is exchanged for another row as long as that lowers the sum of dissimilarities. All k
// swaps with a candidate row are evaluated in one pass over the rows. [Schubert and Rousseeuw, 2021]
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/matrix/simd.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// far(c, i) is the dissimilarity of row i to row c, if c were a medoid. There are at least two medoids.
class MedoidSwaps {
 public:
  MedoidSwaps(Grid<const double> far, View<const double> weight, View<std::int64_t> medoid)
      : far_(far), weight_(weight), medoid_(medoid), is_medoid_(std::size_t(far.rows), 0),
        nearest_(std::size_t(far.rows)), second_(std::size_t(far.rows)), near_(std::size_t(far.rows)),
        next_(std::size_t(far.rows)), loss_(std::size_t(medoid.size)) {
    for (const std::int64_t row : medoid) is_medoid_[row] = 1;
    assign_all();
  }

  double cost() const {
    double sum = 0;
    for (index_t i = 0; i < far_.rows; ++i) sum += weight_[i] * near_[i];
    return sum;
  }

  // Tries every row once, from where the last sweep ended, and swaps where that gains more than `min_gain`. Returns the
  // number of swaps; `gain` is the largest gain of a swap that was not done.
  index_t sweep(double min_gain, double& gain) {
    index_t swaps = 0;
    gain = 0;
    for (index_t tried = 0; tried < far_.rows && since_ < far_.rows;) {
      const index_t count = std::min({at_once, far_.rows - tried, far_.rows - since_});
      const std::vector<Swap> candidates = evaluate(count);
      index_t taken = 0;
      while (taken < count && !(candidates[taken].change < -min_gain)) gain = std::max(gain, -candidates[taken++].change);
      tried += std::min(taken + 1, count);
      since_ += taken;
      const index_t here = (at_ + taken) % far_.rows;
      if (taken < count) {
        swap(candidates[taken].out, here);
        ++swaps;
        since_ = 0;
        gain = 0;
      }
      at_ = (here + (taken < count)) % far_.rows;
    }
    return swaps;
  }

  // Whether all rows were tried since the last swap.
  bool settled() const { return since_ >= far_.rows; }

 private:
  static constexpr index_t at_once = 32;
  struct Swap {
    double change;
    index_t out;
  };

  // The best swap for each of the next rows, from `at_` on.
  std::vector<Swap> evaluate(index_t count) const {
    std::vector<Swap> candidates(static_cast<std::size_t>(count));
    parallel_if(count * far_.rows > 1 << 14, count, [&](index_t c, int) {
      const index_t row = (at_ + c) % far_.rows;
      candidates[c] = is_medoid_[row] ? Swap{0, 0} : evaluate_one(&far_(row, 0));
    });
    return candidates;
  }

  Swap evaluate_one(const double* far) const {
    std::vector<double> change = loss_;
    double shared = 0;
    index_t i = 0;
    for (; i + lanes <= far_.rows; i += lanes) {
      const auto nearer = load(far + i) < load(next_.data() + i);
      bool any = false;
      for (int lane = 0; lane < lanes; ++lane) any |= nearer[lane] != 0;
      if (!any) continue;
      for (index_t k = i; k < i + lanes; ++k) evaluate_row(far[k], k, shared, change);
    }
    for (; i < far_.rows; ++i) evaluate_row(far[i], i, shared, change);
    const index_t best = std::min_element(change.begin(), change.end()) - change.begin();
    return {shared + change[best], best};
  }

  void evaluate_row(double far, index_t i, double& shared, std::vector<double>& change) const {
    if (far < near_[i]) {
      shared += weight_[i] * (far - near_[i]);
      change[nearest_[i]] += weight_[i] * (near_[i] - next_[i]);
    } else if (far < next_[i]) {
      change[nearest_[i]] += weight_[i] * (far - next_[i]);
    }
  }

  void swap(index_t out, index_t row) {
    is_medoid_[medoid_[out]] = 0;
    medoid_[out] = row;
    is_medoid_[row] = 1;
    const double* far = &far_(row, 0);
    for (index_t i = 0; i < far_.rows; ++i) {
      if (nearest_[i] == out || second_[i] == out) {
        assign(i);
      } else if (far[i] < near_[i]) {
        next_[i] = near_[i], second_[i] = nearest_[i];
        near_[i] = far[i], nearest_[i] = std::int32_t(out);
      } else if (far[i] < next_[i]) {
        next_[i] = far[i], second_[i] = std::int32_t(out);
      }
    }
    add_losses();
  }

  void assign_all() {
    for (index_t i = 0; i < far_.rows; ++i) assign(i);
    add_losses();
  }

  // The two nearest medoids of a row.
  void assign(index_t i) {
    near_[i] = next_[i] = HUGE_VAL;
    nearest_[i] = second_[i] = 0;
    for (index_t m = 0; m < medoid_.size; ++m) {
      const double far = far_(medoid_[m], i);
      if (far < near_[i]) {
        next_[i] = near_[i], second_[i] = nearest_[i];
        near_[i] = far, nearest_[i] = std::int32_t(m);
      } else if (far < next_[i]) {
        next_[i] = far, second_[i] = std::int32_t(m);
      }
    }
  }

  // The loss by removing each medoid.
  void add_losses() {
    std::fill(loss_.begin(), loss_.end(), 0.0);
    for (index_t i = 0; i < far_.rows; ++i) loss_[nearest_[i]] += weight_[i] * (next_[i] - near_[i]);
  }

  Grid<const double> far_;
  View<const double> weight_;
  View<std::int64_t> medoid_;
  std::vector<char> is_medoid_;
  std::vector<std::int32_t> nearest_, second_;
  std::vector<double> near_, next_, loss_;
  index_t at_ = 0, since_ = 0;
};

}  // namespace learnable
