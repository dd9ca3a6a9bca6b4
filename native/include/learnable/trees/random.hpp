// Random numbers for trees.
#pragma once

#include <cstdint>

#include "learnable/matrix/view.hpp"

namespace learnable {

// A random number generator that depends on a seed and a stream alone; usable with the distributions of the standard
// library.
class Draws64 {
 public:
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type(0); }

  Draws64(std::uint64_t seed, std::uint64_t stream) : state_(seed ^ (stream + 1) * 0xD1342543DE82EF95ull) {}
  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  index_t below(index_t bound) { return index_t((unsigned __int128)((*this)()) * std::uint64_t(bound) >> 64); }
  double uniform() { return double((*this)() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace learnable
