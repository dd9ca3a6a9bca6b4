// Sequential minimal optimisation on a few variables whose kernel matrix is in memory.
//
//   minimise over b   b'Kb / 2 + q'b,   low <= b <= high,   the sum of b of each group is constant
//
// A step moves one variable up and one of the same group down by as much: the one with the steepest descent and the
// partner with the largest second-order gain. [Fan, Chen and Lin, 2005]
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/simd.hpp"
#include "learnable/threads/interrupt.hpp"

namespace learnable {

namespace detail {

inline Lanes load_f64(const double* x) { return load(x); }
inline Lanes load_f64(const float* x) {
  typedef float HalfWidth __attribute__((vector_size(4 * lanes), aligned(4), may_alias));
  return __builtin_convertvector(*reinterpret_cast<const HalfWidth*>(x), Lanes);
}

// The largest of several values and its index; the choice among equals is the same in every run.
struct Largest {
  Lanes value = Lanes{} - HUGE_VAL, index{};

  void update(Lanes x, Lanes at) {
    const auto more = x > value;
    value = more ? x : value;
    index = more ? at : index;
  }
  void reduce(double& best, index_t& at_index) const {
    best = value[0], at_index = index_t(index[0]);
    for (int lane = 1; lane < lanes; ++lane)
      if (value[lane] > best || (value[lane] == best && index_t(index[lane]) < at_index))
        best = value[lane], at_index = index_t(index[lane]);
  }
};

inline Lanes lane_indices() {
  Lanes slots;
  for (int lane = 0; lane < lanes; ++lane) slots[lane] = lane;
  return slots;
}

}  // namespace detail

// Variables are stored group by group; each group starts at a multiple of the vector length, and padding consists of
// variables that cannot move. Rows of K have an entry per slot, padding included.
class Pairs {
 public:
  Pairs(index_t slots) : size_(slots), b(slots, 0), low(slots, 0), high(slots, 0), gradient(slots, 0),
                          diagonal(slots, 1), up_(slots), down_(slots) {}

  struct Range {
    index_t begin, end;
  };
  struct Outcome {
    index_t steps = 0;
    double violation = 0;
    bool unbounded = false, stuck = false;
  };

  index_t size() const { return size_; }

  // Steps until no pair descends by more than `tolerance`, or `limit` steps are done. `tiny` is a negligible curvature,
  // and `rounding` the relative rounding error of the terms of a curvature. Rows of K hold values of type T.
  template <class T>
  Outcome solve(const std::vector<const void*>& K, const std::vector<Range>& groups, double tolerance, index_t limit,
                double tiny, double rounding) {
    Outcome outcome;
    for (index_t k = 0; k < size_; ++k) set_gradients(k, -gradient[k]);
    std::vector<Best> best(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) best[g] = scan(groups[g]);
    for (;;) {
      std::size_t g = 0;
      for (std::size_t other = 1; other < groups.size(); ++other)
        if (best[other].violation() > best[g].violation()) g = other;
      outcome.violation = best[g].violation();
      if (!(outcome.violation > tolerance) || outcome.steps >= limit) return outcome;
      const index_t i = best[g].index;
      const T* row = static_cast<const T*>(K[i]);
      const index_t j = partner(row, groups[g], i, tiny);
      const double step = length(row, i, j, rounding);
      outcome.unbounded = step == HUGE_VAL;
      if (outcome.unbounded) return outcome;
      const double rising = up_[i], falling = down_[j];
      outcome.stuck = !move(i, j, step);
      if (outcome.stuck) return outcome;
      set_gradients(i, rising);
      set_gradients(j, falling);
      ++outcome.steps;
      if (outcome.steps % 1024 == 0) poll_interrupt();
      for (std::size_t other = 0; other < groups.size(); ++other)
        best[other] = follow(row, static_cast<const T*>(K[j]), step, groups[other]);
    }
  }

 private:
  struct Best {
    double highest = -HUGE_VAL, lowest = HUGE_VAL;  // of the negative gradients of variables that can rise, that can fall
    index_t index = 0;
    double violation() const { return highest > -HUGE_VAL && lowest < HUGE_VAL ? highest - lowest : 0; }
  };

  // up_ and down_ hold the negative gradients of variables that can rise and that can fall; of others they are
  // infinite, which updates keep.
  void set_gradients(index_t k, double descent) {
    up_[k] = b[k] < high[k] ? descent : -HUGE_VAL;
    down_[k] = b[k] > low[k] ? descent : HUGE_VAL;
  }

  Best scan(Range group) const {
    detail::Largest up, down;
    Lanes index = detail::lane_indices() + double(group.begin);
    for (index_t k = group.begin; k < group.end; k += lanes, index += lanes) {
      up.update(load(&up_[k]), index);
      down.update(-load(&down_[k]), index);
    }
    return found(up, down);
  }

  // The gradients after a step, and the steepest variables.
  template <class T>
  Best follow(const T* first, const T* second, double step, Range group) {
    detail::Largest up, down;
    Lanes index = detail::lane_indices() + double(group.begin);
    for (index_t k = group.begin; k < group.end; k += lanes, index += lanes) {
      const Lanes change = step * (detail::load_f64(first + k) - detail::load_f64(second + k));
      const Lanes rising = load(&up_[k]) - change, falling = load(&down_[k]) - change;
      store(&up_[k], rising);
      store(&down_[k], falling);
      up.update(rising, index);
      down.update(-falling, index);
    }
    return found(up, down);
  }

  static Best found(const detail::Largest& up, const detail::Largest& down) {
    Best best;
    index_t at_index;
    up.reduce(best.highest, best.index);
    down.reduce(best.lowest, at_index);
    best.lowest = -best.lowest;
    return best;
  }

  // The variable that falls while i rises.
  template <class T>
  index_t partner(const T* row, Range group, index_t i, double tiny) const {
    detail::Largest gain;
    Lanes index = detail::lane_indices() + double(group.begin);
    const double steep = up_[i], own = diagonal[i];
    const Lanes smallest = Lanes{} + tiny, never = Lanes{} - HUGE_VAL;
    for (index_t k = group.begin; k < group.end; k += lanes, index += lanes) {
      const Lanes drop = steep - load(&down_[k]);
      Lanes curvature = (own + load(&diagonal[k])) - 2 * detail::load_f64(row + k);
      curvature = curvature > smallest ? curvature : smallest;
      gain.update(drop > 0 ? drop * drop / curvature : never, index);
    }
    double best;
    index_t at_index;
    gain.reduce(best, at_index);
    return at_index;
  }

  template <class T>
  double length(const T* row, index_t i, index_t j, double rounding) const {
    const double tiny = std::max(rounding * (std::abs(diagonal[i]) + std::abs(diagonal[j])), 1e-300);
    const double curvature = std::max(diagonal[i] + diagonal[j] - 2 * double(row[j]), tiny);
    const double room = std::min(high[i] - b[i], b[j] - low[j]);
    return room == HUGE_VAL && curvature <= tiny ? HUGE_VAL : std::min((up_[i] - down_[j]) / curvature, room);
  }

  // Moves i up and j down, onto their bounds exactly where these are reached. False if nothing changes any more.
  bool move(index_t i, index_t j, double step) {
    const double rise = step >= high[i] - b[i] ? high[i] : std::min(b[i] + step, high[i]);
    const double fall = step >= b[j] - low[j] ? low[j] : std::max(b[j] - step, low[j]);
    const bool moved = rise != b[i] || fall != b[j];
    b[i] = rise;
    b[j] = fall;
    return moved;
  }

  index_t size_;

 public:
  Buffer b, low, high, gradient, diagonal;

 private:
  Buffer up_, down_;
};

}  // namespace learnable
