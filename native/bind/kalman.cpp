// Linear Gaussian state-space models, as Python sees them.
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>

#include "arrays.hpp"
#include "learnable/chain/kalman.hpp"

namespace learnable::bind {

struct SpaceArguments {
  Rows<double> A;
  Vector<double> b;
  Rows<double> Q, C;
  Vector<double> d;
  Rows<double> R;
  Vector<double> mean;
  Rows<double> covariance;

  StateSpace model() const {
    const StateSpace found{view(A), view(b), view(Q), view(C), view(d), view(R), view(mean), view(covariance)};
    const index_t n = found.states(), p = found.columns();
    const auto shaped = [](const Grid<const double>& grid, index_t rows, index_t columns) {
      return grid.rows == rows && grid.columns == columns;
    };
    require(n > 0 && p > 0 && shaped(found.A, n, n) && shaped(found.Q, n, n) && shaped(found.C, p, n) &&
                shaped(found.R, p, p) && shaped(found.covariance, n, n) && found.b.size == n && found.mean.size == n &&
                found.d.size == p,
            "the shapes of A, b, Q, C, d, R, mean and covariance do not fit together");
    return found;
  }
};

static void kalman_moments(const SpaceArguments& given, const Rows<double>& X, const Vector<std::int64_t>& offset,
                           const VectorOut<double>& log_likelihood, const RowsOut<double>& filtered_mean,
                           const RowsOut<double>& filtered_covariance, const std::optional<RowsOut<double>>& mean,
                           const std::optional<RowsOut<double>>& covariance,
                           const std::optional<RowsOut<double>>& cross) {
  const StateSpace model = given.model();
  const Grid<const double> rows = view(X);
  const View<const std::int64_t> begin = view(offset);
  const index_t n = model.states(), sequences = begin.size - 1;
  require(rows.columns == model.columns(), "X must have a column for each row of C");
  require(sequences >= 0 && begin[0] == 0 && begin[sequences] == rows.rows, "offset must go from 0 to the rows of X");
  for (index_t s = 0; s < sequences; ++s) require(begin[s] <= begin[s + 1], "offset must not decrease");
  require(index_t(log_likelihood.shape(0)) == sequences, "log_likelihood must have a number per sequence");
  const auto check = [&](const RowsOut<double>& out, index_t columns) {
    require(index_t(out.shape(0)) == rows.rows && index_t(out.shape(1)) == columns, "an output has the wrong shape");
  };
  check(filtered_mean, n);
  check(filtered_covariance, n * n);
  const bool smooth = mean && covariance && cross;
  if (smooth) {
    check(*mean, n);
    check(*covariance, n * n);
    check(*cross, n * n);
  }
  nb::gil_scoped_release release;
  parallel_for(sequences, [&](index_t s, int) {
    KalmanFilter one(model, rows, index_t(begin[s]), index_t(begin[s + 1]));
    view(log_likelihood)[s] = one.filter({view(filtered_mean), view(filtered_covariance)}, smooth);
    if (smooth && !std::isnan(view(log_likelihood)[s])) one.smooth({view(*mean), view(*covariance)}, view(*cross));
  });
}

}  // namespace learnable::bind

void bind_kalman(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  nb::class_<SpaceArguments>(m, "StateSpace",
                             "StateSpace(A, b, Q, C, d, R, mean, covariance): z_1 ~ N(mean, covariance), "
                             "z_t+1 ~ N(A z_t + b, Q), x_t ~ N(C z_t + d, R).")
      .def(nb::init<Rows<double>, Vector<double>, Rows<double>, Rows<double>, Vector<double>, Rows<double>,
                    Vector<double>, Rows<double>>(),
           "A"_a.noconvert(), "b"_a.noconvert(), "Q"_a.noconvert(), "C"_a.noconvert(), "d"_a.noconvert(),
           "R"_a.noconvert(), "mean"_a.noconvert(), "covariance"_a.noconvert())
      .def("moments", &kalman_moments, "X"_a.noconvert(), "offset"_a.noconvert(), "log_likelihood"_a.noconvert(),
           "filtered_mean"_a.noconvert(), "filtered_covariance"_a.noconvert(), "mean"_a.none(), "covariance"_a.none(),
           "cross"_a.none(),
           "Writes the log likelihood of each sequence (NaN if the covariance of a row is not positive definite), "
           "moments of the states given the rows so far, and, if given, those given all rows, and the covariances of "
           "each state with the next one.");
}
