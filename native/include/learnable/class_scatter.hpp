// Weight, mean and scatter of the rows of each class of a dense design.
#pragma once

#include <vector>

#include "learnable/buffer.hpp"
#include "learnable/chosen_rows.hpp"
#include "learnable/class_order.hpp"
#include "learnable/moments.hpp"

namespace learnable {

// Calls f(k, moments of the rows of class k) for each class in turn. One pass over the rows of X, which are visited in
// the order of their classes; bits do not depend on threads, because those of `moments` do not.
template <class Design, class F>
void for_class_moments(const Design& X, const ClassOrder& classes, const Numbers& weight, F&& f) {
  const Buffer weights(weight ? X.rows : 0);
  for (index_t i = 0; i < weights.size(); ++i) weights[i] = weight(classes.order[i]);
  for (std::size_t k = 0; k + 1 < classes.start.size(); ++k) {
    const index_t first = classes.start[k], count = classes.start[k + 1] - first;
    const ChosenRows<Design> rows{X, classes.rows(k)};
    const Numbers none{nullptr, count, 0, 0, 0, true};
    const Numbers its_weight{weight ? weights.data() + first : nullptr, count, 1, 1, 0, true};
    f(index_t(k), moments(rows, none, its_weight, true));
  }
}

// scatter(i, j) += products of columns i and j, for j >= i.
inline void add_scatter(const Comoments& sums, Grid<double> scatter) {
  const Blocks rows(sums.p, 64);
  parallel_if(sums.p * sums.p > 1 << 16, rows.count, [&](index_t block, int) {
    for (index_t i = rows.begin(block); i < rows.end(block); ++i)
      for (index_t j = i; j < sums.p; ++j) scatter(i, j) += sums.products.grid(i, j);
  });
}

// The lower triangle from the upper one.
inline void mirror(Grid<double> square) {
  for (index_t i = 0; i < square.rows; ++i)
    for (index_t j = 0; j < i; ++j) square(i, j) = square(j, i);
}

}  // namespace learnable
