// Sparse inverse covariances and the minimum covariance determinant, as Python sees them.
#include "arrays.hpp"
#include "learnable/covariance/concentration.hpp"
#include "learnable/covariance/graphical_lasso.hpp"

namespace learnable::bind {

static index_t bound_graphical_lasso_sweep(const Rows<double>& S, const Vector<double>& penalty, double tolerance,
                                           int most_passes, const RowsOut<double>& W, const RowsOut<double>& coef,
                                           const RowsOut<double>& precision) {
  const std::size_t p = S.shape(0);
  const auto square = [&](const auto& A) { return A.shape(0) == p && A.shape(1) == p; };
  require(square(S) && square(W) && square(coef) && square(precision) && penalty.shape(0) == p,
          "square matrices of one size and a penalty for each column are needed");
  nb::gil_scoped_release release;
  return graphical_lasso_sweep(view(S), view(penalty), tolerance, most_passes, view(W), view(coef), view(precision));
}

static index_t bound_concentrate(const Rows<double>& X, const Vector<double>& weight, double half, double floor,
                                 int steps, double tolerance, const RowsOut<double>& location,
                                 const RowsOut<double>& covariance, const VectorOut<double>& log_determinant) {
  const std::size_t p = X.shape(1), starts = location.shape(0);
  require(location.shape(1) == p && covariance.shape(0) == starts && covariance.shape(1) == p * p &&
              log_determinant.shape(0) == starts,
          "a location, a covariance and a determinant are needed for each start");
  require(weight.shape(0) == 0 || weight.shape(0) == X.shape(0), "weight needs no entry or one for each row");
  require(half >= 1 && X.shape(0) >= 1 && p >= 1, "at least one row must be chosen");
  nb::gil_scoped_release release;
  return concentrate(view(X), view(weight), half, floor, steps, tolerance, view(location), view(covariance),
                     view(log_determinant));
}

}  // namespace learnable::bind

void bind_covariance(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  m.def("graphical_lasso_sweep", &bound_graphical_lasso_sweep, "S"_a.noconvert(), "penalty"_a.noconvert(),
        "tolerance"_a, "most_passes"_a, "W"_a.noconvert(), "coef"_a.noconvert(), "precision"_a.noconvert(),
        "Replaces the working covariance W, the coefficients of each column on the others and the precision by those "
        "after one sweep of block coordinate descent; the penalty of entry (i, j) is penalty_i penalty_j. Returns the "
        "number of passes.");
  m.def("concentrate", &bound_concentrate, "X"_a.noconvert(), "weight"_a.noconvert(), "half"_a, "floor"_a, "steps"_a,
        "tolerance"_a, "location"_a.noconvert(), "covariance"_a.noconvert(), "log_determinant"_a.noconvert(),
        "Concentration steps from each row of location and covariance, which are replaced; rows of a total weight of "
        "half are chosen, floor is added to the diagonal. Returns the number of steps.");
}
