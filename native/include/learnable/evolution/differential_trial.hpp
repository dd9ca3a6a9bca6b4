// Differential evolution: the trial vector of one individual.
#pragma once

#include <cstdint>

#include "learnable/matrix/view.hpp"

namespace learnable {

// trial = x_i where nothing is crossed, else the sum of members times factors, in the unit cube; what leaves the cube
// is replaced by a uniform number. `trial` is that point, `point` the same within the bounds of the caller.
inline void differential_trial(Grid<const double> population, index_t individual, View<const std::int64_t> member,
                               View<const double> factor, View<const std::uint8_t> crossed, View<const double> inside,
                               View<const double> low, View<const double> width, View<double> trial,
                               View<double> point) {
  for (index_t j = 0; j < population.columns; ++j) {
    double value = population(individual, j);
    if (crossed[j]) {
      value = 0;
      for (index_t k = 0; k < member.size; ++k) value += factor[k] * population(member[k], j);
      if (!(value >= 0 && value <= 1)) value = inside[j];
    }
    trial[j] = value;
    point[j] = low[j] + value * width[j];
  }
}

}  // namespace learnable
