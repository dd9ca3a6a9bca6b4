// Lance-Williams formulas: the distance of a cluster from a merged pair, given its distance from each of the two.
#pragma once

#include <algorithm>

#include "learnable/matrix/simd.hpp"
#include "learnable/neighbors/minkowski.hpp"

namespace learnable {

// Inputs of a formula: the distance between the two, their sizes, and the sum of the sizes.
struct Pair {
  double apart, left, right, all;
  Pair(double apart, double left, double right) : apart(apart), left(left), right(right), all(left + right) {}
};

// a, b: distances of a cluster of `size` rows from the left and from the right one. Average, weighted and complete
// linkage take distances, the others their squares.
struct CompleteRule {
  template <class V>
  V joined(const Pair&, V a, V b, V) const { return detail::larger(a, b); }
};

struct SingleRule {
  template <class V>
  V joined(const Pair&, V a, V b, V) const { return a < b ? a : b; }
};

struct AverageRule {
  template <class V>
  V joined(const Pair& pair, V a, V b, V) const { return (pair.left * a + pair.right * b) / pair.all; }
};

struct WeightedRule {
  template <class V>
  V joined(const Pair&, V a, V b, V) const { return 0.5 * (a + b); }
};

struct WardRule {
  template <class V>
  V joined(const Pair& pair, V a, V b, V size) const {
    return ((size + pair.left) * a + (size + pair.right) * b - size * pair.apart) / (size + pair.all);
  }
};

struct CentroidRule {
  template <class V>
  V joined(const Pair& pair, V a, V b, V) const {
    const double left = pair.left / pair.all, right = pair.right / pair.all;
    return left * a + right * b - left * right * pair.apart;
  }
};

struct MedianRule {
  template <class V>
  V joined(const Pair& pair, V a, V b, V) const { return 0.5 * (a + b) - 0.25 * pair.apart; }
};

}  // namespace learnable
