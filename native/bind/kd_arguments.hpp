// k-d trees and the regions of their nodes from Python arguments.
#pragma once

#include <cstring>

#include "arrays.hpp"
#include "learnable/neighbors/kd_bounds.hpp"
#include "learnable/neighbors/kd_tree.hpp"

namespace learnable::bind {

// The tree of `parts` = (rows, points, order, boxes), for points of `columns` columns.
inline KdTree tree_of(const nb::tuple& parts, index_t columns) {
  require(parts.size() == 4, "a tree has rows, points, order and boxes");
  const index_t count = nb::cast<index_t>(parts[0]);
  require(count > 0, "a tree has rows");
  const KdShape shape(count);
  const auto points = nb::cast<Rows<double>>(parts[1], false);
  const auto order = nb::cast<Vector<std::int64_t>>(parts[2], false);
  const auto boxes = nb::cast<Rows<double>>(parts[3], false);
  require(index_t(points.shape(0)) == shape.leaves * columns && index_t(points.shape(1)) == shape.width &&
              index_t(order.shape(0)) == shape.leaves * shape.width && index_t(boxes.shape(0)) == shape.nodes() &&
              index_t(boxes.shape(1)) == 2 * columns,
          "the arrays of the tree are inconsistent");
  return {shape, columns, view(points), view(order), view(boxes)};
}

// Calls f with the region of a distance: of Minkowski's kind with boxes, of another with balls = (centres, radii).
template <class F>
void with_region(const KdTree& tree, const char* kind, double power, const nb::object& balls, F&& f) {
  if (std::strcmp(kind, "minkowski") == 0) {
    require(power >= 1, "power must be at least 1");
    nb::gil_scoped_release release;
    with_norm(power, [&](const auto& norm) { f(Boxes<std::decay_t<decltype(norm)>>{tree, norm}); });
    return;
  }
  const auto parts = nb::cast<nb::tuple>(balls);
  const auto centre = nb::cast<Rows<double>>(parts[0], false);
  const auto radius = nb::cast<Vector<double>>(parts[1], false);
  require(index_t(centre.shape(0)) == tree.shape.nodes() && index_t(centre.shape(1)) == tree.columns &&
              index_t(radius.shape(0)) == tree.shape.nodes(),
          "a ball per node is needed");
  const auto run = [&](const auto& chosen) {
    nb::gil_scoped_release release;
    f(Balls<std::decay_t<decltype(chosen)>>{tree, chosen, view(centre), view(radius)});
  };
  if (std::strcmp(kind, "canberra") == 0) return run(Canberra{});
  if (std::strcmp(kind, "hamming") == 0) return run(Hamming{});
  if (std::strcmp(kind, "haversine") == 0) return run(Haversine{});
  throw std::invalid_argument("unknown kind of distance");
}

}  // namespace learnable::bind
