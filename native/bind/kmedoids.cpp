// k-medoids.
#include "learnable/cluster/kmedoids.hpp"

#include "arrays.hpp"

namespace learnable::bind {

class BoundMedoids {
 public:
  BoundMedoids(const Rows<double>& far, const Vector<double>& weight, const VectorOut<std::int64_t>& medoid)
      : far_(far), weight_(weight), medoid_(medoid), swaps_((check(), view(far_)), view(weight_), view(medoid_)) {}

  nb::tuple sweep(double min_gain) {
    double gain = 0;
    index_t swaps = 0;
    {
      nb::gil_scoped_release release;
      swaps = swaps_.sweep(min_gain, gain);
    }
    return nb::make_tuple(swaps, gain, swaps_.cost(), swaps_.settled());
  }

 private:
  void check() const {
    const std::size_t rows = far_.shape(0), medoids = medoid_.shape(0);
    require(far_.shape(1) == rows && weight_.shape(0) == rows, "a square matrix and a weight for each row are needed");
    require(medoids >= 2 && medoids <= rows, "from two medoids up to one for each row can be swapped");
    for (const std::int64_t row : view(medoid_)) require(row >= 0 && row < std::int64_t(rows), "medoids must be rows");
  }

  Rows<double> far_;
  Vector<double> weight_;
  VectorOut<std::int64_t> medoid_;
  MedoidSwaps swaps_;
};

}  // namespace learnable::bind

void bind_kmedoids(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  nb::class_<BoundMedoids>(m, "MedoidSwaps",
                           "Swaps medoids for other rows while that lowers the weighted sum of dissimilarities; far[c, "
                           "i] is that of row i to row c. Writes medoid.")
      .def(nb::init<const Rows<double>&, const Vector<double>&, const VectorOut<std::int64_t>&>(), "far"_a.noconvert(),
           "weight"_a.noconvert(), "medoid"_a.noconvert())
      .def("sweep", &BoundMedoids::sweep, "min_gain"_a,
           "sweep(min_gain) -> number of swaps that gained more than min_gain, the largest gain of the others, "
           "the sum of dissimilarities, whether all rows were tried since the last swap.");
}
