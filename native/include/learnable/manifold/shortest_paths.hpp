// Lengths of shortest paths in a sparse graph, from several near sources at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "learnable/matrix/vector_exp.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

// A graph by rows: the edges of node i are at start[i] up to start[i + 1]; lengths are not negative.
struct EdgeLists {
  View<const std::int64_t> start, index;
  View<const double> length;

  index_t nodes() const { return start.size - 1; }
};

constexpr index_t sources_at_once = 8;  // as many distances as a cache line holds

// Nodes by the bucket of a distance, for distances that are taken out in about ascending order. A node is in the queue
// once; entries of buckets that it has left are passed over.
class BucketQueue {
 public:
  BucketQueue(index_t nodes, double width) : per_width_(1 / width), own_(std::size_t(nodes), absent) {}

  void push(std::int32_t node, double distance) {
    const double there = distance * per_width_;
    const std::int64_t last = current_ + buckets - 1;
    const std::int64_t bucket = there < double(last) ? std::max(std::int64_t(there), current_) : last;
    if (bucket >= own_[node]) return;
    own_[node] = bucket;
    lists_[bucket % buckets].push_back(node);
    ++entries_;
  }

  // Calls visit(node) until nothing is left; visit may push.
  template <class F>
  void drain(F&& visit) {
    for (current_ = 0; entries_ > 0; ++current_) {
      std::vector<std::int32_t>& list = lists_[current_ % buckets];
      for (std::size_t i = 0; i < list.size(); ++i) {
        const std::int32_t node = list[i];
        if (own_[node] != current_) continue;
        own_[node] = absent;
        visit(node);
      }
      entries_ -= index_t(list.size());
      list.clear();
      poll_interrupt();
    }
  }

  static constexpr std::int64_t buckets = 1024;

 private:
  static constexpr std::int64_t absent = std::numeric_limits<std::int64_t>::max();

  double per_width_;
  std::vector<std::int64_t> own_;  // the bucket of each node
  std::array<std::vector<std::int32_t>, buckets> lists_;
  std::int64_t current_ = 0;
  index_t entries_ = 0;
};

// Distances from up to sources_at_once sources, corrected together: a node goes back into the queue, at the least of its
// distances that fell, until none falls any more. Sources near one another settle nearly together. Sums along a path
// begin at its source, and are monotone: the distances are those of Dijkstra's algorithm, bit for bit.
class ShortestPaths {
 public:
  ShortestPaths(const EdgeLists& graph, double width)
      : graph_(graph), queue_(graph.nodes(), width), memory_(std::size_t(graph.nodes() * sources_at_once)) {}

  void search(View<const std::int64_t> sources) {
    std::fill(memory_.begin(), memory_.end(), std::numeric_limits<double>::infinity());
    for (index_t s = 0; s < sources.size; ++s) {
      of(sources[s])[s] = 0;
      queue_.push(std::int32_t(sources[s]), 0);
    }
    queue_.drain([&](std::int32_t node) {
      const Quad one = load_quad(of(node)), two = load_quad(of(node) + 4);
      for (std::int64_t edge = graph_.start[node]; edge < graph_.start[node + 1]; ++edge)
        relax(one, two, graph_.length[edge], std::int32_t(graph_.index[edge]));
    });
  }

  // The distances of a node from the sources.
  double* of(index_t node) { return &memory_[std::size_t(node * sources_at_once)]; }

 private:
  void relax(Quad one, Quad two, double length, std::int32_t node) {
    double* const to = of(node);
    const Quad before = load_quad(to), after = load_quad(to + 4);
    one += length;
    two += length;
    const QuadBits fell = one < before, fell_too = two < after, any = fell | fell_too;
    if (!(any[0] | any[1] | any[2] | any[3])) return;
    store_quad(to, fell ? one : before);
    store_quad(to + 4, fell_too ? two : after);
    const Quad never = spread(std::numeric_limits<double>::infinity());
    const Quad left = fell ? one : never, right = fell_too ? two : never, least = left < right ? left : right;
    queue_.push(node, std::min(std::min(least[0], least[1]), std::min(least[2], least[3])));
  }

  const EdgeLists& graph_;
  BucketQueue queue_;
  std::vector<double> memory_;
};

// A width of buckets: twice the mean length of an edge, or more, so that no edge leads beyond the last bucket.
inline double bucket_width(const EdgeLists& graph) {
  double sum = 0, most = 0;
  index_t count = 0;
  for (const double length : graph.length)
    if (length > 0 && std::isfinite(length)) {
      sum += length;
      most = std::max(most, length);
      ++count;
    }
  return std::max({count ? 2 * sum / double(count) : 1.0, most / double(BucketQueue::buckets - 24), 1e-300});
}

// Positions of the sources in groups of near ones: each begins with the first that is left, and takes the next by edges.
inline std::vector<std::vector<index_t>> group_sources(const EdgeLists& graph, View<const std::int64_t> sources) {
  constexpr std::size_t most_visited = 64;
  std::vector<index_t> position(std::size_t(graph.nodes()), -1), next(std::size_t(sources.size), -1);  // of equal sources
  for (index_t s = sources.size - 1; s >= 0; --s) {
    next[s] = position[sources[s]];
    position[sources[s]] = s;
  }
  std::vector<std::vector<index_t>> groups;
  std::vector<std::int64_t> visited;
  std::vector<index_t> seen(std::size_t(graph.nodes()), -1);
  for (index_t s = 0; s < sources.size; ++s) {
    while (position[sources[s]] >= 0) {
      std::vector<index_t>& group = groups.emplace_back();
      const index_t number = index_t(groups.size());
      visited.assign(1, sources[s]);
      seen[sources[s]] = number;
      for (std::size_t v = 0; v < visited.size() && index_t(group.size()) < sources_at_once; ++v) {
        for (; position[visited[v]] >= 0 && index_t(group.size()) < sources_at_once; position[visited[v]] = next[position[visited[v]]])
          group.push_back(position[visited[v]]);
        for (std::int64_t e = graph.start[visited[v]]; e < graph.start[visited[v] + 1] && visited.size() < most_visited; ++e)
          if (const std::int64_t other = graph.index[e]; seen[other] != number) {
            seen[other] = number;
            visited.push_back(other);
          }
      }
    }
  }
  return groups;
}

// distance(s, i) = the length of the shortest path from sources[s] to i.
inline void shortest_paths(const EdgeLists& graph, View<const std::int64_t> sources, Grid<double> distance) {
  const std::vector<std::vector<index_t>> groups = group_sources(graph, sources);
  const double width = bucket_width(graph);
  std::vector<std::unique_ptr<ShortestPaths>> scratch(std::size_t(std::max(threads_for(index_t(groups.size())), 1)));
  parallel_for(index_t(groups.size()), [&](index_t g, int slot) {
    if (!scratch[slot]) scratch[slot] = std::make_unique<ShortestPaths>(graph, width);
    ShortestPaths& paths = *scratch[slot];
    std::int64_t from[sources_at_once];
    const index_t count = index_t(groups[g].size());
    for (index_t s = 0; s < count; ++s) from[s] = sources[groups[g][s]];
    paths.search({from, count});
    for (index_t s = 0; s < count; ++s)
      for (index_t i = 0; i < graph.nodes(); ++i) distance(groups[g][s], i) = paths.of(i)[s];
  });
}

}  // namespace learnable
