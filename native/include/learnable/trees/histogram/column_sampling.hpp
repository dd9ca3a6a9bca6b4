// Candidate columns of the nodes of a tree: fractions drawn for each tree, level and node, and interaction constraints.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/trees/histogram/splits.hpp"
#include "learnable/trees/random.hpp"

namespace learnable {

class ColumnSampling {
 public:
  using Groups = std::vector<std::uint8_t>;  // which of the interaction groups are still allowed

  ColumnSampling(const HistogramRules& rules, index_t columns) : rules_(rules), all_(columns) {
    std::iota(all_.begin(), all_.end(), index_t(0));
  }

  // The columns of a new tree.
  void start(std::uint64_t seed) {
    seed_ = seed;
    of_tree_ = drawn(all_, rules_.tree_fraction, 0);
  }

  Groups every_group() const { return Groups(rules_.groups.size(), 1); }

  // The groups that are still allowed below a node that splits by a column.
  Groups groups_after(Groups groups, index_t column) const {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto& columns = rules_.groups[g];
      groups[g] &= std::find(columns.begin(), columns.end(), column) != columns.end();
    }
    return groups;
  }

  // The columns of a node.
  std::vector<index_t> at(index_t depth, index_t node, const Groups& groups) const {
    std::vector<index_t> columns = drawn(of_tree_, rules_.level_fraction, std::uint64_t(2 * depth + 1));
    if (!rules_.groups.empty()) {
      std::vector<std::uint8_t> allowed(all_.size(), 0);
      for (std::size_t g = 0; g < groups.size(); ++g)
        if (groups[g])
          for (const index_t column : rules_.groups[g]) allowed[column] = 1;
      std::erase_if(columns, [&](index_t column) { return !allowed[column]; });
    }
    return drawn(std::move(columns), rules_.node_fraction, std::uint64_t(2 * node + 2) << 20);
  }

 private:
  // A random fraction of the columns, at least one of them, in order.
  std::vector<index_t> drawn(std::vector<index_t> columns, double fraction, std::uint64_t stream) const {
    const index_t count = index_t(columns.size()),
        drawn_count = std::max<index_t>(1, index_t(std::ceil(fraction * double(count))));
    if (drawn_count >= count) return columns;
    Draws64 draws(seed_, stream);
    for (index_t k = 0; k < drawn_count; ++k) std::swap(columns[k], columns[k + draws.below(count - k)]);
    columns.resize(drawn_count);
    std::sort(columns.begin(), columns.end());
    return columns;
  }

  const HistogramRules& rules_;
  std::vector<index_t> all_, of_tree_;
  std::uint64_t seed_ = 0;
};

}  // namespace learnable
