// Lengths of shortest paths in a sparse graph: Dijkstra's algorithm with a heap of four children per node.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "learnable/threads/parallel.hpp"

namespace learnable {

// A graph by rows: the edges of node i are at start[i] up to start[i + 1]; lengths are not negative.
struct EdgeLists {
  View<const std::int64_t> start, index;
  View<const double> length;

  index_t nodes() const { return start.size - 1; }
};

// The scratch of one thread, for searches from one source after the other.
class ShortestPaths {
 public:
  explicit ShortestPaths(const EdgeLists& graph) : graph_(graph), position_(std::size_t(graph.nodes())) {
    heap_.reserve(std::size_t(graph.nodes()));
  }

  // distance[i] = the length of the shortest path from the source to i, infinite if there is none.
  void search(index_t source, View<double> distance) {
    std::fill(distance.begin(), distance.end(), std::numeric_limits<double>::infinity());
    std::fill(position_.begin(), position_.end(), -1);
    distance[source] = 0;
    push(std::int32_t(source), distance);
    while (!heap_.empty()) {
      const std::int32_t node = pop(distance);
      for (std::int64_t edge = graph_.start[node]; edge < graph_.start[node + 1]; ++edge) {
        const std::int32_t next = std::int32_t(graph_.index[edge]);
        const double length = distance[node] + graph_.length[edge];
        if (!(length < distance[next])) continue;
        distance[next] = length;
        position_[next] < 0 ? push(next, distance) : rise(position_[next], distance);
      }
    }
  }

 private:
  void push(std::int32_t node, View<const double> distance) {
    heap_.push_back(node);
    position_[node] = std::int32_t(heap_.size()) - 1;
    rise(position_[node], distance);
  }

  std::int32_t pop(View<const double> distance) {
    const std::int32_t top = heap_[0], last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last, distance);
    return top;
  }

  void rise(std::int32_t at, View<const double> distance) {
    const std::int32_t node = heap_[at];
    while (at > 0) {
      const std::int32_t parent = (at - 1) / 4;
      if (!(distance[node] < distance[heap_[parent]])) break;
      place(heap_[parent], at);
      at = parent;
    }
    place(node, at);
  }

  // Puts a node at the top and lets it sink.
  void sink(std::int32_t node, View<const double> distance) {
    const std::int32_t size = std::int32_t(heap_.size());
    std::int32_t at = 0;
    for (;;) {
      const std::int32_t first = 4 * at + 1, end = std::min(first + 4, size);
      if (first >= size) break;
      std::int32_t least = first;
      for (std::int32_t child = first + 1; child < end; ++child)
        if (distance[heap_[child]] < distance[heap_[least]]) least = child;
      if (!(distance[heap_[least]] < distance[node])) break;
      place(heap_[least], at);
      at = least;
    }
    place(node, at);
  }

  void place(std::int32_t node, std::int32_t at) {
    heap_[at] = node;
    position_[node] = at;
  }

  const EdgeLists& graph_;
  std::vector<std::int32_t> heap_, position_;  // position_[node]: its index in the heap, -1 before it was reached
};

// distance(s, i) = the length of the shortest path from sources[s] to i.
inline void shortest_paths(const EdgeLists& graph, View<const std::int64_t> sources, Grid<double> distance) {
  const Blocks blocks(sources.size, 1);
  std::vector<std::unique_ptr<ShortestPaths>> scratch(std::size_t(std::max(threads_for(blocks.count), 1)));
  parallel_for(blocks.count, [&](index_t block, int slot) {
    if (!scratch[slot]) scratch[slot] = std::make_unique<ShortestPaths>(graph);
    scratch[slot]->search(sources[block], distance.row(block));
  });
}

}  // namespace learnable
