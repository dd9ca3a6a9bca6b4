// A tree of points from the arrays that Python keeps it in.
#pragma once

#include "arrays.hpp"
#include "learnable/kd_tree.hpp"

namespace learnable::bind {

// The tree that `parts` = (rows, points, order, boxes) are, for points of so many columns.
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
          "the parts of the tree do not belong together");
  return {shape, columns, view(points), view(order), view(boxes)};
}

}  // namespace learnable::bind
