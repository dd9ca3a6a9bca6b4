// Leave-one-out errors of ridge regression.
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "learnable/linear/ridge_leave_one_out.hpp"
#include "learnable/matrix/sorted_csr.hpp"

namespace learnable::bind {

template <class Design>
static std::vector<index_t> leave_one_out_of(const Design& X, const Numbers& y, const Numbers& weight,
                                             const RidgePath& path, View<double> errors, double* predictions) {
  if constexpr (Design::dense)
    return leave_one_out(X, y, weight, path, errors, predictions);
  else
    return with_sorted_rows(X, [&](const auto& rows) { return leave_one_out(rows, y, weight, path, errors, predictions); });
}

static void require_path_fits(const RidgePath& path, const Numbers& y, const Numbers& weight, index_t rows,
                              index_t columns) {
  const index_t k = path.vectors.columns, t = y.columns;
  require(y && y.rows == rows, "y must have a row for each row of X");
  require_weights_fit(weight, rows);
  require(path.mean.rows == columns && path.mean.columns == 1, "mean must have one number per column of X");
  require(path.target_mean.rows == t && path.target_mean.columns == 1, "target_mean must have one number per target");
  require(path.vectors.rows == columns, "vectors must have a row for each column of X");
  require(path.values.rows == k && path.values.columns == 1, "values must have one number per vector");
  require(path.projection.rows == k && path.projection.columns == t, "projection must have shape (vectors, targets)");
  require(path.alphas.columns == 1, "alphas must have one axis");
}

static nb::object bound_leave_one_out(nb::handle X, nb::handle y, nb::handle weight, nb::handle mean,
                                      nb::handle target_mean, nb::handle vectors, nb::handle values,
                                      nb::handle projection, nb::handle alphas, bool intercept, bool with_predictions,
                                      double decisive) {
  const Numbers targets = numbers(y), weights = numbers(weight);
  const RidgePath path{numbers(mean), numbers(target_mean), numbers(vectors), numbers(values),
                       numbers(projection), numbers(alphas), intercept, decisive};
  NewArray errors{nb::none(), nullptr}, predictions{nb::none(), nullptr};
  const auto prepare = [&](index_t n, index_t columns) {
    require_path_fits(path, targets, weights, n, columns);
    const index_t t = targets.columns, a = path.alphas.rows;
    errors = axes(y) == 1 ? new_array(a) : new_array(a, t);
    if (with_predictions) predictions = axes(y) == 1 ? new_array(n, a) : new_array(n, t, a);
  };
  const std::vector<index_t> left_over = with_design(X, [&](const auto& design) {
    prepare(design.rows, design.columns);
    nb::gil_scoped_release release;
    const View<double> sums{errors.data, path.alphas.rows * targets.columns};
    return leave_one_out_of(design, targets, weights, path, sums, predictions.data);
  });
  return nb::make_tuple(errors.array, predictions.array, nb::cast(left_over));
}

}  // namespace learnable::bind

void bind_ridge(nanobind::module_& m) {
  using namespace nanobind::literals;
  m.def("leave_one_out", &learnable::bind::bound_leave_one_out, "X"_a, "y"_a, "weight"_a.none(), "mean"_a,
        "target_mean"_a, "vectors"_a, "values"_a, "projection"_a, "alphas"_a, "intercept"_a = true,
        "with_predictions"_a = false, "decisive"_a = 0.0,
        "leave_one_out(X, y, weight, mean, target_mean, vectors, values, projection, alphas, intercept=True, "
        "with_predictions=False, decisive=0) -> errors, predictions, left_over. For ridge with each alpha, from gram = vectors diag(values) "
        "vectors' and projection = vectors' cross: weighted sums of squared leave-one-out errors (alphas,) or (alphas, "
        "targets), and, optionally, the predictions without the row itself, (samples, alphas) or (samples, "
        "targets, alphas); and the rows that determine their own fit up to `decisive`, whose errors count zero.");
}
