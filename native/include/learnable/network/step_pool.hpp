// Pooling over the steps of a sequence that are there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "learnable/matrix/simd.hpp"

namespace learnable::network {

struct StepPool {
  index_t steps, channels;
  bool largest;
};

// The mean or the largest value of each channel of a row, zero if no step is there; `from` are the steps of the largest.
template <class T>
void pool_steps(const StepPool& pool, const unsigned char* mask, const T* x, T* y, std::int32_t* from) {
  std::fill_n(y, pool.channels, T(0));
  index_t count = 0;
  for (index_t t = 0; t < pool.steps; ++t) {
    if (!mask[t]) continue;
    for (index_t c = 0; c < pool.channels; ++c) {
      const T value = x[t * pool.channels + c];
      if (!pool.largest) {
        y[c] += value;
      } else if (count == 0 || value > y[c]) {
        y[c] = value;
        from[c] = std::int32_t(t);
      }
    }
    ++count;
  }
  for (index_t c = 0; c < pool.channels && !pool.largest && count > 0; ++c) y[c] /= T(count);
}

template <class T>
void pool_steps_back(const StepPool& pool, const unsigned char* mask, const T* dy, const std::int32_t* from, T* dx) {
  const index_t count = std::count(mask, mask + pool.steps, 1);
  std::fill_n(dx, pool.steps * pool.channels, T(0));
  for (index_t c = 0; c < pool.channels && count > 0 && pool.largest; ++c) dx[from[c] * pool.channels + c] = dy[c];
  for (index_t t = 0; t < pool.steps && !pool.largest; ++t)
    for (index_t c = 0; c < pool.channels && mask[t]; ++c) dx[t * pool.channels + c] = dy[c] / T(count);
}

}  // namespace learnable::network
