// Linear support vector machines.
#include "arrays.hpp"
#include "learnable/linear/crammer_singer.hpp"
#include "learnable/linear/svm_dual_descent.hpp"
#include "learnable/linear/svm_newton.hpp"

namespace learnable::bind {

static std::unique_ptr<AnyRows> rows_behind(nb::handle X) {
  return with_rows(X, [](const auto& design) -> std::unique_ptr<AnyRows> {
    return std::make_unique<AnyRowsOf<std::remove_cvref_t<decltype(design)>>>(design);
  });
}

// Rows with losses as a Python object that holds the data; the state of a method is in plain arrays.
class BoundProblem {
  static void require_rows_of(index_t n, std::initializer_list<std::size_t> sizes) {
    for (const std::size_t size : sizes) require(index_t(size) == n, "an entry per row is needed");
  }
  static void require_weights_of(index_t p, std::initializer_list<std::size_t> sizes) {
    for (const std::size_t size : sizes) require(index_t(size) == p, "an entry per column and one of a constant is needed");
  }

  BoundedProblem problem() const {
    return {*rows_, constant_, view(target_), view(low_), view(high_), view(curvature_), epsilon_};
  }

 public:
  BoundProblem(const nb::object& X, double constant, const Vector<double>& target, const Vector<double>& low,
               const Vector<double>& high, const Vector<double>& curvature, double epsilon)
      : X_(X), rows_(rows_behind(X)), constant_(constant), target_(target), low_(low), high_(high), curvature_(curvature),
        epsilon_(epsilon) {
    require_rows_of(rows_->rows, {target.shape(0), low.shape(0), high.shape(0), curvature.shape(0)});
  }

  nb::tuple sum_losses(const Vector<double>& r, const Vector<double>& a) const {
    require_rows_of(rows_->rows, {r.shape(0), a.shape(0)});
    BoundedSums sums;
    {
      nb::gil_scoped_release release;
      sums = learnable::sum_losses(problem().plain(), view(r), view(a));
    }
    return nb::make_tuple(sums.loss, sums.shortfall);
  }

  nb::tuple gap(const Vector<double>& w, const Vector<double>& a) const {
    require_rows_of(rows_->rows, {a.shape(0)});
    require_weights_of(problem().size(), {w.shape(0)});
    std::pair<double, double> found;
    {
      nb::gil_scoped_release release;
      found = problem().gap(view(w), view(a));
    }
    return nb::make_tuple(found.first, found.second);
  }

  nb::tuple evaluate(const Vector<double>& w, const Vector<double>& r, const Vector<double>& unit,
                 const Vector<double>& centre, double width, const Vector<double>& old_dual,
                 const Vector<std::uint8_t>& old_state, const VectorOut<double>& dual,
                 const VectorOut<std::uint8_t>& state, const VectorOut<double>& transposed,
                 const RowsOut<double>& products) const {
    require_rows_of(rows_->rows, {r.shape(0), unit.shape(0), centre.shape(0), old_dual.shape(0), old_state.shape(0),
                                  dual.shape(0), state.shape(0)});
    require_weights_of(problem().size(), {w.shape(0), transposed.shape(0), products.shape(0), products.shape(1)});
    BandEvaluation found;
    {
      nb::gil_scoped_release release;
      found = problem().evaluate({view(unit), view(centre), width}, view(w), view(r), view(old_dual), view(old_state),
                             view(dual), view(state), view(transposed), view(products));
    }
    return nb::make_tuple(found.sums.loss, found.sums.shortfall, found.distance, found.inside, found.finite);
  }

  void advance(const Vector<double>& move, const Vector<double>& unit, const Vector<double>& centre, double width,
               const VectorOut<double>& w, const VectorOut<double>& r) const {
    require_rows_of(rows_->rows, {unit.shape(0), centre.shape(0), r.shape(0)});
    require_weights_of(problem().size(), {move.shape(0), w.shape(0)});
    nb::gil_scoped_release release;
    problem().advance({view(unit), view(centre), width}, view(move), view(w), view(r));
  }

 private:
  nb::object X_;  // keeps the data alive
  std::unique_ptr<AnyRows> rows_;
  double constant_;
  Vector<double> target_, low_, high_, curvature_;
  double epsilon_;
};

static nb::tuple bound_class_costs(const Vector<std::int64_t>& code, std::int64_t positive, const Vector<double>& cost,
                                    double own, double other) {
  const index_t n = code.shape(0);
  require(index_t(cost.shape(0)) == n, "a cost per row is needed");
  const NewArray sign = new_array(n), limit = new_array(n);
  for (index_t i = 0; i < n; ++i) {
    const bool is = code.data()[i] == positive;
    sign.data[i] = is ? 1 : -1;
    limit.data[i] = cost.data()[i] * (is ? own : other);
  }
  return nb::make_tuple(sign.array, limit.array);
}

static nb::tuple bound_hinge_bounds(const Vector<double>& sign, const Vector<double>& limit, bool squared) {
  const index_t n = sign.shape(0);
  require(index_t(limit.shape(0)) == n, "a limit per row is needed");
  const NewArray low = new_array(n), high = new_array(n), curvature = new_array(n);
  const bool hard = hinge_bounds(view(sign), view(limit), squared, {low.data, n}, {high.data, n}, {curvature.data, n});
  return nb::make_tuple(low.array, high.array, curvature.array, hard);
}

static void bound_band_system(const Rows<double>& products, double width, const RowsOut<double>& matrix) {
  const std::size_t p = products.shape(0);
  require(products.shape(1) == p && matrix.shape(0) == p && matrix.shape(1) == p, "square matrices of one size are needed");
  band_system(view(products), width, view(matrix));
}

static void require_rows(const Vector<std::int64_t>& rows, index_t n) {
  for (std::int64_t i : view(rows)) require(i >= 0 && i < n, "a row is out of range");
}

static void chosen_products(nb::handle X, const Vector<std::int64_t>& chosen, const Vector<double>& factor,
                            double constant, const RowsOut<double>& out) {
  const std::unique_ptr<AnyRows> rows = rows_behind(X);
  const index_t p = rows->columns + (constant != 0);
  require(chosen.shape(0) == factor.shape(0), "a factor per row is needed");
  require(index_t(out.shape(0)) == p && index_t(out.shape(1)) == p, "out needs a row and a column per column");
  require_rows(chosen, rows->rows);
  nb::gil_scoped_release release;
  add_selected_gram(*rows, view(chosen), view(factor), constant, view(out));
}

static nb::tuple dual_pass(nb::handle X, const Vector<double>& target, const Vector<double>& low,
                           const Vector<double>& high, const Vector<double>& curvature, const Vector<double>& norms,
                           double epsilon, double constant, double patience, std::int64_t count,
                           const VectorOut<std::int64_t>& active, const VectorOut<double>& dual,
                           const VectorOut<double>& w) {
  index_t left = count;
  const auto check = [&](std::size_t n, index_t columns) {
    require(target.shape(0) == n && low.shape(0) == n && high.shape(0) == n && curvature.shape(0) == n &&
                norms.shape(0) == n && dual.shape(0) == n,
            "target, bounds, curvature, norms and dual need an entry per row");
    require(index_t(w.shape(0)) == columns + (constant != 0), "w needs an entry per column and one of a constant");
    require(count >= 0 && count <= std::int64_t(active.shape(0)), "count is of active rows");
    for (std::int64_t i : view(active)) require(i >= 0 && i < std::int64_t(n), "a row is out of range");
  };
  const DualPlan plan{view(target), view(low), view(high), view(curvature), view(norms), epsilon, constant};
  const double largest = with_rows(X, [&](const auto& design) {
    check(design.rows, design.columns);
    nb::gil_scoped_release release;
    return learnable::dual_pass(design, plan, patience, view(active), left, view(dual), view(w));
  });
  return nb::make_tuple(largest, left);
}

static double crammer_singer_pass(nb::handle X, const Vector<std::int64_t>& label, const Vector<double>& limit,
                                  const Vector<double>& norms, double constant, const Vector<std::int64_t>& order,
                                  const RowsOut<double>& dual, const RowsOut<double>& w) {
  const auto check = [&](std::size_t n, index_t columns) {
    const std::size_t classes = w.shape(1);
    require(label.shape(0) == n && limit.shape(0) == n && norms.shape(0) == n && dual.shape(0) == n,
            "label, limit, norms and dual need an entry per row");
    require(dual.shape(1) == classes && index_t(w.shape(0)) == columns + (constant != 0),
            "dual and w need a column per class, w a row per column and one of a constant");
    for (std::int64_t k : view(label)) require(k >= 0 && k < std::int64_t(classes), "a class is out of range");
    require_rows(order, index_t(n));
  };
  return with_rows(X, [&](const auto& design) {
    check(design.rows, design.columns);
    nb::gil_scoped_release release;
    return learnable::crammer_singer_pass(design, view(label), view(limit), view(norms), constant, view(order),
                                          view(dual), view(w));
  });
}

}  // namespace learnable::bind

void bind_linear_svm(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  namespace nb = nanobind;
  nb::class_<BoundProblem>(m, "BoundedProblem",
                           "Rows of X, each followed by a constant (0: none), and the losses of their residuals "
                           "r = target - x w: loss(r) = max over low <= a <= high of a r - epsilon |a| - curvature a^2 / 2. "
                           "Within a band (unit, centre, width > 0) another width / unit (a - centre)^2 / 2 smooths it.")
      .def(nb::init<const nb::object&, double, const Vector<double>&, const Vector<double>&, const Vector<double>&,
                    const Vector<double>&, double>(),
           "X"_a, "constant"_a, "target"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(), "curvature"_a.noconvert(),
           "epsilon"_a)
      .def("sum_losses", &BoundProblem::sum_losses, "r"_a.noconvert(), "dual"_a.noconvert(),
           "sum_losses(r, dual) -> the sum of the losses, and its difference from the value of the dual variables.")
      .def("gap", &BoundProblem::gap, "w"_a.noconvert(), "dual"_a.noconvert(),
           "gap(w, dual) -> |w|^2 / 2 + losses, and the duality gap.")
      .def("evaluate", &BoundProblem::evaluate, "w"_a.noconvert(), "r"_a.noconvert(), "unit"_a.noconvert(),
           "centre"_a.noconvert(), "width"_a, "old_dual"_a.noconvert(), "old_state"_a.noconvert(), "dual"_a.noconvert(),
           "state"_a.noconvert(), "transposed"_a.noconvert(), "products"_a.noconvert(),
           "evaluate(w, r, unit, centre, width, old_dual, old_state, dual, state, transposed, products) -> losses, shortfall, "
           "|w - X'a|^2 / 2, rows inside, whether w is finite. Writes dual variables a and states (1: inside the band); "
           "X'a and the products of columns inside, unit by unit, on and above the diagonal, are updated from the old ones.")
      .def("advance", &BoundProblem::advance, "move"_a.noconvert(), "unit"_a.noconvert(), "centre"_a.noconvert(),
           "width"_a, "w"_a.noconvert(), "r"_a.noconvert(),
           "advance(move, unit, centre, width, w, r): w and the residuals move along `move` to the minimum.");
  m.def("class_costs", &bound_class_costs, "code"_a.noconvert(), "positive"_a, "cost"_a.noconvert(), "own"_a,
        "other"_a,
        "class_costs(code, positive, cost, own, other) -> signs, 1 for the positive class and -1 for others, and costs "
        "of the rows times the factor of their class.");
  m.def("hinge_bounds", &bound_hinge_bounds, "sign"_a.noconvert(), "limit"_a.noconvert(), "squared"_a,
        "hinge_bounds(sign, limit, squared) -> low, high and curvature of the dual variables of a hinge of cost `limit`, and "
        "whether some limit is infinite.");
  m.def("band_system", &bound_band_system, "products"_a.noconvert(), "width"_a, "matrix"_a.noconvert(),
        "band_system(products, width, matrix): writes I + products / width, from the part on and above the diagonal.");
  m.def("selected_gram", &chosen_products, "X"_a, "selected"_a.noconvert(), "factor"_a.noconvert(), "constant"_a,
        "out"_a.noconvert(),
        "selected_gram(X, selected, factor, constant, out): out += sum of factor x x', on and above the diagonal.");
  m.def("dual_pass", &dual_pass, "X"_a, "target"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
        "curvature"_a.noconvert(), "norms"_a.noconvert(), "epsilon"_a, "constant"_a, "patience"_a, "count"_a,
        "active"_a.noconvert(), "dual"_a.noconvert(), "w"_a.noconvert(),
        "dual_pass(X, target, low, high, curvature, norms, epsilon, constant, patience, count, active, dual, w) -> "
        "violation, count. Coordinate descent on the dual of a linear support vector machine, active rows once.");
  m.def("crammer_singer_pass", &crammer_singer_pass, "X"_a, "label"_a.noconvert(), "limit"_a.noconvert(),
        "norms"_a.noconvert(), "constant"_a, "order"_a.noconvert(), "dual"_a.noconvert(), "w"_a.noconvert(),
        "crammer_singer_pass(X, label, limit, norms, constant, order, dual, w) -> violation.\n"
        "Coordinate descent on the dual of the multi-class machine, a row's variables together.");
}
