// A dense design whose rows are taken about the mean of their class; nothing is copied.
#pragma once

#include <cstdint>

#include "learnable/matrix/type_erased_dense.hpp"
#include "learnable/matrix/view.hpp"

namespace learnable {

struct ClassCentred {
  static constexpr bool dense = true;
  const AnyDense& base;
  View<const std::int64_t> code;
  Grid<const double> means;  // a row per class
  index_t rows = base.rows, columns = base.columns;
};

// As for other designs; `centre` is ignored, because rows are centred already.
inline void fill_panel(const ClassCentred& X, index_t begin, index_t count, const double*, const double* scale,
                       const Panel& panel, index_t first) {
  const auto mean_of = [&](index_t k) { return &X.means(X.code[begin + k], 0); };
  if (X.base.by_rows)
    return X.base.visit([&](const auto& design) {
      for (index_t k = 0; k < count; ++k) fill_panel(design, begin + k, 1, mean_of(k), scale + k, panel, first + k);
    });
  const Buffer zero(X.columns, 0), one(count, 1);
  fill_panel(X.base, begin, count, zero.data(), one.data(), panel, first);
  for (index_t k = 0; k < count; ++k) {
    const double* mean = mean_of(k);
    for (index_t block = 0, left = 0; left < X.columns; left = panel.left(++block)) {
      double* row = panel.row(block, first + k);
      const index_t width = std::min(panel.width(block), X.columns - left);
#pragma omp simd
      for (index_t j = 0; j < width; ++j) row[j] = scale[k] * (row[j] - mean[left + j]);
    }
  }
}

inline ReadAhead read_ahead(const ClassCentred& X, index_t begin, index_t count, index_t calls) {
  return read_ahead(X.base, begin, count, calls);
}

}  // namespace learnable
