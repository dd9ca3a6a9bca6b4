// Interface between a histogram tree builder and the rows of a table, for all types of bins and gradients.
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

// Gradients and Hessians of all rows, in either precision.
struct GradHessView {
  const GradHess32* f32 = nullptr;
  const GradHess64* f64 = nullptr;

  template <class GradHess>
  const GradHess* as() const {
    if constexpr (std::is_same_v<GradHess, GradHess32>)
      return f32;
    else
      return f64;
  }
};

// Operations on many rows at once, so that one builder serves all types of bins and gradients.
class HistogramInterface {
 public:
  explicit HistogramInterface(const TableShape& shape) : shape_(shape) {}
  virtual ~HistogramInterface() = default;

  const TableShape& shape() const { return shape_; }
  virtual bool is_f32() const = 0;
  virtual void start(const GradHessView& grad_hess) = 0;

  virtual GradHessTotals totals(View<const std::uint32_t> rows, View<const double> weight) const = 0;
  virtual GradHess64 sum(View<const std::uint32_t> rows) const = 0;
  // Adds pairs to the bins of a stored column, and marks the nonempty bins.
  virtual void add_few(index_t column, View<const std::uint32_t> rows, GradHess64* sums, std::uint64_t* met) const = 0;
  // Adds the weights of rows, or ones, to the bins of a stored column.
  virtual void count(index_t column, View<const std::uint32_t> rows, View<const double> weight, double* counts) const = 0;
  // Partitions the rows begin .. end by the bins of a stored column.
  virtual index_t partition(RowOrder& order, index_t begin, index_t end, index_t column,
                         const std::uint8_t* goes_left) const = 0;
  // score[row] += value[leaf of the row]; left_of[node][bin] is whether the bin goes left.
  virtual void add_values(const BinTree& tree, const std::vector<std::vector<std::uint8_t>>& left_of,
                          View<const double> value, detail::RowRange rows, double* score) const = 0;

  // sums[slot] for every slot of the stored columns.
  void make(detail::RowRange rows, GradHess64* sums) {
    const index_t slots = shape_.slots(), parts = part_count(rows.count);
    std::fill(sums, sums + slots, GradHess64{});
    if (parts == 1 && shape_.panels() == 1) return add_panel(rows, 0, 0, sums);
    if (index_t(parts_.size()) < (parts - 1) * slots) parts_.resize((parts - 1) * slots);
    const Blocks blocks(rows.count, (rows.count + parts - 1) / parts);
    const auto sums_of = [&](index_t part) { return part == 0 ? sums : parts_.data() + (part - 1) * slots; };
    const index_t tasks = blocks.count * shape_.panels();
    scratch_.resize(std::max(scratch_.size(), std::size_t(threads_for(tasks))));
    parallel_if(rows.count * shape_.columns() > 16'384, tasks, [&](index_t task, int slot) {
      const index_t part = task / shape_.panels(), panel = task % shape_.panels();
      if (part > 0)
        std::fill(sums_of(part) + shape_.first_slot(panel), sums_of(part) + shape_.first_slot(panel + 1), GradHess64{});
      add_panel(rows.part(blocks.begin(part), blocks.end(part) - blocks.begin(part)), panel, slot, sums_of(part));
    });
    combine(blocks.count, slots, sums);
  }

 protected:
  // Adds the pairs of rows to the bins of one panel.
  virtual void add_panel(detail::RowRange rows, index_t panel, int slot, GradHess64* sums) = 0;

  std::vector<std::vector<GradHess32>> scratch_;  // one per thread

 private:
  index_t part_count(index_t rows) const {
    const index_t enough = std::max<index_t>(1, std::min(32 / shape_.panels(), detail::max_slots / shape_.slots()));
    return std::clamp<index_t>(rows / detail::f32_rows, 1, std::min<index_t>(enough, 16));
  }

  void combine(index_t parts, index_t slots, GradHess64* sums) const {
    if (parts == 1) return;
    const Blocks blocks(slots, 1024);
    parallel_if(parts * slots > 32'768, blocks.count, [&](index_t block, int) {
      for (index_t part = 1; part < parts; ++part) {
        const GradHess64* from = parts_.data() + (part - 1) * slots;
        for (index_t k = blocks.begin(block); k < blocks.end(block); ++k) sums[k] += from[k];
      }
    });
  }

  const TableShape& shape_;
  std::vector<GradHess64> parts_;
};

// The implementation for one type of bins and one precision.
template <class Bin, class GradHess>
class TableHistograms final : public HistogramInterface {
 public:
  explicit TableHistograms(const BinnedTable<Bin>& table) : HistogramInterface(table), table_(table) {}

  bool is_f32() const override { return std::is_same_v<GradHess, GradHess32>; }
  void start(const GradHessView& grad_hess) override { grad_hess_ = grad_hess.as<GradHess>(); }

  GradHessTotals totals(View<const std::uint32_t> rows, View<const double> weight) const override {
    return grad_hess_totals(rows, grad_hess_, weight);
  }

  GradHess64 sum(View<const std::uint32_t> rows) const override {
    GradHess64 sum{};
    for (const std::uint32_t row : rows) sum += to_f64(grad_hess_[row]);
    return sum;
  }

  void add_few(index_t column, View<const std::uint32_t> rows, GradHess64* sums, std::uint64_t* met) const override {
    const index_t panel = column / table_.panel_columns, stride = table_.stride(panel);
    const Bin* bins = table_.panel(panel) + column % table_.panel_columns;
    for (const std::uint32_t row : rows) {
      const index_t bin = bins[row * stride];
      sums[bin] += to_f64(grad_hess_[row]);
      met[bin / 64] |= std::uint64_t(1) << bin % 64;
    }
  }

  void count(index_t column, View<const std::uint32_t> rows, View<const double> weight, double* counts) const override {
    const Bin* bins = table_.column(column);
    for (const std::uint32_t row : rows) counts[bins[row]] += weight ? weight[row] : 1.0;
  }

  index_t partition(RowOrder& order, index_t begin, index_t end, index_t column,
                 const std::uint8_t* goes_left) const override {
    return order.partition(begin, end, table_.column(column), goes_left);
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
  void add_panel(detail::RowRange rows, index_t panel, int slot, GradHess64* sums) override {
    if constexpr (std::is_same_v<GradHess, GradHess32> && std::is_same_v<Bin, std::uint8_t>) {
      if (rows.count >= detail::f32_rows / 4) return add_through_f32(rows, panel, slot, sums);
    }
    const Bin* bins = table_.panel(panel);
    const index_t stride = table_.stride(panel), size = table_.panel_size(panel), first = panel * table_.panel_columns;
    GradHess64* columns[BinnedTable<Bin>::panel_columns];
    for (index_t j = 0; j < size; ++j) columns[j] = sums + table_.slot(first + j);
    for (index_t k = 0; k < rows.count; ++k) {
      const index_t row = rows[k];
      const GradHess64 pair = to_f64(grad_hess_[row]);
      for (index_t j = 0; j < size; ++j) columns[j][bins[row * stride + j]] += pair;
    }
  }

  void add_through_f32(detail::RowRange rows, index_t panel, int slot, GradHess64* sums) {
    const index_t size = table_.panel_size(panel), width = (size + 3) / 4 * 4;
    if (scratch_.empty()) scratch_.resize(1);
    std::vector<GradHess32>& f32 = scratch_[slot];
    f32.resize(table_.panel_columns * detail::f32_bins);
    const detail::AddF32 add = detail::f32_adder(size);
    const Blocks blocks(rows.count, detail::f32_rows);
    for (index_t block = 0; block < blocks.count; ++block) {
      std::memset(static_cast<void*>(f32.data()), 0, std::size_t(width * detail::f32_bins) * sizeof(GradHess32));
      const index_t count = blocks.end(block) - blocks.begin(block);
      add(table_.panel(panel), table_.stride(panel), grad_hess_, rows.part(blocks.begin(block), count), f32.data());
      for (index_t j = 0; j < size; ++j) {
        const index_t column = panel * table_.panel_columns + j;
        GradHess64* to = sums + table_.slot(column);
        const GradHess32* from = f32.data() + j * detail::f32_bins;
        for (index_t bin = 0; bin < table_.bins(column); ++bin) to[bin] += to_f64(from[bin]);
      }
    }
  }

  const BinnedTable<Bin>& table_;
  const GradHess* grad_hess_ = nullptr;
};

}  // namespace learnable
