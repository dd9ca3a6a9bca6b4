// Training of networks of dense layers: many steps in a call.
//
// A step has two parts, each over fixed blocks: rows go through all layers and back, and rows of the weight matrices get
// their gradient over the whole batch and are stepped at once. No sum runs over threads: bits do not depend on them.
#pragma once

#include "learnable/network/dense_batch.hpp"

namespace learnable::network {

// The objective and the squared norm of the gradient of each step.
struct StepRecords {
  View<double> objective, squared_norm;
};

template <class T>
class DenseTraining {
 public:
  DenseTraining(const DensePlan& plan, const TrainingPlan& training, PackedWeights<T>& weights, index_t most_rows)
      : plan_(plan), training_(training), weights_(weights), batch_(plan, weights, most_rows),
        sums_(batch_.weight_blocks().size()) {
    if (training.clip > 0) gradient_ = Memory<T>(weights.size());
    several_threads_ = double(most_rows) * double(weights.size()) > work_for_threads;
  }

  // A step on the rows order[0 .. rows); `step` counts from 0, `rate` is that of the schedule. False, and no weight
  // is changed, if the loss is not finite.
  bool step(const RowSource<T>& X, const Targets& targets, const std::int64_t* order, index_t rows, index_t step,
            double rate, double& objective, double& squared_norm) {
    double total = double(rows);
    if (targets.weight.size) {
      total = 0;
      for (index_t r = 0; r < rows; ++r) total += targets.weight[order[r]];
    }
    const double loss = batch_.run(X, targets, order, rows, total, training_.seed, step, several_threads_) / total;
    objective = loss;
    if (!std::isfinite(loss)) return false;
    l1_ = training_.shared ? training_.l1 / total : training_.l1;
    l2_ = training_.shared ? training_.l2 / total : training_.l2;
    const OptimiserStep update = optimiser_update(training_.optimiser, training_.first, training_.second,
                                                  training_.epsilon, training_.decay, step, rate);
    const bool clipping = training_.clip > 0;
    over_blocks([&](std::size_t b) { sums_[b] = clipping ? measure(b) : descend(b, update, nullptr, 1.0); });
    Sums all;
    for (const Sums& sums : sums_) all.add(sums);
    squared_norm = all.gradient;
    objective = loss + l2_ / 2 * all.squares + l1_ * all.absolute;
    if (clipping) {
      const double norm = std::sqrt(all.gradient), factor = norm > training_.clip ? training_.clip / norm : 1.0;
      over_blocks([&](std::size_t b) { descend(b, update, gradient_.data(), factor); });
    }
    return true;
  }

 private:
  struct Sums {  // of the weights without intercepts, and of the gradient
    double squares = 0, absolute = 0, gradient = 0;
    void add(const Sums& other) {
      squares += other.squares;
      absolute += other.absolute;
      gradient += other.gradient;
    }
  };

  template <class F>
  void over_blocks(F&& f) {
    parallel_if(several_threads_, index_t(batch_.weight_blocks().size()), [&](index_t b, int) { f(std::size_t(b)); });
  }

  // Adds the gradient of the penalty to that of a run of rows, whose weights are w, and sums up.
  void penalise(const T* w, bool intercept, T* gradient, index_t count, Sums& sums) const {
    const T l1 = T(l1_), l2 = T(l2_);
    if (!intercept) {
      sums.squares += sum_of(w, count, [](auto v) { return v * v; });
      if (l2 != 0)
        for (index_t i = 0; i < count; ++i) gradient[i] += l2 * w[i];
      if (l1 != 0) {
        sums.absolute += sum_of(w, count, [](auto v) { return v < 0 ? -v : v; });
        for (index_t i = 0; i < count; ++i) gradient[i] += w[i] > 0 ? l1 : w[i] < 0 ? -l1 : T(0);
      }
    }
    sums.gradient += sum_of(gradient, count, [](auto v) { return v * v; });
  }

  // The sum of f over a whole number of vectors.
  template <class F>
  static double sum_of(const T* x, index_t count, F f) {
    LanesOf<T> lanes_sum{};
    for (index_t i = 0; i < count; i += lane_count<T>) lanes_sum += f(load<T>(x + i));
    double total = 0;
    for (int lane = 0; lane < lane_count<T>; ++lane) total += double(lanes_sum[lane]);
    return total;
  }

  // use(layer, offset in its panels, intercept, gradient, count) for each run of rows of a block, intercepts apart.
  template <class F>
  void runs(std::size_t b, F&& use) const {
    const auto& block = batch_.weight_blocks()[b];
    const DenseLayer& layer = plan_.layers[block.layer];
    constexpr index_t width = panel_width<T>;
    batch_.gradients(block, [&](index_t p, index_t row, index_t rows, T* gradient) {
      const index_t offset = (p * (layer.in + 1) + row) * width, free = std::min(rows, layer.in - row);
      if (free > 0) use(block.layer, offset, false, gradient, free * width);
      if (free < rows) use(block.layer, offset + free * width, true, gradient + free * width, width);
    });
  }

  Sums measure(std::size_t b) {
    Sums sums;
    runs(b, [&](std::size_t layer, index_t offset, bool intercept, T* gradient, index_t count) {
      penalise(weights_.panels(layer) + offset, intercept, gradient, count, sums);
      std::copy_n(gradient, count, gradient_ + (weights_.panels(layer) - weights_.panels(0)) + offset);
    });
    return sums;
  }

  // A step of the weights of a block by their gradient, or by `factor` times the one that was measured.
  Sums descend(std::size_t b, const OptimiserStep& update, const T* measured, double factor) {
    Sums sums;
    const auto apply = [&](std::size_t layer, index_t offset, bool intercept, T* gradient, index_t count) {
      T* w = weights_.panels(layer) + offset;
      if (measured) {
        const T* from = measured + (weights_.panels(layer) - weights_.panels(0)) + offset;
        for (index_t i = 0; i < count; ++i) gradient[i] = T(factor) * from[i];
      } else {
        penalise(w, intercept, gradient, count, sums);
      }
      optimiser_step(update, !intercept, w, slot(layer, 1, offset), slot(layer, 2, offset), gradient, count);
    };
    const auto& block = batch_.weight_blocks()[b];
    if (measured)
      measured_runs(block, apply);
    else
      runs(b, apply);
    if (block.layer > 0) weights_.transpose(block.layer, block.begin, block.end);
    return sums;
  }

  template <class F>
  void measured_runs(const typename Batch<T>::WeightBlock& block, F&& use) const {
    const DenseLayer& layer = plan_.layers[block.layer];
    constexpr index_t width = panel_width<T>;
    std::vector<T> gradient(std::size_t((block.end - block.begin) * width));
    for (index_t p = 0; p < panels_of<T>(layer.out); ++p) {
      const index_t offset = (p * (layer.in + 1) + block.begin) * width, free = std::min(block.end, layer.in) - block.begin;
      if (free > 0) use(block.layer, offset, false, gradient.data(), free * width);
      if (block.end > layer.in) use(block.layer, offset + free * width, true, gradient.data(), width);
    }
  }

  T* slot(std::size_t layer, int s, index_t offset) const {
    return weights_.slots() >= s ? weights_.panels(layer, s) + offset : nullptr;
  }

  const DensePlan& plan_;
  const TrainingPlan& training_;
  PackedWeights<T>& weights_;
  Batch<T> batch_;
  std::vector<Sums> sums_;
  Memory<T> gradient_;
  double l1_ = 0, l2_ = 0;
  bool several_threads_ = false;
};

// Steps on the rows `order` in batches of `batch_size` (the last may be smaller), the first of them step number
// `first_step`, with a rate for each. Weights and slots are changed in place. Returns the number of steps done: fewer
// than there are batches if a loss is not finite. If it throws, weights and slots are as they were.
template <class T>
index_t train_dense(const DensePlan& plan, const TrainingPlan& training, const RowSource<T>& X, const Targets& targets,
                    View<const std::int64_t> order, index_t batch_size, index_t first_step, View<const double> rates,
                    T* weights, T* slots, const StepRecords& records) {
  PackedWeights<T> packed(plan, weights, slots, slot_count(training.optimiser), true);
  DenseTraining<T> network(plan, training, packed, std::min(batch_size, order.size));
  const Blocks batches(order.size, batch_size);
  index_t done = 0;
  for (; done < batches.count; ++done) {
    const index_t begin = batches.begin(done);
    if (!network.step(X, targets, order.data + begin, batches.end(done) - begin, first_step + done, rates[done],
                      records.objective[done], records.squared_norm[done]))
      break;
    poll_interrupt();
  }
  packed.unpack_to(weights, slots);
  return done;
}

constexpr index_t gradient_rows = 960;  // rows that are held at once where all rows make one gradient

// The weighted sum of the losses of the rows over `total`, and its gradient by all weights; without penalty.
template <class T>
double dense_gradient(const DensePlan& plan, const RowSource<T>& X, const Targets& targets,
                      View<const std::int64_t> order, double total, std::uint64_t seed, index_t step, const T* weights,
                      T* gradient) {
  PackedWeights<T> packed(plan, weights, nullptr, 0, true);
  const Memory<T> sums(packed.size());
  std::fill_n(sums.data(), packed.size(), T(0));
  const Blocks chunks(order.size, gradient_rows);
  Batch<T> batch(plan, packed, std::min(gradient_rows, order.size));
  const bool several_threads = double(order.size) * double(packed.size()) > work_for_threads;
  double loss = 0;
  for (index_t c = 0; c < chunks.count; ++c) {
    loss += batch.run(X, targets, order.data + chunks.begin(c), chunks.end(c) - chunks.begin(c), total, seed, step,
                      several_threads);
    parallel_if(several_threads, index_t(batch.weight_blocks().size()), [&](index_t b, int) {
      const auto& block = batch.weight_blocks()[std::size_t(b)];
      T* base = sums + (packed.panels(block.layer) - packed.panels(0));
      batch.gradients(block, [&](index_t p, index_t row, index_t rows, const T* found) {
        T* to = base + (p * (plan.layers[block.layer].in + 1) + row) * panel_width<T>;
        for (index_t i = 0; i < rows * panel_width<T>; ++i) to[i] += found[i];
      });
    });
    poll_interrupt();
  }
  for (std::size_t l = 0; l < plan.layers.size(); ++l) {
    const DenseLayer& layer = plan.layers[l];
    unpack(sums + (packed.panels(l) - packed.panels(0)), layer.in + 1, layer.out, gradient + layer.first);
  }
  return loss / total;
}

}  // namespace learnable::network
