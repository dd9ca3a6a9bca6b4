// Layers over the steps of sequences: what the network calls, and matrices that several of them use.
//
// A row holds steps of `channels` values. A mask says which steps are present, a byte for each; none means all of them.
#pragma once

#include "learnable/network/layer_values.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable::network {

template <class T>
class SequenceLayer {
 public:
  virtual ~SequenceLayer() = default;
  // Takes the weights as they are now.
  virtual void load(const T* weights) = 0;
  // The values of the rows [begin, end), which are one block; x, y and mask begin with the first of all rows.
  virtual void forward(const T* x, index_t begin, index_t end, const unsigned char* mask, T* y) = 0;
  // Derivatives by the values before the layer (if dx is there) and by those that the weights enter.
  virtual void backward(const T* dy, index_t begin, index_t end, const unsigned char* mask, T* dx) = 0;
  // After `backward` of all rows: the gradient of weights and intercepts.
  virtual void weight_gradient(index_t rows, bool several_threads, T* gradient) = 0;
};

// Panels of a part of a matrix whose rows are `stride` apart.
template <class T>
void pack_part(const T* matrix, index_t stride, index_t rows, index_t columns, T* panels) {
  constexpr index_t width = panel_width<T>;
  for (index_t p = 0; p < panels_of<T>(columns); ++p, panels += rows * width)
    for (index_t i = 0; i < rows; ++i) {
      const index_t here = std::min(width, columns - p * width);
      std::copy_n(matrix + i * stride + p * width, here, panels + i * width);
      std::fill_n(panels + i * width + here, width - here, T(0));
    }
}

// Panels of its transpose.
template <class T>
void pack_transposed(const T* matrix, index_t stride, index_t rows, index_t columns, T* panels) {
  constexpr index_t width = panel_width<T>;
  std::fill_n(panels, columns * padded<T>(rows), T(0));
  for (index_t i = 0; i < rows; ++i) {
    T* to = panels + i / width * columns * width + i % width;
    for (index_t j = 0; j < columns; ++j) to[j * width] = matrix[i * stride + j];
  }
}

// gradient(i, j) = sum over k < depth of inputs(k, i) delta(k, j); rows of the gradient are `stride` apart. Blocks of
// inputs are copied, and the deltas are in panels, so that both are read in order.
template <class T>
void product_over_steps(const T* inputs, index_t depth, index_t height, const T* delta, index_t columns, index_t stride,
                        bool several_threads, T* gradient) {
  constexpr index_t width = panel_width<T>, block = 48;
  const Memory<T> panels(depth * padded<T>(columns));
  pack_part(delta, columns, depth, columns, panels.data());
  const Blocks blocks(height, block);
  parallel_if(several_threads, blocks.count, [&](index_t b, int) {
    const index_t begin = blocks.begin(b), here = blocks.end(b) - begin;
    const Memory<T> copied(depth * block), tile(block * width);
    for (index_t k = 0; k < depth; ++k) std::copy_n(inputs + k * height + begin, here, copied + k * block);
    for (index_t p = 0; p < panels_of<T>(columns); ++p) {
      const index_t wide = std::min(width, columns - p * width);
      multiply_rows<T>(copied.data(), here, 1, block, panels + p * depth * width, width, depth, tile.data(), width);
      for (index_t i = 0; i < here; ++i)
        std::copy_n(tile + i * width, wide, gradient + (begin + i) * stride + p * width);
    }
  });
}

}  // namespace learnable::network
