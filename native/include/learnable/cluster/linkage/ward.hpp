// Ward's linkage of rows: merge the two clusters for which the within-cluster sum of squares increases least.
//
// Clusters are stored as means and sizes, nothing of size n^2. Nearest-neighbour chain: from a cluster to its nearest,
// from that to its nearest, until two are each other's nearest; those merge, as no later merge can come between them.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/cluster/linkage/merges.hpp"
#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

class WardChain {
 public:
  explicit WardChain(Grid<const double> X)
      : columns_(X.columns), left_(X.rows), means_(X.columns + 1, round_up(X.rows, lanes)), row_(X.rows),
        link_(X.rows, -1), size_(X.rows, 1.0), x_(X.columns) {
    means_.clear();
    for (index_t i = 0; i < X.rows; ++i) {
      row_[i] = std::int32_t(i);
      inverse_size(i) = 1;
      for (index_t j = 0; j < columns_; ++j) means_.grid(j, i) = X(i, j);
    }
  }

  std::vector<Merge> merges() {
    std::vector<Merge> found;
    while (left_ > 1) {
      if (chain_.empty()) extend(0);
      const Near near = nearest_of_top();
      const index_t here = chain_.back();
      if (near.slot < 0) {
        found.push_back({row_[here], row_[before()], std::sqrt(2 * near.rise)});
        merge(here, before());
      } else {
        extend(near.slot);
      }
      poll_interrupt();
    }
    return found;
  }

 private:
  static constexpr index_t block_size = 4096, none = -2;

  struct Near {
    double rise;  // of the sum of squares if the two merged
    index_t slot;
  };

  double& inverse_size(index_t slot) const { return means_.grid(columns_, slot); }  // one over the size
  index_t before() const { return chain_[chain_.size() - 2]; }

  void extend(index_t slot) {
    link_[slot] = std::int32_t(chain_.size());
    chain_.push_back(slot);
  }

  double rise(index_t a, index_t b) const {
    double sum = 0;
    for (index_t j = 0; j < columns_; ++j) {
      const double gap = means_.grid(j, a) - means_.grid(j, b);
      sum = fused(gap, gap, sum);
    }
    return sum / (inverse_size(a) + inverse_size(b));
  }

  // The cluster nearest to the last of the chain; slot -1 if it is the one before.
  Near nearest_of_top() {
    const index_t here = chain_.back();
    for (index_t j = 0; j < columns_; ++j) x_[j] = means_.grid(j, here);
    const Near previous = chain_.size() > 1 ? Near{rise(here, before()), -1} : Near{HUGE_VAL, none};
    const Blocks blocks(left_, block_size);
    best_.assign(std::size_t(blocks.count), previous);
    parallel_if(left_ * (columns_ + 2) > 40000, blocks.count, [&](index_t block, int) {
      scan(here, blocks.begin(block), blocks.end(block), best_[block]);
    });
    Near best = previous;
    for (const Near& one : best_)
      if (one.slot >= 0 && (best.slot < 0 || one.rise < best.rise)) best = one;
    return best;
  }

  // Searches for a cluster nearer to `here` than `best`.
  void scan(index_t here, index_t begin, index_t end, Near& best) const {
    const double own = inverse_size(here);
    for (index_t i = begin; i < end; i += lanes) {
      Lanes sum{};
      for (index_t j = 0; j < columns_; ++j) {
        const Lanes gap = x_[j] - load(&means_.grid(j, i));
        sum = fused(gap, gap, sum);
      }
      const Lanes inverse_sizes = own + load(&inverse_size(i));
      const auto nearer = sum <= best.rise * inverse_sizes;
      if (!any(nearer)) continue;
      for (int lane = 0; lane < lanes; ++lane) {
        const double rise = sum[lane] / inverse_sizes[lane];
        if (nearer[lane] && i + lane != here && i + lane < end && (rise < best.rise || best.slot == none))
          best = {rise, i + lane};
      }
    }
  }

  template <class Mask>
  static bool any(Mask mask) {
    std::int64_t all = 0;
    for (int lane = 0; lane < lanes; ++lane) all |= std::int64_t(mask[lane]);
    return all != 0;
  }

  // Both clusters leave the end of the chain and become one in the lower slot; the last slot fills the other.
  void merge(index_t a, index_t b) {
    for (int end = 0; end < 2; ++end) {
      link_[chain_.back()] = -1;
      chain_.pop_back();
    }
    if (b < a) std::swap(a, b);
    const double part = size_[b] / (size_[a] + size_[b]);
    for (index_t j = 0; j < columns_; ++j) means_.grid(j, a) += (means_.grid(j, b) - means_.grid(j, a)) * part;
    size_[a] += size_[b];
    inverse_size(a) = 1 / size_[a];
    const index_t last = --left_;
    size_[b] = size_[last];
    for (index_t j = 0; j <= columns_; ++j) means_.grid(j, b) = means_.grid(j, last);
    row_[b] = row_[last];
    link_[b] = link_[last];
    if (link_[b] >= 0) chain_[link_[b]] = b;
  }

  index_t columns_, left_;
  Scratch means_;                    // column by column, a slot for each cluster, then one over their sizes
  std::vector<std::int32_t> row_, link_;  // a row of the cluster in every slot; its position in the chain, or -1
  std::vector<index_t> chain_;
  std::vector<double> size_, x_;
  std::vector<Near> best_;
};

}  // namespace learnable
