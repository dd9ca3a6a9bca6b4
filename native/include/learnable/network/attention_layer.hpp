// Self-attention with one head: softmax(Q K' / sqrt(units)) V, row after row.
#pragma once

#include "learnable/network/sequence_layer.hpp"

namespace learnable::network {

template <class T>
class AttentionLayer final : public SequenceLayer<T> {
 public:
  AttentionLayer(index_t steps, index_t channels, index_t units, index_t most_rows, bool derivatives)
      : steps_(steps), channels_(channels), units_(units), kept_(derivatives), scale_(T(1 / std::sqrt(double(units)))) {
    panels_ = Memory<T>(channels * padded<T>(3 * units));
    if (!derivatives) return;
    transposed_ = Memory<T>(3 * units * padded<T>(channels));
    inputs_ = Memory<T>(most_rows * steps * channels);
    parts_ = Memory<T>(most_rows * steps * 3 * units);
    shares_ = Memory<T>(most_rows * steps * steps);
  }

  void load(const T* weights) override {
    intercepts_ = weights + channels_ * 3 * units_;
    pack_part(weights, 3 * units_, channels_, 3 * units_, panels_.data());
    if (kept_) pack_transposed(weights, 3 * units_, channels_, 3 * units_, transposed_.data());
  }

  void forward(const T* x, index_t begin, index_t end, const unsigned char* mask, T* y) override {
    const Memory<T> part(steps_ * 3 * units_), share(steps_ * steps_), keys(units_ * padded<T>(steps_)), values(steps_ * padded<T>(units_));
    for (index_t r = begin; r < end; ++r) {
      const T* own = x + r * steps_ * channels_;
      if (kept_) std::copy_n(own, steps_ * channels_, inputs_ + r * steps_ * channels_);
      T* qkv = kept_ ? parts_ + r * steps_ * 3 * units_ : part.data();
      T* p = kept_ ? shares_ + r * steps_ * steps_ : share.data();
      product_rows(own, steps_, channels_, panels_.data(), channels_, 3 * units_, qkv);
      add_intercepts(intercepts_, steps_, 3 * units_, qkv);
      pack_transposed(qkv + units_, 3 * units_, steps_, units_, keys.data());
      product_rows<T>(qkv, steps_, 3 * units_, keys.data(), units_, steps_, p);
      for (index_t t = 0; t < steps_; ++t) softmax(p + t * steps_, mask ? mask + r * steps_ : nullptr, t);
      pack_part(qkv + 2 * units_, 3 * units_, steps_, units_, values.data());
      product_rows<T>(p, steps_, steps_, values.data(), steps_, units_, y + r * steps_ * units_);
    }
  }

  void backward(const T* dy, index_t begin, index_t end, const unsigned char*, T* dx) override {
    const index_t wide = 3 * units_;
    const Memory<T> ds(steps_ * steps_), values(units_ * padded<T>(steps_)), keys(steps_ * padded<T>(units_)),
        outs(steps_ * padded<T>(units_)), queries(steps_ * padded<T>(units_)), delta(steps_ * wide), found(steps_ * units_);
    for (index_t r = begin; r < end; ++r) {
      T *qkv = parts_ + r * steps_ * wide, *p = shares_ + r * steps_ * steps_;
      const T* out = dy + r * steps_ * units_;
      pack_transposed(qkv + 2 * units_, wide, steps_, units_, values.data());
      product_rows<T>(out, steps_, units_, values.data(), units_, steps_, ds.data());
      for (index_t t = 0; t < steps_; ++t) softmax_back(p + t * steps_, ds + t * steps_);
      pack_part(out, units_, steps_, units_, outs.data());
      pack_part(qkv + units_, wide, steps_, units_, keys.data());
      pack_part(qkv, wide, steps_, units_, queries.data());
      product_rows<T>(ds.data(), steps_, steps_, keys.data(), steps_, units_, found.data());
      place(found.data(), 0, delta.data());
      columns_product(ds.data(), queries.data(), found.data());
      place(found.data(), units_, delta.data());
      columns_product(p, outs.data(), found.data());
      place(found.data(), 2 * units_, delta.data());
      std::copy_n(delta.data(), steps_ * wide, qkv);
      if (dx) product_rows<T>(qkv, steps_, wide, transposed_.data(), wide, channels_, dx + r * steps_ * channels_);
    }
  }

  void weight_gradient(index_t rows, bool several_threads, T* gradient) override {
    const index_t depth = rows * steps_, wide = 3 * units_;
    product_over_steps(inputs_.data(), depth, channels_, parts_.data(), wide, wide, several_threads, gradient);
    sum_columns(parts_.data(), depth, wide, gradient + channels_ * wide);
  }

 private:
  // Of the steps that are there; a step that is not attends to none.
  void softmax(T* scores, const unsigned char* mask, index_t own) const {
    T largest = -std::numeric_limits<T>::infinity(), sum = 0;
    for (index_t s = 0; s < steps_; ++s)
      if (!mask || mask[s]) largest = std::max(largest, scores[s] *= scale_);
    for (index_t s = 0; s < steps_; ++s) {
      const bool present = !mask || (mask[s] && mask[own]);
      scores[s] = present ? std::exp(scores[s] - largest) : T(0);
      sum += scores[s];
    }
    for (index_t s = 0; s < steps_ && sum != 0; ++s) scores[s] /= sum;
  }

  void softmax_back(const T* p, T* d) const {
    T along = 0;
    for (index_t s = 0; s < steps_; ++s) along += p[s] * d[s];
    for (index_t s = 0; s < steps_; ++s) d[s] = p[s] * (d[s] - along) * scale_;
  }

  // out(s, j) = sum over t of a(t, s) panel(t, j).
  void columns_product(const T* a, const T* panels, T* out) const {
    constexpr index_t width = panel_width<T>;
    const Memory<T> tile(steps_ * width);
    for (index_t k = 0; k < panels_of<T>(units_); ++k) {
      const index_t here = std::min(width, units_ - k * width);
      multiply_rows<T>(a, steps_, 1, steps_, panels + k * steps_ * width, width, steps_, tile.data(), width);
      for (index_t s = 0; s < steps_; ++s) std::copy_n(tile + s * width, here, out + s * units_ + k * width);
    }
  }

  void place(const T* from, index_t first, T* to) const {
    for (index_t t = 0; t < steps_; ++t) std::copy_n(from + t * units_, units_, to + t * 3 * units_ + first);
  }

  index_t steps_, channels_, units_;
  bool kept_;
  T scale_;
  const T* intercepts_ = nullptr;
  Memory<T> panels_, transposed_, inputs_, parts_, shares_;
};

}  // namespace learnable::network
