// The exponential function of a whole vector of numbers, without branches.
#pragma once

#include <cstdint>

#include "learnable/lanes.hpp"

namespace learnable {

typedef std::uint64_t LaneBits __attribute__((vector_size(8 * lanes), aligned(8), may_alias));

// e^x as scale (1 + rest + curve): scale a power of two, rest within log(2) / 2 of zero, curve = e^rest - 1 - rest.
// x is held between -700 and 700. Errors are about one rounding.
struct Exponential {
  Lanes x, scale, rest, curve;

  explicit Exponential(Lanes exponent) : x(exponent) {
    constexpr double per_octave = 1.4426950408889634, octave = 0x1.62e42fefa38p-1, octave_tail = 0x1.ef35793c7673p-45;
    constexpr double anchor = 0x1.8p52;  // adding it rounds to whole numbers and leaves them in the low bits
    const Lanes least = Lanes{} - 700, most = Lanes{} + 700;
    const Lanes above = x < least ? least : x, held = above > most ? most : above;
    const Lanes anchored = held * per_octave + anchor, octaves = anchored - anchor;
    scale = (Lanes)(((LaneBits)anchored + 1023) << 52);
    rest = (held - octaves * octave) - octaves * octave_tail;
    constexpr double factorials[] = {479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2};
    Lanes sum = Lanes{} + 1.0 / 6227020800;
#pragma GCC unroll 11
    for (int k = 0; k < 11; ++k) sum = sum * rest + 1 / factorials[k];
    curve = sum * (rest * rest);
  }

  // e^x
  Lanes value() const { return scale + scale * (rest + curve); }
  // e^x - 1, to full relative accuracy
  Lanes growth() const { return scale * (rest + curve) + (scale - 1); }
  // e^x - 1 - x, to full relative accuracy
  Lanes excess() const { return scale * curve + ((scale * rest - x) + (scale - 1)); }
};

}  // namespace learnable
