// Copies of the rows of small nodes, so that what is read of them lies close together.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "learnable/lanes.hpp"
#include "learnable/parallel.hpp"
#include "learnable/tree_offers.hpp"
#include "learnable/view.hpp"

namespace learnable {

// The tables that the rows of a node are found in while a tree grows depth first: that of all rows, and in it copies of
// ever smaller parts. A node that has but a third of the rows of its table gets one of its own, and so do parts of it.
class NearRows {
 public:
  explicit NearRows(const RankedColumns& columns) : columns_(columns) {}

  // Finds the table of the node at begin .. end, or makes it; `rows` are then numbered as they stand there.
  void approach(index_t begin, index_t end, std::uint32_t* rows) {
    while (depth_ > 0 && begin >= copies_[depth_ - 1].end) --depth_;
    const index_t count = end - begin, held = depth_ == 0 ? columns_.rows() : index_t(top().original.size());
    if (3 * count > held || count < fewest) return;
    if (index_t(copies_.size()) == depth_) copies_.emplace_back();
    Copy& copy = copies_[depth_];
    copy.end = end;
    copy.original.resize(std::size_t(count));
    for (index_t k = 0; k < count; ++k) copy.original[k] = original(rows[begin + k]);
    const Copy* source = depth_ == 0 ? nullptr : &top();
    const Cells& all = columns_.cells;
    if (all.narrow || all.wide) {
      copy_rows(all.narrow, &Copy::narrow, source, rows + begin, copy);
      copy_rows(all.wide, &Copy::wide, source, rows + begin, copy);
    } else {
      copy_rows(all.ranks, &Copy::ranks, source, rows + begin, copy);
      copy_rows(all.bytes, &Copy::bytes, source, rows + begin, copy);
    }
    for (index_t k = 0; k < count; ++k) rows[begin + k] = std::uint32_t(k);
    ++depth_;
  }

  // What a row of the table is called in that of all rows.
  std::uint32_t original(std::uint32_t row) const { return depth_ == 0 ? row : top().original[row]; }

  // Calls f(rank of a row) for one column.
  template <class F>
  void with_ranks(index_t feature, const F& f) const {
    const Cells& cells = columns_.cells;
    if (cells.bytes) return with_cells(cells.bytes, &Copy::bytes, feature, f);
    if (depth_ == 0 || !(cells.narrow || cells.wide)) return with_cells(cells.ranks, &Copy::ranks, feature, f);
    f([column = cells.ranks.row(feature).data, original = top().original.data()](std::uint32_t row) {
      return column[original[row]];
    });
  }

  // Calls f(numbers of a row) for four columns.
  template <class F>
  void with_four(const std::array<index_t, 4>& features, const F& f) const {
    const Cells& cells = columns_.cells;
    cells.narrow ? with_four_of(cells.narrow, &Copy::narrow, features, f) : with_four_of(cells.wide, &Copy::wide, features, f);
  }

  // Calls f(number of a row) for one column.
  template <class F>
  void with_values(index_t feature, const F& f) const {
    const Cells& cells = columns_.cells;
    cells.narrow ? with_cells(cells.narrow, &Copy::narrow, feature, f) : with_cells(cells.wide, &Copy::wide, feature, f);
  }

 private:
  static constexpr index_t fewest = 128, chunk_bytes = 32, tile = 64;

  // Rows that lie close together, with all their cells side by side.
  struct Copy {
    index_t end = 0;  // where the rows of the node end
    std::vector<std::uint32_t> original, ranks;
    std::vector<std::uint8_t> bytes;
    std::vector<float> narrow;
    std::vector<double> wide;
  };

  const Copy& top() const { return copies_[depth_ - 1]; }

  // How far rows are from each other in copies, in whole chunks.
  template <class T>
  static index_t stride(Grid<const T> all) {
    constexpr index_t chunk = chunk_bytes / index_t(sizeof(T));
    return (all.rows + chunk - 1) / chunk * chunk;
  }

  // In the table of all rows the cells of a column are side by side.
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
      return FourNumbers{double(a[at]), double(b[at]), double(c[at]), double(d[at])};
    });
  }

  template <class T>
  const T* first_cell(Grid<const T> all, std::vector<T> Copy::* part, index_t feature) const {
    return depth_ == 0 ? all.row(feature).data : (top().*part).data() + feature;
  }
  template <class T>
  index_t step(Grid<const T> all) const {
    return depth_ == 0 ? 1 : stride(all);
  }

  template <class T>
  static void copy_rows(Grid<const T> all, std::vector<T> Copy::* part, const Copy* source, const std::uint32_t* rows,
                        Copy& copy) {
    if (!all) return;
    constexpr index_t chunk = chunk_bytes / index_t(sizeof(T));
    const index_t count = index_t(copy.original.size()), width = stride(all);
    std::vector<T>& memory = copy.*part;
    if (index_t(memory.size()) < count * width) memory.resize(std::size_t(count * width));
    T* to = memory.data();
    if (!source) {
      const Blocks tiles(count, tile);
      for (index_t block = 0; block < tiles.count; ++block)
        for (index_t j = 0; j < all.rows; ++j) {
          const T* from = all.row(j).data;
          for (index_t k = tiles.begin(block); k < tiles.end(block); ++k) to[k * width + j] = from[rows[k]];
        }
      return;
    }
    const T* from = (source->*part).data();
    for (index_t k = 0; k < count; ++k)
      for (index_t c = 0; c < width; c += chunk) std::memcpy(to + k * width + c, from + index_t(rows[k]) * width + c, chunk_bytes);
  }

  const RankedColumns& columns_;
  std::deque<Copy> copies_;
  index_t depth_ = 0;  // how many copies the node lies in
};

}  // namespace learnable
