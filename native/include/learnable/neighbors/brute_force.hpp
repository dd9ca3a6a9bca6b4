// The k nearest rows of every row: single precision finds candidates, double precision decides.
//
// |x - y|^2 / 2 = |x|^2 / 2 + s with s = |y|^2 / 2 - x'y about a common centre. In single precision s is off by at most
// `slack`; so a row among the k nearest has a computed s of at most the k-th smallest computed so far plus twice the
// slack, and every such row is put onto a list. A full list is thinned in the same way; where single precision cannot
// order its rows, exact distances are computed and the k nearest stay. No neighbour is ever missed, whatever the data.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "learnable/matrix/strided_values.hpp"
#include "learnable/matrix/view.hpp"
#include "learnable/neighbors/euclidean_distances.hpp"
#include "learnable/neighbors/nearest_list.hpp"
#include "learnable/threads/parallel.hpp"

namespace learnable {

constexpr int f32_lanes = lane_count<float>;
using F32Lanes = LanesOf<float>;
typedef std::int32_t F32Bits __attribute__((vector_size(4 * f32_lanes), aligned(4), may_alias));

namespace detail {

constexpr bool many_registers = f32_lanes == 16;  // sums of a tile stay in them: 32 with the widest vectors, else 16
constexpr int near_rows = many_registers ? 6 : 4, near_vectors = many_registers ? 4 : 3;
constexpr index_t near_width = f32_lanes * near_vectors;  // rows of Y in a strip
constexpr index_t near_block = 16 * near_rows;               // rows of X in a block
constexpr index_t near_depth = 256;                          // columns at a time: those of a strip stay near by
constexpr index_t near_chunk = 1 << 20;                      // values in the strips at a time, which all threads read
constexpr index_t near_queries = 64 * near_block;            // rows of X at a time, which keep their candidates

// Some strips of near_width rows of Y about its centre in single precision, side by side; after the columns half their
// squared norms.
class F32Strips {
 public:
  F32Strips(const Numbers& Y, const Buffer& centre, const Buffer& square)
      : Y_(Y), centre_(centre), square_(square), size_((Y.columns + 1) * near_width),
        all_((Y.rows + near_width - 1) / near_width),
        room_(std::clamp<index_t>(near_chunk / size_, 1, all_)), memory_((room_ * size_ + 1) / 2, 0.0) {}

  index_t all() const { return all_; }
  index_t at_once() const { return room_; }

  // Makes room for strips from `first` on, and returns how many.
  index_t fill(index_t first) {
    const index_t count = std::min(room_, all_ - first);
    const Blocks blocks(count, std::max<index_t>(1, 20000 / size_));
    parallel_for(blocks.count, [&](index_t block, int) {
      Buffer room(Y_.columns, 0);
      for (index_t s = blocks.begin(block); s < blocks.end(block); ++s) fill_one(first + s, strip(s), room.data());
    });
    return count;
  }
  float* strip(index_t s) const { return reinterpret_cast<float*>(memory_.data()) + s * size_; }

 private:
  void fill_one(index_t s, float* strip, double* room) const {
    for (index_t i = 0; i < near_width; ++i) {
      const index_t row = s * near_width + i;
      const bool there = row < Y_.rows;
      strip[Y_.columns * near_width + i] = there ? float(square_[row] / 2) : HUGE_VALF;  // never a neighbour
      if (!there) continue;
      const double* y = read_row(Y_, row, room);
      for (index_t j = 0; j < Y_.columns; ++j) strip[j * near_width + i] = float(y[j] - centre_[j]);
    }
  }

  const Numbers& Y_;
  const Buffer &centre_, &square_;
  index_t size_, all_, room_;
  Buffer memory_;
};

// Squared distance of each row to the centre.
inline Buffer squares_about(const Numbers& Y, const Buffer& centre) {
  Buffer squares(Y.rows);
  const Blocks blocks(Y.rows, std::max<index_t>(1, 1000000 / (Y.columns + 1)));
  parallel_for(blocks.count, [&](index_t block, int) {
    const Buffer as_f64(Y.columns, 0);
    for (index_t i = blocks.begin(block); i < blocks.end(block); ++i)
      squares[i] = squared_distance(read_row(Y, i, as_f64.data()), centre.data(), Y.columns);
  });
  return squares;
}

// Candidates of one row, and the k nearest of those with exact distances.
struct Candidates {
  struct Candidate {
    float score;
    std::int32_t row;
  };
  std::vector<std::pair<double, std::int64_t>> best;  // squared distance and row, sorted
  std::vector<Candidate> list;
  float limit = HUGE_VALF;

  void lower(double to) { limit = std::min(limit, rounded_up(to)); }

  // Lowers the limit by the k-th smallest score of a list of at least k, and drops rows beyond it.
  void thin(index_t k, double slack) {
    const auto lower_score = [](const Candidate& a, const Candidate& b) { return a.score < b.score; };
    std::nth_element(list.begin(), list.begin() + k - 1, list.end(), lower_score);
    lower(double(list[k - 1].score) + slack);
    std::erase_if(list, [&](const Candidate& one) { return !(one.score <= limit); });
  }

  // A float that is not less.
  static float rounded_up(double x) { return float(x + (0x1p-23 * std::abs(x) + 1e-44)); }
};

// All lanes or-ed together.
template <class Bits>
std::uint32_t any_of(Bits lanes) {
  constexpr int count = int(sizeof(Bits) / sizeof(lanes[0]));
  if constexpr (count == 2) {
    return std::uint32_t(lanes[0] | lanes[1]);
  } else {
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return any_of(__builtin_shufflevector(lanes, lanes, I...) |
                    __builtin_shufflevector(lanes, lanes, (I + count / 2)...));
    }(std::make_integer_sequence<int, count / 2>());
  }
}

// 1, 2, 4, ...: one bit per lane.
inline F32Bits bit_of_each_lane() {
  F32Bits bits;
  for (int lane = 0; lane < f32_lanes; ++lane) bits[lane] = 1 << lane;
  return bits;
}

}  // namespace detail

// nearest(i, :) = the k rows of Y that are nearest to row i of X, nearest first and of equals the first; square(i, :)
// their squared distances. With `same`, X is Y and a row is not its own neighbour. Entries must be moderate: squares
// finite.
class Neighbours {
 public:
  Neighbours(const Numbers& X, const Numbers& Y, index_t k, bool same)
      : X_(X), Y_(Y), k_(k), same_(same), centre_(column_centre(Y)), square_(detail::squares_about(Y, centre_)),
        longest_(std::sqrt(*std::max_element(square_.data(), square_.data() + square_.size()))) {}

  void find(Grid<std::int64_t> nearest, Grid<double> square) const {
    detail::F32Strips strips(Y_, centre_, square_);
    for (index_t from = 0; from < X_.rows; from += detail::near_queries)
      find_some(from, std::min(detail::near_queries, X_.rows - from), strips, nearest, square);
  }

 private:
  using Candidates = detail::Candidates;
  static constexpr int near_rows = detail::near_rows, near_vectors = detail::near_vectors;
  static constexpr index_t near_width = detail::near_width;

  // A block of rows of X with what they found.
  struct Room {
    index_t begin, count;
    std::vector<float> rows;      // negated and centred
    std::vector<double> norm;     // squared
    std::vector<double> slack;
    std::vector<Candidates> found;
    std::vector<float> scores;    // of the rows with a strip, over the columns so far
  };

  void find_some(index_t from, index_t count, detail::F32Strips& strips, Grid<std::int64_t> nearest,
                 Grid<double> square) const {
    const Blocks blocks(count, detail::near_block);
    std::vector<Room> rooms(blocks.count);
    parallel_for(blocks.count, [&](index_t block, int) {
      rooms[block] = prepared(from + blocks.begin(block), blocks.end(block) - blocks.begin(block));
    });
    for (index_t first = 0; first < strips.all(); first += strips.at_once()) {
      const index_t many = strips.fill(first);
      parallel_for(blocks.count, [&](index_t block, int) {
        for (index_t s = 0; s < many; ++s) sift_block(strips.strip(s), (first + s) * near_width, rooms[block]);
      });
    }
    parallel_for(blocks.count, [&](index_t block, int) { finish(rooms[block], nearest, square); });
  }

  Room prepared(index_t begin, index_t count) const {
    const index_t padded = round_up(count, near_rows);
    Room room{begin, count, std::vector<float>(padded * X_.columns, 0.0f), std::vector<double>(padded, 0.0),
              std::vector<double>(padded, 0.0), std::vector<Candidates>(padded),
              std::vector<float>(padded * near_width)};
    Buffer as_f64(X_.columns, 0);
    for (index_t i = 0; i < count; ++i) take(read_row(X_, begin + i, as_f64.data()), i, room);
    for (index_t i = count; i < padded; ++i) room.found[i].limit = -HUGE_VALF;  // finds nothing
    return room;
  }

  void take(const double* x, index_t i, Room& room) const {
    double square = 0;
    for (index_t j = 0; j < X_.columns; ++j) {
      const double value = x[j] - centre_[j];
      room.rows[i * X_.columns + j] = -float(value);
      square += value * value;
    }
    const double unit = std::ldexp(1.0, -24) * double(X_.columns + 8);
    room.norm[i] = square;
    room.slack[i] = unit * (std::sqrt(square) * longest_ + longest_ * longest_) + 1e-37;
    room.found[i].list.reserve(capacity() + near_width);
    room.found[i].best.reserve(k_ + 1);
  }

  // Compares a strip, whose first row is `row`, with all rows of a block.
  void sift_block(const float* strip, index_t row, Room& room) const {
    for (index_t from = 0; from < std::max<index_t>(X_.columns, 1); from += detail::near_depth)
      for (index_t i = 0; i < index_t(room.found.size()); i += near_rows) sift(i, strip, row, from, room);
  }

  void finish(Room& room, Grid<std::int64_t> nearest, Grid<double> square) const {
    for (index_t i = 0; i < room.count; ++i) {
      if (index_t(room.found[i].list.size()) > k_) room.found[i].thin(k_, 2 * room.slack[i]);
      decide(i, room);
      const auto& best = room.found[i].best;
      for (index_t rank = 0; rank < k_; ++rank) {
        nearest(room.begin + i, rank) = best[rank].second;
        square(room.begin + i, rank) = best[rank].first;
      }
    }
  }

  index_t capacity() const { return std::max<index_t>(16, 3 * k_); }

  // Adds the columns from `from` on to the scores of near_rows rows; after the last column, rows of the strip that may
  // be near are put onto the lists.
  void sift(index_t first, const float* right, index_t row, index_t from, Room& room) const {
    using namespace detail;
    const index_t columns = X_.columns, to = std::min(columns, from + near_depth);
    float* const scores = room.scores.data() + first * near_width;
    F32Lanes score[near_rows][near_vectors];
    for (int m = 0; m < near_rows; ++m)
      for (int v = 0; v < near_vectors; ++v)
        score[m][v] = load<float>((from == 0 ? right + columns * near_width : scores + m * near_width) + v * f32_lanes);
    const float* left = room.rows.data() + first * columns;
    for (index_t j = from; j < to; ++j) {
      F32Lanes values[near_vectors];
#pragma GCC unroll 8
      for (int v = 0; v < near_vectors; ++v) values[v] = load<float>(right + j * near_width + v * f32_lanes);
#pragma GCC unroll 8
      for (int m = 0; m < near_rows; ++m) {
        const F32Lanes one = left[m * columns + j] - F32Lanes{};
#pragma GCC unroll 8
        for (int v = 0; v < near_vectors; ++v) score[m][v] = fused(one, values[v], score[m][v]);
      }
    }
    if (to < columns) {
      for (int m = 0; m < near_rows; ++m)
        for (int v = 0; v < near_vectors; ++v) store(scores + m * near_width + v * f32_lanes, score[m][v]);
      return;
    }
    F32Bits near{};  // bit m: the strip has a row that may be near to row m
#pragma GCC unroll 8
    for (int m = 0; m < near_rows; ++m) {
      F32Lanes lowest = score[m][0];
#pragma GCC unroll 8
      for (int v = 1; v < near_vectors; ++v) lowest = score[m][v] < lowest ? score[m][v] : lowest;
      near |= (lowest <= room.found[first + m].limit - F32Lanes{}) & (1 << m);
    }
    for (std::uint32_t left = any_of(near); left != 0; left &= left - 1) {
      const int m = std::countr_zero(left);
      note(first + m, row, score[m], room);
    }
  }

  void note(index_t i, index_t first, const F32Lanes* score, Room& room) const {
    Candidates& mine = room.found[i];
    const F32Bits bits = detail::bit_of_each_lane();
    for (int v = 0; v < near_vectors; ++v) {
      const float* scores = reinterpret_cast<const float*>(score + v);
      for (std::uint32_t left = detail::any_of((score[v] <= mine.limit - F32Lanes{}) & bits); left; left &= left - 1) {
        const int lane = std::countr_zero(left);
        const index_t row = first + v * f32_lanes + lane;
        if (scores[lane] <= mine.limit && row < Y_.rows && !(same_ && row == room.begin + i))
          mine.list.push_back({scores[lane], std::int32_t(row)});
      }
    }
    if (index_t(mine.list.size()) < capacity()) return;
    mine.thin(k_, 2 * room.slack[i]);
    if (index_t(mine.list.size()) > capacity() / 2) decide(i, room);
  }

  // Exact distances of the rows listed; the k nearest stay, and the limit falls.
  void decide(index_t i, Room& room) const {
    Candidates& mine = room.found[i];
    Buffer as_f64(2 * X_.columns, 0);
    const double* x = read_row(X_, room.begin + i, as_f64.data());
    for (const auto [score, other] : mine.list) {
      const double* y = read_row(Y_, other, as_f64.data() + X_.columns);
      const std::pair<double, std::int64_t> found(squared_distance(x, y, X_.columns), other);
      if (index_t(mine.best.size()) == k_ && !(found < mine.best.back())) continue;
      mine.best.insert(std::upper_bound(mine.best.begin(), mine.best.end(), found), found);
      if (index_t(mine.best.size()) > k_) mine.best.pop_back();
    }
    mine.list.clear();
    if (index_t(mine.best.size()) < k_) return;
    mine.lower((mine.best.back().first - room.norm[i]) / 2 + room.slack[i]);
  }

  const Numbers &X_, &Y_;
  index_t k_;
  bool same_;
  Buffer centre_, square_;  // of Y, and of its rows about that
  double longest_;          // norm of a row of Y
};

// The same for few rows of X, for which nothing is prepared: all distances are taken as they are.
inline void nearest_of_few(const Numbers& X, const Numbers& Y, Grid<std::int64_t> nearest, Grid<double> square) {
  parallel_for(X.rows, [&](index_t i, int) {
    NearestList found(nearest.columns);
    found.clear(-1);
    Buffer as_f64(2 * X.columns, 0);
    const double* x = read_row(X, i, as_f64.data());
    for (index_t row = 0; row < Y.rows; ++row) {
      const double here = squared_distance(x, read_row(Y, row, as_f64.data() + X.columns), X.columns);
      if (here <= found.limit()) found.take(here, row);
    }
    found.write(&nearest(i, 0), &square(i, 0));
  });
}

}  // namespace learnable
