// Inverses of small symmetric matrices.
#include "arrays.hpp"
#include "learnable/linear/spd_inverse.hpp"

namespace learnable::bind {

using Square = nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

static nb::tuple invert(Square G, double alpha) {
  const index_t p = index_t(G.shape(0));
  require(index_t(G.shape(1)) == p, "the matrix must be square");
  const NewArray inverse = new_array(p, p);
  const double condition = invert_symmetric({G.data(), p, p, p}, alpha, {inverse.data, p, p, p});
  return nb::make_tuple(inverse.array, condition);
}

static nb::tuple bound_coefficient_spread(Square inverse, const Vector<double>& mean, double alpha) {
  const index_t p = index_t(inverse.shape(0));
  require(index_t(inverse.shape(1)) == p && index_t(mean.shape(0)) == p, "the matrix must be square, as wide as mean");
  const NewArray root = new_array(p);
  const Spread spread = coefficient_spread({inverse.data(), p, p, p}, {mean.data(), p}, alpha, {root.data, p});
  return nb::make_tuple(root.array, spread.trace, spread.at_mean);
}

}  // namespace learnable::bind

void bind_spd_inverse(nanobind::module_& m) {
  using namespace nanobind::literals;
  m.def("invert_symmetric", &learnable::bind::invert, "G"_a.noconvert(), "alpha"_a = 0.0,
        "invert_symmetric(G, alpha=0) -> (G + alpha I)^-1 and its condition number after scaling the diagonal to one; "
        "the inverse means nothing if that is infinite. For small matrices: it runs on one thread without blocking.");
  m.def("coefficient_spread", &learnable::bind::bound_coefficient_spread, "inverse"_a.noconvert(), "mean"_a.noconvert(),
        "alpha"_a,
        "coefficient_spread(inverse, mean, alpha) -> roots of the diagonal of C = inverse - alpha inverse^2, trace of "
        "inverse, mean' C mean");
}
