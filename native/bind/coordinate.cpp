// Coordinate descent as Python sees it: an object that keeps what it has computed of a design between calls.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "learnable/coordinate_solver.hpp"

namespace learnable::coordinate {

namespace nb = nanobind;
using bind::require, bind::Rows, bind::RowsOut, bind::Vector, bind::view, bind::with_columns;

// One of the three solvers behind one face; all numbers in standardised units.
struct AnySolver {
  virtual ~AnySolver() = default;
  virtual const Columns& columns() const = 0;
  virtual double norm() const = 0;
  virtual Gap measure(const Numbers& w, double l1, double l2) = 0;
  virtual Round improve(Numbers& w, double l1, double l2, const Effort& effort) = 0;
  virtual void aim(Grid<const double> y) = 0;
  virtual double strongest() = 0;
  virtual void adopt(Grid<const double> gram) = 0;
};

template <class Prox>
struct SolverOf final : AnySolver {
  Solver<Prox> solver;

  SolverOf(std::unique_ptr<Columns> A, const Prox& prox) : solver(std::move(A), prox) {}
  const Columns& columns() const override { return solver.columns(); }
  double norm() const override { return solver.norm(); }
  Gap measure(const Numbers& w, double l1, double l2) override { return solver.measure(w, solver.penalty(l1, l2)); }
  Round improve(Numbers& w, double l1, double l2, const Effort& effort) override {
    return solver.improve(w, solver.penalty(l1, l2), effort);
  }
  void aim(Grid<const double> y) override { solver.aim(y); }
  double strongest() override { return solver.strongest(); }
  void adopt(Grid<const double> gram) override { solver.gram().adopt(gram); }
};

template <class T>
static std::unique_ptr<Columns> standardised(const ColumnMajor<T>& X, View<const double> s, bool centre) {
  return std::make_unique<ByColumn<T>>(X, s, centre);
}
template <class T>
static std::unique_ptr<Columns> standardised(const RowMajor<T>& X, View<const double> s, bool centre) {
  return std::make_unique<ByRow<T>>(X, s, centre);
}
template <class T, class Index>
static std::unique_ptr<Columns> standardised(const SparseColumns<T, Index>& X, View<const double> s, bool centre) {
  return std::make_unique<BySparseColumn<T, Index>>(X, s, centre);
}

class Coordinate {
 public:
  Coordinate(nb::object X, std::optional<Vector<double>> weight, bool centre, bool positive, index_t targets)
      : X_(X), width_(targets) {
    require(targets >= 1 && !(positive && targets > 1), "only one target can have positive coefficients");
    const View<const double> s = weight ? view(*weight) : View<const double>{};
    solver_ = with_columns(X, [&](const auto& design) -> std::unique_ptr<AnySolver> {
      require(!s || s.size == design.rows, "weight must have one entry per row of X");
      nb::gil_scoped_release release;
      std::unique_ptr<Columns> A = standardised(design, s, centre);
      if (positive) return std::make_unique<SolverOf<Positive>>(std::move(A), Positive{});
      if (targets == 1) return std::make_unique<SolverOf<Absolute>>(std::move(A), Absolute{});
      return std::make_unique<SolverOf<Group>>(std::move(A), Group{targets});
    });
  }

  void aim(Rows<double> y) {
    require(index_t(y.shape(0)) == width_ && index_t(y.shape(1)) == solver_->columns().rows,
            "y must have one row per target and one column per row of X");
    solver_->aim(view(y));
  }

  nb::tuple measure(RowsOut<double> w, double l1, double l2) {
    const Numbers now = taken(w);
    Gap gap;
    {
      nb::gil_scoped_release release;
      gap = solver_->measure(now, l1, l2);
    }
    return nb::make_tuple(gap.objective, gap.value, gap.noise, gap.support);
  }

  nb::tuple improve(RowsOut<double> w, double l1, double l2, double tolerance, index_t limit, bool precise,
                    std::uint64_t seed) {
    Numbers now = taken(w);
    Round round;
    {
      nb::gil_scoped_release release;
      round = solver_->improve(now, l1, l2, {tolerance, limit, precise, seed});
    }
    std::copy(now.begin(), now.end(), w.data());
    return nb::make_tuple(round.gap.objective, round.gap.value, round.gap.noise, round.gap.support, round.passes,
                          round.size);
  }

  double strongest() {
    nb::gil_scoped_release release;
    return solver_->strongest();
  }

  void adopt(Rows<double> gram) {
    require(index_t(gram.shape(0)) == solver_->columns().count && gram.shape(0) == gram.shape(1), "gram must be square");
    solver_->adopt(view(gram));
  }

  nb::object unit() const {
    Numbers unit = solver_->columns().inverse_norm;
    for (double& entry : unit) entry *= solver_->norm();
    return array(unit);
  }
  nb::object squares() const {
    Numbers squares = solver_->columns().inverse_norm;
    for (double& entry : squares) entry = entry > 0 ? 1 / entry / entry : 0;
    return array(squares);
  }
  nb::object mean() const { return array(solver_->columns().mean); }
  double norm() const { return solver_->norm(); }

 private:
  Numbers taken(const RowsOut<double>& w) const {
    require(index_t(w.shape(0)) == solver_->columns().count && index_t(w.shape(1)) == width_,
            "w must have one row per column of X and one column per target");
    return Numbers(w.data(), w.data() + w.size());
  }
  static nb::object array(const Numbers& from) {
    double* copy = new double[from.size()];
    std::copy(from.begin(), from.end(), copy);
    nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(copy, {from.size()}, owner));
  }

  nb::object X_;
  index_t width_;
  std::unique_ptr<AnySolver> solver_;
};

}  // namespace learnable::coordinate

void bind_coordinate(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::coordinate;
  nb::class_<Coordinate>(m, "Coordinate",
                         "Least squares on the standardised columns of X with an absolute penalty, a squared one or both.\n\n"
                         "It keeps what it has computed. Coefficients w (columns, targets) are those of columns and target of\n"
                         "length one: coef = unit * w. Objective and gap are in units of norm^2.")
      .def(nb::init<nb::object, std::optional<Vector<double>>, bool, bool, learnable::index_t>(), "X"_a,
           "weight"_a.noconvert().none(), "centre"_a, "positive"_a, "targets"_a)
      .def("aim", &Coordinate::aim, "y"_a.noconvert(), "aim(y): sets the target, (targets, rows), its mean taken away.")
      .def("strongest", &Coordinate::strongest, "strongest() -> the smallest l1 at which all coefficients are zero.")
      .def("measure", &Coordinate::measure, "w"_a.noconvert(), "l1"_a, "l2"_a,
           "measure(w, l1, l2) -> objective, gap, noise in the gap, number of columns in use.")
      .def("improve", &Coordinate::improve, "w"_a.noconvert(), "l1"_a, "l2"_a, "tolerance"_a, "limit"_a, "precise"_a,
           "seed"_a,
           "improve(w, ...) -> objective, gap, noise, support, passes, size of the working set. One round; w is changed.")
      .def("adopt", &Coordinate::adopt, "gram"_a.noconvert(), "adopt(gram): takes x_j . x_k, weighted to sum one, as known.")
      .def_prop_ro("unit", &Coordinate::unit)
      .def_prop_ro("squares", &Coordinate::squares)
      .def_prop_ro("mean", &Coordinate::mean)
      .def_prop_ro("norm", &Coordinate::norm);
}
