// The best cut of many rows by one column, without putting them all in order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "learnable/tree_criteria.hpp"
#include "learnable/tree_offers.hpp"
#include "learnable/tree_sort.hpp"
#include "learnable/view.hpp"

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

  template <class Item>
  void fill(const OneNumber& target, const std::uint32_t* ranks, const Item* items, index_t rows, std::uint32_t low,
            std::uint32_t high) {
    const int bits = std::bit_width(high - low), wanted = (std::bit_width(std::uint64_t(rows)) + 3) / 2;
    low_ = low;
    shift_ = std::max(bits - wanted, 0);
    count_ = index_t((high - low) >> shift_) + 1;
    bins_.assign(std::size_t(count_ + 1), Bin{});
    for (index_t k = 0; k < rows; ++k) {
      Bin& bin = bins_[bin_of(ranks[k])];
      target.add(items[k], bin.sums);
      ++bin.rows;
    }
    Bin before;
    for (Bin& bin : bins_) {
      const Bin here = std::exchange(bin, before);
      before.sums[0] += here.sums[0];
      before.sums[1] += here.sums[1];
      before.rows += here.rows;
    }
  }

  index_t bin_of(std::uint32_t rank) const { return index_t((rank - low_) >> shift_); }
  const Bin& before(index_t bin) const { return bins_[bin]; }

  // Marks the bins through which, or at whose ends, a cut may be worth more than `rival` and no less than the best but
  // for noise.
  const std::uint8_t* promising(double least, double most, const Offers& offers) {
    const auto [weight, amount] = bins_[count_].sums;
    const double per = 1 / (most - least);
    const auto worth = [=](double w, double a) {
      return a * a / std::max(w, tiny) + (amount - a) * (amount - a) / std::max(weight - w, tiny);
    };
    bound_.resize(std::size_t(count_));
    for (index_t b = 0; b < count_; ++b) {
      const auto [w, a] = bins_[b].sums;
      const double here = bins_[b + 1].sums[0] - w, numbers = bins_[b + 1].sums[1] - a;
      const double large = std::min(std::max((numbers - least * here) * per, 0.0), here), small = here - large;
      const double corners = std::max(worth(w + large, a + most * large), worth(w + small, a + least * small));
      bound_[b] = std::max(corners, worth(w, a));
    }
    double rival = offers.best.worth;
    for (index_t b = 1; b < count_; ++b) {
      const auto [w, a] = bins_[b].sums;
      const double found = worth(w, a);
      bound_[b - 1] = std::max(bound_[b - 1], found);
      if (offers.enough_rows(bins_[b].rows) && offers.enough_weight(w, weight - w))
        rival = std::max(rival, found - 2 * offers.noise());
    }
    promising_.resize(std::size_t(count_));
    for (index_t b = 0; b < count_; ++b) promising_[b] = bound_[b] > rival;
    return promising_.data();
  }

 private:
  static constexpr double tiny = std::numeric_limits<double>::min();

  std::uint32_t low_ = 0;
  int shift_ = 0;
  index_t count_ = 0;
  std::vector<Bin> bins_;  // sums of what comes before each, and of all
  std::vector<double> bound_;
  std::vector<std::uint8_t> promising_;
};

}  // namespace learnable
