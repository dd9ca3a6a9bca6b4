// Kernels that look at every entry once.
#include "arrays.hpp"
#include "learnable/entry_variance.hpp"
#include "learnable/finite.hpp"

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

}  // namespace learnable::bind

void bind_scan(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("squared_norms", &bind::squared_norms, "X"_a, "squared_norms(X) -> x_j . x_j for each column j.");
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
