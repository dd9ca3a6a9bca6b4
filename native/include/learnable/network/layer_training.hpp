// Training of networks of layers: many steps in a call; and their predictions.
#pragma once

#include "learnable/network/dense_training.hpp"
#include "learnable/network/layer_network.hpp"

namespace learnable::network {

// Sums of the penalised weights: of absolute values, and of squares.
struct PenaltySums {
  double absolute = 0, squares = 0;
};

// Adds the gradients of the penalties to those of the loss.
template <class T>
PenaltySums penalise(const LayerPlan& plan, double l1, double l2, const T* weights, T* gradient) {
  PenaltySums sums;
  for (const Layer& layer : plan.layers) {
    if (layer.frozen) continue;
    for (index_t k = layer.first; k < layer.first + layer.penalised(); ++k) {
      sums.squares += double(weights[k]) * double(weights[k]);
      sums.absolute += std::abs(double(weights[k]));
      gradient[k] += T(l2) * weights[k] + T(l1) * T((weights[k] > 0) - (weights[k] < 0));
    }
  }
  return sums;
}

// A step on a run of weights of any length.
template <class T>
void step_run(const OptimiserStep& update, bool decayed, index_t count, const T* gradient, T* weights, T* slot, T* other) {
  constexpr index_t lanes_here = lane_count<T>;
  const index_t whole = count / lanes_here * lanes_here, rest = count - whole;
  optimiser_step(update, decayed, weights, slot, other, gradient, whole);
  if (rest == 0) return;
  T w[lanes_here] = {}, g[lanes_here] = {}, kept[2][lanes_here] = {};
  std::copy_n(weights + whole, rest, w);
  std::copy_n(gradient + whole, rest, g);
  if (slot) std::copy_n(slot + whole, rest, kept[0]);
  if (other) std::copy_n(other + whole, rest, kept[1]);
  optimiser_step(update, decayed, w, kept[0], kept[1], g, lanes_here);
  std::copy_n(w, rest, weights + whole);
  if (slot) std::copy_n(kept[0], rest, slot + whole);
  if (other) std::copy_n(kept[1], rest, other + whole);
}

template <class T>
void step_layers(const LayerPlan& plan, const TrainingPlan& training, index_t step, double rate, bool several_threads,
                 const T* gradient, T* weights, T* slots) {
  const OptimiserStep update = optimiser_update(training.optimiser, training.first, training.second, training.epsilon,
                                                training.decay, step, rate);
  const int count = slot_count(training.optimiser);
  T *slot = count > 0 ? slots : nullptr, *other = count > 1 ? slots + plan.weights() : nullptr;
  const auto run = [&](index_t first, index_t last, bool decayed) {
    const Blocks blocks(last - first, 8192);
    parallel_if(several_threads, blocks.count, [&](index_t b, int) {
      const index_t at = first + blocks.begin(b), size = blocks.end(b) - blocks.begin(b);
      step_run(update, decayed, size, gradient + at, weights + at, slot ? slot + at : nullptr, other ? other + at : nullptr);
    });
  };
  for (const Layer& layer : plan.layers) {
    if (layer.frozen || layer.weights == 0) continue;
    const index_t border = layer.first + layer.penalised();
    if (border > layer.first) run(layer.first, border, true);
    if (border < layer.first + layer.weights) run(border, layer.first + layer.weights, false);
  }
}

inline double total_weight(const Targets& targets, const std::int64_t* order, index_t rows) {
  if (!targets.weight.size) return double(rows);
  double total = 0;
  for (index_t r = 0; r < rows; ++r) total += targets.weight[order[r]];
  return total;
}

// Steps on the rows `order` in batches of `batch_size`, as train_dense; `statistics` are those of batch normalisation.
template <class T>
index_t train_layers(const LayerPlan& plan, const TrainingPlan& training, const RowSource<T>& X, const Targets& targets,
                     View<const std::int64_t> order, index_t batch_size, index_t first_step, View<const double> rates,
                     T* weights, T* slots, T* statistics, const StepRecords& records) {
  LayerNetwork<T> network(plan, std::min(batch_size, order.size), true);
  const Blocks batches(order.size, batch_size);
  for (index_t done = 0; done < batches.count; ++done) {
    const std::int64_t* rows = order.data + batches.begin(done);
    const index_t count = batches.end(done) - batches.begin(done), step = first_step + done;
    const double total = total_weight(targets, rows, count);
    network.load(weights, statistics);
    network.forward(X, rows, count, training.seed, step, true);
    const double loss = network.backward(targets, rows, total) / total;
    records.objective[done] = loss;
    if (!std::isfinite(loss)) return done;
    network.keep_moments();
    const double share = training.shared ? total : 1.0, l1 = training.l1 / share, l2 = training.l2 / share;
    const PenaltySums sums = penalise(plan, l1, l2, weights, network.gradient());
    double squared = 0;
    for (index_t k = 0; k < plan.weights(); ++k) squared += double(network.gradient()[k]) * double(network.gradient()[k]);
    records.objective[done] = loss + l2 / 2 * sums.squares + l1 * sums.absolute;
    records.squared_norm[done] = squared;
    if (training.clip > 0 && squared > training.clip * training.clip) {
      const T factor = T(training.clip / std::sqrt(squared));
      for (index_t k = 0; k < plan.weights(); ++k) network.gradient()[k] *= factor;
    }
    step_layers(plan, training, step, rates[done], network.several_threads(), network.gradient(), weights, slots);
    poll_interrupt();
  }
  return batches.count;
}

// The weighted sum of the losses of the rows over `total` with its gradient, in training or not; without penalty. Rows
// of a network in training are one batch, others are taken in parts.
template <class T>
double layer_gradient(const LayerPlan& plan, const RowSource<T>& X, const Targets& targets, View<const std::int64_t> order,
                      std::uint64_t seed, index_t step, bool training, const T* weights, T* statistics, T* gradient) {
  const double total = total_weight(targets, order.data, order.size);
  const Blocks parts(order.size, training ? order.size : 240);
  LayerNetwork<T> network(plan, std::min(parts.size, order.size), true);
  network.load(weights, statistics);
  std::fill_n(gradient, plan.weights(), T(0));
  double loss = 0;
  for (index_t part = 0; part < parts.count; ++part) {
    const std::int64_t* rows = order.data + parts.begin(part);
    network.forward(X, rows, parts.end(part) - parts.begin(part), seed, step, training);
    loss += network.backward(targets, rows, total);
    for (index_t k = 0; k < plan.weights(); ++k) gradient[k] += network.gradient()[k];
    poll_interrupt();
  }
  return loss / total;
}

// The values after `depth` layers; after the last one predictions, unless `scores` are needed.
template <class T>
void layer_forward(const LayerPlan& plan, const RowSource<T>& X, const T* weights, T* statistics, index_t depth,
                   bool scores, Grid<T> out) {
  const Blocks parts(out.rows, 240);
  LayerNetwork<T> network(plan, std::min<index_t>(parts.size, out.rows), false);
  network.load(weights, statistics);
  std::vector<std::int64_t> rows;
  for (index_t part = 0; part < parts.count; ++part) {
    rows.clear();
    for (index_t r = parts.begin(part); r < parts.end(part); ++r) rows.push_back(r);
    network.forward(X, rows.data(), index_t(rows.size()), 0, 0, false);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      T* to = &out(rows[r], 0);
      std::copy_n(network.values(std::size_t(depth)) + index_t(r) * out.columns, out.columns, to);
      if (depth == index_t(plan.layers.size()) && !scores) predict_row(plan.loss, to, out.columns);
    }
    poll_interrupt();
  }
}

}  // namespace learnable::network
