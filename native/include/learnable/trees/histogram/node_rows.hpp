// The rows of every node, contiguous, and their partition by splits.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

class RowOrder {
 public:
  explicit RowOrder(index_t max_rows) : spare_(max_rows) {}

  // All rows if none are listed.
  void start(View<const std::uint32_t> rows) {
    whole_ = !rows;
    rows_.resize(whole_ ? spare_.size() : std::size_t(rows.size));
    if (whole_)
      std::iota(rows_.begin(), rows_.end(), 0u);
    else
      std::copy(rows.begin(), rows.end(), rows_.begin());
  }

  index_t count() const { return index_t(rows_.size()); }
  const std::uint32_t* data() const { return rows_.data(); }
  std::uint32_t operator[](index_t k) const { return rows_[k]; }
  // Whether these are all rows in their original order.
  bool in_order(index_t begin, index_t end) const { return whole_ && begin == 0 && end == count(); }

  // Stable partition: moves the rows whose bin `goes_left` to the front of begin .. end.
  template <class Bin>
  index_t partition(index_t begin, index_t end, const Bin* bins, const std::uint8_t* goes_left) {
    const Blocks blocks(end - begin, 16'384);
    left_.resize(blocks.count + 1);
    const bool parallel = end - begin > 16'384;
    parallel_if(parallel, blocks.count, [&](index_t block, int) {
      const index_t from = begin + blocks.begin(block), to = begin + blocks.end(block);
      index_t left = from, right = to - 1;
      for (index_t k = from; k < to; ++k) {
        const std::uint32_t row = rows_[k];
        const index_t goes = goes_left[bins[row]];
        spare_[left] = row;
        spare_[right] = row;
        left += goes;
        right -= 1 - goes;
      }
      left_[block] = left - from;
    });
    index_t before = 0;
    for (index_t block = 0; block <= blocks.count; ++block) before += std::exchange(left_[block], before);
    const index_t middle = begin + left_[blocks.count];
    parallel_if(parallel, blocks.count, [&](index_t block, int) {
      const index_t from = blocks.begin(block), to = blocks.end(block);
      const index_t left = left_[block], count = left_[block + 1] - left;
      std::copy_n(spare_.begin() + begin + from, count, rows_.begin() + begin + left);
      std::reverse_copy(spare_.begin() + begin + from + count, spare_.begin() + begin + to,
                        rows_.begin() + middle + (from - left));
    });
    return middle;
  }

 private:
  std::vector<std::uint32_t> rows_, spare_;
  std::vector<index_t> left_;
  bool whole_ = false;
};

}  // namespace learnable
