// The k nearest rows of every row: single precision finds candidates, double precision decides.
//
// |x - y|^2 / 2 = |x|^2 / 2 + s with s = |y|^2 / 2 - x'y about a common centre. In single precision s is off by at most
// `slack`; so a row among the k nearest has a computed s of at most the k-th smallest computed so far plus twice the
// slack, and whoever has goes onto a list. A full list is thinned in the same way; where single precision cannot tell its
// rows apart, exact distances are taken and the k nearest stay. Nothing is ever missed, whatever the data.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learnable/distances.hpp"
#include "learnable/nearest_list.hpp"
#include "learnable/parallel.hpp"
#include "learnable/view.hpp"

namespace learnable {

constexpr int narrow_lanes = lane_count<float>;
using NarrowLanes = LanesOf<float>;
typedef std::int32_t NarrowBits __attribute__((vector_size(4 * narrow_lanes), aligned(4), may_alias));

namespace detail {

constexpr bool many_registers = narrow_lanes == 16;  // sums of a tile stay in them: 32 with the widest vectors, else 16
constexpr int near_rows = many_registers ? 6 : 4, near_vectors = many_registers ? 4 : 3;
constexpr index_t near_width = narrow_lanes * near_vectors;  // rows of Y in a strip
constexpr index_t near_block = 16 * near_rows;               // rows of X in a block
constexpr index_t near_depth = 256;                          // columns at a time: those of a strip stay near by

// Y about its centre in single precision, strips of near_width rows side by side, after them half their squared norms.
struct NarrowStrips {
  index_t rows, columns, count;
  Buffer memory;
  double longest = 0;  // norm of a row

  NarrowStrips(Grid<const double> Y, const Buffer& centre)
      : rows(Y.rows), columns(Y.columns), count((Y.rows + near_width - 1) / near_width),
        memory((count * (Y.columns + 1) * near_width + 1) / 2, 0.0) {
    std::vector<double> longest_square(count, 0.0);
    const Blocks blocks(count, std::max<index_t>(1, 20000 / (columns + 1)));
    parallel_for(blocks.count, [&](index_t block, int) {
      for (index_t s = blocks.begin(block); s < blocks.end(block); ++s) longest_square[s] = fill(s, Y, centre);
    });
    longest = std::sqrt(*std::max_element(longest_square.begin(), longest_square.end()));
  }
  const float* strip(index_t s) const { return start() + s * (columns + 1) * near_width; }

 private:
  float* start() const { return reinterpret_cast<float*>(memory.data()); }

  // Writes a strip; the largest squared norm in it.
  double fill(index_t s, Grid<const double> Y, const Buffer& centre) {
    double longest = 0;
    for (index_t i = 0; i < near_width; ++i) {
      float* place = start() + s * (columns + 1) * near_width + i;
      const index_t row = s * near_width + i;
      if (row >= rows) {
        place[columns * near_width] = HUGE_VALF;  // nobody's neighbour
        continue;
      }
      double square = 0;
      for (index_t j = 0; j < columns; ++j) {
        const double value = Y(row, j) - centre[j];
        place[j * near_width] = float(value);
        square += value * value;
      }
      place[columns * near_width] = float(square / 2);
      longest = std::max(longest, square);
    }
    return longest;
  }
};

// Candidates of one row, and the k nearest of those looked at.
struct Candidates {
  struct Candidate {
    float score;
    std::int32_t row;
  };
  std::vector<std::pair<double, std::int64_t>> best;  // squared distance and row, sorted
  std::vector<Candidate> list;
  float limit = HUGE_VALF;
};

}  // namespace detail

// nearest(i, :) = the k rows of Y that are nearest to row i of X, nearest first and of equals the first; square(i, :) their
// squared distances. With `same`, X is Y and a row is not its own neighbour. Entries must be moderate: squares finite.
class Neighbours {
 public:
  Neighbours(Grid<const double> X, Grid<const double> Y, index_t k, bool same)
      : X_(X), Y_(Y), k_(k), same_(same), centre_(column_centre(Y)), strips_(Y, centre_) {}

  void find(Grid<std::int64_t> nearest, Grid<double> square) const {
    const Blocks blocks(X_.rows, detail::near_block);
    parallel_for(blocks.count, [&](index_t block, int) {
      const index_t begin = blocks.begin(block), count = blocks.end(block) - begin;
      find_block(begin, count, nearest, square);
    });
  }

 private:
  using Candidates = detail::Candidates;
  static constexpr int near_rows = detail::near_rows, near_vectors = detail::near_vectors;
  static constexpr index_t near_width = detail::near_width;

  struct Room {
    std::vector<float> rows;      // negated and centred
    std::vector<double> norm;     // squared
    std::vector<double> slack;
    std::vector<Candidates> found;
    std::vector<float> scores;    // of the rows with a strip, as far as the columns were looked at
  };

  void find_block(index_t begin, index_t count, Grid<std::int64_t> nearest, Grid<double> square) const {
    const index_t padded = round_up(count, near_rows);
    Room room{std::vector<float>(padded * X_.columns, 0.0f), std::vector<double>(padded, 0.0),
              std::vector<double>(padded, 0.0), std::vector<Candidates>(padded),
              std::vector<float>(padded * near_width)};
    for (index_t i = 0; i < count; ++i) take(begin + i, i, room);
    for (index_t i = count; i < padded; ++i) room.found[i].limit = -HUGE_VALF;  // finds nothing
    for (index_t strip = 0; strip < strips_.count; ++strip)
      for (index_t from = 0; from < std::max<index_t>(X_.columns, 1); from += detail::near_depth)
        for (index_t i = 0; i < padded; i += near_rows) sift(begin, i, strip, from, room);
    for (index_t i = 0; i < count; ++i) {
      if (index_t(room.found[i].list.size()) > k_) thin(room.found[i], 2 * room.slack[i]);
      decide(begin + i, i, room);
      const auto& best = room.found[i].best;
      for (index_t rank = 0; rank < k_; ++rank) {
        nearest(begin + i, rank) = best[rank].second;
        square(begin + i, rank) = best[rank].first;
      }
    }
  }

  void take(index_t row, index_t i, Room& room) const {
    double square = 0;
    for (index_t j = 0; j < X_.columns; ++j) {
      const double value = X_(row, j) - centre_[j];
      room.rows[i * X_.columns + j] = -float(value);
      square += value * value;
    }
    const double unit = std::ldexp(1.0, -24) * double(X_.columns + 8), longest = strips_.longest;
    room.norm[i] = square;
    room.slack[i] = unit * (std::sqrt(square) * longest + longest * longest) + 1e-37;
    room.found[i].list.reserve(capacity() + near_width);
    room.found[i].best.reserve(k_ + 1);
  }

  index_t capacity() const { return std::max<index_t>(16, 3 * k_); }

  // Goes on with the columns from `from` on for near_rows rows; with the last of them, rows of the strip that may be
  // near come onto the lists.
  void sift(index_t begin, index_t first, index_t strip, index_t from, Room& room) const {
    using namespace detail;
    const float* right = strips_.strip(strip);
    const index_t columns = X_.columns, to = std::min(columns, from + near_depth);
    float* const scores = room.scores.data() + first * near_width;
    NarrowLanes score[near_rows][near_vectors];
    for (int m = 0; m < near_rows; ++m)
      for (int v = 0; v < near_vectors; ++v)
        score[m][v] = load<float>((from == 0 ? right + columns * near_width : scores + m * near_width) + v * narrow_lanes);
    const float* left = room.rows.data() + first * columns;
    for (index_t j = from; j < to; ++j) {
      NarrowLanes values[near_vectors];
#pragma GCC unroll 8
      for (int v = 0; v < near_vectors; ++v) values[v] = load<float>(right + j * near_width + v * narrow_lanes);
#pragma GCC unroll 8
      for (int m = 0; m < near_rows; ++m) {
        const NarrowLanes one = left[m * columns + j] - NarrowLanes{};
#pragma GCC unroll 8
        for (int v = 0; v < near_vectors; ++v) score[m][v] = fused(one, values[v], score[m][v]);
      }
    }
    if (to < columns) {
      for (int m = 0; m < near_rows; ++m)
        for (int v = 0; v < near_vectors; ++v) store(scores + m * near_width + v * narrow_lanes, score[m][v]);
      return;
    }
    NarrowBits any{};
#pragma GCC unroll 8
    for (int m = 0; m < near_rows; ++m) {
      const NarrowLanes limit = room.found[first + m].limit - NarrowLanes{};
#pragma GCC unroll 8
      for (int v = 0; v < near_vectors; ++v) any |= score[m][v] <= limit;
    }
    if (!some(any)) return;
    for (int m = 0; m < near_rows; ++m) note(begin, first + m, strip, score[m], room);
  }

  static bool some(NarrowBits bits) {
    typedef std::int64_t Words __attribute__((vector_size(4 * narrow_lanes), aligned(4), may_alias));
    const Words words = (Words)bits;
    std::int64_t all = 0;
#pragma GCC unroll 8
    for (int word = 0; word < narrow_lanes / 2; ++word) all |= words[word];
    return all != 0;
  }

  void note(index_t begin, index_t i, index_t strip, const NarrowLanes* score, Room& room) const {
    Candidates& mine = room.found[i];
    for (int v = 0; v < near_vectors; ++v) {
      if (!some(score[v] <= mine.limit - NarrowLanes{})) continue;
      for (int lane = 0; lane < narrow_lanes; ++lane) {
        const index_t row = strip * near_width + v * narrow_lanes + lane;
        if (score[v][lane] <= mine.limit && row < strips_.rows && !(same_ && row == begin + i))
          mine.list.push_back({score[v][lane], std::int32_t(row)});
      }
    }
    if (index_t(mine.list.size()) < capacity()) return;
    thin(mine, 2 * room.slack[i]);
    if (index_t(mine.list.size()) > capacity() / 2) decide(begin + i, i, room);
  }

  // Drops rows from a list of more than k that cannot be among the k nearest.
  void thin(Candidates& mine, double slack) const {
    const auto lower = [](const auto& a, const auto& b) { return a.score < b.score; };
    std::nth_element(mine.list.begin(), mine.list.begin() + k_ - 1, mine.list.end(), lower);
    mine.limit = std::min(mine.limit, rounded_up(double(mine.list[k_ - 1].score) + slack));
    std::erase_if(mine.list, [&](const auto& one) { return !(one.score <= mine.limit); });
  }

  static float rounded_up(double x) { return std::nextafter(float(x), HUGE_VALF); }

  // Exact distances of the rows listed; the k nearest stay, and the limit falls.
  void decide(index_t row, index_t i, Room& room) const {
    Candidates& mine = room.found[i];
    const double* x = X_.data + row * X_.stride;
    for (const auto [score, other] : mine.list) {
      const std::pair<double, std::int64_t> found(squared_distance(x, Y_.data + other * Y_.stride, X_.columns), other);
      if (index_t(mine.best.size()) == k_ && !(found < mine.best.back())) continue;
      mine.best.insert(std::upper_bound(mine.best.begin(), mine.best.end(), found), found);
      if (index_t(mine.best.size()) > k_) mine.best.pop_back();
    }
    mine.list.clear();
    if (index_t(mine.best.size()) < k_) return;
    const double limit = (mine.best.back().first - room.norm[i]) / 2 + room.slack[i];
    mine.limit = std::min(mine.limit, rounded_up(limit));
  }

  Grid<const double> X_, Y_;
  index_t k_;
  bool same_;
  Buffer centre_;
  detail::NarrowStrips strips_;
};

// The same for few rows of X, for which nothing is prepared: all distances are taken as they are.
inline void nearest_of_few(Grid<const double> X, Grid<const double> Y, Grid<std::int64_t> nearest, Grid<double> square) {
  parallel_for(X.rows, [&](index_t i, int) {
    NearestList found(nearest.columns);
    found.clear(-1);
    for (index_t row = 0; row < Y.rows; ++row) {
      const double here = squared_distance(X.data + i * X.stride, Y.data + row * Y.stride, X.columns);
      if (here <= found.limit()) found.take(here, row);
    }
    found.write(&nearest(i, 0), &square(i, 0));
  });
}

}  // namespace learnable
