// Factorisation machines.
#include "arrays.hpp"
#include "learnable/linear/factorization_machine.hpp"

namespace learnable::bind {

static FactorModel model_of(const VectorOut<double>& constant, const VectorOut<double>& w, const RowsOut<double>& v,
                            index_t columns) {
  require(constant.shape(0) == 1, "constant is one number");
  require(index_t(w.shape(0)) == columns && index_t(v.shape(0)) == columns, "w and v need an entry per column");
  return {constant.data()[0], view(w), view(v)};
}

static void factor_scores(nb::handle X, double constant, const Vector<double>& w, const Rows<double>& v,
                          const VectorOut<double>& out) {
  with_rows(X, [&](const auto& design) {
    require(index_t(w.shape(0)) == design.columns && index_t(v.shape(0)) == design.columns,
            "w and v need an entry per column");
    require(index_t(out.shape(0)) == design.rows, "out needs an entry per row");
    nb::gil_scoped_release release;
    learnable::factor_scores(design, constant, view(w), view(v), view(out));
  });
}

static double factor_epoch(nb::handle X, const Vector<double>& y, const Vector<double>& weight,
                           const Vector<std::int64_t>& order, bool logistic, double rate, const Vector<double>& shrink,
                           const VectorOut<double>& constant, const VectorOut<double>& w, const RowsOut<double>& v) {
  require(shrink.shape(0) == 3, "shrink has three numbers: of the constant, of w, of v");
  const double* by = shrink.data();
  return with_rows(X, [&](const auto& design) {
    const auto n = index_t(design.rows);
    require(index_t(y.shape(0)) == n, "y needs an entry per row");
    require(weight.shape(0) == 0 || index_t(weight.shape(0)) == n, "weight needs no entry or one per row");
    for (std::int64_t i : view(order)) require(i >= 0 && i < n, "order contains a row out of range");
    const FactorModel model = model_of(constant, w, v, design.columns);
    nb::gil_scoped_release release;
    return learnable::factor_epoch(design, {logistic, rate, by[0], by[1], by[2]}, view(y), view(weight), view(order),
                                   model);
  });
}

static void factor_sweep(nb::handle X, const Vector<double>& weight, const Vector<double>& shrink,
                         const VectorOut<double>& residual, const VectorOut<double>& constant,
                         const VectorOut<double>& w, const RowsOut<double>& v) {
  require(shrink.shape(0) == 3, "shrink has three numbers: of the constant, of w, of v");
  const double* by = shrink.data();
  with_columns(X, [&](const auto& design) {
    require(index_t(weight.shape(0)) == design.rows && index_t(residual.shape(0)) == design.rows,
            "weight and residual need an entry per row");
    const FactorModel model = model_of(constant, w, v, design.columns);
    nb::gil_scoped_release release;
    learnable::factor_sweep(design, view(weight), by[0], by[1], by[2], view(residual), model);
  });
}

}  // namespace learnable::bind

void bind_factorization_machine(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  m.def("factor_scores", &factor_scores, "X"_a, "constant"_a, "w"_a.noconvert(), "v"_a.noconvert(),
        "out"_a.noconvert(), "factor_scores(X, constant, w, v, out): scores of a factorisation machine of order two.");
  m.def("factor_epoch", &factor_epoch, "X"_a, "y"_a.noconvert(), "weight"_a.noconvert(), "order"_a.noconvert(),
        "logistic"_a, "rate"_a, "shrink"_a.noconvert(), "constant"_a.noconvert(), "w"_a.noconvert(), "v"_a.noconvert(),
        "factor_epoch(X, y, weight, order, logistic, rate, shrink, constant, w, v) -> sum of weighted losses.\n"
        "A gradient step for each row of order, in place.");
  m.def("factor_sweep", &factor_sweep, "X"_a, "weight"_a.noconvert(), "shrink"_a.noconvert(), "residual"_a.noconvert(),
        "constant"_a.noconvert(), "w"_a.noconvert(), "v"_a.noconvert(),
        "factor_sweep(X, weight, shrink, residual, constant, w, v): every parameter in turn to its own minimum.");
}
