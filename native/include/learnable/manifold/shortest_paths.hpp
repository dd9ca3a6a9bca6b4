// Lengths of shortest paths in a sparse graph: Dijkstra's algorithm with a heap of four children per node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "learnable/threads/parallel.hpp"

namespace learnable {

// A graph by rows: the edges of node i are at start[i] up to start[i + 1]; lengths are not negative.
struct EdgeLists {
  View<const std::int64_t> start, index;
  View<const double> length;

  index_t nodes() const { return start.size - 1; }
};

// The scratch of one thread, for searches from one source after the other. A node is in the heap once for every time
// that its distance was lowered; all but the first of these are passed over when they come out.
class ShortestPaths {
 public:
  explicit ShortestPaths(const EdgeLists& graph) : graph_(graph) { heap_.reserve(std::size_t(graph.nodes())); }

  // distance[i] = the length of the shortest path from the source to i, infinite if there is none.
  void search(index_t source, View<double> distance) {
    std::fill(distance.begin(), distance.end(), std::numeric_limits<double>::infinity());
    distance[source] = 0;
    push({0, source});
    while (!heap_.empty()) {
      const Reached from = pop();
      if (from.distance > distance[from.node]) continue;
      for (std::int64_t edge = graph_.start[from.node]; edge < graph_.start[from.node + 1]; ++edge) {
        const Reached next{from.distance + graph_.length[edge], graph_.index[edge]};
        if (!(next.distance < distance[next.node])) continue;
        distance[next.node] = next.distance;
        push(next);
      }
    }
  }

 private:
  struct Reached {
    double distance;
    index_t node;
  };

  void push(Reached reached) {
    std::size_t at = heap_.size();
    heap_.push_back(reached);
    for (; at > 0; at = (at - 1) / 4) {
      const Reached& parent = heap_[(at - 1) / 4];
      if (!(reached.distance < parent.distance)) break;
      heap_[at] = parent;
    }
    heap_[at] = reached;
  }

  Reached pop() {
    const Reached top = heap_[0], last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    return top;
  }

  // Puts an entry at the top and lets it sink.
  void sink(Reached reached) {
    const std::size_t size = heap_.size();
    std::size_t at = 0;
    for (std::size_t first = 1; first < size; first = 4 * at + 1) {
      const std::size_t end = std::min(first + 4, size);
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child)
        if (heap_[child].distance < heap_[least].distance) least = child;
      if (!(heap_[least].distance < reached.distance)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = reached;
  }

  const EdgeLists& graph_;
  std::vector<Reached> heap_;
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
