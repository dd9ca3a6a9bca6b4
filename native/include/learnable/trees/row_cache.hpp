// Contiguous copies of the rows of small nodes, for locality.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "learnable/matrix/simd.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"
#include "learnable/trees/split_selector.hpp"

namespace learnable {

// The tables of the rows of a node while a tree grows depth first: that of all rows, and nested copies of smaller
// parts. A node with at most a third of the rows of its table gets its own copy, and so do its descendants.
class NodeRowCache {
  struct Copy;

 public:
  using Copies = std::deque<Copy>;  // may serve one tree after the other

  NodeRowCache(const RankedColumns& columns, std::shared_ptr<Copies> copies) : columns_(columns),
      copies_(std::move(copies)) {}

  // Finds or creates the table of the node at begin .. end; `rows` are then indices into it.
  void cache_rows(index_t begin, index_t end, std::uint32_t* rows) {
    while (top_ && begin >= top_->end) top_ = --depth_ > 0 ? &(*copies_)[depth_ - 1] : nullptr;
    const index_t count = end - begin, table_rows = top_ ? index_t(top_->original.size()) : columns_.rows();
    if (3 * count > table_rows || count < min_rows) return;
    if (index_t(copies_->size()) == depth_) copies_->emplace_back();
    Copy& copy = (*copies_)[depth_];
    copy.end = end;
    copy.original.resize(std::size_t(count));
    for (index_t k = 0; k < count; ++k) copy.original[k] = original(rows[begin + k]);
    const Cells& all = columns_.cells;
    if (all.f32 || all.f64) {
      copy_rows(all.f32, all.f32_rows, &Copy::f32, rows + begin, copy);
      copy_rows(all.f64, all.f64_rows, &Copy::f64, rows + begin, copy);
    } else {
      copy_rows(all.ranks, {}, &Copy::ranks, rows + begin, copy);
      copy_rows(all.bytes, {}, &Copy::bytes, rows + begin, copy);
    }
    std::iota(rows + begin, rows + end, 0u);
    ++depth_;
    top_ = &copy;
  }

  // The index of a row of the table among all rows.
  std::uint32_t original(std::uint32_t row) const { return top_ ? top_->original[row] : row; }

  // Calls f(rank of a row) for one column.
  template <class F>
  void with_ranks(index_t feature, const F& f) const {
    const Cells& cells = columns_.cells;
    if (cells.bytes) return with_cells(cells.bytes, &Copy::bytes, feature, f);
    if (!top_ || !(cells.f32 || cells.f64)) return with_cells(cells.ranks, &Copy::ranks, feature, f);
    f([column = cells.ranks.row(feature).data, original = top_->original.data()](std::uint32_t row) {
      return column[original[row]];
    });
  }

  // Calls f(values of a row) for four columns of the given precision.
  template <class T, class F>
  void with_four(const std::array<index_t, 4>& features, const F& f) const {
    if constexpr (std::is_same_v<T, float>)
      with_four_of(columns_.cells.f32, &Copy::f32, features, f);
    else
      with_four_of(columns_.cells.f64, &Copy::f64, features, f);
  }

  // Calls f(value of a row) for one column.
  template <class F>
  void with_values(index_t feature, const F& f) const {
    const Cells& cells = columns_.cells;
    cells.f32 ? with_cells(cells.f32, &Copy::f32, feature, f) : with_cells(cells.f64, &Copy::f64, feature, f);
  }

 private:
  static constexpr index_t min_rows = 128, chunk_bytes = 32, tile = 64;

  // A copy of some rows, with all cells of a row contiguous.
  struct Copy {
    index_t end = 0;  // end of the rows of the node
    std::vector<std::uint32_t> original, ranks;
    std::vector<std::uint8_t> bytes;
    std::vector<float> f32;
    std::vector<double> f64;
  };

  // Distance between rows in copies, in whole chunks.
  template <class T>
  static index_t stride(Grid<const T> all) {
    constexpr index_t chunk = chunk_bytes / index_t(sizeof(T));
    return (all.rows + chunk - 1) / chunk * chunk;
  }

  // In the table of all rows the cells of a column are contiguous.
  template <class T, class F>
  void with_cells(Grid<const T> all, std::vector<T> Copy::* part, index_t feature, const F& f) const {
    f([first = first_cell(all, part, feature), step = step(all)](std::uint32_t row) { return first[index_t(row) * step]; });
  }

  template <class T, class F>
  void with_four_of(Grid<const T> all, std::vector<T> Copy::* part, const std::array<index_t, 4>& features, const F& f) const {
    const T *a = first_cell(all, part, features[0]), *b = first_cell(all, part, features[1]),
            *c = first_cell(all, part, features[2]), *d = first_cell(all, part, features[3]);
    f([a, b, c, d, step = step(all)](std::uint32_t row) {
      const index_t at = index_t(row) * step;
      return FourOf<T>{a[at], b[at], c[at], d[at]};
    });
  }

  template <class T>
  const T* first_cell(Grid<const T> all, std::vector<T> Copy::* part, index_t feature) const {
    return top_ ? (top_->*part).data() + feature : all.row(feature).data;
  }
  template <class T>
  index_t step(Grid<const T> all) const {
    return top_ ? stride(all) : 1;
  }

  // Fills a copy from the nearest table with contiguous rows, or else from columns.
  template <class T>
  void copy_rows(Grid<const T> all, Grid<const T> by_row, std::vector<T> Copy::* part, const std::uint32_t* rows,
                 Copy& copy) const {
    if (!all) return;
    constexpr index_t chunk = 16 / index_t(sizeof(T));
    const index_t count = index_t(copy.original.size()), width = stride(all), whole = all.rows / chunk * chunk;
    std::vector<T>& memory = copy.*part;
    if (index_t(memory.size()) < count * width) memory.resize(std::size_t(count * width));
    T* to = memory.data();
    if (top_) by_row = {(top_->*part).data(), index_t(top_->original.size()), all.rows, width};
    for (index_t k = 0; by_row && k < count; ++k, to += width) {
      const T* from = by_row.row(rows[k]).data;
      for (index_t c = 0; c < whole; c += chunk) std::memcpy(to + c, from + c, chunk * sizeof(T));
      for (index_t c = whole; c < all.rows; ++c) to[c] = from[c];
    }
    const Blocks tiles(by_row ? 0 : count, tile);
    for (index_t block = 0; block < tiles.count; ++block)
      for (index_t j = 0; j < all.rows; ++j) {
        const T* from = all.row(j).data;
        for (index_t k = tiles.begin(block); k < tiles.end(block); ++k) to[k * width + j] = from[rows[k]];
      }
  }

  const RankedColumns& columns_;
  std::shared_ptr<Copies> copies_;
  index_t depth_ = 0;          // number of nested copies around the node
  const Copy* top_ = nullptr;  // the last of them
};

}  // namespace learnable
