// A growing tree with splits by bins.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/trees/histogram/splits.hpp"

namespace learnable {

// A tree with splits by bins; a left child below zero marks a leaf. The rows of a node are from begin to end.
struct BinTree {
  std::vector<std::int32_t> left, right, feature;
  std::vector<std::int64_t> bin, begin, end;
  std::vector<std::uint8_t> missing_left;
  std::vector<double> gain, value, gradient, hessian, weight;
  std::vector<Bounds> bounds;
  std::vector<std::vector<std::uint32_t>> categories;

  index_t size() const { return index_t(left.size()); }
  bool is_leaf(index_t node) const { return left[node] < 0; }
  index_t rows(index_t node) const { return end[node] - begin[node]; }

  // A new leaf.
  index_t open(index_t first, index_t last, const Bounds& node_bounds) {
    left.push_back(-1);
    right.push_back(-1);
    feature.push_back(-2);
    bin.push_back(-1);
    begin.push_back(first);
    end.push_back(last);
    missing_left.push_back(0);
    gain.push_back(0);
    bounds.push_back(node_bounds);
    categories.emplace_back();
    return size() - 1;
  }

  // Prunes, from the leaves up, splits that gain at most `min_gain`.
  void prune(double min_gain) {
    std::vector<std::uint8_t> removed(size(), 0);
    for (index_t node = size() - 1; node >= 0; --node) {
      if (is_leaf(node) || !is_leaf(left[node]) || !is_leaf(right[node]) || gain[node] > min_gain) continue;
      removed[left[node]] = removed[right[node]] = 1;
      close(node);
    }
    drop(removed);
  }

  void clear_sums() {
    for (auto* numbers : {&gradient, &hessian, &weight, &value}) numbers->assign(size(), 0.0);
  }

  void add_sums(index_t node, GradHess64 sums, double rows) {
    gradient[node] += sums[0];
    hessian[node] += sums[1];
    weight[node] += rows;
  }

  // Computes the sums of inner nodes from those of the leaves, and the values of all.
  void settle(const HistogramRules& rules) {
    for (index_t node = size() - 1; node >= 0; --node) {
      if (!is_leaf(node))
        for (const index_t child : {index_t(left[node]), index_t(right[node])})
          add_sums(node, GradHess64{gradient[child], hessian[child]}, weight[child]);
      const GradHess64 sums{gradient[node], hessian[node]};
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

  void drop(const std::vector<std::uint8_t>& removed) {
    std::vector<std::int32_t> new_index(removed.size());
    std::int32_t kept = 0;
    for (std::size_t node = 0; node < removed.size(); ++node) {
      new_index[node] = kept;
      kept += !removed[node];
    }
    for (auto* children : {&left, &right})
      for (std::int32_t& child : *children) child = child < 0 ? child : new_index[child];
    const auto keep = [&](auto&... columns) { (keep_of(columns, removed), ...); };
    keep(left, right, feature, bin, begin, end, missing_left, gain, bounds, categories);
  }

  template <class T>
  static void keep_of(std::vector<T>& numbers, const std::vector<std::uint8_t>& removed) {
    std::size_t to = 0;
    for (std::size_t from = 0; from < removed.size(); ++from) {
      if (removed[from]) continue;
      if (to != from) numbers[to] = std::move(numbers[from]);
      ++to;
    }
    numbers.resize(to);
  }
};

}  // namespace learnable
