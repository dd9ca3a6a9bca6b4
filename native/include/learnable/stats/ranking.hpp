// Scores in descending order with signed weights: the basis of ROC and precision-recall curves.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// A score as an integer key that decreases with the score, and a weight that is negative for a negative row.
struct Ranked {
  std::uint64_t key;
  double weight;
};

// Both zeros have the same key. NaN is not expected.
inline std::uint64_t descending_key(double score) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(score);
  constexpr std::uint64_t sign = std::uint64_t(1) << 63;
  if ((bits & ~sign) == 0) bits = 0;
  return ~(bits & sign ? ~bits : bits | sign);
}

inline double score_of(std::uint64_t key) {
  constexpr std::uint64_t sign = std::uint64_t(1) << 63;
  const std::uint64_t ordered = ~key;
  return std::bit_cast<double>(ordered & sign ? ordered & ~sign : ~ordered);
}

namespace detail {

// Stable sort by key: by the first eight bits in which keys differ, then each part again. `scratch` has the same size.
template <class Entry>
void sort_by_key(Entry* data, Entry* scratch, index_t size) {
  if (size <= 24) {
    for (index_t i = 1; i < size; ++i) {
      const Entry moved = data[i];
      index_t position = i;
      for (; position > 0 && data[position - 1].key > moved.key; --position) data[position] = data[position - 1];
      data[position] = moved;
    }
    return;
  }
  std::uint64_t differ = 0;
  for (index_t i = 1; i < size; ++i) differ |= data[i].key ^ data[0].key;
  if (differ == 0) return;
  const int shift = std::max(0, int(std::bit_width(differ)) - 8);
  index_t start[257] = {};
  for (index_t i = 0; i < size; ++i) ++start[(data[i].key >> shift & 255) + 1];
  for (int digit = 0; digit < 256; ++digit) start[digit + 1] += start[digit];
  index_t next[256];
  std::copy_n(start, 256, next);
  for (index_t i = 0; i < size; ++i) scratch[next[data[i].key >> shift & 255]++] = data[i];
  std::memcpy(data, scratch, std::size_t(size) * sizeof(Entry));
  if (shift == 0) return;
  for (int digit = 0; digit < 256; ++digit)
    if (start[digit + 1] - start[digit] > 1)
      sort_by_key(data + start[digit], scratch + start[digit], start[digit + 1] - start[digit]);
}

}  // namespace detail

// The rows of positive weight in descending order of their scores; rows of equal score stay in their order.
//
// Rows are distributed over buckets of neighbouring keys block by block, at positions counted beforehand; then each
// bucket is sorted, small enough for the cache unless scores are concentrated.
inline std::vector<Ranked> ranked(View<const double> scores, View<const std::uint8_t> positive,
                                  View<const double> weight) {
  constexpr index_t target_buckets = 2048;
  const Blocks rows(scores.size, 1 << 16);
  std::vector<std::uint64_t> block_lowest(rows.count, ~std::uint64_t(0)), block_highest(rows.count, 0);
  parallel_for(rows.count, [&](index_t block, int) {
    std::uint64_t low = block_lowest[block], high = block_highest[block];
    for (index_t i = rows.begin(block); i < rows.end(block); ++i) {
      const std::uint64_t key = descending_key(scores[i]);
      low = std::min(low, key);
      high = std::max(high, key);
    }
    block_lowest[block] = low;
    block_highest[block] = high;
  });
  if (rows.count == 0) return {};
  const std::uint64_t lowest = *std::min_element(block_lowest.begin(), block_lowest.end());
  const std::uint64_t range = *std::max_element(block_highest.begin(), block_highest.end()) - lowest;
  const int shift = std::max(0, int(std::bit_width(range)) - int(std::bit_width(std::uint64_t(target_buckets))) + 1);
  const index_t buckets = index_t(range >> shift) + 1;

  const auto counts = [&](index_t i) { return !weight || weight[i] > 0; };
  const auto bucket_of = [&](index_t i) { return index_t((descending_key(scores[i]) - lowest) >> shift); };
  std::vector<std::vector<index_t>> positions(rows.count);
  parallel_for(rows.count, [&](index_t block, int) {
    positions[block].assign(buckets, 0);
    for (index_t i = rows.begin(block); i < rows.end(block); ++i) positions[block][bucket_of(i)] += counts(i);
  });
  std::vector<index_t> starts(buckets + 1, 0);
  index_t size = 0, longest = 0;
  for (index_t bucket = 0; bucket < buckets; ++bucket) {
    starts[bucket] = size;
    for (index_t block = 0; block < rows.count; ++block) {
      const index_t here = positions[block][bucket];
      positions[block][bucket] = size;
      size += here;
    }
    longest = std::max(longest, size - starts[bucket]);
  }
  starts[buckets] = size;

  std::vector<Ranked> sorted(size);
  parallel_for(rows.count, [&](index_t block, int) {
    for (index_t i = rows.begin(block); i < rows.end(block); ++i)
      if (counts(i)) {
        const double row_weight = weight ? weight[i] : 1.0;
        sorted[positions[block][bucket_of(i)]++] = {descending_key(scores[i]), positive[i] ? row_weight : -row_weight};
      }
  });
  const Blocks groups(buckets, std::max<index_t>(1, buckets / 256));
  std::vector<std::vector<Ranked>> scratch(threads_for(groups.count));
  parallel_for(groups.count, [&](index_t group, int slot) {
    scratch[slot].resize(longest);
    for (index_t bucket = groups.begin(group); bucket < groups.end(group); ++bucket)
      detail::sort_by_key(sorted.data() + starts[bucket], scratch[slot].data(), starts[bucket + 1] - starts[bucket]);
  });
  return sorted;
}

// Calls f(key, true positives, false positives) for every distinct score, from the highest: the weights of positives
// and of negatives with that score or a higher one.
template <class F>
void for_thresholds(const std::vector<Ranked>& sorted, F&& f) {
  double positives_above = 0, negatives_above = 0;
  const index_t size = index_t(sorted.size());
  for (index_t i = 0; i < size; ++i) {
    const double weight = sorted[i].weight;
    (weight > 0 ? positives_above : negatives_above) += std::abs(weight);
    if (i + 1 == size || sorted[i + 1].key != sorted[i].key) f(sorted[i].key, positives_above, negatives_above);
  }
}

// The sum over pairs of a positive and a negative of their weights, where the positive scores higher, and half of it
// for ties.
struct RankedArea {
  double area = 0, positives = 0, negatives = 0;
};

inline RankedArea ranked_area(const std::vector<Ranked>& sorted) {
  RankedArea sum;
  for_thresholds(sorted, [&](std::uint64_t, double positives_above, double negatives_above) {
    sum.area += (negatives_above - sum.negatives) * (sum.positives + positives_above) / 2;
    sum.positives = positives_above;
    sum.negatives = negatives_above;
  });
  return sum;
}

}  // namespace learnable
