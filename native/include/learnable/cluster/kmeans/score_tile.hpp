// Scores of many rows against many centres in single precision, the two smallest of each row kept on the way.
//
// |x - c|^2 / 2 = |x|^2 / 2 + s with s = |c|^2 / 2 - x'c about a common centre. Rows are side by side in vectors, so
// that the smallest score of each is found without reductions across a vector.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/simd.hpp"
#include "learnable/matrix/view.hpp"

namespace learnable {

namespace detail {

using Floats = LanesOf<float>;
typedef std::int32_t FloatIndices __attribute__((vector_size(vector_bytes), may_alias));

constexpr int abreast_vectors = 3, abreast_centres = 4;
constexpr index_t abreast_rows = abreast_vectors * lane_count<float>;
constexpr index_t centre_group = 128;     // centres per bound, about
constexpr index_t max_centre_groups = 32;  // the groups that a row scans are bits of one word

// |x - c|^2 in double, whatever the precision of x.
template <class T>
inline double squared_gap(const T* x, const double* c, index_t columns) {
  Lanes sums{};
  index_t j = 0;
  for (; j + lanes <= columns; j += lanes) {
    const Lanes gap = load<double>(x + j) - load(c + j);
    sums += gap * gap;
  }
  double sum = 0;
  for (; j < columns; ++j) sum += (double(x[j]) - c[j]) * (double(x[j]) - c[j]);
  for (int lane = 0; lane < lanes; ++lane) sum += sums[lane];
  return sum;
}

// Writes -(x - middle) as one of the rows side by side; returns its squared length.
template <class T>
inline double store_centred(const T* x, const double* middle, index_t columns, float* out) {
  for (index_t j = 0; j < columns; ++j) out[j * abreast_rows] = float(middle[j] - double(x[j]));
  return squared_gap(x, middle, columns);
}

// The smallest score of each row, its position, and the smallest of the others.
struct Smallest {
  alignas(64) float first[abreast_rows], second[abreast_rows];
  alignas(64) std::int32_t position[abreast_rows];
};

}  // namespace detail

// Centres in groups of neighbouring ones, four side by side in single precision about their middle.
class CentreGroups {
 public:
  // The grouping, into at most `max_groups` groups, is computed once, for the first centres; later centres keep it.
  CentreGroups(Grid<const double> centres, index_t max_groups)
      : count_(centres.rows), columns_(centres.columns),
        groups_(std::clamp<index_t>(count_ / detail::centre_group, 1, max_groups)),
        order_(std::size_t(count_)), group_of_(std::size_t(count_)) {
    std::iota(order_.begin(), order_.end(), 0);
    starts_.push_back(0);
    divide(centres, 0, count_, groups_);
    for (index_t g = 0; g < groups_; ++g)
      for (index_t position = start(g); position < start(g +
                                                         1); ++position) group_of_[order_[position]] = std::int32_t(g);
    first_tile_.push_back(0);
    for (index_t g = 0; g < groups_; ++g)
      first_tile_.push_back(first_tile_.back() + round_up(start(g + 1) - start(g), abreast) / abreast);
    values_.resize(std::size_t(first_tile_.back() * abreast * columns_));
    half_.resize(std::size_t(first_tile_.back() * abreast));
  }

  index_t groups() const { return groups_; }
  index_t count() const { return count_; }
  index_t start(index_t group) const { return starts_[group]; }
  std::int32_t centre_at(index_t position) const { return order_[position]; }
  std::int32_t group_of(std::int32_t centre) const { return group_of_[centre]; }
  const double* middle() const { return middle_.data(); }
  double longest() const { return longest_; }

  void fill(Grid<const double> centres) {
    middle_ = Buffer(columns_, 0);
    for (index_t c = 0; c < count_; ++c)
      for (index_t j = 0; j < columns_; ++j) middle_[j] += centres(c, j) / double(count_);
    longest_ = 0;
    for (index_t g = 0; g < groups_; ++g)
      for (index_t tile = first_tile_[g]; tile < first_tile_[g + 1]; ++tile)
        for (index_t n = 0; n < abreast; ++n) {
          const index_t position = start(g) + (tile - first_tile_[g]) * abreast + n;
          fill_one(position < start(g + 1) ? &centres(order_[position], 0) : nullptr, tile, n);
        }
    longest_ = std::sqrt(longest_);
  }

  // Scans all centres of a group for rows side by side.
  void scan(const float* rows, index_t group, detail::Smallest& found) const {
    using namespace detail;
    Floats first[abreast_vectors], second[abreast_vectors];
    FloatIndices position[abreast_vectors];
    for (int v = 0; v < abreast_vectors; ++v) {
      first[v] = second[v] = Floats{} + HUGE_VALF;
      position[v] = FloatIndices{};
    }
    for (index_t tile = first_tile_[group]; tile < first_tile_[group + 1]; ++tile) {
      Floats score[abreast_centres][abreast_vectors];
      sum(rows, tile, score);
      const std::int32_t here = std::int32_t(start(group) + (tile - first_tile_[group]) * abreast);
#pragma GCC unroll 4
      for (int n = 0; n < abreast_centres; ++n)
#pragma GCC unroll 3
        for (int v = 0; v < abreast_vectors; ++v) {
          const auto less = score[n][v] < first[v];
          const Floats larger = less ? first[v] : score[n][v];
          second[v] = larger < second[v] ? larger : second[v];
          position[v] = less ? FloatIndices{} + (here + n) : position[v];
          first[v] = less ? score[n][v] : first[v];
        }
    }
    for (int v = 0; v < abreast_vectors; ++v) {
      store(found.first + v * lane_count<float>, first[v]);
      store(found.second + v * lane_count<float>, second[v]);
      *reinterpret_cast<FloatIndices*>(found.position + v * lane_count<float>) = position[v];
    }
  }

 private:
  static constexpr index_t abreast = detail::abreast_centres;

  [[gnu::always_inline]] void sum(const float* rows, index_t tile,
                                  detail::Floats (&score)[detail::abreast_centres][detail::abreast_vectors]) const {
    using namespace detail;
    const float *half = half_.data() + tile * abreast, *centre[abreast_centres];
#pragma GCC unroll 4
    for (int n = 0; n < abreast_centres; ++n) {
      centre[n] = hidden(values_.data() + tile * abreast * columns_ + n);
#pragma GCC unroll 3
      for (int v = 0; v < abreast_vectors; ++v) score[n][v] = half[n] - Floats{};
    }
    for (index_t j = 0; j < columns_; ++j) {
      Floats x[abreast_vectors];
#pragma GCC unroll 3
      for (int v = 0; v < abreast_vectors; ++v) x[v] = load<float>(rows + j * abreast_rows + v * lane_count<float>);
#pragma GCC unroll 4
      for (int n = 0; n < abreast_centres; ++n) {
        const Floats c = centre[n][j * abreast] - Floats{};
#pragma GCC unroll 3
        for (int v = 0; v < abreast_vectors; ++v) score[n][v] = fused(c, x[v], score[n][v]);
      }
    }
  }

  void fill_one(const double* centre, index_t tile, index_t n) {
    double square = 0;
    for (index_t j = 0; j < columns_; ++j) {
      const double value = centre ? centre[j] - middle_[j] : 0.0;
      values_[(tile * columns_ + j) * abreast + n] = float(value);
      square += value * value;
    }
    half_[tile * abreast + n] = centre ? float(square / 2) : HUGE_VALF;  // padding at the end is never the nearest
    longest_ = std::max(longest_, square);
  }

  // Splits the positions [begin, end) into `groups` along the columns in which their centres differ spread.
  void divide(Grid<const double> centres, index_t begin, index_t end, index_t groups) {
    if (groups == 1) return starts_.push_back(end);
    const index_t left = groups / 2, cut = begin + (end - begin) * left / groups, column = widest(centres, begin, end);
    std::nth_element(order_.begin() + begin, order_.begin() + cut, order_.begin() + end,
                     [&](std::int32_t a, std::int32_t b) { return centres(a, column) < centres(b, column); });
    divide(centres, begin, cut, left);
    divide(centres, cut, end, groups - left);
  }

  index_t widest(Grid<const double> centres, index_t begin, index_t end) const {
    index_t best = 0;
    double spread = -1;
    for (index_t j = 0; j < columns_; ++j) {
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (index_t position = begin; position < end; ++position) {
        low = std::min(low, centres(order_[position], j));
        high = std::max(high, centres(order_[position], j));
      }
      if (high - low > spread) spread = high - low, best = j;
    }
    return best;
  }

  index_t count_, columns_, groups_;
  std::vector<std::int32_t> order_, group_of_;
  std::vector<index_t> starts_, first_tile_;
  std::vector<float> values_, half_;
  Buffer middle_;
  double longest_ = 0;
};

}  // namespace learnable
