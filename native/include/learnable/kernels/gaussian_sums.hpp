// Sums over support vectors with a Gaussian kernel; kernel values are never stored.
//
// With rows u, v as in kernels/kernel_rows.hpp, e^(u'v - |u|^2/2 - |v|^2/2) is e^(u'v) times a factor for each of the
// two rows: those of the support vectors are merged into their coefficients, that of the other row is applied at the
// end.
#pragma once

#include <cmath>

#include "learnable/kernels/kernel_rows.hpp"

namespace learnable {

// values = 2^values of numbers between -1000 and 1000, interleaved, so that no vector waits for its own last result.
template <int N>
[[gnu::always_inline]] inline void raise_two(Lanes (&values)[N]) {
  constexpr double anchor = 0x1.8p52;  // adding it rounds to whole numbers and leaves them in the low bits
  // (2^r - 1) / r through ten points between -1/2 and 1/2
  constexpr double factors[] = {0x1.b6571de2f2351p-24, 0x1.62bfe46117445p-20, 0x1.ffcb76789860fp-17, 0x1.4309130378460p-13,
                                0x1.5d87fe908f88ap-10, 0x1.3b2ab6fba385fp-7,  0x1.c6b08d7044119p-5,  0x1.ebfbdff82c590p-3,
                                0x1.62e42fefa39f7p-1,  1};
  Lanes sums[N], anchored[N];
#pragma GCC unroll 8
  for (int n = 0; n < N; ++n) {
    anchored[n] = values[n] + anchor;
    values[n] -= anchored[n] - anchor;
    sums[n] = Lanes{} + 0x1.e5e9f548e5726p-28;
  }
#pragma GCC unroll 10
  for (const double factor : factors)
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) sums[n] = fused(sums[n], values[n], Lanes{} + factor);
#pragma GCC unroll 8
  for (int n = 0; n < N; ++n) values[n] = (Lanes)((LaneBits)sums[n] + ((LaneBits)anchored[n] << 52));
}

// For rows of moderate norm: u is stored as u / log(2), so that e^(u'v) is a power of two.
class GaussianSums {
 public:
  // coef(j, t) is the coefficient of row j of Y for target t.
  GaussianSums(const DenseKernel& Y, Grid<const double> coef)
      : Y_(Y), targets_(coef.columns), room_(Y.strips() * DenseKernel::strip_width), weight_(targets_ * room_, 0) {
    for (index_t j = 0; j < coef.rows; ++j) {
      const double factor = std::exp(-Y.half(j));
      for (index_t t = 0; t < targets_; ++t) weight_[t * room_ + j] = factor * coef(j, t);
    }
  }

  // Whether a row of this half squared norm is in range: no e^(u'v) overflows or underflows.
  bool in_range(double half) const { return half + Y_.longest() < farthest && !Y_.doubtful(half); }

  void prepare(DenseKernel::Left& left, index_t i) const {
    for (index_t j = 0; j < Y_.columns(); ++j) left.data[i * Y_.columns() + j] *= 1.4426950408889634;
  }

  // Adds the contribution of a strip of Y to the sums of four rows from i on, lane by lane; sums of rows out of range
  // are meaningless.
  void add(const DenseKernel::Left& left, index_t i, index_t strip, double* sums) const {
    targets_ == 1 ? add<true>(left, i, strip, sums) : add<false>(left, i, strip, sums);
  }

 private:
  static constexpr double farthest = 256;

  template <bool one>
  void add(const DenseKernel::Left& left, index_t i, index_t strip, double* sums) const {
    const index_t targets = one ? 1 : targets_;
    Lanes dots[tile_rows][tile_vectors];
    Y_.dots(left, i, strip, dots);
#pragma GCC unroll 8
    for (int m = 0; m < tile_rows; ++m) {
      raise_two(dots[m]);
      for (index_t t = 0; t < targets; ++t) {
        const double* weight = &weight_[t * room_ + strip * DenseKernel::strip_width];
        double* cell = sums + ((i + m) * targets + t) * lanes;
        Lanes sum = load(cell);
#pragma GCC unroll 8
        for (int v = 0; v < tile_vectors; ++v) sum = fused(dots[m][v], load(weight + v * lanes), sum);
        store(cell, sum);
      }
    }
  }

  const DenseKernel& Y_;
  index_t targets_, room_;
  Buffer weight_;
};

}  // namespace learnable
