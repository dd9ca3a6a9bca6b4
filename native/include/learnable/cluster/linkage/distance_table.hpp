// Agglomerative linkage by a matrix of distances between clusters, which is updated in new_slot as they merge.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/cluster/linkage/lance_williams.hpp"
#include "learnable/cluster/linkage/merges.hpp"
#include "learnable/matrix/simd.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// The matrix, a row and a column for each cluster; slots of merged clusters are skipped, and removed when they are half
// of all. A merge writes the row of the new cluster. Its column would touch as many lines of memory as there are
// clusters, and most of them would be overwritten before they are read: other rows copy it when they are read
// (`refresh`), or at once where every row is read (`mirror`).
template <class Rule>
class DistanceTable {
 public:
  DistanceTable(Grid<double> table, Rule rule)
      : table_(table), rule_(rule), slots_(table.rows), left_(table.rows), row_(table.rows), size_(table.rows, 1.0),
        closed_(table.rows, 0.0), fresh_(table.rows, 0), changed_(table.rows, 0) {
    for (index_t i = 0; i < slots_; ++i) {
      row_[i] = i;
      table_(i, i) = HUGE_VAL;
    }
  }

  index_t slots() const { return slots_; }
  index_t left() const { return left_; }
  index_t row(index_t slot) const { return row_[slot]; }
  bool open(index_t slot) const { return closed_[slot] == 0; }
  double apart(index_t a, index_t b) const { return table_(a, b); }

  // Copies the distances to clusters that changed since row i was last read.
  void refresh(index_t i) {
    double* row = &table_(i, 0);
    const auto later = [](std::int64_t time, const Change& change) { return time < change.time; };
    auto change = std::upper_bound(changes_.begin(), changes_.end(), fresh_[i], later);
    for (; change != changes_.end(); ++change)
      if (changed_[change->slot] == change->time && open(change->slot)) row[change->slot] = table_(change->slot, i);
    fresh_[i] = clock_;
  }

  // Writes the column of cluster `here`, which has just merged.
  void mirror(index_t here) {
    const double* row = &table_(here, 0);
    for (index_t i = 0; i < slots_; ++i)
      if (closed_[i] == 0 && i != here) table_(i, here) = row[i];
  }

  // The slot from `begin` on that is nearest to `here` and nearer than `best`, which is lowered; or `slot`.
  index_t nearest(index_t here, index_t begin, double& best, index_t slot) const {
    const double *row = &table_(here, 0), *closed = closed_.data();
    index_t i = begin;
    for (; i + lanes <= slots_; i += lanes) {
      const Lanes far = load(row + i) + load(closed + i);
      const auto nearer = far < best - Lanes{};
      std::int64_t any = 0;
      for (int lane = 0; lane < lanes; ++lane) any |= std::int64_t(nearer[lane]);
      if (any == 0) continue;
      for (int lane = 0; lane < lanes; ++lane) take(far[lane], i + lane, best, slot);
    }
    for (; i < slots_; ++i) take(row[i] + closed[i], i, best, slot);
    return slot;
  }

  // Merges the cluster in slot `gone` into the one in slot `here`; the rows of both must be fresh.
  void merge(index_t gone, index_t here) {
    const Pair pair(table_(gone, here), size_[gone], size_[here]);
    const double* from = &table_(gone, 0);
    double* to = &table_(here, 0);
    closed_[gone] = HUGE_VAL;
    const Blocks blocks(slots_, 2048);
    parallel_if(slots_ > 4096, blocks.count, [&](index_t block, int) {
      const index_t end = blocks.end(block);
      index_t i = blocks.begin(block);
      for (; i + lanes <= end; i += lanes)
        store(to + i, rule_.joined(pair, load(from + i), load(to + i), load(size_.data() + i)));
      for (; i < end; ++i) to[i] = rule_.joined(pair, from[i], to[i], size_[i]);
    });
    to[here] = HUGE_VAL;
    size_[here] += size_[gone];
    --left_;
    note(here);
  }

  // Removes the slots of merged clusters if they are half of all: new_slot[slot] is then the new slot.
  bool close_up(std::vector<index_t>& new_slot) {
    if (2 * left_ > slots_ || slots_ < 512) return false;
    forget_old_changes();
    new_slot.assign(std::size_t(slots_), -1);
    index_t count = 0;
    for (index_t i = 0; i < slots_; ++i)
      if (open(i)) new_slot[i] = count++;
    for (index_t i = 0; i < slots_; ++i)
      if (open(i)) move_row(i, new_slot, count);
    for (index_t i = 0; i < slots_; ++i)
      if (open(i)) {
        row_[new_slot[i]] = row_[i];
        size_[new_slot[i]] = size_[i];
        fresh_[new_slot[i]] = fresh_[i];
        changed_[new_slot[i]] = changed_[i];
      }
    for (Change& change : changes_) change.slot = new_slot[change.slot];
    table_ = {table_.data, count, count, count};
    slots_ = count;
    std::fill(closed_.begin(), closed_.end(), 0.0);
    return true;
  }

 private:
  // A cluster whose row was rewritten, and when.
  struct Change {
    std::int64_t time;
    index_t slot;
  };

  void note(index_t slot) {
    fresh_[slot] = changed_[slot] = ++clock_;
    changes_.push_back({clock_, slot});
    if (changes_.size() > 2 * known_changes_ + 64) forget_old_changes();
  }

  // Keeps the last change of every remaining cluster.
  void forget_old_changes() {
    const auto old = [&](const Change& change) { return changed_[change.slot] != change.time || !open(change.slot); };
    changes_.erase(std::remove_if(changes_.begin(), changes_.end(), old), changes_.end());
    known_changes_ = changes_.size();
  }

  static void take(double far, index_t i, double& best, index_t& slot) {
    if (!(far < best)) return;
    best = far;
    slot = i;
  }

  void move_row(index_t i, const std::vector<index_t>& new_slot, index_t count) {
    double* to = table_.data + new_slot[i] * count;
    const double* from = &table_(i, 0);
    for (index_t j = 0; j < slots_; ++j)
      if (new_slot[j] >= 0) to[new_slot[j]] = from[j];
    poll_interrupt();
  }

  Grid<double> table_;
  Rule rule_;
  index_t slots_, left_;
  std::vector<index_t> row_;
  std::vector<double> size_, closed_;  // closed_: infinite for merged clusters, else 0
  std::vector<std::int64_t> fresh_, changed_;  // when a row was last read, and when it was last rewritten
  std::vector<Change> changes_;                // in the order of time
  std::size_t known_changes_ = 0;
  std::int64_t clock_ = 0;
};

// Nearest-neighbour chain, for reducible rules: from a cluster to its nearest and on, until two are each other's
// nearest.
template <class Rule>
std::vector<Merge> chain_merges(Grid<double> table, Rule rule) {
  DistanceTable<Rule> clusters(table, rule);
  std::vector<Merge> found;
  std::vector<index_t> chain, new_slot;
  while (clusters.left() > 1) {
    for (index_t first = 0; chain.empty(); ++first)
      if (clusters.open(first)) chain.push_back(first);
    const index_t here = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : -1;
    clusters.refresh(here);
    double best = before < 0 ? HUGE_VAL : clusters.apart(here, before);
    const index_t next = clusters.nearest(here, 0, best, before);
    if (next == before) {
      found.push_back({clusters.row(here), clusters.row(before), best});
      chain.resize(chain.size() - 2);
      clusters.refresh(before);
      clusters.merge(here, before);
      if (clusters.close_up(new_slot))
        for (index_t& slot : chain) slot = new_slot[slot];
    } else {
      chain.push_back(next);
    }
    poll_interrupt();
  }
  return found;
}

// For all other rules: every slot stores the nearest later one, or a lower bound of its distance, and the closest pair
// of all merges.
template <class Rule>
std::vector<Merge> nearest_merges(Grid<double> table, Rule rule) {
  const index_t n = table.rows;
  DistanceTable<Rule> clusters(table, rule);
  std::vector<Merge> found;
  std::vector<index_t> partner(n, -1);
  std::vector<double> bound(n, HUGE_VAL);
  const auto find_partner = [&](index_t i) {
    bound[i] = HUGE_VAL;
    partner[i] = clusters.nearest(i, i + 1, bound[i], -1);
  };
  for (index_t i = 0; i + 1 < n; ++i) find_partner(i);
  while (clusters.left() > 1) {
    index_t here = std::min_element(bound.begin(), bound.end()) - bound.begin();
    while (!clusters.open(partner[here]) || clusters.apart(here, partner[here]) != bound[here]) {
      find_partner(here);
      here = std::min_element(bound.begin(), bound.end()) - bound.begin();
    }
    const index_t other = partner[here];
    found.push_back({clusters.row(here), clusters.row(other), bound[here]});
    clusters.merge(here, other);
    clusters.mirror(other);
    bound[here] = HUGE_VAL;
    for (index_t i = 0; i < other; ++i) {
      if (!clusters.open(i)) continue;
      if (partner[i] == here) partner[i] = other;
      if (clusters.apart(i, other) < bound[i]) {
        bound[i] = clusters.apart(i, other);
        partner[i] = other;
      }
    }
    if (other + 1 < n) find_partner(other);
    poll_interrupt();
  }
  return found;
}

}  // namespace learnable
