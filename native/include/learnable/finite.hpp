// Looking at every entry once: whether all are finite, and how large they are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "learnable/parallel.hpp"
#include "learnable/view.hpp"

namespace learnable {

namespace detail {

// x * 0 is 0 for a finite x and NaN otherwise, so a sum of such products tells about many entries at once.
template <class T>
bool all_finite(const T* x, index_t n) {
  constexpr int width = 32;
  T sums[width] = {};
  index_t i = 0;
  for (; i + width <= n; i += width)
    for (int lane = 0; lane < width; ++lane) sums[lane] += x[i + lane] * T(0);
  T sum = 0;
  for (; i < n; ++i) sum += x[i] * T(0);
  for (int lane = 0; lane < width; ++lane) sum += sums[lane];
  return sum == T(0);
}

// The largest size of n numbers; NaN is passed over.
template <class T>
T largest_of(const T* x, index_t n) {
  constexpr int width = 32;
  T most[width] = {};
  index_t i = 0;
  for (; i + width <= n; i += width)
    for (int lane = 0; lane < width; ++lane) {
      const T size = std::abs(x[i + lane]);
      most[lane] = size > most[lane] ? size : most[lane];
    }
  for (; i < n; ++i) most[0] = std::abs(x[i]) > most[0] ? std::abs(x[i]) : most[0];
  return *std::max_element(most, most + width);
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

// The size of the largest entry, zero if there is none. One pass, at the speed of memory.
template <class T>
double largest_entry(View<const T> values) {
  const Blocks blocks(values.size, 1 << 16);
  std::vector<T> most(std::size_t(blocks.count), T(0));
  parallel_for(blocks.count, [&](index_t block, int) {
    most[block] = detail::largest_of(values.data + blocks.begin(block), blocks.end(block) - blocks.begin(block));
  });
  return most.empty() ? 0 : double(*std::max_element(most.begin(), most.end()));
}

}  // namespace learnable
