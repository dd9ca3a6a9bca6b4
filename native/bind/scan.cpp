// Kernels of a single pass over all entries.
#include "arrays.hpp"
#include "learnable/matrix/finite_check.hpp"
#include "learnable/matrix/transpose.hpp"
#include "learnable/stats/entry_variance.hpp"

namespace learnable::bind {

static nb::object squared_norms(nb::handle X) {
  return with_columns(X, [](const auto& design) -> nb::object {
    const NewArray norms = new_array(design.columns);
    {
      nb::gil_scoped_release release;
      for (index_t j = 0; j < design.columns; ++j) norms.data[j] = design.squared_norm(j);
    }
    return norms.array;
  });
}

template <class T>
using Entries = nb::ndarray<const T, nb::any_contig, nb::device::cpu>;

template <class T>
static index_t scan(const Entries<T>& values) {
  nb::gil_scoped_release release;
  return first_non_finite(View<const T>{values.data(), index_t(values.size())});
}

template <class T>
static double largest(const Entries<T>& values) {
  nb::gil_scoped_release release;
  return largest_entry(View<const T>{values.data(), index_t(values.size())});
}

template <class T>
static double variance(const Entries<T>& values) {
  nb::gil_scoped_release release;
  return variance_of_entries(View<const T>{values.data(), index_t(values.size())});
}

template <class T>
using Room = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
static void transpose_rows(const SparseRows<T>& X, nb::handle start, nb::handle index, nb::handle value) {
  const auto starts = nb::cast<Room<index_t>>(start, false);
  const auto indices = nb::cast<Room<line_t>>(index, false);
  const auto values = nb::cast<Room<T>>(value, false);
  require(index_t(starts.shape(0)) == X.columns + 1, "start must have one number more than X has columns");
  const auto entries = std::size_t(X.start[X.rows]);
  require(indices.shape(0) == entries && values.shape(0) == entries, "there must be room for as many entries as X has");
  nb::gil_scoped_release release;
  transpose(X, starts.data(), indices.data(), values.data());
}

static void bound_transpose(nb::handle X, nb::handle start, nb::handle index, nb::handle value) {
  with_design(X, [&](const auto& design) {
    if constexpr (requires { transpose_rows(design, start, index, value); })
      transpose_rows(design, start, index, value);
    else
      throw nb::type_error("a sparse matrix by rows is needed");
  });
}

}  // namespace learnable::bind

void bind_scan(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("squared_norms", &bind::squared_norms, "X"_a, "squared_norms(X) -> x_j . x_j for each column j.");
  m.def("transpose", &bind::bound_transpose, "X"_a, "start"_a, "index"_a, "value"_a,
        "transpose(X, start, index, value): the entries of a CSR matrix column by column, each in the order of rows.");
  m.def("first_non_finite", &bind::scan<double>, "values"_a.noconvert(),
        "first_non_finite(values) -> position in memory of the first NaN or infinity of a contiguous array, or -1.");
  m.def("first_non_finite", &bind::scan<float>, "values"_a.noconvert());
  m.def("largest_entry", &bind::largest<double>, "values"_a.noconvert(),
        "largest_entry(values) -> the largest size of an entry of a contiguous array, zero if there is none.");
  m.def("largest_entry", &bind::largest<float>, "values"_a.noconvert());
  m.def("variance_of_entries", &bind::variance<double>, "values"_a.noconvert(),
        "variance_of_entries(values) -> the variance of all entries of a contiguous array together, zero if none are.");
  m.def("variance_of_entries", &bind::variance<float>, "values"_a.noconvert());
}
