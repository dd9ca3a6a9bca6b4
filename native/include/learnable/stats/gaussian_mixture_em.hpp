// EM for Gaussian mixtures: the E-step and the sums of the M-step in one pass over the rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/gemm_tile.hpp"
#include "learnable/matrix/row_panel.hpp"
#include "learnable/matrix/simd_exp.hpp"
#include "learnable/matrix/strided_values.hpp"
#include "learnable/stats/full_covariance_log_density.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// A row whose responsibility of a component is below this is left out of the sums of that component: all these rows
// together contribute less than rounding.
constexpr double min_responsibility = 1e-20;

// Sums over rows: the weighted log likelihood, and for each component r, r (x - m) and the upper triangle of r (x -
// m)(x - m)', with r the responsibility of the component times the weight of the row, and m its mean before the step.
struct MixtureSums {
  double likelihood = 0;
  Buffer total;
  Scratch shift;
  std::vector<Scratch> products;

  MixtureSums() = default;
  MixtureSums(index_t components, index_t p) : total(components, 0), shift(components, p) {
    shift.clear();
    for (index_t k = 0; k < components; ++k) {
      products.emplace_back(round_up(p, tile_rows), p);
      products.back().clear();
    }
  }

  void add(const MixtureSums& part) {
    likelihood += part.likelihood;
    add_to(total, part.total);
    add_to(shift.memory, part.shift.memory);
    for (std::size_t k = 0; k < products.size(); ++k) add_to(products[k].memory, part.products[k].memory);
  }

 private:
  static void add_to(const Buffer& sums, const Buffer& more) {
    for (index_t e = 0; e < sums.size(); ++e) sums[e] += more[e];
  }
};

namespace detail {

// Converts log joint densities of `lanes` rows, a line for each component, to the roots of weight times responsibility.
// density: the logs of their sums.
inline void compute_responsibilities(double* scores, index_t stride, index_t components, const double* weight,
                                     double* density) {
  Lanes top = load(scores), sum{};
  for (index_t k = 1; k < components; ++k) {
    const Lanes here = load(scores + k * stride);
    top = here > top ? here : top;
  }
  top = top > Lanes{} - HUGE_VAL ? top : Lanes{};
  for (index_t k = 0; k < components; ++k) {
    const Lanes responsibility = decay(load(scores + k * stride) - top);
    sum += responsibility;
    store(scores + k * stride, responsibility);
  }
  const Lanes factor = load(weight) / sum;
  for (index_t k = 0; k < components; ++k) {
    double* responsibility = scores + k * stride;
#pragma omp simd
    for (int lane = 0; lane < lanes; ++lane) responsibility[lane] = __builtin_sqrt(responsibility[lane] * factor[lane]);
  }
  for (int lane = 0; lane < lanes; ++lane) density[lane] = top[lane] + std::log(sum[lane]);
}

// The rows of a panel with nonzero weight in component k, about its mean and times `roots`; also sums their r and r (x
// - m). Returns their number.
inline index_t weight_panel(const Panel& panel, index_t count, const double* apart, const double* roots,
                           const Panel& out, double& total, double* shift) {
  const index_t p = panel.columns();
  index_t selected = 0;
  for (index_t i = 0; i < count; ++i) {
    const double root = roots[i];
    if (!(root * root > min_responsibility)) continue;
    total += root * root;
    for (index_t left = 0; left < p; left += panel_block) {
      const double* row = panel.row(left / panel_block, i);
      double* scaled = out.row(left / panel_block, selected);
      const index_t width = std::min(panel_block, p - left);
#pragma omp simd
      for (index_t j = 0; j < width; ++j) {
        scaled[j] = root * (row[j] - apart[left + j]);
        shift[left + j] += root * scaled[j];
      }
    }
    ++selected;
  }
  return selected;
}

// sums += P'P, upper triangle, for the first `count` rows of the panel.
inline void add_panel_gram(const Panel& panel, index_t count, Grid<double> sums) {
  for (index_t down = 0; down < panel.blocks(); ++down)
    for (index_t across = down; across < panel.blocks(); ++across)
      add_gram_block(panel.row(down, 0), panel.row(across, 0), panel.stride(), count, panel.left(down),
                     round_up(panel.width(down), tile_rows), panel.left(across), round_up(panel.width(across), lanes),
                     sums, [] {});
}

}  // namespace detail

// A step at the given components: precision L L' each, mean apart + centre, and log weight minus half the log
// determinant and the normalisation of the density as constant. Blocks of rows have their own sums, which are added in
// order. About p^2 products for each row and component.
template <class Design>
MixtureSums mixture_pass(const Design& X, const Numbers& weight, const double* centre,
                         const std::vector<Gaussian>& components, const Grid<double>& apart) {
  const index_t p = X.columns, many = index_t(components.size());
  const Blocks groups(X.rows, round_up(std::max<index_t>((X.rows + 63) / 64, 4 * transposed_rows), transposed_rows));
  const bool parallel = X.rows * p * p * many > 1 << 20;
  std::vector<MixtureSums> parts(groups.count);
  parallel_if(parallel, groups.count, [&](index_t group, int) {
    MixtureSums& sums = parts[group] = MixtureSums(many, p);
    const Panel panel(transposed_rows, p), weighted(transposed_rows, p);
    const TransposedPanel transposed(p);
    const Buffer one(transposed_rows, 1), weights(transposed_rows, 1), density(transposed_rows),
        scores(many * transposed_rows);
    for (index_t begin = groups.begin(group); begin < groups.end(group); begin += transposed_rows) {
      const index_t count = std::min(transposed_rows, groups.end(group) - begin);
      fill_panel(X, begin, count, centre, one.data(), panel, 0);
      transposed.fill(panel, count);
      for (index_t k = 0; k < many; ++k) detail::log_densities(transposed, count, components[k],
                                                               &scores[k * transposed_rows]);
      if (weight)
        for (index_t i = 0; i < count; ++i) weights[i] = weight(begin + i);
      for (index_t i = 0; i < count; i += lanes)
        detail::compute_responsibilities(&scores[i], transposed_rows, many, &weights[i], &density[i]);
      for (index_t i = 0; i < count; ++i)
        if (weights[i] > 0) sums.likelihood += weights[i] * density[i];
      for (index_t k = 0; k < many; ++k) {
        const index_t selected = detail::weight_panel(panel, count, &apart(k, 0), &scores[k * transposed_rows], weighted,
                                                  sums.total[k], &sums.shift.grid(k, 0));
        detail::add_panel_gram(weighted, selected, sums.products[k].grid);
      }
    }
  });
  for (index_t group = 1; group < groups.count; ++group) parts[0].add(parts[group]);
  return std::move(parts[0]);
}

}  // namespace learnable
