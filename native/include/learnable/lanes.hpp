// Vectors of the processor, by the compiler's own vector types: no intrinsics.
#pragma once

#include "learnable/view.hpp"

namespace learnable {

#if defined(__AVX512F__)
constexpr int lanes = 8;
#elif defined(__AVX__)
constexpr int lanes = 4;
#else
constexpr int lanes = 2;
#endif

typedef double Lanes __attribute__((vector_size(8 * lanes), aligned(8), may_alias));

inline Lanes load(const double* x) { return *reinterpret_cast<const Lanes*>(x); }
inline void store(double* x, Lanes v) { *reinterpret_cast<Lanes*>(x) = v; }

// a b + c, rounded once where the processor can. Contraction is off elsewhere, so fusion happens only where asked.
inline Lanes fused(Lanes a, Lanes b, Lanes c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  Lanes result;
  for (int lane = 0; lane < lanes; ++lane) result[lane] = __builtin_fma(a[lane], b[lane], c[lane]);
  return result;
#else
  return a * b + c;
#endif
}

inline double fused(double a, double b, double c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

constexpr index_t round_up(index_t n, index_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// Distance between rows of a scratch matrix: whole cache lines, and an odd number of them so that the rows of a tall
// matrix spread over all sets of the cache.
constexpr index_t scratch_stride(index_t columns) { return 8 * ((columns + 7) / 8 | 1); }

}  // namespace learnable
