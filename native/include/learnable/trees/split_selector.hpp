// What a tree grows by: its rules, its columns, and the best division of a node that was offered.
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

// Where a tree ends, and what it looks at.
struct GrowthRules {
  index_t most_depth = std::numeric_limits<index_t>::max();
  index_t most_leaves = 0;  // 0: no limit; else the tree grows where it gains most
  index_t least_rows_to_split = 2, least_rows = 1;
  double least_weight = 0;  // of a side
  double least_gain = 0;
  index_t candidates = 0;   // columns tried at a node, of those that vary; 0: all
  bool random_thresholds = false;
  index_t tree_columns = 0;  // columns that the tree may use at all, drawn for it; 0: all
  index_t top = 1;           // the column that divides is drawn among so many that are worth most
  std::uint64_t seed = 0;
  std::vector<std::int8_t> direction;  // 1, -1: the value must not fall, not rise along the column; empty: all free

  // Where rows are drawn, least_weight, least_gain and the shares of rows are those of a weight of one, and are to be
  // multiplied by that of the sample.
  void scale_to(const std::vector<double>& weight, bool drawn) {
    if (!drawn) return;
    const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
    least_weight *= total;
    least_gain *= total;
  }
};

// The cells that a tree looks at, with a row for each column: ranks, in bytes where they are few, or for random thresholds
// the numbers themselves in either precision. Then they may also be there with the cells of a row side by side.
struct Cells {
  Grid<const std::uint32_t> ranks;
  Grid<const std::uint8_t> bytes;
  Grid<const float> narrow, narrow_rows;
  Grid<const double> wide, wide_rows;
};

// Ranks of columns, with the levels that they stand for; rank levels.size is a missing value. Categories are their own
// ranks; numbers need none where thresholds are random. Ranks may be those of bins: then levels are where they begin, and
// the first of them begins nowhere.
struct RankedColumns {
  Cells cells;
  std::vector<View<const double>> levels;
  std::vector<std::uint8_t> categorical;
  std::vector<std::uint8_t> gapless;  // columns of numbers of which none is missing, for random thresholds
  bool binned = false;

  index_t count() const { return shape().first; }
  index_t rows() const { return shape().second; }
  index_t bins(index_t column) const { return levels[column].size + 1; }

 private:
  std::pair<index_t, index_t> shape() const {
    if (cells.bytes) return {cells.bytes.rows, cells.bytes.columns};
    if (cells.ranks) return {cells.ranks.rows, cells.ranks.columns};
    if (cells.narrow) return {cells.narrow.rows, cells.narrow.columns};
    return {cells.wide.rows, cells.wide.columns};
  }
};

// What the value of a node is held between, where directions of columns are given.
struct Bounds {
  double low = -unbounded, high = unbounded;
  bool hold(double value) const { return value >= low && value <= high; }
};

struct Split {
  double worth = -unbounded;  // of both sides together
  index_t feature = -1;
  std::uint32_t last = 0;     // the largest rank that goes left
  std::uint32_t next = 0;     // the smallest that does not, or the same if only missing ones do not
  double threshold = 0;
  bool missing_left = false;
  bool gapless = false;       // no row is missing: those to come go where most of the weight goes
  bool by_value = false;      // the threshold decides, no ranks were looked at
  CategorySet categories;     // those that go left, if the column has categories
  index_t left_rows = 0;
  double left_value = 0, right_value = 0;

  bool found() const { return feature >= 0; }
  // Whether something is worth more than this by more than rounding: of equals the first counts, in whatever order sums
  // were added.
  bool less_than(double other, double noise) const { return found() ? other > worth + noise : other > -unbounded; }
  bool goes_left(std::uint32_t rank, std::uint32_t missing) const {
    if (rank == missing) return missing_left;
    return categories.empty() ? rank <= last : categories.has(rank);
  }
};

// The lowest and the highest rank of some rows.
struct RankRange {
  std::uint32_t low, high;
};

// A number strictly below `high` and not below `low`, half way if rounding allows; below infinity, the largest there is.
inline double between(double low, double high) {
  const double middle = std::min(low / 2 + high / 2, std::numeric_limits<double>::max());
  return middle < high && middle >= low ? middle : low;
}

// Where a split between two ranks divides the numbers of its column; bins between the two hold no rows of the node.
inline double threshold_of(const Split& split, const RankedColumns& columns) {
  const View<const double> levels = columns.levels[split.feature];
  return split.last == split.next ? unbounded : between(levels[split.last + columns.binned], levels[split.next]);
}

// How many keys at the front are not missing.
inline index_t count_present(const std::uint64_t* keys, index_t count, std::uint32_t missing) {
  while (count > 0 && rank_of(keys[count - 1]) == missing) --count;
  return count;
}

// The threshold at a share of the way from the least to the greatest of some numbers, so that both have a side.
inline double threshold_between(double least, double most, double share) {
  const double threshold = least + share * (most - least);
  return threshold >= least && threshold < most ? threshold : least;
}

// A threshold somewhere between the least and the greatest of some numbers, of which those that are missing do not count.
struct RandomCut {
  bool found = false, varies = false;  // without two different numbers rows may still differ by what is missing
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
    double least = unbounded, most = -unbounded, without = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      least = std::min(least, low[lane]);
      most = std::max(most, high[lane]);
      without += missing[lane];
    }
    for (; k < count; ++k) {
      least = values[k] < least ? values[k] : least;
      most = values[k] > most ? values[k] : most;
      without += values[k] != values[k];
    }
    absent = index_t(without);
    found = least < most;
    varies = found || (absent > 0 && absent < count);
    if (!found) return;
    threshold = threshold_between(least, most, uniform);
  }
};

// The numbers of one of four columns that were read together, every fourth in memory, in either precision; or nothing.
struct OneOfFour {
  const float* narrow = nullptr;
  const double* wide = nullptr;

  OneOfFour() = default;
  OneOfFour(const FourOf<float>* numbers, int column) : narrow(reinterpret_cast<const float*>(numbers) + column) {}
  OneOfFour(const FourOf<double>* numbers, int column) : wide(reinterpret_cast<const double*>(numbers) + column) {}
};

// Between what the numbers of four columns lie.
template <class T>
struct FourRange {
  FourOf<T> low = FourOf<T>{} + std::numeric_limits<T>::infinity(), high = -low;

  void widen(const FourOf<T>& numbers) {
    low = numbers < low ? numbers : low;
    high = numbers > high ? numbers : high;
  }
};

// The split of most worth among those offered that keep the rules.
class Offers {
 public:
  Split best;

  explicit Offers(const GrowthRules& rules)
      : least_rows_(rules.least_rows), least_weight_(rules.least_weight),
        direction_{rules.direction.data(), index_t(rules.direction.size())} {}

  void start(index_t rows, const Bounds& bounds, double noise) {
    rows_ = rows;
    bounds_ = bounds;
    noise_ = noise;
    best = Split{};
  }

  bool better(double worth) const { return best.less_than(worth, noise_); }
  // Whether nothing that is worth no more than `most` could be better.
  bool settled(double most) const { return best.found() && !better(most); }
  double noise() const { return noise_; }
  double least_weight() const { return least_weight_; }
  // The fewest and the most rows that may go left.
  std::pair<index_t, index_t> allowed() const { return {least_rows_, rows_ - least_rows_}; }

  bool enough_rows(index_t left) const { return left >= least_rows_ && rows_ - left >= least_rows_; }
  bool enough_weight(double left, double right) const {
    return left >= least_weight_ && right >= least_weight_;
  }
  bool directed() const { return direction_.size > 0; }
  bool right_direction(index_t feature, double left, double right) const {
    const int direction = direction_[feature];
    return direction == 0 || (bounds_.hold(left) && bounds_.hold(right) && direction * left <= direction * right);
  }

 private:
  index_t least_rows_;
  double least_weight_;
  View<const std::int8_t> direction_;  // of the rules, which must live as long
  Bounds bounds_;
  index_t rows_ = 0;
  double noise_ = 0;
};

}  // namespace learnable
