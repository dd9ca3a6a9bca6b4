// The logarithmic loss of predicted probabilities and their validity checks, in one pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

struct LogLoss {
  double loss = 0;                    // sum of weight times -log(probability of the true class)
  double lowest = 1, highest = 0;         // of all probabilities
  double max_sum_error = 0;             // difference of 1 and the sum of a row
};

// P has a column a class, or one column: the probability of class 1 of two. Probabilities are clipped to [epsilon,
// 1 - epsilon]. A NaN among them makes `max_sum_error` NaN.
inline LogLoss log_loss(Grid<const double> P, View<const std::int64_t> codes, View<const double> weight,
                        double epsilon) {
  constexpr int together = 16;  // probabilities whose product cannot underflow: one logarithm for all of them
  const Blocks blocks(P.rows, std::max<index_t>(256, (1 << 16) / P.columns));
  std::vector<LogLoss> parts(blocks.count);
  parallel_for(blocks.count, [&](index_t block, int) {
    LogLoss sum;
    double product = 1;
    int count = 0;
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const double* row = P.data + i * P.stride;
      double total = 0;
      for (index_t j = 0; j < P.columns; ++j) {
        sum.lowest = std::min(sum.lowest, row[j]);
        sum.highest = std::max(sum.highest, row[j]);
        total += row[j];
      }
      if (P.columns > 1) sum.max_sum_error = std::max(sum.max_sum_error, std::abs(total - 1));
      const double given = P.columns > 1 ? row[codes[i]] : codes[i] ? row[0] : 1 - row[0];
      const double clipped = std::clamp(given, epsilon, 1 - epsilon);
      if (weight) {
        sum.loss -= weight[i] * std::log(clipped);
      } else {
        product *= clipped;
        if (++count == together) {
          sum.loss -= std::log(product);
          product = 1;
          count = 0;
        }
      }
    }
    sum.loss -= std::log(product);
    parts[block] = sum;
  });
  LogLoss all;
  for (const LogLoss& part : parts) {
    all.loss += part.loss;
    all.lowest = std::min(all.lowest, part.lowest);
    all.highest = std::max(all.highest, part.highest);
    all.max_sum_error = std::max(all.max_sum_error, part.max_sum_error);
  }
  return all;
}

}  // namespace learnable
