// k-means++ seeding: rows that are far from all earlier seeds.
//
// A row whose seed s is at least twice as far from a candidate c as from the row cannot be nearer to c: |x - c| is at
// least |s - c| - |x - s|. So most rows are skipped as soon as there are some seeds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learnable/cluster/kmeans/score_tile.hpp"
#include "learnable/matrix/design.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

constexpr index_t seed_block = 2048;  // rows whose masses are added up together

// potential[c] = sum of weight times squared distance to the nearest of all seeds and candidate c. `apart(c, s)` is the
// squared distance of candidate c to seed s, `closest` and `seed` are the squared distance and number of the nearest.
template <class T>
void seed_potentials(const RowMajor<T>& X, const double* weight, Grid<const double> candidates, Grid<const double> apart,
                     View<const double> closest, View<const std::int32_t> seed, View<double> potential) {
  const Blocks blocks(X.rows, seed_block);
  const index_t many = candidates.rows;
  std::vector<double> parts(std::size_t(blocks.count * many), 0.0);
  parallel_if(X.rows * X.columns * many > 1 << 16, blocks.count, [&](index_t block, int) {
    double* sums = parts.data() + block * many;
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const double heavy = weight ? weight[i] : 1.0, here = closest[i], reach = 4 * here * (1 + 1e-9);
      for (index_t c = 0; c < many; ++c) {
        const bool nearer = seed[i] < 0 || apart(c, seed[i]) < reach;
        const double square =
            nearer ? detail::squared_gap(X.data + i * X.stride, &candidates(c, 0), X.columns) : here;
        sums[c] += heavy * std::min(square, here);
      }
    }
  });
  for (index_t c = 0; c < many; ++c) {
    potential[c] = 0;
    for (index_t block = 0; block < blocks.count; ++block) potential[c] += parts[block * many + c];
  }
}

// Adds the seed `number`, `apart` from the earlier ones; mass[b] = weight times squared distance over each block of
// rows.
template <class T>
void take_seed(const RowMajor<T>& X, const double* weight, View<const double> centre, std::int32_t number,
               View<const double> apart, View<double> closest, View<std::int32_t> seed, View<double> mass) {
  const Blocks blocks(X.rows, seed_block);
  parallel_if(X.rows * X.columns > 1 << 16, blocks.count, [&](index_t block, int) {
    double sum = 0;
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      if (seed[i] < 0 || apart[seed[i]] < 4 * closest[i] * (1 + 1e-9)) {
        const double square = detail::squared_gap(X.data + i * X.stride, centre.data, X.columns);
        if (seed[i] < 0 || square < closest[i]) closest[i] = square, seed[i] = number;
      }
      sum += (weight ? weight[i] : 1.0) * closest[i];
    }
    mass[block] = sum;
  });
}

}  // namespace learnable
