// The logistic losses.
#include "learnable/linear/logistic_loss.hpp"

#include "arrays.hpp"

namespace learnable::bind {

static nb::tuple bound_logistic_terms(const Vector<double>& z, const Vector<double>& y, const Vector<double>& weight) {
  const index_t n = view(z).size;
  require(view(y).size == n && view(weight).size == n, "all vectors must have one number per row");
  const NewArray gradient = new_array(n), curvature = new_array(n);
  double value;
  {
    nb::gil_scoped_release release;
    value = logistic_terms(view(z), view(y), view(weight), {gradient.data, n}, {curvature.data, n});
  }
  return nb::make_tuple(value, gradient.array, curvature.array);
}

static nb::tuple bound_softmax_terms(const Rows<double>& z, const Vector<std::int64_t>& code,
                                     const Vector<double>& weight) {
  const Grid<const double> Z = view(z);
  require(Z.columns > 0 && view(code).size == Z.rows && view(weight).size == Z.rows,
          "code and weight must have one number per row of z");
  const View<const std::int64_t> codes = view(code);
  for (index_t i = 0; i < Z.rows; ++i)
    require(codes[i] >= 0 && codes[i] < Z.columns, "every code must be a column of z");
  const NewArray proba = new_array(Z.rows, Z.columns), gradient = new_array(Z.rows, Z.columns);
  const NewArray squares = new_array(Z.columns), changes = new_array(Z.columns);
  double value;
  {
    nb::gil_scoped_release release;
    value = softmax_terms(Z, codes, view(weight), {proba.data, Z.rows, Z.columns, Z.columns},
                          {gradient.data, Z.rows, Z.columns, Z.columns}, {squares.data, Z.columns},
                          {changes.data, Z.columns});
  }
  return nb::make_tuple(value, proba.array, gradient.array, squares.array, changes.array);
}

}  // namespace learnable::bind

void bind_logistic(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("logistic_terms", &bind::bound_logistic_terms, "z"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(),
        "logistic_terms(z, y, weight) -> value, gradient, curvature: the weighted sum of log(1 + e^z) - y z, and its first and "
        "second derivative by each score.");
  m.def("softmax_terms", &bind::bound_softmax_terms, "z"_a.noconvert(), "code"_a.noconvert(), "weight"_a.noconvert(),
        "softmax_terms(z, code, weight) -> value, proba, gradient, squares, changes: the weighted sum of log sum_k e^z_k - "
        "z_code, the probability of each class, the derivative by each score; and the weighted sums over rows, for each "
        "class, of squared gradients and of (p (1 - p) z)^2.");
}
