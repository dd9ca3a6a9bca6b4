// The exponential function of a whole vector of numbers, without branches.
#pragma once

#include <cstdint>

#include "learnable/matrix/simd.hpp"

namespace learnable {

typedef std::uint64_t LaneBits __attribute__((vector_size(8 * lanes), aligned(8), may_alias));

// e^x as scale (1 + rest + curve): scale a power of two, rest within log(2) / 2 of zero, curve = e^rest - 1 - rest.
// x is clipped to [-700, 700]. Errors are about one rounding.
struct Exponential {
  Lanes x, scale, rest, curve;

  explicit Exponential(Lanes exponent) : x(exponent) {
    constexpr double per_octave = 1.4426950408889634, octave = 0x1.62e42fefa38p-1, octave_tail = 0x1.ef35793c7673p-45;
    constexpr double anchor = 0x1.8p52;  // adding it rounds to whole numbers and leaves them in the low bits
    const Lanes lowest = Lanes{} - 700, highest = Lanes{} + 700;
    const Lanes above = x < lowest ? lowest : x, clipped = above > highest ? highest : above;
    const Lanes anchored = clipped * per_octave + anchor, octaves = anchored - anchor;
    scale = (Lanes)(((LaneBits)anchored + 1023) << 52);
    rest = (clipped - octaves * octave) - octaves * octave_tail;
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

// e^x for x <= 0 in half the steps, where a few more roundings do not matter: accurate to 2e-15 |x| or better. x below
// -700 is taken as -700. e^0 is 1.
inline Lanes decay(Lanes x) {
  constexpr double per_octave = 1.4426950408889634, octave = 0.6931471805599453, anchor = 0x1.8p52;
  const Lanes lowest = Lanes{} - 700, clipped = x < lowest ? lowest : x;
  const Lanes anchored = fused(clipped, Lanes{} + per_octave, Lanes{} + anchor), octaves = anchored - anchor;
  const Lanes scale = (Lanes)(((LaneBits)anchored + 1023) << 52), rest = fused(octaves, Lanes{} - octave, clipped);
  // (e^r - 1 - r) / r^2 through nine points between -log(2) / 2 and log(2) / 2
  constexpr double factors[] = {0x1.72c729cbdb150p-19, 0x1.a019c9a6c2942p-16, 0x1.a019ada56ce53p-13, 0x1.6c16c1738faf6p-10,
                                0x1.1111111c4725cp-7,  0x1.5555555554cb7p-5,  0x1.5555555553b79p-3,  0.5};
  Lanes sum = Lanes{} + 0x1.28803f36ecdd5p-22;
#pragma GCC unroll 8
  for (int k = 0; k < 8; ++k) sum = fused(sum, rest, Lanes{} + factors[k]);
  return fused(scale, fused(sum, rest * rest, rest), scale);
}

}  // namespace learnable
