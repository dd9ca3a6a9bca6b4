// Copies of the rows of small nodes, so that what is read of them lies close together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "learnable/tree_offers.hpp"
#include "learnable/view.hpp"

namespace learnable {

// The tables that the rows of a node are found in while a tree grows depth first: that of all rows, and in it copies of
// ever smaller parts. A node that has but an eighth of the rows of its table gets one of its own, and so do parts of it.
class NearRows {
 public:
  explicit NearRows(const RankedColumns& columns) : columns_(columns) {}

  // Finds the table of the node at begin .. end, or makes it; `rows` are then numbered as they stand there.
  void approach(index_t begin, index_t end, std::uint32_t* rows) {
    while (depth_ > 0 && begin >= copies_[depth_ - 1].end) --depth_;
    const index_t count = end - begin, held = depth_ == 0 ? columns_.rows() : index_t(top().original.size());
    if (8 * count > held || count < fewest) return;
    if (index_t(copies_.size()) == depth_) copies_.emplace_back();
    Copy& copy = copies_[depth_];
    copy.end = end;
    copy.original.resize(std::size_t(count));
    for (index_t k = 0; k < count; ++k) copy.original[k] = original(rows[begin + k]);
    const Cells& source = cells();
    if (source.narrow || source.wide) {
      copy.cells.narrow = copied(source.narrow, rows + begin, count, copy.narrow);
      copy.cells.wide = copied(source.wide, rows + begin, count, copy.wide);
    } else {
      copy.cells.ranks = copied(source.ranks, rows + begin, count, copy.ranks);
      copy.cells.bytes = copied(source.bytes, rows + begin, count, copy.bytes);
    }
    for (index_t k = 0; k < count; ++k) rows[begin + k] = std::uint32_t(k);
    ++depth_;
  }

  // What a row of the table is called in that of all rows.
  std::uint32_t original(std::uint32_t row) const { return depth_ == 0 ? row : top().original[row]; }

  // Calls f(rank of a row) for one column.
  template <class F>
  void with_ranks(index_t feature, const F& f) const {
    const auto from = [&](const auto* column) { f([column](std::uint32_t row) { return std::uint32_t(column[row]); }); };
    if (cells().bytes) return from(cells().bytes.row(feature).data);
    if (cells().ranks) return from(cells().ranks.row(feature).data);
    f([column = columns_.cells.ranks.row(feature).data, original = top().original.data()](std::uint32_t row) {
      return column[original[row]];
    });
  }

  // Calls f(number of a row) for one column.
  template <class F>
  void with_values(index_t feature, const F& f) const {
    const auto from = [&](const auto* column) { f([column](std::uint32_t row) { return double(column[row]); }); };
    cells().narrow ? from(cells().narrow.row(feature).data) : from(cells().wide.row(feature).data);
  }

 private:
  static constexpr index_t fewest = 16;

  struct Copy {
    index_t end = 0;  // where the rows of the node end
    std::vector<std::uint32_t> original, ranks;
    std::vector<std::uint8_t> bytes;
    std::vector<float> narrow;
    std::vector<double> wide;
    Cells cells;
  };

  const Copy& top() const { return copies_[depth_ - 1]; }
  const Cells& cells() const { return depth_ == 0 ? columns_.cells : top().cells; }

  template <class T>
  static Grid<const T> copied(Grid<const T> source, const std::uint32_t* rows, index_t count, std::vector<T>& memory) {
    if (!source) return {};
    if (index_t(memory.size()) < count * source.rows) memory.resize(std::size_t(count * source.rows));
    for (index_t j = 0; j < source.rows; ++j) {
      const T* from = source.row(j).data;
      T* to = memory.data() + j * count;
      for (index_t k = 0; k < count; ++k) to[k] = from[rows[k]];
    }
    return {memory.data(), source.rows, count, count};
  }

  const RankedColumns& columns_;
  std::deque<Copy> copies_;
  index_t depth_ = 0;  // how many copies the node lies in
};

}  // namespace learnable
