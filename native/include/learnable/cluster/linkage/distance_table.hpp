// Linkage by a table of distances between groups, which is kept up to date as they merge and is used up by that.
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

// The table, a row and a column for each group; slots of groups that are no more are passed over, and closed up when
// they are half of all. A merge writes the row of the new group. Its column would touch as many lines of memory as there
// are groups, and most of them would be overwritten before they are read: others take it over when their row is looked
// at (`refresh`), or at once where every row is (`mirror`).
template <class Rule>
class GroupTable {
 public:
  GroupTable(Grid<double> table, Rule rule)
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

  // Takes over what has changed of other groups since the row of group i was last looked at.
  void refresh(index_t i) {
    double* row = &table_(i, 0);
    const auto later = [](std::int64_t time, const Change& change) { return time < change.time; };
    auto change = std::upper_bound(changes_.begin(), changes_.end(), fresh_[i], later);
    for (; change != changes_.end(); ++change)
      if (changed_[change->slot] == change->time && open(change->slot)) row[change->slot] = table_(change->slot, i);
    fresh_[i] = clock_;
  }

  // Lets all groups know how far they are from group `here`, which has just merged.
  void mirror(index_t here) {
    const double* row = &table_(here, 0);
    for (index_t i = 0; i < slots_; ++i)
      if (closed_[i] == 0 && i != here) table_(i, here) = row[i];
  }

  // The slot from `begin` on that is nearest to `here` and nearer than `best`, which falls; or `slot`.
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

  // The group in slot `gone` joins the one in slot `here`; the rows of both must be fresh.
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

  // Closes up the slots of groups that are no more if they are half of all: place[slot] is then where a slot has gone.
  bool close_up(std::vector<index_t>& place) {
    if (2 * left_ > slots_ || slots_ < 512) return false;
    forget_old_changes();
    place.assign(std::size_t(slots_), -1);
    index_t count = 0;
    for (index_t i = 0; i < slots_; ++i)
      if (open(i)) place[i] = count++;
    for (index_t i = 0; i < slots_; ++i)
      if (open(i)) move_row(i, place, count);
    for (index_t i = 0; i < slots_; ++i)
      if (open(i)) {
        row_[place[i]] = row_[i];
        size_[place[i]] = size_[i];
        fresh_[place[i]] = fresh_[i];
        changed_[place[i]] = changed_[i];
      }
    for (Change& change : changes_) change.slot = place[change.slot];
    table_ = {table_.data, count, count, count};
    slots_ = count;
    std::fill(closed_.begin(), closed_.end(), 0.0);
    return true;
  }

 private:
  // A group whose row was written anew, and when.
  struct Change {
    std::int64_t time;
    index_t slot;
  };

  void note(index_t slot) {
    fresh_[slot] = changed_[slot] = ++clock_;
    changes_.push_back({clock_, slot});
    if (changes_.size() > 2 * known_changes_ + 64) forget_old_changes();
  }

  // Keeps the last change of every group that is still there.
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

  void move_row(index_t i, const std::vector<index_t>& place, index_t count) {
    double* to = table_.data + place[i] * count;
    const double* from = &table_(i, 0);
    for (index_t j = 0; j < slots_; ++j)
      if (place[j] >= 0) to[place[j]] = from[j];
    look_up();
  }

  Grid<double> table_;
  Rule rule_;
  index_t slots_, left_;
  std::vector<index_t> row_;
  std::vector<double> size_, closed_;  // closed_: infinite for groups that are no more, else 0
  std::vector<std::int64_t> fresh_, changed_;  // when a row was last looked at, and when it was last written anew
  std::vector<Change> changes_;                // in the order of time
  std::size_t known_changes_ = 0;
  std::int64_t clock_ = 0;
};

// For rules by which no merge brings others nearer: from a group to its nearest and on, until two are each other's.
template <class Rule>
std::vector<Merge> chain_merges(Grid<double> table, Rule rule) {
  GroupTable<Rule> groups(table, rule);
  std::vector<Merge> found;
  std::vector<index_t> chain, place;
  while (groups.left() > 1) {
    for (index_t first = 0; chain.empty(); ++first)
      if (groups.open(first)) chain.push_back(first);
    const index_t here = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : -1;
    groups.refresh(here);
    double best = before < 0 ? HUGE_VAL : groups.apart(here, before);
    const index_t next = groups.nearest(here, 0, best, before);
    if (next == before) {
      found.push_back({groups.row(here), groups.row(before), best});
      chain.resize(chain.size() - 2);
      groups.refresh(before);
      groups.merge(here, before);
      if (groups.close_up(place))
        for (index_t& slot : chain) slot = place[slot];
    } else {
      chain.push_back(next);
    }
    look_up();
  }
  return found;
}

// For all other rules: every slot remembers the nearest one behind it, or a bound of how near that can be, and the two
// that are nearest of all merge.
template <class Rule>
std::vector<Merge> nearest_merges(Grid<double> table, Rule rule) {
  const index_t n = table.rows;
  GroupTable<Rule> groups(table, rule);
  std::vector<Merge> found;
  std::vector<index_t> partner(n, -1);
  std::vector<double> bound(n, HUGE_VAL);
  const auto look = [&](index_t i) {
    bound[i] = HUGE_VAL;
    partner[i] = groups.nearest(i, i + 1, bound[i], -1);
  };
  for (index_t i = 0; i + 1 < n; ++i) look(i);
  while (groups.left() > 1) {
    index_t here = std::min_element(bound.begin(), bound.end()) - bound.begin();
    while (!groups.open(partner[here]) || groups.apart(here, partner[here]) != bound[here]) {
      look(here);
      here = std::min_element(bound.begin(), bound.end()) - bound.begin();
    }
    const index_t other = partner[here];
    found.push_back({groups.row(here), groups.row(other), bound[here]});
    groups.merge(here, other);
    groups.mirror(other);
    bound[here] = HUGE_VAL;
    for (index_t i = 0; i < other; ++i) {
      if (!groups.open(i)) continue;
      if (partner[i] == here) partner[i] = other;
      if (groups.apart(i, other) < bound[i]) {
        bound[i] = groups.apart(i, other);
        partner[i] = other;
      }
    }
    if (other + 1 < n) look(other);
    look_up();
  }
  return found;
}

}  // namespace learnable
