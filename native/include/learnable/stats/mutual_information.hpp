// Mutual information of single columns with a target, estimated by distances to nearest neighbours.
//
// Two continuous variables [Kraskov et al., 2004]: eps_i is the maximum-norm distance of point i to its k-th neighbour;
// the statistic is the number of points nearer than eps_i in each variable alone. A continuous and a discrete one
// [Ross, 2014]: eps_i is the distance to the k-th neighbour of the same label; the statistic is the number of nearer
// points of any label.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/stats/ranking.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// A variable in ascending order: its values, and the rank of each row.
struct Ordered {
  std::vector<double> value;
  std::vector<std::int32_t> row, rank;

  explicit Ordered(View<const double> x) : value(x.size), row(x.size), rank(x.size) {
    struct Keyed {
      std::uint64_t key;
      std::int64_t row;
    };
    std::vector<Keyed> keyed(x.size), scratch(x.size);
    for (index_t i = 0; i < x.size; ++i) keyed[i] = {~descending_key(x[i]), i};
    detail::sort_by_key(keyed.data(), scratch.data(), x.size);
    for (index_t position = 0; position < x.size; ++position) {
      row[position] = std::int32_t(keyed[position].row);
      rank[row[position]] = std::int32_t(position);
      value[position] = x[row[position]];
    }
  }

  // The number of values within `radius` of the one at `position`, itself included.
  index_t within(index_t position, double radius) const {
    const double centre = value[position];
    const index_t size = index_t(value.size());
    const index_t above = gallop(size - 1 - position,
                                 [&](index_t step) { return value[position + step] - centre <= radius; });
    const index_t below = gallop(position, [&](index_t step) { return centre - value[position - step] <= radius; });
    return above + below + 1;
  }

 private:
  // The largest step <= limit for which holds(step), where holds is true up to some step and false beyond.
  template <class F>
  static index_t gallop(index_t limit, F&& holds) {
    index_t good = 0, jump = 1;
    while (good + jump <= limit && holds(good + jump)) {
      good += jump;
      jump *= 2;
    }
    index_t bad = std::min(good + jump, limit + 1);
    while (bad - good > 1) {
      const index_t middle = good + (bad - good) / 2;
      (holds(middle) ? good : bad) = middle;
    }
    return good;
  }
};

// The k smallest distances so far.
class Nearest {
 public:
  explicit Nearest(index_t k) : distance_(k) {}
  void clear() { std::fill(distance_.begin(), distance_.end(), std::numeric_limits<double>::infinity()); }
  double bound() const { return distance_.back(); }
  void insert(double distance) {
    if (!(distance < bound())) return;
    index_t position = index_t(distance_.size()) - 1;
    for (; position > 0 && distance_[position - 1] > distance; --position) distance_[position] = distance_[position - 1];
    distance_[position] = distance;
  }

 private:
  std::vector<double> distance_;
};

// Points of the plane in strips of neighbouring x, each in ascending order of y: the k nearest of a point are found in
// its own strip and a few others. Whatever the ties, a search touches one position in each strip and its neighbourhood
// only.
class Strips {
 public:
  Strips(const Ordered& x, const Ordered& y, index_t neighbours)
      : size_(index_t(x.value.size())), width_(std::max<index_t>(16, index_t(std::sqrt(double(neighbours) * size_)))),
        count_((size_ + width_ - 1) / width_), x_(size_), y_(size_), row_(size_) {
    std::vector<index_t> next(count_);
    for (index_t strip = 0; strip < count_; ++strip) {
      next[strip] = begin(strip);
      low_.push_back(x.value[begin(strip)]);
      high_.push_back(x.value[end(strip) - 1]);
    }
    for (index_t position = 0; position < size_; ++position) {
      const index_t row = y.row[position], at = next[x.rank[row] / width_]++;
      x_[at] = x.value[x.rank[row]];
      y_[at] = y.value[position];
      row_[at] = std::int32_t(row);
    }
  }

  index_t row(index_t at) const { return row_[at]; }

  // Distance of the point at position `at` to its k-th nearest other point.
  double radius(index_t at, Nearest& nearest) const {
    const double x = x_[at], y = y_[at];
    const index_t own = at / width_;
    nearest.clear();
    scan(x, y, at - 1, begin(own), at + 1, end(own), nearest);
    for (index_t strip = own - 1; strip >= 0 && x - high_[strip] < nearest.bound(); --strip) visit(x, y, strip, nearest);
    for (index_t strip = own + 1; strip < count_ && low_[strip] - x < nearest.bound(); ++strip)
      visit(x, y, strip, nearest);
    return nearest.bound();
  }

 private:
  index_t begin(index_t strip) const { return strip * width_; }
  index_t end(index_t strip) const { return std::min(size_, (strip + 1) * width_); }

  void visit(double x, double y, index_t strip, Nearest& nearest) const {
    const index_t from = begin(strip), to = end(strip);
    const index_t split = std::lower_bound(y_.begin() + from, y_.begin() + to, y) - y_.begin();
    scan(x, y, split - 1, from, split, to, nearest);
  }

  // Scans positions down to `first` and up to `last` (not included), the nearer in y first, as long as one may be near.
  void scan(double x, double y, index_t down, index_t first, index_t up, index_t last, Nearest& nearest) const {
    constexpr double never = std::numeric_limits<double>::infinity();
    double below = down >= first ? y - y_[down] : never, above = up < last ? y_[up] - y : never;
    while (std::min(below, above) < nearest.bound()) {
      if (below < above) {
        nearest.insert(std::max(below, std::abs(x - x_[down])));
        below = --down >= first ? y - y_[down] : never;
      } else {
        nearest.insert(std::max(above, std::abs(x - x_[up])));
        above = ++up < last ? y_[up] - y : never;
      }
    }
  }

  index_t size_, width_, count_;
  std::vector<double> x_, y_, low_, high_;
  std::vector<std::int32_t> row_;
};

namespace detail {

constexpr index_t information_rows = 4096;  // rows of a block

// sum over positions < size of f(position, slot's Nearest), in fixed blocks added in order.
template <class F>
double sum_over_positions(index_t size, index_t neighbours, F&& f) {
  const Blocks blocks(size, information_rows);
  std::vector<double> parts(blocks.count, 0.0);
  parallel_for(blocks.count, [&](index_t block, int) {
    Nearest nearest(neighbours);
    double sum = 0;
    for (index_t at = blocks.begin(block); at < blocks.end(block); ++at) {
      sum += f(at, nearest);
      if (at % 512 == 511) poll_interrupt();
    }
    parts[block] = sum;
  });
  double total = 0;
  for (const double part : parts) total += part;
  return total;
}

}  // namespace detail

// out[j] = mean over i of digamma(points within eps_i of x_ij) + digamma(points within eps_i of y_i), where eps_i is
// just below the distance to the k-th neighbour and a point counts itself. Row j of `columns` is column j; digamma[m]
// is the digamma function of m.
inline void mean_digamma_continuous(Grid<const double> columns, View<const double> y, index_t neighbours,
                            View<const double> digamma, View<double> out) {
  const Ordered target(y);
  parallel_for(columns.rows, [&](index_t j, int) {
    const Ordered column(columns.row(j));
    const Strips strips(column, target, neighbours);
    const double sum = detail::sum_over_positions(y.size, neighbours, [&](index_t at, Nearest& nearest) {
      const double radius = std::nextafter(strips.radius(at, nearest), 0.0);
      const index_t row = strips.row(at);
      return digamma[column.within(column.rank[row], radius)] + digamma[target.within(target.rank[row], radius)];
    });
    out[j] = sum / double(y.size);
  });
}

// Distance of the value at `position` of a sorted range to its k-th nearest other value.
inline double radius_in_order(const double* sorted, index_t size, index_t position, index_t neighbours) {
  index_t down = position, up = position;
  double radius = 0;
  for (index_t found = 0; found < neighbours; ++found) {
    const double below = down > 0 ? sorted[position] - sorted[down - 1] : HUGE_VAL;
    const double above = up + 1 < size ? sorted[up + 1] - sorted[position] : HUGE_VAL;
    radius = std::min(below, above);
    below < above ? --down : ++up;
  }
  return radius;
}

// out[j] = mean over i of digamma(points within eps_i of x_ij, itself included), where eps_i is just below the distance
// to the k-th neighbour of the same label (fewer where the label has fewer). label[i] < labels; every label has at
// least two rows.
inline void mean_digamma_labels(Grid<const double> columns, View<const std::int32_t> label, index_t labels,
                                   index_t neighbours, View<const double> digamma, View<double> out) {
  const index_t size = label.size;
  std::vector<index_t> start(labels + 1, 0);
  for (const std::int32_t one : label) ++start[one + 1];
  for (index_t k = 0; k < labels; ++k) start[k + 1] += start[k];
  parallel_for(columns.rows, [&](index_t j, int) {
    const Ordered column(columns.row(j));
    std::vector<double> sorted(size);
    std::vector<std::int32_t> rank(size);
    std::vector<index_t> next(start.begin(), start.end() - 1);
    for (index_t position = 0; position < size; ++position) {
      const index_t at = next[label[column.row[position]]]++;
      sorted[at] = column.value[position];
      rank[at] = std::int32_t(position);
    }
    const double sum = detail::sum_over_positions(size, 1, [&](index_t at, Nearest&) {
      const index_t own = label[column.row[rank[at]]], from = start[own], count = start[own + 1] - from;
      const double radius = radius_in_order(sorted.data() + from, count, at - from, std::min(neighbours, count - 1));
      return digamma[column.within(rank[at], std::nextafter(radius, 0.0))];
    });
    out[j] = sum / double(size);
  });
}

}  // namespace learnable
