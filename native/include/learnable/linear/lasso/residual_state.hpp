// Residual and correlations of a problem (columns, target, penalty) at given coefficients, exact to rounding.
//
// Problems that differ in weights and targets but not in X are evaluated together, which reads X once for all of them.
#pragma once

#include "learnable/linear/lasso/standardised_columns.hpp"

namespace learnable::coordinate {

// State at coefficients w (count, targets): residual = z / root - fit (targets, rows), also for rows of weight zero;
// correlation(t, j) = a_j . (root residual_t); square = |root residual|^2.
struct ResidualState {
  Numbers w, residual, correlation;
  double square = 0;
};

// The target in units of its weighted length: z = root target, |z| = 1.
struct Target {
  index_t several = 1;
  Numbers values;  // (targets, rows)
  double norm = 0;

  // y is (targets, rows), centred by its weighted mean if there is an intercept.
  void set(const Columns& A, Grid<const double> y) {
    several = y.rows;
    values.assign(y.rows * y.columns, 0.0);
    norm = 0;
    double largest = 0, square = 0;
    for (index_t t = 0; t < y.rows; ++t)
      for (index_t i = 0; i < y.columns; ++i) largest = std::max(largest, std::abs(y(t, i)) * (A.root[i] > 0));
    if (largest == 0) return;
    for (index_t t = 0; t < y.rows; ++t)
      for (index_t i = 0; i < y.columns; ++i) {
        values[t * y.columns + i] = y(t, i) / largest;
        square += std::pow(values[t * y.columns + i] * A.root[i], 2);
      }
    for (double& value : values) value /= std::sqrt(square);
    norm = largest * std::sqrt(square);
  }
};

// One of the states to compute together.
struct Request {
  const Columns* A;
  const Target* target;
  ResidualState* state;
};

inline Indices support_of(const Numbers& w, index_t width) {
  Indices support;
  for (index_t j = 0; j * width < index_t(w.size()); ++j)
    if (std::any_of(&w[j * width], &w[j * width] + width, [](double entry) { return entry != 0; })) support.push_back(j);
  return support;
}

// Computes the residual on the rows [begin, end); entries of other rows are left as they are.
inline void compute_residual(const Columns& A, const Target& target, index_t begin, index_t end, ResidualState& state) {
  const index_t width = target.several;
  const Indices support = support_of(state.w, width);
  const index_t size = index_t(support.size());
  Numbers packed(width * size);
  for (index_t t = 0; t < width; ++t)
    for (index_t k = 0; k < size; ++k) packed[t * size + k] = state.w[support[k] * width + t];
  state.residual.resize(target.values.size());
  const Grid<double> residual{state.residual.data(), width, A.rows, A.rows};
  A.scores(support, {packed.data(), width, size, size}, begin, end, residual);
  for (index_t t = 0; t < width; ++t)
    for (index_t i = begin; i < end; ++i) residual(t, i) = target.values[t * A.rows + i] - residual(t, i);
}

// Computes all states from the data.
inline void compute_states(const std::vector<Request>& requests) {
  if (requests.empty()) return;
  const Columns& first = *requests[0].A;
  index_t vectors = 0;
  for (const auto& [A, target, state] : requests) compute_residual(*A, *target, 0, A->rows, *state),
      vectors += target->several;
  Numbers v(vectors * first.rows), products(vectors * first.count);
  index_t at = 0;
  for (const auto& [A, target, state] : requests)
    for (index_t t = 0; t < target->several; ++t, ++at)
      for (index_t i = 0; i < A->rows; ++i) v[at * A->rows +
                                              i] = A->root[i] * A->root[i] * state->residual[t * A->rows + i];
  first.products({v.data(), vectors, first.rows, first.rows}, {products.data(), vectors, first.count, first.count});
  at = 0;
  for (const auto& [A, target, state] : requests) {
    state->correlation.resize(target->several * A->count);
    state->square = 0;
    for (index_t t = 0; t < target->several; ++t, ++at) {
      double total = 0;
      for (index_t i = 0; i < A->rows; ++i) {
        total += v[at * A->rows + i];
        state->square += v[at * A->rows + i] * state->residual[t * A->rows + i];
      }
      for (index_t j = 0; j < A->count; ++j)
        state->correlation[t * A->count + j] =
            (products[at * A->count + j] - (A->mean[j] - first.mean[j]) * total) * A->inverse_norm[j];
    }
  }
}

}  // namespace learnable::coordinate
