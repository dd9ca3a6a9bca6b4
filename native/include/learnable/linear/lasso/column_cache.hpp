// Caches of columns that were ever in a working set: their products with one another, or the standardised columns
// themselves, contiguous in memory.
#pragma once

#include <cstdlib>
#include <new>

#include "learnable/linear/lasso/dense_columns.hpp"
#include "learnable/linear/lasso/sparse_columns.hpp"

namespace learnable::coordinate {

// Uninitialised memory, aligned to cache lines.
template <class Real>
class Buffer {
 public:
  explicit Buffer(index_t size = 0)
      : data_(static_cast<Real*>(::operator new(std::size_t(size) * sizeof(Real) + 64, std::align_val_t(64)))) {}
  Real* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(Real* p) const { ::operator delete(p, std::align_val_t(64)); }
  };
  std::unique_ptr<Real, Free> data_;
};

// The slot of each column in a cache, in order of arrival; -1 for absent ones.
class Slots {
 public:
  explicit Slots(index_t columns) : slot_(columns, -1) {}
  index_t size() const { return index_t(columns_.size()); }
  index_t slot(index_t column) const { return slot_[column]; }
  const Indices& columns() const { return columns_; }
  // Assigns slots to those of `set` that have none; returns the number of slots before.
  index_t admit(const Indices& set) {
    const index_t before = size();
    for (const index_t j : set)
      if (slot_[j] < 0) slot_[j] = size(), columns_.push_back(j);
    return before;
  }

 private:
  Indices slot_, columns_;
};

// Products a_j . a_k of the columns admitted so far. Every admission costs one pass over them.
class GramCache {
 public:
  explicit GramCache(const Columns& A) : A_(A), slots_(A.count) {}

  index_t size() const { return slots_.size(); }
  index_t slot(index_t column) const { return slots_.slot(column); }
  const double* row(index_t slot) const { return gram_.data() + slot * room_; }

  // v_k -= w a_j . a_k for every column k, where all are admitted.
  void subtract_row(index_t j, double w, double* v) const {
    const double* products = row(slots_.slot(j));
    for (index_t k = 0; k < size(); ++k) v[slots_.columns()[k]] -= w * products[k];
  }

  void admit(const Indices& set) {
    const index_t before = slots_.admit(set);
    if (size() == before) return;
    make_room(before);
    for (index_t k = before; k < size(); ++k) std::fill_n(gram_.data() + k * room_, size(), 0.0);
    const Blocks slabs(A_.rows, slab);
    const index_t stride = padded(std::min(slab, A_.rows));
    Buffer<double> panel(stride * size());
    for (index_t s = 0; s < slabs.count; ++s) add_slab(slabs.begin(s), slabs.end(s), before, panel.data(), stride);
    for (index_t k = before; k < size(); ++k)
      for (index_t q = 0; q < k; ++q) gram_.data()[q * room_ + k] = gram_.data()[k * room_ + q];
  }

  // Uses a precomputed matrix: x_j . x_k of centred columns, with weights of sum one.
  void adopt(Grid<const double> given) {
    Indices all(A_.count);
    for (index_t j = 0; j < A_.count; ++j) all[j] = j;
    slots_.admit(all);
    make_room(0);
    const Indices& at = slots_.columns();
    for (index_t j = 0; j < size(); ++j)
      for (index_t k = 0; k < size(); ++k)
        gram_.data()[j * room_ + k] = given(at[j], at[k]) * A_.inverse_norm[at[j]] * A_.inverse_norm[at[k]];
  }

 private:
  static constexpr index_t slab = 2048, tile = 32, depth = 256;

  // An odd number of cache lines, so that neighbouring columns do not map to the same cache sets.
  static index_t padded(index_t n) { return ((n + 7) / 8 | 1) * 8; }

  void make_room(index_t before) {
    if (size() <= room_) return;
    const index_t room = padded(std::max(size(), 2 * before));
    Buffer<double> larger(room * room);
    for (index_t k = 0; k < before; ++k) std::copy_n(gram_.data() + k * room_, before, larger.data() + k * room);
    gram_ = std::move(larger);
    room_ = room;
  }

  void add_slab(index_t begin, index_t end, index_t before, double* panel, index_t stride) {
    const Blocks packs(size(), 64);
    parallel_for(packs.count, [&](index_t b, int) {
      A_.pack(&slots_.columns()[packs.begin(b)], packs.end(b) - packs.begin(b), begin, end,
              panel + packs.begin(b) * stride, stride);
    });
    const Blocks down(size() - before, tile), across(size(), 2 * tile);
    parallel_for(down.count * across.count, [&](index_t block, int) {
      const index_t d = block / across.count, a = block % across.count;
      const index_t top = before + down.begin(d), bottom = before + down.end(d);
      if (across.begin(a) < bottom)
        add_products(panel, stride, end - begin, top, bottom, across.begin(a), std::min(across.end(a), bottom));
    });
  }

  // gram[top:bottom, left:right] += the products over one slab, in depths that keep both sides in the first cache.
  void add_products(const double* panel, index_t stride, index_t n, index_t top, index_t bottom, index_t left,
                    index_t right) {
    double* out = gram_.data();
    for (index_t from = 0; from < n; from += depth) {
      const index_t length = std::min(depth, n - from);
      const double* x = panel + from;
      for (index_t q = left; q < right; q += 3) {
        index_t k = top;
        if (q + 3 <= right)
          for (; k + 4 <= bottom; k += 4)
            tile_of_dots<double, 4, 3>(x + k * stride, stride, nullptr, x + q * stride, stride, length,
                                       out + k * room_ + q, room_);
        for (; k < bottom; ++k)
          for (index_t r = q; r < std::min(right, q + 3); ++r)
            tile_of_dots<double, 1, 1>(x + k * stride, stride, nullptr, x + r * stride, stride, length,
                                       out + k * room_ + r, room_);
      }
    }
  }

  const Columns& A_;
  Slots slots_;
  Buffer<double> gram_;
  index_t room_ = 0;
};

// Standardised columns in `Real`, padded with zeros.
template <class Real>
class PackedCache {
 public:
  explicit PackedCache(const DenseColumns& A)
      : A_(A), slots_(A.count), length_((A.rows + 15) / 16 * 16), stride_((length_ * index_t(sizeof(Real)) / 64 | 1) * 64 / index_t(sizeof(Real))) {}

  index_t length() const { return length_; }
  const Real* column(index_t j) const { return data_of(slots_.slot(j)); }

  void admit(const Indices& set) {
    const index_t before = slots_.admit(set), fresh = slots_.size() - before;
    while (index_t(pieces_.size()) * piece < slots_.size()) pieces_.emplace_back(piece * stride_);
    const Blocks packs(fresh, 16);
    parallel_for(packs.count, [&](index_t b, int) {
      for (index_t k = before + packs.begin(b); k < before + packs.end(b); ++k) {
        pack(slots_.columns()[k], data_of(k));
        std::fill(data_of(k) + A_.rows, data_of(k) + length_, Real(0));
      }
    });
  }

 private:
  static constexpr index_t piece = 64;

  // Columns are packed in double precision and converted a few rows at a time, which stay in the first cache.
  void pack(index_t j, Real* out) const {
    if constexpr (std::is_same_v<Real, double>) {
      A_.pack(&j, 1, 0, A_.rows, out, stride_);
    } else {
      double some[512];
      const Blocks blocks(A_.rows, 512);
      for (index_t b = 0; b < blocks.count; ++b) {
        const index_t begin = blocks.begin(b), count = blocks.end(b) - begin;
        A_.pack(&j, 1, begin, begin + count, some, 512);
        for (index_t i = 0; i < count; ++i) out[begin + i] = Real(some[i]);
      }
    }
  }
  Real* data_of(index_t slot) const { return pieces_[slot / piece].data() + slot % piece * stride_; }

  const DenseColumns& A_;
  Slots slots_;
  index_t length_, stride_;
  std::vector<Buffer<Real>> pieces_;
};

// Sparse columns, one after another.
class SparseCache {
 public:
  struct Column {
    const std::int32_t* index;
    const double* value;
    index_t size;
    double offset;
  };
  explicit SparseCache(const SparseBase& A) : A_(A), slots_(A.count), bounds_{0} {}

  index_t rows() const { return A_.rows; }
  const Numbers& root() const { return A_.root; }
  Column column(index_t j) const {
    const index_t from = bounds_[slots_.slot(j)], to = bounds_[slots_.slot(j) + 1];
    return {part_.index.data() + from, part_.value.data() + from, to - from, A_.offset(j)};
  }
  void admit(const Indices& set) {
    for (index_t k = slots_.admit(set); k < slots_.size(); ++k) {
      A_.append(slots_.columns()[k], part_);
      bounds_.push_back(index_t(part_.index.size()));
    }
  }

 private:
  const SparseBase& A_;
  Slots slots_;
  Indices bounds_;
  SparsePart part_;
};

}  // namespace learnable::coordinate
