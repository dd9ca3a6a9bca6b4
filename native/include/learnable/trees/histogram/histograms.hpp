// Histograms: for each bin of each column, the sums of gradients and Hessians over some rows.
//
// Rows are cut into fixed parts whose sums are combined in order, so that bits do not depend on threads. For many rows
// of float32 gradients, sums of a few thousand rows are computed in single precision, and these are added in double.
#pragma once

#include <cstring>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"
#include "learnable/trees/histogram/bins.hpp"

namespace learnable {

// Gradient and Hessian of a row as a pair, added with one instruction.
typedef float GradHess32 __attribute__((vector_size(8)));
typedef double GradHess64 __attribute__((vector_size(16)));

inline GradHess64 to_f64(GradHess32 pair) { return GradHess64{double(pair[0]), double(pair[1])}; }
inline GradHess64 to_f64(GradHess64 pair) { return pair; }

namespace detail {

constexpr index_t f32_bins = 256;    // slots of a column in a float32 histogram of one panel
constexpr index_t f32_rows = 8192;   // rows summed in single precision
constexpr index_t max_slots = 4'000'000;  // of all parts of the rows together
constexpr index_t rows_ahead = 24;      // prefetch distance

// The rows of a node: those listed, or from `first` on if there is no list.
struct RowRange {
  const std::uint32_t* list;
  index_t first, count;
  index_t operator[](index_t k) const { return list ? index_t(list[k]) : first + k; }
  RowRange part(index_t from, index_t size) const { return {list ? list + from : nullptr, first + from, size}; }
};

// Adds the pairs of the rows to float32 sums of `width` columns, unrolled.
template <int width>
void add_f32(const std::uint8_t* panel, index_t stride, const GradHess32* grad_hess, RowRange rows, GradHess32* sums) {
  const auto add = [&](index_t row) {
    const std::uint8_t* bins = panel + row * stride;
    const GradHess32 pair = grad_hess[row];
#pragma GCC unroll 32
    for (int j = 0; j < width; ++j) sums[j * f32_bins + bins[j]] += pair;
  };
  if (!rows.list) {
    for (index_t k = 0; k < rows.count; ++k) add(rows.first + k);
    return;
  }
  const index_t steady = std::max<index_t>(rows.count - rows_ahead, 0);
  for (index_t k = 0; k < steady; ++k) {
    const index_t later = rows.list[k + rows_ahead];
    __builtin_prefetch(panel + later * stride);
    __builtin_prefetch(grad_hess + later);
    add(rows.list[k]);
  }
  for (index_t k = steady; k < rows.count; ++k) add(rows.list[k]);
}

using AddF32 = void (*)(const std::uint8_t*, index_t, const GradHess32*, RowRange, GradHess32*);

inline AddF32 f32_adder(index_t columns) {
  static constexpr AddF32 adders[] = {add_f32<4>,  add_f32<8>,  add_f32<12>, add_f32<16>,
                                         add_f32<20>, add_f32<24>, add_f32<28>, add_f32<32>};
  return adders[(columns - 1) / 4];
}

}  // namespace detail

// The sum of the pairs of some rows, of the absolute values of their gradients, and the largest Hessian of a row per
// unit of its weight, if there are weights.
struct GradHessTotals {
  GradHess64 sums{};
  double size = 0, largest = 0;
};

template <class GradHess>
GradHessTotals grad_hess_totals(View<const std::uint32_t> rows, const GradHess* grad_hess, View<const double> weight) {
  const Blocks blocks(rows.size, 16'384);
  std::vector<GradHessTotals> parts(blocks.count);
  parallel_if(blocks.count > 2, blocks.count, [&](index_t block, int) {
    GradHessTotals part;
    for (index_t k = blocks.begin(block); k < blocks.end(block); ++k) {
      const GradHess64 pair = to_f64(grad_hess[rows[k]]);
      part.sums += pair;
      part.size += std::abs(pair[0]);
      const double count = weight ? weight[rows[k]] : 1.0;
      if (count > 0) part.largest = std::max(part.largest, pair[1] / count);
    }
    parts[block] = part;
  });
  GradHessTotals total;
  for (const GradHessTotals& part : parts) {
    total.sums += part.sums;
    total.size += part.size;
    total.largest = std::max(total.largest, part.largest);
  }
  return total;
}

}  // namespace learnable
