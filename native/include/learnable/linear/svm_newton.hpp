// Linear support vector machines as Newton's method sees them (linear/svm_loss.hpp has their prices): only rows inside the band
// have curvature, and what is summed over rows follows those that have changed.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "learnable/linear/svm_loss.hpp"
#include "learnable/matrix/weighted_gram.hpp"

namespace learnable {

// Where the smoothing of each row has its centre, and how wide it is in units of the row; a width of zero is none.
struct Band {
  View<const double> unit, centre;
  double width;
};

// What a look at the rows finds: sums over them, |w - X'a|^2 / 2, rows inside the band, and whether w is finite.
struct BandLook {
  BoundedSums sums;
  double owed = 0;
  index_t inside = 0;
  bool finite = true;
};

// Rows of X, each followed by `constant` (0: there is none), with their targets and prices.
struct BoundedProblem {
  const RowFace& X;
  double constant;
  View<const double> target, low, high, bend;
  double epsilon;

  index_t size() const { return X.columns + (constant != 0); }
  BoundedRows plain() const { return {low, high, bend, bend, bend, epsilon}; }  // for prices alone

  // z_i = x_i v for every row.
  void scores(View<const double> v, View<double> z) const {
    row_products(X, v.data, constant != 0 ? constant * v[X.columns] : 0, z);
  }

  // X'a.
  void pullback(View<const double> a, View<double> out) const {
    row_pullback(X, a, out.part(0, X.columns));
    if (constant != 0) out[X.columns] = constant * sum_of(a);
  }

  // The objective at w, and by how much it can at most be above the least, as the dual variables a prove.
  std::pair<double, double> gap(View<const double> w, View<const double> a) const {
    const Buffer residual(X.rows), pulled(size());
    scores(w, residual);
    for (index_t i = 0; i < X.rows; ++i) residual[i] = target[i] - residual[i];
    pullback(a, pulled);
    const BoundedSums sums = charge(plain(), residual, a);
    return {dot(w.data, w.data, w.size) / 2 + sums.price, owed(w, pulled) + sums.shortfall};
  }

  // New dual variables and places of the residuals r; `pulled` and `products` go from those of the old ones to theirs.
  BandLook look(const Band& band, View<const double> w, View<const double> r, View<const double> old_dual,
                View<const std::uint8_t> old_place, View<double> dual, View<std::uint8_t> place, View<double> pulled,
                Grid<double> products) const {
    BandLook found;
    found.sums = look_at_rows(Smoothed(*this, band).rows, r, dual, place);
    follow_dual(old_dual, dual, pulled);
    found.inside = follow_places(band.unit, old_place, place, products);
    found.owed = owed(w, pulled);
    for (const double entry : w) found.finite = found.finite && std::isfinite(entry);
    return found;
  }

  // w and the residuals r go along `move` to where the smoothed objective is least.
  void advance(const Band& band, View<const double> move, View<double> w, View<double> r) const {
    const Buffer along(X.rows);
    scores(move, along);
    const double slope = dot(move.data, w.data, w.size), bent = dot(move.data, move.data, w.size);
    const double length = line_minimum(Smoothed(*this, band).rows, r, along, slope, bent);
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

  static double owed(View<const double> w, View<const double> pulled) {
    double squares = 0;
    for (index_t j = 0; j < w.size; ++j) squares += (w[j] - pulled[j]) * (w[j] - pulled[j]);
    return squares / 2;
  }

  // X'a by the change of those that have changed, where these are fewer.
  void follow_dual(View<const double> old, View<const double> dual, View<double> pulled) const {
    std::vector<std::int64_t> moved;
    std::vector<double> change;
    for (index_t i = 0; i < dual.size && 2 * index_t(moved.size()) <= dual.size; ++i)
      if (dual[i] != old[i]) moved.push_back(i), change.push_back(dual[i] - old[i]);
    const index_t count = moved.size();
    if (2 * count > dual.size) return pullback(dual, pulled);
    add_chosen_rows(X, {moved.data(), count}, {change.data(), count}, pulled.part(0, X.columns));
    if (constant != 0) pulled[X.columns] = constant * sum_of(dual);
  }

  // Products of columns over the rows inside, by those that entered or left where these are fewer. How many are inside.
  index_t follow_places(View<const double> unit, View<const std::uint8_t> old, View<const std::uint8_t> place,
                        Grid<double> products) const {
    index_t inside = 0, changed = 0;
    for (index_t i = 0; i < place.size; ++i) inside += place[i] != 0, changed += place[i] != old[i];
    const bool anew = changed >= inside;
    std::vector<std::int64_t> chosen;
    std::vector<double> factor;
    for (index_t i = 0; i < place.size; ++i)
      if (anew ? place[i] != 0 : place[i] != old[i])
        chosen.push_back(i), factor.push_back(place[i] ? unit[i] : -unit[i]);
    for (index_t i = 0; anew && i < products.rows; ++i)
      for (double& entry : products.row(i)) entry = 0;
    const index_t count = chosen.size();
    add_chosen_products(X, {chosen.data(), count}, {factor.data(), count}, constant, products);
    return inside;
  }
};

// The matrix I + products / width of Newton's system (a width of zero counts as one) from the part of the products on
// and above the diagonal, which gets as much more as makes it solvable whatever the columns are.
inline void band_system(Grid<const double> products, double width, Grid<double> matrix) {
  const double wide = width > 0 ? width : 1;
  double largest = 0;
  for (index_t i = 0; i < products.rows; ++i) {
    largest = std::max(largest, products(i, i) / wide);
    for (index_t j = i; j < products.rows; ++j) matrix(i, j) = matrix(j, i) = products(i, j) / wide;
  }
  const double extra = 1 + 4 * std::numeric_limits<double>::epsilon() * largest;
  for (index_t i = 0; i < products.rows; ++i) matrix(i, i) += extra;
}

}  // namespace learnable
