// Predictions of networks of dense layers. A row has the same bits alone and in any batch.
#pragma once

#include <optional>

#include "learnable/network/dense_batch.hpp"

namespace learnable::network {

constexpr index_t few_rows = 8;  // for which weights are not packed first

// out = x W + b for one row, straight from the matrix; sums run in the order of the tiles.
template <class T>
void row_product(const T* x, const DenseLayer& layer, const T* weights, T* out) {
  constexpr index_t wide = 4 * lane_count<T>;
  index_t j = 0;
  for (; j + wide <= layer.out; j += wide) {
    LanesOf<T> sums[4] = {};
    for (index_t k = 0; k <= layer.in; ++k) {
      const LanesOf<T> left = (k < layer.in ? x[k] : T(1)) - LanesOf<T>{};
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v)
        sums[v] = fused(left, load<T>(weights + k * layer.out + j + v * lane_count<T>), sums[v]);
    }
    for (int v = 0; v < 4; ++v) store(out + j + v * lane_count<T>, sums[v]);
  }
  std::fill(out + j, out + layer.out, T(0));
  for (index_t k = 0; k <= layer.in; ++k) {
    const T left = k < layer.in ? x[k] : T(1);
    for (index_t i = j; i < layer.out; ++i) out[i] = fused(left, weights[k * layer.out + i], out[i]);
  }
}

// The values of the first `depth` layers for all rows of X; after the last layer predictions, unless `scores` are
// needed.
template <class T>
void dense_forward(const DensePlan& plan, const RowSource<T>& X, const T* weights, index_t depth, bool scores,
                   Grid<T> out) {
  const bool few = out.rows <= few_rows;
  std::optional<PackedWeights<T>> packed;
  if (!few) packed.emplace(plan, weights, nullptr, 0, false);
  index_t widest = Batch<T>::stride(plan.inputs());
  for (const DenseLayer& layer : plan.layers) widest = std::max(widest, Batch<T>::stride(layer.out));
  const Blocks blocks(out.rows, few ? few_rows : row_block);
  parallel_if(double(out.rows) * double(plan.weights()) > 4 * work_for_threads, blocks.count, [&](index_t block, int) {
    const index_t begin = blocks.begin(block), rows = blocks.end(block) - begin;
    const Memory<T> first(rows * widest), second(rows * widest);
    T *from = first.data(), *to = second.data();
    for (index_t r = 0; r < rows; ++r) {
      X.copy(begin + r, from + r * widest);
      from[r * widest + plan.inputs()] = 1;
    }
    for (index_t l = 0; l < depth; ++l) {
      const DenseLayer& layer = plan.layers[std::size_t(l)];
      const bool last = l + 1 == index_t(plan.layers.size());
      if (few)
        for (index_t r = 0; r < rows; ++r) row_product(from + r * widest, layer, weights + layer.first, to + r * widest);
      for (index_t p = 0; p < panels_of<T>(layer.out) && !few; ++p)
        multiply_rows<T>(from, rows, widest, 1, packed->panels(std::size_t(l)) + p * (layer.in + 1) * panel_width<T>,
                         panel_width<T>, layer.in + 1, to + p * panel_width<T>, widest);
      for (index_t r = 0; r < rows; ++r) {
        T* row = to + r * widest;
        std::fill(row + layer.out, row + padded<T>(layer.out), T(0));
        activate(layer.activation, T(layer.alpha), row, row, padded<T>(layer.out));
        if (last && !scores) predict_row(plan.loss, row, layer.out);
        row[layer.out] = 1;
      }
      std::swap(from, to);
    }
    for (index_t r = 0; r < rows; ++r) std::copy_n(from + r * widest, out.columns, &out(begin + r, 0));
  });
}

}  // namespace learnable::network
