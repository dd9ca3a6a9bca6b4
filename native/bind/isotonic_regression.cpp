// Isotonic regression, as Python sees it.
#include "learnable/stats/isotonic_regression.hpp"

#include "arrays.hpp"

namespace learnable::bind {

static void bound_pool(const Vector<double>& y, const Vector<double>& weight, const VectorOut<double>& fitted) {
  require(weight.shape(0) == y.shape(0) && fitted.shape(0) == y.shape(0),
          "one weight and one fitted value per y are needed");
  nb::gil_scoped_release release;
  pool_adjacent_violators(view(y), view(weight), view(fitted));
}

}  // namespace learnable::bind

void bind_isotonic_regression(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("pool_adjacent_violators", &bind::bound_pool, "y"_a.noconvert(), "weight"_a.noconvert(), "fitted"_a.noconvert(),
        "pool_adjacent_violators(y, weight, fitted) -> None; writes the nondecreasing sequence nearest to y.");
}
