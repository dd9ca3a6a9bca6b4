// Merges of clusters, and the linkage matrix: the two clusters, their distance, the number of rows together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "learnable/matrix/view.hpp"

namespace learnable {

// Two clusters become one; each is identified by any of its rows.
struct Merge {
  index_t left, right;
  double height;
};

// Disjoint sets of rows, with an id for each.
class Groups {
 public:
  explicit Groups(index_t rows) : above_(rows), name_(rows), size_(rows, 1) {
    std::iota(above_.begin(), above_.end(), std::int32_t(0));
    std::iota(name_.begin(), name_.end(), index_t(0));
  }

  std::int32_t find(index_t row) {
    std::int32_t here = std::int32_t(row);
    while (above_[here] != here) here = above_[here] = above_[above_[here]];
    return here;
  }
  index_t name(std::int32_t root) const { return name_[root]; }
  index_t size(std::int32_t root) const { return size_[root]; }

  void join(std::int32_t a, std::int32_t b, index_t name) {
    if (size_[a] < size_[b]) std::swap(a, b);
    above_[b] = a;
    size_[a] += size_[b];
    name_[a] = name;
  }

 private:
  std::vector<std::int32_t> above_;
  std::vector<index_t> name_, size_;
};

// table(k, :) = ids of the two clusters of merge k, smaller first, their height and their number of rows. A row is a
// cluster with its own index as id; merge k creates cluster rows + k.
inline void write_merges(const std::vector<Merge>& merges, Grid<double> table) {
  const index_t rows = table.rows + 1;
  Groups groups(rows);
  for (index_t k = 0; k < table.rows; ++k) {
    const std::int32_t a = groups.find(merges[k].left), b = groups.find(merges[k].right);
    const auto [low, high] = std::minmax({groups.name(a), groups.name(b)});
    table(k, 0) = double(low);
    table(k, 1) = double(high);
    table(k, 2) = merges[k].height;
    table(k, 3) = double(groups.size(a) + groups.size(b));
    groups.join(a, b, rows + k);
  }
}

// The same for merges that are not sorted by height.
inline void write_sorted_merges(std::vector<Merge>& merges, Grid<double> table) {
  std::stable_sort(merges.begin(), merges.end(), [](const Merge& a, const Merge& b) { return a.height < b.height; });
  write_merges(merges, table);
}

}  // namespace learnable
