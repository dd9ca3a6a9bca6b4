// Radix sort: stable, without comparisons, with a pass for every digit in which keys differ.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "learnable/matrix/view.hpp"

namespace learnable {

// Sorts `count` items by key(item), an unsigned number of 64 bits; `spare` holds as many items.
template <class Item, class Key>
void radix_sort(Item* items, Item* spare, index_t count, Key key) {
  if (count < 48) {
    for (index_t i = 1; i < count; ++i) {
      const Item item = items[i];
      index_t j = i;
      for (; j > 0 && key(items[j - 1]) > key(item); --j) items[j] = items[j - 1];
      items[j] = item;
    }
    return;
  }
  std::uint64_t differing = 0;
  bool sorted = true;
  for (index_t i = 1; i < count; ++i) {
    differing |= key(items[i]) ^ key(items[0]);
    sorted &= key(items[i - 1]) <= key(items[i]);
  }
  if (sorted) return;
  Item *from = items, *to = spare;
  for (int shift = 0; shift < 64; shift += 8) {
    if (((differing >> shift) & 255) == 0) continue;
    std::array<index_t, 257> start{};
    for (index_t i = 0; i < count; ++i) ++start[((key(from[i]) >> shift) & 255) + 1];
    for (int digit = 0; digit < 256; ++digit) start[digit + 1] += start[digit];
    for (index_t i = 0; i < count; ++i) to[start[(key(from[i]) >> shift) & 255]++] = from[i];
    std::swap(from, to);
  }
  if (from != items) std::memcpy(items, from, std::size_t(count) * sizeof(Item));
}

}  // namespace learnable
