// Products with a few rows of a design and several targets at once.
//
// Targets are stored side by side in padded rows: one target is a plain vector, several are padded to whole vectors.
#pragma once

#include <algorithm>
#include <type_traits>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/gemm_tile.hpp"
#include "learnable/matrix/row_panel.hpp"
#include "learnable/matrix/row_matvec.hpp"
#include "learnable/matrix/strided_values.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// A (rows, targets) matrix of scratch doubles, zero at first.
struct Padded {
  Buffer memory;
  Grid<double> grid;

  Padded(index_t rows, index_t targets)
      : memory(rows * width(targets), 0), grid{memory.data(), rows, targets, width(targets)} {}
  explicit Padded(const Numbers& values)
      : memory(values.rows * width(values.columns)),
        grid{memory.data(), values.rows, values.columns, width(values.columns)} {
    const Blocks blocks(values.rows, 4096);
    parallel_if(memory.size() > 1 << 16, blocks.count, [&](index_t block, int) {
      for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
        for (index_t j = 0; j < values.columns; ++j) grid(i, j) = values(i, j);
        for (index_t j = values.columns; j < grid.stride; ++j) grid(i, j) = 0;
      }
    });
  }
  static index_t width(index_t targets) { return targets == 1 ? 1 : round_up(targets, lanes); }
};

// Scratch of one thread for at most `rows` rows of X; only several targets of a dense design need any.
template <class Design>
Panel product_panel(const Design& X, index_t targets, index_t rows) {
  return Design::dense && targets > 1 ? Panel(rows, X.columns) : Panel(0, 0);
}

// Designs whose rows are multiplied where they are.
template <class Design>
constexpr bool read_in_place = std::is_same_v<Design, RowMajor<double>>;

// The same where only scores are computed.
template <class Design>
Panel score_panel(const Design& X, index_t targets, index_t rows) {
  return read_in_place<Design> ? Panel(0, 0) : product_panel(X, targets, rows);
}

// Rows of X that are multiplied at a time: the rows of a panel, or as many as keep their entries in the second cache.
inline index_t rows_at_once(index_t columns, index_t targets) {
  return targets > 1 ? tile_depth : std::clamp<index_t>((1 << 15) / std::max<index_t>(columns, 1), tile_depth, 1024);
}

// The same where rows are read only once: columns are then best followed for long.
template <class Design>
index_t rows_in_a_pass(const Design&, index_t targets) {
  constexpr bool by_columns = requires(const Design& X) { X.column(0); };
  return targets > 1 ? tile_depth : by_columns ? 8192 : 1024;
}

namespace detail {

template <class Design>
void load_panel(const Design& X, index_t begin, index_t count, const Panel& panel) {
  const Buffer zero(X.columns, 0), one(count, 1);
  fill_panel(X, begin, count, zero.data(), one.data(), panel, 0);
}

constexpr index_t max_vectors = 8;  // of targets, whose values stay in registers

// out = row i of X times N vectors of targets, which are side by side in rows of w `stride` apart.
template <int N, class Design>
void add_sparse_scores(const Design& X, index_t i, const double* w, index_t stride, double* out) {
  constexpr index_t ahead = 8;  // entries for which the rows of w are prefetched
  Lanes sums[N] = {};
  const index_t end = X.start[i + 1];
  for (index_t e = X.start[i]; e < end; ++e) {
    if (e + ahead < end) __builtin_prefetch(w + X.index[e + ahead] * stride);
    const Lanes value = double(X.value[e]) - Lanes{};
    const double* row = w + X.index[e] * stride;
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) sums[n] = sums[n] + value * load(row + n * lanes);
  }
#pragma GCC unroll 8
  for (int n = 0; n < N; ++n) store(out + n * lanes, sums[n]);
}

template <int N = int(max_vectors), class Design>
void sparse_scores(index_t vectors, const Design& X, index_t i, const double* w, index_t stride, double* out) {
  if constexpr (N > 1)
    if (vectors < N) return sparse_scores<N - 1>(vectors, X, i, w, stride, out);
  add_sparse_scores<N>(X, i, w, stride, out);
}

// out += row i of X, as a column, times N vectors of targets; rows of out are `stride` apart.
template <int N, class Design>
void add_sparse_rmatvec(const Design& X, index_t i, const double* r, double* out, index_t stride) {
  Lanes targets[N];
#pragma GCC unroll 8
  for (int n = 0; n < N; ++n) targets[n] = load(r + n * lanes);
  for (index_t e = X.start[i]; e < X.start[i + 1]; ++e) {
    const Lanes value = double(X.value[e]) - Lanes{};
    double* row = out + X.index[e] * stride;
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) store(row + n * lanes, load(row + n * lanes) + value * targets[n]);
  }
}

template <int N = int(max_vectors), class Design>
void sparse_rmatvec(index_t vectors, const Design& X, index_t i, const double* r, double* out, index_t stride) {
  if constexpr (N > 1)
    if (vectors < N) return sparse_rmatvec<N - 1>(vectors, X, i, r, out, stride);
  add_sparse_rmatvec<N>(X, i, r, out, stride);
}

}  // namespace detail

// out = rows [begin, begin + count) of X times w. Cost: their entries times the targets.
template <class Design>
void scores_of_rows(const Design& X, index_t begin, index_t count, Grid<const double> w, Grid<double> out,
                    const Panel& panel) {
  if (w.columns == 1) return row_scores(X, begin, count, w.data, out.data);
  std::fill_n(out.data, count * out.stride, 0.0);
  if constexpr (read_in_place<Design>) {
    multiply({X.data + begin * X.stride, X.stride, 1}, count, w.data, w.stride, w.columns, X.columns, out.data, out.stride);
  } else if constexpr (Design::dense) {
    detail::load_panel(X, begin, count, panel);
    for (index_t block = 0; block < panel.blocks(); ++block)
      multiply({panel.row(block, 0), panel.stride(), 1}, count, &w(panel.left(block), 0), w.stride, w.columns,
               panel.width(block), out.data, out.stride);
  } else {
    const index_t vectors = w.stride / lanes;
    for (index_t k = 0; k < count; ++k)
      for (index_t v = 0; v < vectors; v += detail::max_vectors)
        detail::sparse_scores(std::min(vectors - v, detail::max_vectors), X, begin + k, w.data + v * lanes,
                              w.stride, &out(k, v * lanes));
  }
}

// out += X'r over rows [begin, begin + count). `loaded`: the panel may still hold these rows from scores_of_rows.
template <class Design>
void add_rmatvec_of_rows(const Design& X, index_t begin, index_t count, Grid<const double> r, Grid<double> out,
                          const Panel& panel, bool loaded) {
  if (r.columns == 1) return add_rmatvec(X, begin, count, r.data, out.data);
  if constexpr (Design::dense) {
    if (!loaded || read_in_place<Design>) detail::load_panel(X, begin, count, panel);
    for (index_t block = 0; block < panel.blocks(); ++block)
      multiply({panel.row(block, 0), 1, panel.stride()}, panel.width(block), r.data, r.stride, r.columns, count,
               &out(panel.left(block), 0), out.stride);
  } else {
    const index_t vectors = out.stride / lanes;
    for (index_t k = 0; k < count; ++k)
      for (index_t v = 0; v < vectors; v += detail::max_vectors)
        detail::sparse_rmatvec(std::min(vectors - v, detail::max_vectors), X, begin + k, &r(k, v * lanes),
                                out.data + v * lanes, out.stride);
  }
}

}  // namespace learnable
