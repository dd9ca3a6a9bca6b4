// Similarities of the rows of a sparse matrix of ratings, over the columns that two rows share, and predictions by the
// most similar rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/factors/short_vectors.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

enum class Similarity { cosine, corated_cosine, pearson, jaccard };

namespace detail {

// Sums over the columns that a row shares with another row.
struct SharedSums {
  double n = 0, xy = 0, x = 0, y = 0, xx = 0, yy = 0;
};

inline double similarity(Similarity kind, const SharedSums& sums, double size_x, double size_y) {
  if (sums.n == 0) return 0;
  const auto ratio = [](double product, double square) {
    return square > 0 ? std::min(std::max(product / std::sqrt(square), -1.0), 1.0) : 0.0;
  };
  switch (kind) {
    case Similarity::cosine: return ratio(sums.xy, size_x * size_y);
    case Similarity::corated_cosine: return ratio(sums.xy, sums.xx * sums.yy);
    case Similarity::jaccard: return sums.n / (size_x + size_y - sums.n);
    case Similarity::pearson: break;
  }
  const double spread_x = sums.xx - sums.x * sums.x / sums.n, spread_y = sums.yy - sums.y * sums.y / sums.n;
  const bool constant = spread_x <= 1e-12 * sums.xx || spread_y <= 1e-12 * sums.yy;
  return constant ? 0.0 : ratio(sums.xy - sums.x * sums.y / sums.n, spread_x * spread_y);
}

}  // namespace detail

// out(r, j) = similarity of rows which[r] and j, times n / (n + shrinkage) for n shared columns; zero for a row and
// itself, for fewer than `least` shared columns, and where it is 0 / 0. `columns` is the transpose of `rows`.
inline void corated_similarity(const SparseEntries& rows, const SparseEntries& columns, View<const std::int64_t> which,
                               Similarity kind, double shrinkage, double least, Grid<double> out) {
  const index_t n = rows.rows();
  std::vector<double> size(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) {
    const std::int64_t begin = rows.start[i], end = rows.start[i + 1];
    size[i] = kind == Similarity::jaccard ? double(end - begin)
                                          : inner(rows.value.data + begin, rows.value.data + begin, end - begin);
  }
  parallel_for(which.size, [&](index_t r, int) {
    std::vector<detail::SharedSums> sums(static_cast<std::size_t>(n));
    const index_t self = index_t(which[r]);
    for (std::int64_t e = rows.start[self]; e < rows.start[self + 1]; ++e) {
      const double x = rows.value[e];
      const index_t c = rows.index[e];
      for (std::int64_t f = columns.start[c]; f < columns.start[c + 1]; ++f) {
        detail::SharedSums& s = sums[columns.index[f]];
        const double y = columns.value[f];
        s.n += 1, s.xy += x * y, s.x += x, s.y += y, s.xx += x * x, s.yy += y * y;
      }
    }
    double* line = out.data + r * out.stride;
    for (index_t j = 0; j < n; ++j) {
      const double shared = sums[j].n;
      line[j] = j == self || shared < least || shared == 0
                    ? 0.0
                    : detail::similarity(kind, sums[j], size[self], size[j]) * (shared / (shared + shrinkage));
    }
  });
}

// For each pair (r, c): the sum of similarity times value, and of |similarity|, over the `most` rows that have an entry
// in column c and the largest similarities above `least` to row r of `similarity`; and their number.
inline void neighbour_sums(Grid<const double> similarity, const SparseEntries& columns, View<const std::int64_t> row,
                           View<const std::int64_t> column, index_t most, double least, Grid<double> out) {
  const Blocks blocks(row.size, 256);
  parallel_for(blocks.count, [&](index_t block, int) {
    std::vector<std::pair<double, std::int64_t>> found;
    for (index_t pair = blocks.begin(block); pair < blocks.end(block); ++pair) {
      const double* line = similarity.data + row[pair] * similarity.stride;
      found.clear();
      for (std::int64_t e = columns.start[column[pair]]; e < columns.start[column[pair] + 1]; ++e) {
        const double s = line[columns.index[e]];
        if (s != 0 && s > least) found.emplace_back(-s, e);
      }
      const index_t kept = std::min<index_t>(most, index_t(found.size()));
      std::partial_sort(found.begin(), found.begin() + kept, found.end());
      double product = 0, size = 0;
      for (index_t k = 0; k < kept; ++k) {
        product -= found[k].first * columns.value[found[k].second];
        size += std::abs(found[k].first);
      }
      out(pair, 0) = product, out(pair, 1) = size, out(pair, 2) = double(kept);
    }
  });
}

}  // namespace learnable
