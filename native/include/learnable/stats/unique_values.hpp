// The distinct values of a numeric column, and the code of each entry.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// Hash table of the distinct numbers so far, in the order of their first appearance. Zeros of both signs are one
// number, and so are all NaN.
class DistinctNumbers {
 public:
  explicit DistinctNumbers(int bits = 8) : shift_(64 - bits), keys_(std::size_t(1) << bits, 0),
      codes_(keys_.size(), -1) {}

  std::int64_t code(double value) {
    const std::uint64_t key = key_of(value);
    std::size_t slot = first_slot(key);
    while (codes_[slot] >= 0 && keys_[slot] != key) slot = (slot + 1) & (keys_.size() - 1);
    if (codes_[slot] < 0) {
      if (2 * values_.size() >= keys_.size()) {
        grow();
        return code(value);
      }
      keys_[slot] = key;
      codes_[slot] = std::int32_t(values_.size());
      values_.push_back(std::bit_cast<double>(key));
    }
    return codes_[slot];
  }

  const std::vector<double>& values() const { return values_; }

 private:
  static std::uint64_t key_of(double value) {
    if (value == 0) value = 0;
    if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    return std::bit_cast<std::uint64_t>(value);
  }

  std::size_t first_slot(std::uint64_t key) const {
    return std::size_t(((key ^ (key >> 32)) * 0x9E3779B97F4A7C15ull) >> shift_);  // the high bits are mixed best
  }

  void grow() {
    DistinctNumbers larger(64 - shift_ + 2);
    for (const double value : values_) larger.code(value);
    *this = std::move(larger);
  }

  int shift_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::int32_t> codes_;
  std::vector<double> values_;
};

// codes[i] is the index of values[i] among the distinct values, which are returned; none if they are more than `limit`.
inline std::vector<double> distinct_numbers(View<const double> values, std::size_t limit, std::int64_t* codes) {
  DistinctNumbers seen;
  for (index_t i = 0; i < values.size; ++i) {
    codes[i] = seen.code(values[i]);
    if (seen.values().size() > limit) return {};
  }
  return seen.values();
}

// One column of codes and the table of their values; code -1 is the last entry of the table.
template <class T>
struct CodedColumn {
  const std::int64_t* codes;
  View<const T> table;
};

// out(i, j) = columns[j].table[columns[j].codes[i]].
template <class T>
void decode_columns(const std::vector<CodedColumn<T>>& columns, Grid<T> out) {
  const Blocks blocks(out.rows, 2048);
  parallel_if(out.rows * out.columns > 50'000, blocks.count, [&](index_t block, int) {
    for (index_t j = 0; j < out.columns; ++j) {
      const auto [codes, table] = columns[j];
      for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
        out(i, j) = table[codes[i] < 0 ? table.size - 1 : codes[i]];
      }
    }
  });
}

}  // namespace learnable
