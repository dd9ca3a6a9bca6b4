// The best threshold of many rows in one column, without sorting all of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/trees/criteria.hpp"
#include "learnable/trees/row_sort.hpp"
#include "learnable/trees/split_selector.hpp"

namespace learnable {

// Targets between `lowest` and `highest`, summed in bins of neighbouring ranks. Whatever the order of the rows of a
// bin, the sums on the left of a cut inside it lie in a parallelogram between those before the bin and those after it,
// with the corners where its largest, or its smallest, targets come first. Squares of sums over weights are convex, so
// no cut inside the bin gains more than the largest corner, and only few bins need to be sorted.
class RankBuckets {
 public:
  static constexpr index_t min_rows = 128;  // fewer are faster to sort

  struct Bin {
    SingleTarget::Sums sums{0, 0};
    index_t rows = 0;
  };

  // Starts with `count` empty bins, to be filled through at(bin); close() computes cumulative sums.
  void open(index_t count) { bins_.assign(std::size_t(count + 1), Bin{}); }
  Bin& at(index_t bin) { return bins_[bin]; }
  void close() {
    Bin before;
    for (Bin& bin : bins_) {
      const Bin here = std::exchange(bin, before);
      before.sums[0] += here.sums[0];
      before.sums[1] += here.sums[1];
      before.rows += here.rows;
    }
  }

  index_t count() const { return index_t(bins_.size()) - 1; }
  const Bin& before(index_t bin) const { return bins_[bin]; }

  // The largest gain of a cut between two bins that is allowed by the rules.
  double best_between(const SplitSelector& selector) const {
    double best = -std::numeric_limits<double>::infinity();
    for (index_t b = 1; b < count(); ++b) {
      const Bin& left = bins_[b];
      if (!selector.enough_rows(left.rows) || !selector.enough_weight(left.sums[0],
                                                                      bins_.back().sums[0] - left.sums[0])) continue;
      best = std::max(best, gain(left.sums[0], left.sums[1]));
    }
    return best;
  }

  // Marks the bins in which, or at whose ends, a cut may gain more than `rival`.
  const std::uint8_t* promising(double lowest, double highest, double rival) {
    const double per = 1 / (highest - lowest);
    promising_.resize(bins_.size());
    for (index_t b = 0; b < count(); ++b) {
      const auto [w, a] = bins_[b].sums;
      const auto [end_weight, end_amount] = bins_[b + 1].sums;
      const double here = end_weight - w;
      const double large = std::min(std::max((end_amount - a - lowest * here) * per, 0.0), here), small = here - large;
      const double corners = std::max(gain(w + large, a + highest * large), gain(w + small, a + lowest * small));
      promising_[b] = std::max(corners, std::max(gain(w, a), gain(end_weight, end_amount))) > rival;
    }
    return promising_.data();
  }

 private:
  static constexpr double tiny = std::numeric_limits<double>::min();

  // The gain of both sides of a cut with these sums on its left.
  double gain(double weight, double amount) const {
    const double rest = bins_.back().sums[0] - weight, other = bins_.back().sums[1] - amount;
    return amount * amount / std::max(weight, tiny) + other * other / std::max(rest, tiny);
  }

  std::vector<Bin> bins_;  // cumulative sums before each, and of all
  std::vector<std::uint8_t> promising_;
};

// The bin of a rank: about as many bins as rows in each.
struct BinOfRank {
  std::uint32_t low;
  int shift;

  BinOfRank(RankRange range, index_t rows) : low(range.low) {
    const int bits = std::bit_width(range.high - range.low), bin_bits = (std::bit_width(std::uint64_t(rows)) + 3) / 2;
    shift = std::max(bits - bin_bits, 0);
  }
  index_t operator()(std::uint32_t rank) const { return index_t((rank - low) >> shift); }
};

}  // namespace learnable
