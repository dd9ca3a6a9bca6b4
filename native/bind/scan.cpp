// Kernels that look at every entry of a matrix once.
#include "arrays.hpp"

namespace learnable::bind {

static nb::object squared_norms(nb::handle X) {
  return with_columns(X, [](const auto& design) -> nb::object {
    double* norms = new double[design.columns];
    nb::capsule owner(norms, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    {
      nb::gil_scoped_release release;
      for (index_t j = 0; j < design.columns; ++j) norms[j] = design.squared_norm(j);
    }
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(norms, {std::size_t(design.columns)}, owner));
  });
}

}  // namespace learnable::bind

void bind_scan(nanobind::module_& m) {
  using namespace nanobind::literals;
  m.def("squared_norms", &learnable::bind::squared_norms, "X"_a, "squared_norms(X) -> x_j . x_j for each column j.");
}
