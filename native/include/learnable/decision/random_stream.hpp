// A stream of random numbers for each episode: SplitMix64 [Steele, Lea and Flood, 2014].
#pragma once

#include <cstdint>

#include "learnable/matrix/view.hpp"

namespace learnable {

inline std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

struct RandomStream {
  std::uint64_t state;

  RandomStream(std::uint64_t seed, std::uint64_t unit) : state(mixed(seed + 0x9e3779b97f4a7c15ull * (unit + 1))) {}

  double uniform() {
    state += 0x9e3779b97f4a7c15ull;
    return static_cast<double>(mixed(state) >> 11) * 0x1.0p-53;
  }
  index_t below(index_t count) {
    const index_t drawn = static_cast<index_t>(uniform() * static_cast<double>(count));
    return drawn < count ? drawn : count - 1;
  }
};

}  // namespace learnable
