// The nearest centre of every row: single precision finds candidates, double precision decides between near ones.
//
// Labels are those of all distances in double, the first of equals, whatever was skipped: a group of centres is scanned
// only if its bound does not rule it out, and the best of those scanned is taken only if the second is worse by more
// than the rounding error of single precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "learnable/cluster/kmeans/bounds.hpp"
#include "learnable/cluster/kmeans/score_tile.hpp"
#include "learnable/matrix/design.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

constexpr index_t rows_at_once = 16 * detail::abreast_rows;

// The blocks over which sums of rows are taken, by every algorithm.
inline Blocks blocks_of_rows(index_t rows, index_t centres) {
  return {rows, round_up(std::max({4 * centres, rows / 256, rows_at_once}), rows_at_once)};
}

// Sums over the rows of each centre.
struct CentreSums {
  Buffer sums, mass;
  index_t changed = 0, distances = 0;

  CentreSums() = default;
  CentreSums(index_t centres, index_t columns) : sums(centres * columns, 0), mass(centres, 0) {}
  void add(const CentreSums& part) {
    for (index_t e = 0; e < sums.size(); ++e) sums[e] += part.sums[e];
    for (index_t c = 0; c < mass.size(); ++c) mass[c] += part.mass[c];
    changed += part.changed;
    distances += part.distances;
  }
  // Adds weight times (x - origin) to the sums of a centre.
  template <class T>
  void take(const T* x, const std::vector<double>& origin, double weight, std::int32_t centre) {
    const index_t columns = index_t(origin.size());
    double* sum = sums.data() + centre * columns;
    const double* from = origin.data();
#pragma omp simd
    for (index_t j = 0; j < columns; ++j) sum[j] += weight * (double(x[j]) - from[j]);
    mass[centre] += weight;
  }
};

// Running means of the rows assigned to each centre: the `counts` that it was the mean of, and those `found` now, whose
// sums are about zero. A centre without new rows does not move.
inline void running_means(Grid<const double> centres, View<const double> counts, const CentreSums& found, double* means,
                          double* total) {
  for (index_t c = 0; c < centres.rows; ++c) {
    total[c] = counts[c] + found.mass[c];
    for (index_t j = 0; j < centres.columns; ++j) {
      const index_t e = c * centres.columns + j;
      means[e] = found.mass[c] > 0 ? (centres(c, j) * counts[c] + found.sums[e]) / total[c] : centres(c, j);
    }
  }
}

template <class T>
class NearestCentres {
 public:
  // Sums are taken about `origin`; without bounds every distance is computed in every step. Bounds are for groups of
  // centres, at most `max_groups`.
  NearestCentres(const RowMajor<T>& X, View<const double> origin, bool bounded,
                 index_t max_groups = detail::max_centre_groups)
      : X_(X), origin_(origin.begin(), origin.end()), bounded_(bounded), max_groups_(max_groups),
          label_(std::size_t(X.rows), -1) {}

  // label[i] = the nearest centre of row i. Returns sums of weight times (x - origin), and how many labels are new.
  CentreSums assign(Grid<const double> centres, const double* weight, View<std::int32_t> label) {
    prepare(centres);
    const Blocks blocks = blocks_of_rows(X_.rows, centres.rows);
    std::vector<CentreSums> parts(std::size_t(blocks.count));
    parallel_if(X_.rows * X_.columns * centres.rows > 1 << 16, blocks.count, [&](index_t block, int) {
      CentreSums& sums = parts[block] = CentreSums(centres.rows, X_.columns);
      Room room(X_.columns, groups_->groups());
      for (index_t begin = blocks.begin(block); begin < blocks.end(block); begin += at_once) {
        const index_t count = std::min(at_once, blocks.end(block) - begin);
        find(centres, begin, count, room, sums.distances);
        for (index_t i = begin; i < begin + count; ++i) {
          sums.changed += label[i] != label_[i];
          label[i] = label_[i];
          sums.take(x(i), origin_, weight ? weight[i] : 1.0, label_[i]);
        }
        poll_interrupt();
      }
    });
    for (index_t block = 1; block < blocks.count; ++block) parts[0].add(parts[block]);
    has_bounds_ = bounded_;
    return std::move(parts[0]);
  }

 private:
  static constexpr index_t at_once = rows_at_once;

  // The search of one row: its two smallest scores so far, the centre of the smallest, and the groups scanned.
  struct Search {
    float first, second, inside;  // the smallest, the second in any group, the second in the same group
    std::int32_t found, group;
    std::uint32_t scanned;  // a bit for each group
    double norm, own;      // squared length about the middle, squared distance to the centre it had
    double slack;          // error bound of a score in single precision
  };

  struct Room {
    std::vector<Search> search;
    std::vector<std::vector<std::int32_t>> lists;  // rows that scan each group
    std::vector<float> rows;
    detail::Smallest smallest;

    Room(index_t columns, index_t groups)
        : search(at_once), lists(std::size_t(groups)), rows(std::size_t(columns * detail::abreast_rows), 0.0f) {}
  };

  void prepare(Grid<const double> centres) {
    if (!groups_ || groups_->count() != centres.rows) {
      groups_ = std::make_unique<CentreGroups>(centres, max_groups_);
      has_bounds_ = false;
    }
    groups_->fill(centres);
    if (has_bounds_) bounds_->follow(centres, *groups_);
    else if (bounded_) bounds_ = std::make_unique<CentreBounds>(X_.rows, centres, *groups_);
  }

  void find(Grid<const double> centres, index_t begin, index_t count, Room& room, index_t& distances) {
    for (auto& list : room.lists) list.clear();
    for (index_t i = 0; i < count; ++i) begin_search(centres, begin + i, room.search[i], std::int32_t(i), room, distances);
    for (index_t g = 0; g < groups_->groups(); ++g) {
      const auto& list = room.lists[g];
      distances += index_t(list.size()) * (groups_->start(g + 1) - groups_->start(g));
      for (std::size_t from = 0; from < list.size(); from += detail::abreast_rows)
        scan_group(begin, list.data() + from, std::min(index_t(list.size() - from), detail::abreast_rows), g, room);
    }
    for (index_t i = 0; i < count; ++i)
      if (room.search[i].scanned) end_search(centres, begin + i, room.search[i]);
  }

  // Appends the row to the lists of the groups that may contain its nearest centre.
  void begin_search(Grid<const double> centres, index_t row, Search& search, std::int32_t i, Room& room,
                    index_t& distances) {
    search = {HUGE_VALF, HUGE_VALF, HUGE_VALF, -1, -1, 0, 0.0, -1.0, 0.0};
    if (!has_bounds_) {
      for (index_t g = 0; g < groups_->groups(); ++g) enlist(g, search, i, room);
      return;
    }
    const std::int32_t own = label_[row];
    const double far = bounds_->upper(row, own);
    if (all_ruled_out(row, far)) return;
    search.own = detail::squared_gap(x(row), &centres(own, 0), X_.columns);
    ++distances;
    const double exact = std::sqrt(search.own);
    bounds_->set_upper(row, own, exact);
    for (index_t g = 0; g < groups_->groups(); ++g)
      if (!bounds_->rules_out(row, g, exact)) enlist(g, search, i, room);
  }

  bool all_ruled_out(index_t row, double distance) const {
    for (index_t g = 0; g < groups_->groups(); ++g)
      if (!bounds_->rules_out(row, g, distance)) return false;
    return true;
  }

  static void enlist(index_t group, Search& search, std::int32_t i, Room& room) {
    room.lists[group].push_back(i);
    search.scanned |= std::uint32_t(1) << group;
  }

  // Scans one group for as many rows as fit side by side, at most.
  void scan_group(index_t begin, const std::int32_t* list, index_t count, index_t group, Room& room) {
    for (index_t r = 0; r < count; ++r) {
      Search& search = room.search[list[r]];
      search.norm = detail::store_centred(x(begin + list[r]), groups_->middle(), X_.columns, room.rows.data() + r);
      search.slack = slack(search.norm);
    }
    groups_->scan(room.rows.data(), group, room.smallest);
    for (index_t r = 0; r < count; ++r)
      take(begin + list[r], room.search[list[r]], group, room.smallest.first[r], room.smallest.second[r],
           room.smallest.position[r]);
  }

  void take(index_t row, Search& search, index_t group, float first, float second, std::int32_t position) {
    if (bounded_) bounds_->set_lower(row, group, lower_bound(search, first));
    if (first < search.first) {
      search.second = std::min(search.first, second);
      search.first = first;
      search.inside = second;
      search.found = groups_->centre_at(position);
      search.group = std::int32_t(group);
    } else {
      search.second = std::min(search.second, first);
    }
  }

  double slack(double norm) const {
    const double unit = 0x1p-24 * double(X_.columns + 8), longest = groups_->longest();
    return unit * (std::sqrt(norm) * longest + longest * longest) + 1e-37;
  }
  double lower_bound(const Search& search, float score) const {
    return std::sqrt(std::max(0.0, 2 * (double(score) - search.slack) + search.norm)) * (1 - 1e-7);
  }
  double upper_bound(const Search& search, float score) const {
    return std::sqrt(std::max(0.0, 2 * (double(score) + search.slack) + search.norm)) * (1 + 1e-7);
  }

  void end_search(Grid<const double> centres, index_t row, const Search& search) {
    const double doubt = 2 * search.slack;
    const std::int32_t own = label_[row];
    const bool own_not_scanned = search.own >= 0 && !(search.scanned >> groups_->group_of(own) & 1);
    const double own_score = (search.own - search.norm) / 2;
    // its own centre, of a group that was not scanned
    if (own_not_scanned && double(search.first) - own_score > doubt) return;
    const bool own_is_farther = !own_not_scanned || own_score - double(search.first) > doubt;
    const bool clear = double(search.second) - double(search.first) > doubt && own_is_farther;
    if (!clear) return decide(centres, row, search, own_not_scanned);
    label_[row] = search.found;
    if (!bounded_) return;
    bounds_->set_lower(row, search.group, lower_bound(search, search.inside));
    if (own_not_scanned) release(row, own, std::sqrt(search.own));
    bounds_->set_upper(row, search.found, upper_bound(search, search.first));
  }

  // The previous centre of a row is one of the others of its group now.
  void release(index_t row, std::int32_t own, double distance) {
    const index_t group = groups_->group_of(own);
    if (bounds_->lower(row, group) > distance) bounds_->set_lower(row, group, distance * (1 - 1e-7));
  }

  // All distances in double to the centres scanned, and to the previous one: the nearest, of equals the first.
  void decide(Grid<const double> centres, index_t row, const Search& search, bool own_not_scanned) {
    const std::int32_t own = label_[row];
    std::int32_t best = own_not_scanned ? own : -1;
    double nearest = own_not_scanned ? search.own : HUGE_VAL;
    for (index_t g = 0; g < groups_->groups(); ++g)
      if (search.scanned >> g & 1)
        for (index_t position = groups_->start(g); position < groups_->start(g + 1); ++position) {
          const std::int32_t c = groups_->centre_at(position);
          const double square = detail::squared_gap(x(row), &centres(c, 0), X_.columns);
          if (best < 0 || square < nearest || (square == nearest && c < best)) nearest = square, best = c;
        }
    label_[row] = best;
    if (!bounded_) return;
    bounds_->set_upper(row, best, std::sqrt(nearest) * (1 + 1e-7));
    const index_t group = groups_->group_of(best);
    if (own_not_scanned && best != own) release(row, own, std::sqrt(search.own));
    if (search.scanned >> group & 1) bounds_->set_lower(row, group, lower_bound_of_others(centres, row, group, best));
  }

  double lower_bound_of_others(Grid<const double> centres, index_t row, index_t group, std::int32_t best) const {
    double nearest = HUGE_VAL;
    for (index_t position = groups_->start(group); position < groups_->start(group + 1); ++position)
      if (const std::int32_t c = groups_->centre_at(position); c != best)
        nearest = std::min(nearest, detail::squared_gap(x(row), &centres(c, 0), X_.columns));
    return std::sqrt(nearest) * (1 - 1e-7);
  }

  const T* x(index_t row) const { return X_.data + row * X_.stride; }

  RowMajor<T> X_;
  std::vector<double> origin_;
  bool bounded_, has_bounds_ = false;
  index_t max_groups_;
  std::vector<std::int32_t> label_;
  std::unique_ptr<CentreGroups> groups_;
  std::unique_ptr<CentreBounds> bounds_;
};

// square[i] = squared distance of row i to centre label[i].
template <class T>
void squares_to_centres(const RowMajor<T>& X, Grid<const double> centres, View<const std::int32_t> label,
                        View<double> square) {
  const Blocks blocks(X.rows, std::max<index_t>(1024, (1 << 16) / std::max<index_t>(X.columns, 1)));
  parallel_for(blocks.count, [&](index_t block, int) {
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i)
      square[i] = detail::squared_gap(X.data + i * X.stride, &centres(label[i], 0), X.columns);
  });
}

}  // namespace learnable
