// Stochastic gradient descent.
#include "arrays.hpp"
#include "learnable/linear/saga.hpp"
#include "learnable/linear/sgd.hpp"

namespace learnable::bind {

static void squared_row_norms(nb::handle X, const VectorOut<double>& norms) {
  with_rows(X, [&](const auto& design) {
    require(index_t(norms.shape(0)) == design.rows, "norms needs an entry per row");
    nb::gil_scoped_release release;
    learnable::squared_row_norms(design, view(norms));
  });
}

static void shuffle(const VectorOut<std::int64_t>& order, std::uint64_t key) {
  nb::gil_scoped_release release;
  learnable::shuffle(view(order), key);
}

static SgdPlan plan_of(const nb::dict& settings) {
  const auto number = [&](const char* name) { return nb::cast<double>(settings[name]); };
  const int loss = int(number("loss")), rate = int(number("rate"));
  require(loss >= 0 && loss <= int(SgdLoss::step), "unknown loss");
  require(rate >= 0 && rate <= int(SgdRate::passive_two), "unknown rate");
  const double strength = number("strength");
  return {{SgdLoss(loss), number("epsilon")},
          SgdRate(rate),
          number("eta"),
          number("power"),
          strength,
          1 / (strength * std::sqrt(1 / std::sqrt(strength))),
          number("l1"),
          number("l2"),
          number("intercept_step"),
          number("intercept_cost"),
          number("average_from")};
}

static double sgd_epoch(nb::handle X, const Vector<double>& y, const Vector<double>& weight,
                        const Vector<std::int64_t>& order, const Vector<double>& norms, const nb::dict& settings,
                        const VectorOut<double>& coef, const VectorOut<double>& average,
                            const VectorOut<double>& l1_applied,
                        const VectorOut<double>& numbers) {
  const SgdPlan plan = plan_of(settings);
  require(numbers.shape(0) == 5, "numbers are: intercept, average intercept, t, l1 total, moves");
  double* number = numbers.data();
  const SgdState state{view(coef), view(average), view(l1_applied), number[0], number[1], number[2], number[3],
                       number[4]};
  const auto check = [&](index_t n, index_t p) {
    require(index_t(y.shape(0)) == n && index_t(norms.shape(0)) == n, "y and norms need an entry per row");
    require(weight.shape(0) == 0 || index_t(weight.shape(0)) == n, "weight needs no entry or one per row");
    require(state.w.size == p, "coef needs an entry per column");
    require(state.average.size == (plan.average_from > 0 ? p : 0), "average needs an entry per column if it is kept");
    require(state.l1_applied.size == (plan.l1 > 0 ? p : 0), "l1_applied needs an entry per column if there is an l1");
    for (std::int64_t i : view(order)) require(i >= 0 && i < n, "order contains a row out of range");
  };
  return with_rows(X, [&](const auto& design) {
    check(design.rows, design.columns);
    nb::gil_scoped_release release;
    return learnable::sgd_epoch(design, plan, view(y), view(weight), view(order), view(norms), state);
  });
}

static void saga_epoch(nb::handle X, const Vector<std::int64_t>& code, const Vector<double>& weight,
                       const Vector<std::int64_t>& order, double step, double l1, double l2, bool intercept,
                       const RowsOut<double>& weights, const RowsOut<double>& gradients, const RowsOut<double>& sums) {
  const SagaState state{view(weights), view(gradients), view(sums)};
  with_rows(X, [&](const auto& design) {
    const auto n = index_t(design.rows), p = index_t(design.columns), scores = state.weights.columns;
    require(index_t(code.shape(0)) == n && index_t(weight.shape(0)) == n, "code and weight need an entry per row");
    require(state.weights.rows == p + 1 && state.sums.rows == p + 1 && state.gradients.rows == n,
            "weights and sums need a row per column of X and one more, gradients a row per row");
    require(scores > 0 && state.sums.columns == scores && state.gradients.columns == scores,
            "weights, gradients and sums need a column per score");
    for (std::int64_t k : view(code)) require(k >= 0 && k < std::max<index_t>(scores, 2), "a code is not a class");
    for (std::int64_t i : view(order)) require(i >= 0 && i < n, "order contains a row out of range");
    nb::gil_scoped_release release;
    learnable::saga_epoch(design, view(code), view(weight), view(order), {step, l1, l2, intercept}, state);
  });
}

}  // namespace learnable::bind

void bind_sgd(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  m.def("squared_row_norms", &squared_row_norms, "X"_a, "norms"_a.noconvert(),
        "squared_row_norms(X, norms): norms[i] = x_i . x_i for each row i.");
  m.def("shuffle", &learnable::bind::shuffle, "order"_a.noconvert(), "key"_a,
        "shuffle(order, key): the entries of order in an order drawn from the 64-bit key.");
  m.def("sgd_epoch", &sgd_epoch, "X"_a, "y"_a.noconvert(), "weight"_a.noconvert(), "order"_a.noconvert(),
        "norms"_a.noconvert(), "settings"_a, "coef"_a.noconvert(), "average"_a.noconvert(), "l1_applied"_a.noconvert(),
        "numbers"_a.noconvert(),
        "sgd_epoch(X, y, weight, order, norms, settings, coef, average, l1_applied, numbers) -> sum of loss and penalty.\n"
        "A step for each row of order, with coef and average in place and numbers = intercept, average intercept, t, "
        "l1 total, moves.\nsettings: loss, epsilon, rate, eta, power, strength, l1, l2, intercept_step,\nintercept_cost, average_from.");
  m.def("saga_epoch", &saga_epoch, "X"_a, "code"_a.noconvert(), "weight"_a.noconvert(), "order"_a.noconvert(), "step"_a,
        "l1"_a, "l2"_a, "intercept"_a, "weights"_a.noconvert(), "gradients"_a.noconvert(), "sums"_a.noconvert(),
        "saga_epoch(X, code, weight, order, step, l1, l2, intercept, weights, gradients, sums): a step of a logistic model "
        "for each row of order.\nweights (features + 1, scores) with the constants last; gradients (samples, scores) of the "
        "rows times their weights; sums = [X, 1]' gradients.");
}
