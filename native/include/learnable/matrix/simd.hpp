// SIMD vectors of float or double, by the compiler's vector types, without intrinsics.
#pragma once

#include "learnable/matrix/view.hpp"

namespace learnable {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class T>
constexpr int lane_count = vector_bytes / int(sizeof(T));
constexpr int lanes = lane_count<double>;

namespace detail {
template <class T, int bytes>
struct Packed {
  typedef T type __attribute__((vector_size(bytes)));
  typedef T anywhere __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
};
}  // namespace detail

template <class T>
using LanesOf = typename detail::Packed<T, vector_bytes>::type;
using Lanes = LanesOf<double>;

// The next lane_count<T> entries of x, as T.
template <class T, class U>
inline LanesOf<T> load(const U* x) {
  using There = typename detail::Packed<U, lane_count<T> * int(sizeof(U))>::anywhere;
  return __builtin_convertvector(*reinterpret_cast<const There*>(x), LanesOf<T>);
}
inline Lanes load(const double* x) { return load<double>(x); }

template <class T>
inline void store(T* x, LanesOf<T> value) {
  *reinterpret_cast<typename detail::Packed<T, vector_bytes>::anywhere*>(x) = value;
}

// a b + c, rounded once where the processor can. Contraction is off elsewhere, so fusion happens only here.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

template <class V>
inline V fused(V a, V b, V c) {
  V result;
#pragma GCC unroll 16
  for (int lane = 0; lane < int(sizeof(V) / sizeof(a[0])); ++lane) result[lane] = fused(a[lane], b[lane], c[lane]);
  return result;
}
#else
template <class V>
inline V fused(V a, V b, V c) {
  return a * b + c;
}
#endif

// Square roots of all lanes.
template <class V>
inline V rooted(V a) {
  V result;
#pragma GCC unroll 16
  for (int lane = 0; lane < int(sizeof(V) / sizeof(a[0])); ++lane) result[lane] = __builtin_sqrt(a[lane]);
  return result;
}

constexpr index_t round_up(index_t n, index_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// Distance between rows of a scratch matrix: whole cache lines, and an odd number of them so that the rows of a tall
// matrix spread over all sets of the cache.
constexpr index_t scratch_stride(index_t columns) { return 8 * ((columns + 7) / 8 | 1); }

// The same pointer, opaque to the compiler. Adjacent values, each to be broadcast over a vector, are then loaded one by
// one: loaded together they would be broadcast by permutations, for which some processors use the units of the
// products.
template <class T>
[[gnu::always_inline]] inline const T* hidden(const T* pointer) {
  asm("" : "+r"(pointer));
  return pointer;
}

// The same vector, opaque to the compiler: it is computed before it is added to anything, so that additions wait for
// each other alone.
template <class V>
[[gnu::always_inline]] inline V apart(V vector) {
#if defined(__x86_64__)
  asm("" : "+x"(vector));
#elif defined(__aarch64__)
  asm("" : "+w"(vector));
#endif
  return vector;
}

}  // namespace learnable
