// Standardised columns of a dense design, stored by columns or by rows.
#pragma once

#include "learnable/coordinate_columns.hpp"

namespace learnable::coordinate {

template <class T>
class ByColumn final : public DenseColumns {
 public:
  ByColumn(const ColumnMajor<T>& X, View<const double> weight, bool centre)
      : DenseColumns(X.rows, X.columns, weight), X_(X) {
    standardise(centre);
  }
  void pack(const index_t* set, index_t size, index_t begin, index_t end, double* out, index_t stride) const override {
    copy(set, size, begin, end, out, stride);
  }
  void pack(const index_t* set, index_t size, index_t begin, index_t end, float* out, index_t stride) const override {
    copy(set, size, begin, end, out, stride);
  }

 protected:
  template <int several>
  void dots_of(index_t begin, index_t end, index_t first, index_t last, const double* v, double* out) const {
    index_t j = first;
    double tile[4 * several];
    const auto put = [&](int columns) {
      for (int c = 0; c < columns; ++c)
        for (int b = 0; b < several; ++b) out[b * count + j + c] = tile[c * several + b];
    };
    for (; j + 4 <= last; j += 4) {
      std::fill(tile, tile + 4 * several, 0.0);
      tile_of_dots<double, 4, several>(X_.data + j * X_.stride + begin, X_.stride, &mean[j], v + begin, rows,
                                       end - begin, tile, several);
      put(4);
    }
    for (; j < last; ++j) {
      std::fill(tile, tile + several, 0.0);
      tile_of_dots<double, 1, several>(X_.data + j * X_.stride + begin, X_.stride, &mean[j], v + begin, rows,
                                       end - begin, tile, several);
      put(1);
    }
  }
  void dots(index_t begin, index_t end, index_t first, index_t last, const double* v, index_t several,
            double* out) const override {
    if (several == 1) return dots_of<1>(begin, end, first, last, v, out);
    if (several == 2) return dots_of<2>(begin, end, first, last, v, out);
    if (several == 3) return dots_of<3>(begin, end, first, last, v, out);
    dots_of<4>(begin, end, first, last, v, out);
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
  template <class Real>
  void copy(const index_t* set, index_t size, index_t begin, index_t end, Real* out, index_t stride) const {
    for (index_t k = 0; k < size; ++k) {
      const T* x = X_.data + set[k] * X_.stride + begin;
      const double centre = mean[set[k]], scale = inverse_norm[set[k]];
      const double* r = &root[begin];
      for (index_t i = 0; i < end - begin; ++i) out[k * stride + i] = Real((double(x[i]) - centre) * (r[i] * scale));
    }
  }

  ColumnMajor<T> X_;
};

template <class T>
class ByRow final : public DenseColumns {
 public:
  ByRow(const RowMajor<T>& X, View<const double> weight, bool centre)
      : DenseColumns(X.rows, X.columns, weight), X_(X) {
    standardise(centre);
  }
  void pack(const index_t* set, index_t size, index_t begin, index_t end, double* out, index_t stride) const override {
    copy(set, size, begin, end, out, stride);
  }
  void pack(const index_t* set, index_t size, index_t begin, index_t end, float* out, index_t stride) const override {
    copy(set, size, begin, end, out, stride);
  }

 protected:
  void dots(index_t begin, index_t end, index_t first, index_t last, const double* v, index_t several,
            double* out) const override {
    const index_t n = last - first;
    for (index_t b = 0; b < several; ++b) std::fill(out + b * count + first, out + b * count + last, 0.0);
    for (index_t i = begin; i < end; ++i) {
      const T* x = X_.data + i * X_.stride + first;
      for (index_t b = 0; b < several; ++b) {
        const double f = v[b * rows + i];
        const double* centre = &mean[first];
        double* sum = out + b * count + first;
        for (index_t j = 0; j < n; ++j) sum[j] += (double(x[j]) - centre[j]) * f;
      }
    }
  }

  void add_scores(const Indices& set, const double* factor, index_t several, index_t begin, index_t end,
                  Grid<double> out) const override {
    const index_t size = index_t(set.size());
    for (index_t i = begin; i < end; ++i) {
      const T* x = X_.data + i * X_.stride;
      for (index_t b = 0; b < several; ++b) {
        double sums[2] = {};
        for (index_t k = 0; k < size; ++k)
          sums[k & 1] += (double(x[set[k]]) - mean[set[k]]) * factor[b * size + k];
        out(b, i) += sums[0] + sums[1];
      }
    }
  }

  // In slices of a few rows that stay in the cache, merged as they come.
  void block_moments(index_t begin, index_t end, index_t first, index_t last, bool centre, double* means,
                     double* squares) const override {
    const index_t n = last - first;
    Numbers m(n), q(n), slice(n), apart(n);
    double weight = 0;
    for (index_t top = begin; top < end; top += 32) {
      const index_t bottom = std::min(end, top + 32);
      double share = 0;
      std::fill(slice.begin(), slice.end(), 0.0);
      for (index_t i = top; i < bottom; ++i) {
        const T* x = X_.data + i * X_.stride + first;
        const double s = root[i] * root[i];
        share += s;
        if (centre)
          for (index_t j = 0; j < n; ++j) slice[j] += s * double(x[j]);
      }
      if (share == 0) continue;
      const double joint = weight + share;
      for (index_t j = 0; j < n; ++j) {
        slice[j] /= share;
        const double d = slice[j] - m[j];
        q[j] += d * d * (weight / joint) * share;
        m[j] += d * (share / joint);
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
  // Sixteen rows at a time: a row is read once, and each packed column is written in runs of sixteen.
  template <class Real>
  void copy(const index_t* set, index_t size, index_t begin, index_t end, Real* out, index_t stride) const {
    for (index_t top = begin; top < end; top += 16)
      for (index_t k = 0; k < size; ++k) {
        const double centre = mean[set[k]], scale = inverse_norm[set[k]];
        const T* x = X_.data + set[k];
        for (index_t i = top; i < std::min(end, top + 16); ++i)
          out[k * stride + i - begin] = Real((double(x[i * X_.stride]) - centre) * (root[i] * scale));
      }
  }

  RowMajor<T> X_;
};

}  // namespace learnable::coordinate
