// Distances that are sums (or maxima) over columns, between all rows of two matrices.
//
// Every distance has its own sums: `add` accumulates one column of a row of X and of several rows of Y at once, `value`
// is the final distance. Rows of Y are transposed, a block at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/simd_exp.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

namespace detail {

inline Lanes spread(double x) { return x - Lanes{}; }
inline Lanes magnitude(Lanes x) { return (Lanes)((LaneBits)x & ~(std::uint64_t(1) << 63)); }

}  // namespace detail

struct Manhattan {
  struct Sums { Lanes sum{}; };
  void add(Sums& s, Lanes x, Lanes y, index_t) const { s.sum += detail::magnitude(x - y); }
  double value(const Sums& s, int lane, index_t) const { return s.sum[lane]; }
};

struct Chebyshev {
  struct Sums { Lanes sum{}; };
  void add(Sums& s, Lanes x, Lanes y, index_t) const {
    const Lanes gap = detail::magnitude(x - y);
    s.sum = gap > s.sum ? gap : s.sum;
  }
  double value(const Sums& s, int lane, index_t) const { return s.sum[lane]; }
};

struct Minkowski {
  struct Sums { Lanes sum{}; };
  double power;
  void add(Sums& s, Lanes x, Lanes y, index_t) const {
    const Lanes gap = detail::magnitude(x - y);
    Lanes raised;
    if (power == 3)
      raised = gap * gap * gap;
    else
      for (int lane = 0; lane < lanes; ++lane) raised[lane] = std::pow(gap[lane], power);
    s.sum += raised;
  }
  double value(const Sums& s, int lane, index_t) const { return std::pow(s.sum[lane], 1 / power); }
};

struct Canberra {
  struct Sums { Lanes sum{}; };
  void add(Sums& s, Lanes x, Lanes y, index_t) const {
    const Lanes size = detail::magnitude(x) + detail::magnitude(y);
    s.sum += detail::magnitude(x - y) / (size > 0 ? size : Lanes{} + 1);
  }
  double value(const Sums& s, int lane, index_t) const { return s.sum[lane]; }
};

struct BrayCurtis {
  struct Sums { Lanes gap{}, size{}; };
  void add(Sums& s, Lanes x, Lanes y, index_t) const {
    s.gap += detail::magnitude(x - y);
    s.size += detail::magnitude(x + y);
  }
  double value(const Sums& s, int lane, index_t) const { return s.gap[lane] / s.size[lane]; }
};

// sum (x - y)^2 / (x + y) of histograms; empty bins count nothing.
struct ChiSquared {
  struct Sums { Lanes sum{}; };
  void add(Sums& s, Lanes x, Lanes y, index_t) const {
    const Lanes gap = x - y, size = x + y;
    s.sum += gap * gap / (size != 0 ? size : Lanes{} + 1);
  }
  double value(const Sums& s, int lane, index_t) const { return s.sum[lane]; }
};

struct Hamming {
  struct Sums { Lanes sum{}; };
  void add(Sums& s, Lanes x, Lanes y, index_t) const { s.sum += x != y ? Lanes{} + 1 : Lanes{}; }
  double value(const Sums& s, int lane, index_t columns) const { return s.sum[lane] / double(columns); }
};

// Over the columns present in both rows, scaled up to all columns. NaN if they have none in common.
struct NanEuclidean {
  struct Sums { Lanes sum{}, shared{}; };
  void add(Sums& s, Lanes x, Lanes y, index_t) const {
    const Lanes gap = x - y;
    const auto there = gap == gap;
    s.sum += there ? gap * gap : Lanes{};
    s.shared += there ? Lanes{} + 1 : Lanes{};
  }
  double value(const Sums& s, int lane, index_t columns) const {
    if (s.shared[lane] == 0) return std::numeric_limits<double>::quiet_NaN();
    return std::sqrt(s.sum[lane] / s.shared[lane] * double(columns));
  }
};

// Mean over the columns present in both rows: |x - y| in a numeric column, 0 or 1 in a categorical one.
struct Gower {
  struct Sums { Lanes sum{}, shared{}; };
  View<const double> weight;       // of each column
  View<const double> categorical;  // 1 or 0
  void add(Sums& s, Lanes x, Lanes y, index_t j) const {
    const Lanes gap = x - y;
    const Lanes apart = categorical[j] != 0 ? (gap != 0 ? Lanes{} + 1 : Lanes{}) : detail::magnitude(gap);
    const auto there = gap == gap;
    s.sum += there ? weight[j] * apart : Lanes{};
    s.shared += there ? Lanes{} + weight[j] : Lanes{};
  }
  double value(const Sums& s, int lane, index_t) const { return s.sum[lane] / s.shared[lane]; }
};

// Boolean rows (nonzero is true): the distance is a formula of four counts of columns.
template <class Formula>
struct BooleanDistance {
  struct Sums { Lanes both{}, left{}, right{}; };
  void add(Sums& s, Lanes x, Lanes y, index_t) const {
    const Lanes one = Lanes{} + 1, left = x != 0 ? one : Lanes{}, right = y != 0 ? one : Lanes{};
    s.both += left * right;
    s.left += left;
    s.right += right;
  }
  double value(const Sums& s, int lane, index_t columns) const {
    const double both = s.both[lane], first = s.left[lane] - both, second = s.right[lane] - both;
    return Formula::of(both, first, second, double(columns) - both - first - second);
  }
};

namespace detail {

// part / whole, and 0 / 0 = 0.
inline double ratio(double part, double whole) { return part / (whole > 0 ? whole : 1); }

}  // namespace detail

// Counts of columns that are true in both rows, in the first only, in the second only, in neither.
struct Jaccard {
  static double of(double both, double a, double b, double) { return detail::ratio(a + b, both + a + b); }
};
struct Dice {
  static double of(double both, double a, double b, double) { return (a + b) / (2 * both + a + b); }
};
struct RogersTanimoto {
  static double of(double both, double a, double b, double no) { return 2 * (a + b) / (both + no + 2 * (a + b)); }
};
struct RussellRao {
  static double of(double both, double a, double b, double no) { return 1 - both / (both + a + b + no); }
};
struct SokalSneath {
  static double of(double both, double a, double b, double) { return 2 * (a + b) / (both + 2 * (a + b)); }
};
struct Yule {
  static double of(double both, double a, double b, double no) { return detail::ratio(2 * a * b, both * no + a * b); }
};

// out(i, j) = distance of row i of X and row j of Y, after shape(distances, count) has changed several at a time.
template <class Kind, class Shape, class T>
void column_distances(const Kind& kind, const Shape& shape, Grid<const double> X, Grid<const double> Y, Grid<T> out) {
  constexpr int vectors = 2, abreast = 2;
  constexpr index_t width = 96;
  static_assert(width % (vectors * lanes) == 0);
  const Blocks rows(X.rows, 64), others(Y.rows, width);
  using Sums = typename Kind::Sums;
  parallel_for(rows.count, [&](index_t block, int) {
    const Scratch transposed(X.columns, width);
    for (index_t other = 0; other < others.count; ++other) {
      const index_t begin = others.begin(other), count = others.end(other) - begin;
      for (index_t k = 0; k < width; ++k)
        for (index_t j = 0; j < X.columns; ++j) transposed.grid(j, k) = Y(begin + std::min(k, count - 1), j);
      for (index_t i = rows.begin(block); i < rows.end(block); i += abreast) {
        const index_t here = std::min<index_t>(abreast, rows.end(block) - i);
        const double* row[abreast];
        for (int a = 0; a < abreast; ++a) row[a] = X.data + (i + std::min<index_t>(a, here - 1)) * X.stride;
        for (index_t k = 0; k < count; k += vectors * lanes) {
          Sums sums[abreast][vectors];
          for (index_t j = 0; j < X.columns; ++j)
#pragma GCC unroll 2
            for (int v = 0; v < vectors; ++v) {
              const Lanes y = load(&transposed.grid(j, k + v * lanes));
#pragma GCC unroll 2
              for (int a = 0; a < abreast; ++a) kind.add(sums[a][v], detail::spread(row[a][j]), y, j);
            }
          for (index_t a = 0; a < here; ++a) {
            double found[vectors * lanes];
            for (index_t m = 0; m < vectors * lanes; ++m)
              found[m] = kind.value(sums[a][m / lanes], int(m % lanes), X.columns);
            shape(found, vectors * lanes);
            for (index_t m = k; m < std::min<index_t>(count, k + vectors * lanes); ++m)
              out(i + a, begin + m) = T(found[m - k]);
          }
        }
      }
    }
  });
}

template <class Kind>
void column_distances(const Kind& kind, Grid<const double> X, Grid<const double> Y, Grid<double> out) {
  column_distances(kind, [](double*, index_t) {}, X, Y, out);
}

}  // namespace learnable
