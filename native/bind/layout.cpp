// Layouts of points by attraction and repulsion.
#include "learnable/manifold/charge_grid.hpp"
#include "learnable/manifold/sampled_layout.hpp"
#include "learnable/manifold/student_layout.hpp"

#include "arrays.hpp"

namespace learnable::bind {

using Integers = Vector<std::int64_t>;

// The graph, whose edges must lead from `rows` rows to rows below `tails`.
static EdgeLists edges(const Integers& start, const Integers& index, const Vector<double>& weight, index_t rows,
                       index_t tails) {
  const View<const std::int64_t> from = view(start), to = view(index);
  require(from.size == rows + 1 && from[0] == 0 && from[rows] == to.size && index_t(weight.shape(0)) == to.size,
          "start must begin at 0 and end at the number of edges, index and weight must have an entry for each");
  for (index_t i = 0; i < rows; ++i) require(from[i] <= from[i + 1], "start must not decrease");
  for (const std::int64_t node : to) require(node >= 0 && node < tails, "index names a row that is not there");
  return {from, to, view(weight)};
}

static void check_like(const RowsOut<double>& out, const Rows<double>& Y) {
  require(Y.shape(0) > 0 && Y.shape(1) > 0, "points are needed");
  require(out.shape(0) == Y.shape(0) && out.shape(1) == Y.shape(1), "the output must have the shape of Y");
}

template <class F>
static auto with_kernel(double dof, F&& f) {
  require(dof > 0, "dof must be above 0");
  return dof == 1 ? f(StudentKernel<true>{}) : f(StudentKernel<false>{dof});
}

template <class F>
static auto with_columns_of(index_t columns, F&& f) {
  require(columns >= 1 && columns <= 3, "a tree needs points of one, two or three columns");
  if (columns == 1) return f(std::integral_constant<int, 1>{});
  if (columns == 2) return f(std::integral_constant<int, 2>{});
  return f(std::integral_constant<int, 3>{});
}

static double bound_attraction(const Integers& start, const Integers& index, const Vector<double>& weight,
                               const Rows<double>& Y, double dof, bool with_sum, const RowsOut<double>& force) {
  check_like(force, Y);
  const EdgeLists graph = edges(start, index, weight, index_t(Y.shape(0)), index_t(Y.shape(0)));
  nb::gil_scoped_release release;
  return with_kernel(dof, [&](const auto& kernel) {
    return student_attraction(graph, view(Y), kernel, with_sum, view(force));
  });
}

static double bound_repulsion(const Rows<double>& Y, double dof, double angle, const RowsOut<double>& force) {
  check_like(force, Y);
  require(angle >= 0, "angle must be at least 0");
  nb::gil_scoped_release release;
  return with_kernel(dof, [&](const auto& kernel) {
    if (angle == 0) return student_repulsion_exact(view(Y), kernel, view(force));
    return with_columns_of(index_t(Y.shape(1)), [&](auto columns) {
      return student_repulsion_tree<decltype(columns)::value>(view(Y), kernel, angle, view(force));
    });
  });
}

static void bound_place(const Rows<double>& fixed, const Rows<std::int64_t>& neighbour, const Rows<double>& p, double dof,
                        double angle, int steps, double tolerance, const RowsOut<double>& Y) {
  require(Y.shape(0) > 0 && fixed.shape(0) > 0 && Y.shape(1) == fixed.shape(1), "Y must have the columns of fixed");
  require(neighbour.shape(0) == Y.shape(0) && p.shape(0) == Y.shape(0) && p.shape(1) == neighbour.shape(1),
          "neighbour and p must have a row for each row of Y");
  const Grid<const std::int64_t> rows = view(neighbour);
  for (index_t i = 0; i < rows.rows; ++i)
    for (const std::int64_t row : rows.row(i))
      require(row >= 0 && row < index_t(fixed.shape(0)), "a neighbour is not a row of fixed");
  nb::gil_scoped_release release;
  with_kernel(dof, [&](const auto& kernel) {
    with_columns_of(index_t(Y.shape(1)), [&](auto columns) {
      student_place<decltype(columns)::value>(view(fixed), rows, view(p), kernel, angle, steps, tolerance, view(Y));
    });
  });
}

static BoxGrid box_grid(const Rows<double>& Y, double left, double bottom, double width, std::int64_t boxes) {
  require(Y.shape(1) == 2 && Y.shape(0) > 0, "points of two columns are needed");
  require(width > 0 && boxes > 0 && boxes < (1 << 20), "boxes of a width are needed");
  return {left, bottom, width, index_t(boxes)};
}

static void bound_spread(const Rows<double>& Y, double left, double bottom, double width, std::int64_t boxes,
                         const VectorOut<double>& charge) {
  const BoxGrid grid = box_grid(Y, left, bottom, width, boxes);
  require(index_t(charge.shape(0)) == 3 * grid.nodes() * grid.nodes(), "charge must have three numbers for each node");
  nb::gil_scoped_release release;
  spread_charges(view(Y), grid, view(charge));
}

static double bound_gather(const Rows<double>& Y, double left, double bottom, double width, std::int64_t boxes,
                           const nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>& potential,
                           const RowsOut<double>& force) {
  const BoxGrid grid = box_grid(Y, left, bottom, width, boxes);
  check_like(force, Y);
  require(potential.shape(0) == 4 && index_t(potential.shape(1)) >= grid.nodes() &&
              index_t(potential.shape(2)) >= grid.nodes(),
          "four potentials at all nodes are needed");
  const index_t stride = index_t(potential.shape(2)), plane = index_t(potential.shape(1)) * stride;
  nb::gil_scoped_release release;
  return gather_repulsion(view(Y), grid, {potential.data(), 4 * plane}, stride, plane, view(force));
}

static double bound_sampled(const Integers& start, const Integers& index, const Vector<double>& rate,
                            const Rows<double>& head, const Rows<double>& tail, const nb::dict& loss,
                            const RowsOut<double>& gradient) {
  check_like(gradient, head);
  require(tail.shape(0) > 0 && tail.shape(0) < (std::size_t(1) << 31) && tail.shape(1) == head.shape(1),
          "tail must have the columns of head");
  const EdgeLists graph = edges(start, index, rate, index_t(head.shape(0)), index_t(tail.shape(0)));
  const auto number = [&](const char* name) { return nb::cast<double>(loss[name]); };
  const auto whole = [&](const char* name) { return nb::cast<std::uint64_t>(loss[name]); };
  const SampledLoss given{number("a"), number("b"), number("repulsion"), nb::cast<int>(loss["negatives"]),
                          number("factor"), whole("seed"), whole("epoch"), nb::cast<bool>(loss["by_head"]),
                          nb::cast<bool>(loss["with_loss"])};
  nb::gil_scoped_release release;
  return sampled_gradient(graph, view(head), view(tail), given, view(gradient));
}

}  // namespace learnable::bind

void bind_layout(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("student_attraction", &bind::bound_attraction, "start"_a.noconvert(), "index"_a.noconvert(),
        "weight"_a.noconvert(), "Y"_a.noconvert(), "dof"_a, "with_sum"_a, "force"_a.noconvert(),
        "student_attraction(start, index, weight, Y, dof, with_sum, force) -> sum of weight log kernel over the edges if "
        "with_sum, otherwise 0; writes the sums over edges of weight / (1 + d^2 / dof) (y_i - y_j).");
  m.def("student_repulsion", &bind::bound_repulsion, "Y"_a.noconvert(), "dof"_a, "angle"_a, "force"_a.noconvert(),
        "student_repulsion(Y, dof, angle, force) -> sum of the kernel over all pairs; writes the sums over all points of "
        "kernel / (1 + d^2 / dof) (y_i - y_j); exact if angle is 0, otherwise by a tree of up to three columns.");
  m.def("student_place", &bind::bound_place, "fixed"_a.noconvert(), "neighbour"_a.noconvert(), "p"_a.noconvert(), "dof"_a,
        "angle"_a, "steps"_a, "tolerance"_a, "Y"_a.noconvert(),
        "student_place(fixed, neighbour, p, dof, angle, steps, tolerance, Y) -> None; moves each row of Y to a minimum of "
        "the divergence of its affinities p to fixed points from the kernel's.");
  m.def("spread_charges", &bind::bound_spread, "Y"_a.noconvert(), "left"_a, "bottom"_a, "width"_a, "boxes"_a,
        "charge"_a.noconvert(),
        "spread_charges(Y, left, bottom, width, boxes, charge) -> None; writes the points and their two coordinates as "
        "charges at the nodes of a grid, three for each box along each axis.");
  m.def("gather_repulsion", &bind::bound_gather, "Y"_a.noconvert(), "left"_a, "bottom"_a, "width"_a, "boxes"_a,
        "potential"_a.noconvert(), "force"_a.noconvert(),
        "gather_repulsion(Y, left, bottom, width, boxes, potential, force) -> sum of the kernel over all pairs; writes the "
        "repulsion of each point from four potentials at the nodes.");
  m.def("sampled_gradient", &bind::bound_sampled, "start"_a.noconvert(), "index"_a.noconvert(), "rate"_a.noconvert(),
        "head"_a.noconvert(), "tail"_a.noconvert(), "loss"_a, "gradient"_a.noconvert(),
        "sampled_gradient(start, index, rate, head, tail, loss, gradient) -> sampled cross-entropy of an epoch if with_loss; writes its "
        "gradient for the rows of head along the edges that are due, and away from random rows of tail.");
}
