// The rows of the nodes of a growing tree, and their order by each column.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "learnable/parallel.hpp"
#include "learnable/tree_splits.hpp"
#include "learnable/view.hpp"

namespace learnable {

namespace detail {

inline void sort_by_insertion(std::uint64_t* keys, index_t count) {
  for (index_t i = 1; i < count; ++i) {
    const std::uint64_t key = keys[i];
    index_t j = i;
    for (; j > 0 && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

// Up to this many keys are spread over as many buckets; more are sorted by digits.
constexpr index_t few_keys = 256;

// Spreads keys over buckets by the highest bits of their rank and mends the order. False, and nothing done, if most fall
// into few buckets.
inline bool sort_by_spreading(std::uint64_t* keys, std::uint64_t* spare, index_t count, std::uint32_t low, int bits) {
  const int wanted = std::min(bits, int(std::bit_width(std::uint64_t(count))));
  const int shift = bits - wanted;
  const auto bucket = [=](std::uint64_t key) { return (rank_of(key) - low) >> shift; };
  std::array<std::uint16_t, 2 * few_keys + 1> start{};
  for (index_t k = 0; k < count; ++k) ++start[bucket(keys[k]) + 1];
  index_t crowd = 0;
  for (index_t b = 0; b < index_t(1) << wanted; ++b) {
    crowd += index_t(start[b + 1]) * start[b + 1];
    start[b + 1] += start[b];
  }
  if (shift > 0 && crowd > 12 * count) return false;
  for (index_t k = 0; k < count; ++k) spare[start[bucket(keys[k])]++] = keys[k];
  if (shift > 0) sort_by_insertion(spare, count);
  return true;
}

// Sorts keys by rank, all of which have ranks of so many bits from `low` on; returns where they are then.
inline std::uint64_t* sort_keys(std::uint64_t* keys, std::uint64_t* spare, index_t count, std::uint32_t low,
                                std::uint32_t high) {
  if (count < 20) {
    sort_by_insertion(keys, count);
    return keys;
  }
  const int bits = std::bit_width(high - low);
  if (count < few_keys && sort_by_spreading(keys, spare, count, low, bits)) return spare;
  const int passes = (bits + 10) / 11, digit = (bits + passes - 1) / passes;
  for (int pass = 0; pass < passes; ++pass) {
    const auto value = [=](std::uint64_t key) {
      return ((rank_of(key) - low) >> (pass * digit)) & ((std::uint32_t(1) << digit) - 1);
    };
    std::array<std::uint32_t, 2049> start;
    std::fill_n(start.begin(), (std::size_t(1) << digit) + 1, 0u);
    for (index_t k = 0; k < count; ++k) ++start[value(keys[k]) + 1];
    for (std::size_t b = 0; b < std::size_t(1) << digit; ++b) start[b + 1] += start[b];
    for (index_t k = 0; k < count; ++k) spare[start[value(keys[k])]++] = keys[k];
    std::swap(keys, spare);
  }
  return keys;
}

}  // namespace detail

// The rows of every node side by side, with their items, and their order by each column: kept through all divisions if
// most columns are looked at, or made when a column is asked for. Deep nodes so find what they need close together.
template <class Item>
class NodeRows {
 public:
  template <class Finder>
  NodeRows(const RankedColumns& columns, const Finder& finder, std::vector<std::uint32_t> rows, bool keep)
      : columns_(columns), rows_(std::move(rows)), spare_rows_(rows_.size()), spare_items_(rows_.size()),
        moves_(keep ? rows_.size() : 0) {
    items_.reserve(rows_.size());
    for (const std::uint32_t row : rows_) items_.push_back(finder.item(row));
    if (!keep) return;
    kept_.resize(columns.count());
    parallel_if(count() * columns.count() > 20'000, columns.count(), [&](index_t j, int) {
      std::vector<std::uint64_t> keys(rows_.size()), spare(rows_.size());
      const Keys sorted = put_in_order(j, 0, count(), keys.data(), spare.data());
      kept_[j] = std::move(sorted.data == keys.data() ? keys : spare);
    });
  }

  // Sorted or not, the keys of some rows in a column; they vary if they do not all have the same rank.
  struct Keys {
    const std::uint64_t* data;
    bool vary;
  };

  index_t count() const { return index_t(rows_.size()); }
  std::uint32_t row(index_t place) const { return rows_[place]; }
  const Item* items() const { return items_.data(); }
  bool kept() const { return !kept_.empty(); }

  // The keys of the places begin .. end sorted by rank, and so that missing ones come last.
  Keys in_order(index_t feature, index_t begin, index_t end, std::uint64_t* keys, std::uint64_t* spare) const {
    if (kept()) {
      const std::uint64_t* found = kept_[feature].data();
      return {found + begin, rank_of(found[begin]) != rank_of(found[end - 1])};
    }
    return put_in_order(feature, begin, end, keys, spare);
  }

  // The same in the order of the rows.
  Keys unordered(index_t feature, index_t begin, index_t end, std::uint64_t* keys) const {
    std::uint32_t low, high;
    read_ranks(feature, begin, end, keys, low, high);
    return {keys, low != high};
  }

  // The numbers of a column at the places begin .. end.
  void read(index_t feature, index_t begin, index_t end, double* values) const {
    columns_.with_values([&](const auto& table) {
      for (index_t k = begin; k < end; ++k) values[k - begin] = double(table(rows_[k], feature));
    });
  }

  // Brings the rows that go left to the front of begin .. end, keeping all orders; `deeper` if the sides may divide.
  void divide(const Split& split, index_t begin, index_t end, bool deeper) {
    if (split.by_value)
      columns_.with_values([&](const auto& table) {
        part(split, begin, end, [&](std::uint32_t row) { return split.sends_left(double(table(row, split.feature))); });
      });
    else
      columns_.with_ranks(split.feature, [&](const auto& rank) {
        const auto missing = std::uint32_t(columns_.levels[split.feature].size);
        if (split.categories.empty() && !split.missing_left && split.last < missing)
          part(split, begin, end, [&](std::uint32_t row) { return rank(row) <= split.last; });
        else
          part(split, begin, end, [&](std::uint32_t row) { return split.goes_left(rank(row), missing); });
      });
    if (!kept() || !deeper) return;
    const auto middle = std::uint32_t(begin + split.left_rows);
    parallel_if((end - begin) * index_t(kept_.size()) > 20'000, index_t(kept_.size()), [&](index_t j, int) {
      thread_local std::vector<std::uint64_t> spare;
      if (index_t(spare.size()) < end - begin) spare.resize(end - begin);
      move_apart(kept_[j].data() + begin, spare.data(), end - begin, middle);
    });
  }

 private:
  Keys put_in_order(index_t feature, index_t begin, index_t end, std::uint64_t* keys, std::uint64_t* spare) const {
    std::uint32_t low, high;
    read_ranks(feature, begin, end, keys, low, high);
    if (low == high) return {keys, false};
    return {detail::sort_keys(keys, spare, end - begin, low, high), true};
  }

  void read_ranks(index_t feature, index_t begin, index_t end, std::uint64_t* keys, std::uint32_t& low,
                  std::uint32_t& high) const {
    low = std::numeric_limits<std::uint32_t>::max();
    high = 0;
    columns_.with_ranks(feature, [&](const auto& rank_at) {
      for (index_t k = begin; k < end; ++k) {
        const std::uint32_t rank = rank_at(rows_[k]);
        keys[k - begin] = keyed(rank, std::uint32_t(k));
        low = std::min(low, rank);
        high = std::max(high, rank);
      }
    });
  }

  template <class GoesLeft>
  void part(const Split& split, index_t begin, index_t end, const GoesLeft& goes_left) {
    index_t left = begin, right = begin + split.left_rows;
    for (index_t k = begin; k < end; ++k) {
      const bool is_left = goes_left(rows_[k]);
      const index_t place = is_left ? left : right;
      left += is_left;
      right += !is_left;
      if (kept()) moves_[k] = std::uint32_t(place);
      spare_rows_[place] = rows_[k];
      spare_items_[place] = items_[k];
    }
    std::copy(spare_rows_.begin() + begin, spare_rows_.begin() + end, rows_.begin() + begin);
    std::copy(spare_items_.begin() + begin, spare_items_.begin() + end, items_.begin() + begin);
  }

  void move_apart(std::uint64_t* keys, std::uint64_t* spare, index_t count, std::uint32_t middle) const {
    index_t left = 0, right = 0;
    for (index_t k = 0; k < count; ++k) {
      const std::uint32_t place = moves_[place_of(keys[k])];
      const std::uint64_t moved = keyed(rank_of(keys[k]), place);
      keys[left] = moved;
      spare[right] = moved;
      left += place < middle;
      right += place >= middle;
    }
    std::copy_n(spare, right, keys + left);
  }

  const RankedColumns& columns_;
  std::vector<std::uint32_t> rows_, spare_rows_;
  std::vector<Item> items_, spare_items_;
  std::vector<std::uint32_t> moves_;
  std::vector<std::vector<std::uint64_t>> kept_;
};

}  // namespace learnable
