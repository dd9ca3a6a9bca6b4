// Gradients and Hessians of the most common losses of boosting, with the loss itself, in one pass over the rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/matrix/simd.hpp"
#include "learnable/matrix/simd_exp.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"
#include "learnable/trees/histogram/histograms.hpp"

namespace learnable {

namespace detail {

inline void put(GradHess32& pair, double gradient, double hessian) {
  pair = GradHess32{float(gradient), float(hessian)};
}
inline void put(GradHess64& pair, double gradient, double hessian) { pair = GradHess64{gradient, hessian}; }

// Sums of weighted logarithms; without weights, several factors share one logarithm.
struct LogSum {
  double sum = 0, product = 1;
  int count = 0;

  void add(double factor, double weight, bool weighted) {  // factors are between 1 and 2, or classes and 1 / classes
    if (weighted) {
      sum += weight * std::log(factor);
    } else {
      product *= factor;
      if (++count == 32) flush();
    }
  }
  void flush() {
    sum += std::log(product);
    product = 1;
    count = 0;
  }
  double total() {
    flush();
    return sum;
  }
};

}  // namespace detail

// The rows of a pass, all if none are listed, with targets and weights (ones if there are none).
struct LossRows {
  View<const double> y, weight;
  View<const std::uint32_t> rows;

  index_t count() const { return rows ? rows.size : y.size; }
  index_t row(index_t k) const { return rows ? index_t(rows[k]) : k; }
  double weight_of(index_t row) const { return weight ? weight[row] : 1.0; }

  template <class F>
  double sum_of_blocks(F&& f) const {
    const Blocks blocks(count(), 8192);
    std::vector<double> parts(blocks.count);
    parallel_if(blocks.count > 1, blocks.count,
                [&](index_t block, int) { parts[block] = f(blocks.begin(block), blocks.end(block)); });
    double total = 0;
    for (const double part : parts) total += part;
    return total;
  }
};

// Half the squared error: gradient z - y, Hessian 1.
template <class GradHess>
double squared_grad_hess(const LossRows& at, const double* z, GradHess* grad_hess) {
  return at.sum_of_blocks([&](index_t begin, index_t end) {
    double loss = 0;
    for (index_t k = begin; k < end; ++k) {
      const index_t i = at.row(k);
      const double weight = at.weight_of(i), gap = z[i] - at.y[i];
      detail::put(grad_hess[i], weight * gap, weight);
      loss += weight * gap * gap;
    }
    return loss / 2;
  });
}

// The logistic loss log(1 + e^z) - y z of a class y, 0 or 1.
template <class GradHess>
double logistic_grad_hess(const LossRows& at, const double* z, GradHess* grad_hess) {
  return at.sum_of_blocks([&](index_t begin, index_t end) {
    double loss = 0;
    detail::LogSum logs;
    for (index_t from = begin; from < end; from += lanes) {
      const int together = int(std::min<index_t>(lanes, end - from));
      Lanes size{};
      for (int lane = 0; lane < together; ++lane) size[lane] = -std::abs(z[at.row(from + lane)]);
      const Lanes raised = Exponential(size).value(), smaller = raised / (1 + raised);
      for (int lane = 0; lane < together; ++lane) {
        const index_t i = at.row(from + lane);
        const double weight = at.weight_of(i), y = at.y[i], less = smaller[lane];
        const double gradient = z[i] > 0 ? (1 - y) - less : less - y;
        detail::put(grad_hess[i], weight * gradient, weight * less * (1 - less));
        loss += weight * (z[i] > 0 ? (1 - y) * z[i] : -y * z[i]);
        logs.add(1 + raised[lane], weight, bool(at.weight));
      }
    }
    return loss + logs.total();
  });
}

// The loss log sum_k e^z_k - z_y of a class y in 0 .. classes - 1; scores and gradients are stored class by class. The
// Hessian diagonal is p (1 - p).
template <class GradHess>
double multinomial_grad_hess(const LossRows& at, Grid<const double> z, Grid<GradHess> grad_hess) {
  return at.sum_of_blocks([&](index_t begin, index_t end) {
    double loss = 0;
    detail::LogSum logs;
    std::vector<Lanes> raised(z.rows);
    for (index_t from = begin; from < end; from += lanes) {
      const int together = int(std::min<index_t>(lanes, end - from));
      index_t row[lanes];
      for (int lane = 0; lane < lanes; ++lane) row[lane] = at.row(from + std::min(lane, together - 1));
      Lanes top = Lanes{} - std::numeric_limits<double>::infinity(), total{};
      const auto scores = [&](index_t k) {
        Lanes score{};
        for (int lane = 0; lane < lanes; ++lane) score[lane] = z(k, row[lane]);
        return score;
      };
      for (index_t k = 0; k < z.rows; ++k) {
        const Lanes score = scores(k);
        top = score > top ? score : top;
      }
      for (index_t k = 0; k < z.rows; ++k) total += raised[k] = Exponential(scores(k) - top).value();
      for (int lane = 0; lane < together; ++lane) {
        const index_t i = row[lane], own = index_t(at.y[i]);
        const double weight = at.weight_of(i);
        loss += weight * (top[lane] - z(own, i));
        logs.add(total[lane], weight, bool(at.weight));
        for (index_t k = 0; k < z.rows; ++k) {
          const double probability = raised[k][lane] / total[lane];
          const double gradient = k == own ? (raised[k][lane] - total[lane]) / total[lane] : probability;
          detail::put(grad_hess(k, i), weight * gradient, weight * probability * (1 - probability));
        }
      }
    }
    return loss + logs.total();
  });
}

}  // namespace learnable
