// RANSAC inliers.
#include "learnable/linear/ransac_inliers.hpp"

#include "arrays.hpp"

namespace learnable::bind {

static nb::object bound_weight_within(nb::handle X, nb::handle y, nb::handle w, nb::handle b, nb::handle bound,
                                      nb::handle weight) {
  const Numbers target = numbers(y), coefficients = numbers(w), constant = numbers(b), threshold = numbers(bound),
                weights = numbers(weight);
  return with_design(X, [&](const auto& design) -> nb::object {
    require(coefficients && coefficients.rows == design.columns && coefficients.columns > 0,
            "w must have a row for each column of X and at least one model");
    require(!constant || (constant.columns == 1 && constant.rows == coefficients.columns),
            "b must have one number per model");
    require(target && target.rows == design.rows && target.columns == 1, "y must have one number per row of X");
    require(threshold && threshold.rows == design.rows && threshold.columns == 1,
            "bound must have one number per row of X");
    require_weights_fit(weights, design.rows);
    const NewArray out = new_array(coefficients.columns);
    {
      nb::gil_scoped_release release;
      weight_within(design, target, coefficients, constant, threshold, weights, {out.data, coefficients.columns});
    }
    return out.array;
  });
}

}  // namespace learnable::bind

void bind_ransac(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  const auto none = nanobind::none();
  m.def("inlier_weights", &bind::bound_weight_within, "X"_a, "y"_a, "w"_a, "b"_a.none(), "bound"_a,
        "weight"_a.none() = none,
        "inlier_weights(X, y, w, b, bound, weight=None) -> for each model, a column of w and a number of b, the sum of "
        "the weights (None: 1) of the rows with |y - X w - b| <= bound.");
}
