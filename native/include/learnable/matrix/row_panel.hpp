// Panels: a few rows of a design packed as dense doubles, centred and scaled.
#pragma once

#include <algorithm>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/design.hpp"
#include "learnable/matrix/gemm_tile.hpp"
#include "learnable/matrix/view.hpp"

namespace learnable {

// Columns are stored in blocks, each a small row-major matrix: a tile then touches few pages for any number of columns.
// Padding up to a whole cache line at the end of a row is zero.
constexpr index_t panel_block = 96;  // a multiple of tile_rows and of tile_columns at every level

// Where there are more columns than in a block: the widths of blocks and the rows of a panel with which products ran
// fastest. Short panels stay in a second cache of half a megabyte, which is what most processors without wide vectors
// have.
#if defined(__AVX512F__)
constexpr index_t block_of_many = 24, rows_of_many = tile_depth;
#else
constexpr index_t block_of_many = panel_block, rows_of_many = tile_depth / 2;
#endif

class Panel {
 public:
  Panel(index_t rows, index_t columns, index_t block = panel_block)
      : rows_(rows), columns_(columns), block_(block), blocks_(std::max<index_t>((columns + block - 1) / block, 1)),
        stride_(scratch_stride(std::min(columns, block))), memory_(blocks_ * rows * stride_, 0) {}

  index_t rows() const { return rows_; }
  index_t columns() const { return columns_; }
  index_t blocks() const { return blocks_; }
  index_t stride() const { return stride_; }
  index_t left(index_t block) const { return block * block_; }
  index_t width(index_t block) const { return std::min(block_, columns_ - left(block)); }

  // Row k of a block of columns.
  double* row(index_t block, index_t k) const { return memory_.data() + (block * rows_ + k) * stride_; }
  double& operator()(index_t k, index_t j) const { return row(j / block_, k)[j % block_]; }

 private:
  index_t rows_, columns_, block_, blocks_, stride_;
  Buffer memory_;
};

// panel(first + k, j) = scale[k] (X(begin + k, j) - centre[j]) for k < count and every column j of X.

template <class T>
void fill_panel(const RowMajor<T>& X, index_t begin, index_t count, const double* centre, const double* scale,
                const Panel& panel, index_t first) {
  for (index_t k = 0; k < count; ++k)
    for (index_t block = 0, left = 0; left < X.columns; left = panel.left(++block)) {
      const index_t width = std::min(panel.width(block), X.columns - left);
      const T* row = X.data + (begin + k) * X.stride + left;
      double* out = panel.row(block, first + k);
      const double factor = scale[k];
#pragma omp simd
      for (index_t j = 0; j < width; ++j) out[j] = factor * (double(row[j]) - centre[left + j]);
    }
}

typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

namespace detail {

inline Four read_four(const double* x) { return *reinterpret_cast<const Four*>(x); }
inline Four read_four(const float* x) { return Four{x[0], x[1], x[2], x[3]}; }
inline void write_four(double* x, Four v) { *reinterpret_cast<Four*>(x) = v; }

// Four rows of four columns: reads down the columns, writes along the rows.
template <class T>
void transpose_four(const T* const column[4], index_t i, const double* centre, Four scale, double* const out[4]) {
  Four c[4];
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) c[j] = scale * (read_four(column[j] + i) - centre[j]);
  const Four a = __builtin_shufflevector(c[0], c[1], 0, 4, 2, 6), b = __builtin_shufflevector(c[0], c[1], 1, 5, 3, 7);
  const Four d = __builtin_shufflevector(c[2], c[3], 0, 4, 2, 6), e = __builtin_shufflevector(c[2], c[3], 1, 5, 3, 7);
  write_four(out[0], __builtin_shufflevector(a, d, 0, 1, 4, 5));
  write_four(out[1], __builtin_shufflevector(b, e, 0, 1, 4, 5));
  write_four(out[2], __builtin_shufflevector(a, d, 2, 3, 6, 7));
  write_four(out[3], __builtin_shufflevector(b, e, 2, 3, 6, 7));
}

}  // namespace detail

template <class T>
void fill_panel(const ColumnMajor<T>& X, index_t begin, index_t count, const double* centre, const double* scale,
                const Panel& panel, index_t first) {
  const index_t fours = count / 4 * 4;
  index_t j = 0;
  for (; j + 4 <= X.columns; j += 4) {
    const T* base = X.data + j * X.stride + begin;
    const T* const column[4] = {base, base + X.stride, base + 2 * X.stride, base + 3 * X.stride};
    double* out = &panel(first, j);
    for (index_t k = 0; k < fours; k += 4, out += 4 * panel.stride()) {
      double* const rows[4] = {out, out + panel.stride(), out + 2 * panel.stride(), out + 3 * panel.stride()};
      detail::transpose_four(column, k, centre + j, detail::read_four(scale + k), rows);
    }
    for (index_t k = fours; k < count; ++k)
      for (index_t l = 0; l < 4; ++l) panel(first + k, j + l) = scale[k] * (double(column[l][k]) - centre[j + l]);
  }
  for (; j < X.columns; ++j)
    for (index_t k = 0; k < count; ++k)
      panel(first + k, j) = scale[k] * (double(X.data[j * X.stride + begin + k]) - centre[j]);
}

template <class T>
void fill_panel(const SparseRows<T>& X, index_t begin, index_t count, const double* centre, const double* scale,
                const Panel& panel, index_t first) {
  for (index_t k = 0; k < count; ++k) {
    for (index_t j = 0; j < X.columns; ++j) panel(first + k, j) = 0;
    for (index_t e = X.start[begin + k]; e < X.start[begin + k + 1]; ++e)
      panel(first + k, X.index[e]) += double(X.value[e]);
    for (index_t j = 0; j < X.columns; ++j) panel(first + k, j) = scale[k] * (panel(first + k, j) - centre[j]);
  }
}

}  // namespace learnable
