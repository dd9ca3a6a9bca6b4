// Markov chains, as Python sees them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <cstdint>
#include <optional>

#include "arrays.hpp"
#include "learnable/sampling/glm_posterior.hpp"
#include "learnable/sampling/linear_posterior.hpp"
#include "learnable/sampling/run_chains.hpp"
#include "learnable/sampling/tape_program.hpp"

namespace learnable::bind {

using namespace sampling;

// A compiled log density and its data.
struct BoundDensity {
  std::shared_ptr<const LogDensityFactory> factory;
};

template <class Data, class Posterior>
struct Factory final : LogDensityFactory {
  Data data;
  explicit Factory(Data data) : data(std::move(data)) {}
  index_t dimension() const override { return Posterior(data).dimension(); }
  std::unique_ptr<LogDensity> chain() const override { return std::make_unique<Posterior>(data); }
};

// A Python function that returns the log density and its gradient.
class PythonDensity final : public LogDensity {
 public:
  PythonDensity(nb::handle function, index_t dimension) : function_(function), dimension_(dimension) {}
  index_t dimension() const override { return dimension_; }
  double evaluate(const double* x, double* gradient) override {
    auto argument = new_array(dimension_);
    std::copy_n(x, dimension_, argument.data);
    const nb::object found = function_(argument.array);
    const auto [value, by_parameter] = nb::cast<std::pair<double, Vector<double>>>(found);
    require(index_t(by_parameter.shape(0)) == dimension_, "the gradient must have one number per parameter");
    std::copy_n(by_parameter.data(), dimension_, gradient);
    return value;
  }

 private:
  nb::handle function_;
  index_t dimension_;
};

static std::vector<double> copied(const Rows<double>& values) {
  return {values.data(), values.data() + values.size()};
}
static std::vector<double> copied(const Vector<double>& values) {
  return {values.data(), values.data() + values.size()};
}

static BoundDensity bound_linear(const Rows<double>& gram, const Rows<double>& prior, double weight,
                                 const Rows<double>& sums, const Vector<std::int64_t>& begin,
                                 const Vector<double>& sizes, const Vector<double>& counts, double sigma_rate,
                                 double tau_rate) {
  LinearData data;
  data.width = gram.shape(0);
  require(data.width >= 2 && index_t(gram.shape(1)) == data.width && index_t(prior.shape(0)) == data.width &&
              index_t(prior.shape(1)) == data.width && index_t(sums.shape(1)) == data.width,
          "gram and prior must be square, and sums must have as many columns");
  const index_t kinds = sizes.shape(0);
  require(index_t(counts.shape(0)) == kinds && index_t(begin.shape(0)) == kinds + 1 && begin.data()[0] == 0 &&
              begin.data()[kinds] == std::int64_t(sums.shape(0)) &&
              std::is_sorted(begin.data(), begin.data() + kinds + 1),
          "sizes, counts and begin must describe the rows of sums");
  data.gram = copied(gram);
  data.prior = copied(prior);
  data.sums = copied(sums);
  data.sizes = copied(sizes);
  data.counts = copied(counts);
  data.begin.assign(begin.data(), begin.data() + kinds + 1);
  data.weight = weight;
  data.sigma_rate = sigma_rate;
  data.tau_rate = tau_rate;
  return {std::make_shared<Factory<LinearData, LinearPosterior>>(std::move(data))};
}

static BoundDensity bound_glm(const Rows<double>& X, const Vector<double>& y, const Vector<double>& weight,
                              const Vector<double>& offset, const Rows<double>& prior, bool logistic) {
  const index_t rows = X.shape(0), columns = X.shape(1);
  require(index_t(y.shape(0)) == rows && index_t(weight.shape(0)) == rows && index_t(offset.shape(0)) == rows,
          "y, weight and offset must have a number per row");
  require(columns > 0 && index_t(prior.shape(0)) == columns + 1 && index_t(prior.shape(1)) == columns + 1,
          "prior must be square, with a row more than there are columns");
  GlmData data(X.data(), y.data(), weight.data(), offset.data(), rows, columns);
  data.logistic = logistic;
  data.prior = copied(prior);
  return {std::make_shared<Factory<GlmData, GlmPosterior>>(std::move(data))};
}

// Refuses an instruction that would read or write beyond its buffers.
static void check_sizes(const ProgramData& data, const Instruction& one) {
  const index_t size = data.size(one.out), a = data.size(one.a), b = one.b < 0 ? 1 : data.size(one.b);
  const bool two = one.operation <= Operation::minimum || one.operation == Operation::matmul;
  bool fits = two == (one.b >= 0);
  if (one.operation == Operation::matmul) {
    fits = fits && size == one.rows * one.columns && a == one.rows * one.inner && b == one.inner * one.columns;
  } else if (one.operation == Operation::gather || one.operation == Operation::scatter) {
    const index_t count = one.operation == Operation::gather ? size : a;
    const index_t bound = one.operation == Operation::gather ? a : size;
    fits = fits && one.map >= 0 && one.map + count <= index_t(data.maps.size());
    for (index_t i = 0; fits && i < count; ++i)
      fits = data.maps[one.map + i] >= 0 && data.maps[one.map + i] < bound;
  } else {
    fits = fits && (a == size || (two && a == 1)) && (!two || b == size || b == 1);
  }
  require(fits, "the buffers of an instruction do not fit");
}

// Columns of `instructions`: operation, a, b, out, start of the map, rows, inner, columns.
static BoundDensity bound_program(const Rows<std::int64_t>& instructions, const Vector<double>& parameters,
                                  const Vector<std::int64_t>& begin, const Vector<std::uint8_t>& tracked,
                                  const Vector<std::int64_t>& maps, const Vector<double>& constants) {
  ProgramData data;
  const index_t buffers = index_t(begin.shape(0)) - 1;
  require(instructions.shape(1) == 8 && parameters.shape(0) == instructions.shape(0) && buffers > 0 &&
              index_t(tracked.shape(0)) == buffers && begin.data()[0] == 0 &&
              begin.data()[buffers] == std::int64_t(constants.shape(0)),
          "the arrays of the program do not match");
  data.begin.assign(begin.data(), begin.data() + buffers + 1);
  data.tracked.assign(tracked.data(), tracked.data() + buffers);
  data.maps.assign(maps.data(), maps.data() + maps.shape(0));
  data.constants.assign(constants.data(), constants.data() + constants.shape(0));
  for (index_t k = 0; k < index_t(instructions.shape(0)); ++k) {
    const std::int64_t* row = instructions.data() + k * 8;
    const bool known = row[0] >= 0 && row[0] < std::int64_t(Operation::count);
    const bool inside = row[1] >= 0 && row[1] < row[3] && row[2] >= -1 && row[2] < row[3] && row[3] < buffers;
    require(known && inside, "an instruction of the program is not valid");
    data.instructions.push_back({Operation(row[0]), index_t(row[1]), index_t(row[2]), index_t(row[3]), index_t(row[4]),
                                 index_t(row[5]), index_t(row[6]), index_t(row[7]), parameters.data()[k]});
    check_sizes(data, data.instructions.back());
  }
  require(data.size(buffers - 1) == 1, "the last buffer must be one number");
  return {std::make_shared<Factory<ProgramData, TapeProgram>>(std::move(data))};
}

static double bound_evaluate(const BoundDensity& density, const Vector<double>& x, const VectorOut<double>& gradient) {
  const index_t D = density.factory->dimension();
  require(index_t(x.shape(0)) == D && index_t(gradient.shape(0)) == D, "x must have a number per parameter");
  return density.factory->chain()->evaluate(x.data(), gradient.data());
}

static void bound_values(const BoundDensity& density, const Rows<double>& X, const VectorOut<double>& values) {
  const index_t D = density.factory->dimension(), rows = X.shape(0);
  require(index_t(X.shape(1)) == D && index_t(values.shape(0)) == rows, "X must have a column per parameter");
  const auto chain = density.factory->chain();
  for (index_t i = 0; i < rows; ++i) values.data()[i] = chain->value(X.data() + i * D);
}

static void bound_chains(nb::handle density, const Vector<std::uint64_t>& seeds, std::int64_t first,
                         const RowsOut<double>& position, const RowsOut<double>& gradient,
                         const VectorOut<double>& log_density, const RowsOut<double>& adaptation,
                         const Rows<double>& inverse_mass, const std::optional<Rows<double>>& factor, bool adapting,
                         double target_accept, int max_depth, double length, std::int64_t most_steps,
                         const RowsOut<double>& draws, const RowsOut<double>& gradients, const RowsOut<double>& stats) {
  const index_t chains = seeds.shape(0), D = position.shape(1), count = chains ? draws.shape(0) / chains : 0;
  const index_t entries = factor ? D * D : D;
  const bool shaped = index_t(position.shape(0)) == chains && index_t(gradient.shape(0)) == chains &&
                      index_t(gradient.shape(1)) == D && index_t(log_density.shape(0)) == chains &&
                      index_t(adaptation.shape(0)) == chains && adaptation.shape(1) == 5 &&
                      index_t(inverse_mass.shape(0)) == chains && index_t(inverse_mass.shape(1)) == entries &&
                      (!factor || (index_t(factor->shape(0)) == chains && index_t(factor->shape(1)) == entries));
  require(shaped && D > 0, "the state of the chains does not have matching shapes");
  require(index_t(draws.shape(0)) == chains * count && index_t(draws.shape(1)) == D &&
              gradients.shape(0) == draws.shape(0) && index_t(gradients.shape(1)) == D &&
              stats.shape(0) == draws.shape(0) && stats.shape(1) == stat_count,
          "the outputs must have a row per chain and draw");
  require(max_depth > 0 && max_depth < 30 && most_steps > 0, "max_depth must be from 1 to 29");
  const ChainOptions options{adapting, target_accept, max_depth, length, most_steps};
  const auto views = [&](index_t c) {
    const Metric metric{inverse_mass.data() + c * entries, factor ? factor->data() + c * entries : nullptr, D};
    return ChainViews{position.data() + c * D,        gradient.data() + c * D,        log_density.data() + c,
                      adaptation.data() + c * 5,      metric,                         draws.data() + c * count * D,
                      gradients.data() + c * count * D, stats.data() + c * count * stat_count};
  };
  if (!nb::isinstance<BoundDensity>(density)) {
    PythonDensity function(density, D);
    for (index_t c = 0; c < chains; ++c) run_chain(function, views(c), options, seeds.data()[c], first, count);
    return;
  }
  const auto factory = nb::cast<BoundDensity&>(density).factory;
  require(factory->dimension() == D, "position must have a column per parameter");
  nb::gil_scoped_release release;
  parallel_for(chains, [&](index_t c, int) {
    run_chain(*factory->chain(), views(c), options, seeds.data()[c], first, count);
  });
}

}  // namespace learnable::bind

void bind_sampling(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  nb::class_<BoundDensity>(m, "LogDensity", "A compiled log density with its data.")
      .def("dimension", [](const BoundDensity& density) { return density.factory->dimension(); })
      .def("evaluate", &bound_evaluate, "x"_a.noconvert(), "gradient"_a.noconvert(),
           "evaluate(x, gradient) -> float; the log density at x, whose gradient is written.")
      .def("values", &bound_values, "X"_a.noconvert(), "values"_a.noconvert(),
           "values(X, values) -> None; writes the log density at every row.");
  m.def("linear_posterior", &bound_linear, "gram"_a.noconvert(), "prior"_a.noconvert(), "weight"_a,
        "sums"_a.noconvert(), "begin"_a.noconvert(), "sizes"_a.noconvert(), "counts"_a.noconvert(), "sigma_rate"_a,
        "tau_rate"_a,
        "linear_posterior(gram, prior, weight, sums, begin, sizes, counts, sigma_rate, tau_rate) -> LogDensity of "
        "coefficients over sigma, log sigma and, with groups, log tau.");
  m.def("glm_posterior", &bound_glm, "X"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(),
        "offset"_a.noconvert(), "prior"_a.noconvert(), "logistic"_a,
        "glm_posterior(X, y, weight, offset, prior, logistic) -> LogDensity of the coefficients of logistic or Poisson "
        "regression.");
  m.def("tape_program", &bound_program, "instructions"_a.noconvert(), "parameters"_a.noconvert(),
        "begin"_a.noconvert(), "tracked"_a.noconvert(), "maps"_a.noconvert(), "constants"_a.noconvert(),
        "tape_program(instructions, parameters, begin, tracked, maps, constants) -> LogDensity recorded by the tape.");
  m.def("hamiltonian_chains", &bound_chains, "density"_a, "seeds"_a.noconvert(), "first"_a, "position"_a.noconvert(),
        "gradient"_a.noconvert(), "log_density"_a.noconvert(), "adaptation"_a.noconvert(),
        "inverse_mass"_a.noconvert(), "factor"_a.none(), "adapting"_a, "target_accept"_a, "max_depth"_a, "length"_a,
        "most_steps"_a, "draws"_a.noconvert(), "gradients"_a.noconvert(), "stats"_a.noconvert(),
        "hamiltonian_chains(density, seeds, first, position, gradient, log_density, adaptation, inverse_mass, factor, "
        "adapting, target_accept, max_depth, length, most_steps, draws, gradients, stats) -> None; continues every "
        "chain in place and writes its draws, by NUTS, or with trajectories of a fixed length if that is above 0.");
}
