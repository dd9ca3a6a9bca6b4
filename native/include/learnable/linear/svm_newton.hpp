// Newton's method for linear support vector machines (losses in linear/svm_loss.hpp): only rows inside the band have
// curvature, and sums over rows are updated by the rows that have changed.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "learnable/linear/svm_loss.hpp"
#include "learnable/matrix/weighted_gram.hpp"

namespace learnable {

// The centre of the smoothing of each row, and its width in units of the row; a width of zero is none.
struct Band {
  View<const double> unit, centre;
  double width;
};

// Results of a pass over the rows: sums, |w - X'a|^2 / 2, the number of rows inside the band, and whether w is finite.
struct BandEvaluation {
  BoundedSums sums;
  double distance = 0;
  index_t inside = 0;
  bool finite = true;
};

// Rows of X, each followed by `constant` (0: there is none), with their targets and losses.
struct BoundedProblem {
  const AnyRows& X;
  double constant;
  View<const double> target, low, high, curvature;
  double epsilon;

  index_t size() const { return X.columns + (constant != 0); }
  BoundedRows plain() const { return {low, high, curvature, curvature, curvature, epsilon}; }  // without smoothing

  // z_i = x_i v for every row.
  void scores(View<const double> v, View<double> z) const {
    row_products(X, v.data, constant != 0 ? constant * v[X.columns] : 0, z);
  }

  // X'a.
  void rmatvec(View<const double> a, View<double> out) const {
    row_rmatvec(X, a, out.part(0, X.columns));
    if (constant != 0) out[X.columns] = constant * sum_of(a);
  }

  // The objective at w and the duality gap with the dual variables a.
  std::pair<double, double> gap(View<const double> w, View<const double> a) const {
    const Buffer residual(X.rows), transposed(size());
    scores(w, residual);
    for (index_t i = 0; i < X.rows; ++i) residual[i] = target[i] - residual[i];
    rmatvec(a, transposed);
    const BoundedSums sums = sum_losses(plain(), residual, a);
    return {dot(w.data, w.data, w.size) / 2 + sums.loss, distance(w, transposed) + sums.shortfall};
  }

  // New dual variables and states of the residuals r; X'a in `transposed` and the `products` are updated from the old
  // ones.
  BandEvaluation evaluate(const Band& band, View<const double> w, View<const double> r, View<const double> old_dual,
                View<const std::uint8_t> old_state, View<double> dual, View<std::uint8_t> state, View<double> transposed,
                Grid<double> products) const {
    BandEvaluation found;
    found.sums = update_duals(Smoothed(*this, band).rows, r, dual, state);
    follow_dual(old_dual, dual, transposed);
    found.inside = follow_states(band.unit, old_state, state, products);
    found.distance = distance(w, transposed);
    for (const double entry : w) found.finite = found.finite && std::isfinite(entry);
    return found;
  }

  // Line search: w and the residuals r move along `move` to the minimum of the smoothed objective.
  void advance(const Band& band, View<const double> move, View<double> w, View<double> r) const {
    const Buffer along(X.rows);
    scores(move, along);
    const double gradient = dot(move.data, w.data, w.size), curvature = dot(move.data, move.data, w.size);
    const double length = line_minimum(Smoothed(*this, band).rows, r, along, gradient, curvature);
    for (index_t j = 0; j < w.size; ++j) w[j] += length * move[j];
    for (index_t i = 0; i < X.rows; ++i) r[i] -= length * along[i];
  }

 private:
  // Softness and shift of every row within a band.
  struct Smoothed {
    Buffer softness, shift;
    BoundedRows rows;

    Smoothed(const BoundedProblem& problem, const Band& band) : rows(problem.plain()) {
      rows.shift = band.centre;
      if (band.width == 0) return;
      softness = Buffer(problem.X.rows), shift = Buffer(problem.X.rows);
      for (index_t i = 0; i < problem.X.rows; ++i) {
        softness[i] = band.width / band.unit[i];
        shift[i] = softness[i] * band.centre[i];
      }
      rows.softness = softness, rows.shift = shift;
    }
  };

  static double sum_of(View<const double> a) {
    double total = 0;
    for (index_t i = 0; i < a.size; i += bounded_block) {
      double part = 0;
      for (index_t k = i; k < std::min(i + bounded_block, a.size); ++k) part += a[k];
      total += part;
    }
    return total;
  }

  static double distance(View<const double> w, View<const double> transposed) {
    double squares = 0;
    for (index_t j = 0; j < w.size; ++j) squares += (w[j] - transposed[j]) * (w[j] - transposed[j]);
    return squares / 2;
  }

  // X'a, updated by the changed dual variables where these are fewer.
  void follow_dual(View<const double> old, View<const double> dual, View<double> transposed) const {
    std::vector<std::int64_t> moved;
    std::vector<double> change;
    for (index_t i = 0; i < dual.size && 2 * index_t(moved.size()) <= dual.size; ++i)
      if (dual[i] != old[i]) moved.push_back(i), change.push_back(dual[i] - old[i]);
    const index_t count = moved.size();
    if (2 * count > dual.size) return rmatvec(dual, transposed);
    add_selected_rows(X, {moved.data(), count}, {change.data(), count}, transposed.part(0, X.columns));
    if (constant != 0) transposed[X.columns] = constant * sum_of(dual);
  }

  // Products of columns over the rows inside, updated by those that entered or left where these are fewer. Returns the
  // number of rows inside.
  index_t follow_states(View<const double> unit, View<const std::uint8_t> old, View<const std::uint8_t> state,
                        Grid<double> products) const {
    index_t inside = 0, changed = 0;
    for (index_t i = 0; i < state.size; ++i) inside += state[i] != 0, changed += state[i] != old[i];
    const bool from_scratch = changed >= inside;
    std::vector<std::int64_t> chosen;
    std::vector<double> factor;
    for (index_t i = 0; i < state.size; ++i)
      if (from_scratch ? state[i] != 0 : state[i] != old[i])
        chosen.push_back(i), factor.push_back(state[i] ? unit[i] : -unit[i]);
    for (index_t i = 0; from_scratch && i < products.rows; ++i)
      for (double& entry : products.row(i)) entry = 0;
    const index_t count = chosen.size();
    add_selected_gram(X, {chosen.data(), count}, {factor.data(), count}, constant, products);
    return inside;
  }
};

// The matrix I + products / width of Newton's system (a width of zero counts as one) from the part of the products on
// and above the diagonal, with an increase of the diagonal that makes it solvable for any columns.
inline void band_system(Grid<const double> products, double width, Grid<double> matrix) {
  const double divisor = width > 0 ? width : 1;
  double largest = 0;
  for (index_t i = 0; i < products.rows; ++i) {
    largest = std::max(largest, products(i, i) / divisor);
    for (index_t j = i; j < products.rows; ++j) matrix(i, j) = matrix(j, i) = products(i, j) / divisor;
  }
  const double extra = 1 + 4 * std::numeric_limits<double>::epsilon() * largest;
  for (index_t i = 0; i < products.rows; ++i) matrix(i, i) += extra;
}

}  // namespace learnable
