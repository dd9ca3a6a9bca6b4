// What a grower asks about the rows of a table, whatever types bins and slopes are of.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"
#include "learnable/trees/histogram/growing_tree.hpp"
#include "learnable/trees/histogram/histograms.hpp"
#include "learnable/trees/histogram/node_rows.hpp"

namespace learnable {

// Slopes of all rows, of either type.
struct Slopes {
  const NarrowSlope* narrow = nullptr;
  const WideSlope* wide = nullptr;

  template <class Slope>
  const Slope* as() const {
    if constexpr (std::is_same_v<Slope, NarrowSlope>)
      return narrow;
    else
      return wide;
  }
};

// Bins and slopes behind questions about many rows at once, so that one grower serves all types.
class SlopeWork {
 public:
  explicit SlopeWork(const TableShape& shape) : shape_(shape) {}
  virtual ~SlopeWork() = default;

  const TableShape& shape() const { return shape_; }
  virtual bool narrow() const = 0;
  virtual void start(const Slopes& slopes) = 0;

  virtual SlopeTotals totals(View<const std::uint32_t> rows, View<const double> weight) const = 0;
  virtual WideSlope sum(View<const std::uint32_t> rows) const = 0;
  // Adds slopes to the bins of a stored column, and marks the bins that rows fall into.
  virtual void add_few(index_t column, View<const std::uint32_t> rows, WideSlope* sums, std::uint64_t* met) const = 0;
  // Adds the weights of rows, or ones, to the bins of a stored column.
  virtual void count(index_t column, View<const std::uint32_t> rows, View<const double> weight, double* counts) const = 0;
  // Divides the rows begin .. end by the bins of a stored column.
  virtual index_t divide(RowOrder& order, index_t begin, index_t end, index_t column,
                         const std::uint8_t* goes_left) const = 0;
  // score[row] += value[leaf of the row]; left_of tells for each node which bins go left.
  virtual void add_values(const BinTree& tree, const std::vector<std::vector<std::uint8_t>>& left_of,
                          View<const double> value, detail::RowRange rows, double* score) const = 0;

  // sums[slot] for every slot of the stored columns.
  void make(detail::RowRange rows, WideSlope* sums) {
    const index_t slots = shape_.slots(), parts = part_count(rows.count);
    std::fill(sums, sums + slots, WideSlope{});
    if (parts == 1 && shape_.panels() == 1) return add_panel(rows, 0, 0, sums);
    if (index_t(parts_.size()) < (parts - 1) * slots) parts_.resize((parts - 1) * slots);
    const Blocks blocks(rows.count, (rows.count + parts - 1) / parts);
    const auto place = [&](index_t part) { return part == 0 ? sums : parts_.data() + (part - 1) * slots; };
    const index_t tasks = blocks.count * shape_.panels();
    scratch_.resize(std::max(scratch_.size(), std::size_t(threads_for(tasks))));
    parallel_if(rows.count * shape_.columns() > 16'384, tasks, [&](index_t task, int slot) {
      const index_t part = task / shape_.panels(), panel = task % shape_.panels();
      if (part > 0)
        std::fill(place(part) + shape_.first_slot(panel), place(part) + shape_.first_slot(panel + 1), WideSlope{});
      add_panel(rows.part(blocks.begin(part), blocks.end(part) - blocks.begin(part)), panel, slot, place(part));
    });
    combine(blocks.count, slots, sums);
  }

 protected:
  // Adds the slopes of rows to the bins of one panel.
  virtual void add_panel(detail::RowRange rows, index_t panel, int slot, WideSlope* sums) = 0;

  std::vector<std::vector<NarrowSlope>> scratch_;  // one a thread

 private:
  index_t part_count(index_t rows) const {
    const index_t enough = std::max<index_t>(1, std::min(32 / shape_.panels(), detail::most_slots / shape_.slots()));
    return std::clamp<index_t>(rows / detail::narrow_rows, 1, std::min<index_t>(enough, 16));
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

  const TableShape& shape_;
  std::vector<WideSlope> parts_;
};

// Slopes that are narrow or wide, by the bins of a table.
template <class Bin, class Slope>
class TableSlopes final : public SlopeWork {
 public:
  explicit TableSlopes(const BinnedTable<Bin>& table) : SlopeWork(table), table_(table) {}

  bool narrow() const override { return std::is_same_v<Slope, NarrowSlope>; }
  void start(const Slopes& slopes) override { slopes_ = slopes.as<Slope>(); }

  SlopeTotals totals(View<const std::uint32_t> rows, View<const double> weight) const override {
    return slope_totals(rows, slopes_, weight);
  }

  WideSlope sum(View<const std::uint32_t> rows) const override {
    WideSlope sum{};
    for (const std::uint32_t row : rows) sum += widened(slopes_[row]);
    return sum;
  }

  void add_few(index_t column, View<const std::uint32_t> rows, WideSlope* sums, std::uint64_t* met) const override {
    const index_t panel = column / table_.panel_columns, stride = table_.stride(panel);
    const Bin* bins = table_.panel(panel) + column % table_.panel_columns;
    for (const std::uint32_t row : rows) {
      const index_t bin = bins[row * stride];
      sums[bin] += widened(slopes_[row]);
      met[bin / 64] |= std::uint64_t(1) << bin % 64;
    }
  }

  void count(index_t column, View<const std::uint32_t> rows, View<const double> weight, double* counts) const override {
    const Bin* bins = table_.column(column);
    for (const std::uint32_t row : rows) counts[bins[row]] += weight ? weight[row] : 1.0;
  }

  index_t divide(RowOrder& order, index_t begin, index_t end, index_t column,
                 const std::uint8_t* goes_left) const override {
    return order.divide(begin, end, table_.column(column), goes_left);
  }

  void add_values(const BinTree& tree, const std::vector<std::vector<std::uint8_t>>& left_of, View<const double> value,
                  detail::RowRange rows, double* score) const override {
    for (index_t k = 0; k < rows.count; ++k) {
      const index_t row = rows[k];
      index_t node = 0;
      while (!tree.is_leaf(node)) {
        const Bin bin = table_.column(table_.features()[tree.feature[node]].column)[row];
        node = left_of[node][bin] ? tree.left[node] : tree.right[node];
      }
      score[row] += value[node];
    }
  }

 private:
  void add_panel(detail::RowRange rows, index_t panel, int slot, WideSlope* sums) override {
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
  const Slope* slopes_ = nullptr;
};

}  // namespace learnable
