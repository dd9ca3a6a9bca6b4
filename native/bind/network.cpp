// Networks of dense layers.
#include "network_settings.hpp"
#include "learnable/network/dense_forward.hpp"
#include "learnable/network/dense_training.hpp"

namespace learnable::bind {

using namespace learnable::network;

// layers: a tuple (in, out, activation, alpha, dropout) for each.
static DensePlan plan_of(const nb::list& layers, const nb::dict& settings) {
  require(nb::len(layers) > 0, "a network needs a layer");
  DensePlan plan;
  index_t first = 0;
  for (nb::handle given : layers) {
    const nb::tuple layer = nb::cast<nb::tuple>(given);
    require(nb::len(layer) == 5, "a layer is: inputs, outputs, activation, alpha, dropout");
    const auto in = nb::cast<index_t>(layer[0]), out = nb::cast<index_t>(layer[1]), kind = nb::cast<index_t>(layer[2]);
    const double dropout = nb::cast<double>(layer[4]);
    require(in > 0 && out > 0 && in < (1 << 30) && out < (1 << 30), "a layer needs inputs and outputs");
    require(kind >= 0 && kind < activation_count, "unknown activation");
    require(dropout >= 0 && dropout < 1, "dropout must be from 0 to below 1");
    require(plan.layers.empty() || plan.layers.back().out == in, "the inputs of a layer are the outputs of the one before");
    plan.layers.push_back({in, out, first, Activation(kind), nb::cast<double>(layer[3]), dropout});
    first += plan.layers.back().weights();
  }
  const DenseLayer& last = plan.layers.back();
  require(last.activation == Activation::identity && last.dropout == 0, "the last layer gives scores");
  plan.loss = loss_of(settings);
  return plan;
}

template <class T, class F>
static auto with_source(nb::handle X, const DensePlan& plan, F&& f) {
  return with_rows(X, [&](const auto& design) {
    require(design.columns == plan.inputs(), "X needs a column for each input");
    return f(RowsOf<T, std::decay_t<decltype(design)>>(design), design.rows);
  });
}

template <class T>
static index_t train(nb::handle X, const Rows<double>& y, const Vector<double>& weight,
                     const Vector<std::int64_t>& order, index_t batch_size, index_t first_step,
                     const Vector<double>& rates, const nb::list& layers, const nb::dict& settings,
                     const VectorOut<T>& weights, const RowsOut<T>& slots, const VectorOut<double>& objective,
                     const VectorOut<double>& squared_norm) {
  const DensePlan plan = plan_of(layers, settings);
  const TrainingPlan training = training_of(settings);
  require(batch_size > 0 && first_step >= 0, "batch_size must be at least 1");
  const index_t steps = Blocks(view(order).size, batch_size).count;
  require(index_t(rates.shape(0)) == steps && index_t(objective.shape(0)) == steps &&
              index_t(squared_norm.shape(0)) == steps,
          "rates, objective and squared_norm need an entry per step");
  require(index_t(weights.shape(0)) == plan.weights(), "weights must fit the layers");
  require(index_t(slots.shape(0)) == slot_count(training.optimiser) && index_t(slots.shape(1)) == plan.weights(),
          "slots need a row for each number that the optimiser keeps per weight");
  return with_source<T>(X, plan, [&](const RowSource<T>& source, index_t rows) {
    const Targets targets = targets_of(plan.loss, plan.outputs(), rows, y, weight, view(order));
    nb::gil_scoped_release release;
    return train_dense<T>(plan, training, source, targets, view(order), batch_size, first_step, view(rates),
                          weights.data(), slots.data(), {view(objective), view(squared_norm)});
  });
}

template <class T>
static double gradient(nb::handle X, const Rows<double>& y, const Vector<double>& weight,
                       const Vector<std::int64_t>& order, index_t step, const nb::list& layers, const nb::dict& settings,
                       const Vector<T>& weights, const VectorOut<T>& out) {
  const DensePlan plan = plan_of(layers, settings);
  require(index_t(weights.shape(0)) == plan.weights() && index_t(out.shape(0)) == plan.weights(),
          "weights and gradient must fit the layers");
  return with_source<T>(X, plan, [&](const RowSource<T>& source, index_t rows) {
    const Targets targets = targets_of(plan.loss, plan.outputs(), rows, y, weight, view(order));
    const auto seed = nb::cast<std::uint64_t>(settings["seed"]);
    nb::gil_scoped_release release;
    double total = double(order.shape(0));
    if (targets.weight.size) {
      total = 0;
      for (std::int64_t i : view(order)) total += targets.weight[i];
    }
    return dense_gradient<T>(plan, source, targets, view(order), total, seed, step, weights.data(), out.data());
  });
}

template <class T>
static void forward(nb::handle X, const nb::list& layers, const nb::dict& settings, const Vector<T>& weights,
                    index_t depth, bool scores, const RowsOut<T>& out) {
  const DensePlan plan = plan_of(layers, settings);
  require(index_t(weights.shape(0)) == plan.weights(), "weights must fit the layers");
  require(depth > 0 && depth <= index_t(plan.layers.size()), "depth is a number of layers");
  with_source<T>(X, plan, [&](const RowSource<T>& source, index_t rows) {
    require(index_t(out.shape(0)) == rows && index_t(out.shape(1)) == plan.layers[std::size_t(depth - 1)].out,
            "out needs a row per row of X and a column per unit of the layer");
    nb::gil_scoped_release release;
    dense_forward<T>(plan, source, weights.data(), depth, scores, view(out));
  });
}

template <class T>
static void step(const nb::dict& settings, index_t number_of_step, double rate, const Vector<T>& gradient,
                 const VectorOut<T>& weights, const RowsOut<T>& slots) {
  const TrainingPlan training = training_of(settings);
  const index_t size = index_t(weights.shape(0));
  require(index_t(gradient.shape(0)) == size && index_t(slots.shape(1)) == size &&
              index_t(slots.shape(0)) == slot_count(training.optimiser),
          "gradient and slots must fit the weights");
  const OptimiserStep update = optimiser_update(training.optimiser, training.first, training.second, training.epsilon,
                                                training.decay, number_of_step, rate);
  nb::gil_scoped_release release;
  step_all<T>(update, size, gradient.data(), weights.data(), slots.data());
}

template <class T>
static void bind_precision(nb::module_& m) {
  using namespace nanobind::literals;
  m.def("dense_train", &train<T>, "X"_a, "y"_a.noconvert(), "weight"_a.noconvert(), "order"_a.noconvert(),
        "batch_size"_a, "first_step"_a, "rates"_a.noconvert(), "layers"_a, "settings"_a, "weights"_a.noconvert(),
        "slots"_a.noconvert(), "objective"_a.noconvert(), "squared_norm"_a.noconvert(),
        "dense_train(X, y, weight, order, batch_size, first_step, rates, layers, settings, weights, slots, objective, "
        "squared_norm) -> steps done.\nSteps on the rows of order, in batches; weights and slots in place. layers: "
        "(inputs, outputs, activation, alpha, dropout) each.");
  m.def("dense_gradient", &learnable::bind::gradient<T>, "X"_a, "y"_a.noconvert(), "weight"_a.noconvert(),
        "order"_a.noconvert(), "step"_a, "layers"_a, "settings"_a, "weights"_a.noconvert(), "gradient"_a.noconvert(),
        "dense_gradient(X, y, weight, order, step, layers, settings, weights, gradient) -> the mean loss of the rows of "
        "order; gradient becomes its derivative by the weights.");
  m.def("dense_forward", &learnable::bind::forward<T>, "X"_a, "layers"_a, "settings"_a, "weights"_a.noconvert(),
        "depth"_a, "scores"_a, "out"_a.noconvert(),
        "dense_forward(X, layers, settings, weights, depth, scores, out): the values of layer number depth; after the "
        "last, predictions or scores.");
  m.def("optimiser_step", &learnable::bind::step<T>, "settings"_a, "step"_a, "rate"_a, "gradient"_a.noconvert(),
        "weights"_a.noconvert(), "slots"_a.noconvert(),
        "optimiser_step(settings, step, rate, gradient, weights, slots): a step of all weights by their gradient.");
}

}  // namespace learnable::bind

void bind_network(nanobind::module_& m) {
  learnable::bind::bind_precision<float>(m);
  learnable::bind::bind_precision<double>(m);
}
