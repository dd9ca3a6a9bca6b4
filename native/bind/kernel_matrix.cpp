// Kernel matrices.
#include "learnable/kernels/kernel_matrix.hpp"

#include <cstring>

#include "arrays.hpp"
#include "learnable/kernels/sparse_kernel_matrix.hpp"

namespace learnable::bind {

struct Shaped {
  const char* name;
  double gamma, coef0, degree;
  bool is(const char* other) const { return std::strcmp(name, other) == 0; }
};

// Calls f(shape) for a function of inner products; false for other kernels.
template <class F>
static bool with_product_shape(const Shaped& s, F&& f) {
  if (s.is("linear")) f(Identity{});
  else if (s.is("polynomial")) f(Power{s.gamma, s.coef0, s.degree});
  else if (s.is("tanh")) f(HyperbolicTangent{s.gamma, s.coef0});
  else if (s.is("logistic")) f(Logistic{s.gamma, s.coef0});
  else return false;
  return true;
}

// Calls f with an output array of float64 or float32.
template <class F>
static void with_output(nb::handle out, index_t rows, index_t columns, F&& f) {
  const auto run = [&](const auto& array) {
    require(index_t(array.shape(0)) == rows && index_t(array.shape(1)) == columns, "out must have an entry per pair");
    f(view(array));
  };
  RowsOut<double> f64;
  if (nb::try_cast(out, f64, false)) return run(f64);
  RowsOut<float> f32;
  if (nb::try_cast(out, f32, false)) return run(f32);
  throw nb::type_error("out must be a contiguous matrix of float64 or float32");
}

static void bound_kernel_matrix(const Rows<double>& X, const Rows<double>& Y, const char* shape, nb::handle out,
                                double gamma, double coef0, double degree) {
  require(X.shape(1) == Y.shape(1), "X and Y must have equally many columns");
  const Grid<const double> left = view(X), right = view(Y);
  const bool same = left.data == right.data && left.rows == right.rows;
  const Shaped kernel{shape, gamma, coef0, degree};
  with_output(out, left.rows, right.rows, [&](const auto& entries) {
    nb::gil_scoped_release release;
    if (with_product_shape(kernel, [&](const auto& s) { kernel_of_products(s, left, right, same, entries); })) return;
    if (kernel.is("gaussian")) kernel_of_squares(Decay{gamma}, left, right, same, entries);
    else if (kernel.is("laplacian")) column_distances(Manhattan{}, Decay{gamma}, left, right, entries);
    else if (kernel.is("chi_squared")) column_distances(ChiSquared{}, Decay{gamma}, left, right, entries);
    else if (kernel.is("additive_chi_squared")) column_distances(ChiSquared{}, Negated{}, left, right, entries);
    else throw std::invalid_argument("unknown kernel");
  });
}

static SparseRows<double> sparse_rows_of(nb::handle X) {
  const Matrix found = matrix(X);
  const char* needed = "X and Y must be CSR matrices of float64";
  if (!found.f64) throw nb::type_error(needed);
  return with_kind<sparse_rows, double>(found, [](const auto& rows) { return rows; }, needed);
}

static void bound_sparse_kernel_matrix(nb::handle X, nb::handle Y, const char* shape, nb::handle out, double gamma,
                                       double coef0, double degree) {
  const auto left = sparse_rows_of(X), right = sparse_rows_of(Y);
  require(left.columns == right.columns, "X and Y must have equally many columns");
  const bool same = X.is(Y);
  const Shaped kernel{shape, gamma, coef0, degree};
  with_output(out, left.rows, right.rows, [&](const auto& entries) {
    nb::gil_scoped_release release;
    const auto products = [&](const auto& s) { sparse_kernel<SparseProduct>(s, left, right, same, entries); };
    if (with_product_shape(kernel, products)) return;
    if (kernel.is("gaussian")) sparse_kernel<SparseSquare>(Decay{gamma}, left, right, same, entries);
    else if (kernel.is("laplacian")) sparse_kernel<SparseManhattan>(Decay{gamma}, left, right, same, entries);
    else if (kernel.is("chi_squared")) sparse_kernel<SparseChiSquared>(Decay{gamma}, left, right, same, entries);
    else if (kernel.is("additive_chi_squared"))
      sparse_kernel<SparseChiSquared>(Negated{}, left, right, same, entries);
    else throw std::invalid_argument("unknown kernel");
  });
}

}  // namespace learnable::bind

void bind_kernel_matrix(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("kernel_matrix", &bind::bound_kernel_matrix, "X"_a.noconvert(), "Y"_a.noconvert(), "shape"_a, "out"_a,
        "gamma"_a = 1.0, "coef0"_a = 0.0, "degree"_a = 1.0,
        "kernel_matrix(X, Y, shape, out, gamma=1, coef0=0, degree=1) -> None; writes the kernel of all rows. Shapes of "
        "products: linear, polynomial, tanh, logistic; of distances: gaussian, laplacian, chi_squared, "
        "additive_chi_squared. X and Y are float64; out may be float32.");
  m.def("sparse_kernel_matrix", &bind::bound_sparse_kernel_matrix, "X"_a, "Y"_a, "shape"_a, "out"_a, "gamma"_a = 1.0,
        "coef0"_a = 0.0, "degree"_a = 1.0,
        "sparse_kernel_matrix(X, Y, shape, out, gamma=1, coef0=0, degree=1) -> None; the same for CSR tables of float64.");
}
