// The standardised columns of a design, without storing them:
//
//   a_j = root * (x_j - mean_j) / norm_j,    root_i = sqrt(s_i),  sum_i s_i = 1,  |a_j| = 1
//
// mean_j is the weighted mean (0 without an intercept). A constant column has a_j = 0. Because every column has length
// one, scales of 1e-150 or 1e150 in the data do no harm to the algorithms on top. Bits do not depend on threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "learnable/matrix/design.hpp"
#include "learnable/matrix/dot_products.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable::coordinate {

using Numbers = std::vector<double>;
using Indices = std::vector<index_t>;

class Columns {
 public:
  index_t rows = 0, count = 0;
  Numbers root, mean, inverse_norm;  // inverse_norm is 0 for a constant column, NaN where squares overflow

  virtual ~Columns() = default;
  virtual index_t entries() const { return rows * count; }  // that are stored
  // out(b, j) = sum_i (x_ij - mean_j) v(b, i)
  virtual void products(Grid<const double> v, Grid<double> out) const = 0;
  // out(b, i) = sum_k (x_ik - mean_k) / norm_k w(b, k) over the columns k of `set`, for the rows i of [begin, end)
  virtual void scores(const Indices& set, Grid<const double> w, index_t begin, index_t end, Grid<double> out) const = 0;
  // out[k * stride + i - begin] = a_i,set[k] for k < size and the rows i of [begin, end)
  virtual void pack(const index_t* set, index_t size, index_t begin, index_t end, double* out, index_t stride) const = 0;

 protected:
  Columns(index_t rows, index_t count, View<const double> weight)
      : rows(rows), count(count), root(rows), mean(count), inverse_norm(count) {
    double total = 0;
    for (index_t i = 0; i < rows; ++i) total += weight ? weight[i] : 1.0;
    for (index_t i = 0; i < rows; ++i) root[i] = std::sqrt((weight ? weight[i] : 1.0) / total);
  }

  // A norm that is rounding noise beside the mean belongs to a constant column.
  void set_norm(index_t j, double square) {
    const double norm = std::sqrt(square), noise = 32 * std::numeric_limits<double>::epsilon() * std::abs(mean[j]);
    inverse_norm[j] = !std::isfinite(norm) ? std::numeric_limits<double>::quiet_NaN() : norm > noise ? 1 / norm : 0;
  }
};

// Dense columns; the two orders of storage differ in the three primitives below.
class DenseColumns : public Columns {
 public:
  using Columns::Columns;

  void products(Grid<const double> v, Grid<double> out) const override {
    const Blocks tall(rows, row_block), wide(count, column_block());
    Numbers part(std::size_t(tall.count * v.rows * count));  // of each block of rows
    parallel_for(tall.count * wide.count, [&](index_t block, int) {
      const index_t t = block / wide.count, w = block % wide.count;
      dots(tall.begin(t), tall.end(t), wide.begin(w), wide.end(w), v, {&part[t * v.rows * count], v.rows, count, count});
    });
    for (index_t b = 0; b < v.rows; ++b)
      for (index_t j = 0; j < count; ++j) {
        double sum = 0;
        for (index_t t = 0; t < tall.count; ++t) sum += part[(t * v.rows + b) * count + j];
        out(b, j) = sum;
      }
  }

  void scores(const Indices& set, Grid<const double> w, index_t from, index_t to, Grid<double> out) const override {
    const index_t size = index_t(set.size());
    Numbers factor(std::size_t(w.rows * size));
    for (index_t b = 0; b < w.rows; ++b)
      for (index_t k = 0; k < size; ++k) factor[b * size + k] = w(b, k) * inverse_norm[set[k]];
    const Blocks tall(to - from, 1024);
    parallel_for(tall.count, [&](index_t t, int) {
      const index_t begin = from + tall.begin(t), end = from + tall.end(t);
      for (index_t b = 0; b < w.rows; ++b) std::fill(&out(b, begin), &out(b, begin) + (end - begin), 0.0);
      add_scores(set, factor.data(), w.rows, begin, end, out);
    });
  }

 protected:
  static constexpr index_t row_block = 8192;

  // out(b, j) = sum over the rows of the block of (x_ij - mean_j) v(b, i), for the columns j of [first, last)
  virtual void dots(index_t begin, index_t end, index_t first, index_t last, Grid<const double> v,
                    Grid<double> out) const = 0;
  // out(b, i) += sum_k (x_ik - mean_k) factor[b * size + k]
  virtual void add_scores(const Indices& set, const double* factor, index_t several, index_t begin, index_t end,
                          Grid<double> out) const = 0;
  // Weighted mean of each column over the block, and the weighted sum of squares about it (about 0 if not centred).
  virtual void block_moments(index_t begin, index_t end, index_t first, index_t last, bool centre, double* means,
                             double* squares) const = 0;

  index_t column_block() const { return std::clamp<index_t>((1 << 18) / std::max<index_t>(rows, 1), 16, 512) / 4 * 4; }

  // One pass over the data; the moments of row blocks are merged in order.
  void standardise(bool centre) {
    const Blocks tall(rows, row_block), wide(count, column_block());
    Numbers means(std::size_t(tall.count * count)), squares(std::size_t(tall.count * count)), block_weight(tall.count);
    for (index_t t = 0; t < tall.count; ++t)
      for (index_t i = tall.begin(t); i < tall.end(t); ++i) block_weight[t] += root[i] * root[i];
    parallel_for(tall.count * wide.count, [&](index_t block, int) {
      const index_t t = block / wide.count, w = block % wide.count;
      block_moments(tall.begin(t), tall.end(t), wide.begin(w), wide.end(w), centre, &means[t * count],
                    &squares[t * count]);
    });
    for (index_t j = 0; j < count; ++j) {
      double weight = 0, centre_j = 0, square = 0;
      for (index_t t = 0; t < tall.count; ++t) {
        if (block_weight[t] == 0) continue;
        const double apart = means[t * count + j] - centre_j, joint = weight + block_weight[t];
        square += squares[t * count + j] + apart * apart * (weight / joint) * block_weight[t];
        centre_j += apart * (block_weight[t] / joint);
        weight = joint;
      }
      mean[j] = centre ? centre_j : 0;
      set_norm(j, square);
    }
  }
};

}  // namespace learnable::coordinate
