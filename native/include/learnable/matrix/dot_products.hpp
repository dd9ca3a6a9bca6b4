// Sums of products on vectors of the processor, over float or double.
//
// Lanes run along memory; a sum of products adds lane by lane and folds the lanes at the end, always in the same order.
#pragma once

#include "learnable/matrix/simd.hpp"

namespace learnable::coordinate {

template <class T>
inline T folded(LanesOf<T> value) {
  T sum = 0;
#pragma GCC unroll 16
  for (int lane = 0; lane < lane_count<T>; ++lane) sum += value[lane];
  return sum;
}

// rest[c * several + r] = (x_c - shift_c) . v_r over the entries [begin, n) that fill no vector. Not inlined: it would
// be most of the code of every tile.
template <class T, class U, class V>
[[gnu::noinline]] void sum_rests(int columns, const U* x, index_t x_stride, const double* shift, int several, const V* v,
                                 index_t v_stride, index_t begin, index_t n, T* rest) {
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < several; ++r) {
      const T centre = shift ? T(shift[c]) : T(0);
      T sum = 0;
      for (index_t i = begin; i < n; ++i) sum += (T(x[c * x_stride + i]) - centre) * T(v[r * v_stride + i]);
      rest[c * several + r] = sum;
    }
}

// out[c * out_stride + r] += (x_c - shift_c) . v_r over n entries, for C vectors x_c and R vectors v_r side by side.
// Every entry is read once per tile and used C or R times. Without a shift pass nullptr.
template <class T, int C, int R, class U, class V>
inline void tile_of_dots(const U* x, index_t x_stride, const double* shift, const V* v, index_t v_stride, index_t n,
                         T* out, index_t out_stride) {
  LanesOf<T> sum[C][R] = {};
  LanesOf<T> centre[C] = {};
  if (shift)
    for (int c = 0; c < C; ++c) centre[c] += T(shift[c]);
  index_t i = 0;
  for (; i + lane_count<T> <= n; i += lane_count<T>) {
    LanesOf<T> right[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) right[r] = load<T>(v + r * v_stride + i);
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) {
      const LanesOf<T> left = load<T>(x + c * x_stride + i) - centre[c];
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) sum[c][r] = fused(left, right[r], sum[c][r]);
    }
  }
  T rest[C * R] = {};
  if (i < n) sum_rests<T>(C, x, x_stride, shift, R, v, v_stride, i, n, rest);
#pragma GCC unroll 8
  for (int c = 0; c < C; ++c)
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) out[c * out_stride + r] += folded<T>(sum[c][r]) + rest[c * R + r];
}

// v += a x over n entries.
template <class T, class U>
inline void add_multiple(T a, const U* x, index_t n, T* v) {
  const LanesOf<T> factor = LanesOf<T>{} + a;
  index_t i = 0;
  for (; i + lane_count<T> <= n; i += lane_count<T>) store<T>(v + i, fused(factor, load<T>(x + i), load<T>(v + i)));
  for (; i < n; ++i) v[i] = fused(a, T(x[i]), v[i]);
}

// x . v over n entries, in four running vectors so that additions need not wait for one another.
template <class T, class U, class V>
inline T fast_dot(const U* x, const V* v, index_t n) {
  constexpr int width = lane_count<T>;
  LanesOf<T> sum[4] = {};
  index_t i = 0;
  for (; i + 4 * width <= n; i += 4 * width)
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) sum[k] = fused(load<T>(x + i + k * width), load<T>(v + i + k * width), sum[k]);
  for (; i + width <= n; i += width) sum[0] = fused(load<T>(x + i), load<T>(v + i), sum[0]);
  T rest = 0;
  for (; i < n; ++i) rest = fused(T(x[i]), T(v[i]), rest);
  return folded<T>((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

}  // namespace learnable::coordinate
