// MurmurHash3 for 32 bits [Appleby, 2011]: the hash of feature hashing.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace learnable {

inline std::uint32_t rotated(std::uint32_t value, int by) { return (value << by) | (value >> (32 - by)); }

inline std::uint32_t murmur3(std::string_view text, std::uint32_t seed) {
  constexpr std::uint32_t first = 0xcc9e2d51u, second = 0x1b873593u;
  const auto scrambled = [](std::uint32_t word) { return rotated(word * first, 15) * second; };
  std::uint32_t hash = seed;
  std::size_t at = 0;
  for (; at + 4 <= text.size(); at += 4) {
    std::uint32_t word;
    std::memcpy(&word, text.data() + at, 4);
    hash = rotated(hash ^ scrambled(word), 13) * 5 + 0xe6546b64u;
  }
  if (at < text.size()) {
    std::uint32_t word = 0;
    std::memcpy(&word, text.data() + at, text.size() - at);
    hash ^= scrambled(word);
  }
  hash ^= std::uint32_t(text.size());
  hash = (hash ^ (hash >> 16)) * 0x85ebca6bu;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35u;
  return hash ^ (hash >> 16);
}

}  // namespace learnable
