// Summaries of columns, and columns shifted and scaled, as Python sees them.
#include "learnable/stats/column_statistics.hpp"

#include "arrays.hpp"

namespace learnable::bind {

static nb::object column_summary(nb::handle X, nb::handle weight) {
  const Numbers weights = numbers(weight);
  return with_columns(X, [&](const auto& design) -> nb::object {
    require_weights_fit(weights, design.rows);
    const index_t p = design.columns;
    const NewArray out = new_array(index_t(6), p);
    {
      nb::gil_scoped_release release;
      std::vector<ColumnSummary> columns(p);
      summarise_columns(design, weights, columns.data());
      for (index_t j = 0; j < p; ++j) {
        const ColumnSummary& c = columns[j];
        const double values[6] = {c.weight, c.mean, c.spread, c.low, c.high, c.missing};
        for (int k = 0; k < 6; ++k) out.data[k * p + j] = values[k];
      }
    }
    return out.array;
  });
}

template <class T>
static void shifted(const Rows<T>& X, const Vector<double>& shift, const Vector<double>& scale, const RowsOut<T>& out) {
  const index_t rows = X.shape(0), columns = X.shape(1);
  require(index_t(shift.shape(0)) == columns && index_t(scale.shape(0)) == columns,
          "shift and scale must have one number per column of X");
  require(index_t(out.shape(0)) == rows && index_t(out.shape(1)) == columns, "out must have the shape of X");
  nb::gil_scoped_release release;
  shift_and_scale(X.data(), rows, columns, columns, shift.data(), scale.data(), out.data());
}

}  // namespace learnable::bind

void bind_column_statistics(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("column_summary", &bind::column_summary, "X"_a, "weight"_a.none() = nanobind::none(),
        "column_summary(X, weight=None) -> (6, columns): weight, mean, sum of squares about it, least, greatest and "
        "number of missing entries of each column; NaN and rows of weight zero aside.");
  m.def("shift_and_scale", &bind::shifted<double>, "X"_a.noconvert(), "shift"_a.noconvert(), "scale"_a.noconvert(),
        "out"_a.noconvert(), "shift_and_scale(X, shift, scale, out): out = (X - shift) * scale, by columns.");
  m.def("shift_and_scale", &bind::shifted<float>, "X"_a.noconvert(), "shift"_a.noconvert(), "scale"_a.noconvert(),
        "out"_a.noconvert());
}
