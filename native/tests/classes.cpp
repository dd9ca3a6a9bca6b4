// Sums over the rows of each class.
#include <cmath>
#include <cstdint>
#include <limits>

#include "check.hpp"
#include "learnable/stats/class_scatter.hpp"
#include "learnable/stats/class_sums.hpp"
#include "learnable/stats/full_covariance_log_density.hpp"
#include "learnable/stats/gaussian_log_density.hpp"

using namespace learnable;

namespace {

const double by_rows[] = {1, 2, 3, 4, 5, 10, 7, 8};  // four rows of two columns
const double by_columns[] = {1, 3, 5, 7, 2, 4, 10, 8};
const std::int64_t codes[] = {1, 0, 1, 1};
const RowMajor<double> rows{by_rows, 4, 2, 2};
const ColumnMajor<double> columns{by_columns, 4, 2, 4};
const View<const std::int64_t> code{codes, 4};

template <class Design>
void check_design(const Design& X) {
  const ClassSums sums = class_moments(X, code, 3, Numbers{}, false);
  CHECK(sums.weight[0] == 1 && sums.weight[2] == 3 && sums.weight[4] == 0);
  CHECK(sums.shift[0] + sums.sum[0] == 3);
  CHECK(std::abs(sums.shift[2] + sums.sum[2] - 13.0 / 3) < 1e-14);
  CHECK(std::abs(sums.square[2] - 56.0 / 3) < 1e-13);
  double totals[6];
  class_totals(X, code, Numbers{}, [](double x) { return x; }, {totals, 3, 2, 2});
  CHECK(totals[0] == 3 && totals[1] == 4 && totals[2] == 13 && totals[3] == 20 && totals[4] == 0);
  index_t seen = 0;
  for_class_moments(X, code, 3, Numbers{}, [&](index_t k, const Comoments& its) {
    seen += 1;
    if (k != 1) return;
    CHECK(its.weight == 3);
    CHECK(std::abs(its.products.grid(0, 1) - (2 + 50 + 56 - 13.0 * 20 / 3)) < 1e-12);
  });
  CHECK(seen == 3);
}

}  // namespace

TEST(class_order_is_stable) {
  const ClassOrder order(code, 3);
  CHECK(order.rows(0).size == 1 && order.rows(0)[0] == 1);
  CHECK(order.rows(1).size == 3 && order.rows(1)[0] == 0 && order.rows(1)[2] == 3);
  CHECK(order.rows(2).size == 0);
}

TEST(class_sums_of_rows_and_columns) {
  check_design(rows);
  check_design(columns);
}

TEST(class_sums_skip_missing_values) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double values[] = {1, nan, nan, 4, 5, 6};
  const std::int64_t one[] = {0, 0, 0};
  const ClassSums sums = class_moments(RowMajor<double>{values, 3, 2, 2}, {one, 3}, 1, Numbers{}, true);
  CHECK(sums.weight[0] == 2 && sums.weight[1] == 2);
  CHECK(sums.shift[0] + sums.sum[0] == 3 && sums.shift[1] + sums.sum[1] == 5);
  CHECK(sums.square[0] == 8 && sums.square[1] == 2);
}

TEST(gaussian_scores_of_rows) {
  const double mean[] = {1, 2}, scale[] = {1, 0.5}, constant[] = {3};
  double out[4];
  gaussian_scores(rows, Numbers{mean, 1, 2, 2, 1, true}, Numbers{scale, 1, 2, 2, 1, true},
                  Numbers{constant, 1, 1, 1, 0, true}, false, {out, 4, 1, 1});
  CHECK(out[0] == 3 && out[1] == 3 - 0.5 * (4 + 1) && out[3] == 3 - 0.5 * (36 + 9));
}

TEST(quadratic_scores_of_rows_and_columns) {
  const double mean[] = {1, 2}, centre[] = {4, 5}, triangle[] = {2, 0, 1, 3};  // precision L L' of L = (2 0; 1 3)
  std::vector<Gaussian> classes;
  classes.push_back(gaussian(Numbers{triangle, 2, 2, 2, 1, true}, mean, centre, 7));
  double out[4];
  const auto check = [&] {
    for (index_t i = 0; i < 4; ++i) {
      const double a = by_rows[2 * i] - 1, b = by_rows[2 * i + 1] - 2, first = 2 * a + b, second = 3 * b;
      CHECK(check::near(out[i], 7 - (first * first + second * second) / 2));
    }
  };
  quadratic_scores(rows, centre, classes, {out, 4, 1, 1});
  check();
  quadratic_scores(columns, centre, classes, {out, 4, 1, 1});
  check();
}
