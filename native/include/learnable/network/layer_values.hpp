// What the layers of a network do with rows of values, forward and back; each function for one layer.
#pragma once

#include "learnable/network/layer_images.hpp"

namespace learnable::network {

// out = a B for rows of `depth` entries, B in panels; out has `columns` entries in a row.
template <class T>
void product_rows(const T* a, index_t rows, index_t stride, const T* panels, index_t depth, index_t columns, T* out) {
  constexpr index_t width = panel_width<T>;
  const Memory<T> tile(rows * width);
  for (index_t p = 0; p < panels_of<T>(columns); ++p) {
    const index_t here = std::min(width, columns - p * width);
    multiply_rows<T>(a, rows, stride, 1, panels + p * depth * width, width, depth, tile.data(), width);
    for (index_t r = 0; r < rows; ++r) std::copy_n(tile + r * width, here, out + r * columns + p * width);
  }
}

// gradient(i, j) = sum over rows of a(row, i) delta(row, j), for `height` columns of a; delta has rows of whole panels.
template <class T>
void product_of_columns(const T* a, index_t rows, index_t stride, index_t height, const T* delta, index_t columns, T* gradient) {
  constexpr index_t width = panel_width<T>;
  const Memory<T> tile(height * width);
  for (index_t p = 0; p < panels_of<T>(columns); ++p) {
    const index_t here = std::min(width, columns - p * width);
    multiply_rows<T>(a, height, 1, stride, delta + p * width, padded<T>(columns), rows, tile.data(), width);
    for (index_t i = 0; i < height; ++i) std::copy_n(tile + i * width, here, gradient + i * columns + p * width);
  }
}

// Rows of `columns` entries, followed by zeros up to whole panels.
template <class T>
void pad_rows(const T* from, index_t rows, index_t columns, T* to) {
  const index_t stride = padded<T>(columns);
  for (index_t r = 0; r < rows; ++r) {
    std::copy_n(from + r * columns, columns, to + r * stride);
    std::fill_n(to + r * stride + columns, stride - columns, T(0));
  }
}

template <class T>
void add_intercepts(const T* intercepts, index_t rows, index_t columns, T* out) {
  for (index_t r = 0; r < rows; ++r)
    for (index_t j = 0; j < columns; ++j) out[r * columns + j] += intercepts[j];
}

// The sums of the columns, row after row.
template <class T>
void sum_columns(const T* from, index_t rows, index_t columns, T* sums) {
  std::fill_n(sums, columns, T(0));
  for (index_t r = 0; r < rows; ++r)
    for (index_t j = 0; j < columns; ++j) sums[j] += from[r * columns + j];
}

// g(z) of exactly `count` entries.
template <class T>
void activate_entries(Activation kind, T alpha, const T* z, T* out, index_t count) {
  constexpr index_t lanes_here = lane_count<T>;
  const index_t whole = count / lanes_here * lanes_here;
  activate(kind, alpha, z, out, whole);
  if (kind == Activation::identity && z == out) return;
  T rest[lanes_here] = {}, found[lanes_here] = {};
  std::copy_n(z + whole, count - whole, rest);
  activate(kind, alpha, rest, found, lanes_here);
  std::copy_n(found, count - whole, out + whole);
}

template <class T>
void activate_back(Activation kind, T alpha, const T* z, const T* a, T* delta, index_t count) {
  constexpr index_t lanes_here = lane_count<T>;
  const index_t whole = count / lanes_here * lanes_here;
  multiply_derivative(kind, alpha, z, a, delta, whole);
  T scores[lanes_here] = {}, values[lanes_here] = {}, rest[lanes_here] = {};
  std::copy_n(z + whole, count - whole, scores);
  std::copy_n(a + whole, count - whole, values);
  std::copy_n(delta + whole, count - whole, rest);
  multiply_derivative(kind, alpha, scores, values, rest, lanes_here);
  std::copy_n(rest, count - whole, delta + whole);
}

// Layer normalisation of a row: its entries have mean 0 and variance 1, then scale and shift. Returns mean and 1 / sd.
template <class T>
std::pair<double, double> moments_of_row(const T* x, index_t count, double epsilon) {
  double mean = 0, spread = 0;
  for (index_t j = 0; j < count; ++j) mean += double(x[j]);
  mean /= double(count);
  for (index_t j = 0; j < count; ++j) spread += (double(x[j]) - mean) * (double(x[j]) - mean);
  return {mean, 1 / std::sqrt(spread / double(count) + epsilon)};
}

template <class T>
void normalise_row(const T* x, index_t count, double epsilon, const T* scale, const T* shift, T* out) {
  const auto [mean, inverse] = moments_of_row(x, count, epsilon);
  for (index_t j = 0; j < count; ++j) out[j] = scale[j] * T((double(x[j]) - mean) * inverse) + shift[j];
}

template <class T>
void normalise_row_back(const T* x, index_t count, double epsilon, const T* scale, const T* delta, T* out) {
  const auto [mean, inverse] = moments_of_row(x, count, epsilon);
  double sum = 0, along = 0;
  for (index_t j = 0; j < count; ++j) {
    const double part = double(delta[j]) * double(scale[j]);
    sum += part;
    along += part * (double(x[j]) - mean) * inverse;
  }
  sum /= double(count);
  along /= double(count);
  for (index_t j = 0; j < count; ++j)
    out[j] = T(inverse * (double(delta[j]) * double(scale[j]) - sum - (double(x[j]) - mean) * inverse * along));
}

}  // namespace learnable::network
