// The no-U-turn sampler with multinomial weights, and Hamiltonian Monte Carlo with trajectories of fixed length.
#pragma once

#include <vector>

#include "learnable/sampling/hamiltonian.hpp"

namespace learnable::sampling {

// Hoffman and Gelman (2014) with the multinomial sampling, and the criterion on sums of momenta, of Betancourt (2017).
class NoUTurn {
 public:
  NoUTurn(LogDensity& density, const Metric& metric, int max_depth)
      : density_(density), metric_(metric), size_(metric.dimension), max_depth_(max_depth),
        forward_(size_), backward_(size_), whole_(size_), grown_(size_), levels_(max_depth, Span(size_)) {}

  // Replaces `point` by the next draw.
  Transition advance(PhasePoint& point, double step, DrawRandom& random) {
    step_ = step;
    made_ = Transition{};
    metric_.draw(random, point.momentum.data());
    metric_.velocity(point.momentum.data(), point.velocity.data());
    start_energy_ = point.energy();
    forward_ = point;
    backward_ = point;
    whole_.begin_with(point);
    double weight = 0;
    while (made_.depth < max_depth_) {
      const bool ahead = random.flip();
      PhasePoint& moving = ahead ? forward_ : backward_;
      if (!grow(made_.depth, moving, ahead ? 1 : -1, grown_, random)) break;
      ++made_.depth;
      if (random.log_uniform() < grown_.weight - weight) std::swap(point, grown_.chosen);  // biased to the new half
      weight = log_sum(weight, grown_.weight);
      if (!whole_.extend(grown_, ahead)) break;
    }
    made_.accepted = made_.steps ? accepted_sum_ / double(made_.steps) : 0;
    accepted_sum_ = 0;
    made_.energy = start_energy_;
    return made_;
  }

 private:
  // A part of a trajectory: momenta and velocities at both ends, the sum of momenta, the point chosen from it.
  struct Span {
    std::vector<double> first, first_velocity, last, last_velocity, sum, scratch;
    PhasePoint chosen;
    double weight = 0;

    explicit Span(index_t size)
        : first(size), first_velocity(size), last(size), last_velocity(size), sum(size), scratch(size), chosen(size) {}
    void begin_with(const PhasePoint& point) {
      first = last = sum = point.momentum;
      first_velocity = last_velocity = point.velocity;
    }
    // Appends a part of which the first end adjoins this one; whether none of the joined parts makes a U-turn.
    bool append(const Span& next) {
      bool goes_on = straight(sum, next.first, first_velocity, next.first_velocity);
      goes_on &= straight(next.sum, last, last_velocity, next.last_velocity);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += next.sum[i];
      last = next.last;
      last_velocity = next.last_velocity;
      std::fill(scratch.begin(), scratch.end(), 0.0);
      return goes_on & straight(sum, scratch, first_velocity, last_velocity);
    }
    bool extend(const Span& next, bool ahead) {
      if (!ahead) reverse();
      const bool goes_on = append(next);
      if (!ahead) reverse();
      return goes_on;
    }
    void reverse() {
      std::swap(first, last);
      std::swap(first_velocity, last_velocity);
    }
    static bool straight(const std::vector<double>& sum, const std::vector<double>& more,
                         const std::vector<double>& one_end, const std::vector<double>& other_end) {
      double one = 0, other = 0;
      for (std::size_t i = 0; i < sum.size(); ++i) {
        const double total = sum[i] + more[i];
        one += total * one_end[i];
        other += total * other_end[i];
      }
      return one > 0 && other > 0;
    }
  };

  // Grows 2^depth points from `moving` onwards into `out`; false if they diverge or turn.
  bool grow(int depth, PhasePoint& moving, int direction, Span& out, DrawRandom& random) {
    if (depth == 0) return one_step(moving, direction, out);
    Span& next = levels_[depth - 1];
    if (!grow(depth - 1, moving, direction, out, random)) return false;
    if (!grow(depth - 1, moving, direction, next, random)) return false;
    const double both = log_sum(out.weight, next.weight);
    if (random.log_uniform() < next.weight - both) std::swap(out.chosen, next.chosen);
    out.weight = both;
    return out.append(next);
  }

  bool one_step(PhasePoint& moving, int direction, Span& out) {
    leapfrog(density_, metric_, direction * step_, moving);
    const double gain = start_energy_ - moving.energy();
    ++made_.steps;
    accepted_sum_ += gain > 0 ? 1 : std::exp(gain);
    out.begin_with(moving);
    out.weight = gain;
    out.chosen = moving;
    made_.diverging = !(gain > -largest_error);
    return !made_.diverging;
  }

  LogDensity& density_;
  const Metric& metric_;
  index_t size_;
  int max_depth_;
  double step_ = 0, start_energy_ = 0, accepted_sum_ = 0;
  PhasePoint forward_, backward_;
  Span whole_, grown_;
  std::vector<Span> levels_;
  Transition made_;
};

// A trajectory of as many leapfrog steps as fit into `length`, accepted or rejected as a whole (Duane et al., 1987).
inline Transition fixed_length(LogDensity& density, const Metric& metric, double step, double length, index_t most,
                               PhasePoint& point, DrawRandom& random) {
  Transition made;
  metric.draw(random, point.momentum.data());
  metric.velocity(point.momentum.data(), point.velocity.data());
  made.energy = point.energy();
  PhasePoint moving = point;
  const index_t steps = std::clamp<index_t>(index_t(std::ceil(length / step)), 1, most);
  double gain = 0;
  while (made.steps < steps && !made.diverging) {
    leapfrog(density, metric, step, moving);
    gain = made.energy - moving.energy();
    made.diverging = !(gain > -largest_error);
    ++made.steps;
  }
  made.accepted = made.diverging ? 0 : std::min(1.0, std::exp(gain));
  if (!made.diverging && random.log_uniform() < gain) point = moving;
  return made;
}

}  // namespace learnable::sampling
