// Kernel density sums over the points of a tree.
#include "learnable/neighbors/kernel_density.hpp"

#include <cstring>

#include "arrays.hpp"
#include "kd_arguments.hpp"

namespace learnable::bind {

static AnyKernel::Kind kernel_kind(const char* name) {
  static constexpr const char* names[] = {"gaussian", "exponential", "tophat", "epanechnikov", "linear", "cosine"};
  for (int kind = 0; kind < 6; ++kind)
    if (std::strcmp(name, names[kind]) == 0) return AnyKernel::Kind(kind);
  throw std::invalid_argument("unknown kernel");
}

// Calls f with the kernel of that kind.
template <class F>
static void with_kernel(AnyKernel::Kind kind, F&& f) {
  switch (kind) {
    case AnyKernel::gaussian: return f(GaussianKernel{});
    case AnyKernel::exponential: return f(ExponentialKernel{});
    case AnyKernel::tophat: return f(TophatKernel{});
    case AnyKernel::epanechnikov: return f(EpanechnikovKernel{});
    case AnyKernel::linear: return f(LinearKernel{});
    case AnyKernel::cosine: return f(CosineKernel{});
  }
}

static void bound_log_sums(const nb::tuple& parts, const Rows<double>& Q, double power, const char* kernel,
                           const Vector<double>& weight, double relative, double absolute, const VectorOut<double>& out) {
  const Grid<const double> queries = view(Q);
  const KdTree tree = tree_of(parts, queries.columns);
  require(weight.shape(0) == std::size_t(tree.order.size), "a weight per position of the tree is needed");
  require(out.shape(0) == Q.shape(0), "out must have an entry per query");
  require(power >= 1, "power must be at least 1");
  const AnyKernel::Kind kind = kernel_kind(kernel);
  nb::gil_scoped_release release;
  const NodeWeights weights(tree, view(weight));
  with_norm(power, [&](const auto& norm) {
    const auto run = [&](const auto& chosen) {
      KernelSums(weights, norm, chosen, relative, absolute).log_sums(queries, view(out));
    };
    if constexpr (std::is_same_v<decltype(norm), const L2Norm&>) with_kernel(kind, run);
    else run(AnyKernel{kind});
  });
}

}  // namespace learnable::bind

void bind_kernel_density(nanobind::module_& m) {
  using namespace nanobind::literals;
  m.def("kernel_log_sums", &learnable::bind::bound_log_sums, "tree"_a, "Q"_a.noconvert(), "power"_a, "kernel"_a,
        "weight"_a.noconvert(), "relative"_a, "absolute"_a, "out"_a.noconvert(),
        "kernel_log_sums(tree, Q, power, kernel, weight, relative, absolute, out) -> None; writes the logarithm of the sum "
        "of weight times kernel over all points of the tree (rows, points, order, boxes), for every row of Q, within the "
        "relative or the absolute error allowed.");
}
