// Scale of the gradients of the rows of an objective.
#pragma once

#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// Sums over rows of gradient^2 / weight, and of the same with curvature times score in place of gradient.
struct GradientSquares {
  double gradient = 0, change = 0;
};

// One pass; blocks of rows are added in order.
inline GradientSquares gradient_squares(View<const double> gradient, View<const double> curvature,
                                        View<const double> score,
                                  View<const double> weight) {
  const Blocks blocks(gradient.size, 8192);
  std::vector<GradientSquares> parts(blocks.count);
  parallel_if(blocks.count > 4, blocks.count, [&](index_t block, int) {
    double first[8] = {}, second[8] = {};
    const index_t begin = blocks.begin(block), end = blocks.end(block);
    const auto add = [&](index_t i, int lane) {
      const double change = curvature[i] * score[i], unit = 1 / weight[i];
      first[lane] += gradient[i] * gradient[i] * unit;
      second[lane] += change * change * unit;
    };
    index_t i = begin;
    for (; i + 8 <= end; i += 8)
      for (int lane = 0; lane < 8; ++lane) add(i + lane, lane);
    for (int lane = 0; i < end; ++i, ++lane) add(i, lane);
    for (int lane = 0; lane < 8; ++lane) {
      parts[block].gradient += first[lane];
      parts[block].change += second[lane];
    }
  });
  GradientSquares total;
  for (const GradientSquares& part : parts) {
    total.gradient += part.gradient;
    total.change += part.change;
  }
  return total;
}

}  // namespace learnable
