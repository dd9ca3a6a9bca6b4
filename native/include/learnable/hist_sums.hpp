// Histograms of slopes: for each bin of each column, the sums of gradient and curvature over some rows.
//
// Rows are cut into fixed parts whose sums are combined in order, so that bits do not depend on threads. Where there
// are many rows of narrow slopes, sums of a few thousand rows are made in single precision, and those added in double.
#pragma once

#include <cstring>
#include <vector>

#include "learnable/hist_bins.hpp"
#include "learnable/parallel.hpp"
#include "learnable/view.hpp"

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

// Sums over rows of slopes that are narrow or wide, by the bins of a table.
template <class Bin, class Slope>
class HistogramMaker {
 public:
  HistogramMaker(const BinnedTable<Bin>& table, const Slope* slopes) : table_(table), slopes_(slopes) {}

  // sums[slot] for every slot of the stored columns.
  void make(detail::RowRange rows, WideSlope* sums) {
    const index_t slots = table_.slots(), parts = part_count(rows.count);
    std::fill(sums, sums + slots, WideSlope{});
    if (parts == 1 && table_.panels() == 1) return add_panel(rows, 0, 0, sums);
    if (index_t(parts_.size()) < (parts - 1) * slots) parts_.resize((parts - 1) * slots);
    const Blocks blocks(rows.count, (rows.count + parts - 1) / parts);
    const auto place = [&](index_t part) { return part == 0 ? sums : parts_.data() + (part - 1) * slots; };
    const index_t tasks = blocks.count * table_.panels();
    scratch_.resize(std::max(scratch_.size(), std::size_t(threads_for(tasks))));
    parallel_if(rows.count * table_.columns() > 16'384, tasks, [&](index_t task, int slot) {
      const index_t part = task / table_.panels(), panel = task % table_.panels();
      if (part > 0) std::fill(place(part) + first_slot(panel), place(part) + last_slot(panel), WideSlope{});
      add_panel(rows.part(blocks.begin(part), blocks.end(part) - blocks.begin(part)), panel, slot, place(part));
    });
    combine(blocks.count, slots, sums);
  }

 private:
  index_t part_count(index_t rows) const {
    const index_t enough = std::max<index_t>(1, std::min(32 / table_.panels(), detail::most_slots / table_.slots()));
    return std::clamp<index_t>(rows / detail::narrow_rows, 1, std::min<index_t>(enough, 16));
  }
  index_t first_slot(index_t panel) const { return table_.slot(panel * table_.panel_columns); }
  index_t last_slot(index_t panel) const {
    return table_.slot(panel * table_.panel_columns + table_.panel_size(panel));
  }

  void combine(index_t parts, index_t slots, WideSlope* sums) const {
    if (parts == 1) return;
    const Blocks blocks(slots, 1024);
    parallel_if(parts * slots > 32'768, blocks.count, [&](index_t block, int) {
      for (index_t part = 1; part < parts; ++part) {
        const WideSlope* from = parts_.data() + (part - 1) * slots;
        for (index_t k = blocks.begin(block); k < blocks.end(block); ++k) sums[k] += from[k];
      }
    });
  }

  void add_panel(detail::RowRange rows, index_t panel, int slot, WideSlope* sums) {
    if constexpr (std::is_same_v<Slope, NarrowSlope> && std::is_same_v<Bin, std::uint8_t>) {
      if (rows.count >= detail::narrow_rows / 4) return add_through_narrow(rows, panel, slot, sums);
    }
    const Bin* bins = table_.panel(panel);
    const index_t stride = table_.stride(panel), size = table_.panel_size(panel), first = panel * table_.panel_columns;
    WideSlope* columns[BinnedTable<Bin>::panel_columns];
    for (index_t j = 0; j < size; ++j) columns[j] = sums + table_.slot(first + j);
    for (index_t k = 0; k < rows.count; ++k) {
      const index_t row = rows[k];
      const WideSlope slope = widened(slopes_[row]);
      for (index_t j = 0; j < size; ++j) columns[j][bins[row * stride + j]] += slope;
    }
  }

  void add_through_narrow(detail::RowRange rows, index_t panel, int slot, WideSlope* sums) {
    const index_t size = table_.panel_size(panel), width = (size + 3) / 4 * 4;
    if (scratch_.empty()) scratch_.resize(1);
    std::vector<NarrowSlope>& narrow = scratch_[slot];
    narrow.resize(table_.panel_columns * detail::narrow_bins);
    const detail::AddNarrow add = detail::narrow_adder(size);
    const Blocks blocks(rows.count, detail::narrow_rows);
    for (index_t block = 0; block < blocks.count; ++block) {
      std::memset(static_cast<void*>(narrow.data()), 0, std::size_t(width * detail::narrow_bins) * sizeof(NarrowSlope));
      const index_t count = blocks.end(block) - blocks.begin(block);
      add(table_.panel(panel), table_.stride(panel), slopes_, rows.part(blocks.begin(block), count), narrow.data());
      for (index_t j = 0; j < size; ++j) {
        const index_t column = panel * table_.panel_columns + j;
        WideSlope* to = sums + table_.slot(column);
        const NarrowSlope* from = narrow.data() + j * detail::narrow_bins;
        for (index_t bin = 0; bin < table_.bins(column); ++bin) to[bin] += widened(from[bin]);
      }
    }
  }

  const BinnedTable<Bin>& table_;
  const Slope* slopes_;
  std::vector<WideSlope> parts_;
  std::vector<std::vector<NarrowSlope>> scratch_;
};

}  // namespace learnable
