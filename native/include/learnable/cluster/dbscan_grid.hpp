// DBSCAN of points of the plane by a grid.
//
// Strips as high as the radius are cut into cells, and points are stored in the order of their cells: all candidates
// for the neighbours of a point are in the runs between two cells of the few strips that its circle meets. Comparisons
// are those of the k-d tree, so labels are the same; but no node can be skipped in dense regions, which are left to the
// tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/cluster/dbscan.hpp"
#include "learnable/matrix/simd.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// The cells along one axis; a larger coordinate is never in an earlier cell, also when rounded.
struct PlaneAxis {
  double first = HUGE_VAL, scale = 1, last = 0;  // last: index of the last cell

  PlaneAxis(Grid<const double> X, index_t column, double width) : scale(1 / width) {
    double largest = -HUGE_VAL;
    for (index_t i = 0; i < X.rows; ++i) {
      first = std::min(first, X(i, column));
      largest = std::max(largest, X(i, column));
    }
    last = std::floor((largest - first) * scale);
  }

  std::int32_t cell(double x) const { return std::int32_t(std::min(std::max((x - first) * scale, 0.0), last)); }
};

// Points in the order of their cells.
class PlaneGrid {
 public:
  PlaneGrid(Grid<const double> X, double radius)
      : reach_(radius * (1 + 1e-12)), rows_(X.rows), across_(X, 0, radius / parts), along_(X, 1, radius) {
    suited_ = (across_.last + 1) * (along_.last + 1) <= double(8 * rows_ + 1024);
    if (!suited_) return;
    columns_ = std::int32_t(across_.last) + 1;
    sort(X, index_t(along_.last) + 1);
    suited_ = comparisons() <= double(max_comparisons_each * rows_);
  }

  // Whether there are neither too many cells for the points nor too many points per cell.
  bool suited() const { return suited_; }

 protected:
  // Calls f(begin, end) for each run of points that may be near point i.
  template <class F>
  void for_runs(index_t i, F&& f) const {
    const std::int32_t begin = across_.cell(x_[i] - reach_), end = across_.cell(x_[i] + reach_) + 1;
    const std::int32_t last = along_.cell(y_[i] + reach_);
    for (std::int32_t strip = along_.cell(y_[i] - reach_); strip <= last; ++strip)
      f(index_t(start_[strip * columns_ + begin]), index_t(start_[strip * columns_ + end]));
  }

  template <class F>
  void for_points(F&& f) const {
    const Blocks blocks(rows_, block_size);
    parallel_for(blocks.count, [&](index_t block, int) {
      for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) f(i);
    });
  }

  // Numbers clusters by their first core rows.
  void number(const SharedSets& sets, View<const std::uint8_t> dense, View<std::int64_t> label) const {
    std::vector<std::int32_t> first(static_cast<std::size_t>(rows_));
    for_points([&](index_t i) { first[row_[i]] = sets.first(std::int32_t(i)); });
    std::vector<std::int32_t> number(static_cast<std::size_t>(rows_), -1);
    std::int32_t count = 0;
    for (index_t row = 0; row < rows_; ++row) {
      label[row] = -1;
      if (!dense[row]) continue;
      std::int32_t& core_label = number[first[row]];
      if (core_label < 0) core_label = count++;
      label[row] = core_label;
    }
  }

  double reach_;
  index_t rows_;
  std::vector<std::int32_t> start_, row_;
  std::vector<double> x_, y_;

 private:
  struct Point {
    double x, y;
    std::int32_t row;
  };
  static constexpr int parts = 4;           // cells in a square of a strip
  static constexpr index_t max_comparisons_each = 400;  // comparisons per point beyond which the tree is faster

  // Sorts points by cell, strip by strip; start_ holds the first point of each cell.
  void sort(Grid<const double> X, index_t strips) {
    std::vector<std::int32_t> begin(std::size_t(strips + 1), 0);
    for (index_t i = 0; i < rows_; ++i) ++begin[along_.cell(X(i, 1)) + 1];
    for (index_t strip = 0; strip < strips; ++strip) begin[strip + 1] += begin[strip];
    std::vector<Point> points(static_cast<std::size_t>(rows_));
    std::vector<std::int32_t> next(begin.begin(), begin.end() - 1);
    for (index_t i = 0; i < rows_; ++i) points[next[along_.cell(X(i, 1))]++] = {X(i, 0), X(i, 1), std::int32_t(i)};
    x_.assign(std::size_t(rows_ + lanes), 0.0);
    y_ = x_;
    row_.resize(std::size_t(rows_));
    start_.assign(std::size_t(strips * columns_ + 1), std::int32_t(rows_));
    parallel_for(strips, [&](index_t strip, int) {
      sort_strip(points, begin[strip], begin[strip + 1], &start_[strip * columns_]);
    });
  }

  // The same for the points of one strip; start has an entry for each of its cells.
  void sort_strip(const std::vector<Point>& points, std::int32_t begin, std::int32_t end, std::int32_t* start) {
    std::vector<std::int32_t> next(std::size_t(columns_ + 1), 0);
    for (std::int32_t i = begin; i < end; ++i) ++next[across_.cell(points[i].x) + 1];
    next[0] = begin;
    for (std::int32_t k = 0; k < columns_; ++k) next[k + 1] += next[k];
    std::copy(next.begin(), next.end() - 1, start);
    for (std::int32_t i = begin; i < end; ++i) {
      const std::int32_t index = next[across_.cell(points[i].x)]++;
      x_[index] = points[i].x;
      y_[index] = points[i].y;
      row_[index] = points[i].row;
    }
  }

  // The number of comparisons over all points.
  double comparisons() const {
    double sum = 0;
    for (index_t i = 0; i < rows_; i += 16)
      for_runs(i, [&](index_t begin, index_t end) { sum += 16.0 * double(end - begin); });
    return sum;
  }

  static constexpr index_t block_size = 4096;
  bool suited_ = false;
  PlaneAxis across_, along_;
  std::int32_t columns_ = 0;
};

template <class Norm>
class PlanePoints : public PlaneGrid {
 public:
  PlanePoints(Grid<const double> X, const Norm& norm, double radius)
      : PlaneGrid(X, radius), norm_(norm), limit_(norm.sum(radius)) {}

  // As in DensePoints.
  void find_dense(View<const double> weight, double min_weight, View<std::uint8_t> dense) const {
    std::vector<double> weights(std::size_t(rows_ + lanes), 1.0);
    for (index_t i = 0; weight && i < rows_; ++i) weights[i] = weight[row_[i]];
    for_points([&](index_t i) {
      Lanes sum{};
      if (weights[i] > 0)
        for_near(i, 0, [&](index_t j, auto near) { sum += near ? load(&weights[j]) : Lanes{}; });
      double total = 0;
      for (int lane = 0; lane < lanes; ++lane) total += sum[lane];
      dense[row_[i]] = total >= min_weight;
    });
  }

  void label(View<const std::uint8_t> dense, View<std::int64_t> label) const {
    SharedSets sets(rows_);
    std::vector<double> is_dense(std::size_t(rows_ + lanes), 0.0);
    for (index_t i = 0; i < rows_; ++i) is_dense[i] = dense[row_[i]];
    for_points([&](index_t i) {
      if (is_dense[i] == 0) return;
      std::int32_t first = std::int32_t(i);
      for_near(i, i + 1, [&](index_t j, auto near) {
        const auto both = near & (load(&is_dense[j]) > Lanes{});
        if (!any(both)) return;
        for (int lane = 0; lane < lanes; ++lane)
          if (both[lane]) first = sets.join(first, std::int32_t(j + lane));
      });
    });
    number(sets, dense, label);
    std::vector<std::int64_t> core_label(std::size_t(rows_ + lanes), -1);
    for (index_t i = 0; i < rows_; ++i) core_label[i] = label[row_[i]];
    for_points([&](index_t i) {
      if (is_dense[i] != 0) return;
      std::int64_t lowest = -1;
      for_near(i, 0, [&](index_t j, auto near) {
        if (!any(near)) return;
        for (int lane = 0; lane < lanes; ++lane)
          if (near[lane] && core_label[j + lane] >= 0 &&
              (lowest < 0 || core_label[j + lane] < lowest)) lowest = core_label[j + lane];
      });
      label[row_[i]] = lowest;
    });
  }

 private:
  template <class Mask>
  static bool any(Mask mask) {
    std::int64_t some = 0;
    for (int lane = 0; lane < lanes; ++lane) some |= std::int64_t(mask[lane]);
    return some != 0;
  }

  // Calls f(j, near) with the mask of points from j on that are near point i, for all from index `from` on.
  template <class F>
  void for_near(index_t i, index_t from, F&& f) const {
    Lanes count;
    for (int lane = 0; lane < lanes; ++lane) count[lane] = lane;
    for_runs(i, [&](index_t begin, index_t end) {
      for (index_t j = std::max(begin, from); j < end; j += lanes) {
        const Lanes first = norm_.join(Lanes{}, norm_.term(x_[i] - load(&x_[j])));
        const Lanes sum = norm_.join(first, norm_.term(y_[i] - load(&y_[j])));
        f(j, (sum <= limit_ - Lanes{}) & (count < double(end - j) - Lanes{}));
      }
    });
  }

  Norm norm_;
  double limit_;
};

}  // namespace learnable
