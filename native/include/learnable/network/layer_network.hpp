// A batch of rows in a network of layers: values forward, derivatives back, and the gradient of all weights.
//
// Rows go through the layers in fixed blocks, side by side; only batch normalisation waits for all of them. Weights of
// dense layers get their gradient by blocks of weights over the whole batch, those of convolutions by blocks of rows
// that are added in order: bits do not depend on threads.
#pragma once

#include <memory>
#include <tuple>

#include "learnable/network/attention_layer.hpp"
#include "learnable/network/recurrent_layer.hpp"
#include "learnable/network/step_pool.hpp"

namespace learnable::network {

constexpr index_t most_partial_sums = 32;

template <class T>
class LayerNetwork {
 public:
  LayerNetwork(const LayerPlan& plan, index_t most_rows, bool derivatives) : plan_(plan) {
    const std::size_t count = plan.layers.size();
    bool trainable = false, images = false, steps = false;
    values_.emplace_back(most_rows * plan.inputs());
    for (const Layer& layer : plan.layers) {
      values_.emplace_back(most_rows * layer.out);
      needed_.push_back(trainable);
      deltas_.emplace_back(derivatives && trainable ? most_rows * layer.in : 0);
      from_.emplace_back(layer.kind == LayerKind::max_pool || layer.kind == LayerKind::pool_steps ? most_rows * layer.out : 0);
      trainable = trainable || (layer.weights > 0 && !layer.frozen);
      images = images || layer.kind == LayerKind::conv;
      sequences_.push_back(sequence_layer(layer, most_rows, derivatives));
      steps = steps || sequences_.back();
      moments_.emplace_back(std::size_t(2 * layer.statistics));
    }
    deltas_.emplace_back(derivatives ? most_rows * plan.outputs() : 0);
    block_size_ = steps ? 16 : images ? 4 : 24;
    mask_.resize(std::size_t(most_rows * plan.masked_steps));
    panels_.resize(count);
    transposed_.resize(count);
    for (std::size_t l = 0; l < count; ++l) {
      const auto [rows, columns] = matrix(plan.layers[l]);
      panels_[l] = Memory<T>(rows * padded<T>(columns));
      transposed_[l] = Memory<T>(derivatives && needed_[l] ? columns * padded<T>(rows) : 0);
    }
    if (derivatives) gradient_ = Memory<T>(plan.weights());
    losses_.resize(std::size_t(Blocks(most_rows, block_size_).count));
    double work = 0;
    for (const Layer& layer : plan.layers)
      work += double(layer.weights) * positions(layer);
    several_threads_ = work * double(most_rows) > 2e6;
  }

  // Takes the weights as they are now.
  void load(const T* weights, T* statistics) {
    weights_ = weights;
    statistics_ = statistics;
    for (std::size_t l = 0; l < plan_.layers.size(); ++l) {
      const auto [rows, columns] = matrix(plan_.layers[l]);
      if (sequences_[l]) sequences_[l]->load(weights + plan_.layers[l].first);
      if (rows == 0) continue;
      pack(weights + plan_.layers[l].first, rows, columns, panels_[l].data());
      if (transposed_[l].data() && needed_[l] && gradient_.data()) {
        std::fill_n(transposed_[l].data(), columns * padded<T>(rows), T(0));
        transpose_rows(panels_[l].data(), rows, columns, 0, rows, transposed_[l].data());
      }
    }
  }

  // The rows order[0 .. rows) go through all layers. In training, values are dropped and batches normalised by their own
  // moments, of which running means are kept.
  void forward(const RowSource<T>& X, const std::int64_t* order, index_t rows, std::uint64_t seed, index_t step, bool training) {
    rows_ = rows;
    training_ = training;
    seed_ = seed;
    step_ = step;
    const std::size_t count = plan_.layers.size();
    over_rows([&](index_t begin, index_t end) {
      for (index_t r = begin; r < end; ++r) {
        X.copy(order ? order[r] : r, values_[0] + r * plan_.inputs());
        if (plan_.masked_steps > 0) note_steps(r);
      }
    });
    for (std::size_t first = 0; first < count;) {
      std::size_t last = first;
      while (last < count && !normalises(last)) ++last;
      if (last > first)
        over_rows([&](index_t begin, index_t end) {
          for (std::size_t l = first; l < last; ++l) forward_rows(l, begin, end);
        });
      if (last < count) normalise(last);
      first = last + 1;
    }
  }

  // The sum of the weighted losses after `forward`, and the gradient of the sum over `total`.
  double backward(const Targets& targets, const std::int64_t* order, double total) {
    const index_t outputs = plan_.outputs();
    over_blocks_of_rows([&](index_t block, index_t begin, index_t end) {
      std::vector<T> y(std::size_t(targets.y.columns));
      double sum = 0;
      for (index_t r = begin; r < end; ++r) {
        for (index_t k = 0; k < targets.y.columns; ++k) y[std::size_t(k)] = T(targets.y(order[r], k));
        T* delta = deltas_.back() + r * outputs;
        std::copy_n(values_.back() + r * outputs, outputs, delta);
        const double weight = targets.weight_of(order[r]);
        sum += weight * row_loss(plan_.loss, y.data(), delta, outputs);
        for (index_t k = 0; k < outputs; ++k) delta[k] *= T(weight / total);
      }
      losses_[std::size_t(block)] = sum;
    });
    double sum = 0;
    for (index_t block = 0; block < Blocks(rows_, block_size_).count; ++block) sum += losses_[std::size_t(block)];
    std::fill_n(gradient_.data(), plan_.weights(), T(0));
    for (std::size_t l = plan_.layers.size(); l-- > 0;) {
      const Layer& layer = plan_.layers[l];
      const bool learns = layer.weights > 0 && !layer.frozen;
      if (sequences_[l] && (learns || needed_[l])) sequence_back(l);
      if (learns) weight_gradient(l);
      if (!needed_[l]) continue;
      if (normalises(l))
        normalise_back(l);
      else if (!sequences_[l])
        over_rows([&](index_t begin, index_t end) { backward_rows(l, begin, end); });
      for (std::size_t other = l + 1; other < plan_.layers.size(); ++other)
        if (plan_.layers[other].kind == LayerKind::add && index_t(l) == plan_.layers[other].sizes[0])
          for (index_t k = 0; k < rows_ * layer.in; ++k) deltas_[l].data()[k] += deltas_[other + 1].data()[k];
    }
    return sum;
  }

  T* gradient() const { return gradient_.data(); }
  const T* values(std::size_t depth) const { return values_[depth].data(); }
  bool several_threads() const { return several_threads_; }

  // The mean and the variance of the batch enter the running ones.
  void keep_moments() {
    for (std::size_t l = 0; l < plan_.layers.size(); ++l) {
      if (!normalises(l)) continue;
      const Layer& layer = plan_.layers[l];
      const double keep = layer.numbers[0];
      for (index_t k = 0; k < layer.statistics; ++k) {
        T& kept = statistics_[layer.first_statistic + k];
        kept = T(keep * double(kept) + (1 - keep) * moments_[l][std::size_t(k)]);
      }
    }
  }

 private:
  // Rows and columns of the matrix of a layer, without intercepts.
  static std::pair<index_t, index_t> matrix(const Layer& layer) {
    if (layer.kind == LayerKind::dense) return {layer.in, layer.out};
    if (layer.kind == LayerKind::conv) return {layer.window().entries(), layer.channels_out()};
    return {0, 0};
  }

  // How many positions of a row a weight meets.
  static double positions(const Layer& layer) {
    if (layer.kind == LayerKind::conv) return double(layer.window().positions());
    return layer.kind >= LayerKind::rnn ? double(layer.sizes[0]) : 1.0;
  }

  static std::unique_ptr<SequenceLayer<T>> sequence_layer(const Layer& layer, index_t most_rows, bool derivatives) {
    const auto& s = layer.sizes;
    if (layer.kind == LayerKind::attention)
      return std::make_unique<AttentionLayer<T>>(s[0], s[1], s[2], most_rows, derivatives);
    if (layer.kind < LayerKind::rnn || layer.kind > LayerKind::lstm) return nullptr;
    const Cell cell = Cell(int(layer.kind) - int(LayerKind::rnn));
    return std::make_unique<RecurrentLayer<T>>(cell, s[0], s[1], s[2], s[4] != 0, most_rows, derivatives);
  }

  // Which steps of a row are there; the others become zero, codes of an embedding apart, which leads them to zeros.
  void note_steps(index_t r) {
    const index_t steps = plan_.masked_steps, channels = plan_.inputs() / steps;
    T* x = values_[0] + r * plan_.inputs();
    for (index_t t = 0; t < steps; ++t) {
      const bool present = !std::isnan(x[t * channels]);
      mask_[std::size_t(r * steps + t)] = present;
      if (!present && plan_.layers[0].kind != LayerKind::embedding) std::fill_n(x + t * channels, channels, T(0));
    }
  }

  static StepPool pool_of(const Layer& layer) { return {layer.sizes[0], layer.sizes[1], layer.sizes[4] != 0}; }

  const unsigned char* mask_of(const Layer& layer) const { return layer.sizes[3] ? mask_.data() : nullptr; }

  void sequence_back(std::size_t l) {
    T* dx = needed_[l] ? deltas_[l].data() : nullptr;
    over_rows([&](index_t begin, index_t end) {
      sequences_[l]->backward(deltas_[l + 1].data(), begin, end, mask_of(plan_.layers[l]), dx);
    });
  }

  // The row of an embedding; what is not a code has been refused before, and leads nowhere outside here.
  static index_t code(const Layer& layer, T x) { return x >= 0 && x < T(layer.sizes[0]) ? index_t(x) : 0; }

  bool normalises(std::size_t l) const {
    return plan_.layers[l].kind == LayerKind::batch_norm && training_ && !plan_.layers[l].frozen;
  }

  template <class F>
  void over_blocks_of_rows(F&& f) {
    const Blocks blocks(rows_, block_size_);
    parallel_if(several_threads_, blocks.count, [&](index_t block, int) { f(block, blocks.begin(block), blocks.end(block)); });
  }
  template <class F>
  void over_rows(F&& f) {
    over_blocks_of_rows([&](index_t, index_t begin, index_t end) { f(begin, end); });
  }

  void forward_rows(std::size_t l, index_t begin, index_t end) {
    const Layer& layer = plan_.layers[l];
    const index_t rows = end - begin, in = layer.in, out = layer.out;
    const T *x = values_[l] + begin * in, *w = weights_ + layer.first;
    T* y = values_[l + 1] + begin * out;
    switch (layer.kind) {
      case LayerKind::dense:
        product_rows(x, rows, in, panels_[l].data(), in, out, y);
        add_intercepts(w + in * out, rows, out, y);
        break;
      case LayerKind::conv: {
        const Window window = layer.window();
        const index_t entries = window.entries(), channels = layer.channels_out();
        const Memory<T> patches(window.positions() * entries);
        for (index_t r = 0; r < rows; ++r) {
          take_patches(window, x + r * in, patches.data(), entries);
          product_rows<T>(patches.data(), window.positions(), entries, panels_[l].data(), entries, channels, y + r * out);
        }
        add_intercepts(w + entries * channels, rows * window.positions(), channels, y);
        break;
      }
      case LayerKind::activation:
        activate_entries(Activation(layer.sizes[0]), T(layer.numbers[0]), x, y, rows * in);
        break;
      case LayerKind::dropout:
        std::copy_n(x, rows * in, y);
        if (training_)
          for (index_t r = 0; r < rows; ++r) drop(layer.numbers[0], seed_, step_, index_t(l), begin + r, y + r * in, in);
        break;
      case LayerKind::batch_norm: {  // by the stored moments
        const index_t channels = layer.sizes[0];
        const T* kept = statistics_ + layer.first_statistic;
        for (index_t c = 0; c < channels; ++c) {
          const double inverse = 1 / std::sqrt(double(kept[channels + c]) + layer.numbers[1]);
          for (index_t k = c; k < rows * in; k += channels)
            y[k] = w[c] * T((double(x[k]) - double(kept[c])) * inverse) + w[channels + c];
        }
        break;
      }
      case LayerKind::layer_norm:
        for (index_t r = 0; r < rows; ++r) normalise_row(x + r * in, in, layer.numbers[1], w, w + in, y + r * in);
        break;
      case LayerKind::max_pool:
        for (index_t r = 0; r < rows; ++r)
          max_pool(layer.window(), x + r * in, y + r * out, from_[l] + (begin + r) * out);
        break;
      case LayerKind::average_pool:
        for (index_t r = 0; r < rows; ++r) average_pool(layer.window(), x + r * in, y + r * out);
        break;
      case LayerKind::embedding: {
        const index_t units = layer.sizes[1];
        for (index_t k = 0; k < rows * in; ++k) {
          if (std::isnan(x[k]))
            std::fill_n(y + k * units, units, T(0));
          else
            std::copy_n(w + code(layer, x[k]) * units, units, y + k * units);
        }
        break;
      }
      case LayerKind::rnn:
      case LayerKind::gru:
      case LayerKind::lstm:
      case LayerKind::attention: sequences_[l]->forward(values_[l].data(), begin, end, mask_of(layer), values_[l + 1].data()); break;
      case LayerKind::pool_steps:
        for (index_t r = begin; r < end; ++r)
          pool_steps(pool_of(layer), mask_.data() + r * layer.sizes[0], values_[l] + r * in, values_[l + 1] + r * out, from_[l] + r * out);
        break;
      case LayerKind::add: {
        const T* other = values_[std::size_t(layer.sizes[0])] + begin * in;
        for (index_t k = 0; k < rows * in; ++k) y[k] = x[k] + other[k];
        break;
      }
    }
  }

  void backward_rows(std::size_t l, index_t begin, index_t end) {
    const Layer& layer = plan_.layers[l];
    const index_t rows = end - begin, in = layer.in, out = layer.out;
    const T *x = values_[l] + begin * in, *w = weights_ + layer.first, *dy = deltas_[l + 1] + begin * out;
    T* dx = deltas_[l] + begin * in;
    switch (layer.kind) {
      case LayerKind::dense: product_rows(dy, rows, out, transposed_[l].data(), out, in, dx); break;
      case LayerKind::conv: {
        const Window window = layer.window();
        const index_t entries = window.entries(), channels = layer.channels_out();
        const Memory<T> patches(window.positions() * entries);
        std::fill_n(dx, rows * in, T(0));
        for (index_t r = 0; r < rows; ++r) {
          product_rows(dy + r * out, window.positions(), channels, transposed_[l].data(), channels, entries, patches.data());
          add_patches(window, patches.data(), entries, dx + r * in);
        }
        break;
      }
      case LayerKind::activation:
        std::copy_n(dy, rows * in, dx);
        activate_back(Activation(layer.sizes[0]), T(layer.numbers[0]), x, values_[l + 1] + begin * in, dx, rows * in);
        break;
      case LayerKind::dropout:
        std::copy_n(dy, rows * in, dx);
        if (training_)
          for (index_t r = 0; r < rows; ++r) drop(layer.numbers[0], seed_, step_, index_t(l), begin + r, dx + r * in, in);
        break;
      case LayerKind::batch_norm: {
        const index_t channels = layer.sizes[0];
        const T* kept = statistics_ + layer.first_statistic;
        for (index_t c = 0; c < channels; ++c) {
          const T factor = T(double(w[c]) / std::sqrt(double(kept[channels + c]) + layer.numbers[1]));
          for (index_t k = c; k < rows * in; k += channels) dx[k] = factor * dy[k];
        }
        break;
      }
      case LayerKind::layer_norm:
        for (index_t r = 0; r < rows; ++r) normalise_row_back(x + r * in, in, layer.numbers[1], w, dy + r * in, dx + r * in);
        break;
      case LayerKind::max_pool:
        std::fill_n(dx, rows * in, T(0));
        for (index_t r = 0; r < rows; ++r) max_pool_back(layer.window(), dy + r * out, from_[l] + (begin + r) * out, dx + r * in);
        break;
      case LayerKind::average_pool:
        std::fill_n(dx, rows * in, T(0));
        for (index_t r = 0; r < rows; ++r) average_pool_back(layer.window(), dy + r * out, dx + r * in);
        break;
      case LayerKind::embedding: std::fill_n(dx, rows * in, T(0)); break;
      case LayerKind::add: std::copy_n(dy, rows * in, dx); break;
      case LayerKind::pool_steps:
        for (index_t r = begin; r < end; ++r)
          pool_steps_back(pool_of(layer), mask_.data() + r * layer.sizes[0], deltas_[l + 1] + r * out, from_[l] + r * out, deltas_[l] + r * in);
        break;
      case LayerKind::rnn:
      case LayerKind::gru:
      case LayerKind::lstm:
      case LayerKind::attention: break;  // see sequence_back
    }
  }

  // sums[c] over all rows and positions of f(row, entry), in double precision; partial sums of fixed blocks, in order.
  template <class F>
  std::vector<double> sums_by_channel(index_t in, index_t channels, int kinds, F&& f) {
    const Blocks blocks(rows_, block_size_);
    std::vector<double> partial(std::size_t(blocks.count * kinds * channels)), sums(std::size_t(kinds * channels));
    over_blocks_of_rows([&](index_t block, index_t begin, index_t end) {
      double* here = partial.data() + block * kinds * channels;
      for (index_t r = begin; r < end; ++r)
        for (index_t k = 0; k < in; k += channels)
          for (index_t c = 0; c < channels; ++c) f(r, r * in + k + c, c, here);
    });
    for (index_t block = 0; block < blocks.count; ++block)
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += partial[std::size_t(block) * sums.size() + k];
    return sums;
  }

  // Batch normalisation by the moments of the batch, in which all rows count alike.
  void normalise(std::size_t l) {
    const Layer& layer = plan_.layers[l];
    const index_t in = layer.in, channels = layer.sizes[0];
    const T *x = values_[l].data(), *w = weights_ + layer.first;
    std::vector<double>& moments = moments_[l];
    const double count = double(rows_) * double(in / channels);
    const auto means = sums_by_channel(in, channels, 1, [&](index_t, index_t k, index_t c, double* sum) { sum[c] += double(x[k]); });
    for (index_t c = 0; c < channels; ++c) moments[std::size_t(c)] = means[std::size_t(c)] / count;
    const auto squares = sums_by_channel(in, channels, 1, [&](index_t, index_t k, index_t c, double* sum) {
      const double apart = double(x[k]) - moments[std::size_t(c)];
      sum[c] += apart * apart;
    });
    for (index_t c = 0; c < channels; ++c) {
      moments[std::size_t(channels + c)] = squares[std::size_t(c)] / count;
      moments[std::size_t(2 * channels + c)] = 1 / std::sqrt(moments[std::size_t(channels + c)] + layer.numbers[1]);
    }
    over_rows([&](index_t begin, index_t end) {
      T* y = values_[l + 1].data();
      for (index_t k = begin * in; k < end * in; k += channels)
        for (index_t c = 0; c < channels; ++c)
          y[k + c] = w[c] * T((double(x[k + c]) - moments[std::size_t(c)]) * moments[std::size_t(2 * channels + c)]) + w[channels + c];
    });
  }

  void normalise_back(std::size_t l) {
    const Layer& layer = plan_.layers[l];
    const index_t in = layer.in, channels = layer.sizes[0];
    const T *x = values_[l].data(), *dy = deltas_[l + 1].data(), *w = weights_ + layer.first;
    T* dx = deltas_[l].data();
    const std::vector<double>& moments = moments_[l];
    const double count = double(rows_) * double(in / channels);
    const auto sums = norm_sums(l);
    over_rows([&](index_t begin, index_t end) {
      for (index_t k = begin * in; k < end * in; k += channels)
        for (index_t c = 0; c < channels; ++c) {
          const double inverse = moments[std::size_t(2 * channels + c)];
          const double normal = (double(x[k + c]) - moments[std::size_t(c)]) * inverse;
          const double along = sums[std::size_t(c)] / count, mean = sums[std::size_t(channels + c)] / count;
          dx[k + c] = T(double(w[c]) * inverse * (double(dy[k + c]) - mean - normal * along));
        }
    });
  }

  // Sums over rows and positions of dy times the normalised value, and of dy, by channel: the gradient of scale and shift.
  std::vector<double> norm_sums(std::size_t l) {
    const Layer& layer = plan_.layers[l];
    const index_t in = layer.in, channels = layer.kind == LayerKind::layer_norm ? in : layer.sizes[0];
    const T *x = values_[l].data(), *dy = deltas_[l + 1].data();
    std::vector<double> mean(std::size_t(channels), 0), inverse(std::size_t(channels), 0);
    const bool own = normalises(l);
    for (index_t c = 0; c < channels && layer.kind == LayerKind::batch_norm; ++c) {
      const T* kept = statistics_ + layer.first_statistic;
      mean[std::size_t(c)] = own ? moments_[l][std::size_t(c)] : double(kept[c]);
      inverse[std::size_t(c)] = own ? moments_[l][std::size_t(2 * channels + c)]
                                    : 1 / std::sqrt(double(kept[channels + c]) + layer.numbers[1]);
    }
    std::vector<double> of_row(layer.kind == LayerKind::layer_norm ? std::size_t(2 * rows_) : 0);
    for (index_t r = 0; r < rows_ && !of_row.empty(); ++r)
      std::tie(of_row[std::size_t(2 * r)], of_row[std::size_t(2 * r + 1)]) = moments_of_row(x + r * in, in, layer.numbers[1]);
    return sums_by_channel(in, channels, 2, [&](index_t r, index_t k, index_t c, double* sum) {
      const double centre = of_row.empty() ? mean[std::size_t(c)] : of_row[std::size_t(2 * r)];
      const double factor = of_row.empty() ? inverse[std::size_t(c)] : of_row[std::size_t(2 * r + 1)];
      sum[c] += double(dy[k]) * (double(x[k]) - centre) * factor;
      sum[channels + c] += double(dy[k]);
    });
  }

  void weight_gradient(std::size_t l) {
    const Layer& layer = plan_.layers[l];
    T* gradient = gradient_ + layer.first;
    switch (layer.kind) {
      case LayerKind::dense: dense_gradient_of(l, gradient); break;
      case LayerKind::conv: conv_gradient(l, gradient); break;
      case LayerKind::batch_norm:
      case LayerKind::layer_norm: {
        const auto sums = norm_sums(l);
        for (std::size_t k = 0; k < sums.size(); ++k) gradient[k] = T(sums[k]);
        break;
      }
      case LayerKind::embedding: {
        const index_t units = layer.sizes[1];
        for (index_t k = 0; k < rows_ * layer.in; ++k) {
          if (std::isnan(values_[l].data()[k])) continue;
          T* to = gradient + code(layer, values_[l].data()[k]) * units;
          const T* from = deltas_[l + 1] + k * units;
          for (index_t j = 0; j < units; ++j) to[j] += from[j];
        }
        break;
      }
      case LayerKind::rnn:
      case LayerKind::gru:
      case LayerKind::lstm:
      case LayerKind::attention: sequences_[l]->weight_gradient(rows_, several_threads_, gradient); break;
      default: break;
    }
  }

  void dense_gradient_of(std::size_t l, T* gradient) {
    const Layer& layer = plan_.layers[l];
    const index_t in = layer.in, out = layer.out, block = 48;
    const Memory<T> delta(rows_ * padded<T>(out));
    pad_rows(deltas_[l + 1].data(), rows_, out, delta.data());
    const Blocks blocks(in, block);
    parallel_if(several_threads_, blocks.count, [&](index_t b, int) {
      const index_t begin = blocks.begin(b), height = blocks.end(b) - begin;
      const Memory<T> inputs(rows_ * block);
      for (index_t r = 0; r < rows_; ++r) std::copy_n(values_[l] + r * in + begin, height, inputs + r * block);
      product_of_columns<T>(inputs.data(), rows_, block, height, delta.data(), out, gradient + begin * out);
    });
    sum_columns(deltas_[l + 1].data(), rows_, out, gradient + in * out);
  }

  void conv_gradient(std::size_t l, T* gradient) {
    const Layer& layer = plan_.layers[l];
    const Window window = layer.window();
    const index_t entries = window.entries(), channels = layer.channels_out(), positions = window.positions();
    const Blocks blocks(rows_, std::max(block_size_, (rows_ + most_partial_sums - 1) / most_partial_sums));
    const Memory<T> partial(blocks.count * layer.weights);
    parallel_if(several_threads_, blocks.count, [&](index_t b, int) {
      T* sum = partial + b * layer.weights;
      std::fill_n(sum, layer.weights, T(0));
      const Memory<T> patches(positions * entries), delta(positions * padded<T>(channels)), here(layer.weights);
      for (index_t r = blocks.begin(b); r < blocks.end(b); ++r) {
        const T* dy = deltas_[l + 1] + r * layer.out;
        take_patches(window, values_[l] + r * layer.in, patches.data(), entries);
        pad_rows(dy, positions, channels, delta.data());
        product_of_columns<T>(patches.data(), positions, entries, entries, delta.data(), channels, here.data());
        sum_columns(dy, positions, channels, here + entries * channels);
        for (index_t k = 0; k < layer.weights; ++k) sum[k] += here.data()[k];
      }
    });
    for (index_t b = 0; b < blocks.count; ++b)
      for (index_t k = 0; k < layer.weights; ++k) gradient[k] += partial.data()[b * layer.weights + k];
  }

  const LayerPlan& plan_;
  const T* weights_ = nullptr;
  T* statistics_ = nullptr;
  index_t rows_ = 0, step_ = 0, block_size_ = 0;
  std::uint64_t seed_ = 0;
  bool training_ = false, several_threads_ = false;
  std::vector<char> needed_;
  std::vector<unsigned char> mask_;
  std::vector<std::unique_ptr<SequenceLayer<T>>> sequences_;
  std::vector<Memory<T>> values_, deltas_, panels_, transposed_;
  std::vector<Memory<std::int32_t>> from_;
  std::vector<std::vector<double>> moments_;
  std::vector<double> losses_;
  Memory<T> gradient_;
};

}  // namespace learnable::network
