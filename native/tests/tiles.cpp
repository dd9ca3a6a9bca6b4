// The tile against plain loops, for every shape of edge.
#include "learnable/matrix/gemm_tile.hpp"

#include "check.hpp"
#include "learnable/matrix/aligned_buffer.hpp"

using namespace learnable;

namespace {

Scratch drawn(index_t rows, index_t columns, unsigned seed) {
  Scratch made(rows, columns);
  made.clear();
  check::Draws draw{seed};
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j) made.grid(i, j) = draw();
  return made;
}

}  // namespace

TEST(product_of_any_shape) {
  for (index_t rows : {1, 3, 4, 9})
    for (index_t columns : {1, 5, 12, 26})
      for (index_t depth : {0, 1, 130, 300}) {
        const Scratch a = drawn(rows, depth, 1), b = drawn(depth, columns, 2), c = drawn(rows, columns, 3);
        const Scratch expected = drawn(rows, columns, 3);
        multiply({a.grid.data, a.grid.stride, 1}, rows, b.grid.data, b.grid.stride, columns, depth, c.grid.data,
                 c.grid.stride);
        bool close = true;
        for (index_t i = 0; i < rows; ++i)
          for (index_t j = 0; j < columns; ++j) {
            for (index_t k = 0; k < depth; ++k) expected.grid(i, j) += a.grid(i, k) * b.grid(k, j);
            close = close && check::near(expected.grid(i, j), c.grid(i, j));
          }
        CHECK(close);
      }
}

TEST(upper_half_of_a_gram_matrix) {
  for (index_t columns : {1, 4, 13, 29, 50}) {
    const index_t depth = 17, padded = round_up(columns, lanes), rows = round_up(columns, tile_rows);
    const Scratch P = drawn(depth, std::max(padded, rows), 4), G(std::max(padded, rows), std::max(padded, rows));
    G.clear();
    add_gram_block(P.grid.data, P.grid.data, P.grid.stride, depth, 0, rows, 0, padded, G.grid, [] {});
    bool close = true;
    for (index_t i = 0; i < columns; ++i)
      for (index_t j = i; j < columns; ++j) {
        double sum = 0;
        for (index_t k = 0; k < depth; ++k) sum += P.grid(k, i) * P.grid(k, j);
        close = close && check::near(sum, G.grid(i, j));
      }
    CHECK(close);
  }
}

TEST(block_right_of_the_diagonal_stays_within_its_rows) {
  for (index_t rows = tile_rows; rows <= 48; rows += tile_rows) {
    const index_t depth = 17, columns = 2 * tile_columns, left = round_up(rows, lanes);
    const Scratch A = drawn(depth, left + columns, 5), G(rows + tallest_tile, left + columns);
    G.clear();
    add_gram_block(A.grid.data, A.grid.data + left, A.grid.stride, depth, 0, rows, left, columns, G.grid, [] {});
    bool close = true, untouched = true;
    for (index_t j = left; j < left + columns; ++j) {
      for (index_t i = 0; i < rows; ++i) {
        double sum = 0;
        for (index_t k = 0; k < depth; ++k) sum += A.grid(k, i) * A.grid(k, j);
        close = close && check::near(sum, G.grid(i, j));
      }
      for (index_t i = rows; i < rows + tallest_tile; ++i) untouched = untouched && G.grid(i, j) == 0;
    }
    CHECK(close);
    CHECK(untouched);
  }
}

TEST(one_rounding_where_the_processor_can) {
  const double e = 0x1p-30, expected = 0x1p-60;
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  CHECK(fused(1 + e, 1 + e, -1 - 2 * e) == expected);
#else
  CHECK(fused(1 + e, 1 + e, -1 - 2 * e) == 0 && expected > 0);
#endif
}
