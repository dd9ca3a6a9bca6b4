// A network of layers of several kinds as plain numbers.
//
// A row of values is flat; an image is (row, column, channel), the channels side by side.
#pragma once

#include <vector>

#include "learnable/network/dense_plan.hpp"

namespace learnable::network {

enum class LayerKind { dense, activation, dropout, batch_norm, layer_norm, conv, max_pool, average_pool, embedding, add, rnn, gru, lstm, attention, pool_steps };
constexpr int layer_kind_count = 15;

// Windows of `height` x `width` pixels that move over an image with zeros around it.
struct Window {
  index_t rows, columns, channels, height, width, down, across, above, left, out_rows, out_columns;

  index_t positions() const { return out_rows * out_columns; }
  index_t entries() const { return height * width * channels; }
};

// `sizes` by kind: activation {function}, batch_norm {channels}, conv and pools the numbers of a Window, embedding
// {codes, units}, add {the layer before whose values are added}, recurrent layers and attention {steps, channels, units,
// whether the steps have a mask, whether all states are the output}, pool_steps {steps, channels, 1, whether the largest
// value counts}. `numbers`: activation {alpha}, dropout {rate}, norms
// {momentum, epsilon}. Weights: dense (in + 1, out) and conv (entries + 1, out channels) with the intercepts last, norms
// scale and shift, embedding (codes, units), recurrent layers (channels + units + 1, gates units), attention (channels + 1,
// 3 units). Statistics of batch_norm: means and variances.
struct Layer {
  LayerKind kind;
  index_t in, out;
  std::vector<index_t> sizes;
  std::vector<double> numbers;
  bool frozen;
  index_t first, weights, first_statistic, statistics;

  Window window() const {
    return {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], sizes[6], sizes[7], sizes[8], sizes[9], sizes[10]};
  }
  index_t channels_out() const { return kind == LayerKind::conv ? out / window().positions() : out; }
  // Rows of the weight matrix that a penalty applies to, and its columns.
  index_t penalised() const {
    switch (kind) {
      case LayerKind::dense: return in * out;
      case LayerKind::conv: return window().entries() * channels_out();
      case LayerKind::embedding: return weights;
      case LayerKind::rnn:
      case LayerKind::gru:
      case LayerKind::lstm: return weights / (sizes[1] + sizes[2] + 1) * (sizes[1] + sizes[2]);
      case LayerKind::attention: return sizes[1] * 3 * sizes[2];
      default: return 0;
    }
  }
};

struct LayerPlan {
  std::vector<Layer> layers;
  LossPlan loss;
  index_t masked_steps = 0;  // of the input, if some may be missing: a step without a number is not there

  index_t inputs() const { return layers.front().in; }
  index_t outputs() const { return layers.back().out; }
  index_t weights() const { return layers.back().first + layers.back().weights; }
  index_t statistics() const { return layers.back().first_statistic + layers.back().statistics; }
};

}  // namespace learnable::network
