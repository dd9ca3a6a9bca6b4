// A grown tree as columns of numbers, one entry a node, and the way of a row through it.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "learnable/parallel.hpp"
#include "learnable/view.hpp"

namespace learnable {

// The better half of the categories of a column, as a set of bits.
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

// left[node] < 0 marks a leaf. A row goes left if its number is at most the threshold, or its category is in the set;
// missing ones go where missing_left says.
struct Tree {
  std::vector<std::int32_t> left, right, feature;
  std::vector<double> threshold;
  std::vector<double> low, high;                    // what the value of a node is held between, if directions are given
  std::vector<std::uint8_t> missing_left;
  std::vector<std::int64_t> rows;
  std::vector<double> sums;                         // as many numbers a node as sums have, and its worth alone
  std::vector<std::int64_t> set_start;              // the words of node k are those from set_start[k] to set_start[k + 1];
                                                    // empty if there are no words
  std::vector<std::uint64_t> set_words;

  index_t size() const { return index_t(left.size()); }

  // Room for so many nodes, with `width` numbers in the sums of each.
  void reserve(index_t nodes, index_t width) {
    for (auto* numbers : {&left, &right, &feature}) numbers->reserve(std::size_t(nodes));
    threshold.reserve(std::size_t(nodes));
    missing_left.reserve(std::size_t(nodes));
    rows.reserve(std::size_t(nodes));
    sums.reserve(std::size_t(nodes * width));
  }
};

// A view of such columns, wherever they are.
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
