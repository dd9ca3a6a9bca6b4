// Weight, mean and scatter of the rows of each class of a dense design.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/selected_rows.hpp"
#include "learnable/stats/class_order.hpp"
#include "learnable/stats/moments.hpp"

namespace learnable {

namespace detail {

// Buffered rows of each class, and the moments of the rows already processed.
class ClassPanels {
 public:
  ClassPanels(index_t classes, index_t p) : waiting_(classes, 0) {
    for (index_t k = 0; k < classes; ++k) panels_.emplace_back(tile_depth, p + 1);
  }

  // Moments of the rows [begin, end) of each class, in the order of the rows, into `parts`, which must be empty.
  void take(const AnyDense& X, View<const std::int64_t> code, const Numbers& weight, index_t begin, index_t end,
            std::vector<Comoments>& parts) {
    X.visit([&](const auto& design) { take_rows(design, code, weight, begin, end, parts); });
    for (std::size_t k = 0; k < panels_.size(); ++k) {
      multiply(k, parts[k]);
      for (index_t j = 0; j < X.columns; ++j) parts[k].sums[j] = parts[k].products.grid(j, X.columns);
    }
  }

 private:
  static constexpr index_t sample = 32;  // rows for the shift of a class
  std::vector<Panel> panels_;
  std::vector<index_t> waiting_;

  // The part of `take` that reads row by row, compiled for each storage.
  template <class Design>
  void take_rows(const Design& X, View<const std::int64_t> code, const Numbers& weight, index_t begin, index_t end,
                 std::vector<Comoments>& parts) {
    choose_shifts(X, code, weight, begin, end, parts);
    for (index_t i = begin; i < end; ++i) {
      const index_t k = code[i];
      double root;
      parts[k].weight += read_roots(weight, i, 1, &root);
      fill_panel(X, i, 1, parts[k].shift.data(), &root, panels_[k], waiting_[k]);
      panels_[k](waiting_[k], X.columns) = root;
      if (++waiting_[k] == tile_depth) multiply(k, parts[k]);
    }
  }

  void multiply(index_t k, Comoments& sums) {
    if (waiting_[k]) add_products(panels_[k], waiting_[k], sums, {});
    waiting_[k] = 0;
  }

  // The mean of the first rows of each class.
  template <class Design>
  void choose_shifts(const Design& X, View<const std::int64_t> code, const Numbers& weight, index_t begin, index_t end,
                     std::vector<Comoments>& parts) const {
    std::vector<index_t> seen(parts.size(), 0);
    const Buffer zero(X.columns, 0);
    const Panel row(1, X.columns);
    const double one = 1;
    for (index_t i = begin; i < end; ++i) {
      const index_t k = code[i];
      if (seen[k] == sample || (weight && !(weight(i) > 0))) continue;
      fill_panel(X, i, 1, zero.data(), &one, row, 0);
      ++seen[k];
      for (index_t j = 0; j < X.columns; ++j) parts[k].shift[j] += (row(0, j) - parts[k].shift[j]) / double(seen[k]);
    }
  }
};

// Whether the moments of all classes fit into the caches together.
inline bool fit_together(index_t classes, index_t p) {
  return p <= wide_design && classes * p * p <= index_t(1) << 19;
}

// f(k, moments of class k) for each class, from one pass over the rows in their order.
template <class F>
void for_classes_together(const AnyDense& X, View<const std::int64_t> code, index_t classes, const Numbers& weight,
                          F&& f) {
  const Blocks groups(X.rows, std::max<index_t>(rows_per_group(X.rows, X.columns, 0), 2 * tile_depth * classes));
  const index_t at_once = std::min<index_t>(groups.count, 2 * threads_for(groups.count));
  std::vector<ClassPanels> panels;
  for (int slot = 0; slot < threads_for(at_once); ++slot) panels.emplace_back(classes, X.columns);
  std::vector<std::vector<Comoments>> parts(at_once);
  for (auto& part : parts) part.resize(classes);
  std::vector<Comoments> totals(classes);
  for (index_t first = 0; first < groups.count; first += at_once) {
    const index_t count = std::min(at_once, groups.count - first);
    parallel_for(count, [&](index_t g, int slot) {
      for (Comoments& part : parts[g]) part.emptied(X.columns, 0);
      panels[slot].take(X, code, weight, groups.begin(first + g), groups.end(first + g), parts[g]);
    });
    for (index_t g = 0; g < count; ++g)
      for (index_t k = 0; k < classes; ++k)
        if (totals[k].weight > 0)
          totals[k].merge(parts[g][k]);
        else
          std::swap(totals[k], parts[g][k]), totals[k].centre();
  }
  for (index_t k = 0; k < classes; ++k) f(k, totals[k]);
}

// The same class by class, with selected rows.
template <class F>
void for_classes_in_turn(const AnyDense& X, View<const std::int64_t> code, index_t classes, const Numbers& weight,
                         F&& f) {
  const ClassOrder order(code, classes);
  const Buffer weights(weight ? X.rows : 0);
  for (index_t i = 0; i < weights.size(); ++i) weights[i] = weight(order.order[i]);
  for (index_t k = 0; k < classes; ++k) {
    const index_t first = order.start[k], count = order.start[k + 1] - first;
    const SelectedRows rows{X, order.rows(k)};
    const Numbers none{nullptr, count, 0, 0, 0, true};
    const Numbers its_weight{weight ? weights.data() + first : nullptr, count, 1, 1, 0, true};
    f(k, moments(rows, none, its_weight, true));
  }
}

}  // namespace detail

// Calls f(k, moments of the rows of class k) for each class in turn. X is read once; bits do not depend on threads.
template <class F>
void for_class_moments(const AnyDense& X, View<const std::int64_t> code, index_t classes, const Numbers& weight,
                       F&& f) {
  if (X.rows >= 64 * classes && detail::fit_together(classes, X.columns))
    detail::for_classes_together(X, code, classes, weight, f);
  else
    detail::for_classes_in_turn(X, code, classes, weight, f);
}

// scatter(i, j) += products of columns i and j, for j >= i.
inline void add_scatter(const Comoments& sums, Grid<double> scatter) {
  const Blocks rows(sums.p, 64);
  parallel_if(sums.p * sums.p > 1 << 16, rows.count, [&](index_t block, int) {
    for (index_t i = rows.begin(block); i < rows.end(block); ++i)
      for (index_t j = i; j < sums.p; ++j) scatter(i, j) += sums.products.grid(i, j);
  });
}

// The lower triangle from the upper one.
inline void mirror(Grid<double> square) {
  for (index_t i = 0; i < square.rows; ++i)
    for (index_t j = 0; j < i; ++j) square(i, j) = square(j, i);
}

}  // namespace learnable
