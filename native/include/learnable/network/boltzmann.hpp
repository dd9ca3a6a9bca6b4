// Persistent contrastive divergence for a machine of binary units.
#pragma once

#include <algorithm>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/network/vector_math.hpp"

namespace learnable::network {

// Weights (units, columns) with contiguous rows, intercepts of both layers, and the hidden units of the chain.
template <class T>
struct BoltzmannMachine {
  Grid<T> weights;
  View<T> hidden, visible;
  Grid<T> samples;
};

namespace detail {

// out[m * step] = a . rows[m] for M rows, side by side so that no sum waits for another.
template <int M, class T>
inline void dots(const T* a, const T* rows, index_t count, index_t step, T* out) {
  constexpr index_t lanes_here = lane_count<T>;
  const index_t whole = count / lanes_here * lanes_here;
  LanesOf<T> sums[M] = {};
  for (index_t k = 0; k < whole; k += lanes_here)
#pragma GCC unroll 8
    for (int m = 0; m < M; ++m) sums[m] = fused(load<T>(a + k), load<T>(rows + m * count + k), sums[m]);
#pragma GCC unroll 8
  for (int m = 0; m < M; ++m) {
    T total = 0;
    for (index_t lane = 0; lane < lanes_here; ++lane) total += sums[m][lane];
    for (index_t k = whole; k < count; ++k) total += a[k] * rows[m * count + k];
    out[m * step] = total;
  }
}

// to += sum over r < count of factors[r * step] rows[r]; vectors of `to` stay in registers.
template <class T>
inline void add_rows(const T* factors, index_t step, const T* rows, index_t count, index_t columns, T* to) {
  constexpr index_t lanes_here = lane_count<T>, group = 4 * lanes_here;
  index_t k = 0;
  for (; k + group <= columns; k += group) {
    LanesOf<T> sums[4];
    for (int m = 0; m < 4; ++m) sums[m] = load<T>(to + k + m * lanes_here);
    for (index_t r = 0; r < count; ++r) {
      const LanesOf<T> factor = factors[r * step] - LanesOf<T>{};
#pragma GCC unroll 4
      for (int m = 0; m < 4; ++m) sums[m] = fused(factor, load<T>(rows + r * columns + k + m * lanes_here), sums[m]);
    }
    for (int m = 0; m < 4; ++m) store(to + k + m * lanes_here, sums[m]);
  }
  for (; k < columns; ++k)
    for (index_t r = 0; r < count; ++r) to[k] += factors[r * step] * rows[r * columns + k];
}

template <class T>
inline void logistic_entries(T* z, index_t count) {
  constexpr index_t lanes_here = lane_count<T>;
  index_t k = 0;
  for (; k + lanes_here <= count; k += lanes_here) store(z + k, logistic<T>(load<T>(z + k)));
  LanesOf<T> rest{};
  for (index_t i = k; i < count; ++i) rest[i - k] = z[i];
  rest = logistic<T>(rest);
  for (index_t i = k; i < count; ++i) z[i] = rest[i - k];
}

}  // namespace detail

// The probabilities that the hidden units of rows are one; out has a row for each.
template <class T>
void hidden_probabilities(const BoltzmannMachine<T>& machine, const T* rows, index_t count, T* out) {
  const index_t units = machine.weights.rows, columns = machine.weights.columns;
  for (index_t j = 0; j < units; ++j) {
    const T* weights = &machine.weights(j, 0);
    index_t r = 0;
    for (; r + 5 <= count; r += 5) detail::dots<5>(weights, rows + r * columns, columns, units, out + r * units + j);
    for (; r < count; ++r) detail::dots<1>(weights, rows + r * columns, columns, units, out + r * units + j);
    for (r = 0; r < count; ++r) out[r * units + j] += machine.hidden[j];
  }
  detail::logistic_entries(out, count * units);
}

// One step on `count` rows: along their statistics less those of the chain, which goes on by one step with the `draws`,
// one for each column and then for each unit of its rows. `space` has (count + chain) units + chain columns numbers.
template <class T>
void divergence_step(const BoltzmannMachine<T>& machine, const T* rows, index_t count, const double* draws, T rate, T* space) {
  const index_t units = machine.weights.rows, columns = machine.weights.columns, chain = machine.samples.rows;
  T *hidden = space, *other = hidden + count * units, *visible = other + chain * units;
  hidden_probabilities(machine, rows, count, hidden);
  for (index_t r = 0; r < chain; ++r) {
    std::copy_n(machine.visible.data, columns, visible + r * columns);
    detail::add_rows(&machine.samples(r, 0), 1, machine.weights.data, units, columns, visible + r * columns);
  }
  detail::logistic_entries(visible, chain * columns);
  for (index_t k = 0; k < chain * columns; ++k) visible[k] = T(draws[k] < double(visible[k]));
  hidden_probabilities(machine, visible, chain, other);
  for (index_t k = 0; k < chain * units; ++k) machine.samples.data[k] = T(draws[chain * columns + k] < double(other[k]));
  for (index_t k = 0; k < count * units; ++k) hidden[k] *= rate;
  for (index_t k = 0; k < chain * units; ++k) other[k] *= -rate;
  for (index_t j = 0; j < units; ++j) {
    detail::add_rows(hidden + j, units, rows, count, columns, &machine.weights(j, 0));
    detail::add_rows(other + j, units, visible, chain, columns, &machine.weights(j, 0));
    for (index_t r = 0; r < count; ++r) machine.hidden[j] += hidden[r * units + j];
    for (index_t r = 0; r < chain; ++r) machine.hidden[j] += other[r * units + j];
  }
  detail::add_rows(&rate, 0, rows, count, columns, machine.visible.data);
  const T back = -rate;
  detail::add_rows(&back, 0, visible, chain, columns, machine.visible.data);
}

}  // namespace learnable::network
