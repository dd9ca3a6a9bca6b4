// A tree over points of one, two or three columns with the centre of mass of each cell: sums of kernels of all distances
// in n log n steps. [Barnes and Hut, 1986]
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "learnable/threads/parallel.hpp"

namespace learnable {

// The heavy-tailed kernel of t-SNE, (1 + s / dof)^-((dof + 1) / 2), of a squared distance s.
template <bool one>
struct StudentKernel {
  double dof;

  // The kernel over (1 + s / dof), which weighs the difference of two points in the gradient.
  double weight(double s) const { return 1 / (1 + s / dof); }
  double value(double s) const { return one ? 1 / (1 + s) : std::pow(1 + s / dof, -(dof + 1) / 2); }
};

typedef double Four __attribute__((vector_size(32)));

template <>
struct StudentKernel<true> {
  double dof = 1;

  template <class V>
  V weight(V s) const { return 1 / (1 + s); }
  template <class V>
  V value(V s) const { return 1 / (1 + s); }
};

template <bool one>
inline Four kernel_values(const StudentKernel<one>& kernel, Four s) {
  if constexpr (one) return 1.0 / (1.0 + s);
  else return Four{kernel.value(s[0]), kernel.value(s[1]), kernel.value(s[2]), kernel.value(s[3])};
}

// Sums over points y_j for four queries x: sum of k(s), and of k(s) w(s) (x - y_j).
template <int D>
struct Repulsion {
  Four normaliser{};
  std::array<Four, D> force{};
};

template <int D>
class SpaceTree {
 public:
  static constexpr index_t leaf_size = 8;
  static constexpr int bits = D == 1 ? 32 : D == 2 ? 30 : 20;

  explicit SpaceTree(Grid<const double> Y) : order_(std::size_t(Y.rows)) {
    std::array<double, D> low, high;
    for (int c = 0; c < D; ++c) {
      low[c] = high[c] = Y(0, c);
      for (index_t i = 1; i < Y.rows; ++i) {
        low[c] = std::min(low[c], Y(i, c));
        high[c] = std::max(high[c], Y(i, c));
      }
      width_ = std::max(width_, high[c] - low[c]);
    }
    sort_points(Y, low);
    for (int c = 0; c < D; ++c) {
      point_[c].resize(order_.size());
      for (std::size_t i = 0; i < order_.size(); ++i) point_[c][i] = Y(order_[i], c);
    }
    nodes_.reserve(order_.size());
    build(0, Y.rows, 0);
  }

  // Rows in the order of the curve along which the tree is built: neighbours in it are near each other.
  const std::vector<std::int64_t>& order() const { return order_; }
  double coordinate(index_t position, int column) const { return point_[column][position]; }

  // Sums for four queries; a cell counts as one point if its width is at most `angle` of its distance to all of them.
  template <bool one>
  Repulsion<D> sums(const std::array<Four, D>& x, double angle, const StudentKernel<one>& kernel) const {
    Repulsion<D> found;
    const double angle2 = angle * angle;
    for (std::size_t at = 0; at < nodes_.size();) {
      const Node& node = nodes_[at];
      Four s{};
      std::array<Four, D> away{};
      for (int c = 0; c < D; ++c) {
        away[c] = x[c] - node.mean[c];
        s += away[c] * away[c];
      }
      const double nearest = std::min(std::min(s[0], s[1]), std::min(s[2], s[3]));
      if (node.width2 < angle2 * nearest) {
        add(found, s, away, double(node.end - node.begin), kernel);
        at = node.next;
      } else if (node.leaf) {
        for (std::int32_t i = node.begin; i < node.end; ++i) {
          Four square{};
          for (int c = 0; c < D; ++c) {
            away[c] = x[c] - point_[c][i];
            square += away[c] * away[c];
          }
          add(found, square, away, 1.0, kernel);
        }
        at = node.next;
      } else {
        ++at;
      }
    }
    return found;
  }

 private:
  struct Node {
    std::array<double, D> mean;
    double width2;
    std::uint32_t next;  // the node after all below this one
    std::int32_t begin, end;
    bool leaf;
  };

  template <bool one>
  static void add(Repulsion<D>& found, Four s, const std::array<Four, D>& away, double count,
                  const StudentKernel<one>& kernel) {
    const Four value = count * kernel_values(kernel, s);
    Four weight;
    if constexpr (one) weight = value / (1.0 + s);
    else weight = value / (1.0 + s / kernel.dof);
    found.normaliser += value;
    for (int c = 0; c < D; ++c) found.force[c] += weight * away[c];
  }

  void sort_points(Grid<const double> Y, const std::array<double, D>& low) {
    const double cells = double(std::uint64_t(1) << bits), scale = width_ > 0 ? cells / width_ : 0;
    std::vector<std::pair<std::uint64_t, std::int64_t>> keyed(order_.size());
    for (index_t i = 0; i < Y.rows; ++i) {
      std::uint64_t code = 0;
      std::array<std::uint64_t, D> cell{};
      for (int c = 0; c < D; ++c) cell[c] = std::uint64_t(std::min((Y(i, c) - low[c]) * scale, cells - 1));
      for (int bit = bits - 1; bit >= 0; --bit)
        for (int c = 0; c < D; ++c) code = code << 1 | (cell[c] >> bit & 1);
      keyed[i] = {code, i};
    }
    std::sort(keyed.begin(), keyed.end());
    code_.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      order_[i] = keyed[i].second;
      code_[i] = keyed[i].first;
    }
  }

  void build(index_t begin, index_t end, int level) {
    const std::size_t at = nodes_.size();
    const double width = width_ * std::ldexp(1.0, -level);
    nodes_.push_back({{}, width * width, 0, std::int32_t(begin), std::int32_t(end), true});
    std::array<double, D> sum{};
    for (int c = 0; c < D; ++c)
      for (index_t i = begin; i < end; ++i) sum[c] += point_[c][i];
    for (int c = 0; c < D; ++c) nodes_[at].mean[c] = sum[c] / double(end - begin);
    if (end - begin > leaf_size && level < bits) {
      nodes_[at].leaf = false;
      const int shift = D * (bits - 1 - level);
      for (index_t first = begin; first < end;) {
        const std::uint64_t cell = code_[first] >> shift;
        index_t last = first + 1;
        while (last < end && code_[last] >> shift == cell) ++last;
        build(first, last, level + 1);
        first = last;
      }
    }
    nodes_[at].next = std::uint32_t(nodes_.size());
  }

  double width_ = 0;
  std::vector<std::int64_t> order_;
  std::vector<std::uint64_t> code_;
  std::array<std::vector<double>, D> point_;
  std::vector<Node> nodes_;
};

}  // namespace learnable
