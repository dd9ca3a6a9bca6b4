// Split criteria. A target maps a row to an item that is added to sums, which are additive over rows; a criterion maps
// the sums of a side to its gain, and the gain of a split is the sum over its two sides. Impurity is the difference to
// the gain of every row on its own, so that the split of largest gain has the least impurity.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "learnable/matrix/simd.hpp"
#include "learnable/matrix/view.hpp"

namespace learnable {

// Values of four columns side by side.
template <class T>
using FourOf = typename detail::Packed<T, 4 * int(sizeof(T))>::type;

// A single numeric target; two classes are the numbers 0 and 1. Sums are the weight and the weighted target.
struct SingleTarget {
  struct Item {
    double weight, number;
  };
  using Sums = std::array<double, 2>;
  // The sums of four sides, each over the items of its mask.
  struct FourSums {
    using Mask = FourOf<std::int64_t>;  // all bits or none
    FourOf<double> weight{}, amount{};
    Mask rows{};

    void add(const Mask& inside, const Item& item) {
      const auto four_times = [](double x) { return FourOf<double>{x, x, x, x}; };
      rows -= inside;
      weight += FourOf<double>(Mask(four_times(item.weight)) & inside);
      amount += FourOf<double>(Mask(four_times(item.weight * item.number)) & inside);
    }
    Sums of(int column) const { return {weight[column], amount[column]}; }
  };

  View<const double> y, weight;
  double lowest = 0, highest = 1;  // of the targets

  Item item(std::uint32_t row) const { return {weight[row], y[row]}; }
  Sums zero() const { return {0, 0}; }
  void add(const Item& item, auto& sums) const {
    sums[0] += item.weight;
    sums[1] += item.weight * item.number;
  }
  void add_all(const Item* items, index_t count, Sums& sums) const {
    double weight = 0, amount = 0;
#pragma omp simd reduction(+ : weight, amount)
    for (index_t k = 0; k < count; ++k) {
      weight += items[k].weight;
      amount += items[k].weight * items[k].number;
    }
    sums[0] += weight;
    sums[1] += amount;
  }
  // Adds the items whose value is at most the threshold and returns their count.
  index_t add_at_most(double threshold, const double* values, const Item* items, index_t count, Sums& sums) const {
    double weight = 0, amount = 0, rows = 0;
#pragma omp simd reduction(+ : weight, amount, rows)
    for (index_t k = 0; k < count; ++k) {
      const double inside = values[k] <= threshold ? 1.0 : 0.0, here = inside * items[k].weight;
      rows += inside;
      weight += here;
      amount += here * items[k].number;
    }
    sums[0] += weight;
    sums[1] += amount;
    return index_t(rows);
  }
  // The same for four thresholds at once. Even and odd rows have their own sums, so that additions are independent.
  template <class T>
  FourSums sums_at_most(const FourOf<double>& thresholds, const FourOf<T>* values, const Item* items, index_t count) const {
    const auto inside = [&](index_t k) { return __builtin_convertvector(values[k], FourOf<double>) <= thresholds; };
    FourSums even, odd;
    index_t k = 0;
    for (; k + 1 < count; k += 2) {
      even.add(inside(k), items[k]);
      odd.add(inside(k + 1), items[k + 1]);
    }
    if (k < count) even.add(inside(k), items[k]);
    even.rows += odd.rows;
    even.weight += odd.weight;
    even.amount += odd.amount;
    return even;
  }
  bool same(const Item& a, const Item& b) const { return a.number == b.number; }
  // An upper bound of the sum of the squares of targets with these sums; exact if they are only `lowest` and `highest`.
  double squares_below(const Sums& sums) const { return (lowest + highest) * sums[1] - lowest * highest * sums[0]; }
  // Categories are ordered by their mean.
  index_t orders() const { return 1; }
  double order_key(index_t, const Sums& sums) const { return sums[1] / sums[0]; }
};

// Two classes, the numbers 0 and 1, for rows of unit weight. Sums are the same, but integers, and items are small.
struct BinaryLabels {
  using Item = std::uint8_t;
  using Sums = SingleTarget::Sums;
  struct FourSums {
    using Mask = FourOf<std::int32_t>;
    Mask rows{}, marked{};

    void add(const Mask& inside, Item mark) {
      rows -= inside;
      marked += apart(inside & (Mask{} - mark));
    }
    Sums of(int column) const { return {double(rows[column]), double(-marked[column])}; }
  };

  View<const std::uint8_t> marks;
  static constexpr double lowest = 0, highest = 1;

  Item item(std::uint32_t row) const { return marks[row]; }
  Sums zero() const { return {0, 0}; }
  void add(Item mark, auto& sums) const {
    sums[0] += 1;
    sums[1] += mark;
  }
  void add_all(const Item* items, index_t count, Sums& sums) const {
    index_t marked = 0;
    for (index_t k = 0; k < count; ++k) marked += items[k];
    sums[0] += double(count);
    sums[1] += double(marked);
  }
  index_t add_at_most(double threshold, const double* values, const Item* items, index_t count, Sums& sums) const {
    index_t rows = 0, marked = 0;
    for (index_t k = 0; k < count; ++k) {
      const index_t inside = values[k] <= threshold;
      rows += inside;
      marked += inside & items[k];
    }
    sums[0] += double(rows);
    sums[1] += double(marked);
    return rows;
  }
  template <class T>
  FourSums sums_at_most(const FourOf<double>& thresholds, const FourOf<T>* values, const Item* items, index_t count) const {
    FourOf<T> bounds;
    for (int c = 0; c < 4; ++c) bounds[c] = at_most<T>(thresholds[c]);
    const auto inside = [&](index_t k) { return __builtin_convertvector(values[k] <= bounds, FourSums::Mask); };
    FourSums sums;
    for (index_t k = 0; k < count; ++k) sums.add(inside(k), items[k]);
    return sums;
  }
  bool same(Item a, Item b) const { return a == b; }
  double squares_below(const Sums& sums) const { return sums[1]; }
  index_t orders() const { return 1; }
  double order_key(index_t, const Sums& sums) const { return sums[1] / sums[0]; }

 private:
  // The largest number of type T that is not above a threshold.
  template <class T>
  static T at_most(double threshold) {
    const T near = T(threshold);
    return double(near) <= threshold ? near : std::nextafter(near, -std::numeric_limits<T>::infinity());
  }
};

// Whether sums are the weight and one weighted number.
template <class Target>
constexpr bool has_one_number = std::is_same_v<typename Target::Sums, SingleTarget::Sums>;

template <class Item>
double weight_of(const Item& item) {
  if constexpr (requires { item.weight; })
    return item.weight;
  else
    return 1;
}

// A target with these row weights, if it has weights.
template <class Target>
Target weighted(Target target, View<const double> weight) {
  if constexpr (requires { target.weight; }) target.weight = weight;
  return target;
}

// Adds the items whose value is at most the threshold to sums of any length and returns their count.
template <class Target>
index_t added_at_most(const Target& target, double threshold, const double* values, const typename Target::Item* items,
                      index_t count, typename Target::Sums& sums) {
  index_t rows = 0;
  for (index_t k = 0; k < count; ++k) {
    if (!(values[k] <= threshold)) continue;
    target.add(items[k], sums);
    ++rows;
  }
  return rows;
}

// Several numeric targets. Sums are the weight and the weighted targets.
struct MultiTarget {
  struct Item {
    double weight;
    std::uint32_t row;
  };
  using Sums = std::vector<double>;

  Grid<const double> y;
  View<const double> weight;

  Item item(std::uint32_t row) const { return {weight[row], row}; }
  Sums zero() const { return Sums(y.columns + 1, 0.0); }
  void add(const Item& item, auto& sums) const {
    sums[0] += item.weight;
    for (index_t t = 0; t < y.columns; ++t) sums[1 + t] += item.weight * y(item.row, t);
  }
  index_t add_at_most(double threshold, const double* values, const Item* items, index_t count, Sums& sums) const {
    return added_at_most(*this, threshold, values, items, count, sums);
  }
  bool same(const Item& a, const Item& b) const {
    for (index_t t = 0; t < y.columns; ++t)
      if (y(a.row, t) != y(b.row, t)) return false;
    return true;
  }
  index_t orders() const { return y.columns; }
  double order_key(index_t order, const Sums& sums) const { return sums[1 + order] / sums[0]; }
};

// A class per row and output. Sums are the weight and the weight of each class, output by output.
struct Classes {
  using Item = MultiTarget::Item;
  using Sums = std::vector<double>;

  Grid<const std::int32_t> label;
  View<const double> weight;
  index_t count;

  Item item(std::uint32_t row) const { return {weight[row], row}; }
  Sums zero() const { return Sums(count + 1, 0.0); }
  void add(const Item& item, auto& sums) const {
    sums[0] += item.weight;
    for (index_t t = 0; t < label.columns; ++t) sums[1 + label(item.row, t)] += item.weight;
  }
  index_t add_at_most(double threshold, const double* values, const Item* items, index_t count, Sums& sums) const {
    return added_at_most(*this, threshold, values, items, count, sums);
  }
  bool same(const Item& a, const Item& b) const {
    for (index_t t = 0; t < label.columns; ++t)
      if (label(a.row, t) != label(b.row, t)) return false;
    return true;
  }
  // With more than two classes the fraction of each gives an order of categories to try.
  index_t orders() const { return count; }
  double order_key(index_t order, const Sums& sums) const { return sums[1 + order] / sums[0]; }
};

// The sums on the left of the candidate cuts of a column, and the gains there.
struct Cuts {
  std::vector<double> weight, amount, gain;
  std::vector<std::uint32_t> index;
  index_t count = 0;

  void reserve(index_t count) {
    if (index_t(weight.size()) >= count + lanes) return;
    for (std::vector<double>* numbers : {&weight, &amount, &gain}) numbers->resize(std::size_t(count + lanes));
    index.resize(std::size_t(count + lanes));
  }
  void put(index_t at, index_t k, const SingleTarget::Sums& sums) {
    weight[at] = sums[0];
    amount[at] = sums[1];
    index[at] = std::uint32_t(k);
  }
  template <class Sums>
  void put(index_t, index_t, const Sums&) {}
  index_t first_of(double threshold) const {
    index_t at = 0;
    while (gain[at] < threshold) ++at;
    return at;
  }
};

// sum_t s_t^2 / w: the sum of squares explained by means. For class fractions this is 1 - Gini impurity, times the
// weight.
struct Squares {
  static constexpr bool is_squares() { return true; }
  template <class Sums>
  double gain(const Sums& sums) const {
    double squares = 0;
    for (std::size_t t = 1; t < sums.size(); ++t) squares += sums[t] * sums[t];
    return squares / sums[0];
  }

  // Computes the gain of each cut and returns the largest; minus infinity where a side weighs too little.
  static double gains(Cuts& cuts, const SingleTarget::Sums& total, double min_leaf_weight) {
    const double none = -std::numeric_limits<double>::infinity();
    for (index_t k = cuts.count; k < round_up(cuts.count, lanes); ++k) cuts.weight[k] = cuts.amount[k] = -1;  // no cuts
    const Lanes min_weight = Lanes{} + min_leaf_weight, nothing = Lanes{} + none;
    Lanes largest = nothing;
    for (index_t k = 0; k < cuts.count; k += lanes) {
      const Lanes w = load(cuts.weight.data() + k), a = load(cuts.amount.data() + k);
      const Lanes rest = total[0] - w, other = total[1] - a;
      const Lanes gain = a * a / w + other * other / rest;
      const Lanes allowed = (w >= min_weight) & (rest >= min_weight) ? gain : nothing;
      store(cuts.gain.data() + k, allowed);
      largest = allowed > largest ? allowed : largest;
    }
    double best = none;
    for (int lane = 0; lane < lanes; ++lane) best = std::max(best, largest[lane]);
    return best;
  }
};

inline double entropy_term(double amount) { return amount > 0 ? amount * std::log(amount) : 0; }

// sum_k s_k log(s_k / w): the log likelihood of the class fractions.
struct Likelihood {
  index_t outputs;

  double gain(const std::vector<double>& sums) const {
    double total = 0;
    for (std::size_t k = 1; k < sums.size(); ++k) total += entropy_term(sums[k]);
    return total - double(outputs) * entropy_term(sums[0]);
  }
};

// The same of two classes, of which the second is summed.
struct LikelihoodOfTwo {
  double gain(const std::array<double, 2>& sums) const {
    return entropy_term(sums[1]) + entropy_term(sums[0] - sums[1]) - entropy_term(sums[0]);
  }
};

// sum_t s_t log(s_t / w): the Poisson deviance explained by means. A side without counts would have the mean zero; the
// rounding error of a subtraction leaves at most `rounding` for such a side, for each target.
struct PoissonDeviance {
  View<const double> rounding;

  template <class Sums>
  double gain(const Sums& sums) const {
    double total = 0;
    for (std::size_t t = 1; t < sums.size(); ++t) {
      if (!(sums[t] > rounding[index_t(t) - 1])) return -std::numeric_limits<double>::infinity();
      total += sums[t] * std::log(sums[t] / sums[0]);
    }
    return total;
  }
};

// One of two criteria, chosen at run time: compared with division, logarithms or sums of any length the branch is
// free, and one finder is compiled for both.
template <class First, class Second>
struct EitherOf {
  bool is_first;
  First first;
  Second second;

  bool is_squares() const { return is_first && std::is_same_v<First, Squares>; }
  template <class Sums>
  double gain(const Sums& sums) const {
    return is_first ? first.gain(sums) : second_gain(sums);
  }

 private:
  // Not inlined: compared with its logarithms the call is free, and the first criterion stays small where it is
  // inlined.
  template <class Sums>
  [[gnu::noinline]] double second_gain(const Sums& sums) const {
    return second.gain(sums);
  }
};

}  // namespace learnable
