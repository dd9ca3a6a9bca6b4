// Collects grown trees into one array of nodes while others still grow.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/trees/class_fractions.hpp"
#include "learnable/trees/nodes.hpp"

namespace learnable {

// A growing array whose memory can be released to the caller. Large memory is moved page by page by the system, not
// copied.
template <class T>
class ReleasableArray {
 public:
  ReleasableArray() = default;
  ReleasableArray(const ReleasableArray&) = delete;
  ReleasableArray& operator=(const ReleasableArray&) = delete;
  ~ReleasableArray() { std::free(data_); }

  std::size_t size() const { return size_; }

  // Appends `count` uninitialised entries.
  T* more(std::size_t count) {
    if (size_ + count > room_) resize(std::max(size_ + count, 2 * room_));
    size_ += count;
    return data_ + size_ - count;
  }
  void append(const std::vector<T>& values) { std::copy(values.begin(), values.end(), more(values.size())); }

  // Releases the memory, to be freed by the caller.
  T* release() {
    if (size_ > 0) resize(size_);
    return std::exchange(data_, nullptr);
  }

 private:
  void resize(std::size_t room) {
    void* moved = std::realloc(data_, room * sizeof(T));
    if (!moved) throw std::bad_alloc();
    data_ = static_cast<T*>(moved);
    room_ = room;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

// The trees of a forest as one array of nodes, in their order, whichever is grown first. For classification trees, with
// the given numbers of classes per target, class fractions are stored instead of sums.
class ForestBuilder {
 public:
  ReleasableArray<std::int32_t> left, right, feature;
  ReleasableArray<double> threshold, low, high, sums, value, impurity, weight;
  ReleasableArray<std::uint8_t> missing_left;
  ReleasableArray<std::int64_t> rows, start, set_start;  // no set_start if there are no words
  ReleasableArray<std::uint64_t> set_words;

  ForestBuilder(View<const std::int64_t> classes, bool gini) : classes_(classes), gini_(gini) { *start.more(1) = 0; }

  // Adds tree number t; trees are appended as soon as all earlier ones are there.
  void add(index_t t, Tree tree) {
    const std::lock_guard<std::mutex> alone(mutex_);
    waiting_.emplace(t, std::move(tree));
    for (; !waiting_.empty() && waiting_.begin()->first == next_; ++next_) {
      Tree taken = std::move(waiting_.extract(waiting_.begin()).mapped());
      append(taken);
      taken.clear();
      spare_.push_back(std::move(taken));
    }
  }

  // An empty tree in the memory of one that was appended.
  Tree spare() {
    const std::lock_guard<std::mutex> alone(mutex_);
    if (spare_.empty()) return {};
    Tree tree = std::move(spare_.back());
    spare_.pop_back();
    return tree;
  }

  // Ends the set words of the last node.
  void close() {
    if (set_words.size() > 0) *set_start.more(1) = std::int64_t(set_words.size());
  }

 private:
  void append(const Tree& tree) {
    add_sets(tree);
    left.append(tree.left);
    right.append(tree.right);
    feature.append(tree.feature);
    threshold.append(tree.threshold);
    low.append(tree.low);
    high.append(tree.high);
    missing_left.append(tree.missing_left);
    rows.append(tree.rows);
    if (classes_.size > 0)
      add_fractions(tree);
    else
      sums.append(tree.sums);
    *start.more(1) = std::int64_t(left.size());
  }

  void add_sets(const Tree& tree) {
    const std::size_t nodes = tree.left.size(), first = set_words.size();
    if (tree.set_words.empty() && first == 0) return;
    const std::size_t earlier = left.size() - set_start.size();  // nodes before the first set
    std::fill_n(set_start.more(earlier), earlier, std::int64_t(0));
    std::int64_t* out = set_start.more(nodes);
    for (std::size_t k = 0; k < nodes; ++k)
      out[k] = std::int64_t(first) + (tree.set_words.empty() ? 0 : tree.set_start[k]);
    set_words.append(tree.set_words);
  }

  void add_fractions(const Tree& tree) {
    const auto nodes = tree.size(), width = classes_.size * *std::max_element(classes_.begin(), classes_.end());
    const auto width_of_sums = index_t(tree.sums.size()) / nodes;
    double* fractions = value.more(std::size_t(nodes * width));
    std::fill_n(fractions, nodes * width, 0.0);
    compute_class_fractions({tree.sums.data(), nodes, width_of_sums, width_of_sums}, classes_, gini_,
                            {fractions, nodes, width, width},
                  {impurity.more(std::size_t(nodes)), nodes}, {weight.more(std::size_t(nodes)), nodes});
  }

  View<const std::int64_t> classes_;
  bool gini_;
  std::mutex mutex_;
  std::map<index_t, Tree> waiting_;
  std::vector<Tree> spare_;
  index_t next_ = 0;
};

}  // namespace learnable
