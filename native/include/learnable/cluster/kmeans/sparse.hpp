// The nearest centre of every row of a sparse matrix: all scores |c|^2 / 2 - x'c, in double.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learnable/cluster/kmeans/assignment.hpp"
#include "learnable/matrix/single_row.hpp"

namespace learnable {

// Centres by columns, so that an entry of a row is multiplied with contiguous values of all centres.
class TransposedCentres {
 public:
  explicit TransposedCentres(Grid<const double> centres)
      : width_(round_up(centres.rows, lanes)), values_(centres.columns * width_, 0), half_(width_, HUGE_VAL) {
    for (index_t c = 0; c < centres.rows; ++c) {
      double square = 0;
      for (index_t j = 0; j < centres.columns; ++j) {
        values_[j * width_ + c] = centres(c, j);
        square += centres(c, j) * centres(c, j);
      }
      half_[c] = square / 2;
    }
  }

  template <class Row>
  void score(const Row& x, double* scores) const {
    std::copy_n(half_.data(), width_, scores);
    for (index_t k = 0; k < x.size; ++k) {
      const double value = double(x.value[k]);
      const double* centre = values_.data() + index_t(x.index[k]) * width_;
#pragma omp simd
      for (index_t c = 0; c < width_; ++c) scores[c] -= value * centre[c];
    }
  }
  index_t width() const { return width_; }

 private:
  index_t width_;
  Buffer values_, half_;
};

// label[i] = the nearest centre of row i, the first of equals. Returns the sums over the rows of each centre.
template <class Design>
CentreSums assign_sparse(const Design& X, Grid<const double> centres, const double* weight, View<std::int32_t> label) {
  const TransposedCentres transposed(centres);
  const Blocks blocks(X.rows, std::max<index_t>({256, 4 * centres.rows, X.rows / 64}));
  std::vector<CentreSums> parts(std::size_t(blocks.count));
  parallel_for(blocks.count, [&](index_t block, int) {
    CentreSums& sums = parts[block] = CentreSums(centres.rows, X.columns);
    const Buffer scores(transposed.width());
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i) {
      const auto x = row_of(X, i);
      transposed.score(x, scores.data());
      const auto best = std::int32_t(std::min_element(scores.data(), scores.data() + centres.rows) - scores.data());
      const double heavy = weight ? weight[i] : 1.0;
      sums.changed += label[i] != best;
      label[i] = best;
      sums.mass[best] += heavy;
      for (index_t k = 0; k < x.size; ++k) sums.sums[best * X.columns + x.index[k]] += heavy * double(x.value[k]);
      if (i % 64 == 0) poll_interrupt();
    }
    sums.distances = (blocks.end(block) - blocks.begin(block)) * centres.rows;
  });
  for (index_t block = 1; block < blocks.count; ++block) parts[0].add(parts[block]);
  return std::move(parts[0]);
}

// square[i] = squared distance of row i to centre label[i]: |c|^2 + sum of (x - c)^2 - c^2 over entries.
template <class T>
void squares_to_centres(const SparseRows<T>& X, Grid<const double> centres, View<const std::int32_t> label,
                        View<double> square) {
  std::vector<double> norm(std::size_t(centres.rows));
  for (index_t c = 0; c < centres.rows; ++c) norm[c] = dot(&centres(c, 0), &centres(c, 0), centres.columns);
  for (index_t i = 0; i < X.rows; ++i) {
    const auto x = row_of(X, i);
    double sum = norm[label[i]];
    for (index_t k = 0; k < x.size; ++k) {
      const double value = double(x.value[k]), centre = centres(label[i], x.index[k]);
      sum += value * (value - 2 * centre);
    }
    square[i] = std::max(sum, 0.0);
  }
}

}  // namespace learnable
