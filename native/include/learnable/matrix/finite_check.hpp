// Looking at every entry once: whether all are finite, and how large they are.
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

// Folds n numbers in lanes that do not wait for each other: each starts at zero and takes every 32nd number by `step`, and
// `join` makes one of them in the end.
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

// x * 0 is 0 for a finite x and NaN otherwise, so a sum of such products tells about many entries at once.
template <class T>
bool all_finite(const T* x, index_t n) {
  return folded(x, n, [](T sum, T value) { return sum + value * T(0); }, std::plus<T>()) == T(0);
}

// The largest size of n numbers; NaN is passed over.
template <class T>
T largest_of(const T* x, index_t n) {
  const auto larger = [](T most, T value) { return std::abs(value) > most ? std::abs(value) : most; };
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
