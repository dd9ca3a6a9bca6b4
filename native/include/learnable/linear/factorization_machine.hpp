// Factorisation machines of order two: a linear model plus products of columns whose weights are inner products.
//
//   score = w0 + x . w + sum over j < l of (v_j . v_l) x_j x_l
//         = w0 + x . w + sum over f of ((sum_j v_jf x_j)^2 - sum_j v_jf^2 x_j^2) / 2
//
// The second form costs k operations per entry of x. [Rendle, 2010]
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "learnable/matrix/single_row.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/interrupt.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

struct FactorModel {
  double& constant;
  View<double> w;
  Grid<double> v;  // (columns, factors)
};

namespace detail {

template <class Row>
index_t column_of(const Row& x, index_t e) {
  if constexpr (requires { x.index; })
    return index_t(x.index[e]);
  else
    return e;
}

// The score of a row; sums[f] = sum_j v_jf x_j stays behind.
template <class Row>
double factor_score(const Row& x, double constant, View<const double> w, Grid<const double> v, View<double> sums) {
  const index_t factors = v.columns;
  std::fill(sums.begin(), sums.end(), 0.0);
  double linear = 0, squares = 0, products = 0;
  for (index_t e = 0; e < x.size; ++e) {
    const index_t j = column_of(x, e);
    const double value = double(x.value[e]), *row = &v(j, 0);
    linear += value * w[j];
    for (index_t f = 0; f < factors; ++f) {
      const double part = value * row[f];
      sums[f] += part;
      squares += part * part;
    }
  }
  for (double sum : sums) products += sum * sum;
  return constant + linear + (products - squares) / 2;
}

}  // namespace detail

// out[i] = score of row i. Rows do not depend on each other.
template <class Design>
void factor_scores(const Design& X, double constant, View<const double> w, Grid<const double> v, View<double> out) {
  const Blocks blocks(X.rows, 512);
  parallel_for(blocks.count, [&](index_t block, int) {
    std::vector<double> sums(v.columns);
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i)
      out[i] = detail::factor_score(row_of(X, i), constant, w, v, {sums.data(), index_t(sums.size())});
  });
}

struct FactorPlan {
  bool logistic;  // targets -1 and 1 with log(1 + exp(-y z)), otherwise (y - z)^2 / 2
  double rate, shrink_constant, shrink_w, shrink_v;

  double gradient(double y, double z) const { return logistic ? -y / (1 + std::exp(y * z)) : z - y; }
  double cost(double y, double z) const {
    return logistic ? std::max(0.0, -y * z) + std::log1p(std::exp(-std::abs(z))) : 0.5 * (y - z) * (y - z);
  }
};

// One step of gradient descent per row of `order`; weight may be empty. Entries that a row does not touch stay as they
// are, also by the penalty. Returns the sum of weighted losses before the steps, NaN if the model is lost.
template <class Design>
double factor_epoch(const Design& X, const FactorPlan& plan, View<const double> y, View<const double> weight,
                    View<const std::int64_t> order, const FactorModel& model) {
  const index_t factors = model.v.columns;
  std::vector<double> memory(factors);
  const View<double> sums{memory.data(), factors};
  double total = 0;
  index_t work = 0;
  for (std::int64_t i : order) {
    const auto x = row_of(X, i);
    const double z = detail::factor_score(x, model.constant, model.w, model.v, sums);
    const double row_weight = weight.size ? weight[i] : 1;
    total += row_weight * plan.cost(y[i], z);
    const double gradient = row_weight * std::clamp(plan.gradient(y[i], z), -1e6, 1e6);
    model.constant -= plan.rate * (gradient + row_weight * plan.shrink_constant * model.constant);
    for (index_t e = 0; e < x.size; ++e) {
      const index_t j = detail::column_of(x, e);
      const double value = double(x.value[e]);
      if (value == 0) continue;
      model.w[j] -= plan.rate * (gradient * value + row_weight * plan.shrink_w * model.w[j]);
      double* v = &model.v(j, 0);
      for (index_t f = 0; f < factors; ++f)
        v[f] -= plan.rate * (gradient * value * (sums[f] - v[f] * value) + row_weight * plan.shrink_v * v[f]);
    }
    work += (x.size + 16) * (factors + 1);
    if (work > (1 << 22)) poll_interrupt(), work = 0;
  }
  const bool finite = std::isfinite(model.constant) && std::all_of(model.w.begin(), model.w.end(), [](double w) {
    return std::isfinite(w);
  });
  return finite ? total : std::numeric_limits<double>::quiet_NaN();
}

namespace detail {

template <class T, class F>
void each_in_column(const ColumnMajor<T>& X, index_t j, F&& f) {
  const T* column = X.data + j * X.stride;
  for (index_t i = 0; i < X.rows; ++i) f(i, double(column[i]));
}
template <class T, class F>
void each_in_column(const RowMajor<T>& X, index_t j, F&& f) {
  for (index_t i = 0; i < X.rows; ++i) f(i, double(X.data[i * X.stride + j]));
}
template <class T, class F>
void each_in_column(const SparseColumns<T>& X, index_t j, F&& f) {
  for (index_t e = X.start[j]; e < X.start[j + 1]; ++e) f(index_t(X.index[e]), double(X.value[e]));
}

}  // namespace detail

// One sweep that sets each parameter in turn to the minimum of sum_i weight_i residual_i^2 / 2 plus half its penalty
// times its square; the score is linear in each parameter alone. residual = target - score, before and after.
template <class Design>
void factor_sweep(const Design& X, View<const double> weight, double shrink_constant, double shrink_w, double shrink_v,
                  View<double> residual, const FactorModel& model) {
  const index_t n = X.rows;
  double up = 0, down = shrink_constant;
  for (index_t i = 0; i < n; ++i) up += weight[i] * residual[i], down += weight[i];
  const double shift = (up - shrink_constant * model.constant) / down;
  model.constant += shift;
  for (index_t i = 0; i < n; ++i) residual[i] -= shift;
  for (index_t j = 0; j < X.columns; ++j, poll_interrupt()) {
    double numerator = 0, curvature = shrink_w;
    detail::each_in_column(X, j, [&](index_t i, double x) {
      numerator += weight[i] * x * residual[i];
      curvature += weight[i] * x * x;
    });
    if (!(curvature > 0)) continue;
    const double step = (numerator - shrink_w * model.w[j]) / curvature;
    model.w[j] += step;
    detail::each_in_column(X, j, [&](index_t i, double x) { residual[i] -= step * x; });
  }
  std::vector<double> sums(n);
  for (index_t f = 0; f < model.v.columns; ++f) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (index_t j = 0; j < X.columns; ++j)
      detail::each_in_column(X, j, [&](index_t i, double x) { sums[i] += model.v(j, f) * x; });
    for (index_t j = 0; j < X.columns; ++j, poll_interrupt()) {
      double& v = model.v(j, f);
      double numerator = 0, curvature = shrink_v;
      detail::each_in_column(X, j, [&](index_t i, double x) {
        const double h = x * (sums[i] - v * x);
        numerator += weight[i] * h * residual[i];
        curvature += weight[i] * h * h;
      });
      if (!(curvature > 0)) continue;
      const double step = (numerator - shrink_v * v) / curvature, before = v;
      v += step;
      detail::each_in_column(X, j, [&](index_t i, double x) {
        residual[i] -= step * x * (sums[i] - before * x);
        sums[i] += step * x;
      });
    }
  }
}

}  // namespace learnable
