// The k nearest of all candidates so far, of equals the first rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

class NearestList {
 public:
  explicit NearestList(index_t k) : k_(k) { heap_.reserve(std::size_t(k)); }

  // Clears the list; the row `self` is excluded.
  void clear(std::int64_t self) {
    heap_.clear();
    self_ = self;
    limit_ = HUGE_VAL;
  }

  // Candidates farther away than this are rejected.
  double limit() const { return limit_; }

  void take(double distance, std::int64_t row) {
    const std::pair<double, std::int64_t> one(distance, row);
    if (row == self_) return;
    if (index_t(heap_.size()) < k_) {
      heap_.push_back(one);
      if (index_t(heap_.size()) < k_) return;
      std::make_heap(heap_.begin(), heap_.end());
    } else if (one < heap_.front()) {
      replace_top(one);
    }
    limit_ = heap_.front().first;
  }

  // Writes the list, nearest first; entries beyond its length are left as they are.
  void write(std::int64_t* rows, double* distances) {
    std::sort(heap_.begin(), heap_.end());
    for (std::size_t rank = 0; rank < heap_.size(); ++rank) {
      distances[rank] = heap_[rank].first;
      rows[rank] = heap_[rank].second;
    }
  }

 private:
  void replace_top(const std::pair<double, std::int64_t>& one) {
    std::size_t hole = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 2 * hole + 1) {
      if (child + 1 < heap_.size() && heap_[child] < heap_[child + 1]) ++child;
      if (!(one < heap_[child])) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = one;
  }

  index_t k_;
  std::int64_t self_ = -1;
  double limit_ = HUGE_VAL;
  std::vector<std::pair<double, std::int64_t>> heap_;
};

// The smallest k of every row of a table of distances; NaN counts as infinite. Row i leaves out column skip + i if
// skip >= 0.
inline void nearest_of_table(Grid<const double> table, index_t skip, Grid<std::int64_t> nearest, Grid<double> distance) {
  const Blocks blocks(table.rows, std::max<index_t>(1, 100000 / std::max<index_t>(table.columns, 1)));
  parallel_for(blocks.count, [&](index_t block, int) {
    NearestList found(nearest.columns);
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      found.clear(skip < 0 ? -1 : skip + i);
      for (index_t j = 0; j < table.columns; ++j) {
        const double here = table(i, j);
        if (here <= found.limit() || here != here) found.take(here == here ? here : HUGE_VAL, j);
      }
      found.write(&nearest(i, 0), &distance(i, 0));
    }
  });
}

}  // namespace learnable
