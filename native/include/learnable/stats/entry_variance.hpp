// The variance of all entries of a table together.
#pragma once

#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

namespace detail {

// The sum of f over all values: blocks are added in order.
template <class T, class F>
double sum_of_entries(View<const T> values, F&& f) {
  const Blocks blocks(values.size, 1 << 14);
  std::vector<double> parts(std::size_t(blocks.count), 0.0);
  parallel_if(blocks.count > 4, blocks.count, [&](index_t block, int) {
    double sums[8] = {};
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) sums[i % 8] += f(double(values[i]));
    for (const double sum : sums) parts[block] += sum;
  });
  double total = 0;
  for (const double part : parts) total += part;
  return total;
}

}  // namespace detail

// The mean of the squares about the mean of all values, zero if there are none. Two passes.
template <class T>
double variance_of_entries(View<const T> values) {
  if (values.size == 0) return 0;
  const double mean = detail::sum_of_entries(values, [](double x) { return x; }) / double(values.size);
  return detail::sum_of_entries(values, [&](double x) { return (x - mean) * (x - mean); }) / double(values.size);
}

}  // namespace learnable
