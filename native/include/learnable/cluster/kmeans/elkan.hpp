// The nearest centre of every row with a bound for each pair of a row and a centre. [Elkan, 2003]
//
// An upper bound on the distance of a row to its own centre, and lower bounds on those to all others, follow the
// centres as these move. A centre is ruled out if its lower bound, or half its distance from the row's own centre, is
// above the upper bound; distances to the others are computed in double precision. Memory and time of a step: rows
// times centres.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/cluster/kmeans/assignment.hpp"

namespace learnable {

template <class T>
class ElkanCentres {
 public:
  ElkanCentres(const RowMajor<T>& X, View<const double> origin)
      : X_(X), origin_(origin.begin(), origin.end()), label_(std::size_t(X.rows), 0), upper_(std::size_t(X.rows)) {}

  // As in NearestCentres.
  CentreSums assign(Grid<const double> centres, const double* weight, View<std::int32_t> label) {
    const bool has_bounds = prepare(centres);
    const Blocks blocks = blocks_of_rows(X_.rows, centres.rows);
    std::vector<CentreSums> parts(std::size_t(blocks.count));
    parallel_if(X_.rows * X_.columns * centres.rows > 1 << 16, blocks.count, [&](index_t block, int) {
      CentreSums& sums = parts[block] = CentreSums(centres.rows, X_.columns);
      for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
        if (has_bounds) follow(centres, i, sums.distances);
        else measure_all(centres, i, sums.distances);
        sums.changed += label[i] != label_[i];
        label[i] = label_[i];
        sums.take(x(i), origin_, weight ? weight[i] : 1.0, label_[i]);
      }
      poll_interrupt();
    });
    for (index_t block = 1; block < blocks.count; ++block) parts[0].add(parts[block]);
    return std::move(parts[0]);
  }

 private:
  static constexpr double grace = 1 + 1e-9;  // for rounding of all that is compared

  // Stores the new centres; returns whether there are bounds to update.
  bool prepare(Grid<const double> centres) {
    const index_t count = centres.rows;
    const bool has_bounds = moved_.size() == std::size_t(count);
    moved_.assign(std::size_t(count), 0.0);
    half_.assign(std::size_t(count * count), 0.0);
    nearest_.assign(std::size_t(count), HUGE_VAL);
    for (index_t c = 0; c < count; ++c) {
      if (has_bounds) moved_[c] = apart(last_.data() + c * X_.columns, &centres(c, 0)) * grace;
      for (index_t other = 0; other < count; ++other) {
        half_[c * count + other] = apart(&centres(other, 0), &centres(c, 0)) / 2;
        if (other != c) nearest_[c] = std::min(nearest_[c], half_[c * count + other]);
      }
    }
    if (!has_bounds) lower_.assign(std::size_t(X_.rows * count), 0.0);
    last_.clear();
    for (index_t c = 0; c < count; ++c) last_.insert(last_.end(), &centres(c, 0), &centres(c, 0) + X_.columns);
    return has_bounds;
  }

  double apart(const double* a, const double* b) const { return std::sqrt(detail::squared_gap(a, b, X_.columns)); }

  void measure_all(Grid<const double> centres, index_t row, index_t& distances) {
    double smallest = HUGE_VAL;
    for (index_t c = 0; c < centres.rows; ++c) {
      const double square = detail::squared_gap(x(row), &centres(c, 0), X_.columns);
      lower_[row * centres.rows + c] = std::sqrt(square);
      if (square < smallest) {
        smallest = square;
        label_[row] = std::int32_t(c);
      }
    }
    upper_[row] = std::sqrt(smallest);
    distances += centres.rows;
  }

  void follow(Grid<const double> centres, index_t row, index_t& distances) {
    const index_t count = centres.rows;
    double* lower = lower_.data() + row * count;
    for (index_t c = 0; c < count; ++c) lower[c] -= moved_[c];
    index_t own = label_[row];
    double far = upper_[row] + moved_[own], square = -1;
    for (index_t c = 0; c < count && nearest_[own] <= far * grace; ++c) {
      if (c == own || std::max(lower[c], half_[own * count + c]) > far * grace) continue;
      if (square < 0) {
        square = measure(centres, row, own, distances);
        far = lower[own];
        if (std::max(lower[c], half_[own * count + c]) > far * grace) continue;
      }
      const double other = measure(centres, row, c, distances);
      if (other > square || (other == square && c > own)) continue;
      own = c;
      square = other;
      far = lower[c];
    }
    label_[row] = std::int32_t(own);
    upper_[row] = far;
  }

  // The squared distance of a row to a centre, which is its lower bound from now on.
  double measure(Grid<const double> centres, index_t row, index_t centre, index_t& distances) {
    const double square = detail::squared_gap(x(row), &centres(centre, 0), X_.columns);
    lower_[row * centres.rows + centre] = std::sqrt(square);
    ++distances;
    return square;
  }

  const T* x(index_t row) const { return X_.data + row * X_.stride; }

  RowMajor<T> X_;
  std::vector<double> origin_;
  std::vector<std::int32_t> label_;
  std::vector<double> upper_, lower_, moved_, half_, nearest_, last_;
};

}  // namespace learnable
