// Interface between a tree builder and the rows of its nodes, for any target and criterion.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/trees/random.hpp"
#include "learnable/trees/split_selector.hpp"

namespace learnable {

// The columns that a tree may use.
inline std::vector<index_t> drawn_columns(const RankedColumns& columns, const GrowthRules& rules) {
  std::vector<index_t> order(std::size_t(columns.count()));
  std::iota(order.begin(), order.end(), index_t(0));
  if (rules.tree_columns == 0) return order;
  Draws64 draws(rules.seed, std::uint64_t(-3));
  for (index_t k = 0; k < rules.tree_columns; ++k) std::swap(order[k], order[k + draws.below(columns.count() - k)]);
  order.resize(std::size_t(rules.tree_columns));
  std::sort(order.begin(), order.end());
  return order;
}

// The sums of a node, of any target: two values are stored inline, more on the heap.
struct NodeSums {
  std::array<double, 2> two{};
  std::vector<double> more;  // empty if there are but two

  const double* begin() const { return more.empty() ? two.data() : more.data(); }
  const double* end() const { return begin() + size(); }
  index_t size() const { return more.empty() ? 2 : index_t(more.size()); }
  double weight() const { return *begin(); }

  // The sums in the type of a finder.
  template <class Sums>
  const Sums& as() const {
    if constexpr (std::is_same_v<Sums, std::array<double, 2>>)
      return two;
    else
      return more;
  }
  void operator=(const std::array<double, 2>& sums) { two = sums; }
  void operator=(std::vector<double>&& sums) { more = std::move(sums); }
};

// A range of rows that is, or becomes, a node.
struct OpenNode {
  index_t begin, end, depth, parent = -1, node = -1;
  bool is_left = false;
  NodeSums sums;
  double alone = 0;
  Bounds bounds;
  std::vector<double> bins;  // the sums of all columns, if they are kept

  index_t rows() const { return end - begin; }
};

// Operations on the nodes of one tree that are called a few times per node and not for each row, so that one builder
// serves all targets.
class NodeInterface {
 public:
  NodeInterface(const RankedColumns& columns, const GrowthRules& rules)
      : columns_(columns), rules_(rules), order_(drawn_columns(columns, rules)),
        candidates_(rules.candidates > 0 ? std::min(rules.candidates, index_t(order_.size())) : index_t(order_.size())) {}
  virtual ~NodeInterface() = default;

  virtual index_t rows() const = 0;
  // Sums the rows of a node.
  virtual void sum(OpenNode& open) = 0;
  virtual double gain(const NodeSums& sums) const = 0;
  // Whether not all rows of a node have the same target.
  virtual bool varies(const OpenNode& open) const = 0;
  // Copies the rows of a node into contiguous memory, if that pays; nodes are visited depth first.
  virtual void cache_rows(const OpenNode& open) = 0;
  virtual Split best(const OpenNode& open) = 0;
  // Moves the rows that go left to the front; `deeper` if the sides may be split. Values in `seen` are not read again.
  virtual void partition(const OpenNode& open, const Split& split, bool deeper, InterleavedColumn seen) = 0;
  // Computes the histograms of a node that has many more rows than bins.
  virtual void add_bins(OpenNode& open) const = 0;
  // Histograms of the sides of a node: those of the smaller are summed, those of the larger follow by subtraction.
  virtual void subtract_bins(OpenNode& open, OpenNode& left, OpenNode& right) const = 0;
  // The same for another builder of a part of the nodes, of the same rows.
  virtual std::unique_ptr<NodeInterface> for_a_branch() const = 0;

  bool searches_all() const { return candidates_ == index_t(order_.size()) && !rules_.random_thresholds; }

  // The values of the rows of the last node in a column, if they are still in memory.
  InterleavedColumn seen(index_t feature) const {
    const auto found = std::find(read_.begin(), read_.end(), feature) - read_.begin();
    return found < 4 ? seen_[found] : InterleavedColumn{};
  }

 protected:
  // Whether sorted orders of all columns should be maintained through splits: it pays if most columns are searched.
  bool keeps_orders() const {
    return !rules_.random_thresholds && !columns_.binned && 2 * candidates_ >= columns_.count();
  }

  // Draws one of the first `left` columns, which is then moved behind the others.
  index_t drawn(Draws64& draws, index_t left) {
    swaps_.push_back(draws.below(left));
    std::swap(order_[swaps_.back()], order_[left - 1]);
    return order_[left - 1];
  }
  // Restores the order: every node starts with the same one.
  void put_back() {
    for (auto end = index_t(order_.size() - swaps_.size()); !swaps_.empty(); swaps_.pop_back(), ++end)
      std::swap(order_[swaps_.back()], order_[end]);
  }

  template <class T>
  static T* scratch(index_t count) {
    thread_local std::vector<T> memory;
    if (index_t(memory.size()) < count) memory.resize(std::size_t(count));
    return memory.data();
  }

  const RankedColumns& columns_;
  const GrowthRules& rules_;
  std::vector<index_t> order_, swaps_;  // of the columns, for drawing
  index_t candidates_;
  std::array<index_t, 4> read_{};       // the columns that were last read together, and their values
  std::array<InterleavedColumn, 4> seen_{};
};

}  // namespace learnable
