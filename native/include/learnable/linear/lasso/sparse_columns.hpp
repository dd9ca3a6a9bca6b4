// Standardised columns of a sparse design. Zeros stay zeros: a_j is stored as the sparse part root * x_j / norm_j and
// the multiple mean_j / norm_j of `root` that centring subtracts.
//
// A change of the fit is orthogonal to `root` when the columns are centred, so a_j . e needs the sparse part only.
#pragma once

#include <cstdint>

#include "learnable/linear/lasso/standardised_columns.hpp"

namespace learnable::coordinate {

// The sparse part of one column, copied next to its neighbours: `value[k]` at row `index[k]`.
struct SparsePart {
  std::vector<std::int32_t> index;
  Numbers value;
};

class SparseBase : public Columns {
 public:
  using Columns::Columns;
  double offset(index_t j) const { return mean[j] * inverse_norm[j]; }
  virtual void append(index_t j, SparsePart& part) const = 0;
};

template <class T>
class BySparseColumn final : public SparseBase {
 public:
  BySparseColumn(const SparseColumns<T>& X, View<const double> weight, bool centre)
      : SparseBase(X.rows, X.columns, weight), X_(X), bounds_(block_bounds()) {
    parallel_for(index_t(bounds_.size()) - 1, [&](index_t block, int) {
      for (index_t j = bounds_[block]; j < bounds_[block + 1]; ++j) {
        double sum = 0, seen = 0, square = 0;
        for (index_t k = X_.start[j]; k < X_.start[j + 1]; ++k) {
          const double s = root[X_.index[k]] * root[X_.index[k]];
          sum += s * double(X_.value[k]);
          seen += s;
        }
        mean[j] = centre ? sum : 0;
        for (index_t k = X_.start[j]; k < X_.start[j + 1]; ++k) {
          const double apart = double(X_.value[k]) - mean[j];
          square += root[X_.index[k]] * root[X_.index[k]] * apart * apart;
        }
        set_norm(j, square + mean[j] * mean[j] * std::max(0.0, 1 - seen));
      }
    });
  }

  index_t entries() const override { return index_t(X_.start[X_.columns]); }

  void products(Grid<const double> v, Grid<double> out) const override {
    for (index_t b = 0; b < v.rows; b += 4) {
      if (v.rows - b == 1) products_of<1>(v, b, out);
      else if (v.rows - b == 2) products_of<2>(v, b, out);
      else if (v.rows - b == 3) products_of<3>(v, b, out);
      else products_of<4>(v, b, out);
    }
  }

  void scores(const Indices& set, Grid<const double> w, index_t, index_t, Grid<double> out) const override {
    for (index_t b = 0; b < w.rows; ++b) {
      View<double> z = out.row(b);
      std::fill(z.begin(), z.end(), 0.0);
      double shift = 0;
      for (index_t k = 0; k < index_t(set.size()); ++k) {
        const double factor = w(b, k) * inverse_norm[set[k]];
        shift += factor * mean[set[k]];
        if (factor != 0) X_.axpy(set[k], factor, z);
      }
      for (index_t i = 0; i < rows; ++i) z[i] -= shift;
    }
  }

  void pack(const index_t* set, index_t size, index_t begin, index_t end, double* out, index_t stride) const override {
    for (index_t k = 0; k < size; ++k) {
      const index_t j = set[k];
      double* column = out + k * stride;
      for (index_t i = begin; i < end; ++i) column[i - begin] = -offset(j) * root[i];
      for (index_t q = X_.start[j]; q < X_.start[j + 1]; ++q) {
        const index_t i = X_.index[q];
        if (i >= begin && i < end) column[i - begin] = root[i] * (double(X_.value[q]) - mean[j]) * inverse_norm[j];
      }
    }
  }

  void append(index_t j, SparsePart& part) const override {
    for (index_t k = X_.start[j]; k < X_.start[j + 1]; ++k) {
      part.index.push_back(std::int32_t(X_.index[k]));
      part.value.push_back(double(X_.value[k]) * (root[X_.index[k]] * inverse_norm[j]));
    }
  }

 private:
  // `several` vectors side by side in memory, so that one access to a row serves all of them.
  template <int several>
  void products_of(Grid<const double> v, index_t from, Grid<double> out) const {
    Numbers beside(std::size_t(rows * several));
    double total[several] = {};
    for (int b = 0; b < several; ++b)
      for (index_t i = 0; i < rows; ++i) total[b] += beside[i * several + b] = v(from + b, i);
    parallel_for(index_t(bounds_.size()) - 1, [&](index_t block, int) {
      for (index_t j = bounds_[block]; j < bounds_[block + 1]; ++j) {
        double sum[several] = {};
        for (index_t k = X_.start[j]; k < X_.start[j + 1]; ++k) {
          const double* r = &beside[index_t(X_.index[k]) * several];
          for (int b = 0; b < several; ++b) sum[b] += double(X_.value[k]) * r[b];
        }
        for (int b = 0; b < several; ++b) out(from + b, j) = sum[b] - mean[j] * total[b];
      }
    });
  }

  // Columns in blocks of about equal numbers of entries.
  Indices block_bounds() const {
    Indices bounds{0};
    index_t cost = 0;
    for (index_t j = 0; j < X_.columns; ++j) {
      cost += 8 + index_t(X_.start[j + 1] - X_.start[j]);
      if (cost >= 1 << 17 || j + 1 == X_.columns) bounds.push_back(j + 1), cost = 0;
    }
    return bounds;
  }

  SparseColumns<T> X_;
  Indices bounds_;
};

}  // namespace learnable::coordinate
