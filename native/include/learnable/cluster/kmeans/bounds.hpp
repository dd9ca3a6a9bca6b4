// Bounds on the distances of rows to centres that have moved since the distances were computed.
//
// For each row an upper bound on the distance to its own centre, and for each group of centres a lower bound on the
// distance to all others in it. Moving a centre changes distances by at most as much; so the sums of all moves so far
// are kept with the bounds, and a bound is updated only when its row is searched again. [Hamerly, 2010; Ding et al.,
// 2015]
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/cluster/kmeans/score_tile.hpp"
#include "learnable/matrix/view.hpp"

namespace learnable {

class CentreBounds {
 public:
  CentreBounds(index_t rows, Grid<const double> centres, const CentreGroups& groups)
      : groups_(groups.groups()), upper_(std::size_t(rows)), lower_(std::size_t(rows * groups_)),
        moved_(std::size_t(centres.rows), 0.0), group_moved_(std::size_t(groups_), 0.0),
        last_(centres.data, centres.data + centres.rows * centres.stride) {}

  // Updates the bounds for the new centres.
  void follow(Grid<const double> centres, const CentreGroups& groups) {
    std::vector<double> max_move(std::size_t(groups_), 0.0);
    for (index_t c = 0; c < centres.rows; ++c) {
      const double* before = last_.data() + c * centres.stride;
      const double move = std::sqrt(detail::squared_gap(before, &centres(c, 0), centres.columns)) * (1 + 1e-9);
      moved_[c] += move;
      double& largest = max_move[groups.group_of(std::int32_t(c))];
      largest = std::max(largest, move);
    }
    for (index_t g = 0; g < groups_; ++g) group_moved_[g] += max_move[g];
    std::copy_n(centres.data, last_.size(), last_.begin());
  }

  double upper(index_t row, std::int32_t centre) const { return double(upper_[row]) + moved_[centre] * grace; }
  double lower(index_t row, index_t group) const {
    return double(lower_[row * groups_ + group]) - group_moved_[group] * grace;
  }
  void set_upper(index_t row, std::int32_t centre, double distance) {
    const float rounded = float(distance - moved_[centre]);
    upper_[row] = rounded + std::abs(rounded) * float_grace + 1e-37f;
  }
  void set_lower(index_t row, index_t group, double distance) {
    const float rounded = float(distance + group_moved_[group]);
    lower_[row * groups_ + group] = rounded - std::abs(rounded) * float_grace;
  }

  // Whether no centre of the group can be as near as `distance`, rounding of all that is compared included.
  bool rules_out(index_t row, index_t group, double distance) const {
    return lower(row, group) > distance * (1 + 1e-6);
  }

 private:
  static constexpr double grace = 1 + 1e-9;  // for rounding of the sums of moves
  static constexpr float float_grace = 2.4e-7f;
  index_t groups_;
  std::vector<float> upper_, lower_;
  std::vector<double> moved_, group_moved_, last_;
};

}  // namespace learnable
