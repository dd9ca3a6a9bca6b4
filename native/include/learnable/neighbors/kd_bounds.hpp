// Lower bounds of the distance of a query from a node of the tree, and distances from the points of a leaf: by boxes
// for Minkowski distances, by balls for every other distance that obeys the triangle inequality.
//
// Regions compute `sums` that have the order of distances and cost less.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "learnable/neighbors/columnwise_distances.hpp"
#include "learnable/neighbors/kd_tree.hpp"
#include "learnable/neighbors/minkowski.hpp"

namespace learnable {

template <class Norm>
struct Boxes {
  const KdTree& tree;
  Norm norm;

  double distance(double sum) const { return norm.distance(sum); }
  double sum(double distance) const { return norm.sum(distance); }

  double away(const double* x, index_t node) const {
    const double *low = tree.low(node), *high = tree.high(node);
    double sum = 0;
    for (index_t j = 0; j < tree.columns; ++j)
      sum = norm.join(sum, norm.term(std::max(std::max(low[j] - x[j], x[j] - high[j]), 0.0)));
    return sum;
  }

  // An upper bound of the distances from the points of the node.
  double across(const double* x, index_t node) const {
    const double *low = tree.low(node), *high = tree.high(node);
    double sum = 0;
    for (index_t j = 0; j < tree.columns; ++j)
      sum = norm.join(sum, norm.term(std::max(x[j] - low[j], high[j] - x[j])));
    return sum;
  }

  Lanes sums(const double* x, index_t leaf, index_t first) const {
    Lanes sum{};
    for (index_t j = 0; j < tree.columns; ++j)
      sum = norm.join(sum, norm.term((x[j] - Lanes{}) - load(tree.column(leaf, j) + first)));
    return sum;
  }
};

// Great-circle distance on a sphere of radius 1, of latitudes and longitudes in radians.
struct Haversine {
  struct Sums { Lanes x_latitude{}, y_latitude{}, longitude{}; };
  void add(Sums& s, Lanes x, Lanes y, index_t j) const {
    if (j == 0) {
      s.x_latitude = x;
      s.y_latitude = y;
    } else {
      s.longitude = x - y;
    }
  }
  double value(const Sums& s, int lane, index_t) const {
    const double across = std::sin((s.x_latitude[lane] - s.y_latitude[lane]) / 2), along = std::sin(s.longitude[lane] / 2);
    const double half = across * across + std::cos(s.x_latitude[lane]) * std::cos(s.y_latitude[lane]) * along * along;
    return 2 * std::asin(std::sqrt(std::min(half, 1.0)));
  }
};

// Whether the mean of some points is near them; if not, the first of them is the centre.
template <class Kind>
constexpr bool middle_is_near = true;
template <>
inline constexpr bool middle_is_near<Hamming> = false;

template <class Kind>
double one_distance(const Kind& kind, const double* x, const double* y, index_t columns) {
  typename Kind::Sums sums;
  for (index_t j = 0; j < columns; ++j) kind.add(sums, detail::spread(x[j]), detail::spread(y[j]), j);
  return kind.value(sums, 0, columns);
}

template <class Kind>
struct Balls {
  const KdTree& tree;
  Kind kind;
  Grid<const double> centre;
  View<const double> radius;

  double distance(double sum) const { return sum; }
  double sum(double distance) const { return distance; }

  double away(const double* x, index_t node) const {
    const double to_centre = one_distance(kind, x, &centre(node, 0), tree.columns);
    const double doubt = 4e-16 * double(tree.columns + 16) * (to_centre + radius[node]);
    return std::max(to_centre - radius[node] - doubt, 0.0);
  }

  Lanes sums(const double* x, index_t leaf, index_t first) const {
    typename Kind::Sums sums;
    for (index_t j = 0; j < tree.columns; ++j)
      kind.add(sums, detail::spread(x[j]), load(tree.column(leaf, j) + first), j);
    Lanes found;
    for (int lane = 0; lane < lanes; ++lane) found[lane] = kind.value(sums, lane, tree.columns);
    return found;
  }
};

// A ball round the points of every node.
template <class Kind>
void build_balls(const KdTree& tree, const Kind& kind, Grid<double> centre, View<double> radius) {
  const KdShape& shape = tree.shape;
  const auto point = [&](index_t leaf, index_t i, double* out) {
    for (index_t j = 0; j < tree.columns; ++j) out[j] = tree.column(leaf, j)[i];
  };
  parallel_for(shape.nodes(), [&](index_t node, int) {
    index_t first = node, last = node;
    while (first < shape.first_leaf()) {
      first = 2 * first + 1;
      last = 2 * last + 2;
    }
    std::vector<double> one(tree.columns);
    double* middle = &centre(node, 0);
    point(first - shape.first_leaf(), 0, middle);
    const auto for_points = [&](auto&& body) {
      for (index_t leaf = first - shape.first_leaf(); leaf <= last - shape.first_leaf(); ++leaf)
        for (index_t i = 0; i < shape.count(leaf); ++i) {
          point(leaf, i, one.data());
          body();
        }
    };
    if (middle_is_near<Kind>) {
      const double count = double(shape.begin(last - shape.first_leaf() + 1) - shape.begin(first - shape.first_leaf()));
      std::fill_n(middle, tree.columns, 0.0);
      for_points([&] { for (index_t j = 0; j < tree.columns; ++j) middle[j] += one[j] / count; });
    }
    double far = 0;
    for_points([&] { far = std::max(far, one_distance(kind, middle, one.data(), tree.columns)); });
    radius[node] = far;
  });
}

}  // namespace learnable
