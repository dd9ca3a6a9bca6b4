// Optimisers: one step on a run of weights, with the gradient and the state that each weight keeps in slots.
#pragma once

#include <cmath>

#include "learnable/network/vector_math.hpp"

namespace learnable::network {

enum class Optimiser { sgd, momentum, nesterov, adam, adamw, rmsprop, adagrad, adadelta };
constexpr int optimiser_count = 8;

inline int slot_count(Optimiser kind) {
  switch (kind) {
    case Optimiser::sgd: return 0;
    case Optimiser::adam:
    case Optimiser::adamw:
    case Optimiser::adadelta: return 2;
    default: return 1;
  }
}

// What a step needs besides the gradient. `rate` includes the bias correction of Adam; `decay` is the rate of the
// schedule times the decoupled weight decay of AdamW.
struct OptimiserStep {
  Optimiser kind;
  double rate, first, second, epsilon, decay;
};

// One step on `count` weights, a whole number of vectors; `decayed` says whether weight decay applies to them.
template <class T>
[[gnu::noinline]] void optimiser_step(const OptimiserStep& step, bool decayed, T* w, T* slot, T* other_slot,
                                      const T* gradient, index_t count) {
  using V = LanesOf<T>;
  const T rate = T(step.rate), b1 = T(step.first), b2 = T(step.second), epsilon = T(step.epsilon);
  const T rest1 = T(1 - step.first), rest2 = T(1 - step.second), keep = T(decayed ? 1 - step.decay : 1);
  for (index_t i = 0; i < count; i += lane_count<T>) {
    const V g = load<T>(gradient + i);
    V weight = load<T>(w + i);
    switch (step.kind) {
      case Optimiser::sgd: weight = weight - rate * g; break;
      case Optimiser::momentum:
      case Optimiser::nesterov: {
        const V velocity = b1 * load<T>(slot + i) - rate * g;
        store(slot + i, velocity);
        weight = weight + (step.kind == Optimiser::nesterov ? b1 * velocity - rate * g : velocity);
        break;
      }
      case Optimiser::adam:
      case Optimiser::adamw: {
        const V m = b1 * load<T>(slot + i) + rest1 * g, v = b2 * load<T>(other_slot + i) + rest2 * (g * g);
        store(slot + i, m);
        store(other_slot + i, v);
        weight = keep * weight - rate * m / (square_roots(v) + epsilon);
        break;
      }
      case Optimiser::rmsprop: {
        const V v = b2 * load<T>(slot + i) + rest2 * (g * g);
        store(slot + i, v);
        weight = weight - rate * g / (square_roots(v) + epsilon);
        break;
      }
      case Optimiser::adagrad: {
        const V v = load<T>(slot + i) + g * g;
        store(slot + i, v);
        weight = weight - rate * g / (square_roots(v) + epsilon);
        break;
      }
      case Optimiser::adadelta: {
        const V v = b2 * load<T>(slot + i) + rest2 * (g * g), moved = load<T>(other_slot + i);
        const V move = square_roots(moved + epsilon) / square_roots(v + epsilon) * g;
        store(slot + i, v);
        store(other_slot + i, b2 * moved + rest2 * (move * move));
        weight = weight - rate * move;
        break;
      }
    }
    store(w + i, weight);
  }
}

// Step number `step`, counted from 0, at the rate of the schedule.
inline OptimiserStep optimiser_update(Optimiser kind, double first, double second, double epsilon, double decay,
                                      index_t step, double rate) {
  const double corrected = kind == Optimiser::adam || kind == Optimiser::adamw
                               ? rate * std::sqrt(1 - std::pow(second, double(step + 1))) / (1 - std::pow(first, double(step + 1)))
                               : rate;
  return {kind, corrected, first, second, epsilon, rate * decay};
}

// A step of all weights, with a row of `slots` for each number that the optimiser keeps per weight.
template <class T>
void step_all(const OptimiserStep& update, index_t size, const T* gradient, T* weights, T* slots) {
  constexpr index_t lanes_here = lane_count<T>;
  const int count = slot_count(update.kind);
  const index_t whole = size / lanes_here * lanes_here;
  const auto slot = [&](int s) { return count > s ? slots + s * size : nullptr; };
  optimiser_step(update, true, weights, slot(0), slot(1), gradient, whole);
  T w[lanes_here] = {}, g[lanes_here] = {}, kept[2][lanes_here] = {};
  for (index_t i = whole; i < size; ++i) {
    w[i - whole] = weights[i];
    g[i - whole] = gradient[i];
    for (int s = 0; s < count; ++s) kept[s][i - whole] = slots[s * size + i];
  }
  optimiser_step(update, true, w, kept[0], kept[1], g, lanes_here);
  for (index_t i = whole; i < size; ++i) {
    weights[i] = w[i - whole];
    for (int s = 0; s < count; ++s) slots[s * size + i] = kept[s][i - whole];
  }
}

}  // namespace learnable::network
