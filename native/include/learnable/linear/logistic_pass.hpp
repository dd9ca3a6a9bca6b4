// One pass over the rows of a binary logistic model: loss, gradient and, optionally, curvature at given coefficients.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "learnable/linear/logistic_loss.hpp"
#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/prefetch.hpp"
#include "learnable/matrix/row_panel.hpp"
#include "learnable/matrix/strided_values.hpp"
#include "learnable/stats/moments.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// The point of a pass: coefficients, and the score at `shift`, a value near the columns, about which scores and sums of
// products are taken so that columns far from zero cost no digits; curvatures of rows are at least `min_curvature`.
struct LogisticPoint {
  const double* coef;
  double level;
  const double* shift;
  double min_curvature;
};

// Outputs besides loss and gradient. Rounding errors count `doubt` times among the magnitudes of terms, and rows whose
// gradient is at most `faint` are fitted already.
struct LogisticRequest {
  bool curvature = false, sizes = false, reach = false;
  double doubt = 0, faint = 0;
};

// Sums over rows, each times its normalised weight: the loss, its derivative s by the score, s (x - shift), s^2 /
// weight, (b z)^2 / weight for the second derivative b, and the largest b; of the columns, if `sizes` are requested,
// the sums `squares` of x^2 and the largest distances `far` from the shift. `products` holds, if requested, the upper
// triangle of b (x - shift)(x - shift)', then b (x - shift), then s (x - shift). `reach` holds, if requested, the
// magnitude of the gradient without cancellation: r |x - shift|, then r, for r = |s| + doubt |b z|; `faint_reach` and
// `faint_gradient` are the contributions of faint rows to that and to the gradient, that of s itself last.
struct LogisticSums {
  double loss = 0, intercept_gradient = 0, gradient_square = 0, change_square = 0, largest = 0, total_curvature = 0;
  Buffer gradient, squares, far, reach, faint_reach, faint_gradient;
  Scratch products;

  LogisticSums() = default;
  LogisticSums(index_t p, LogisticRequest request)
      : gradient(p, 0), squares(request.sizes ? p : 0, 0), far(squares.size(), 0), reach(request.reach ? p + 1 : 0, 0),
        faint_reach(reach.size(), 0), faint_gradient(reach.size(), 0),
        products(request.curvature ? round_up(p, tile_rows) : 0, request.curvature ? p + 2 : 0) {
    products.clear();
  }

  // About how many tiles the products have.
  index_t tiles() const { return gradient.size() / tile_rows * (gradient.size() / tile_columns / 2 + 1); }

  void add(const LogisticSums& part) {
    loss += part.loss;
    intercept_gradient += part.intercept_gradient;
    gradient_square += part.gradient_square;
    change_square += part.change_square;
    largest = std::max(largest, part.largest);
    total_curvature += part.total_curvature;
    for (index_t j = 0; j < gradient.size(); ++j) gradient[j] += part.gradient[j];
    for (index_t j = 0; j < squares.size(); ++j) {
      squares[j] += part.squares[j];
      far[j] = std::max(far[j], part.far[j]);
    }
    for (index_t j = 0; j < reach.size(); ++j) {
      reach[j] += part.reach[j];
      faint_reach[j] += part.faint_reach[j];
      faint_gradient[j] += part.faint_gradient[j];
    }
    for (index_t j = 0; j < products.memory.size(); ++j) products.memory[j] += part.products.memory[j];
  }
};

// Rows with the code of their class, 0 or 1, and a weight each, one if there are none. Only a few loops over the rows
// [begin, begin + count) depend on the storage: these are virtual, so that all else is compiled once.
struct LabelledRows {
  index_t rows, columns;
  View<const std::int64_t> code;
  Numbers weight;
  double total;  // of the weights

  virtual ~LabelledRows() = default;
  // panel(first + k, j) = scale[k] (x_ij - shift[j]), i = begin + k.
  virtual void fill(index_t begin, index_t count, const double* shift, const double* scale, const Panel& panel,
                    index_t first) const = 0;
  // out[k] = (x_i - shift) . w + level, with room for a multiple of four in out.
  virtual void scores(index_t begin, index_t count, const LogisticPoint& point, double* out) const = 0;
  // out += sum over k of r[k] (x_i - shift). Prefetches `ahead` more rows on the way.
  virtual void add_rmatvec(index_t begin, index_t count, index_t ahead, const double* r, const double* shift,
                            double* out) const = 0;
  // out += sum over k of r[k] |x_i - shift|.
  virtual void add_reach(index_t begin, index_t count, const double* r, const double* shift, double* out) const = 0;
  // The sizes of the columns.
  virtual void add_sizes(index_t begin, index_t count, const double* shift, const double* weight,
                         LogisticSums& sums) const = 0;
  // Prefetches these rows over about `calls` calls.
  virtual ReadAhead ahead(index_t begin, index_t count, index_t calls) const = 0;

 protected:
  LabelledRows(index_t rows, index_t columns, View<const std::int64_t> code, const Numbers& weight, double total)
      : rows(rows), columns(columns), code(code), weight(weight), total(total) {}
};

namespace detail {

constexpr index_t pass_rows = tile_depth;  // rows of a step: they stay in the second cache

// Terms of the rows of a step.
struct RowTerms {
  alignas(64) double score[pass_rows], target[pass_rows], weight[pass_rows], gradient[pass_rows], curvature[pass_rows];
};

// The sums of four vectors, side by side.
inline Four sums_of(const Four (&v)[4]) {
  const Four a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6) + __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
  const Four b = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6) + __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
  return __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

// Four rows at a time; the order of a row's sum does not depend on its position.
template <class T>
void scores_by_fours(const RowMajor<T>& X, index_t begin, index_t count, const LogisticPoint& point, double* out) {
  const double *w = point.coef, *shift = point.shift;
  const index_t p = X.columns, whole = p / 4 * 4, last = p - 4;
  Four rest{}, middle{};  // coefficients of the last four columns, zero where they were counted already, and their shift
  for (index_t j = std::max<index_t>(last, 0); j < p; ++j) {
    rest[j - last] = j < whole ? 0.0 : w[j];
    middle[j - last] = shift[j];
  }
  for (index_t k = 0; k < count; k += 4) {
    const T* row[4];
    for (index_t r = 0; r < 4; ++r) row[r] = X.data + (begin + std::min(k + r, count - 1)) * X.stride;
    Four sums[4] = {};
    for (index_t j = 0; j < whole; j += 4) {
      const Four factor = read_four(w + j), centre = read_four(shift + j);
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) sums[r] = fused(read_four(row[r] + j) - centre, factor, sums[r]);
    }
    if (whole < p)
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) {
        Four values{};
        if (last >= 0)
          values = read_four(row[r] + last);
        else
          for (index_t j = 0; j < p; ++j) values[j - last] = double(row[r][j]);
        sums[r] = fused(values - middle, rest, sums[r]);
      }
    write_four(out + k, sums_of(sums) + point.level);
  }
}

template <class T>
void scores_by_fours(const ColumnMajor<T>& X, index_t begin, index_t count, const LogisticPoint& point, double* out) {
  std::fill_n(out, count, point.level);
  for (index_t j = 0; j < X.columns; ++j) {
    const T* x = X.data + j * X.stride + begin;
    const double factor = point.coef[j], centre = point.shift[j];
#pragma omp simd
    for (index_t k = 0; k < count; ++k) out[k] += factor * (double(x[k]) - centre);
  }
}

template <class T>
void add_centred_rmatvec(const RowMajor<T>& X, index_t begin, index_t count, index_t ahead, const double* r,
                          const double* shift, double* out) {
  const index_t p = X.columns;
  ReadAhead next = read_ahead(X, begin + count, ahead, pass_rows / 4);
  index_t k = 0;
  for (; k + 4 <= count; k += 4, next()) {
    const T *a = X.data + (begin + k) * X.stride, *b = a + X.stride, *c = b + X.stride, *d = c + X.stride;
#pragma omp simd
    for (index_t j = 0; j < p; ++j)
      out[j] += (r[k] * (double(a[j]) - shift[j]) + r[k + 1] * (double(b[j]) - shift[j])) +
                (r[k + 2] * (double(c[j]) - shift[j]) + r[k + 3] * (double(d[j]) - shift[j]));
  }
  for (; k < count; ++k) {
    const T* a = X.data + (begin + k) * X.stride;
#pragma omp simd
    for (index_t j = 0; j < p; ++j) out[j] += r[k] * (double(a[j]) - shift[j]);
  }
}

template <class T>
void add_centred_rmatvec(const ColumnMajor<T>& X, index_t begin, index_t count, index_t ahead, const double* r,
                          const double* shift, double* out) {
  ReadAhead next = read_ahead(X, begin + count, ahead, X.columns);
  for (index_t j = 0; j < X.columns; ++j, next()) {
    const T* x = X.data + j * X.stride + begin;
    double sums[8] = {}, rest = 0;
    index_t k = 0;
    for (; k + 8 <= count; k += 8)
      for (int lane = 0; lane < 8; ++lane) sums[lane] += r[k + lane] * (double(x[k + lane]) - shift[j]);
    for (; k < count; ++k) rest += r[k] * (double(x[k]) - shift[j]);
    out[j] += ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest;
  }
}

inline double sum_of(Lanes values) {
  double total = 0;
  for (int lane = 0; lane < lanes; ++lane) total += values[lane];
  return total;
}

// Gradients and curvatures of the rows of a step from their scores; rows beyond `count` have weight zero.
inline void add_terms(RowTerms& rows, index_t count, double min_curvature, LogisticSums& sums) {
  Lanes loss{}, gradient{}, gradient_square{}, change_square{}, curvature{}, largest{};
  const Lanes floor = Lanes{} + min_curvature;
  for (index_t k = 0; k < count; k += lanes) {
    const Lanes weight = load(rows.weight + k), score = load(rows.score + k);
    const LogisticTerms terms = logistic_of(score, load(rows.target + k));
    const Lanes s = weight * terms.gradient, b = weight * terms.curvature, change = terms.curvature * score;
    loss += weight * terms.value;
    gradient += s;
    gradient_square += s * terms.gradient;
    change_square += weight * (change * change);
    largest = b > largest ? b : largest;
    const Lanes clamped = b > floor ? b : (weight > Lanes{} ? floor : Lanes{});
    curvature += clamped;
    store(rows.gradient + k, s);
    store(rows.curvature + k, clamped);
  }
  sums.loss += sum_of(loss);
  sums.intercept_gradient += sum_of(gradient);
  sums.gradient_square += sum_of(gradient_square);
  sums.change_square += sum_of(change_square);
  sums.total_curvature += sum_of(curvature);
  for (int lane = 0; lane < lanes; ++lane) sums.largest = std::max(sums.largest, largest[lane]);
}

template <class T>
void add_reach(const RowMajor<T>& X, index_t begin, index_t count, const double* r, const double* shift, double* out) {
  for (index_t k = 0; k < count; ++k) {
    const T* row = X.data + (begin + k) * X.stride;
#pragma omp simd
    for (index_t j = 0; j < X.columns; ++j) out[j] += r[k] * std::abs(double(row[j]) - shift[j]);
  }
}

template <class T>
void add_reach(const ColumnMajor<T>& X, index_t begin, index_t count, const double* r, const double* shift,
               double* out) {
  for (index_t j = 0; j < X.columns; ++j) {
    const T* x = X.data + j * X.stride + begin;
    double sums[8] = {}, rest = 0;
    index_t k = 0;
    for (; k + 8 <= count; k += 8)
      for (int lane = 0; lane < 8; ++lane) sums[lane] += r[k + lane] * std::abs(double(x[k + lane]) - shift[j]);
    for (; k < count; ++k) rest += r[k] * std::abs(double(x[k]) - shift[j]);
    out[j] += ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest;
  }
}

// A vector of columns at a time; the last may overlap with the one before, whose columns are not counted again.
template <class T>
void add_sizes(const RowMajor<T>& X, index_t begin, index_t count, const double* shift, const double* weight,
               LogisticSums& sums) {
  const index_t p = X.columns;
  const auto keep = [&](index_t j, double square, double far) {
    sums.squares[j] += square;
    sums.far[j] = std::max(sums.far[j], far);
  };
  for (index_t left = 0; p >= lanes && left < p; left += lanes) {
    const index_t start = std::min<index_t>(left, p - lanes);
    const Lanes middle = load(shift + start);
    Lanes square{}, far{};
    for (index_t k = 0; k < count; ++k) {
      const Lanes x = load<double>(X.data + (begin + k) * X.stride + start), off = x - middle;
      const Lanes size = off > Lanes{} ? off : -off;
      square += weight[k] * (x * x);
      far = size > far ? size : far;
    }
    for (index_t j = left; j < std::min(left + lanes, p); ++j) keep(j, square[j - start], far[j - start]);
  }
  for (index_t j = 0; p < lanes && j < p; ++j) {
    double square = 0, far = 0;
    for (index_t k = 0; k < count; ++k) {
      const double x = double(X.data[(begin + k) * X.stride + j]);
      square += weight[k] * (x * x);
      far = std::max(far, std::abs(x - shift[j]));
    }
    keep(j, square, far);
  }
}

template <class T>
void add_sizes(const ColumnMajor<T>& X, index_t begin, index_t count, const double* shift, const double* weight,
               LogisticSums& sums) {
  for (index_t j = 0; j < X.columns; ++j) {
    const T* x = X.data + j * X.stride + begin;
    double square[8] = {}, far[8] = {};
    const auto add = [&](index_t k, int lane) {
      const double off = std::abs(double(x[k]) - shift[j]);
      square[lane] += weight[k] * (double(x[k]) * double(x[k]));
      far[lane] = off > far[lane] ? off : far[lane];
    };
    index_t k = 0;
    for (; k + 8 <= count; k += 8)
      for (int lane = 0; lane < 8; ++lane) add(k + lane, lane);
    for (; k < count; ++k) add(k, 0);
    for (int lane = 0; lane < 8; ++lane) {
      sums.squares[j] += square[lane];
      sums.far[j] = std::max(sums.far[j], far[lane]);
    }
  }
}

}  // namespace detail

template <class Design>
struct LabelledDesign final : LabelledRows {
  Design X;

  LabelledDesign(const Design& X, View<const std::int64_t> code, const Numbers& weight, double total)
      : LabelledRows(X.rows, X.columns, code, weight, total), X(X) {}
  void fill(index_t begin, index_t count, const double* shift, const double* scale, const Panel& panel,
            index_t first) const override {
    if (count == 1) return fill_panel(X, begin, 1, shift, scale, panel, first);  // fewer steps for single rows
    fill_panel(X, begin, count, shift, scale, panel, first);
  }
  void scores(index_t begin, index_t count, const LogisticPoint& point, double* out) const override {
    detail::scores_by_fours(X, begin, count, point, out);
  }
  void add_rmatvec(index_t begin, index_t count, index_t ahead, const double* r, const double* shift,
                    double* out) const override {
    detail::add_centred_rmatvec(X, begin, count, ahead, r, shift, out);
  }
  void add_reach(index_t begin, index_t count, const double* r, const double* shift, double* out) const override {
    detail::add_reach(X, begin, count, r, shift, out);
  }
  void add_sizes(index_t begin, index_t count, const double* shift, const double* weight,
                 LogisticSums& sums) const override {
    detail::add_sizes(X, begin, count, shift, weight, sums);
  }
  ReadAhead ahead(index_t begin, index_t count, index_t calls) const override {
    return read_ahead(X, begin, count, calls);
  }
};

namespace detail {

// Targets, weights and scores of rows [begin, begin + count), and their terms.
inline void evaluate_rows(const LabelledRows& rows, index_t begin, index_t count, const LogisticPoint& point,
                         RowTerms& here, LogisticSums& sums) {
  const double unit = 1 / rows.total;
  for (index_t k = 0; k < count; ++k) {
    here.target[k] = rows.code[begin + k] == 1 ? 1.0 : 0.0;
    here.weight[k] = unit;
  }
  if (rows.weight)
    for (index_t k = 0; k < count; ++k) here.weight[k] = rows.weight(begin + k) * unit;
  rows.scores(begin, count, point, here.score);
  for (index_t k = count; k < round_up(count, lanes); ++k) here.target[k] = here.weight[k] = here.score[k] = 0;
  add_terms(here, count, point.min_curvature, sums);
}

// Curvature and gradient of the rows of a step, as products of the columns of a panel.
inline void add_curvature(const LabelledRows& rows, index_t begin, index_t count, const LogisticPoint& point,
                          const RowTerms& here, const Panel& panel, ReadAhead next, LogisticSums& sums) {
  const index_t p = rows.columns;
  double root[pass_rows] = {};
  for (index_t k = 0; k < count; ++k) root[k] = std::sqrt(here.curvature[k]);
  rows.fill(begin, count, point.shift, root, panel, 0);
  for (index_t k = 0; k < count; ++k) {
    panel(k, p) = root[k];
    panel(k, p + 1) = here.gradient[k] / root[k];
  }
  for (index_t down = 0; down < panel.blocks() && panel.left(down) < p; ++down)
    for (index_t across = down; across < panel.blocks(); ++across)
      add_gram_block(panel.row(down, 0), panel.row(across, 0), panel.stride(), count, panel.left(down),
                     round_up(std::min(panel_block, p - panel.left(down)), tile_rows), panel.left(across),
                     round_up(panel.width(across), lanes), sums.products.grid, next);
}

// The reach of the rows of a step, and the contributions of faint rows to it and to the gradient.
inline void add_reach_of_rows(const LabelledRows& rows, index_t begin, index_t count, const LogisticPoint& point,
                              const LogisticRequest& request, const RowTerms& here, LogisticSums& sums) {
  const index_t p = rows.columns;
  double size[pass_rows], faint_size[pass_rows], faint_terms[pass_rows];
  bool any = false;
  for (index_t k = 0; k < count; ++k) {
    const bool faint = std::abs(here.gradient[k]) <= request.faint * here.weight[k];
    size[k] = std::abs(here.gradient[k]) + request.doubt * std::abs(here.curvature[k] * here.score[k]);
    faint_size[k] = faint ? size[k] : 0;
    faint_terms[k] = faint ? here.gradient[k] : 0;
    sums.reach[p] += size[k];
    sums.faint_reach[p] += faint_size[k];
    sums.faint_gradient[p] += faint_terms[k];
    any = any || faint;
  }
  rows.add_reach(begin, count, size, point.shift, sums.reach.data());
  if (!any) return;
  rows.add_reach(begin, count, faint_size, point.shift, sums.faint_reach.data());
  rows.add_rmatvec(begin, count, 0, faint_terms, point.shift, sums.faint_gradient.data());
}

inline void add_logistic_rows(const LabelledRows& rows, index_t begin, index_t end, const LogisticPoint& point,
                              LogisticRequest request, const Panel& panel, LogisticSums& sums) {
  RowTerms here;
  for (index_t from = begin; from < end; from += pass_rows) {
    const index_t count = std::min(pass_rows, end - from), ahead = std::min(pass_rows, end - from - count);
    evaluate_rows(rows, from, count, point, here, sums);
    if (request.sizes) rows.add_sizes(from, count, point.shift, here.weight, sums);
    if (request.reach) add_reach_of_rows(rows, from, count, point, request, here, sums);
    if (request.curvature)
      add_curvature(rows, from, count, point, here, panel, rows.ahead(from + count, ahead, sums.tiles()), sums);
    else
      rows.add_rmatvec(from, count, ahead, here.gradient, point.shift, sums.gradient.data());
  }
  for (index_t j = 0; request.curvature && j < rows.columns; ++j)
    sums.gradient[j] = sums.products.grid(j, rows.columns + 1);
}

}  // namespace detail

// The requested sums over all rows at a point. Fixed blocks of rows are added in order; about 2 p products per row, and
// p (p + 2) / 2 more with the curvature. X is read once, a few rows at a time.
inline LogisticSums logistic_pass(const LabelledRows& rows, const LogisticPoint& point, LogisticRequest request) {
  const index_t p = rows.columns, n = rows.rows;
  const Blocks groups(n, detail::rows_per_group(n, p, 1));
  const index_t at_once = std::min<index_t>(groups.count, 4 * threads_for(groups.count));
  std::vector<Panel> panels;
  for (int slot = 0; slot < threads_for(at_once); ++slot)
    panels.emplace_back(request.curvature ? std::min(n, detail::pass_rows) : 0, p + 2);
  std::vector<LogisticSums> parts(at_once);
  LogisticSums total(p, request);
  for (index_t first = 0; first < groups.count; first += at_once) {
    const index_t count = std::min(at_once, groups.count - first);
    parallel_for(count, [&](index_t k, int slot) {
      parts[k] = LogisticSums(p, request);
      detail::add_logistic_rows(rows, groups.begin(first + k), groups.end(first + k), point, request, panels[slot],
                                parts[k]);
    });
    for (index_t k = 0; k < count; ++k) total.add(parts[k]);
  }
  return total;
}

// Second-order change of the gradient along a move, from one row in `every`: the mean of b (1 - 2p) u^2 / 2, half the
// third derivative times the squared change u of the row's score, times x - shift; then that mean alone. The move is of
// coefficients and of the score at the shift. Fixed blocks of rows are added in order.
inline Buffer second_order_gradient(const LabelledRows& rows, const LogisticPoint& point, const double* move,
                                    index_t every) {
  const index_t p = rows.columns;
  const Blocks groups((rows.rows + every - 1) / every, detail::pass_rows);
  Scratch parts(groups.count, p + 2);  // the sums, that of the constant, the weight
  parts.clear();
  parallel_for(groups.count, [&](index_t group, int) {
    const Panel row(1, p);
    double* sums = &parts.grid(group, 0);
    for (index_t k = groups.begin(group); k < groups.end(group); ++k) {
      const double one = 1, weight = rows.weight ? rows.weight(k * every) : 1;
      rows.fill(k * every, 1, point.shift, &one, row, 0);
      double score = point.level, change = move[p];
      for (index_t j = 0; j < p; ++j) {
        score += row(0, j) * point.coef[j];
        change += row(0, j) * move[j];
      }
      const double e = std::exp(-std::abs(score)), rest = 1 / (1 + e), curvature = e * rest * rest;
      const double term = weight * curvature * std::copysign((1 - e) * rest, -score) * change * change / 2;
      for (index_t j = 0; j < p; ++j) sums[j] += term * row(0, j);
      sums[p] += term;
      sums[p + 1] += weight;
    }
  });
  Buffer total(p + 2, 0);
  for (index_t group = 0; group < groups.count; ++group)
    for (index_t j = 0; j < p + 2; ++j) total[j] += parts.grid(group, j);
  for (index_t j = 0; j <= p; ++j) total[j] /= std::max(total[p + 1], std::numeric_limits<double>::min());
  return total;
}

}  // namespace learnable
