// A step of fuzzy c-means: memberships of each row, and sums of the rows weighted by memberships to a power.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/design.hpp"
#include "learnable/matrix/simd.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// As many rows as a vector has lanes, a lane each, and their memberships. Rows beyond the last are zero.
class FuzzyRows {
 public:
  FuzzyRows(Grid<const double> centres, double power)
      : centres_(centres), power_(power), entries_(centres.columns * lanes, 0), square_(centres.rows * lanes),
        membership_(centres.rows * lanes) {}

  template <class T>
  void read(const RowMajor<T>& X, index_t begin, index_t count) {
    for (index_t lane = 0; lane < count; ++lane) {
      const T* x = X.data + (begin + lane) * X.stride;
      for (index_t j = 0; j < centres_.columns; ++j) entries_[j * lanes + lane] = double(x[j]);
    }
  }

  // membership(c) = d_c^(-1 / (power - 1)) over their sum, d the squared distances; centres at distance zero divide the
  // row among themselves. Returns the cost of each row: sum of membership^power times d.
  Lanes compute_memberships() {
    Lanes least = HUGE_VAL - Lanes{}, sum{}, cost{};
    index_t c = 0;
    for (; c + together <= centres_.rows; c += together) measure<together>(c, least);
    for (; c < centres_.rows; ++c) measure<1>(c, least);
    const auto apart = least > Lanes{};
    for (index_t c = 0; c < centres_.rows; ++c) {
      const Lanes square = load(&square_[c * lanes]), there = square > Lanes{} ? Lanes{} : 1 - Lanes{};
      const Lanes ratio = raised(apart ? least / square : there, 1 / (power_ - 1));
      store(&membership_[c * lanes], ratio);
      sum += ratio;
    }
    for (index_t c = 0; c < centres_.rows; ++c) {
      const Lanes membership = load(&membership_[c * lanes]) / sum;
      store(&membership_[c * lanes], membership);
      if (power_ != 2) cost += raised(membership, power_) * load(&square_[c * lanes]);
    }
    return power_ == 2 ? least / sum : cost;  // with squares, every membership times its distance is that much
  }

  Lanes membership(index_t c) const { return load(&membership_[c * lanes]); }
  Lanes powered(index_t c) const { return power_ == 2 ? membership(c) * membership(c) : raised(membership(c), power_); }

 private:
  // The squared distances of some centres from c on; `least` is the smallest so far.
  template <int count>
  void measure(index_t c, Lanes& least) const {
    Lanes sum[count] = {};
    for (index_t j = 0; j < centres_.columns; ++j) {
      const Lanes entry = load(&entries_[j * lanes]);
#pragma GCC unroll 8
      for (int k = 0; k < count; ++k) sum[k] += (entry - centres_(c + k, j)) * (entry - centres_(c + k, j));
    }
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) {
      store(&square_[(c + k) * lanes], sum[k]);
      least = sum[k] < least ? sum[k] : least;
    }
  }

  static Lanes raised(Lanes values, double power) {
    if (power == 1) return values;
    for (int lane = 0; lane < lanes; ++lane) values[lane] = std::pow(values[lane], power);
    return values;
  }

  static constexpr int together = 4;  // centres at a time
  Grid<const double> centres_;
  double power_;
  Buffer entries_, square_, membership_;
};

// Sums over rows: of weight times membership^power, of that times (x - origin), and of costs. Blocks are added in
// order.
struct FuzzySums {
  Buffer sums, mass;
  double cost = 0;
};

// The sums of one block of rows. Entries are added row by row, so that they do not depend on the number of lanes.
class FuzzyBlock {
 public:
  FuzzyBlock(Grid<const double> centres, View<const double> origin, double power)
      : centres_(centres.rows), columns_(centres.columns), width_(round_up(centres.columns, lanes)), origin_(origin),
        rows_(centres, power), apart_(lanes * width_, 0), padded_(centres_ * width_, 0), mass_(centres_, 0) {}

  template <class T>
  void add(const RowMajor<T>& X, const double* weight, index_t begin, index_t end) {
    for (index_t i = begin; i < end; i += lanes) {
      const index_t count = std::min<index_t>(lanes, end - i);
      Lanes weights{};
      for (index_t lane = 0; lane < count; ++lane) weights[lane] = weight ? weight[i + lane] : 1.0;
      rows_.read(X, i, count);
      const Lanes cost = weights * rows_.compute_memberships();
      for (index_t lane = 0; lane < count; ++lane) {
        const T* x = X.data + (i + lane) * X.stride;
        cost_ += cost[lane];
        for (index_t j = 0; j < columns_; ++j) apart_[lane * width_ + j] = double(x[j]) - origin_[j];
      }
      for (index_t c = 0; c < centres_; ++c) add_rows(c, weights * rows_.powered(c), count);
    }
  }

  FuzzySums found() const {
    FuzzySums all{Buffer(centres_ * columns_), Buffer(centres_), cost_};
    for (index_t c = 0; c < centres_; ++c) {
      std::copy_n(&padded_[c * width_], columns_, &all.sums[c * columns_]);
      all.mass[c] = mass_[c];
    }
    return all;
  }

 private:
  void add_rows(index_t c, Lanes weights, index_t count) {
    for (index_t lane = 0; lane < count; ++lane) mass_[c] += weights[lane];
    for (index_t j = 0; j < width_; j += lanes) {
      Lanes sum = load(&padded_[c * width_ + j]);
      for (index_t lane = 0; lane < count; ++lane) sum += weights[lane] * load(&apart_[lane * width_ + j]);
      store(&padded_[c * width_ + j], sum);
    }
  }

  index_t centres_, columns_, width_;
  View<const double> origin_;
  FuzzyRows rows_;
  Buffer apart_, padded_, mass_;  // apart_: rows about the origin; padded_: sums, a row with whole lanes for each centre
  double cost_ = 0;
};

template <class T>
FuzzySums fuzzy_pass(const RowMajor<T>& X, const double* weight, Grid<const double> centres, View<const double> origin,
                     double power) {
  const index_t many = centres.rows, p = X.columns;
  const Blocks blocks(X.rows, std::max<index_t>(512, X.rows / 64));
  std::vector<FuzzySums> parts(static_cast<std::size_t>(blocks.count));
  parallel_if(X.rows * p * many > 1 << 15, blocks.count, [&](index_t block, int) {
    FuzzyBlock mine(centres, origin, power);
    mine.add(X, weight, blocks.begin(block), blocks.end(block));
    parts[block] = mine.found();
  });
  for (index_t block = 1; block < blocks.count; ++block) {
    for (index_t e = 0; e < many * p; ++e) parts[0].sums[e] += parts[block].sums[e];
    for (index_t c = 0; c < many; ++c) parts[0].mass[c] += parts[block].mass[c];
    parts[0].cost += parts[block].cost;
  }
  return std::move(parts[0]);
}

// memberships(i, c) = the membership of row i in the cluster of centre c.
template <class T>
void fuzzy_memberships(const RowMajor<T>& X, Grid<const double> centres, double power, Grid<double> memberships) {
  const Blocks blocks(X.rows, 512);
  parallel_if(X.rows * X.columns * centres.rows > 1 << 15, blocks.count, [&](index_t block, int) {
    FuzzyRows rows(centres, power);
    for (index_t i = blocks.begin(block); i < blocks.end(block); i += lanes) {
      const index_t count = std::min<index_t>(lanes, blocks.end(block) - i);
      rows.read(X, i, count);
      rows.compute_memberships();
      for (index_t c = 0; c < centres.rows; ++c)
        for (index_t lane = 0; lane < count; ++lane) memberships(i + lane, c) = rows.membership(c)[lane];
    }
  });
}

}  // namespace learnable
