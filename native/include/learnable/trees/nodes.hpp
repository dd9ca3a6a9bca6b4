// A grown tree as arrays with an entry per node, and the path of a row through it.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// The categories of a column that go left, as a bit set.
class CategorySet {
 public:
  void insert(std::uint32_t code) {
    if (code / 64 >= bits_.size()) bits_.resize(code / 64 + 1, 0);
    bits_[code / 64] |= std::uint64_t(1) << (code % 64);
  }
  bool has(std::uint32_t code) const { return code / 64 < bits_.size() && (bits_[code / 64] >> (code % 64) & 1); }
  bool empty() const { return bits_.empty(); }
  const std::vector<std::uint64_t>& words() const { return bits_; }

 private:
  std::vector<std::uint64_t> bits_;
};

// left[node] < 0 marks a leaf. A row goes left if its value is at most the threshold, or its category is in the set;
// missing values go left if missing_left.
struct Tree {
  std::vector<std::int32_t> left, right, feature;
  std::vector<double> threshold;
  std::vector<double> low, high;                    // bounds of the value of a node, with monotonic constraints
  std::vector<std::uint8_t> missing_left;
  std::vector<std::int64_t> rows;
  std::vector<double> sums;                         // the sums of each node, then its gain with every row alone
  std::vector<std::int64_t> set_start;              // the words of node k are those from set_start[k] to set_start[k + 1];
                                                    // empty if there are no words
  std::vector<std::uint64_t> set_words;
  std::map<index_t, CategorySet> sets;              // by node, until they are closed

  index_t size() const { return index_t(left.size()); }

  // Removes all nodes and keeps their memory.
  void clear() {
    for (auto* numbers : {&left, &right, &feature}) numbers->clear();
    for (auto* numbers : {&threshold, &low, &high, &sums}) numbers->clear();
    missing_left.clear();
    rows.clear();
    set_start.clear();
    set_words.clear();
    sets.clear();
  }

  // Writes the sets of all nodes as words.
  void close_sets() {
    if (sets.empty()) return;
    set_start.assign(std::size_t(size() + 1), 0);
    for (const auto& [node, set] : sets) {
      set_words.insert(set_words.end(), set.words().begin(), set.words().end());
      set_start[node + 1] = std::int64_t(set.words().size());
    }
    std::partial_sum(set_start.begin(), set_start.end(), set_start.begin());
    sets.clear();
  }

  // Appends the nodes first .. last of another tree, whose sets are not closed and whose children are shifted by
  // `moved`.
  void append(const Tree& other, index_t first, index_t last, std::int32_t moved) {
    const auto copy = [&](auto part, index_t width) {
      const auto& from = other.*part;
      if (!from.empty()) (this->*part).insert((this->*part).end(), from.begin() + first * width, from.begin() + last * width);
    };
    const index_t before = size();
    for (const auto part : {&Tree::left, &Tree::right, &Tree::feature}) copy(part, 1);
    for (const auto part : {&Tree::threshold, &Tree::low, &Tree::high}) copy(part, 1);
    copy(&Tree::missing_left, 1);
    copy(&Tree::rows, 1);
    copy(&Tree::sums, index_t(other.sums.size()) / other.size());
    for (auto* children : {&left, &right})
      for (index_t node = before; node < size(); ++node) (*children)[node] += (*children)[node] < 0 ? 0 : moved;
    for (auto set = other.sets.lower_bound(first); set != other.sets.end() && set->first < last; ++set)
      sets.emplace(before + set->first - first, set->second);
  }

  // Reserves memory for `nodes` nodes, with `width` sums each.
  void reserve(index_t nodes, index_t width) {
    for (auto* numbers : {&left, &right, &feature}) numbers->reserve(std::size_t(nodes));
    threshold.reserve(std::size_t(nodes));
    missing_left.reserve(std::size_t(nodes));
    rows.reserve(std::size_t(nodes));
    sums.reserve(std::size_t(nodes * width));
  }
};

// A tree whose given leaves, in order, are replaced by branches: nodes are numbered as if all had grown depth first.
inline Tree joined(const Tree& trunk, const std::vector<index_t>& leaves, const std::vector<Tree>& branches) {
  std::vector<std::int32_t> new_index(std::size_t(trunk.size()));
  std::size_t next = 0;
  const auto is_branch = [&](index_t node) { return next < leaves.size() && leaves[next] == node; };
  index_t size = 0;
  for (index_t node = 0; node < trunk.size(); ++node) {
    new_index[node] = std::int32_t(size);
    size += is_branch(node) ? branches[next++].size() : 1;
  }
  Tree whole;
  whole.reserve(size, index_t(trunk.sums.size()) / trunk.size());
  next = 0;
  for (index_t node = 0; node < trunk.size(); ++node) {
    if (is_branch(node)) {
      whole.append(branches[next], 0, branches[next].size(), new_index[node]);
      ++next;
      continue;
    }
    whole.append(trunk, node, node + 1, 0);
    for (auto* children : {&whole.left, &whole.right})
      if (children->back() >= 0) children->back() = new_index[children->back()];
  }
  return whole;
}

// A view of such arrays.
struct TreeView {
  View<const std::int32_t> left, right, feature;
  View<const double> threshold;
  View<const std::uint8_t> missing_left;
  View<const std::int64_t> set_start;
  View<const std::uint64_t> set_words;

  bool in_set(index_t node, double value) const {
    const std::int64_t first = set_start[node], words = set_start[node + 1] - first;
    if (!(value >= 0) || value >= double(words) * 64) return false;
    const auto code = std::uint64_t(value);
    return set_words[first + std::int64_t(code / 64)] >> (code % 64) & 1;
  }

  bool goes_left(index_t node, double value) const {
    if (std::isnan(value)) return missing_left[node];
    return set_start[node + 1] > set_start[node] ? in_set(node, value) : value <= threshold[node];
  }

  template <class Matrix>
  std::int32_t leaf_of(const Matrix& X, index_t row) const {
    std::int32_t node = 0;
    while (left[node] >= 0) node = goes_left(node, double(X(row, feature[node]))) ? left[node] : right[node];
    return node;
  }
};

template <class Matrix>
void find_leaves(const TreeView& tree, const Matrix& X, std::int64_t* leaf) {
  const Blocks blocks(X.rows, 4096);
  parallel_if(X.rows > 8192, blocks.count, [&](index_t block, int) {
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) leaf[i] = tree.leaf_of(X, i);
  });
}

}  // namespace learnable
