// Linkage constrained by a graph: only clusters that an edge connects may merge, the nearest first.
#pragma once

#include <cmath>
#include <cstdint>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "learnable/cluster/linkage/lance_williams.hpp"
#include "learnable/cluster/linkage/merges.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// Neighbours of a cluster and their distances, by cluster id; those that have merged since are skipped.
struct Edge {
  std::int32_t to;
  double apart;
};
using Edges = std::vector<Edge>;

// The distance of a merged cluster from a neighbour:
struct GraphMeasure {
  virtual ~GraphMeasure() = default;
  virtual double joined(const Pair& pair, const Edge* a, const Edge* b, index_t made, index_t other) const = 0;
  virtual void merge(index_t, index_t, index_t) {}
};

// by the distances along the edges of both parts or one of them,
template <class Rule>
struct ByEdges final : GraphMeasure {
  Rule rule;
  double joined(const Pair& pair, const Edge* a, const Edge* b, index_t, index_t) const override {
    if (a == nullptr) return b->apart;
    return b == nullptr ? a->apart : rule.joined(pair, a->apart, b->apart, 1.0);
  }
};

// or by Ward's increase of the sum of squares, from means and sizes, for every neighbour.
struct ByMeans final : GraphMeasure {
  index_t columns;
  std::vector<double> mean, size;  // of all clusters by id

  explicit ByMeans(Grid<const double> X) : columns(X.columns), mean(2 * X.rows * X.columns), size(2 * X.rows, 1.0) {
    for (index_t i = 0; i < X.rows; ++i) std::copy_n(&X(i, 0), columns, mean.data() + i * columns);
  }
  double apart(index_t a, index_t b) const {
    double sum = 0;
    for (index_t j = 0; j < columns; ++j) {
      const double gap = mean[a * columns + j] - mean[b * columns + j];
      sum += gap * gap;
    }
    return 2 * sum * (size[a] * size[b] / (size[a] + size[b]));
  }
  double joined(const Pair&, const Edge*, const Edge*, index_t made, index_t other) const override {
    return apart(made, other);
  }
  void merge(index_t a, index_t b, index_t made) override {
    size[made] = size[a] + size[b];
    for (index_t j = 0; j < columns; ++j)
      mean[made * columns + j] =
          mean[a * columns + j] + (mean[b * columns + j] - mean[a * columns + j]) * (size[b] / size[made]);
  }
};

// edges: a list for every row, by ascending ids and in both directions. Merges hold cluster ids, as in write_merges.
inline void graph_merges(std::vector<Edges>& edges, GraphMeasure& measure, Grid<double> table) {
  struct Candidate {
    double apart;
    std::int32_t left, right;
    bool operator<(const Candidate& other) const {
      return std::tie(apart, left, right) > std::tie(other.apart, other.left, other.right);
    }
  };
  const index_t rows = index_t(edges.size());
  std::vector<char> merged(std::size_t(2 * rows), 0);
  std::vector<double> size(std::size_t(2 * rows), 1.0);
  std::priority_queue<Candidate> waiting;
  for (index_t i = 0; i < rows; ++i)
    for (const Edge& edge : edges[i])
      if (edge.to > i) waiting.push({edge.apart, std::int32_t(i), edge.to});
  edges.resize(std::size_t(2 * rows));
  for (index_t k = 0; k < table.rows; ++k, poll_interrupt()) {
    while (!waiting.empty() && (merged[waiting.top().left] || merged[waiting.top().right])) waiting.pop();
    if (waiting.empty()) throw std::invalid_argument("the graph must be connected");
    const Candidate next = waiting.top();
    const index_t a = next.left, b = next.right, made = rows + k;
    const Pair pair(next.apart, size[a], size[b]);
    merged[a] = merged[b] = 1;
    size[made] = pair.all;
    measure.merge(a, b, made);
    Edges both;
    both.reserve(edges[a].size() + edges[b].size());
    const auto add = [&](const Edge* left, const Edge* right) {
      const std::int32_t to = left ? left->to : right->to;
      if (!merged[to]) both.push_back({to, measure.joined(pair, left, right, made, to)});
    };
    std::size_t i = 0, j = 0;
    while (i < edges[a].size() || j < edges[b].size()) {
      const bool left = j == edges[b].size() || (i < edges[a].size() && edges[a][i].to <= edges[b][j].to);
      const bool right = i == edges[a].size() || (j < edges[b].size() && edges[b][j].to <= edges[a][i].to);
      add(left ? &edges[a][i] : nullptr, right ? &edges[b][j] : nullptr);
      i += left;
      j += right;
    }
    Edges().swap(edges[a]);
    Edges().swap(edges[b]);
    for (const Edge& edge : both) {
      edges[edge.to].push_back({std::int32_t(made), edge.apart});
      waiting.push({edge.apart, edge.to, std::int32_t(made)});
    }
    edges[made] = std::move(both);
    const double row[] = {double(a), double(b), next.apart, pair.all};
    std::copy_n(row, 4, &table(k, 0));
  }
}

}  // namespace learnable
