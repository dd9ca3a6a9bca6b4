// Scores in falling order, with what each counts for or against: what ROC, precision-recall and their like are made of.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "learnable/matrix/view.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// A score as a whole number that rises as the score falls, and a weight that is negative for a negative row.
struct Ranked {
  std::uint64_t key;
  double weight;
};

// Both zeros have one key. NaN is not expected.
inline std::uint64_t falling_key(double score) {
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

// Sorts by key, stably: by the first eight bits in which keys differ, then each part again. `scratch` has as much room.
template <class Entry>
void sort_by_key(Entry* data, Entry* scratch, index_t size) {
  if (size <= 24) {
    for (index_t i = 1; i < size; ++i) {
      const Entry moved = data[i];
      index_t place = i;
      for (; place > 0 && data[place - 1].key > moved.key; --place) data[place] = data[place - 1];
      data[place] = moved;
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

// The rows of positive weight in falling order of their scores; rows of equal score stay in their order.
//
// Rows are dealt into buckets of neighbouring keys block by block, at places counted beforehand; then each bucket is
// sorted by itself, small enough for the cache unless scores crowd.
inline std::vector<Ranked> ranked(View<const double> scores, View<const std::uint8_t> positive,
                                  View<const double> weight) {
  constexpr index_t wanted_buckets = 2048;
  const Blocks rows(scores.size, 1 << 16);
  std::vector<std::uint64_t> least(rows.count, ~std::uint64_t(0)), most(rows.count, 0);
  parallel_for(rows.count, [&](index_t block, int) {
    std::uint64_t low = least[block], high = most[block];
    for (index_t i = rows.begin(block); i < rows.end(block); ++i) {
      const std::uint64_t key = falling_key(scores[i]);
      low = std::min(low, key);
      high = std::max(high, key);
    }
    least[block] = low;
    most[block] = high;
  });
  if (rows.count == 0) return {};
  const std::uint64_t lowest = *std::min_element(least.begin(), least.end());
  const std::uint64_t range = *std::max_element(most.begin(), most.end()) - lowest;
  const int shift = std::max(0, int(std::bit_width(range)) - int(std::bit_width(std::uint64_t(wanted_buckets))) + 1);
  const index_t buckets = index_t(range >> shift) + 1;

  const auto counts = [&](index_t i) { return !weight || weight[i] > 0; };
  const auto bucket_of = [&](index_t i) { return index_t((falling_key(scores[i]) - lowest) >> shift); };
  std::vector<std::vector<index_t>> places(rows.count);
  parallel_for(rows.count, [&](index_t block, int) {
    places[block].assign(buckets, 0);
    for (index_t i = rows.begin(block); i < rows.end(block); ++i) places[block][bucket_of(i)] += counts(i);
  });
  std::vector<index_t> starts(buckets + 1, 0);
  index_t size = 0, longest = 0;
  for (index_t bucket = 0; bucket < buckets; ++bucket) {
    starts[bucket] = size;
    for (index_t block = 0; block < rows.count; ++block) {
      const index_t here = places[block][bucket];
      places[block][bucket] = size;
      size += here;
    }
    longest = std::max(longest, size - starts[bucket]);
  }
  starts[buckets] = size;

  std::vector<Ranked> sorted(size);
  parallel_for(rows.count, [&](index_t block, int) {
    for (index_t i = rows.begin(block); i < rows.end(block); ++i)
      if (counts(i)) {
        const double size_of_row = weight ? weight[i] : 1.0;
        sorted[places[block][bucket_of(i)]++] = {falling_key(scores[i]), positive[i] ? size_of_row : -size_of_row};
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

// Calls f(key, hits, alarms) for every distinct score, from the highest: the weight of positives and of negatives with
// that score or a higher one.
template <class F>
void for_thresholds(const std::vector<Ranked>& sorted, F&& f) {
  double hits = 0, alarms = 0;
  const index_t size = index_t(sorted.size());
  for (index_t i = 0; i < size; ++i) {
    const double weight = sorted[i].weight;
    (weight > 0 ? hits : alarms) += std::abs(weight);
    if (i + 1 == size || sorted[i + 1].key != sorted[i].key) f(sorted[i].key, hits, alarms);
  }
}

// sum over pairs of a positive and a negative of their weights, where the positive scores higher, and half of it for ties
struct RankedArea {
  double area = 0, positives = 0, negatives = 0;
};

inline RankedArea ranked_area(const std::vector<Ranked>& sorted) {
  RankedArea sum;
  for_thresholds(sorted, [&](std::uint64_t, double hits, double alarms) {
    sum.area += (alarms - sum.negatives) * (sum.positives + hits) / 2;
    sum.positives = hits;
    sum.negatives = alarms;
  });
  return sum;
}

}  // namespace learnable
