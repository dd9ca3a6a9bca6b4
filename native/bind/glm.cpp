// Kernels of generalised linear models.
#include "arrays.hpp"
#include "learnable/linear/glm_deviance.hpp"
#include "learnable/linear/gradient_scale.hpp"
#include "learnable/matrix/column_squares.hpp"

namespace learnable::bind {

static nb::tuple bound_deviance_terms(const Vector<double>& z, const Vector<double>& log_y, const Vector<double>& unit,
                                      const Vector<double>& weight, double power, bool expected) {
  const DevianceRows rows{view(log_y), view(unit), view(weight), power, expected};
  const index_t n = view(z).size;
  require(rows.log_y.size == n && rows.unit.size == n && rows.weight.size == n,
          "all vectors must have one number per row");
  const NewArray gradient = new_array(n), curvature = new_array(n);
  double value;
  {
    nb::gil_scoped_release release;
    value = deviance_terms(rows, view(z), {gradient.data, n}, {curvature.data, n});
  }
  return nb::make_tuple(value, gradient.array, curvature.array);
}

static nb::tuple bound_gradient_squares(const Vector<double>& gradient, const Vector<double>& curvature,
                                     const Vector<double>& score, const Vector<double>& weight) {
  const index_t n = view(gradient).size;
  require(view(curvature).size == n && view(score).size == n && view(weight).size == n,
          "all vectors must have one number per row");
  GradientSquares found;
  {
    nb::gil_scoped_release release;
    found = gradient_squares(view(gradient), view(curvature), view(score), view(weight));
  }
  return nb::make_tuple(found.gradient, found.change);
}

static nb::object bound_weighted_squares(nb::handle X, const Vector<double>& weight) {
  return with_design(X, [&](const auto& design) -> nb::object {
    require(view(weight).size == design.rows, "weight must have one number per row of X");
    const NewArray out = new_array(design.columns);
    {
      nb::gil_scoped_release release;
      weighted_squares(design, view(weight), {out.data, design.columns});
    }
    return out.array;
  });
}

}  // namespace learnable::bind

void bind_glm(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("deviance_terms", &bind::bound_deviance_terms, "z"_a.noconvert(), "log_y"_a.noconvert(), "unit"_a.noconvert(),
        "weight"_a.noconvert(), "power"_a, "expected"_a = false,
        "deviance_terms(z, log_y, unit, weight, power, expected=False) -> value, gradient, curvature: the weighted sum of half "
        "deviances at scores z of the log link, and its first and second derivative by each score; log_y is 0 where the "
        "target is 0, unit is target^(2 - power).");
  m.def("gradient_squares", &bind::bound_gradient_squares, "gradient"_a.noconvert(), "curvature"_a.noconvert(),
        "score"_a.noconvert(), "weight"_a.noconvert(),
        "gradient_squares(gradient, curvature, score, weight) -> sum of gradient^2 / weight, sum of "
        "(curvature score)^2 / weight.");
  m.def("weighted_squares", &bind::bound_weighted_squares, "X"_a, "weight"_a.noconvert(),
        "weighted_squares(X, weight) -> sum over rows of weight x_ij^2 for each column j.");
}
