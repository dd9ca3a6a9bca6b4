// Windows over images: patches for products, and pools.
#pragma once

#include <cstdint>

#include "learnable/network/layer_plan.hpp"

namespace learnable::network {

// use(position, pixel of the window, pixel of the image) for all pixels of all windows that lie inside the image.
template <class F>
inline void each_pixel(const Window& w, F&& use) {
  for (index_t i = 0; i < w.out_rows; ++i)
    for (index_t j = 0; j < w.out_columns; ++j)
      for (index_t a = 0; a < w.height; ++a) {
        const index_t row = i * w.down + a - w.above;
        if (row < 0 || row >= w.rows) continue;
        for (index_t b = 0; b < w.width; ++b) {
          const index_t column = j * w.across + b - w.left;
          if (column < 0 || column >= w.columns) continue;
          use(i * w.out_columns + j, a * w.width + b, row * w.columns + column);
        }
      }
}

// The windows of an image as rows of `stride` entries, zero outside the image.
template <class T>
void take_patches(const Window& w, const T* image, T* patches, index_t stride) {
  std::fill_n(patches, w.positions() * stride, T(0));
  each_pixel(w, [&](index_t position, index_t inside, index_t pixel) {
    const T* from = image + pixel * w.channels;
    T* to = patches + position * stride + inside * w.channels;
    for (index_t c = 0; c < w.channels; ++c) to[c] = from[c];
  });
}

// image += the entries of the patches, each at its pixel.
template <class T>
void add_patches(const Window& w, const T* patches, index_t stride, T* image) {
  each_pixel(w, [&](index_t position, index_t inside, index_t pixel) {
    const T* from = patches + position * stride + inside * w.channels;
    T* to = image + pixel * w.channels;
    for (index_t c = 0; c < w.channels; ++c) to[c] += from[c];
  });
}

// The largest entry of each window, channel by channel, and the pixel that it is from: the first of equal ones.
template <class T>
void max_pool(const Window& w, const T* image, T* out, std::int32_t* from) {
  std::fill_n(from, w.positions() * w.channels, -1);
  each_pixel(w, [&](index_t position, index_t, index_t pixel) {
    const T* x = image + pixel * w.channels;
    T* best = out + position * w.channels;
    std::int32_t* at = from + position * w.channels;
    for (index_t c = 0; c < w.channels; ++c)
      if (at[c] < 0 || x[c] > best[c]) {
        best[c] = x[c];
        at[c] = std::int32_t(pixel);
      }
  });
}

template <class T>
void max_pool_back(const Window& w, const T* delta, const std::int32_t* from, T* image) {
  for (index_t position = 0; position < w.positions(); ++position)
    for (index_t c = 0; c < w.channels; ++c) {
      const index_t k = position * w.channels + c;
      image[from[k] * w.channels + c] += delta[k];
    }
}

// The mean of each window; zeros around the image count.
template <class T>
void average_pool(const Window& w, const T* image, T* out) {
  std::fill_n(out, w.positions() * w.channels, T(0));
  const T share = T(1) / T(w.height * w.width);
  each_pixel(w, [&](index_t position, index_t, index_t pixel) {
    for (index_t c = 0; c < w.channels; ++c) out[position * w.channels + c] += image[pixel * w.channels + c];
  });
  for (index_t k = 0; k < w.positions() * w.channels; ++k) out[k] *= share;
}

template <class T>
void average_pool_back(const Window& w, const T* delta, T* image) {
  const T share = T(1) / T(w.height * w.width);
  each_pixel(w, [&](index_t position, index_t, index_t pixel) {
    for (index_t c = 0; c < w.channels; ++c) image[pixel * w.channels + c] += share * delta[position * w.channels + c];
  });
}

}  // namespace learnable::network
