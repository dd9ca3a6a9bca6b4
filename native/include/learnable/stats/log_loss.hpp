// The logarithmic loss of predicted probabilities, with what must be checked of them, in one pass.
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
  double least = 1, most = 0;         // of all probabilities
  double largest_gap = 0;             // of 1 and the sum of a row
};

// P has a column a class, or one column: the probability of class 1 of two. Probabilities are held between epsilon and
// 1 - epsilon. A NaN among them ends up in `largest_gap`.
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
        sum.least = std::min(sum.least, row[j]);
        sum.most = std::max(sum.most, row[j]);
        total += row[j];
      }
      if (P.columns > 1) sum.largest_gap = std::max(sum.largest_gap, std::abs(total - 1));
      const double given = P.columns > 1 ? row[codes[i]] : codes[i] ? row[0] : 1 - row[0];
      const double held = std::clamp(given, epsilon, 1 - epsilon);
      if (weight) {
        sum.loss -= weight[i] * std::log(held);
      } else {
        product *= held;
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
    all.least = std::min(all.least, part.least);
    all.most = std::max(all.most, part.most);
    all.largest_gap = std::max(all.largest_gap, part.largest_gap);
  }
  return all;
}

}  // namespace learnable
