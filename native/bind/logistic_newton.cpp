// Newton's method for logistic models as a Python object that holds the rows; the state of the optimisation is a plain
// array.
#include "learnable/linear/logistic_newton.hpp"

#include <memory>
#include <vector>

#include "arrays.hpp"

namespace learnable::bind {

class BoundNewton {
 public:
  BoundNewton(const nb::object& X, const nb::object& code, const nb::object& weight, double strength, bool intercept,
              double tolerance, bool sure)
      : X_(X), code_(code), weight_(weight), tolerance_(tolerance) {
    const View<const std::int64_t> codes = view(nb::cast<Vector<std::int64_t>>(code, false));
    const Numbers weights = numbers(weight);
    rows_ = with_design(X, [&](const auto& design) -> std::unique_ptr<LabelledRows> {
      using Design = std::remove_cvref_t<decltype(design)>;
      if constexpr (Design::dense) {
        require(codes.size == design.rows, "code must have one number per row of X");
        require_weights_fit(weights, design.rows);
        double total = double(design.rows);
        if (weights) total = 0;
        for (index_t i = 0; weights && i < design.rows; ++i) total += weights(i);
        return std::make_unique<LabelledDesign<Design>>(design, codes, weights, total);
      } else {
        throw nb::type_error("a dense matrix is needed");
      }
    });
    p_ = rows_->columns;
    search_ = std::make_unique<LogisticNewton>(*rows_, strength, intercept, tolerance, sure);
  }

  nb::object start(const Vector<double>& coef) const {
    require(view(coef).size == p_ + 1, "coef must have a number per column, and the constant");
    const NewArray numbers = new_array(LogisticState::size(p_));
    std::fill_n(numbers.data, LogisticState::size(p_), 0.0);
    const LogisticState state{p_, numbers.data};
    std::copy_n(coef.data(), p_ + 1, state.coef());
    {
      nb::gil_scoped_release release;
      search_->start(state);
    }
    return numbers.array;
  }

  nb::tuple steps(const Vector<double>& from, index_t limit) const {
    require(view(from).size == LogisticState::size(p_), "this is not a state of a search on this number of columns");
    const NewArray numbers = new_array(view(from).size);
    std::copy_n(from.data(), view(from).size, numbers.data);
    const LogisticState state{p_, numbers.data};
    std::vector<double> history;
    {
      nb::gil_scoped_release release;
      for (index_t done = 0; done < limit; ++done) {
        search_->step(state);
        history.push_back(state.objective());
        history.push_back(state.criterion());
        if (state.criterion() <= tolerance_ || state.status() != LogisticState::searching) break;
      }
    }
    const NewArray rows = new_array(index_t(history.size()) / 2, 2);
    std::copy(history.begin(), history.end(), rows.data);
    return nb::make_tuple(numbers.array, rows.array);
  }

 private:
  nb::object X_, code_, weight_;  // keep the data alive
  double tolerance_;
  index_t p_ = 0;
  std::unique_ptr<LabelledRows> rows_;
  std::unique_ptr<LogisticNewton> search_;
};

}  // namespace learnable::bind

void bind_logistic_newton(nanobind::module_& m) {
  using namespace nanobind::literals;
  using learnable::bind::BoundNewton;
  namespace nb = nanobind;
  nb::class_<BoundNewton>(m, "LogisticNewton",
                          "Newton's method for the mean logistic loss of two classes, code 1 against the others, plus "
                          "strength |w|^2 / 2. A state is an array: objective, criterion, status (0 searching, 1 "
                          "stalled, 2 unfit columns), ..., and from index 11 on coefficients and constant.")
      .def(nb::init<const nb::object&, const nb::object&, const nb::object&, double, bool, double, bool>(), "X"_a, "code"_a,
           "weight"_a.none(), "strength"_a, "intercept"_a, "tolerance"_a, "sure"_a = true)
      .def("start", &BoundNewton::start, "coef"_a.noconvert(),
           "start(coef) -> the state at coefficients with the constant last.")
      .def("steps", &BoundNewton::steps, "state"_a.noconvert(), "limit"_a,
           "steps(state, limit) -> the state after at most `limit` steps, and a row of objective and criterion for "
           "each; fewer if the search ends.");
}
