// Exponentials of four numbers at once.
#pragma once

#include <cstdint>
#include <cstring>

#include "learnable/matrix/simd.hpp"

namespace learnable {

using Quad = typename detail::Packed<double, 32>::type;
using QuadAnywhere = typename detail::Packed<double, 32>::anywhere;
typedef std::int64_t QuadBits __attribute__((vector_size(32)));

inline Quad load_quad(const double* x) { return *reinterpret_cast<const QuadAnywhere*>(x); }
inline void store_quad(double* x, Quad value) { *reinterpret_cast<QuadAnywhere*>(x) = value; }
inline Quad spread(double x) { return Quad{x, x, x, x}; }
inline double add_up(Quad x) { return (x[0] + x[2]) + (x[1] + x[3]); }

// exp(x) for x <= 0, to about the last digit; 0 below -700, where the caller does not need it.
//
// x = n log 2 + r with |r| <= log(2) / 2; the series of exp(r) has 13 terms, and n goes into the exponent.
inline Quad exp_of_negative(Quad x) {
  const QuadBits small = x < spread(-700.0);
  const Quad clamped = small ? spread(-700.0) : x;
  constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to a whole number in the low bits
  const Quad shifted = fused(clamped, spread(1.4426950408889634), spread(magic));
  const Quad n = shifted - magic;
  Quad r = fused(n, spread(-6.93147180369123816490e-01), clamped);
  r = fused(n, spread(-1.90821492927058770002e-10), r);
  Quad sum = spread(1.0 / 6227020800.0);
  constexpr double inverse[] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                                1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5,         1.0,
                                1.0};
  for (const double coefficient : inverse) sum = fused(sum, r, spread(coefficient));
  QuadBits bits, exponent;
  std::memcpy(&bits, &sum, sizeof(bits));
  std::memcpy(&exponent, &shifted, sizeof(exponent));
  bits += exponent << 52;
  Quad found;
  std::memcpy(&found, &bits, sizeof(found));
  return small ? spread(0.0) : found;
}

}  // namespace learnable
