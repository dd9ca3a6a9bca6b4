// Moments of designs.
#include <functional>
#include <type_traits>

#include "arrays.hpp"
#include "learnable/matrix/type_erased_dense.hpp"
#include "learnable/stats/moments.hpp"
#include "learnable/stats/sparse_moments.hpp"

namespace learnable::bind {

// The upper triangle of sums.products as a full symmetric matrix, and the columns of the targets beside it.
static void write(const Comoments& sums, double* mean, double* target_mean, double* gram, double* cross,
                  double* spread) {
  const index_t p = sums.p, t = sums.t;
  for (index_t j = 0; j < p; ++j) mean[j] = sums.shift[j] + sums.mean[j];
  for (index_t j = 0; j < t; ++j) target_mean[j] = sums.shift[p + j] + sums.mean[p + j];
  std::copy_n(sums.spread.data(), t, spread);
  const Blocks rows(p, 64);
  parallel_if(p * p > 1 << 16, rows.count, [&](index_t block, int) {
    for (index_t i = rows.begin(block); i < rows.end(block); ++i) {
      for (index_t j = 0; j < p; ++j) gram[i * p + j] = sums.products.grid(std::min(i, j), std::max(i, j));
      for (index_t j = 0; j < t; ++j) cross[i * t + j] = sums.products.grid(i, p + j);
    }
  });
}

static nb::tuple bound_moments(nb::handle X, nb::handle y, nb::handle weight, bool centre) {
  const Numbers targets = numbers(y), weights = numbers(weight);
  const auto as_tuple = [&](index_t rows, index_t p, const std::function<Comoments()>& summed) {
    require(targets && targets.rows == rows, "y must have a row for each row of X");
    require_weights_fit(weights, rows);
    const index_t t = targets.columns;
    const bool flat = axes(y) == 1;
    const NewArray mean = new_array(p), gram = new_array(p, p), cross = flat ? new_array(p) : new_array(p, t);
    const NewArray target_mean = flat ? new_array() : new_array(t), spread = flat ? new_array() : new_array(t);
    double total;
    {
      nb::gil_scoped_release release;
      const Comoments sums = summed();
      write(sums, mean.data, target_mean.data, gram.data, cross.data, spread.data);
      total = sums.weight;
    }
    return nb::make_tuple(total, mean.array, target_mean.array, gram.array, cross.array, spread.array);
  };
  return with_design(X, [&](const auto& design) -> nb::tuple {
    return as_tuple(design.rows, design.columns, [&] {
      if constexpr (std::decay_t<decltype(design)>::dense)
        return moments(AnyDense(design), targets, weights, centre);
      else
        return sparse_moments(design, targets, weights, centre);
    });
  });
}

}  // namespace learnable::bind

void bind_moments(nanobind::module_& m) {
  using namespace nanobind::literals;
  m.def("moments", &learnable::bind::bound_moments, "X"_a, "y"_a, "weight"_a.none() = nanobind::none(),
        "centre"_a = true,
        "moments(X, y, weight=None, centre=True) -> weight, mean_x, mean_y, gram, cross, spread. Sum of the weights, "
        "weighted means, and X'WX, X'Wy, diagonal of y'Wy about them; about zero, with means of zero, if not centred.");
}
