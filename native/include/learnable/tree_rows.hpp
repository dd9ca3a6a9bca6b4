// The rows of the nodes of a growing tree, and their order by each column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learnable/parallel.hpp"
#include "learnable/tree_near.hpp"
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
      : columns_(columns), near_(columns), rows_(std::move(rows)), spare_rows_(rows_.size()), spare_items_(rows_.size()),
        moves_(keep ? rows_.size() : 0) {
    items_.reserve(rows_.size());
    for (const std::uint32_t row : rows_) items_.push_back(finder.item(row));
    if (keep) put_in_order();
  }

  index_t count() const { return index_t(rows_.size()); }
  std::uint32_t row(index_t place) const { return near_.original(rows_[place]); }
  const Item* items() const { return items_.data(); }
  bool kept() const { return !kept_.empty(); }

  // Brings what is read of a node close together, as nodes are met depth first.
  void approach(index_t begin, index_t end) { near_.approach(begin, end, rows_.data()); }

  // The keys of the places from `begin` on sorted by rank, and so that missing ones come last, if orders are kept.
  const std::uint64_t* in_order(index_t feature, index_t begin) const { return kept_[feature].data() + begin; }

  // The ranks of a column at the places begin .. end.
  RankRange read_ranks(index_t feature, index_t begin, index_t end, std::uint32_t* ranks) const {
    near_.with_ranks(feature, [&](const auto& rank_at) {
      for (index_t k = begin; k < end; ++k) ranks[k - begin] = rank_at(rows_[k]);
    });
    RankRange range{std::numeric_limits<std::uint32_t>::max(), 0};
    for (index_t k = 0; k < end - begin; ++k) {
      range.low = std::min(range.low, ranks[k]);
      range.high = std::max(range.high, ranks[k]);
    }
    return range;
  }

  // Ranks with their places.
  static void key(const std::uint32_t* ranks, index_t begin, index_t end, std::uint64_t* keys) {
    for (index_t k = begin; k < end; ++k) keys[k - begin] = keyed(ranks[k - begin], std::uint32_t(k));
  }

  // The numbers of a column at the places begin .. end.
  void read(index_t feature, index_t begin, index_t end, double* values) const {
    near_.with_values(feature, [&](const auto& number) {
      for (index_t k = begin; k < end; ++k) values[k - begin] = number(rows_[k]);
    });
  }

  // Brings the rows that go left to the front of begin .. end, keeping all orders; `deeper` if the sides may divide.
  void divide(const Split& split, index_t begin, index_t end, bool deeper) {
    if (split.by_value)
      near_.with_values(split.feature, [&](const auto& number) {
        part(split, begin, end, [&](std::uint32_t row) { return split.sends_left(number(row)); });
      });
    else
      near_.with_ranks(split.feature, [&](const auto& rank) {
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
  void put_in_order() {
    kept_.resize(columns_.count());
    parallel_if(count() * columns_.count() > 20'000, columns_.count(), [&](index_t j, int) {
      std::vector<std::uint32_t> ranks(rows_.size());
      std::vector<std::uint64_t> keys(rows_.size()), spare(rows_.size());
      const RankRange range = read_ranks(j, 0, count(), ranks.data());
      key(ranks.data(), 0, count(), keys.data());
      const bool moved = detail::sort_keys(keys.data(), spare.data(), count(), range.low, range.high) == spare.data();
      kept_[j] = std::move(moved ? spare : keys);
    });
  }

  template <class GoesLeft>
  void part(const Split& split, index_t begin, index_t end, const GoesLeft& goes_left) {
    index_t left = begin, right = 0;
    const index_t middle = begin + split.left_rows;
    for (index_t k = begin; k < end; ++k) {
      const std::uint32_t row = rows_[k];
      const Item item = items_[k];
      const index_t is_left = goes_left(row);
      if (kept()) moves_[k] = std::uint32_t(is_left ? left : middle + right);
      rows_[left] = spare_rows_[right] = row;
      items_[left] = spare_items_[right] = item;
      left += is_left;
      right += 1 - is_left;
    }
    std::copy_n(spare_rows_.begin(), right, rows_.begin() + middle);
    std::copy_n(spare_items_.begin(), right, items_.begin() + middle);
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
  NearRows near_;
  std::vector<std::uint32_t> rows_, spare_rows_;  // as they are numbered in the nearest table
  std::vector<Item> items_, spare_items_;
  std::vector<std::uint32_t> moves_;
  std::vector<std::vector<std::uint64_t>> kept_;
};

}  // namespace learnable
