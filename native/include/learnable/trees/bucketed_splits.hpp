// The best cut of many rows by one column, without putting them all in order.
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

// Rows of numbers between `least` and `most`, added up in bins of neighbouring ranks. Whatever the order of the rows of a
// bin, the sums on the left of a cut through it lie in a parallelogram: from those before the bin to those after it,
// bent as far as if its largest numbers came first, or its smallest. Squares of sums over weights are convex, so no cut
// through the bin is worth more than one at a corner, and only few bins need to be looked into.
class Bins {
 public:
  static constexpr index_t fewest_rows = 128;  // fewer are faster put in order

  struct Bin {
    OneNumber::Sums sums{0, 0};
    index_t rows = 0;
  };

  // Begins with so many empty bins, which at(bin) lets fill; close() adds up what comes before each.
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

  // The most that a cut between two bins is worth, of those that keep the rules.
  double best_between(const Offers& offers) const {
    double best = -std::numeric_limits<double>::infinity();
    for (index_t b = 1; b < count(); ++b) {
      const Bin& left = bins_[b];
      if (!offers.enough_rows(left.rows) || !offers.enough_weight(left.sums[0], bins_.back().sums[0] - left.sums[0])) continue;
      best = std::max(best, worth(left.sums[0], left.sums[1]));
    }
    return best;
  }

  // Marks the bins through which, or at whose ends, a cut may be worth more than `rival`.
  const std::uint8_t* promising(double least, double most, double rival) {
    const double per = 1 / (most - least);
    promising_.resize(bins_.size());
    for (index_t b = 0; b < count(); ++b) {
      const auto [w, a] = bins_[b].sums;
      const auto [end_weight, end_amount] = bins_[b + 1].sums;
      const double here = end_weight - w;
      const double large = std::min(std::max((end_amount - a - least * here) * per, 0.0), here), small = here - large;
      const double corners = std::max(worth(w + large, a + most * large), worth(w + small, a + least * small));
      promising_[b] = std::max(corners, std::max(worth(w, a), worth(end_weight, end_amount))) > rival;
    }
    return promising_.data();
  }

 private:
  static constexpr double tiny = std::numeric_limits<double>::min();

  // Of both sides of a cut with these sums on its left.
  double worth(double weight, double amount) const {
    const double rest = bins_.back().sums[0] - weight, other = bins_.back().sums[1] - amount;
    return amount * amount / std::max(weight, tiny) + other * other / std::max(rest, tiny);
  }

  std::vector<Bin> bins_;  // sums of what comes before each, and of all
  std::vector<std::uint8_t> promising_;
};

// Which bin a rank falls into: as many bins as there are rows in each, or a few more.
struct BinOfRank {
  std::uint32_t low;
  int shift;

  BinOfRank(RankRange range, index_t rows) : low(range.low) {
    const int bits = std::bit_width(range.high - range.low), wanted = (std::bit_width(std::uint64_t(rows)) + 3) / 2;
    shift = std::max(bits - wanted, 0);
  }
  index_t operator()(std::uint32_t rank) const { return index_t((rank - low) >> shift); }
};

}  // namespace learnable
