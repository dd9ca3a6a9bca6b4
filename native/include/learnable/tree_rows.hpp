// The rows of the nodes of a growing tree, and their order by each column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learnable/parallel.hpp"
#include "learnable/tree_offers.hpp"
#include "learnable/tree_sort.hpp"
#include "learnable/view.hpp"

namespace learnable {

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
      columns_.with_ranks(split.feature, end - begin, [&](const auto& rank) {
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
    columns_.with_ranks(feature, end - begin, [&](const auto& rank_at) {
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
