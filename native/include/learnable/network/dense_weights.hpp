// Weights of dense layers with the state of the optimiser, in panels.
#pragma once

#include "learnable/network/dense_plan.hpp"

namespace learnable::network {

// Panels of every layer: weights, slots, and for all layers but the first the transposed weights, with which gradients
// go back. Slots are rows of `slots`, each as long as the weights.
template <class T>
class PackedWeights {
 public:
  PackedWeights(const DensePlan& plan, const T* weights, const T* slots, int slot_total, bool transposed)
      : plan_(plan), size_(0), transposed_size_(0) {
    for (const DenseLayer& layer : plan.layers) {
      first_.push_back(size_);
      transposed_first_.push_back(transposed_size_);
      size_ += (layer.in + 1) * padded<T>(layer.out);
      if (transposed && first_.size() > 1) transposed_size_ += layer.out * padded<T>(layer.in);
    }
    for (int s = 0; s <= slot_total; ++s) memory_.emplace_back(size_);
    transposed_ = Memory<T>(transposed_size_);
    std::fill_n(transposed_.data(), transposed_size_, T(0));
    for (std::size_t l = 0; l < plan.layers.size(); ++l) {
      const DenseLayer& layer = plan.layers[l];
      for (int s = 0; s <= slot_total; ++s) {
        const T* from = s == 0 ? weights : slots + (s - 1) * plan.weights();
        pack(from + layer.first, layer.in + 1, layer.out, panels(l, s));
      }
      if (transposed && l > 0) transpose(l, 0, layer.in);
    }
  }

  index_t size() const { return size_; }
  int slots() const { return int(memory_.size()) - 1; }
  // Panels of a layer: the weights, or the slot s > 0.
  T* panels(std::size_t layer, int s = 0) const { return memory_[s] + first_[layer]; }
  const T* transposed(std::size_t layer) const { return transposed_ + transposed_first_[layer]; }

  // Brings rows [begin, end) of the transposed weights up to date.
  void transpose(std::size_t l, index_t begin, index_t end) const {
    const DenseLayer& layer = plan_.layers[l];
    transpose_rows(panels(l), layer.in + 1, layer.out, begin, std::min(end, layer.in), transposed_ + transposed_first_[l]);
  }

  void unpack_to(T* weights, T* slots) const {
    for (std::size_t l = 0; l < plan_.layers.size(); ++l)
      for (int s = 0; s <= this->slots(); ++s) {
        const DenseLayer& layer = plan_.layers[l];
        T* to = s == 0 ? weights : slots + (s - 1) * plan_.weights();
        unpack(panels(l, s), layer.in + 1, layer.out, to + layer.first);
      }
  }

 private:
  const DensePlan& plan_;
  index_t size_, transposed_size_;
  std::vector<index_t> first_, transposed_first_;
  std::vector<Memory<T>> memory_;
  Memory<T> transposed_;
};

}  // namespace learnable::network
