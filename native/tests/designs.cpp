// Designs, views and what is made of them.
#include "learnable/matrix/design.hpp"

#include "check.hpp"
#include "learnable/matrix/finite_check.hpp"
#include "learnable/matrix/row_panel.hpp"
#include "learnable/matrix/sorted_csr.hpp"

using namespace learnable;

namespace {

// The matrix [[1, 2, 0], [3, 4, 5]] in each storage.
const double by_rows[] = {1, 2, 0, 3, 4, 5};
const double by_columns[] = {1, 3, 2, 4, 0, 5};
const float column_value[] = {1, 3, 2, 4, 5};
const line_t column_index[] = {0, 1, 0, 1, 1};
const index_t column_start[] = {0, 2, 4, 5};
const float row_value[] = {2, 1, 5, 4, 3};
const line_t row_index[] = {1, 0, 2, 1, 0};
const index_t row_start[] = {0, 2, 5};

const RowMajor<double> rows{by_rows, 2, 3, 3};
const ColumnMajor<double> columns{by_columns, 2, 3, 2};
const SparseColumns<float> sparse_columns{2, 3, column_value, column_index, column_start};
const SparseRows<float> sparse_rows{2, 3, row_value, row_index, row_start};

template <class Design>
void check_columns(const Design& X) {
  double v[] = {10, 1};
  CHECK(X.dot(0, {v, 2}) == 13);
  CHECK(X.dot(2, {v, 2}) == 5);
  CHECK(X.squared_norm(1) == 20);
  X.axpy(1, 2, {v, 2});
  CHECK(v[0] == 14 && v[1] == 9);
}

template <class Design>
void check_panel(const Design& X) {
  const double centre[] = {1, 1, 1}, scale[] = {1, 2};
  const Panel panel(3, 3);
  fill_panel(X, 0, 2, centre, scale, panel, 1);
  for (index_t k = 0; k < 2; ++k)
    for (index_t j = 0; j < 3; ++j) CHECK(panel(k + 1, j) == scale[k] * (by_rows[3 * k + j] - 1));
  CHECK(panel(0, 0) == 0);
}

}  // namespace

TEST(columns_of_every_storage) {
  check_columns(rows);
  check_columns(columns);
  check_columns(sparse_columns);
}

TEST(panels_of_every_storage) {
  check_panel(rows);
  check_panel(columns);
  check_panel(sparse_rows);
}

TEST(panel_of_many_columns) {
  const index_t n = 9, p = 2 * panel_block + 7;
  Buffer x(n * p), centre(p), scale(n, 3);
  check::Draws draw{1};
  for (double& value : View<double>(x)) value = draw();
  for (double& value : View<double>(centre)) value = draw();
  const Panel one(n, p), other(n, p);
  fill_panel(ColumnMajor<double>{x.data(), n, p, n}, 0, n, centre.data(), scale.data(), one, 0);
  Buffer transposed(n * p);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < p; ++j) transposed[i * p + j] = x[j * n + i];
  fill_panel(RowMajor<double>{transposed.data(), n, p, p}, 0, n, centre.data(), scale.data(), other, 0);
  bool equal = true;
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < p; ++j)
      equal = equal && one(i, j) == other(i, j) && one(i, j) == 3 * (x[j * n + i] - centre[j]);
  CHECK(equal);
}

TEST(rows_come_out_sorted) {
  const auto check_rows = [](const auto& X) {
    for (index_t i = 0; i < 2; ++i)
      for (index_t e = X.start[i]; e < X.start[i + 1]; ++e) {
        CHECK(e == X.start[i] || X.index[e - 1] < X.index[e]);
        CHECK(X.value[e] == by_rows[3 * i + X.index[e]]);
      }
    return index_t(X.start[2]);
  };
  CHECK(with_sorted_rows(sparse_rows, check_rows) == 5);
  CHECK(with_sorted_rows(sparse_columns, check_rows) == 5);
}

TEST(first_bad_entry) {
  Buffer values(1000, 1);
  CHECK(first_non_finite<double>(values) == -1);
  values[999] = NAN;
  CHECK(first_non_finite<double>(values) == 999);
  values[998] = -INFINITY;
  CHECK(first_non_finite<double>(values) == 998);
  CHECK(first_non_finite<double>({nullptr, 0}) == -1);
  CHECK(std::isinf(largest_entry<double>(values)));
  values[998] = -7;
  CHECK(largest_entry<double>(values) == 7);
  CHECK(largest_entry<double>({nullptr, 0}) == 0);
}
