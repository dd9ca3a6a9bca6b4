// Sums of kernels over the points of a tree, as Python sees them.
#include "learnable/neighbors/kernel_density.hpp"

#include <cstring>

#include "arrays.hpp"
#include "kd_arguments.hpp"

namespace learnable::bind {

static AnyBump::Kind bump_of(const char* name) {
  static constexpr const char* known[] = {"gaussian", "exponential", "tophat", "epanechnikov", "linear", "cosine"};
  for (int kind = 0; kind < 6; ++kind)
    if (std::strcmp(name, known[kind]) == 0) return AnyBump::Kind(kind);
  throw std::invalid_argument("unknown kernel");
}

// Calls f with the kernel of that kind.
template <class F>
static void with_bump(AnyBump::Kind kind, F&& f) {
  switch (kind) {
    case AnyBump::gaussian: return f(GaussianBump{});
    case AnyBump::exponential: return f(ExponentialBump{});
    case AnyBump::tophat: return f(TophatBump{});
    case AnyBump::epanechnikov: return f(EpanechnikovBump{});
    case AnyBump::linear: return f(LinearBump{});
    case AnyBump::cosine: return f(CosineBump{});
  }
}

static void bound_log_sums(const nb::tuple& parts, const Rows<double>& Q, double power, const char* kernel,
                           const Vector<double>& weight, double relative, double absolute, const VectorOut<double>& out) {
  const Grid<const double> queries = view(Q);
  const KdTree tree = tree_of(parts, queries.columns);
  require(weight.shape(0) == std::size_t(tree.order.size), "a weight per place of the tree is needed");
  require(out.shape(0) == Q.shape(0), "a place per query is needed");
  require(power >= 1, "power must be at least 1");
  const AnyBump::Kind kind = bump_of(kernel);
  nb::gil_scoped_release release;
  const NodeWeights weights(tree, view(weight));
  with_gaps(power, [&](const auto& gaps) {
    const auto run = [&](const auto& bump) {
      KernelSums(weights, gaps, bump, relative, absolute).log_sums(queries, view(out));
    };
    if constexpr (std::is_same_v<decltype(gaps), const SquaredGaps&>) with_bump(kind, run);
    else run(AnyBump{kind});
  });
}

}  // namespace learnable::bind

void bind_kernel_density(nanobind::module_& m) {
  using namespace nanobind::literals;
  m.def("kernel_log_sums", &learnable::bind::bound_log_sums, "tree"_a, "Q"_a.noconvert(), "power"_a, "kernel"_a,
        "weight"_a.noconvert(), "relative"_a, "absolute"_a, "out"_a.noconvert(),
        "kernel_log_sums(tree, Q, power, kernel, weight, relative, absolute, out) -> None; writes the logarithm of the sum "
        "of weight times kernel over all points of the tree (rows, points, order, boxes), round every row of Q, within the "
        "relative or the absolute error allowed.");
}
