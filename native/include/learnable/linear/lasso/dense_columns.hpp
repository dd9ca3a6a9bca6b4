// Standardised columns of a dense design, stored by columns or by rows.
#pragma once

#include "learnable/linear/lasso/standardised_columns.hpp"

namespace learnable::coordinate {

template <class T>
class ByColumn final : public DenseColumns {
 public:
  ByColumn(const ColumnMajor<T>& X, View<const double> weight, bool centre)
      : DenseColumns(X.rows, X.columns, weight), X_(X) {
    standardise(centre);
  }
  void pack(const index_t* set, index_t size, index_t begin, index_t end, double* out, index_t stride) const override {
    for (index_t k = 0; k < size; ++k) {
      const T* x = X_.data + set[k] * X_.stride + begin;
      const double centre = mean[set[k]], scale = inverse_norm[set[k]];
      const double* r = &root[begin];
      for (index_t i = 0; i < end - begin; ++i) out[k * stride + i] = (double(x[i]) - centre) * (r[i] * scale);
    }
  }

 protected:
  // A tile of up to four columns and four vectors at a time; the columns stay in the cache for all vectors.
  void dots(index_t begin, index_t end, index_t first, index_t last, Grid<const double> v,
            Grid<double> out) const override {
    for (index_t j = first; j < last; j += 4)
      for (index_t b = 0; b < v.rows; b += 4) {
        const index_t columns = std::min<index_t>(4, last - j), several = std::min<index_t>(4, v.rows - b);
        if (columns < 4)
          for (index_t c = 0; c < columns; ++c) tile<1>(begin, end, j + c, v, b, several, out);
        else
          tile<4>(begin, end, j, v, b, several, out);
      }
  }
  template <int columns>
  void tile(index_t begin, index_t end, index_t j, Grid<const double> v, index_t b, index_t several,
            Grid<double> out) const {
    if (several == 1) return tile_of<columns, 1>(begin, end, j, v, b, out);
    if (several == 2) return tile_of<columns, 2>(begin, end, j, v, b, out);
    if (several == 3) return tile_of<columns, 3>(begin, end, j, v, b, out);
    tile_of<columns, 4>(begin, end, j, v, b, out);
  }
  template <int columns, int several>
  void tile_of(index_t begin, index_t end, index_t j, Grid<const double> v, index_t b, Grid<double> out) const {
    double sums[columns * several] = {};
    tile_of_dots<double, columns, several>(X_.data + j * X_.stride + begin, X_.stride, &mean[j], &v(b, begin), v.stride,
                                           end - begin, sums, several);
    for (int c = 0; c < columns; ++c)
      for (int q = 0; q < several; ++q) out(b + q, j + c) = sums[c * several + q];
  }

  void add_scores(const Indices& set, const double* factor, index_t several, index_t begin, index_t end,
                  Grid<double> out) const override {
    const index_t size = index_t(set.size());
    for (index_t k = 0; k < size; ++k) {
      const T* x = X_.data + set[k] * X_.stride;
      for (index_t b = 0; b < several; ++b) {
        const double f = factor[b * size + k], centre = mean[set[k]];
        double* z = &out(b, 0);
        if (f != 0)
          for (index_t i = begin; i < end; ++i) z[i] += (double(x[i]) - centre) * f;
      }
    }
  }

  void block_moments(index_t begin, index_t end, index_t first, index_t last, bool centre, double* means,
                     double* squares) const override {
    const index_t n = end - begin;
    Numbers s(n);
    double total = 0;
    for (index_t i = 0; i < n; ++i) total += s[i] = root[begin + i] * root[begin + i];
    for (index_t j = first; j < last; ++j) {
      const T* x = X_.data + j * X_.stride + begin;
      const double m = centre && total > 0 ? fast_dot<double>(x, s.data(), n) / total : 0;
      double sums[8] = {};
      index_t i = 0;
      for (; i + 8 <= n; i += 8)
        for (int lane = 0; lane < 8; ++lane) {
          const double apart = double(x[i + lane]) - m;
          sums[lane] += apart * apart * s[i + lane];
        }
      for (; i < n; ++i) sums[0] += (double(x[i]) - m) * (double(x[i]) - m) * s[i];
      means[j] = m;
      squares[j] = ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
    }
  }

 private:
  ColumnMajor<T> X_;
};

template <class T>
class ByRow final : public DenseColumns {
 public:
  ByRow(const RowMajor<T>& X, View<const double> weight, bool centre)
      : DenseColumns(X.rows, X.columns, weight), X_(X) {
    standardise(centre);
  }
  // Sixteen rows at a time: a row is read once, and each packed column is written in runs of sixteen.
  void pack(const index_t* set, index_t size, index_t begin, index_t end, double* out, index_t stride) const override {
    for (index_t top = begin; top < end; top += 16)
      for (index_t k = 0; k < size; ++k) {
        const double centre = mean[set[k]], scale = inverse_norm[set[k]];
        const T* x = X_.data + set[k];
        for (index_t i = top; i < std::min(end, top + 16); ++i)
          out[k * stride + i - begin] = (double(x[i * X_.stride]) - centre) * (root[i] * scale);
      }
  }

 protected:
  // A slice of rows that stays in the cache for all vectors.
  void dots(index_t begin, index_t end, index_t first, index_t last, Grid<const double> v,
            Grid<double> out) const override {
    const index_t n = last - first;
    for (index_t b = 0; b < v.rows; ++b) std::fill_n(&out(b, first), n, 0.0);
    for (index_t top = begin; top < end; top += 32)
      for (index_t b = 0; b < v.rows; ++b)
        for (index_t i = top; i < std::min(end, top + 32); ++i) {
          const T* x = X_.data + i * X_.stride + first;
          const double f = v(b, i), *centre = &mean[first];
          double* sum = &out(b, first);
          for (index_t j = 0; j < n; ++j) sum[j] += (double(x[j]) - centre[j]) * f;
        }
  }

  // Gathers the columns of the set from each row, or reads the whole row if most of it is needed anyway.
  void add_scores(const Indices& set, const double* factor, index_t several, index_t begin, index_t end,
                  Grid<double> out) const override {
    const index_t size = index_t(set.size());
    const bool whole = 4 * size >= count;
    Numbers spread(whole ? several * count : 0), centre(size);
    for (index_t k = 0; k < size; ++k) centre[k] = mean[set[k]];
    for (index_t b = 0; b < several && whole; ++b)
      for (index_t k = 0; k < size; ++k) spread[b * count + set[k]] = factor[b * size + k];
    for (index_t i = begin; i < end; ++i) {
      const T* x = X_.data + i * X_.stride;
      for (index_t b = 0; b < several; ++b)
        out(b, i) += whole ? whole_row(x, &spread[b * count]) : picked(x, set, centre, factor + b * size);
    }
  }
  double whole_row(const T* x, const double* f) const {
    double sums[8] = {};
    index_t j = 0;
    for (; j + 8 <= count; j += 8)
      for (int lane = 0; lane < 8; ++lane) sums[lane] += (double(x[j + lane]) - mean[j + lane]) * f[j + lane];
    for (; j < count; ++j) sums[0] += (double(x[j]) - mean[j]) * f[j];
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
  }
  static double picked(const T* x, const Indices& set, const Numbers& centre, const double* f) {
    double sums[2] = {};
    for (std::size_t k = 0; k < set.size(); ++k) sums[k & 1] += (double(x[set[k]]) - centre[k]) * f[k];
    return sums[0] + sums[1];
  }

  // In slices of a few rows that stay in the cache, merged as they come.
  void block_moments(index_t begin, index_t end, index_t first, index_t last, bool centre, double* means,
                     double* squares) const override {
    const index_t n = last - first;
    Numbers m(n), q(n), slice(n), apart(n);
    double weight = 0;
    for (index_t top = begin; top < end; top += 32) {
      const index_t bottom = std::min(end, top + 32);
      double slice_weight = 0;
      std::fill(slice.begin(), slice.end(), 0.0);
      for (index_t i = top; i < bottom; ++i) {
        const T* x = X_.data + i * X_.stride + first;
        const double s = root[i] * root[i];
        slice_weight += s;
        if (centre)
          for (index_t j = 0; j < n; ++j) slice[j] += s * double(x[j]);
      }
      if (slice_weight == 0) continue;
      const double joint = weight + slice_weight;
      for (index_t j = 0; j < n; ++j) {
        slice[j] /= slice_weight;
        const double d = slice[j] - m[j];
        q[j] += d * d * (weight / joint) * slice_weight;
        m[j] += d * (slice_weight / joint);
      }
      for (index_t i = top; i < bottom; ++i) {
        const T* x = X_.data + i * X_.stride + first;
        const double s = root[i] * root[i];
        for (index_t j = 0; j < n; ++j) q[j] += s * (double(x[j]) - slice[j]) * (double(x[j]) - slice[j]);
      }
      weight = joint;
    }
    std::copy(m.begin(), m.end(), means + first);
    std::copy(q.begin(), q.end(), squares + first);
  }

 private:
  RowMajor<T> X_;
};

}  // namespace learnable::coordinate
