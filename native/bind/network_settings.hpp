// Settings of networks as Python gives them: the loss, the optimiser, the targets.
#pragma once

#include "arrays.hpp"
#include "learnable/network/dense_plan.hpp"

namespace learnable::bind {

using namespace learnable::network;

inline double number(const nb::dict& settings, const char* name) { return nb::cast<double>(settings[name]); }

inline LossPlan loss_of(const nb::dict& settings) {
  const int loss = int(number(settings, "loss"));
  require(loss >= 0 && loss < loss_count, "unknown loss");
  return {OutputLoss(loss), number(settings, "loss_parameter"), number(settings, "smoothing")};
}

inline TrainingPlan training_of(const nb::dict& settings) {
  const int optimiser = int(number(settings, "optimiser"));
  require(optimiser >= 0 && optimiser < optimiser_count, "unknown optimiser");
  return {Optimiser(optimiser),
          number(settings, "first"),
          number(settings, "second"),
          number(settings, "epsilon"),
          number(settings, "l1"),
          number(settings, "l2"),
          number(settings, "decay"),
          number(settings, "clip"),
          number(settings, "shared") != 0,
          nb::cast<std::uint64_t>(settings["seed"])};
}

inline Targets targets_of(const LossPlan& loss, index_t outputs, index_t rows, const Rows<double>& y,
                          const Vector<double>& weight, View<const std::int64_t> order) {
  const Targets targets{view(y), view(weight)};
  const index_t positions = loss.positions(), columns = loss.by_class() ? positions : outputs;
  require(loss.parameter < (1 << 24) && outputs % positions == 0, "each position needs the same number of classes");
  require(targets.y.rows == rows && targets.y.columns == columns, "y needs an entry per row and output, or a code per row");
  require(targets.weight.size == 0 || targets.weight.size == rows, "weight needs no entry or one per row");
  require(order.size > 0, "order needs a row");
  for (std::int64_t i : order) require(i >= 0 && i < rows, "order contains a row out of range");
  if (loss.by_class())
    for (index_t i = 0; i < rows; ++i)
      for (index_t p = 0; p < positions; ++p) {
        const double code = targets.y(i, p);
        require((code >= 0 && code < double(outputs / positions)) || (positions > 1 && std::isnan(code)), "a code is not a class");
      }
  return targets;
}

}  // namespace learnable::bind
