// Operators of evolutionary computation, as Python sees them.
#include "learnable/evolution/differential_trial.hpp"

#include <cstdint>
#include <utility>

#include "arrays.hpp"

namespace learnable::bind {

// The trials of a generation: the arrays stay those of Python, so that each trial sees what changed before it.
class DifferentialTrials {
 public:
  DifferentialTrials(Rows<double> population, Rows<std::int64_t> members, Vector<double> factors,
                     Rows<std::uint8_t> crossed, Rows<double> inside, Vector<double> low, Vector<double> width,
                     VectorOut<double> trial, VectorOut<double> point)
      : population_(std::move(population)), members_(std::move(members)), factors_(std::move(factors)),
        crossed_(std::move(crossed)), inside_(std::move(inside)), low_(std::move(low)), width_(std::move(width)),
        trial_(std::move(trial)), point_(std::move(point)) {
    const std::size_t n = population_.shape(0), d = population_.shape(1);
    require(members_.shape(0) == n && members_.shape(1) == factors_.shape(0),
            "members must have a row per individual and a column per factor");
    require(crossed_.shape(0) == n && crossed_.shape(1) == d && inside_.shape(0) == n && inside_.shape(1) == d &&
                low_.shape(0) == d && width_.shape(0) == d && trial_.shape(0) == d && point_.shape(0) == d,
            "shapes must be those of the population");
  }

  void make(std::int64_t individual) const {
    const index_t n = population_.shape(0);
    require(individual >= 0 && individual < n, "there is no such individual");
    const View<const std::int64_t> member = view(members_).row(individual);
    for (const std::int64_t other : member) require(other >= 0 && other < n, "a member is not an individual");
    differential_trial(view(population_), individual, member, view(factors_), view(crossed_).row(individual),
                       view(inside_).row(individual), view(low_), view(width_), view(trial_), view(point_));
  }

 private:
  Rows<double> population_;
  Rows<std::int64_t> members_;
  Vector<double> factors_;
  Rows<std::uint8_t> crossed_;
  Rows<double> inside_;
  Vector<double> low_, width_;
  VectorOut<double> trial_, point_;
};

}  // namespace learnable::bind

void bind_evolution(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  nb::class_<DifferentialTrials>(m, "DifferentialTrials",
                                 "The trial vectors of differential evolution: make(i) writes the one of individual i, "
                                 "in the unit cube to `trial` and within the bounds to `point`.")
      .def(nb::init<Rows<double>, Rows<std::int64_t>, Vector<double>, Rows<std::uint8_t>, Rows<double>, Vector<double>,
                    Vector<double>, VectorOut<double>, VectorOut<double>>(),
           "population"_a.noconvert(), "members"_a.noconvert(), "factors"_a.noconvert(), "crossed"_a.noconvert(),
           "inside"_a.noconvert(), "low"_a.noconvert(), "width"_a.noconvert(), "trial"_a.noconvert(),
           "point"_a.noconvert())
      .def("make", &DifferentialTrials::make, "individual"_a);
}
