// Rows of a design in any row-readable storage, behind one interface: loops over blocks of rows are compiled once, and
// only the inner loops once per storage.
#pragma once

#include <cstdint>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/products.hpp"
#include "learnable/matrix/row_panel.hpp"
#include "learnable/matrix/row_matvec.hpp"
#include "learnable/matrix/single_row.hpp"

namespace learnable {

struct AnyRows {
  index_t rows, columns, entries;  // entries: the stored ones

  virtual ~AnyRows() = default;
  // out[k] = x_i . w, i = begin + k, for k < count.
  virtual void scores(index_t begin, index_t count, const double* w, double* out) const = 0;
  // out += sum over k < count of r[k] x_i.
  virtual void add_rmatvec(index_t begin, index_t count, const double* r, double* out) const = 0;
  // out += sum over k of factor[k] x_i, i = chosen[k].
  virtual void add_selected(View<const std::int64_t> chosen, const double* factor, View<double> out) const = 0;
  // panel(k, j) = x_ij, i = chosen[k].
  virtual void read_selected(View<const std::int64_t> chosen, const Panel& panel) const = 0;

 protected:
  AnyRows(index_t rows, index_t columns, index_t entries) : rows(rows), columns(columns), entries(entries) {}
};

template <class Design>
struct AnyRowsOf final : AnyRows {
  Design X;

  explicit AnyRowsOf(const Design& X) : AnyRows(X.rows, X.columns, detail::entries(X)), X(X) {}
  void scores(index_t begin, index_t count, const double* w, double* out) const override {
    row_scores(X, begin, count, w, out);
  }
  void add_rmatvec(index_t begin, index_t count, const double* r, double* out) const override {
    learnable::add_rmatvec(X, begin, count, r, out);
  }
  void add_selected(View<const std::int64_t> chosen, const double* factor, View<double> out) const override {
    for (index_t k = 0; k < chosen.size; ++k) {
      prefetch(chosen, k);
      row_of(X, chosen[k]).axpy(factor[k], out);
    }
  }
  void read_selected(View<const std::int64_t> chosen, const Panel& panel) const override {
    const Buffer zero(columns, 0);
    const double one = 1;
    for (index_t k = 0; k < chosen.size; ++k) {
      prefetch(chosen, k);
      fill_panel(X, chosen[k], 1, zero.data(), &one, panel, k);
    }
  }

 private:
  // Prefetches a row that is read soon.
  [[gnu::always_inline]] void prefetch(View<const std::int64_t> chosen, index_t k) const {
    row_of(X, chosen[std::min(k + 8, chosen.size - 1)]).prefetch();
  }
};

// out = X w + level. Fixed blocks of rows, each written by one thread.
inline void row_products(const AnyRows& X, const double* w, double level, View<double> out) {
  constexpr index_t step = 1024;
  const Blocks blocks(X.rows, round_up(detail::lines_of(1 << 16, X.rows, X.entries), step));
  parallel_for(blocks.count, [&](index_t block, int) {
    for (index_t i = blocks.begin(block); i < blocks.end(block); i += step) {
      const index_t count = std::min(step, blocks.end(block) - i);
      X.scores(i, count, w, &out[i]);
      for (index_t k = 0; k < count; ++k) out[i + k] += level;
    }
  });
}

// out = X'r. Every block of rows has its own sums, which are added in order.
inline void row_rmatvec(const AnyRows& X, View<const double> r, View<double> out) {
  const Blocks blocks = detail::summing_blocks(X.rows, X.entries, X.columns);
  std::vector<Buffer> parts(blocks.count);
  parallel_for(blocks.count, [&](index_t block, int) {
    parts[block] = Buffer(X.columns, 0);
    for (index_t i = blocks.begin(block); i < blocks.end(block); i += 1024)
      X.add_rmatvec(i, std::min<index_t>(1024, blocks.end(block) - i), &r[i], parts[block].data());
  });
  for (index_t j = 0; j < X.columns; ++j) {
    double sum = 0;
    for (const Buffer& part : parts) sum += part[j];
    out[j] = sum;
  }
}

}  // namespace learnable
