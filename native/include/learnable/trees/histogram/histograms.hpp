// Histograms of slopes: for each bin of each column, the sums of gradient and curvature over some rows.
//
// Rows are cut into fixed parts whose sums are combined in order, so that bits do not depend on threads. Where there
// are many rows of narrow slopes, sums of a few thousand rows are made in single precision, and those added in double.
#pragma once

#include <cstring>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"
#include "learnable/trees/histogram/bins.hpp"

namespace learnable {

// Gradient and curvature side by side, added with one instruction.
typedef float NarrowSlope __attribute__((vector_size(8)));
typedef double WideSlope __attribute__((vector_size(16)));

inline WideSlope widened(NarrowSlope slope) { return WideSlope{double(slope[0]), double(slope[1])}; }
inline WideSlope widened(WideSlope slope) { return slope; }

namespace detail {

constexpr index_t narrow_bins = 256;    // slots of a column in a narrow histogram of one panel
constexpr index_t narrow_rows = 8192;   // rows that are summed in single precision
constexpr index_t most_slots = 4'000'000;  // of all parts that rows are cut into, if there are several
constexpr index_t rows_ahead = 24;      // how far memory is asked for before it is needed

// The rows of a node: those listed, or from `first` on if there is no list.
struct RowRange {
  const std::uint32_t* list;
  index_t first, count;
  index_t operator[](index_t k) const { return list ? index_t(list[k]) : first + k; }
  RowRange part(index_t from, index_t size) const { return {list ? list + from : nullptr, first + from, size}; }
};

// Adds the slopes of the rows to narrow sums of `width` columns, all of it unrolled.
template <int width>
void add_narrow(const std::uint8_t* panel, index_t stride, const NarrowSlope* slopes, RowRange rows, NarrowSlope* sums) {
  const auto add = [&](index_t row) {
    const std::uint8_t* bins = panel + row * stride;
    const NarrowSlope slope = slopes[row];
#pragma GCC unroll 32
    for (int j = 0; j < width; ++j) sums[j * narrow_bins + bins[j]] += slope;
  };
  if (!rows.list) {
    for (index_t k = 0; k < rows.count; ++k) add(rows.first + k);
    return;
  }
  const index_t steady = std::max<index_t>(rows.count - rows_ahead, 0);
  for (index_t k = 0; k < steady; ++k) {
    const index_t later = rows.list[k + rows_ahead];
    __builtin_prefetch(panel + later * stride);
    __builtin_prefetch(slopes + later);
    add(rows.list[k]);
  }
  for (index_t k = steady; k < rows.count; ++k) add(rows.list[k]);
}

using AddNarrow = void (*)(const std::uint8_t*, index_t, const NarrowSlope*, RowRange, NarrowSlope*);

inline AddNarrow narrow_adder(index_t columns) {
  static constexpr AddNarrow adders[] = {add_narrow<4>,  add_narrow<8>,  add_narrow<12>, add_narrow<16>,
                                         add_narrow<20>, add_narrow<24>, add_narrow<28>, add_narrow<32>};
  return adders[(columns - 1) / 4];
}

}  // namespace detail

// The sum of the slopes of some rows, of the sizes of their gradients, and the largest curvature of a row, which counts
// for as many as its weight, if there are weights.
struct SlopeTotals {
  WideSlope sums{};
  double size = 0, largest = 0;
};

template <class Slope>
SlopeTotals slope_totals(View<const std::uint32_t> rows, const Slope* slopes, View<const double> weight) {
  const Blocks blocks(rows.size, 16'384);
  std::vector<SlopeTotals> parts(blocks.count);
  parallel_if(blocks.count > 2, blocks.count, [&](index_t block, int) {
    SlopeTotals part;
    for (index_t k = blocks.begin(block); k < blocks.end(block); ++k) {
      const WideSlope slope = widened(slopes[rows[k]]);
      part.sums += slope;
      part.size += std::abs(slope[0]);
      const double count = weight ? weight[rows[k]] : 1.0;
      if (count > 0) part.largest = std::max(part.largest, slope[1] / count);
    }
    parts[block] = part;
  });
  SlopeTotals total;
  for (const SlopeTotals& part : parts) {
    total.sums += part.sums;
    total.size += part.size;
    total.largest = std::max(total.largest, part.largest);
  }
  return total;
}

}  // namespace learnable
