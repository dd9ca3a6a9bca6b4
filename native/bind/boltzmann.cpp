// Restricted Boltzmann machines.
#include "learnable/network/boltzmann.hpp"

#include "arrays.hpp"
#include "learnable/threads/interrupt.hpp"

namespace learnable::bind {

template <class T>
static void steps(const Rows<T>& X, const RowsOut<double>& draws, index_t batch_size, double rate, const RowsOut<T>& weights,
                  const VectorOut<T>& hidden, const VectorOut<T>& visible, const RowsOut<T>& samples) {
  const auto rows = view(X);
  const network::BoltzmannMachine<T> machine{view(weights), view(hidden), view(visible), view(samples)};
  const index_t units = machine.weights.rows, columns = machine.weights.columns, chain = machine.samples.rows;
  require(batch_size > 0 && rows.rows > 0, "a batch needs a row");
  const index_t count = (rows.rows + batch_size - 1) / batch_size;
  require(rows.columns == columns && machine.hidden.size == units && machine.visible.size == columns &&
              machine.samples.columns == units,
          "weights, intercepts and samples must fit the columns");
  require(index_t(draws.shape(0)) == count && index_t(draws.shape(1)) == chain * (columns + units),
          "draws needs a row for each step, with a number for each column and unit of the chain");
  nb::gil_scoped_release release;
  std::vector<T> space(std::size_t((batch_size + chain) * units + chain * columns));
  for (index_t step = 0; step < count; ++step) {
    const index_t begin = step * batch_size, here = std::min(batch_size, rows.rows - begin);
    network::divergence_step(machine, &rows(begin, 0), here, draws.data() + step * chain * (columns + units), T(rate / double(here)), space.data());
    poll_interrupt();
  }
}

template <class T>
static void bind_precision(nb::module_& m) {
  using namespace nanobind::literals;
  m.def("boltzmann_steps", &steps<T>, "X"_a.noconvert(), "draws"_a.noconvert(), "batch_size"_a, "rate"_a, "weights"_a.noconvert(),
        "hidden"_a.noconvert(), "visible"_a.noconvert(), "samples"_a.noconvert(),
        "boltzmann_steps(X, draws, batch_size, rate, weights, hidden, visible, samples): steps of persistent contrastive "
        "divergence on the rows in batches; all but X and draws in position.");
}

}  // namespace learnable::bind

void bind_boltzmann(nanobind::module_& m) {
  learnable::bind::bind_precision<float>(m);
  learnable::bind::bind_precision<double>(m);
}
