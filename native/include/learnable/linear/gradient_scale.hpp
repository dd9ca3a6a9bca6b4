// How large the derivatives of the rows of an objective are.
#pragma once

#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// Sums over rows of slope^2 / share, and of the same with bend times score in place of slope.
struct SlopeSquares {
  double slope = 0, change = 0;
};

// One pass; blocks of rows are added in order.
inline SlopeSquares slope_squares(View<const double> slope, View<const double> bend, View<const double> score,
                                  View<const double> share) {
  const Blocks blocks(slope.size, 8192);
  std::vector<SlopeSquares> parts(blocks.count);
  parallel_if(blocks.count > 4, blocks.count, [&](index_t block, int) {
    double first[8] = {}, second[8] = {};
    const index_t begin = blocks.begin(block), end = blocks.end(block);
    const auto add = [&](index_t i, int lane) {
      const double change = bend[i] * score[i], unit = 1 / share[i];
      first[lane] += slope[i] * slope[i] * unit;
      second[lane] += change * change * unit;
    };
    index_t i = begin;
    for (; i + 8 <= end; i += 8)
      for (int lane = 0; lane < 8; ++lane) add(i + lane, lane);
    for (int lane = 0; i < end; ++i, ++lane) add(i, lane);
    for (int lane = 0; lane < 8; ++lane) {
      parts[block].slope += first[lane];
      parts[block].change += second[lane];
    }
  });
  SlopeSquares total;
  for (const SlopeSquares& part : parts) {
    total.slope += part.slope;
    total.change += part.change;
  }
  return total;
}

}  // namespace learnable
