// Several draws of several chains of Hamiltonian Monte Carlo.
#pragma once

#include "learnable/sampling/nuts.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable::sampling {

struct ChainOptions {
  bool adapting;         // whether step sizes follow the acceptance rate
  double target_accept;
  int max_depth;         // of the trees of NUTS
  double length;         // of trajectories if above 0: then their length is fixed
  index_t most_steps;    // of a trajectory of fixed length
};

enum { stat_log_density, stat_accepted, stat_step, stat_depth, stat_steps, stat_diverging, stat_energy, stat_count };

// What a chain reads and writes: its state in place, then its draws, gradients and statistics row by row.
struct ChainViews {
  double *position, *gradient, *log_density, *adaptation;
  Metric metric;
  double *draws, *gradients, *stats;
};

inline void run_chain(LogDensity& density, const ChainViews& chain, const ChainOptions& options, std::uint64_t seed,
                      index_t first, index_t count) {
  const index_t D = chain.metric.dimension;
  PhasePoint point(D);
  std::copy_n(chain.position, D, point.position.begin());
  std::copy_n(chain.gradient, D, point.gradient.begin());
  point.log_density = *chain.log_density;
  StepSize size{chain.adaptation};
  NoUTurn tree(density, chain.metric, options.max_depth);
  for (index_t d = 0; d < count; ++d) {
    poll_interrupt();
    DrawRandom random(seed, std::uint64_t(first + d));
    if (options.adapting && size.fresh())
      size.begin(reasonable_step(density, chain.metric, point, size.step(), random));
    const double step = options.adapting ? size.step() : size.average();
    const Transition made = options.length > 0
        ? fixed_length(density, chain.metric, step, options.length, options.most_steps, point, random)
        : tree.advance(point, step, random);
    if (options.adapting) size.update(made.accepted, options.target_accept);
    std::copy_n(point.position.begin(), D, chain.draws + d * D);
    std::copy_n(point.gradient.begin(), D, chain.gradients + d * D);
    double* stats = chain.stats + d * stat_count;
    stats[stat_log_density] = point.log_density;
    stats[stat_accepted] = made.accepted;
    stats[stat_step] = step;
    stats[stat_depth] = made.depth;
    stats[stat_steps] = double(made.steps);
    stats[stat_diverging] = made.diverging;
    stats[stat_energy] = made.energy;
  }
  std::copy_n(point.position.begin(), D, chain.position);
  std::copy_n(point.gradient.begin(), D, chain.gradient);
  *chain.log_density = point.log_density;
}

}  // namespace learnable::sampling
