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

// The rows of every node side by side, and their order by each column: kept through all divisions if most columns are
// looked at, or made when a column is asked for. Deep nodes so find what they need close together.
class NodePlaces {
 public:
  // The memory of all that, which may serve one tree after the other. Nodes that are grown side by side use places of
  // their own.
  struct Store {
    std::vector<std::uint32_t> rows, spare_rows;  // as they are numbered in the nearest table
    std::vector<std::uint32_t> moves;
    std::vector<std::vector<std::uint64_t>> kept;
    std::shared_ptr<NearRows::Copies> copies = std::make_shared<NearRows::Copies>();
  };

  index_t count() const { return index_t(store_->rows.size()); }
  std::uint32_t row(index_t place) const { return near_.original(store_->rows[place]); }
  bool kept() const { return !store_->kept.empty(); }

  // Brings what is read of a node close together, as nodes are met depth first.
  void approach(index_t begin, index_t end) { near_.approach(begin, end, store_->rows.data()); }

  // The keys of the places from `begin` on sorted by rank, and so that missing ones come last, if orders are kept.
  const std::uint64_t* in_order(index_t feature, index_t begin) const { return store_->kept[feature].data() + begin; }

  // Calls f(rank of a row, rows at the places begin .. end) for one column.
  template <class F>
  void with_ranks(index_t feature, index_t begin, index_t end, const F& f) const {
    near_.with_ranks(feature, [&](const auto& rank) { f(rank, rows(begin, end)); });
  }

  // The ranks of a column at the places begin .. end. Inlined, as small nodes ask often: forests run a fiftieth less.
  [[gnu::always_inline]] RankRange read_ranks(index_t feature, index_t begin, index_t end, std::uint32_t* ranks) const {
    near_.with_ranks(feature, [&](const auto& rank) {
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

  // Ranks with their places.
  static void key(const std::uint32_t* ranks, index_t begin, index_t end, std::uint64_t* keys) {
    for (index_t k = begin; k < end; ++k) keys[k - begin] = keyed(ranks[k - begin], std::uint32_t(k));
  }

  // The numbers of a column at the places begin .. end.
  void read(index_t feature, index_t begin, index_t end, double* values) const {
    near_.with_values(feature, [&](const auto& number) {
      double* out = values;
      for (const std::uint32_t row : rows(begin, end)) *out++ = number(row);
    });
  }

  // The numbers of four columns at the places begin .. end, and between what they lie.
  template <class T>
  FourRange<T> read_four(const std::array<index_t, 4>& features, index_t begin, index_t end, FourOf<T>* values) const {
    FourRange<T> range;
    near_.with_four<T>(features, [&](const auto& numbers) {
      FourOf<T>* out = values;
      for (const std::uint32_t row : rows(begin, end)) range.widen(*out++ = numbers(row));
    });
    return range;
  }

 protected:
  NodePlaces(const RankedColumns& columns, std::shared_ptr<Store> store)
      : columns_(columns), store_(std::move(store)), near_(columns, store_->copies) {}
  NodePlaces(const NodePlaces& whole)
      : columns_(whole.columns_), store_(whole.store_), near_(columns_, std::make_shared<NearRows::Copies>()) {}

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

  // Keeps all orders when the rows of a node have moved.
  void divide_orders(index_t begin, index_t middle, index_t end) {
    auto& kept = store_->kept;
    parallel_if((end - begin) * index_t(kept.size()) > 20'000, index_t(kept.size()), [&](index_t j, int) {
      thread_local std::vector<std::uint64_t> spare;
      if (index_t(spare.size()) < end - begin) spare.resize(end - begin);
      move_apart(kept[j].data() + begin, spare.data(), end - begin, std::uint32_t(middle));
    });
  }

  const RankedColumns& columns_;
  std::shared_ptr<Store> store_;
  NearRows near_;

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

  void move_apart(std::uint64_t* keys, std::uint64_t* spare, index_t count, std::uint32_t middle) const {
    const std::uint32_t* moves = store_->moves.data();
    index_t left = 0, right = 0;
    for (index_t k = 0; k < count; ++k) {
      const std::uint32_t place = moves[place_of(keys[k])];
      const std::uint64_t moved = keyed(rank_of(keys[k]), place);
      keys[left] = moved;
      spare[right] = moved;
      left += place < middle;
      right += place >= middle;
    }
    std::copy_n(spare, right, keys + left);
  }
};

// The same with the items of the rows beside them.
template <class Item>
class NodeRows : public NodePlaces {
 public:
  // In the memory of others before them if there is any; it is left for those to come.
  template <class Finder>
  NodeRows(const RankedColumns& columns, const Finder& finder, View<const double> weight, bool keep,
           std::shared_ptr<NodePlaces::Store>& room)
      : NodePlaces(columns, room_in(room)) {
    fill(weight, keep);
    store().items.resize(store_->rows.size());
    store().spare_items.resize(store_->rows.size());
    for (index_t k = 0; k < count(); ++k) store().items[k] = finder.item(store_->rows[k]);
  }

  // The same rows for whoever grows a part of the nodes, while none of them stand in copies.
  NodeRows(const NodeRows& whole) = default;

  const Item* items() const { return store().items.data(); }

  // Brings the rows that go left to the front of begin .. end, keeping all orders; `deeper` if the sides may divide. With
  // `seen`, a number for every row of the node, their cells are not read again.
  void divide(const Split& split, index_t begin, index_t end, bool deeper, OneOfFour seen = {}) {
    if (seen.narrow)
      part_by(seen.narrow, split, begin, end);
    else if (seen.wide)
      part_by(seen.wide, split, begin, end);
    else if (split.by_value)
      near_.with_values(split.feature, [&](const auto& number) {
        const auto at_most = [threshold = split.threshold, gaps_left = split.missing_left](double value) {
          return (value <= threshold) | (gaps_left & (value != value));
        };
        part(split, begin, end, [number, at_most](index_t, std::uint32_t row) { return at_most(number(row)); });
      });
    else
      near_.with_ranks(split.feature, [&](const auto& rank) {
        const auto missing = std::uint32_t(columns_.levels[split.feature].size);
        if (split.categories.empty() && !split.missing_left && split.last < missing)
          part(split, begin, end, [&](index_t, std::uint32_t row) { return rank(row) <= split.last; });
        else
          part(split, begin, end, [&](index_t, std::uint32_t row) { return split.goes_left(rank(row), missing); });
      });
    if (kept() && deeper) divide_orders(begin, begin + split.left_rows, end);
  }

 private:
  struct Store : NodePlaces::Store {
    std::vector<Item> items, spare_items;
  };

  static std::shared_ptr<NodePlaces::Store> room_in(std::shared_ptr<NodePlaces::Store>& room) {
    if (!room) room = std::make_shared<Store>();
    return room;
  }
  Store& store() const { return static_cast<Store&>(*store_); }

  template <class T>
  void part_by(const T* seen, const Split& split, index_t begin, index_t end) {
    part(split, begin, end, [seen, begin, threshold = split.threshold](index_t k, std::uint32_t) {
      return double(seen[4 * (k - begin)]) <= threshold;
    });
  }

  template <class GoesLeft>
  void part(const Split& split, index_t begin, index_t end, const GoesLeft& goes_left) {
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
