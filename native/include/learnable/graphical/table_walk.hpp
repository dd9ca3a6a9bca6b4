// Loops over a table of several axes beside a smaller table that has some of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learnable/matrix/view.hpp"

namespace learnable {

// Eight tables side by side: an entry holds that of each.
using Lanes = double __attribute__((vector_size(64)));

// A table in C order, and for each of its axes the stride in the smaller table (0: the smaller one lacks the axis).
// Adjoining axes that are one in both tables are merged; there is at least one axis.
struct TableWalk {
  struct Axis {
    index_t size, stride;
  };
  std::vector<Axis> axes;
  index_t size = 1;

  void append(index_t axis_size, index_t stride) {
    size *= axis_size;
    if (axis_size == 1) return;
    if (!axes.empty() && axes.back().stride == stride * axis_size) {
      axes.back() = {axes.back().size * axis_size, stride};
    } else {
      axes.push_back({axis_size, stride});
    }
  }
  void finish() {
    if (axes.empty()) axes.push_back({1, 0});
  }
};

// Calls run(position in the table, index in the smaller table, length, stride) for every run of the innermost axis.
template <class F>
void for_each_run(const TableWalk& walk, F&& run) {
  const std::size_t outer = walk.axes.size() - 1;
  const auto [length, stride] = walk.axes[outer];
  index_t counter[64] = {}, small = 0;
  for (index_t position = 0; position < walk.size; position += length) {
    run(position, small, length, stride);
    for (std::size_t a = outer; a-- > 0;) {
      small += walk.axes[a].stride;
      if (++counter[a] < walk.axes[a].size) break;
      small -= walk.axes[a].stride * walk.axes[a].size;
      counter[a] = 0;
    }
  }
}

// table *= small, along the axes of the smaller one.
template <class T, class S>
void multiply_by(T* table, const TableWalk& walk, const S* small) {
  for_each_run(walk, [&](index_t position, index_t start, index_t length, index_t stride) {
    T* entry = table + position;
    const S* factor = small + start;
    if (stride == 0) {
      const S same = *factor;
      for (index_t i = 0; i < length; ++i) entry[i] *= same;
    } else {
      for (index_t i = 0; i < length; ++i) entry[i] *= factor[i * stride];
    }
  });
}

// small = the table summed over the axes that the smaller one lacks; `entries` is its size.
template <class T>
void sum_to(const T* table, const TableWalk& walk, T* small, index_t entries) {
  std::fill_n(small, entries, T{});
  for_each_run(walk, [&](index_t position, index_t start, index_t length, index_t stride) {
    const T* entry = table + position;
    T* total = small + start;
    if (stride == 0) {
      T sum{};
      for (index_t i = 0; i < length; ++i) sum += entry[i];
      *total += sum;
    } else {
      for (index_t i = 0; i < length; ++i) total[i * stride] += entry[i];
    }
  });
}

}  // namespace learnable
