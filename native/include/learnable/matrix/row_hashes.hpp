// Hashes of rows, which depend on their entries alone, and the order of the rows by hash.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "learnable/matrix/design.hpp"
#include "learnable/matrix/radix_sort.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

namespace detail {

// The bits of an entry as rounded to Precision, mixed; zero for zero of either sign.
template <class Precision, class T>
inline std::uint64_t mixed_bits(T value) {
  using Bits = std::conditional_t<sizeof(Precision) == 4, std::uint32_t, std::uint64_t>;
  constexpr std::uint64_t stir = 0x9E3779B97F4A7C15ull;
  const Precision rounded = Precision(value);
  std::uint64_t bits = (rounded == 0 ? 0 : std::uint64_t(std::bit_cast<Bits>(rounded))) * stir;
  bits ^= bits >> 32;
  return bits * stir;
}

template <class Precision, class T>
void add_row_hashes(const RowMajor<T>& X, index_t begin, index_t end, const std::uint64_t* factor,
                    std::uint64_t* hashes) {
  for (index_t i = begin; i < end; ++i) {
    const T* x = X.data + i * X.stride;
    std::uint64_t sum = 0;
#pragma omp simd reduction(+ : sum)
    for (index_t j = 0; j < X.columns; ++j) sum += mixed_bits<Precision>(x[j]) * factor[j];
    hashes[i] += sum;
  }
}
template <class Precision, class T>
void add_row_hashes(const ColumnMajor<T>& X, index_t begin, index_t end, const std::uint64_t* factor,
                    std::uint64_t* hashes) {
  for (index_t j = 0; j < X.columns; ++j) {
    const T* x = X.data + j * X.stride;
#pragma omp simd
    for (index_t i = begin; i < end; ++i) hashes[i] += mixed_bits<Precision>(x[i]) * factor[j];
  }
}
template <class Precision, class T>
void add_row_hashes(const SparseRows<T>& X, index_t begin, index_t end, const std::uint64_t* factor,
                 std::uint64_t* hashes) {
  for (index_t i = begin; i < end; ++i)
    for (index_t k = X.start[i]; k < X.start[i + 1]; ++k)
      hashes[i] += mixed_bits<Precision>(X.value[k]) * factor[X.index[k]];
}

}  // namespace detail

// hash[i] += the sum over the entries of row i of factor times mixed bits, modulo 2^64. Zeros add nothing.
template <class Precision, class Design>
void add_row_hashes(const Design& X, View<const std::uint64_t> factor, View<std::uint64_t> hashes) {
  const Blocks blocks(X.rows, 1024);
  parallel_if(X.rows * X.columns > 50'000, blocks.count, [&](index_t block, int) {
    detail::add_row_hashes<Precision>(X, blocks.begin(block), blocks.end(block), factor.data, hashes.data);
  });
}

// order = the rows sorted by hash, equal ones in their order. Hashes are distributed over buckets by their highest
// bits, as many as a sixteenth of the rows, and each bucket is sorted.
inline void order_by_hash(View<const std::uint64_t> hashes, View<std::int64_t> order) {
  struct HashedRow {
    std::uint64_t hash;
    std::int64_t row;
  };
  const int shift = 64 - std::clamp(int(std::bit_width(std::uint64_t(hashes.size))) - 4, 1, 20);
  std::vector<index_t> end((std::size_t(1) << (64 - shift)) + 1, 0);
  for (const std::uint64_t hash : hashes) ++end[(hash >> shift) + 1];
  for (std::size_t b = 1; b < end.size(); ++b) end[b] += end[b - 1];
  std::vector<HashedRow> spread(std::size_t(hashes.size));
  for (index_t i = 0; i < hashes.size; ++i) spread[end[hashes[i] >> shift]++] = {hashes[i], i};
  const Blocks blocks(index_t(end.size()) - 1, 1024);
  parallel_if(hashes.size > 50'000, blocks.count, [&](index_t block, int) {
    std::vector<HashedRow> spare;
    for (index_t b = blocks.begin(block); b < blocks.end(block); ++b) {
      const index_t from = b == 0 ? 0 : end[b - 1], count = end[b] - from;
      if (index_t(spare.size()) < count) spare.resize(std::size_t(count));
      radix_sort(spread.data() + from, spare.data(), count, [](const HashedRow& its) { return its.hash; });
      for (index_t position = from; position < end[b]; ++position) order[position] = spread[position].row;
    }
  });
}

}  // namespace learnable
