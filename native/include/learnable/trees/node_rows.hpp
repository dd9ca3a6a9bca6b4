// The rows of the nodes of a growing tree, and their order by each column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"
#include "learnable/trees/row_cache.hpp"
#include "learnable/trees/row_sort.hpp"
#include "learnable/trees/split_selector.hpp"

namespace learnable {

// The rows of every node, contiguous, and their order by each column: maintained through all splits if most columns are
// searched, or computed on demand. Deep nodes thus find their data close together.
class NodeRowIndex {
 public:
  // The memory, which may serve one tree after the other. Nodes that are grown in parallel use disjoint positions.
  struct Store {
    std::vector<std::uint32_t> rows, spare_rows;  // as numbered in the nearest table
    std::vector<std::uint32_t> moves;
    std::vector<std::vector<std::uint64_t>> kept;
    std::shared_ptr<NodeRowCache::Copies> copies = std::make_shared<NodeRowCache::Copies>();
  };

  index_t count() const { return index_t(store_->rows.size()); }
  std::uint32_t row(index_t position) const { return cache_.original(store_->rows[position]); }
  bool kept() const { return !store_->kept.empty(); }

  // Copies the rows of a node into contiguous memory; nodes are visited depth first.
  void cache_rows(index_t begin, index_t end) { cache_.cache_rows(begin, end, store_->rows.data()); }

  // The keys of the positions from `begin` on sorted by rank, missing values last, if orders are maintained.
  const std::uint64_t* in_order(index_t feature, index_t begin) const { return store_->kept[feature].data() + begin; }

  // Calls f(rank of a row, rows at the positions begin .. end) for one column.
  template <class F>
  void with_ranks(index_t feature, index_t begin, index_t end, const F& f) const {
    cache_.with_ranks(feature, [&](const auto& rank) { f(rank, rows(begin, end)); });
  }

  // The ranks of a column at the positions begin .. end. Inlined, as small nodes call it often: 2 % of the time of
  // forests.
  [[gnu::always_inline]] RankRange read_ranks(index_t feature, index_t begin, index_t end, std::uint32_t* ranks) const {
    cache_.with_ranks(feature, [&](const auto& rank) {
      std::uint32_t* out = ranks;
      for (const std::uint32_t row : rows(begin, end)) *out++ = rank(row);
    });
    RankRange range{std::numeric_limits<std::uint32_t>::max(), 0};
    for (index_t k = 0; k < end - begin; ++k) {
      range.low = std::min(range.low, ranks[k]);
      range.high = std::max(range.high, ranks[k]);
    }
    return range;
  }

  // Keys of ranks and positions.
  static void key(const std::uint32_t* ranks, index_t begin, index_t end, std::uint64_t* keys) {
    for (index_t k = begin; k < end; ++k) keys[k - begin] = keyed(ranks[k - begin], std::uint32_t(k));
  }

  // The values of a column at the positions begin .. end.
  void read(index_t feature, index_t begin, index_t end, double* values) const {
    cache_.with_values(feature, [&](const auto& number) {
      double* out = values;
      for (const std::uint32_t row : rows(begin, end)) *out++ = number(row);
    });
  }

  // The values of four columns at the positions begin .. end, and their ranges.
  template <class T>
  FourRange<T> read_four(const std::array<index_t, 4>& features, index_t begin, index_t end, FourOf<T>* values) const {
    FourRange<T> range;
    cache_.with_four<T>(features, [&](const auto& numbers) {
      FourOf<T>* out = values;
      for (const std::uint32_t row : rows(begin, end)) range.widen(*out++ = numbers(row));
    });
    return range;
  }

 protected:
  NodeRowIndex(const RankedColumns& columns, std::shared_ptr<Store> store)
      : columns_(columns), store_(std::move(store)), cache_(columns, store_->copies) {}
  NodeRowIndex(const NodeRowIndex& whole)
      : columns_(whole.columns_), store_(whole.store_), cache_(columns_, std::make_shared<NodeRowCache::Copies>()) {}

  View<const std::uint32_t> rows(index_t begin, index_t end) const { return {store_->rows.data() + begin, end - begin}; }

  // All rows that have a weight.
  void fill(View<const double> weight, bool keep) {
    std::vector<std::uint32_t>& rows = store_->rows;
    rows.clear();
    for (index_t i = 0; i < weight.size; ++i)
      if (weight[i] > 0) rows.push_back(std::uint32_t(i));
    store_->spare_rows.resize(rows.size());
    store_->moves.resize(keep ? rows.size() : 0);
    if (keep) put_in_order();
  }

  // Updates all orders after the rows of a node have moved.
  void partition_orders(index_t begin, index_t middle, index_t end) {
    auto& kept = store_->kept;
    parallel_if((end - begin) * index_t(kept.size()) > 20'000, index_t(kept.size()), [&](index_t j, int) {
      thread_local std::vector<std::uint64_t> spare;
      if (index_t(spare.size()) < end - begin) spare.resize(end - begin);
      partition_keys(kept[j].data() + begin, spare.data(), end - begin, std::uint32_t(middle));
    });
  }

  const RankedColumns& columns_;
  std::shared_ptr<Store> store_;
  NodeRowCache cache_;

 private:
  void put_in_order() {
    store_->kept.resize(columns_.count());
    parallel_if(count() * columns_.count() > 20'000, columns_.count(), [&](index_t j, int) {
      std::vector<std::uint32_t> ranks(store_->rows.size());
      std::vector<std::uint64_t> keys(ranks.size()), spare(ranks.size());
      const RankRange range = read_ranks(j, 0, count(), ranks.data());
      key(ranks.data(), 0, count(), keys.data());
      const bool moved = detail::sort_keys(keys.data(), spare.data(), count(), range.low, range.high) == spare.data();
      store_->kept[j] = std::move(moved ? spare : keys);
    });
  }

  void partition_keys(std::uint64_t* keys, std::uint64_t* spare, index_t count, std::uint32_t middle) const {
    const std::uint32_t* moves = store_->moves.data();
    index_t left = 0, right = 0;
    for (index_t k = 0; k < count; ++k) {
      const std::uint32_t index = moves[index_of(keys[k])];
      const std::uint64_t moved = keyed(rank_of(keys[k]), index);
      keys[left] = moved;
      spare[right] = moved;
      left += index < middle;
      right += index >= middle;
    }
    std::copy_n(spare, right, keys + left);
  }
};

// The same with the items of the rows.
template <class Item>
class NodeRows : public NodeRowIndex {
 public:
  // In the memory of an earlier tree, if any, which is kept for the next.
  template <class Finder>
  NodeRows(const RankedColumns& columns, const Finder& finder, View<const double> weight, bool keep,
           std::shared_ptr<NodeRowIndex::Store>& room)
      : NodeRowIndex(columns, room_in(room)) {
    fill(weight, keep);
    store().items.resize(store_->rows.size());
    store().spare_items.resize(store_->rows.size());
    for (index_t k = 0; k < count(); ++k) store().items[k] = finder.item(store_->rows[k]);
  }

  // The same rows for another builder of a part of the nodes, while none of them are copied.
  NodeRows(const NodeRows& whole) = default;

  const Item* items() const { return store().items.data(); }

  // Moves the rows that go left to the front of begin .. end and updates all orders; `deeper` if the sides may be
  // split. With `seen`, a value for every row of the node, their cells are not read again.
  void partition(const Split& split, index_t begin, index_t end, bool deeper, InterleavedColumn seen = {}) {
    if (seen.f32)
      partition_by(seen.f32, split, begin, end);
    else if (seen.f64)
      partition_by(seen.f64, split, begin, end);
    else if (split.by_threshold)
      cache_.with_values(split.feature, [&](const auto& number) {
        const auto at_most = [threshold = split.threshold, missing_left = split.missing_left](double value) {
          return (value <= threshold) | (missing_left & (value != value));
        };
        partition_rows(split, begin, end, [number, at_most](index_t, std::uint32_t row) { return at_most(number(row)); });
      });
    else
      cache_.with_ranks(split.feature, [&](const auto& rank) {
        const auto missing = std::uint32_t(columns_.levels[split.feature].size);
        if (split.categories.empty() && !split.missing_left && split.last_left < missing)
          partition_rows(split, begin, end, [&](index_t, std::uint32_t row) { return rank(row) <= split.last_left; });
        else
          partition_rows(split, begin, end, [&](index_t,
                                                std::uint32_t row) { return split.goes_left(rank(row), missing); });
      });
    if (kept() && deeper) partition_orders(begin, begin + split.left_rows, end);
  }

 private:
  struct Store : NodeRowIndex::Store {
    std::vector<Item> items, spare_items;
  };

  static std::shared_ptr<NodeRowIndex::Store> room_in(std::shared_ptr<NodeRowIndex::Store>& room) {
    if (!room) room = std::make_shared<Store>();
    return room;
  }
  Store& store() const { return static_cast<Store&>(*store_); }

  template <class T>
  void partition_by(const T* seen, const Split& split, index_t begin, index_t end) {
    partition_rows(split, begin, end, [seen, begin, threshold = split.threshold](index_t k, std::uint32_t) {
      return double(seen[4 * (k - begin)]) <= threshold;
    });
  }

  template <class GoesLeft>
  void partition_rows(const Split& split, index_t begin, index_t end, const GoesLeft& goes_left) {
    std::uint32_t *rows = store_->rows.data(), *spare_rows = store_->spare_rows.data() + begin;
    Item *items = store().items.data(), *spare_items = store().spare_items.data() + begin;
    std::uint32_t* moves = kept() ? store_->moves.data() : nullptr;
    index_t left = begin, right = 0;
    const index_t middle = begin + split.left_rows;
    for (index_t k = begin; k < end; ++k) {
      const std::uint32_t row = rows[k];
      const Item item = items[k];
      const index_t is_left = goes_left(k, row);
      if (moves) moves[k] = std::uint32_t(is_left ? left : middle + right);
      rows[left] = spare_rows[right] = row;
      items[left] = spare_items[right] = item;
      left += is_left;
      right += 1 - is_left;
    }
    std::copy_n(spare_rows, right, rows + middle);
    std::copy_n(spare_items, right, items + middle);
  }
};

}  // namespace learnable
