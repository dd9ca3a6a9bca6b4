// Inner products and Euclidean distances between all rows of two matrices, block by block.
//
// |x - y|^2 = |x|^2 + |y|^2 - 2 x'y about a common centre, by tiles. Where that cancels, so that rounding could show in
// the eleventh digit, the difference is taken column by column instead.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/gemm_tile.hpp"
#include "learnable/matrix/strided_values.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

constexpr index_t distance_block = 96;  // rows of either table in a block: a multiple of tile_rows and tile_columns

// Means of the columns, in blocks of rows added in order.
inline Buffer column_centre(const Numbers& Y) {
  Buffer centre(Y.columns, 0);
  const Blocks blocks(Y.rows, std::max<index_t>(1024, Y.rows / 64));
  std::vector<Buffer> parts(blocks.count);
  parallel_for(blocks.count, [&](index_t block, int) {
    Buffer sum(Y.columns, 0);
    const Buffer as_f64(Y.columns, 0);
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const double* row = read_row(Y, i, as_f64.data());
      for (index_t j = 0; j < Y.columns; ++j) sum[j] += row[j];
    }
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

// Rows of Y about a centre, transposed: blocks of distance_block rows as columns, with their squared norms.
class TransposedRows {
 public:
  TransposedRows(Grid<const double> Y, const Buffer& centre, index_t max_rows)
      : Y_(Y), centre_(centre), max_blocks_(Blocks(std::min(max_rows, Y.rows), distance_block).count),
        transposed_(max_blocks_ * Y.columns, distance_block), norm_(max_blocks_ * distance_block) {}

  index_t max_rows() const { return max_blocks_ * distance_block; }

  // Loads at most max_rows() rows from `begin` on, which is the first of a block.
  void take(index_t begin) {
    begin_ = begin;
    end_ = std::min(Y_.rows, begin + max_rows());
    parallel_for(Blocks(end_ - begin, distance_block).count, [&](index_t block, int) {
      for (index_t i = 0; i < distance_block && begin_ + block * distance_block + i < end_; i += together)
        transpose(block, i);
    });
  }

  index_t begin() const { return begin_; }
  index_t end() const { return end_; }
  Grid<const double> block(index_t row) const {
    return {&transposed_.grid((row - begin_) / distance_block * Y_.columns, 0), Y_.columns,
            std::min(distance_block, end_ - row), transposed_.grid.stride};
  }
  const double* norms(index_t row) const { return norm_.data() + (row - begin_); }

 private:
  static constexpr index_t together = 8;

  // Transposes a few rows of a block from its i-th on; after the last row there are zeros.
  void transpose(index_t block, index_t i) {
    const double* row[together];
    double present[together], norm[together] = {};
    for (index_t k = 0; k < together; ++k) {
      const index_t row_index = begin_ + block * distance_block + i + k;
      row[k] = Y_.data + std::min(row_index, end_ - 1) * Y_.stride;
      present[k] = row_index < end_ ? 1 : 0;
    }
    for (index_t j = 0; j < Y_.columns; ++j) {
      double* out = &transposed_.grid(block * Y_.columns + j, i);
      const double centre = centre_[j];
#pragma GCC unroll 8
      for (index_t k = 0; k < together; ++k) {
        const double value = present[k] * (row[k][j] - centre);
        out[k] = value;
        norm[k] += value * value;
      }
    }
    std::copy_n(norm, together, norm_.data() + block * distance_block + i);
  }

  Grid<const double> Y_;
  const Buffer& centre_;
  index_t max_blocks_, begin_ = 0, end_ = 0;
  Scratch transposed_;
  Buffer norm_;
};

// Scratch of one thread for a block of products about a centre.
class ProductBlock {
 public:
  ProductBlock(Grid<const double> X, Grid<const double> Y, const Buffer& centre)
      : X_(X), Y_(Y), centre_(centre), left_(distance_block, X.columns), products_(distance_block, distance_block),
        left_norm_(distance_block) {}

  void take_rows(index_t begin, index_t count) {
    row_ = begin;
    rows_ = count;
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

  // Products of the rows taken with the block of rows of Y that begins with `column`.
  Grid<double> block(const TransposedRows& transposed, index_t column) {
    const Grid<const double> right = transposed.block(column);
    std::fill_n(products_.grid.data, rows_ * products_.grid.stride, 0.0);
    multiply({left_.grid.data, left_.grid.stride, 1}, rows_, right.data, right.stride, right.columns, X_.columns,
             products_.grid.data, products_.grid.stride);
    return {products_.grid.data, rows_, right.columns, products_.grid.stride};
  }

 protected:
  Grid<const double> X_, Y_;
  const Buffer& centre_;
  Scratch left_, products_;
  Buffer left_norm_;
  index_t row_ = 0, rows_ = 0;
};

// The same for squared distances.
class DistanceBlock : public ProductBlock {
 public:
  DistanceBlock(Grid<const double> X, Grid<const double> Y, const Buffer& centre)
      : ProductBlock(X, Y, centre), doubtful_(2.0 * double(X.columns + 4) * 1.2e-16 / 1e-10) {}

  Grid<double> block(const TransposedRows& transposed, index_t column) {
    const Grid<double> found = ProductBlock::block(transposed, column);
    for (index_t i = 0; i < found.rows; ++i) finish(i, column, transposed.norms(column), &found(i, 0), found.columns);
    return found;
  }

  // The same, or with `root` distances, written to `out`.
  void write(const TransposedRows& transposed, index_t column, bool root, Grid<double> out) {
    if (X_.columns <= 2 * tile_depth) return write_tiles(transposed, column, root, out);
    const Grid<double> found = block(transposed, column);
    for (index_t i = 0; i < found.rows; ++i) {
      const double* from = &found(i, 0);
      double* to = &out(row_ + i, column);
#pragma omp simd
      for (index_t j = 0; j < found.columns; ++j) to[j] = root ? __builtin_sqrt(from[j]) : from[j];
    }
  }

 private:
  // Few columns: a tile is finished in registers while the next one is summed.
  void write_tiles(const TransposedRows& transposed, index_t column, bool root, Grid<double> out) const {
    const Grid<const double> right = transposed.block(column);
    const double* norms = transposed.norms(column);
    const index_t whole = right.columns / tile_columns * tile_columns;
    bool sure = true;
    for (index_t j = 0; j < whole; j += tile_columns)
      sure &= strip<tile_vectors>(right.data + j, right.stride, norms + j, root, &out(row_, column + j), out.stride);
    for (index_t j = whole; j < right.columns; j += lanes) {  // the rest, a vector at a time
      double room[distance_block * lanes];
      sure &= strip<1>(right.data + j, right.stride, norms + j, root, room, lanes);
      for (index_t i = 0; i < rows_; ++i)
        std::copy_n(room + i * lanes, std::min<index_t>(lanes, right.columns - j), &out(row_ + i, column + j));
    }
    if (!sure) recompute(column, right.columns, norms, root, out);
  }

  // All rows loaded by N vectors of columns; returns whether nothing cancelled.
  template <int N>
  bool strip(const double* right, index_t stride, const double* norms, bool root, double* out,
             index_t out_stride) const {
    bool sure = true;
    index_t i = 0;
    for (; i + tile_rows <= rows_; i += tile_rows)
      sure &= tile<tile_rows, N>(i, right, stride, norms, root, out + i * out_stride, out_stride);
    for (; i < rows_; ++i) sure &= tile<1, N>(i, right, stride, norms, root, out + i * out_stride, out_stride);
    return sure;
  }

  template <int M, int N>
  bool tile(index_t i, const double* right, index_t stride, const double* norms, bool root, double* out,
            index_t out_stride) const {
    Lanes sums[M][N];
    sum_tile<M, N>({&left_.grid(i, 0), left_.grid.stride, 1}, right, stride, X_.columns, sums);
    auto sure = Lanes{} == Lanes{};
#pragma GCC unroll 8
    for (int m = 0; m < M; ++m)
#pragma GCC unroll 8
      for (int n = 0; n < N; ++n) {
        const Lanes both = left_norm_[i + m] + load(norms + n * lanes), square = both - 2 * sums[m][n];
        sure &= square >= doubtful_ * both;
        store(out + m * out_stride + n * lanes, root ? rooted(square) : square);
      }
    bool all = true;
    for (int lane = 0; lane < lanes; ++lane) all &= sure[lane] != 0;
    return all;
  }

  // Recomputes by differences, column by column, where a square is smaller than rounding allows.
  void recompute(index_t column, index_t columns, const double* norms, bool root, Grid<double> out) const {
    for (index_t i = 0; i < rows_; ++i)
      for (index_t j = 0; j < columns; ++j) {
        double& found = out(row_ + i, column + j);
        const double square = root ? found * found : found;
        if (square >= 1.000001 * doubtful_ * (left_norm_[i] + norms[j])) continue;
        const double exact =
            squared_distance(X_.data + (row_ + i) * X_.stride, Y_.data + (column + j) * Y_.stride, X_.columns);
        found = root ? std::sqrt(exact) : exact;
      }
  }

  void finish(index_t i, index_t column, const double* right_norm, double* row, index_t columns) const {
    const double norm = left_norm_[i], doubtful = doubtful_;
    double doubts = 0;
#pragma omp simd reduction(+ : doubts)
    for (index_t j = 0; j < columns; ++j) {
      const double both = norm + right_norm[j], square = both - 2 * row[j];
      row[j] = square;
      doubts += square >= doubtful * both ? 0.0 : 1.0;
    }
    if (doubts == 0) return;
    for (index_t j = 0; j < columns; ++j)
      if (!(row[j] >= doubtful * (norm + right_norm[j])))
        row[j] = squared_distance(X_.data + (row_ + i) * X_.stride, Y_.data + (column + j) * Y_.stride, X_.columns);
  }

  double doubtful_;
};

// Rows of Y transposed at a time: a few megabytes, shared by all threads; one block where only one would use it.
inline index_t rows_to_transpose(Grid<const double> X, Grid<const double> Y) {
  if (X.rows <= distance_block) return distance_block;
  return std::clamp<index_t>((index_t(1) << 21) / std::max<index_t>(Y.columns, 1), distance_block, 1 << 16);
}

// Calls f(room, transposed rows, first row of X, first row of Y) for all blocks of products or distances about a
// centre. A block of rows of X is worked on by one thread at a time, from the first rows of Y on. With `half`, X and Y
// are the same and blocks above the diagonal are left out: mirror images of the others then go to rows that were begun.
template <class Room, class F>
void for_row_rooms(Grid<const double> X, Grid<const double> Y, const Buffer& centre, bool half, F&& f) {
  const Blocks blocks(X.rows, distance_block);
  std::vector<std::vector<Room>> rooms(threads_for(blocks.count));
  TransposedRows transposed(Y, centre, rows_to_transpose(X, Y));
  for (index_t begin = 0; begin < Y.rows; begin += transposed.max_rows()) {
    transposed.take(begin);
    const index_t first = half ? begin / distance_block : 0;
    parallel_for(blocks.count - first, [&](index_t block, int slot) {
      if (rooms[slot].empty()) rooms[slot].emplace_back(X, Y, centre);
      Room& room = rooms[slot].front();
      const index_t row = blocks.begin(first + block);
      room.take_rows(row, blocks.end(first + block) - row);
      const index_t end = half ? std::min(transposed.end(), row + 1) : transposed.end();
      for (index_t column = begin; column < end; column += distance_block) f(room, transposed, row, column);
    });
  }
}

// Calls f(block, first row of X, first row of Y), in the same order; f may change the block.
template <class Room, class F>
void for_row_blocks(Grid<const double> X, Grid<const double> Y, const Buffer& centre, bool half, F&& f) {
  for_row_rooms<Room>(X, Y, centre, half, [&](Room& room, const TransposedRows& transposed, index_t row, index_t column) {
    f(room.block(transposed, column), row, column);
  });
}

// The same for squared distances.
template <class F>
void for_distance_blocks(Grid<const double> X, Grid<const double> Y, bool half, F&& f) {
  for_row_blocks<DistanceBlock>(X, Y, column_centre(numbers_of(Y)), half, f);
}

// out(i, j) = |X_i - Y_j|, or its square.
inline void distances_to_others(Grid<const double> X, Grid<const double> Y, bool squared, Grid<double> out) {
  const Buffer centre = column_centre(numbers_of(Y));
  for_row_rooms<DistanceBlock>(X, Y, centre, false,
                               [&](DistanceBlock& room, const TransposedRows& transposed, index_t, index_t column) {
                                 room.write(transposed, column, !squared, out);
                               });
}

// The same where X and Y are one: half of the blocks are mirror images of the others.
inline void distances_to_each_other(Grid<const double> X, bool squared, Grid<double> out) {
  for_distance_blocks(X, X, true, [&](Grid<double> block, index_t row, index_t column) {
    for (index_t i = 0; i < block.rows; ++i) {
      double* values = &block(i, 0);
      if (row == column) values[i] = 0;
      if (!squared)
#pragma omp simd
        for (index_t j = 0; j < block.columns; ++j) values[j] = __builtin_sqrt(values[j]);
      std::copy_n(values, block.columns, &out(row + i, column));
    }
    if (row == column) return;
    for (index_t j = 0; j < block.columns; ++j) {
      double* mirrored = &out(column + j, row);
      for (index_t i = 0; i < block.rows; ++i) mirrored[i] = block(i, j);
    }
  });
}

inline void euclidean_distances(Grid<const double> X, Grid<const double> Y, bool squared, bool same, Grid<double> out) {
  if (same) return distances_to_each_other(X, squared, out);
  distances_to_others(X, Y, squared, out);
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

// sums(i, c) = sum of the distances of row i to all rows of cluster c; rows are sorted by cluster, and cluster c has
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
