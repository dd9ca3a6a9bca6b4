// Checks of every entry in one pass: whether all are finite, and the largest absolute value.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

namespace detail {

// Reduces n values in independent lanes: each starts at zero and takes every 32nd value by `step`, and `join` combines
// the lanes.
template <class T, class Step, class Join>
T folded(const T* x, index_t n, Step step, Join join) {
  constexpr int width = 32;
  T lanes[width] = {};
  index_t i = 0;
  for (; i + width <= n; i += width)
    for (int lane = 0; lane < width; ++lane) lanes[lane] = step(lanes[lane], x[i + lane]);
  for (; i < n; ++i) lanes[0] = step(lanes[0], x[i]);
  for (int lane = 1; lane < width; ++lane) lanes[0] = join(lanes[0], lanes[lane]);
  return lanes[0];
}

// x * 0 is 0 for a finite x and NaN otherwise, so a sum of such products checks many entries at once.
template <class T>
bool all_finite(const T* x, index_t n) {
  return folded(x, n, [](T sum, T value) { return sum + value * T(0); }, std::plus<T>()) == T(0);
}

// The largest absolute value of n values; NaN is ignored.
template <class T>
T largest_of(const T* x, index_t n) {
  const auto larger = [](T largest, T value) { return std::abs(value) > largest ? std::abs(value) : largest; };
  return folded(x, n, larger, larger);
}

}  // namespace detail

// Position of the first entry that is NaN or infinite, or -1. One pass, at the speed of memory.
template <class T>
index_t first_non_finite(View<const T> values) {
  const Blocks blocks(values.size, 1 << 16);
  std::atomic<index_t> first{blocks.count};
  parallel_for(blocks.count, [&](index_t block, int) {
    if (block > first.load(std::memory_order_relaxed)) return;
    const index_t begin = blocks.begin(block);
    if (detail::all_finite(values.data + begin, blocks.end(block) - begin)) return;
    for (index_t seen = first.load(); block < seen && !first.compare_exchange_weak(seen, block);) {}
  });
  for (index_t i = blocks.begin(first); i < values.size; ++i)
    if (!std::isfinite(values[i])) return i;
  return -1;
}

// The largest absolute value, zero if there are no entries. One pass, at the speed of memory.
template <class T>
double largest_entry(View<const T> values) {
  const Blocks blocks(values.size, 1 << 16);
  std::vector<T> largest(std::size_t(blocks.count), T(0));
  parallel_for(blocks.count, [&](index_t block, int) {
    largest[block] = detail::largest_of(values.data + blocks.begin(block), blocks.end(block) - blocks.begin(block));
  });
  return largest.empty() ? 0 : double(*std::max_element(largest.begin(), largest.end()));
}

}  // namespace learnable
