// A tree that is growing, in the terms of bins.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/trees/histogram/splits.hpp"

namespace learnable {

// A tree in the terms of bins; a left child below zero marks a leaf. A node keeps its rows from begin to end.
struct BinTree {
  std::vector<std::int32_t> left, right, feature;
  std::vector<std::int64_t> bin, begin, end;
  std::vector<std::uint8_t> missing_left;
  std::vector<double> gain, value, gradient, curvature, weight;
  std::vector<Bounds> bounds;
  std::vector<std::vector<std::uint32_t>> categories;

  index_t size() const { return index_t(left.size()); }
  bool is_leaf(index_t node) const { return left[node] < 0; }
  index_t rows(index_t node) const { return end[node] - begin[node]; }

  // A new leaf.
  index_t open(index_t first, index_t last, const Bounds& held) {
    left.push_back(-1);
    right.push_back(-1);
    feature.push_back(-2);
    bin.push_back(-1);
    begin.push_back(first);
    end.push_back(last);
    missing_left.push_back(0);
    gain.push_back(0);
    bounds.push_back(held);
    categories.emplace_back();
    return size() - 1;
  }

  // Takes back, from the leaves up, divisions that gain no more than `enough`.
  void take_back(double enough) {
    std::vector<std::uint8_t> gone(size(), 0);
    for (index_t node = size() - 1; node >= 0; --node) {
      if (is_leaf(node) || !is_leaf(left[node]) || !is_leaf(right[node]) || gain[node] > enough) continue;
      gone[left[node]] = gone[right[node]] = 1;
      close(node);
    }
    drop(gone);
  }

  void clear_sums() {
    for (auto* numbers : {&gradient, &curvature, &weight, &value}) numbers->assign(size(), 0.0);
  }

  void add_sums(index_t node, WideSlope sums, double rows) {
    gradient[node] += sums[0];
    curvature[node] += sums[1];
    weight[node] += rows;
  }

  // From the sums of the leaves those of the nodes above, and the values of all.
  void settle(const HistogramRules& rules) {
    for (index_t node = size() - 1; node >= 0; --node) {
      if (!is_leaf(node))
        for (const index_t child : {index_t(left[node]), index_t(right[node])})
          add_sums(node, WideSlope{gradient[child], curvature[child]}, weight[child]);
      const WideSlope sums{gradient[node], curvature[node]};
      value[node] = sums[1] + rules.l2 > 0 ? rules.value(sums, bounds[node]) : 0.0;
    }
  }

 private:
  void close(index_t node) {
    left[node] = right[node] = -1;
    feature[node] = -2;
    bin[node] = -1;
    gain[node] = 0;
    missing_left[node] = 0;
    categories[node].clear();
  }

  void drop(const std::vector<std::uint8_t>& gone) {
    std::vector<std::int32_t> place(gone.size());
    std::int32_t kept = 0;
    for (std::size_t node = 0; node < gone.size(); ++node) {
      place[node] = kept;
      kept += !gone[node];
    }
    for (auto* children : {&left, &right})
      for (std::int32_t& child : *children) child = child < 0 ? child : place[child];
    const auto keep = [&](auto&... columns) { (keep_of(columns, gone), ...); };
    keep(left, right, feature, bin, begin, end, missing_left, gain, bounds, categories);
  }

  template <class T>
  static void keep_of(std::vector<T>& numbers, const std::vector<std::uint8_t>& gone) {
    std::size_t to = 0;
    for (std::size_t from = 0; from < gone.size(); ++from) {
      if (gone[from]) continue;
      if (to != from) numbers[to] = std::move(numbers[from]);
      ++to;
    }
    numbers.resize(to);
  }
};

}  // namespace learnable
