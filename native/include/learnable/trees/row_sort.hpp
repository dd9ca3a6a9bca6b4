// Sorting rows by a column.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "learnable/matrix/simd.hpp"
#include "learnable/matrix/view.hpp"

namespace learnable {

// The rank of an entry and the index of its row, packed into a key that sorts by rank.
inline std::uint64_t keyed(std::uint32_t rank, std::uint32_t index) { return std::uint64_t(rank) << 32 | index; }
inline std::uint32_t rank_of(std::uint64_t key) { return std::uint32_t(key >> 32); }
inline std::uint32_t index_of(std::uint64_t key) { return std::uint32_t(key); }

// Stable sort of indices by their keys.
inline void sort_by_key(std::vector<std::uint32_t>& indices, const std::vector<double>& key) {
  std::stable_sort(indices.begin(), indices.end(), [&](std::uint32_t a, std::uint32_t b) { return key[a] < key[b]; });
}

namespace detail {

inline void sort_by_insertion(std::uint64_t* keys, index_t count) {
  for (index_t i = 1; i < count; ++i) {
    const std::uint64_t key = keys[i];
    index_t j = i;
    for (; j > 0 && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

// Up to `few_keys` are sorted by counting the smaller ones, a vector at a time and without branches; up to `many_keys`
// are distributed over as many buckets; more are sorted by digits.
constexpr index_t few_keys = 48, many_keys = 4096;

inline void sort_by_counting(const std::uint64_t* keys, std::uint64_t* sorted, index_t count, std::uint32_t low) {
  constexpr index_t width = lane_count<std::int32_t>;
  std::array<std::int32_t, round_up(few_keys, width)> number, position;  // ranks made distinct by position
  for (index_t k = 0; k < count; ++k) number[k] = std::int32_t((rank_of(keys[k]) - low) << 6 | std::uint32_t(k));
  for (index_t k = count; k < round_up(count, width); ++k) number[k] = 0;
  for (index_t k = 0; k < count; k += width) {
    const auto here = load<std::int32_t>(number.data() + k);
    LanesOf<std::int32_t> before{};
    for (index_t j = 0; j < count; ++j) before -= here > number[j];
    store(position.data() + k, before);
  }
  for (index_t k = 0; k < count; ++k) sorted[position[k]] = keys[k];
}

// Bucket sort by the highest bits of the rank, then by insertion. False, without changes, if most keys fall into few
// buckets.
inline bool sort_by_spreading(std::uint64_t* keys, std::uint64_t* spare, index_t count, std::uint32_t low, int bits) {
  const int bucket_bits = std::min(bits, int(std::bit_width(std::uint64_t(count))));
  const int shift = bits - bucket_bits;
  const auto bucket = [=](std::uint64_t key) { return (rank_of(key) - low) >> shift; };
  std::array<std::uint16_t, 2 * many_keys + 1> start;
  std::fill_n(start.begin(), (std::size_t(1) << bucket_bits) + 1, std::uint16_t(0));
  for (index_t k = 0; k < count; ++k) ++start[bucket(keys[k]) + 1];
  index_t collisions = 0;
  for (index_t b = 0; b < index_t(1) << bucket_bits; ++b) {
    collisions += index_t(start[b + 1]) * start[b + 1];
    start[b + 1] += start[b];
  }
  if (shift > 0 && collisions > 12 * count) return false;
  for (index_t k = 0; k < count; ++k) spare[start[bucket(keys[k])]++] = keys[k];
  if (shift > 0) sort_by_insertion(spare, count);
  return true;
}

// Sorts keys by rank, with ranks between `low` and `high`; returns the array that holds them then.
inline std::uint64_t* sort_keys(std::uint64_t* keys, std::uint64_t* spare, index_t count, std::uint32_t low,
                                std::uint32_t high) {
  const int bits = std::bit_width(high - low);
  if (bits == 0) return keys;  // all of one rank, as in a constant column
  if (count <= few_keys && bits <= 25) {
    sort_by_counting(keys, spare, count, low);
    return spare;
  }
  if (count < many_keys && sort_by_spreading(keys, spare, count, low, bits)) return spare;
  const int passes = (bits + 10) / 11, digit = (bits + passes - 1) / passes;
  for (int pass = 0; pass < passes; ++pass) {
    const auto value = [=](std::uint64_t key) {
      return ((rank_of(key) - low) >> (pass * digit)) & ((std::uint32_t(1) << digit) - 1);
    };
    std::array<std::uint32_t, 2049> start;
    std::fill_n(start.begin(), (std::size_t(1) << digit) + 1, 0u);
    for (index_t k = 0; k < count; ++k) ++start[value(keys[k]) + 1];
    for (std::size_t b = 0; b < std::size_t(1) << digit; ++b) start[b + 1] += start[b];
    for (index_t k = 0; k < count; ++k) spare[start[value(keys[k])]++] = keys[k];
    std::swap(keys, spare);
  }
  return keys;
}

}  // namespace detail

}  // namespace learnable
