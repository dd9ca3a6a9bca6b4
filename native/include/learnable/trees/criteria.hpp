// What a tree tells its rows apart by. A target turns a row into an item that is added to sums, which also subtract; a
// criterion gives the worth of sums, and a split is worth that of its two sides. Impurity is what is lost to the worth
// of rows each on its own, so that the split of most worth leaves the least impurity.
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

// Numbers of four columns side by side.
template <class T>
using FourOf = typename detail::Packed<T, 4 * int(sizeof(T))>::type;

// One number a row; two classes are the numbers 0 and 1. Sums are the weight and the weighted number.
struct OneNumber {
  struct Item {
    double weight, number;
  };
  using Sums = std::array<double, 2>;
  // The sums of four sides of which each takes the items that it wants.
  struct FourSums {
    using Wanted = FourOf<std::int64_t>;  // all bits or none
    FourOf<double> weight{}, amount{};
    Wanted rows{};

    void add(const Wanted& wanted, const Item& item) {
      const auto four_times = [](double x) { return FourOf<double>{x, x, x, x}; };
      rows -= wanted;
      weight += FourOf<double>(Wanted(four_times(item.weight)) & wanted);
      amount += FourOf<double>(Wanted(four_times(item.weight * item.number)) & wanted);
    }
    Sums of(int column) const { return {weight[column], amount[column]}; }
  };

  View<const double> y, weight;
  double least = 0, most = 1;  // of the numbers

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
  // Adds the items whose value is at most the threshold and returns their number.
  index_t add_at_most(double threshold, const double* values, const Item* items, index_t count, Sums& sums) const {
    double weight = 0, amount = 0, rows = 0;
#pragma omp simd reduction(+ : weight, amount, rows)
    for (index_t k = 0; k < count; ++k) {
      const double wanted = values[k] <= threshold ? 1.0 : 0.0, here = wanted * items[k].weight;
      rows += wanted;
      weight += here;
      amount += here * items[k].number;
    }
    sums[0] += weight;
    sums[1] += amount;
    return index_t(rows);
  }
  // The same for four thresholds at once. Every other row has sums of its own, so that additions need not wait.
  template <class T>
  FourSums sums_at_most(const FourOf<double>& thresholds, const FourOf<T>* values, const Item* items, index_t count) const {
    const auto wanted = [&](index_t k) { return __builtin_convertvector(values[k], FourOf<double>) <= thresholds; };
    FourSums even, odd;
    index_t k = 0;
    for (; k + 1 < count; k += 2) {
      even.add(wanted(k), items[k]);
      odd.add(wanted(k + 1), items[k + 1]);
    }
    if (k < count) even.add(wanted(k), items[k]);
    even.rows += odd.rows;
    even.weight += odd.weight;
    even.amount += odd.amount;
    return even;
  }
  bool same(const Item& a, const Item& b) const { return a.number == b.number; }
  // No less than the sum of the squares of numbers with such sums; just that if they are only the least and the most.
  double squares_below(const Sums& sums) const { return (least + most) * sums[1] - least * most * sums[0]; }
  // Categories are put in order by their mean.
  index_t orders() const { return 1; }
  double place(index_t, const Sums& sums) const { return sums[1] / sums[0]; }
};

// Two classes, the numbers 0 and 1, of rows that all weigh one. Sums are the same, but whole numbers, and items small.
struct Marks {
  using Item = std::uint8_t;
  using Sums = OneNumber::Sums;
  struct FourSums {
    using Wanted = FourOf<std::int32_t>;
    Wanted rows{}, marked{};

    void add(const Wanted& wanted, Item mark) {
      rows -= wanted;
      marked += apart(wanted & (Wanted{} - mark));
    }
    Sums of(int column) const { return {double(rows[column]), double(-marked[column])}; }
  };

  View<const std::uint8_t> marks;
  static constexpr double least = 0, most = 1;

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
      const index_t wanted = values[k] <= threshold;
      rows += wanted;
      marked += wanted & items[k];
    }
    sums[0] += double(rows);
    sums[1] += double(marked);
    return rows;
  }
  template <class T>
  FourSums sums_at_most(const FourOf<double>& thresholds, const FourOf<T>* values, const Item* items, index_t count) const {
    FourOf<T> bounds;
    for (int c = 0; c < 4; ++c) bounds[c] = at_most<T>(thresholds[c]);
    const auto wanted = [&](index_t k) { return __builtin_convertvector(values[k] <= bounds, FourSums::Wanted); };
    FourSums sums;
    for (index_t k = 0; k < count; ++k) sums.add(wanted(k), items[k]);
    return sums;
  }
  bool same(Item a, Item b) const { return a == b; }
  double squares_below(const Sums& sums) const { return sums[1]; }
  index_t orders() const { return 1; }
  double place(index_t, const Sums& sums) const { return sums[1] / sums[0]; }

 private:
  // The largest number of a kind that is not above a threshold.
  template <class T>
  static T at_most(double threshold) {
    const T near = T(threshold);
    return double(near) <= threshold ? near : std::nextafter(near, -std::numeric_limits<T>::infinity());
  }
};

// Whether sums are the weight and one weighted number.
template <class Target>
constexpr bool has_one_number = std::is_same_v<typename Target::Sums, OneNumber::Sums>;

template <class Item>
double weight_of(const Item& item) {
  if constexpr (requires { item.weight; })
    return item.weight;
  else
    return 1;
}

// A target of rows with such weights, if it asks for them.
template <class Target>
Target weighted(Target target, View<const double> weight) {
  if constexpr (requires { target.weight; }) target.weight = weight;
  return target;
}

// Adds the items whose value is at most the threshold to sums of any length and returns their number.
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

// Several numbers a row. Sums are the weight and the weighted numbers.
struct SeveralNumbers {
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
  double place(index_t order, const Sums& sums) const { return sums[1 + order] / sums[0]; }
};

// A class a row and output. Sums are the weight, and the weight of each class; those of later outputs come later.
struct Classes {
  using Item = SeveralNumbers::Item;
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
  // With more than two classes the share of each gives an order of categories to try.
  index_t orders() const { return count; }
  double place(index_t order, const Sums& sums) const { return sums[1 + order] / sums[0]; }
};

// The sums on the left of the places where a column may be divided, and what divisions there are worth.
struct Cuts {
  std::vector<double> weight, amount, worth;
  std::vector<std::uint32_t> place;
  index_t count = 0;

  void room(index_t most) {
    if (index_t(weight.size()) >= most + lanes) return;
    for (std::vector<double>* numbers : {&weight, &amount, &worth}) numbers->resize(std::size_t(most + lanes));
    place.resize(std::size_t(most + lanes));
  }
  void put(index_t at, index_t k, const OneNumber::Sums& sums) {
    weight[at] = sums[0];
    amount[at] = sums[1];
    place[at] = std::uint32_t(k);
  }
  template <class Sums>
  void put(index_t, index_t, const Sums&) {}
  index_t first_of(double least) const {
    index_t at = 0;
    while (worth[at] < least) ++at;
    return at;
  }
};

// sum_t s_t^2 / w: the squares that means explain. For shares of classes this is 1 - Gini impurity, times the weight.
struct Squares {
  static constexpr bool is_squares() { return true; }
  template <class Sums>
  double worth(const Sums& sums) const {
    double squares = 0;
    for (std::size_t t = 1; t < sums.size(); ++t) squares += sums[t] * sums[t];
    return squares / sums[0];
  }

  // Fills in the worth of both sides of each cut and returns the largest; where a side weighs too little it is nothing.
  static double worths(Cuts& cuts, const OneNumber::Sums& total, double least_weight) {
    const double none = -std::numeric_limits<double>::infinity();
    for (index_t k = cuts.count; k < round_up(cuts.count, lanes); ++k) cuts.weight[k] = cuts.amount[k] = -1;  // no cuts
    const Lanes least = Lanes{} + least_weight, nothing = Lanes{} + none;
    Lanes most = nothing;
    for (index_t k = 0; k < cuts.count; k += lanes) {
      const Lanes w = load(cuts.weight.data() + k), a = load(cuts.amount.data() + k);
      const Lanes rest = total[0] - w, other = total[1] - a;
      const Lanes worth = a * a / w + other * other / rest;
      const Lanes allowed = (w >= least) & (rest >= least) ? worth : nothing;
      store(cuts.worth.data() + k, allowed);
      most = allowed > most ? allowed : most;
    }
    double best = none;
    for (int lane = 0; lane < lanes; ++lane) best = std::max(best, most[lane]);
    return best;
  }
};

inline double entropy_term(double amount) { return amount > 0 ? amount * std::log(amount) : 0; }

// sum_k s_k log(s_k / w): the log likelihood of the shares of classes.
struct Likelihood {
  index_t outputs;

  double worth(const std::vector<double>& sums) const {
    double total = 0;
    for (std::size_t k = 1; k < sums.size(); ++k) total += entropy_term(sums[k]);
    return total - double(outputs) * entropy_term(sums[0]);
  }
};

// The same of two classes, of which the second is counted.
struct LikelihoodOfTwo {
  double worth(const std::array<double, 2>& sums) const {
    return entropy_term(sums[1]) + entropy_term(sums[0] - sums[1]) - entropy_term(sums[0]);
  }
};

// sum_t s_t log(s_t / w): the deviance of counts that means explain. A side without counts would have the mean zero; what
// subtraction leaves of such a side is no more than `least`, for each target.
struct PoissonDeviance {
  View<const double> least;

  template <class Sums>
  double worth(const Sums& sums) const {
    double total = 0;
    for (std::size_t t = 1; t < sums.size(); ++t) {
      if (!(sums[t] > least[index_t(t) - 1])) return -std::numeric_limits<double>::infinity();
      total += sums[t] * std::log(sums[t] / sums[0]);
    }
    return total;
  }
};

// One of two criteria, known only when a tree is to grow: beside divisions, logarithms or sums of any length the question
// costs nothing, and a finder is compiled for both.
template <class First, class Second>
struct EitherOf {
  bool is_first;
  First first;
  Second second;

  bool is_squares() const { return is_first && std::is_same_v<First, Squares>; }
  template <class Sums>
  double worth(const Sums& sums) const {
    return is_first ? first.worth(sums) : second_worth(sums);
  }

 private:
  // Not inlined: beside its logarithms the call is nothing, and the first is to stay small where it is asked.
  template <class Sums>
  [[gnu::noinline]] double second_worth(const Sums& sums) const {
    return second.worth(sums);
  }
};

}  // namespace learnable
