// Kernel machines: sources of kernel rows, the solver, decision values.
#include "learnable/kernels/kernel_scores.hpp"
#include "learnable/kernels/smo/shrinking.hpp"
#include "learnable/kernels/support_vectors.hpp"

#include <nanobind/stl/vector.h>

#include <cstring>

#include "arrays.hpp"

namespace learnable::bind {

static KernelShape shape_of(const char* kind, double gamma, double coef0, int degree) {
  const auto is = [&](const char* name) { return std::strcmp(kind, name) == 0; };
  KernelShape shape{KernelKind::linear, gamma, coef0, degree};
  require(degree >= 0 && gamma >= 0, "degree and gamma must not be negative");
  if (is("rbf")) shape.kind = KernelKind::gaussian;
  else if (is("poly")) shape.kind = KernelKind::polynomial;
  else if (is("sigmoid")) shape.kind = KernelKind::sigmoid;
  else if (!is("linear")) throw std::invalid_argument("unknown kind of kernel");
  return shape;
}

// The arrays of a CSR matrix of float64 with 32-bit indices, kept alive.
struct SparseTable {
  Vector<double> value;
  Vector<std::int32_t> index, start;
  SparseKernel::Rows rows;

  explicit SparseTable(nb::handle X)
      : value(nb::cast<Vector<double>>(X.attr("data"), false)),
        index(nb::cast<Vector<std::int32_t>>(X.attr("indices"), false)),
        start(nb::cast<Vector<std::int32_t>>(X.attr("indptr"), false)) {
    const auto shape = nb::cast<nb::tuple>(X.attr("shape"));
    rows = {nb::cast<index_t>(shape[0]), nb::cast<index_t>(shape[1]), value.data(), index.data(), start.data()};
    require(index_t(start.shape(0)) == rows.count + 1 && index_t(start.data()[rows.count]) <= index_t(index.shape(0)) &&
                index.shape(0) <= value.shape(0),
            "the arrays of the sparse matrix do not fit together");
  }
};

static bool is_sparse(nb::handle X) { return nb::hasattr(X, "indptr"); }

// Rows of a kernel matrix and the data that they are computed from.
class KernelTable {
 public:
  KernelTable(nb::object X, const char* kind, double gamma, double coef0, int degree, nb::object centre) : X_(X) {
    const KernelShape shape = shape_of(kind, gamma, coef0, degree);
    if (is_sparse(X)) {
      sparse_ = std::make_unique<SparseTable>(X);
      source_ = std::make_unique<SparseSource>(sparse_->rows, shape);
      return;
    }
    const auto rows = nb::cast<Rows<double>>(X, false);
    const View<const double> about = centre.is_none() ? View<const double>{} : view(nb::cast<Vector<double>>(centre, false));
    require(!about || about.size == index_t(rows.shape(1)), "the centre must have a number for each column");
    nb::gil_scoped_release release;
    source_ = std::make_unique<DenseSource>(view(rows), shape, about);
  }
  explicit KernelTable(std::unique_ptr<KernelSource> source) : source_(std::move(source)) {}

  // The same values, computed once and stored.
  KernelTable whole(bool f32) const {
    nb::gil_scoped_release release;
    if (f32) return KernelTable(std::make_unique<MatrixSource<float>>(*source_));
    return KernelTable(std::make_unique<MatrixSource<double>>(*source_));
  }

  static KernelTable given(const Rows<double>& matrix, bool f32) {
    require(matrix.shape(0) == matrix.shape(1), "a kernel matrix must be square");
    if (f32) return KernelTable(std::make_unique<MatrixSource<float>>(view(matrix)));
    return KernelTable(std::make_unique<MatrixSource<double>>(view(matrix)));
  }

  index_t size() const { return source_->size(); }
  double largest() const {
    double found = 0;
    for (index_t i = 0; i < size(); ++i) found = std::max(found, std::abs(source_->diagonal(i)));
    return found;
  }
  nb::object diagonal() const {
    const NewArray out = new_array(size());
    for (index_t i = 0; i < size(); ++i) out.data[i] = source_->diagonal(i);
    return out.array;
  }
  double f32_error() const { return source_->f32_error(); }
  const KernelSource& source() const { return *source_; }

  nb::object rows(const Vector<std::int32_t>& which) const {
    const index_t stride = KernelSource::stride(size()), count = which.shape(0);
    for (const std::int32_t row : view(which)) require(row >= 0 && row < size(), "a row is out of range");
    const NewArray out = new_array(count, size());
    {
      nb::gil_scoped_release release;
      std::vector<double> room(std::size_t(count * stride));
      std::vector<void*> targets(count);
      for (index_t k = 0; k < count; ++k) targets[k] = room.data() + k * stride;
      source_->fill(view(which), false, targets.data());
      for (index_t k = 0; k < count; ++k) std::copy_n(room.data() + k * stride, size(), out.data + k * size());
    }
    return out.array;
  }

 private:
  nb::object X_;
  std::unique_ptr<SparseTable> sparse_;
  std::unique_ptr<KernelSource> source_;
};

// A problem and its solver; the arrays must stay as they are.
class BoundSmo {
 public:
  BoundSmo(nb::object table, Vector<double> low, Vector<double> high, Vector<double> q, Vector<std::int8_t> group,
           index_t cache_bytes, bool f32, bool shrinking)
      : table_(table), low_(low), high_(high), q_(q), group_(group) {
    const KernelSource& source = nb::cast<const KernelTable&>(table).source();
    SmoProblem problem{view(low_), view(high_), view(q_), view(group_), 1, source.size()};
    require(problem.q.size > 0 && problem.q.size % source.size() == 0 && problem.low.size == problem.q.size &&
                problem.high.size == problem.q.size && problem.group.size == problem.q.size,
            "the arrays of the problem differ in length");
    for (const std::int8_t g : problem.group) {
      require(g == 0 || g == 1, "groups are 0 and 1");
      problem.groups = std::max(problem.groups, g + 1);
    }
    rows_ = source.size();
    nb::gil_scoped_release release;
    solver_ = std::make_unique<ShrinkingSmo>(source, problem, f32, cache_bytes, shrinking);
  }

  void score(const Vector<double>& b, const VectorOut<double>& scores) {
    require_lengths(b.shape(0), scores.shape(0), rows_);
    nb::gil_scoped_release release;
    solver_->score(view(b), view(scores));
  }

  nb::tuple improve(const VectorOut<double>& b, const VectorOut<double>& scores, const VectorOut<std::uint8_t>& resting,
                    const RowsOut<double>& then, index_t moved, std::vector<std::int32_t> before, double tolerance,
                    index_t rounds, index_t limit) {
    for (const std::int32_t v : before) require(v >= 0 && v < index_t(q_.shape(0)), "a variable is out of range");
    const SmoRound done = rounds_of(b, scores, resting, then, moved, before, tolerance, rounds, limit);
    return nb::make_tuple(done.violation, done.steps, done.change, moved, done.unbounded, done.stuck, before);
  }

  // Rounds of at most `at_once` steps of the remaining `max_steps - done`; if all variables are solved together, one
  // more round nearly to rounding accuracy, once no violation is above the tolerance.
  nb::tuple descend(const VectorOut<double>& b, const VectorOut<double>& scores, const VectorOut<std::uint8_t>& resting,
                    const RowsOut<double>& then, index_t moved, std::vector<std::int32_t> before, double tolerance,
                    index_t rounds, index_t at_once, index_t done, index_t max_steps, double objective) {
    constexpr double tight = 1e-11;
    for (const std::int32_t v : before) require(v >= 0 && v < index_t(q_.shape(0)), "a variable is out of range");
    const index_t limit = std::max<index_t>(std::min(at_once, max_steps - done), 0);
    SmoRound found = rounds_of(b, scores, resting, then, moved, before, tolerance, rounds, limit);
    if (q_.shape(0) <= few_variables && found.violation <= tolerance && !found.unbounded) {
      double largest = 1;
      for (const double entry : view(q_)) largest = std::max(largest, std::abs(entry));
      const index_t so_far = done + found.steps, further = std::min(max_steps - so_far, std::max(so_far, at_once));
      std::vector<std::int32_t> all = before;
      index_t none = 0;
      const SmoRound last = rounds_of(b, scores, resting, then, none, all, std::min(tolerance, tight * largest), 1, further);
      found.violation = last.violation, found.steps += last.steps;
    }
    const View<std::uint8_t> inactive = view(resting);
    const bool whole = std::none_of(inactive.begin(), inactive.end(),
                                    [](std::uint8_t is_inactive) { return is_inactive; });
    const double value = whole ? objective_at(b.data(), scores.data()) : objective + found.change;
    return nb::make_tuple(found.violation, found.steps, value, moved, found.unbounded, found.stuck, before);
  }

  double wake(const VectorOut<double>& b, const VectorOut<double>& scores, const VectorOut<std::uint8_t>& resting,
              const RowsOut<double>& then) {
    require_lengths(b.shape(0), scores.shape(0), resting.shape(0));
    index_t moved = 0;
    const Rest rest = rest_of(resting, then, moved);
    nb::gil_scoped_release release;
    return solver_->wake(view(b), view(scores), rest);
  }

  nb::object levels(const Vector<double>& b, const Vector<double>& scores) const {
    require_lengths(b.shape(0), scores.shape(0), rows_);
    const SmoProblem& problem = solver_->problem();
    const NewArray found = new_array(problem.groups);
    problem.levels(view(b), view(scores), {found.data, problem.groups});
    return found.array;
  }

  double objective(const Vector<double>& b, const Vector<double>& scores) const {
    require_lengths(b.shape(0), scores.shape(0), rows_);
    return objective_at(b.data(), scores.data());
  }

  bool bounded() const { return solver_->problem().bounded(); }
  index_t computed() const { return solver_->computed(); }

 private:
  void require_lengths(index_t b, index_t scores, index_t resting) const {
    require(b == index_t(q_.shape(0)) && scores == rows_ && resting == rows_,
            "b, scores or inactive has the wrong length");
  }

  static constexpr std::size_t few_variables = 1024;  // up to here all are solved at once

  double objective_at(const double* b, const double* scores) const {
    double total = 0;
    for (index_t v = 0; v < index_t(q_.shape(0)); ++v) total += b[v] * (0.5 * scores[v % rows_] + q_.data()[v]);
    return total;
  }

  SmoRound rounds_of(const VectorOut<double>& b, const VectorOut<double>& scores, const VectorOut<std::uint8_t>& resting,
                     const RowsOut<double>& then, index_t& moved, std::vector<std::int32_t>& before, double tolerance,
                     index_t rounds, index_t limit) {
    require_lengths(b.shape(0), scores.shape(0), resting.shape(0));
    const Rest rest = rest_of(resting, then, moved);
    nb::gil_scoped_release release;
    return solver_->improve(view(b), view(scores), rest, before, tolerance, rounds, limit);
  }

  Rest rest_of(const VectorOut<std::uint8_t>& resting, const RowsOut<double>& then, index_t& moved) const {
    require(then.shape(0) == Rest::times && then.shape(1) == q_.shape(0), "then must have a row for each time");
    const Rest rest{view(resting), view(then), &moved};
    require(rest.last() <= Rest::times, "a time is out of range");
    return rest;
  }

  nb::object table_;
  Vector<double> low_, high_, q_;
  Vector<std::int8_t> group_;
  index_t rows_ = 0;
  std::unique_ptr<ShrinkingSmo> solver_;
};

static nb::tuple bound_svc_bounds(const Vector<double>& sign, const Vector<double>& weight, double cost) {
  const index_t n = sign.shape(0);
  require(index_t(weight.shape(0)) == n, "a weight per row is needed");
  const NewArray low = new_array(n), high = new_array(n), q = new_array(n);
  svc_bounds(view(sign), view(weight), cost, {low.data, n}, {high.data, n}, {q.data, n});
  return nb::make_tuple(low.array, high.array, q.array);
}

static index_t bound_support_order(const Rows<double>& decisions, const Vector<std::int64_t>& code,
                                   const VectorOut<std::int32_t>& counts, const VectorOut<std::int64_t>& order) {
  const std::size_t n = code.shape(0);
  require(decisions.shape(1) == n && order.shape(0) == n,
          "a column of decisions and an entry of the order per row are needed");
  for (const std::int64_t k : view(code)) require(k >= 0 && k < std::int64_t(counts.shape(0)), "a class is out of range");
  return support_order(view(decisions), view(code), view(counts), view(order));
}

static nb::object bound_kernel_scores(nb::handle X, nb::handle Y, const Rows<double>& coef, const char* kind, double gamma,
                                      double coef0, int degree, nb::handle centre) {
  const KernelShape shape = shape_of(kind, gamma, coef0, degree);
  const index_t targets = coef.shape(1);
  if (is_sparse(X)) {
    const SparseTable left(X), right(Y);
    require(left.rows.columns == right.rows.columns && right.rows.count == index_t(coef.shape(0)), "shapes do not fit");
    const NewArray out = new_array(left.rows.count, targets);
    {
      nb::gil_scoped_release release;
      kernel_scores(SparseKernel(right.rows, shape), left.rows, view(coef),
                    {out.data, left.rows.count, targets, targets});
    }
    return out.array;
  }
  const auto left = nb::cast<Rows<double>>(X, false), right = nb::cast<Rows<double>>(Y, false);
  const View<const double> about = centre.is_none() ? View<const double>{} : view(nb::cast<Vector<double>>(centre, false));
  require(left.shape(1) == right.shape(1) && right.shape(0) == coef.shape(0), "shapes do not fit");
  require(!about || about.size == index_t(right.shape(1)), "the centre must have a number for each column");
  const NewArray out = new_array(index_t(left.shape(0)), targets);
  {
    nb::gil_scoped_release release;
    kernel_scores(DenseKernel(view(right), shape, about), view(left), view(coef),
                  {out.data, index_t(left.shape(0)), targets, targets});
  }
  return out.array;
}

}  // namespace learnable::bind

void bind_smo(nanobind::module_& m) {
  using namespace nanobind::literals;
  namespace nb = nanobind;
  using namespace learnable::bind;
  nb::class_<KernelTable>(m, "KernelTable", "Rows of a kernel matrix, computed on demand.")
      .def(nb::init<nb::object, const char*, double, double, int, nb::object>(), "X"_a, "kind"_a, "gamma"_a, "coef0"_a,
           "degree"_a, "centre"_a.none())
      .def_static("given", &KernelTable::given, "matrix"_a.noconvert(), "f32"_a = false)
      .def("whole", &KernelTable::whole, "f32"_a = false)
      .def_prop_ro("size", &KernelTable::size)
      .def_prop_ro("largest", &KernelTable::largest)
      .def_prop_ro("diagonal", &KernelTable::diagonal)
      .def_prop_ro("f32_error", &KernelTable::f32_error)
      .def("rows", &KernelTable::rows, "which"_a.noconvert());
  nb::class_<BoundSmo>(m, "Smo", "A quadratic problem with bounds on a kernel matrix, and its solver.")
      .def(nb::init<nb::object, Vector<double>, Vector<double>, Vector<double>, Vector<std::int8_t>, learnable::index_t,
                    bool, bool>(),
           "table"_a, "low"_a.noconvert(), "high"_a.noconvert(), "q"_a.noconvert(), "group"_a.noconvert(),
           "cache_bytes"_a, "f32"_a, "shrinking"_a)
      .def("score", &BoundSmo::score, "b"_a.noconvert(), "scores"_a.noconvert())
      .def("improve", &BoundSmo::improve, "b"_a.noconvert(), "scores"_a.noconvert(), "inactive"_a.noconvert(),
           "then"_a.noconvert(), "moved"_a, "before"_a, "tolerance"_a, "rounds"_a, "limit"_a)
      .def("descend", &BoundSmo::descend, "b"_a.noconvert(), "scores"_a.noconvert(), "inactive"_a.noconvert(),
           "then"_a.noconvert(), "moved"_a, "before"_a, "tolerance"_a, "rounds"_a, "at_once"_a, "done"_a, "max_steps"_a,
           "objective"_a,
           "descend(b, scores, inactive, then, moved, before, tolerance, rounds, at_once, done, max_steps, objective) -> "
           "violation, steps, objective, moved, unbounded, stuck, chosen. Rounds that end with one nearly down to "
           "rounding, if variables are few and solved to the tolerance.")
      .def("activate", &BoundSmo::wake, "b"_a.noconvert(), "scores"_a.noconvert(), "inactive"_a.noconvert(),
           "then"_a.noconvert())
      .def("levels", &BoundSmo::levels, "b"_a.noconvert(), "scores"_a.noconvert())
      .def("objective", &BoundSmo::objective, "b"_a.noconvert(), "scores"_a.noconvert(),
           "objective(b, scores) -> b'Kb / 2 + q'b, where the scores are Kb.")
      .def_prop_ro("bounded", &BoundSmo::bounded)
      .def_prop_ro("computed", &BoundSmo::computed);
  m.def("svc_bounds", &bound_svc_bounds, "sign"_a.noconvert(), "weight"_a.noconvert(), "cost"_a,
        "svc_bounds(sign, weight, cost) -> low, high and q of the dual of a hinge of cost times weight.");
  m.def("support_order", &bound_support_order, "decisions"_a.noconvert(), "code"_a.noconvert(), "counts"_a.noconvert(),
        "order"_a.noconvert(),
        "support_order(decisions, code, counts, order) -> the number of support vectors of any decision: they are first in the order, class "
        "by class; counts are those of each class.");
  m.def("kernel_scores", &bound_kernel_scores, "X"_a, "Y"_a, "coef"_a.noconvert(), "kind"_a, "gamma"_a, "coef0"_a,
        "degree"_a, "centre"_a.none(),
        "kernel_scores(X, Y, coef, kind, gamma, coef0, degree, centre) -> sums over the rows of Y of k(X_i, Y_j) coef_j; "
        "kind is linear, poly, rbf or sigmoid; both tables dense float64 or both CSR.");
}
