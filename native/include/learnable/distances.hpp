// Products and Euclidean distances between all rows of two tables, block by block, for whoever wants them.
//
// |x - y|^2 = |x|^2 + |y|^2 - 2 x'y about a common centre, by tiles. Where that cancels, so that rounding could show in
// the eleventh digit, the difference is taken column by column instead.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/buffer.hpp"
#include "learnable/parallel.hpp"
#include "learnable/tile.hpp"
#include "learnable/view.hpp"

namespace learnable {

constexpr index_t distance_block = 96;  // rows of either table in a block: a multiple of tile_rows and tile_columns

// Means of the columns, in blocks of rows added in order.
inline Buffer column_centre(Grid<const double> Y) {
  Buffer centre(Y.columns, 0);
  const Blocks blocks(Y.rows, std::max<index_t>(1024, Y.rows / 64));
  std::vector<Buffer> parts(blocks.count);
  parallel_for(blocks.count, [&](index_t block, int) {
    Buffer sum(Y.columns, 0);
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i)
      for (index_t j = 0; j < Y.columns; ++j) sum[j] += Y(i, j);
    parts[block] = std::move(sum);
  });
  for (const Buffer& part : parts)
    for (index_t j = 0; j < Y.columns; ++j) centre[j] += part[j] / double(Y.rows);
  for (index_t j = 0; j < Y.columns; ++j)
    if (!std::isfinite(centre[j])) centre[j] = 0;
  return centre;
}

inline double squared_distance(const double* x, const double* y, index_t columns) {
  Lanes sums{};
  index_t j = 0;
  for (; j + lanes <= columns; j += lanes) {
    const Lanes gap = load(x + j) - load(y + j);
    sums += gap * gap;
  }
  double sum = 0;
  for (; j < columns; ++j) sum += (x[j] - y[j]) * (x[j] - y[j]);
  for (int lane = 0; lane < lanes; ++lane) sum += sums[lane];
  return sum;
}

// One thread's room for blocks of products about a centre: some blocks of rows of X at once, so that a block of Y is
// turned only once for all of them.
class ProductBlock {
 public:
  ProductBlock(Grid<const double> X, Grid<const double> Y, const Buffer& centre, index_t most_rows)
      : X_(X), Y_(Y), centre_(centre), left_(most_rows, X.columns), right_(X.columns, distance_block),
        products_(distance_block, distance_block), left_norm_(most_rows), right_norm_(distance_block) {}

  void take_rows(index_t begin, index_t count) {
    row_ = begin;
    for (index_t i = 0; i < count; ++i) {
      const double* row = X_.data + (begin + i) * X_.stride;
      double norm = 0;
      for (index_t j = 0; j < X_.columns; ++j) {
        const double value = row[j] - centre_[j];
        left_.grid(i, j) = value;
        norm += value * value;
      }
      left_norm_[i] = norm;
    }
  }

  // Takes `count` rows of Y from `begin` on, as columns, several at a time; the rest of the last few is zero.
  void take_columns(index_t begin, index_t count) {
    column_ = begin;
    columns_ = count;
    constexpr index_t together = 8;
    for (index_t i = 0; i < count; i += together) {
      const double* row[together];
      double present[together], norm[together] = {};
      for (index_t k = 0; k < together; ++k) {
        row[k] = Y_.data + (begin + std::min(i + k, count - 1)) * Y_.stride;
        present[k] = i + k < count ? 1 : 0;
      }
      for (index_t j = 0; j < Y_.columns; ++j) {
        double* place = &right_.grid(j, i);
        const double centre = centre_[j];
#pragma GCC unroll 8
        for (index_t k = 0; k < together; ++k) {
          const double value = present[k] * (row[k][j] - centre);
          place[k] = value;
          norm[k] += value * value;
        }
      }
      std::copy_n(norm, together, right_norm_.data() + i);
    }
  }

  // Products of `count` of the rows taken, from the `first` on, with the columns taken.
  Grid<double> block(index_t first, index_t count) {
    std::fill_n(products_.grid.data, count * products_.grid.stride, 0.0);
    multiply({&left_.grid(first, 0), left_.grid.stride, 1}, count, right_.grid.data, right_.grid.stride, columns_,
             X_.columns, products_.grid.data, products_.grid.stride);
    return {products_.grid.data, count, columns_, products_.grid.stride};
  }

 protected:
  Grid<const double> X_, Y_;
  const Buffer& centre_;
  Scratch left_, right_, products_;
  Buffer left_norm_, right_norm_;
  index_t row_ = 0, column_ = 0, columns_ = 0;
};

// The same for squared distances.
class DistanceBlock : public ProductBlock {
 public:
  DistanceBlock(Grid<const double> X, Grid<const double> Y, const Buffer& centre, index_t most_rows)
      : ProductBlock(X, Y, centre, most_rows), doubtful_(2.0 * double(X.columns + 4) * 1.2e-16 / 1e-10) {}

  Grid<double> block(index_t first, index_t count) {
    const Grid<double> found = ProductBlock::block(first, count);
    for (index_t i = 0; i < count; ++i) finish(first + i, &found(i, 0));
    return found;
  }

 private:
  void finish(index_t i, double* row) {
    const double norm = left_norm_[i];
    double doubts = 0;
#pragma omp simd reduction(+ : doubts)
    for (index_t j = 0; j < columns_; ++j) {
      const double both = norm + right_norm_[j], square = both - 2 * row[j];
      row[j] = square;
      doubts += square >= doubtful_ * both ? 0.0 : 1.0;
    }
    if (doubts == 0) return;
    for (index_t j = 0; j < columns_; ++j)
      if (!(row[j] >= doubtful_ * (norm + right_norm_[j])))
        row[j] = squared_distance(X_.data + (row_ + i) * X_.stride, Y_.data + (column_ + j) * Y_.stride, X_.columns);
  }

  double doubtful_;
};

// Calls f(block, first row of X, first row of Y) for all blocks of products or distances about a centre; f may change
// the block. One group of rows of X is worked on by one thread, from the first rows of Y on. With `half`, X and Y are
// the same and blocks above the diagonal are left out: mirror images of the others then go to rows that were begun.
template <class Room, class F>
void for_row_blocks(Grid<const double> X, Grid<const double> Y, const Buffer& centre, bool half, F&& f) {
  const index_t abreast = std::clamp<index_t>(X.rows / (16 * distance_block), 1, 4);
  const Blocks groups(X.rows, abreast * distance_block), others(Y.rows, distance_block);
  std::vector<std::vector<Room>> rooms(threads_for(groups.count));
  parallel_for(groups.count, [&](index_t group, int slot) {
    if (rooms[slot].empty()) rooms[slot].emplace_back(X, Y, centre, abreast * distance_block);
    Room& room = rooms[slot].front();
    const index_t begin = groups.begin(group), end = groups.end(group);
    room.take_rows(begin, end - begin);
    const index_t last = half ? Blocks(end, distance_block).count : others.count;
    for (index_t other = 0; other < last; ++other) {
      const index_t column = others.begin(other);
      room.take_columns(column, others.end(other) - column);
      for (index_t row = half ? std::max(begin, column) : begin; row < end; row += distance_block)
        f(room.block(row - begin, std::min(distance_block, end - row)), row, column);
    }
  });
}

// The same for squared distances.
template <class F>
void for_distance_blocks(Grid<const double> X, Grid<const double> Y, bool half, F&& f) {
  for_row_blocks<DistanceBlock>(X, Y, column_centre(Y), half, f);
}

// out(i, j) = |X_i - Y_j|, or its square.
inline void euclidean_distances(Grid<const double> X, Grid<const double> Y, bool squared, bool same, Grid<double> out) {
  for_distance_blocks(X, Y, same, [&](Grid<double> block, index_t row, index_t column) {
    for (index_t i = 0; i < block.rows; ++i) {
      double *from = &block(i, 0), *to = same ? from : &out(row + i, column);
      if (same && row == column) from[i] = 0;
      if (squared)
        std::copy_n(from, same ? 0 : block.columns, to);
      else
#pragma omp simd
        for (index_t j = 0; j < block.columns; ++j) to[j] = __builtin_sqrt(from[j]);
      if (same) std::copy_n(from, block.columns, &out(row + i, column));
    }
    if (!same || row == column) return;
    for (index_t j = 0; j < block.columns; ++j) {
      double* place = &out(column + j, row);
      for (index_t i = 0; i < block.rows; ++i) place[i] = block(i, j);
    }
  });
}

// nearest[i] = the row of Y that is nearest to row i of X (the first of equals), and its squared distance.
inline void nearest_rows(Grid<const double> X, Grid<const double> Y, View<std::int64_t> nearest, View<double> square) {
  std::fill(square.begin(), square.end(), HUGE_VAL);
  std::fill(nearest.begin(), nearest.end(), 0);
  for_distance_blocks(X, Y, false, [&](Grid<double> block, index_t row, index_t column) {
    for (index_t i = 0; i < block.rows; ++i)
      for (index_t j = 0; j < block.columns; ++j)
        if (block(i, j) < square[row + i]) {
          square[row + i] = block(i, j);
          nearest[row + i] = column + j;
        }
  });
}

// sums(i, c) = sum of the distances of row i to all rows of cluster c; rows stand cluster by cluster, and cluster c has
// the rows from starts[c] up to starts[c + 1].
inline void cluster_distances(Grid<const double> X, View<const std::int64_t> starts, Grid<double> sums) {
  std::fill_n(sums.data, sums.rows * sums.stride, 0.0);
  const index_t clusters = sums.columns;
  for_distance_blocks(X, X, false, [&](Grid<double> block, index_t row, index_t column) {
    index_t first = std::upper_bound(starts.begin(), starts.end(), column) - starts.begin() - 1;
    for (index_t cluster = first; cluster < clusters && starts[cluster] < column + block.columns; ++cluster) {
      const index_t begin = std::max<index_t>(starts[cluster] - column, 0);
      const index_t end = std::min<index_t>(starts[cluster + 1] - column, block.columns);
      for (index_t i = 0; i < block.rows; ++i) {
        const double* from = &block(i, 0);
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (index_t j = begin; j < end; ++j) sum += __builtin_sqrt(from[j]);
        if (row + i >= column + begin && row + i < column + end) sum -= std::sqrt(from[row + i - column]);
        sums(row + i, cluster) += sum;
      }
    }
  });
}

}  // namespace learnable
