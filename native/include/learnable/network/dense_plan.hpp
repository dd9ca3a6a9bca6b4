// What a network of dense layers is, and where its rows and targets come from.
#pragma once

#include <cstdint>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/design.hpp"
#include "learnable/network/activation.hpp"
#include "learnable/network/loss.hpp"
#include "learnable/network/optimiser.hpp"
#include "learnable/network/panels.hpp"

namespace learnable::network {

// A layer a = g(x W + b), followed by dropout in training. `first` is the place of its weights among all: a matrix
// (in + 1, out) with contiguous rows, the intercepts last.
struct DenseLayer {
  index_t in, out, first;
  Activation activation;
  double alpha, dropout;

  index_t weights() const { return (in + 1) * out; }
  // A derivative by the value is of the value before dropout.
  bool keeps_scores() const { return needs_scores(activation) || dropout > 0; }
};

struct DensePlan {
  std::vector<DenseLayer> layers;
  LossPlan loss;

  index_t inputs() const { return layers.front().in; }
  index_t outputs() const { return layers.back().out; }
  index_t weights() const { return layers.back().first + layers.back().weights(); }
};

// How the weights are trained: penalties are l1 |w| + l2 w^2 / 2 of all weights but intercepts, divided by the weight of
// the batch if `shared`. Gradients longer than `clip` are shortened to it, if it is above zero.
struct TrainingPlan {
  Optimiser optimiser;
  double first, second, epsilon, l1, l2, decay, clip;
  bool shared;
  std::uint64_t seed;
};

// Rows of a matrix, copied one by one.
template <class T>
struct RowSource {
  virtual ~RowSource() = default;
  virtual void copy(index_t row, T* out) const = 0;
};

template <class T, class Design>
struct RowsOf final : RowSource<T> {
  const Design& X;
  explicit RowsOf(const Design& X) : X(X) {}

  void copy(index_t row, T* out) const override {
    if constexpr (Design::dense) {
      const auto* from = X.data + row * X.stride;
      for (index_t j = 0; j < X.columns; ++j) out[j] = T(from[j]);
    } else {
      std::fill_n(out, X.columns, T(0));
      for (index_t k = X.start[row]; k < X.start[row + 1]; ++k) out[X.index[k]] += T(X.value[k]);
    }
  }
};

// Targets of all rows, an entry or one per output each, and weights of the rows (none: all one).
struct Targets {
  Grid<const double> y;
  View<const double> weight;

  double weight_of(index_t row) const { return weight.size ? weight[row] : 1.0; }
};

// Memory for T on cache lines, not initialised.
template <class T>
class Memory {
 public:
  Memory() = default;
  explicit Memory(index_t size) : memory_((size * index_t(sizeof(T)) + 7) / 8) {}
  T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  T* operator+(index_t offset) const { return data() + offset; }

 private:
  Buffer memory_;
};

// A number that looks random for every key: the masks of dropout are drawn by place, not by a running generator.
inline std::uint64_t scrambled(std::uint64_t key) {
  key += 0x9e3779b97f4a7c15u;
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
  return key ^ (key >> 31);
}

// Dropout of a row: entries are zero with the probability `rate`, others are divided by 1 - rate.
template <class T>
void drop(double rate, std::uint64_t seed, index_t step, index_t layer, index_t row, T* values, index_t count) {
  const std::uint64_t key = scrambled(scrambled(scrambled(seed) + std::uint64_t(step)) + std::uint64_t(layer));
  const std::uint64_t border = std::uint64_t(rate * 4294967296.0);
  const T scale = T(1 / (1 - rate));
  for (index_t j = 0; j < count; ++j) {
    const bool kept = scrambled(key + (std::uint64_t(row) << 32) + std::uint64_t(j)) >> 32 >= border;
    values[j] = kept ? values[j] * scale : T(0);
  }
}

}  // namespace learnable::network
