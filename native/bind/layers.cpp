// Networks of layers of several kinds.
#include "learnable/network/layer_training.hpp"
#include "network_settings.hpp"

namespace learnable::bind {

static void check_window(const Layer& layer) {
  for (index_t size : layer.sizes) require(size >= 0 && size < (1 << 24), "a window has sizes below 2^24");
  const Window w = layer.window();
  require(w.rows > 0 && w.columns > 0 && w.channels > 0 && w.height > 0 && w.width > 0 && w.down > 0 && w.across > 0,
          "images, windows and steps must not be empty");
  require(w.above < w.height && w.left < w.width, "a window must not lie beside the image");
  require(layer.in == w.rows * w.columns * w.channels, "a window must fit the values before it");
  require((w.out_rows - 1) * w.down + w.height <= w.rows + 2 * w.above &&
              (w.out_columns - 1) * w.across + w.width <= w.columns + 2 * w.left,
          "windows must not begin beyond the image");
  const bool whole = layer.out % w.positions() == 0;
  require(w.positions() > 0 && whole && (layer.kind == LayerKind::conv || layer.out == w.positions() * w.channels),
          "the values after a window do not fit it");
}

static void check_steps(const Layer& layer) {
  const auto& s = layer.sizes;
  for (index_t size : s) require(size >= 0 && size < (1 << 24), "layers of sequences have sizes below 2^24");
  require(s[0] > 0 && s[1] > 0 && s[2] > 0 && layer.in == s[0] * s[1], "steps and channels must fit the values before");
  const index_t wide = layer.kind == LayerKind::pool_steps ? s[1] : s[2];
  const bool all = layer.kind == LayerKind::attention || (layer.kind != LayerKind::pool_steps && s[4]);
  require(layer.out == (all ? s[0] * wide : wide), "the values after a layer of sequences do not fit it");
}

static void check_layer(const Layer& layer, std::size_t position) {
  static const std::size_t size_counts[] = {0, 1, 0, 1, 0, 11, 11, 11, 2, 1, 5, 5, 5, 5, 5};
  static const std::size_t number_counts[] = {0, 1, 1, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  require(layer.in > 0 && layer.out > 0 && layer.in < (1 << 30) && layer.out < (1 << 30), "a layer needs inputs and outputs");
  require(layer.sizes.size() == size_counts[int(layer.kind)] && layer.numbers.size() == number_counts[int(layer.kind)],
          "a layer has another number of settings");
  switch (layer.kind) {
    case LayerKind::dense: return;
    case LayerKind::conv:
    case LayerKind::max_pool:
    case LayerKind::average_pool: return check_window(layer);
    case LayerKind::embedding:
      require(layer.sizes[0] > 0 && layer.sizes[1] > 0 && layer.out == layer.in * layer.sizes[1], "an embedding has codes and units");
      return;
    case LayerKind::activation: require(layer.sizes[0] >= 0 && layer.sizes[0] < activation_count, "unknown activation"); break;
    case LayerKind::dropout: require(layer.numbers[0] >= 0 && layer.numbers[0] < 1, "dropout must be from 0 to below 1"); break;
    case LayerKind::batch_norm: require(layer.sizes[0] > 0 && layer.in % layer.sizes[0] == 0, "channels must fit the values"); break;
    case LayerKind::add: require(layer.sizes[0] >= 0 && layer.sizes[0] <= index_t(position), "a layer adds values before it"); break;
    case LayerKind::layer_norm: break;
    case LayerKind::rnn:
    case LayerKind::gru:
    case LayerKind::lstm:
    case LayerKind::attention:
    case LayerKind::pool_steps: return check_steps(layer);
  }
  require(layer.in == layer.out, "this layer keeps the number of values");
}

static index_t weights_of(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::dense: return (layer.in + 1) * layer.out;
    case LayerKind::conv: return (layer.window().entries() + 1) * layer.channels_out();
    case LayerKind::batch_norm: return 2 * layer.sizes[0];
    case LayerKind::layer_norm: return 2 * layer.in;
    case LayerKind::embedding: return layer.sizes[0] * layer.sizes[1];
    case LayerKind::rnn: return (layer.sizes[1] + layer.sizes[2] + 1) * layer.sizes[2];
    case LayerKind::gru: return (layer.sizes[1] + layer.sizes[2] + 1) * layer.sizes[2] * 3;
    case LayerKind::lstm: return (layer.sizes[1] + layer.sizes[2] + 1) * layer.sizes[2] * 4;
    case LayerKind::attention: return (layer.sizes[1] + 1) * layer.sizes[2] * 3;
    default: return 0;
  }
}

// layers: a tuple (kind, in, out, sizes, numbers, frozen) for each.
static LayerPlan plan_of(const nb::list& layers, const nb::dict& settings) {
  require(nb::len(layers) > 0, "a network needs a layer");
  LayerPlan plan;
  index_t first = 0, first_statistic = 0;
  for (nb::handle given : layers) {
    const nb::tuple parts = nb::cast<nb::tuple>(given);
    require(nb::len(parts) == 6, "a layer is: kind, inputs, outputs, sizes, numbers, frozen");
    const auto kind = nb::cast<index_t>(parts[0]);
    require(kind >= 0 && kind < layer_kind_count, "unknown kind of layer");
    Layer layer{LayerKind(kind), nb::cast<index_t>(parts[1]), nb::cast<index_t>(parts[2]), {}, {}, nb::cast<bool>(parts[5]), first, 0, first_statistic, 0};
    for (nb::handle size : nb::cast<nb::tuple>(parts[3])) layer.sizes.push_back(nb::cast<index_t>(size));
    for (nb::handle value : nb::cast<nb::tuple>(parts[4])) layer.numbers.push_back(nb::cast<double>(value));
    check_layer(layer, plan.layers.size());
    require(plan.layers.empty() || plan.layers.back().out == layer.in, "the inputs of a layer are the outputs of the one before");
    if (layer.kind == LayerKind::add)
      require(plan.layers[std::size_t(layer.sizes[0])].in == layer.in, "values that are added must be as many");
    layer.weights = weights_of(layer);
    layer.statistics = layer.kind == LayerKind::batch_norm ? 2 * layer.sizes[0] : 0;
    first += layer.weights;
    first_statistic += layer.statistics;
    plan.layers.push_back(layer);
  }
  plan.loss = loss_of(settings);
  plan.masked_steps = nb::cast<index_t>(settings["masked_steps"]);
  require(plan.masked_steps >= 0 && (plan.masked_steps == 0 || plan.inputs() % plan.masked_steps == 0), "masked_steps must fit the inputs");
  for (const Layer& layer : plan.layers)
    if (layer.kind >= LayerKind::rnn && (layer.sizes[3] || layer.kind == LayerKind::pool_steps))
      require(layer.sizes[0] == plan.masked_steps, "a layer with a mask has the steps of the input");
  return plan;
}

template <class T, class F>
static auto with_source(nb::handle X, const LayerPlan& plan, F&& f) {
  return with_rows(X, [&](const auto& design) {
    require(design.columns == plan.inputs(), "X needs a column for each input");
    return f(RowsOf<T, std::decay_t<decltype(design)>>(design), design.rows);
  });
}

template <class T>
static index_t train(nb::handle X, const Rows<double>& y, const Vector<double>& weight, const Vector<std::int64_t>& order,
                     index_t batch_size, index_t first_step, const Vector<double>& rates, const nb::list& layers,
                     const nb::dict& settings, const VectorOut<T>& weights, const RowsOut<T>& slots,
                     const VectorOut<T>& statistics, const VectorOut<double>& objective,
                     const VectorOut<double>& squared_norm) {
  const LayerPlan plan = plan_of(layers, settings);
  const TrainingPlan training = training_of(settings);
  require(batch_size > 0 && first_step >= 0, "batch_size must be at least 1");
  const index_t steps = Blocks(view(order).size, batch_size).count;
  require(index_t(rates.shape(0)) == steps && index_t(objective.shape(0)) == steps && index_t(squared_norm.shape(0)) == steps,
          "rates, objective and squared_norm need an entry per step");
  require(index_t(weights.shape(0)) == plan.weights() && index_t(statistics.shape(0)) == plan.statistics(),
          "weights and statistics must fit the layers");
  require(index_t(slots.shape(0)) == slot_count(training.optimiser) && index_t(slots.shape(1)) == plan.weights(),
          "slots need a row for each number that the optimiser keeps per weight");
  return with_source<T>(X, plan, [&](const RowSource<T>& source, index_t rows) {
    const Targets targets = targets_of(plan.loss, plan.outputs(), rows, y, weight, view(order));
    nb::gil_scoped_release release;
    return train_layers<T>(plan, training, source, targets, view(order), batch_size, first_step, view(rates),
                           weights.data(), slots.data(), statistics.data(), {view(objective), view(squared_norm)});
  });
}

template <class T>
static double gradient(nb::handle X, const Rows<double>& y, const Vector<double>& weight, const Vector<std::int64_t>& order,
                       index_t step, bool training, const nb::list& layers, const nb::dict& settings, const Vector<T>& weights,
                       const VectorOut<T>& statistics, const VectorOut<T>& out) {
  const LayerPlan plan = plan_of(layers, settings);
  require(index_t(weights.shape(0)) == plan.weights() && index_t(out.shape(0)) == plan.weights() &&
              index_t(statistics.shape(0)) == plan.statistics(),
          "weights, statistics and gradient must fit the layers");
  return with_source<T>(X, plan, [&](const RowSource<T>& source, index_t rows) {
    const Targets targets = targets_of(plan.loss, plan.outputs(), rows, y, weight, view(order));
    const auto seed = nb::cast<std::uint64_t>(settings["seed"]);
    nb::gil_scoped_release release;
    return layer_gradient<T>(plan, source, targets, view(order), seed, step, training, weights.data(), statistics.data(), out.data());
  });
}

template <class T>
static void forward(nb::handle X, const nb::list& layers, const nb::dict& settings, const Vector<T>& weights,
                    const VectorOut<T>& statistics, index_t depth, bool scores, const RowsOut<T>& out) {
  const LayerPlan plan = plan_of(layers, settings);
  require(index_t(weights.shape(0)) == plan.weights() && index_t(statistics.shape(0)) == plan.statistics(),
          "weights and statistics must fit the layers");
  require(depth > 0 && depth <= index_t(plan.layers.size()), "depth is a number of layers");
  with_source<T>(X, plan, [&](const RowSource<T>& source, index_t rows) {
    require(index_t(out.shape(0)) == rows && index_t(out.shape(1)) == plan.layers[std::size_t(depth - 1)].out,
            "out needs a row per row of X and a column per value of the layer");
    nb::gil_scoped_release release;
    layer_forward<T>(plan, source, weights.data(), statistics.data(), depth, scores, view(out));
  });
}

template <class T>
static void bind_precision(nb::module_& m) {
  using namespace nanobind::literals;
  m.def("layers_train", &train<T>, "X"_a, "y"_a.noconvert(), "weight"_a.noconvert(), "order"_a.noconvert(), "batch_size"_a,
        "first_step"_a, "rates"_a.noconvert(), "layers"_a, "settings"_a, "weights"_a.noconvert(), "slots"_a.noconvert(),
        "statistics"_a.noconvert(), "objective"_a.noconvert(), "squared_norm"_a.noconvert(),
        "layers_train(X, y, weight, order, batch_size, first_step, rates, layers, settings, weights, slots, statistics, "
        "objective, squared_norm) -> steps done.\nSteps on the rows of order, in batches; weights, slots and statistics in "
        "position. layers: (kind, inputs, outputs, sizes, numbers, frozen) each.");
  m.def("layers_gradient", &learnable::bind::gradient<T>, "X"_a, "y"_a.noconvert(), "weight"_a.noconvert(),
        "order"_a.noconvert(), "step"_a, "training"_a, "layers"_a, "settings"_a, "weights"_a.noconvert(),
        "statistics"_a.noconvert(), "gradient"_a.noconvert(),
        "layers_gradient(X, y, weight, order, step, training, layers, settings, weights, statistics, gradient) -> the mean "
        "loss of the rows of order; gradient becomes its derivative by the weights.");
  m.def("layers_forward", &learnable::bind::forward<T>, "X"_a, "layers"_a, "settings"_a, "weights"_a.noconvert(),
        "statistics"_a.noconvert(), "depth"_a, "scores"_a, "out"_a.noconvert(),
        "layers_forward(X, layers, settings, weights, statistics, depth, scores, out): the values after `depth` layers; "
        "after the last, predictions or scores.");
}

}  // namespace learnable::bind

void bind_layers(nanobind::module_& m) {
  learnable::bind::bind_precision<float>(m);
  learnable::bind::bind_precision<double>(m);
}
