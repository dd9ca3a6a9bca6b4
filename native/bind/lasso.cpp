// Coordinate descent as Python sees it: an object that caches computations on a design between calls.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "arrays.hpp"
#include "learnable/linear/lasso/path.hpp"

namespace learnable::coordinate {

namespace nb = nanobind;
using bind::require, bind::Rows, bind::RowsOut, bind::Vector, bind::view, bind::with_columns;

template <class T>
static std::unique_ptr<Columns> standardised(const ColumnMajor<T>& X, View<const double> s, bool centre) {
  return std::make_unique<ByColumn<T>>(X, s, centre);
}
template <class T>
static std::unique_ptr<Columns> standardised(const RowMajor<T>& X, View<const double> s, bool centre) {
  return std::make_unique<ByRow<T>>(X, s, centre);
}
template <class T>
static std::unique_ptr<Columns> standardised(const SparseColumns<T>& X, View<const double> s, bool centre) {
  return std::make_unique<BySparseColumn<T>>(X, s, centre);
}

class BoundLasso {
 public:
  BoundLasso(nb::object X, std::optional<Vector<double>> weight, bool centre, bool positive, index_t targets)
      : X_(X), width_(targets) {
    require(targets >= 1 && !(positive && targets > 1), "only one target can have positive coefficients");
    const View<const double> s = weight ? view(*weight) : View<const double>{};
    std::unique_ptr<Columns> A = with_columns(X, [&](const auto& design) {
      require(!s || s.size == design.rows, "weight must have one entry per row of X");
      nb::gil_scoped_release release;
      return standardised(design, s, centre);
    });
    solver_ = std::make_unique<Solver>(std::move(A), Prox{targets, positive});
  }

  void set_target(Rows<double> y) {
    require(index_t(y.shape(0)) == width_ && index_t(y.shape(1)) == solver_->columns().rows,
            "y must have one row per target and one column per row of X");
    solver_->set_target(view(y));
  }

  nb::tuple measure(RowsOut<double> w, double l1, double l2) {
    const Numbers now = taken(w);
    Gap gap;
    {
      nb::gil_scoped_release release;
      gap = solver_->measure(solver_->evaluate_at(now), solver_->penalty(l1, l2));
    }
    return nb::make_tuple(gap.objective, gap.value, gap.noise, gap.support);
  }

  nb::tuple improve(RowsOut<double> w, double l1, double l2, double tolerance, index_t limit, int precision,
                    std::uint64_t seed) {
    require(precision >= 0 && precision <= 2, "precision must be 0, 1 or 2");
    Numbers now = taken(w);
    Round round;
    {
      nb::gil_scoped_release release;
      round = solver_->improve(now, solver_->penalty(l1, l2), {tolerance, limit, Precision(precision), seed});
    }
    std::copy(now.begin(), now.end(), w.data());
    return nb::make_tuple(round.gap.objective, round.gap.value, round.gap.noise, round.gap.support, round.passes,
                          round.size);
  }

  double alpha_max() {
    nb::gil_scoped_release release;
    return solver_->alpha_max();
  }

  bool products_pay(index_t evaluations) const { return solver_->products_pay(evaluations); }

  void adopt(Rows<double> gram) {
    require(index_t(gram.shape(0)) == solver_->columns().count && gram.shape(0) == gram.shape(1), "gram must be square");
    solver_->adopt(view(gram));
  }

  nb::object unit() const {
    Numbers unit = solver_->columns().inverse_norm;
    for (double& entry : unit) entry *= solver_->target().norm;
    return array(unit);
  }
  nb::object squares() const {
    Numbers squares = solver_->columns().inverse_norm;
    for (double& entry : squares) entry = entry == 0 ? 0 : 1 / entry / entry;
    return array(squares);
  }
  nb::object mean() const { return array(solver_->columns().mean); }
  double norm() const { return solver_->target().norm; }
  Solver& solver() const { return *solver_; }
  index_t width() const { return width_; }
  Numbers taken(const RowsOut<double>& w) const {
    require(index_t(w.shape(0)) == solver_->columns().count && index_t(w.shape(1)) == width_,
            "w must have one row per column of X and one column per target");
    return Numbers(w.data(), w.data() + w.size());
  }

 private:
  static nb::object array(const Numbers& from) {
    double* copy = new double[from.size()];
    std::copy(from.begin(), from.end(), copy);
    nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(copy, {from.size()}, owner));
  }

  nb::object X_;
  index_t width_;
  std::unique_ptr<Solver> solver_;
};

// A path of one problem, or of several side by side.
class BoundPath {
 public:
  using Cube = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

  BoundPath(std::vector<BoundLasso*> problems, Vector<double> l1, Vector<double> l2, double tolerance, index_t limit,
       std::uint64_t seed)
      : problems_(std::move(problems)), points_(l1.shape(0)) {
    require(!problems_.empty() && l1.shape(0) == l2.shape(0), "problems, and as many l2 as l1, are needed");
    std::vector<Solver*> solvers;
    const Solver& first = problems_[0]->solver();
    for (BoundLasso* problem : problems_) {
      Solver& one = problem->solver();
      require(one.prox().single() == first.prox().single() && one.columns().rows == first.columns().rows &&
                  one.columns().count == first.columns().count,
              "the problems of a path must be of one kind and share X");
      solvers.push_back(&one);
    }
    const Numbers strong(l1.data(), l1.data() + l1.size()), square(l2.data(), l2.data() + l2.size());
    path_solver_ = std::make_unique<PathSolver>(std::move(solvers), strong, square,
                                                Options{tolerance, limit, Precision::f32, seed});
  }

  void start(index_t problem, RowsOut<double> w) {
    require(problem >= 0 && problem < index_t(problems_.size()), "the problem is out of range");
    Numbers from = problems_[problem]->taken(w);
    nb::gil_scoped_release release;
    path_solver_->start(problem, std::move(from));
  }

  // figures (problems, points, 5) and coefs (targets, columns, points) of the first problem, if it is not empty;
  // holdout_weight (problems, rows) are the weights of the rows held out, if it is not empty.
  bool advance(Cube figures, Cube coefs, Rows<double> holdout_weight) {
    require(figures.shape(0) == problems_.size() && index_t(figures.shape(1)) == points_ && figures.shape(2) == 5,
            "figures must be (problems, points, 5)");
    const Solver& first = problems_[0]->solver();
    require(coefs.size() == 0 || (index_t(coefs.shape(0)) == problems_[0]->width() &&
                                  index_t(coefs.shape(1)) == first.columns().count && index_t(coefs.shape(2)) == points_),
            "coefs must be (targets, columns, points)");
    require(holdout_weight.size() == 0 || (holdout_weight.shape(0) == problems_.size() &&
                                           index_t(holdout_weight.shape(1)) == first.columns().rows),
            "holdout_weight must be (problems, rows)");
    nb::gil_scoped_release release;
    return path_solver_->advance([&](index_t f, index_t index, const ResidualState& state, const Gap& gap,
                                     index_t passes) {
      double* out = figures.data() + (f * points_ + index) * 5;
      out[0] = gap.objective, out[1] = gap.value, out[2] = gap.noise, out[3] = double(passes);
      const Solver& solver = problems_[f]->solver();
      if (holdout_weight.size() > 0) out[4] = error(solver, state, holdout_weight.data() + f * holdout_weight.shape(1));
      if (coefs.size() > 0 && f == 0) write(solver, state, index, coefs);
    });
  }

 private:
  // Weighted mean square of the residual in the units of the target, averaged over targets.
  static double error(const Solver& solver, const ResidualState& state, const double* weight) {
    const index_t rows = solver.columns().rows, width = solver.target().several;
    index_t first = 0, last = rows;
    while (first < last && weight[first] == 0) ++first;
    while (last > first && weight[last - 1] == 0) --last;
    ResidualState seen{state.w, state.residual, {}};
    if (seen.residual.empty()) compute_residual(solver.columns(), solver.target(), first, last, seen);
    double sum = 0, total = 0;
    for (index_t i = first; i < last; ++i) {
      total += weight[i];
      for (index_t t = 0; t < width && weight[i] > 0; ++t) sum += weight[i] * std::pow(seen.residual[t * rows + i], 2);
    }
    return sum / total / double(width) * solver.target().norm * solver.target().norm;
  }
  void write(const Solver& solver, const ResidualState& state, index_t index, const Cube& coefs) const {
    const index_t width = solver.target().several, count = solver.columns().count;
    for (index_t j = 0; j < count; ++j)
      for (index_t t = 0; t < width; ++t)
        if (state.w[j * width + t] != 0)
          coefs.data()[(t * count + j) * points_ + index] =
              state.w[j * width + t] * solver.target().norm * solver.columns().inverse_norm[j];
  }

  std::vector<BoundLasso*> problems_;
  index_t points_;
  std::unique_ptr<PathSolver> path_solver_;
};

}  // namespace learnable::coordinate

void bind_lasso(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::coordinate;
  nb::class_<BoundLasso>(m, "LassoProblem",
                         "Least squares on the standardised columns of X with an absolute penalty, a squared one or both.\n\n"
                         "It caches computations. Coefficients w (columns, targets) are those of columns and target of\n"
                         "length one: coef = unit * w. Objective and gap are in units of norm^2.")
      .def(nb::init<nb::object, std::optional<Vector<double>>, bool, bool, learnable::index_t>(), "X"_a,
           "weight"_a.noconvert().none(), "centre"_a, "positive"_a, "targets"_a)
      .def("set_target", &BoundLasso::set_target, "y"_a.noconvert(),
           "set_target(y): sets the centred target, (targets, rows).")
      .def("alpha_max", &BoundLasso::alpha_max, "alpha_max() -> the smallest l1 at which all coefficients are zero.")
      .def("measure", &BoundLasso::measure, "w"_a.noconvert(), "l1"_a, "l2"_a,
           "measure(w, l1, l2) -> objective, gap, noise in the gap, number of columns in use.")
      .def("improve", &BoundLasso::improve, "w"_a.noconvert(), "l1"_a, "l2"_a, "tolerance"_a, "limit"_a, "precision"_a,
           "seed"_a,
           "improve(w, ...) -> objective, gap, noise, support, passes, size of the working set. One round; w is changed.")
      .def("products_pay", &BoundLasso::products_pay, "evaluations"_a,
           "products_pay(evaluations) -> whether this number of evaluations is cheaper with all products of columns.")
      .def("adopt", &BoundLasso::adopt, "gram"_a.noconvert(),
           "adopt(gram): uses precomputed x_j . x_k, with weights of sum one.")
      .def_prop_ro("unit", &BoundLasso::unit)
      .def_prop_ro("squares", &BoundLasso::squares)
      .def_prop_ro("mean", &BoundLasso::mean)
      .def_prop_ro("norm", &BoundLasso::norm);
  nb::class_<BoundPath>(m, "LassoPath",
                   "Solutions for decreasing penalties, of one problem or of several that share X.\n\n"
                   "advance(figures, coefs, holdout_weight) -> whether any penalty was left. Writes objective, gap, noise,\n"
                   "passes and error on the held-out rows for the penalties that are done, and the coefficients of the first\n"
                   "problem where these are not zero.")
      .def(nb::init<std::vector<BoundLasso*>, Vector<double>, Vector<double>, double, learnable::index_t,
           std::uint64_t>(),
           "problems"_a, "l1"_a.noconvert(), "l2"_a.noconvert(), "tolerance"_a, "limit"_a, "seed"_a,
           nb::keep_alive<1, 2>())
      .def("start", &BoundPath::start, "problem"_a, "w"_a.noconvert(), "start(problem, w): starts at the coefficients w.")
      .def("advance", &BoundPath::advance, "figures"_a.noconvert(), "coefs"_a.noconvert(),
           "holdout_weight"_a.noconvert());
}
