// A batch of rows in a network of dense layers: values forward, derivatives back, gradients of the weights.
#pragma once

#include "learnable/network/dense_weights.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable::network {

constexpr index_t row_block = 24;     // rows that go through all layers together
constexpr index_t weight_block = 48;  // rows of a weight matrix whose gradient is one unit of work

constexpr double work_for_threads = 2e6;  // products of a step from which several threads pay

// The values and derivatives of a batch. Values of a layer have a column of ones after its units, whose weights are the
// intercepts of the next layer.
template <class T>
class Batch {
 public:
  Batch(const DensePlan& plan, const PackedWeights<T>& weights, index_t most_rows)
      : plan_(plan), weights_(weights), losses_(std::size_t(Blocks(most_rows, row_block).count)) {
    values_.emplace_back(most_rows * stride(plan.inputs()));
    for (const DenseLayer& layer : plan.layers) {
      const bool last = &layer == &plan.layers.back();
      values_.emplace_back(last ? 0 : most_rows * stride(layer.out));
      scores_.emplace_back(last || !layer.keeps_scores() ? 0 : most_rows * stride(layer.out));
      deltas_.emplace_back(most_rows * padded<T>(layer.out));
      for (index_t i = 0; i < layer.in + 1; i += weight_block)
        blocks_.push_back({std::size_t(&layer - plan.layers.data()), i, std::min(i + weight_block, layer.in + 1)});
    }
  }

  // A unit of work on weights: rows [begin, end) of the matrix of a layer.
  struct WeightBlock {
    std::size_t layer;
    index_t begin, end;
  };
  const std::vector<WeightBlock>& weight_blocks() const { return blocks_; }

  // The rows order[0 .. rows) go through all layers, and the derivatives of their losses back; each counts with its
  // weight over `total`. Returns the sum of the weighted losses. `step` keys the masks of dropout.
  double run(const RowSource<T>& X, const Targets& targets, const std::int64_t* order, index_t rows, double total,
             std::uint64_t seed, index_t step, bool several_threads) {
    rows_ = rows;
    const Blocks blocks(rows, row_block);
    parallel_if(several_threads, blocks.count, [&](index_t block, int) {
      const index_t begin = blocks.begin(block), end = blocks.end(block);
      for (index_t r = begin; r < end; ++r) {
        T* row = values_[0] + r * stride(plan_.inputs());
        X.copy(order[r], row);
        row[plan_.inputs()] = 1;
      }
      forward(begin, end, seed, step);
      losses_[std::size_t(block)] = derive(targets, order, begin, end, total);
      back(begin, end, seed, step);
    });
    double sum = 0;
    for (index_t block = 0; block < blocks.count; ++block) sum += losses_[std::size_t(block)];
    return sum;
  }

  // The gradient of the rows [begin, end) of a layer's weights, a run of whole panel rows at a time: use(panel, row,
  // rows, gradient) gets rows * panel_width entries.
  template <class F>
  void gradients(const WeightBlock& block, F&& use) const {
    const DenseLayer& layer = plan_.layers[block.layer];
    const index_t height = block.end - block.begin, from = stride(layer.in), to = padded<T>(layer.out);
    const Memory<T> inputs(rows_ * weight_block), gradient(tile_height * panel_width<T>);
    for (index_t r = 0; r < rows_; ++r)
      std::copy_n(values_[block.layer] + r * from + block.begin, height, inputs + r * weight_block);
    for (index_t p = 0; p < panels_of<T>(layer.out); ++p)
      for (index_t i = 0; i < height; i += tile_height) {
        const index_t here = std::min<index_t>(tile_height, height - i);
        multiply_rows<T>(inputs + i, here, 1, weight_block, deltas_[block.layer] + p * panel_width<T>, to, rows_,
                         gradient.data(), panel_width<T>);
        use(p, block.begin + i, here, gradient.data());
      }
  }

  static index_t stride(index_t units) { return padded<T>(units) + lane_count<T>; }

 private:
  void forward(index_t begin, index_t end, std::uint64_t seed, index_t step) {
    for (std::size_t l = 0; l < plan_.layers.size(); ++l) {
      const DenseLayer& layer = plan_.layers[l];
      const bool last = l + 1 == plan_.layers.size();
      const index_t from = stride(layer.in), to = last ? padded<T>(layer.out) : stride(layer.out);
      T* out = last ? deltas_[l].data() : layer.keeps_scores() ? scores_[l].data() : values_[l + 1].data();
      product(values_[l] + begin * from, end - begin, from, weights_.panels(l), layer.in + 1, layer.out, out + begin * to, to);
      for (index_t r = begin; r < end && !last; ++r) {
        T* value = values_[l + 1] + r * to;
        activate(layer.activation, T(layer.alpha), out + r * to, value, padded<T>(layer.out));
        if (layer.dropout > 0) drop(layer.dropout, seed, step, index_t(l), r, value, layer.out);
        value[layer.out] = 1;
      }
    }
  }

  static void product(const T* a, index_t rows, index_t stride, const T* panels, index_t depth, index_t columns, T* out,
                      index_t out_stride) {
    for (index_t p = 0; p < panels_of<T>(columns); ++p)
      multiply_rows<T>(a, rows, stride, 1, panels + p * depth * panel_width<T>, panel_width<T>, depth,
                       out + p * panel_width<T>, out_stride);
  }

  double derive(const Targets& targets, const std::int64_t* order, index_t begin, index_t end, double total) {
    const index_t outputs = plan_.outputs(), to = padded<T>(outputs);
    std::vector<T> y(std::size_t(targets.y.columns));
    double sum = 0;
    for (index_t r = begin; r < end; ++r) {
      const index_t i = order[r];
      for (index_t k = 0; k < targets.y.columns; ++k) y[std::size_t(k)] = T(targets.y(i, k));
      T* delta = deltas_.back() + r * to;
      const double weight = targets.weight_of(i);
      sum += weight * row_loss(plan_.loss, y.data(), delta, outputs);
      const T share = T(weight / total);
      for (index_t k = 0; k < outputs; ++k) delta[k] *= share;
    }
    return sum;
  }

  void back(index_t begin, index_t end, std::uint64_t seed, index_t step) {
    for (std::size_t l = plan_.layers.size() - 1; l > 0; --l) {
      const DenseLayer &layer = plan_.layers[l], &before = plan_.layers[l - 1];
      const index_t from = padded<T>(layer.out), to = padded<T>(layer.in), values = stride(layer.in);
      T* out = deltas_[l - 1].data();
      product(deltas_[l] + begin * from, end - begin, from, weights_.transposed(l), layer.out, layer.in, out + begin * to, to);
      for (index_t r = begin; r < end; ++r) {
        T *delta = out + r * to, *value = values_[l] + r * values;
        if (!before.keeps_scores()) {
          multiply_derivative(before.activation, T(before.alpha), value, value, delta, to);
          continue;
        }
        const T* z = scores_[l - 1] + r * values;
        if (before.dropout > 0) drop(before.dropout, seed, step, index_t(l - 1), r, delta, layer.in);
        std::vector<T> undropped(std::size_t(to), T(0));
        activate(before.activation, T(before.alpha), z, undropped.data(), to);
        multiply_derivative(before.activation, T(before.alpha), z, undropped.data(), delta, to);
      }
    }
  }

  const DensePlan& plan_;
  const PackedWeights<T>& weights_;
  index_t rows_ = 0;
  std::vector<Memory<T>> values_, scores_, deltas_;
  std::vector<WeightBlock> blocks_;
  std::vector<double> losses_;
};

}  // namespace learnable::network
