// Products with a design.
#include "learnable/matrix/products.hpp"

#include "arrays.hpp"
#include "learnable/linear/residuals.hpp"

namespace learnable::bind {

static void require_scores_fit(const Numbers& w, const Numbers& b, index_t columns) {
  require(w && w.rows == columns && w.columns > 0, "w must have a row for each column of X and at least one target");
  require(!b || (b.columns == 1 && b.rows == w.columns), "b must have one number per target");
}

static nb::object bound_matvec(nb::handle X, nb::handle w, nb::handle b) {
  const Numbers coefficients = numbers(w), constant = numbers(b);
  return with_design(X, [&](const auto& design) -> nb::object {
    require_scores_fit(coefficients, constant, design.columns);
    const index_t n = design.rows, t = coefficients.columns;
    const NewArray out = axes(w) == 1 ? new_array(n) : new_array(n, t);
    {
      nb::gil_scoped_release release;
      matvec(design, coefficients, constant, {out.data, n, t, t});
    }
    return out.array;
  });
}

static nb::object bound_rmatvec(nb::handle X, nb::handle r) {
  const Numbers residual = numbers(r);
  return with_design(X, [&](const auto& design) -> nb::object {
    require(residual && residual.rows == design.rows && residual.columns > 0,
            "r must have a row for each row of X and at least one column");
    const index_t p = design.columns, t = residual.columns;
    const NewArray out = axes(r) == 1 ? new_array(p) : new_array(p, t);
    {
      nb::gil_scoped_release release;
      rmatvec(design, residual, {out.data, p, t, t});
    }
    return out.array;
  });
}

static nb::tuple bound_residual_products(nb::handle X, nb::handle y, nb::handle w, nb::handle b, nb::handle weight,
                                         nb::handle mean) {
  const Numbers targets = numbers(y), coefficients = numbers(w), constant = numbers(b), weights = numbers(weight);
  const Numbers means = numbers(mean);
  return with_design(X, [&](const auto& design) -> nb::tuple {
    require_scores_fit(coefficients, constant, design.columns);
    require(targets && targets.rows == design.rows && targets.columns == coefficients.columns,
            "y must have a row for each row of X and a column for each target of w");
    require_weights_fit(weights, design.rows);
    require(!means || (means.columns == 1 && means.rows == design.columns), "mean must have a number per column of X");
    const index_t p = design.columns, t = coefficients.columns;
    const bool flat = axes(w) == 1;
    const NewArray loss = flat ? new_array() : new_array(t), total = flat ? new_array() : new_array(t);
    const NewArray transposed_product = flat ? new_array(p) : new_array(p, t);
    {
      nb::gil_scoped_release release;
      const ResidualSums sums{{loss.data, t}, {total.data, t}, {transposed_product.data, p, t, t}};
      if (means)
        residual_products(design, means, targets, coefficients, constant, weights, sums);
      else
        residual_products(design, targets, coefficients, constant, weights, sums);
    }
    return nb::make_tuple(loss.array, transposed_product.array, total.array);
  });
}

}  // namespace learnable::bind

void bind_products(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  const auto none = nanobind::none();
  m.def("matvec", &bind::bound_matvec, "X"_a, "w"_a, "b"_a.none() = none,
        "matvec(X, w, b=None) -> X w + b, for w (features,) or (features, targets) and b (targets,).");
  m.def("rmatvec", &bind::bound_rmatvec, "X"_a, "r"_a,
        "rmatvec(X, r) -> X'r, for r (samples,) or (samples, targets).");
  m.def("residual_products", &bind::bound_residual_products, "X"_a, "y"_a, "w"_a, "b"_a.none() = none,
        "weight"_a.none() = none, "mean"_a.none() = none,
        "residual_products(X, y, w, b=None, weight=None, mean=None) -> sum s r^2, X'(s r), sum s r with r = y - X w - b "
        "and the weights s, for X about the means of its columns if these are given; in one pass over X (two for sparse "
        "columns).");
}
