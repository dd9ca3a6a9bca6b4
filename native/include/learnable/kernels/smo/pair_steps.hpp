// Sequential minimal optimisation on a few variables whose kernel matrix is at hand.
//
//   minimise over b   b'Kb / 2 + q'b,   low <= b <= high,   the sum of b of each group stays what it is
//
// A step moves one variable up and one of the same group down by as much: the one with the steepest descent and the
// partner that promises most by the curvature between them. [Fan, Chen and Lin, 2005]
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learnable/matrix/aligned_buffer.hpp"
#include "learnable/matrix/simd.hpp"
#include "learnable/threads/interrupt.hpp"

namespace learnable {

namespace detail {

inline Lanes load_wide(const double* x) { return load(x); }
inline Lanes load_wide(const float* x) {
  typedef float Narrow __attribute__((vector_size(4 * lanes), aligned(4), may_alias));
  return __builtin_convertvector(*reinterpret_cast<const Narrow*>(x), Lanes);
}

// The largest of several numbers met, and where it stands; of equals one that is the same in every run.
struct Largest {
  Lanes value = Lanes{} - HUGE_VAL, place{};

  void meet(Lanes x, Lanes at) {
    const auto more = x > value;
    value = more ? x : value;
    place = more ? at : place;
  }
  void reduce(double& best, index_t& where) const {
    best = value[0], where = index_t(place[0]);
    for (int lane = 1; lane < lanes; ++lane)
      if (value[lane] > best || (value[lane] == best && index_t(place[lane]) < where))
        best = value[lane], where = index_t(place[lane]);
  }
};

inline Lanes counting() {
  Lanes places;
  for (int lane = 0; lane < lanes; ++lane) places[lane] = lane;
  return places;
}

}  // namespace detail

// Variables stand group by group; each group begins at a multiple of the vector length, and gaps are filled with variables
// that cannot move. Rows of K are as long as there are places.
class Pairs {
 public:
  Pairs(index_t places) : size_(places), b(places, 0), low(places, 0), high(places, 0), slope(places, 0),
                          diagonal(places, 1), up_(places), down_(places) {}

  struct Range {
    index_t begin, end;
  };
  struct Outcome {
    index_t steps = 0;
    double violation = 0;
    bool unbounded = false, stuck = false;
  };

  index_t size() const { return size_; }

  // Steps until no pair descends by more than `tolerance`, or `limit` steps are done. `tiny` is a curvature as good as none
  // beside the largest, and `rounding` the share of the terms of a curvature that is. Rows of K hold numbers of type T.
  template <class T>
  Outcome solve(const std::vector<const void*>& K, const std::vector<Range>& groups, double tolerance, index_t limit,
                double tiny, double rounding) {
    Outcome outcome;
    for (index_t k = 0; k < size_; ++k) show(k, -slope[k]);
    std::vector<Best> best(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) best[g] = look(groups[g]);
    for (;;) {
      std::size_t g = 0;
      for (std::size_t other = 1; other < groups.size(); ++other)
        if (best[other].violation() > best[g].violation()) g = other;
      outcome.violation = best[g].violation();
      if (!(outcome.violation > tolerance) || outcome.steps >= limit) return outcome;
      const index_t i = best[g].place;
      const T* row = static_cast<const T*>(K[i]);
      const index_t j = partner(row, groups[g], i, tiny);
      const double step = length(row, i, j, rounding);
      outcome.unbounded = step == HUGE_VAL;
      if (outcome.unbounded) return outcome;
      const double rising = up_[i], falling = down_[j];
      outcome.stuck = !move(i, j, step);
      if (outcome.stuck) return outcome;
      show(i, rising);
      show(j, falling);
      ++outcome.steps;
      if (outcome.steps % 1024 == 0) look_up();
      for (std::size_t other = 0; other < groups.size(); ++other)
        best[other] = follow(row, static_cast<const T*>(K[j]), step, groups[other]);
    }
  }

 private:
  struct Best {
    double highest = -HUGE_VAL, lowest = HUGE_VAL;  // steepness upwards of who can rise, of who can fall
    index_t place = 0;
    double violation() const { return highest > -HUGE_VAL && lowest < HUGE_VAL ? highest - lowest : 0; }
  };

  // up_ and down_ hold -slope of those who can rise and who can fall; of others they are infinite, which updates keep.
  void show(index_t k, double steepness) {
    up_[k] = b[k] < high[k] ? steepness : -HUGE_VAL;
    down_[k] = b[k] > low[k] ? steepness : HUGE_VAL;
  }

  Best look(Range group) const {
    detail::Largest up, down;
    Lanes place = detail::counting() + double(group.begin);
    for (index_t k = group.begin; k < group.end; k += lanes, place += lanes) {
      up.meet(load(&up_[k]), place);
      down.meet(-load(&down_[k]), place);
    }
    return found(up, down);
  }

  // The slopes after a step, and who is steepest now.
  template <class T>
  Best follow(const T* first, const T* second, double step, Range group) {
    detail::Largest up, down;
    Lanes place = detail::counting() + double(group.begin);
    for (index_t k = group.begin; k < group.end; k += lanes, place += lanes) {
      const Lanes change = step * (detail::load_wide(first + k) - detail::load_wide(second + k));
      const Lanes rising = load(&up_[k]) - change, falling = load(&down_[k]) - change;
      store(&up_[k], rising);
      store(&down_[k], falling);
      up.meet(rising, place);
      down.meet(-falling, place);
    }
    return found(up, down);
  }

  static Best found(const detail::Largest& up, const detail::Largest& down) {
    Best best;
    index_t where;
    up.reduce(best.highest, best.place);
    down.reduce(best.lowest, where);
    best.lowest = -best.lowest;
    return best;
  }

  // The variable that should fall while i rises.
  template <class T>
  index_t partner(const T* row, Range group, index_t i, double tiny) const {
    detail::Largest gain;
    Lanes place = detail::counting() + double(group.begin);
    const double steep = up_[i], own = diagonal[i];
    const Lanes least = Lanes{} + tiny, never = Lanes{} - HUGE_VAL;
    for (index_t k = group.begin; k < group.end; k += lanes, place += lanes) {
      const Lanes drop = steep - load(&down_[k]);
      Lanes curvature = (own + load(&diagonal[k])) - 2 * detail::load_wide(row + k);
      curvature = curvature > least ? curvature : least;
      gain.meet(drop > 0 ? drop * drop / curvature : never, place);
    }
    double best;
    index_t where;
    gain.reduce(best, where);
    return where;
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
  Buffer b, low, high, slope, diagonal;

 private:
  Buffer up_, down_;
};

}  // namespace learnable
