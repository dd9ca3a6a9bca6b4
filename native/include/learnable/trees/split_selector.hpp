// Growth rules of a tree, its columns, and the selection of the best split of a node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "learnable/matrix/simd.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/trees/criteria.hpp"
#include "learnable/trees/nodes.hpp"
#include "learnable/trees/row_sort.hpp"

namespace learnable {

constexpr double unbounded = std::numeric_limits<double>::infinity();

// Stopping rules of a tree, and the columns that it searches.
struct GrowthRules {
  index_t max_depth = std::numeric_limits<index_t>::max();
  index_t max_leaves = 0;  // 0: no limit; else the tree grows best first
  index_t min_samples_split = 2, min_samples_leaf = 1;
  double min_leaf_weight = 0;  // of a side
  double min_gain = 0;
  index_t candidates = 0;   // columns tried at a node, constant ones not counted; 0: all
  bool random_thresholds = false;
  index_t tree_columns = 0;  // columns drawn for the tree; 0: all
  index_t top = 1;           // the split column is drawn among this number of the best
  std::uint64_t seed = 0;
  // 1, -1: the value must not decrease, not increase along the column; empty: unconstrained
  std::vector<std::int8_t> direction;

  // Where rows are drawn, min_leaf_weight and min_gain refer to a total weight of one, and are multiplied by that of
  // the sample.
  void scale_to(const std::vector<double>& weight, bool drawn) {
    if (!drawn) return;
    const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
    min_leaf_weight *= total;
    min_gain *= total;
  }
};

// The cells that a tree reads, with a row for each column: ranks, in bytes where they are few, or for random thresholds
// the values themselves in either precision. Then a copy with contiguous cells of a row may be given, too.
struct Cells {
  Grid<const std::uint32_t> ranks;
  Grid<const std::uint8_t> bytes;
  Grid<const float> f32, f32_rows;
  Grid<const double> f64, f64_rows;
};

// Ranks of columns and their levels; rank levels.size is a missing value. Categories are their own ranks; numeric
// columns need none where thresholds are random. Ranks may be those of bins: then levels are their lower edges, and the
// first has none.
struct RankedColumns {
  Cells cells;
  std::vector<View<const double>> levels;
  std::vector<std::uint8_t> categorical;
  std::vector<std::uint8_t> no_missing;  // numeric columns without missing values, for random thresholds
  bool binned = false;

  index_t count() const { return shape().first; }
  index_t rows() const { return shape().second; }
  index_t bins(index_t column) const { return levels[column].size + 1; }

 private:
  std::pair<index_t, index_t> shape() const {
    if (cells.bytes) return {cells.bytes.rows, cells.bytes.columns};
    if (cells.ranks) return {cells.ranks.rows, cells.ranks.columns};
    if (cells.f32) return {cells.f32.rows, cells.f32.columns};
    return {cells.f64.rows, cells.f64.columns};
  }
};

// Bounds of the value of a node, with monotonic constraints.
struct Bounds {
  double low = -unbounded, high = unbounded;
  bool hold(double value) const { return value >= low && value <= high; }
};

struct Split {
  double gain = -unbounded;  // of both sides together
  index_t feature = -1;
  std::uint32_t last_left = 0;    // the largest rank that goes left
  std::uint32_t first_right = 0;  // the smallest that goes right, or the same if only missing values do
  double threshold = 0;
  bool missing_left = false;
  bool no_missing = false;       // no missing values: new ones go with most of the weight
  bool by_threshold = false;      // by the threshold, without ranks
  CategorySet categories;     // those that go left, if the column is categorical
  index_t left_rows = 0;
  double left_value = 0, right_value = 0;

  bool found() const { return feature >= 0; }
  // Whether another gain is larger by more than rounding: of equals the first is kept, whatever the order of summation.
  bool less_than(double other, double noise) const { return found() ? other > gain + noise : other > -unbounded; }
  bool goes_left(std::uint32_t rank, std::uint32_t missing) const {
    if (rank == missing) return missing_left;
    return categories.empty() ? rank <= last_left : categories.has(rank);
  }
};

// The lowest and the highest rank of some rows.
struct RankRange {
  std::uint32_t low, high;
};

// A number strictly below `high` and not below `low`, half way if rounding allows; below infinity, the largest there
// is.
inline double between(double low, double high) {
  const double middle = std::min(low / 2 + high / 2, std::numeric_limits<double>::max());
  return middle < high && middle >= low ? middle : low;
}

// The threshold of a split between two ranks; bins between the two hold no rows of the node.
inline double threshold_of(const Split& split, const RankedColumns& columns) {
  const View<const double> levels = columns.levels[split.feature];
  return split.last_left == split.first_right ? unbounded
      : between(levels[split.last_left + columns.binned], levels[split.first_right]);
}

// The number of keys at the front that are not missing.
inline index_t count_present(const std::uint64_t* keys, index_t count, std::uint32_t missing) {
  while (count > 0 && rank_of(keys[count - 1]) == missing) --count;
  return count;
}

// The threshold at a fraction of the way from the minimum to the maximum, with the minimum below and the maximum above.
inline double threshold_between(double low, double high, double fraction) {
  const double threshold = low + fraction * (high - low);
  return threshold >= low && threshold < high ? threshold : low;
}

// A random threshold between the minimum and the maximum of some values, missing ones aside.
struct RandomCut {
  bool found = false, varies = false;  // without two distinct values rows may still differ by missingness
  double threshold = 0;
  index_t absent = 0;

  RandomCut(const double* values, index_t count, double uniform) {
    Lanes low = Lanes{} + unbounded, high = -low, missing{};
    index_t k = 0;
    for (; k + lanes <= count; k += lanes) {
      const Lanes here = load(values + k);
      low = here < low ? here : low;
      high = here > high ? here : high;
      missing += here != here ? Lanes{} + 1.0 : Lanes{};
    }
    double smallest = unbounded, largest = -unbounded, absent_rows = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      smallest = std::min(smallest, low[lane]);
      largest = std::max(largest, high[lane]);
      absent_rows += missing[lane];
    }
    for (; k < count; ++k) {
      smallest = values[k] < smallest ? values[k] : smallest;
      largest = values[k] > largest ? values[k] : largest;
      absent_rows += values[k] != values[k];
    }
    absent = index_t(absent_rows);
    found = smallest < largest;
    varies = found || (absent > 0 && absent < count);
    if (!found) return;
    threshold = threshold_between(smallest, largest, uniform);
  }
};

// The values of one of four interleaved columns, in either precision; or none.
struct InterleavedColumn {
  const float* f32 = nullptr;
  const double* f64 = nullptr;

  InterleavedColumn() = default;
  InterleavedColumn(const FourOf<float>* numbers, int column) : f32(reinterpret_cast<const float*>(numbers) + column) {}
  InterleavedColumn(const FourOf<double>* numbers, int column) : f64(reinterpret_cast<const double*>(numbers) + column) {}
};

// The ranges of the values of four columns.
template <class T>
struct FourRange {
  FourOf<T> low = FourOf<T>{} + std::numeric_limits<T>::infinity(), high = -low;

  void widen(const FourOf<T>& numbers) {
    low = numbers < low ? numbers : low;
    high = numbers > high ? numbers : high;
  }
};

// The split of largest gain among the candidates allowed by the rules.
class SplitSelector {
 public:
  Split best;

  explicit SplitSelector(const GrowthRules& rules)
      : min_samples_leaf_(rules.min_samples_leaf), min_leaf_weight_(rules.min_leaf_weight),
        direction_{rules.direction.data(), index_t(rules.direction.size())} {}

  void start(index_t rows, const Bounds& bounds, double noise) {
    rows_ = rows;
    bounds_ = bounds;
    noise_ = noise;
    best = Split{};
  }

  bool better(double gain) const { return best.less_than(gain, noise_); }
  // Whether no split of gain at most `max_gain` could be better.
  bool settled(double max_gain) const { return best.found() && !better(max_gain); }
  double noise() const { return noise_; }
  double min_leaf_weight() const { return min_leaf_weight_; }
  // The minimum and the maximum number of rows that may go left.
  std::pair<index_t, index_t> allowed() const { return {min_samples_leaf_, rows_ - min_samples_leaf_}; }

  bool enough_rows(index_t left) const { return left >= min_samples_leaf_ && rows_ - left >= min_samples_leaf_; }
  bool enough_weight(double left, double right) const {
    return left >= min_leaf_weight_ && right >= min_leaf_weight_;
  }
  bool directed() const { return direction_.size > 0; }
  bool right_direction(index_t feature, double left, double right) const {
    const int direction = direction_[feature];
    return direction == 0 || (bounds_.hold(left) && bounds_.hold(right) && direction * left <= direction * right);
  }

 private:
  index_t min_samples_leaf_;
  double min_leaf_weight_;
  View<const std::int8_t> direction_;  // of the rules, which must live as long
  Bounds bounds_;
  index_t rows_ = 0;
  double noise_ = 0;
};

}  // namespace learnable
