// Sums of kernels over the points of a tree, as Python sees them.
#include "learnable/kd_density.hpp"

#include <cstring>

#include "arrays.hpp"
#include "kd_parts.hpp"

namespace learnable::bind {

// Calls f with the kernel of that name.
template <class F>
static void with_bump(const char* name, F&& f) {
  const auto is = [&](const char* known) { return std::strcmp(name, known) == 0; };
  if (is("gaussian")) return f(GaussianBump{});
  if (is("exponential")) return f(ExponentialBump{});
  if (is("tophat")) return f(TophatBump{});
  if (is("epanechnikov")) return f(EpanechnikovBump{});
  if (is("linear")) return f(LinearBump{});
  if (is("cosine")) return f(CosineBump{});
  throw std::invalid_argument("unknown kernel");
}

static void bound_log_sums(const nb::tuple& parts, const Rows<double>& Q, double power, const char* kernel,
                           const Vector<double>& weight, double relative, double absolute, const VectorOut<double>& out) {
  const Grid<const double> queries = view(Q);
  const KdTree tree = tree_of(parts, queries.columns);
  require(weight.shape(0) == std::size_t(tree.order.size), "a weight per place of the tree is needed");
  require(out.shape(0) == Q.shape(0), "a place per query is needed");
  require(power >= 1, "power must be at least 1");
  nb::gil_scoped_release release;
  with_bump(kernel, [&](const auto& bump) {
    with_gaps(power, [&](const auto& gaps) {
      KernelSums(tree, gaps, bump, view(weight), relative, absolute).log_sums(queries, view(out));
    });
  });
}

}  // namespace learnable::bind

void bind_kd_density(nanobind::module_& m) {
  using namespace nanobind::literals;
  m.def("kernel_log_sums", &learnable::bind::bound_log_sums, "tree"_a, "Q"_a.noconvert(), "power"_a, "kernel"_a,
        "weight"_a.noconvert(), "relative"_a, "absolute"_a, "out"_a.noconvert(),
        "kernel_log_sums(tree, Q, power, kernel, weight, relative, absolute, out) -> None; writes the logarithm of the sum "
        "of weight times kernel over all points of the tree (rows, points, order, boxes), round every row of Q, within the "
        "relative or the absolute error allowed.");
}
