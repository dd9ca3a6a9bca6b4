// Sums over the rows of each class, as Python sees them.
#include <type_traits>

#include "arrays.hpp"
#include "learnable/matrix/class_centred.hpp"
#include "learnable/stats/class_scatter.hpp"
#include "learnable/stats/class_sums.hpp"
#include "learnable/stats/full_covariance_log_density.hpp"
#include "learnable/stats/gaussian_log_density.hpp"

namespace learnable::bind {

using Codes = Vector<std::int64_t>;

static void require_codes(const Codes& code, std::int64_t classes, index_t rows) {
  require(classes > 0 && index_t(code.shape(0)) == rows, "a code for each row and at least one class are needed");
  const View<const std::int64_t> given = view(code);
  require(std::all_of(given.begin(), given.end(), [&](std::int64_t k) { return k >= 0 && k < classes; }),
          "codes must be whole numbers below the number of classes");
}

// X as a dense design; a sparse one is a TypeError.
static AnyDense dense_design(nb::handle X) {
  return with_dense_design(X, [](const auto& design) { return AnyDense(design); });
}

static nb::tuple bound_class_scatter(nb::handle X, const Codes& code, std::int64_t classes, nb::handle weight) {
  const Numbers weights = numbers(weight);
  const AnyDense design = dense_design(X);
  require_codes(code, classes, design.rows);
  require_weights_fit(weights, design.rows);
  const index_t p = design.columns;
  const NewArray total = new_array(classes), mean = new_array(classes, p), scatter = new_array(classes, p, p);
  {
    nb::gil_scoped_release release;
    std::fill_n(scatter.data, classes * p * p, 0.0);
    for_class_moments(design, view(code), classes, weights, [&](index_t k, const Comoments& sums) {
      const Grid<double> its{scatter.data + k * p * p, p, p, p};
      total.data[k] = sums.weight;
      for (index_t j = 0; j < p; ++j) mean.data[k * p + j] = sums.shift[j] + sums.mean[j];
      add_scatter(sums, its);
      mirror(its);
    });
  }
  return nb::make_tuple(total.array, mean.array, scatter.array);
}

// Means of classes, then products about them: two passes, each in the order of the rows.
static nb::tuple bound_pooled_scatter(nb::handle X, const Codes& code, const Vector<double>& factor,
                                      nb::handle weight) {
  const Numbers weights = numbers(weight);
  const index_t classes = factor.shape(0);
  const AnyDense design = dense_design(X);
  require_codes(code, classes, design.rows);
  require_weights_fit(weights, design.rows);
  const index_t p = design.columns, n = design.rows;
  const NewArray mean = new_array(classes, p), scatter = new_array(p, p);
  {
    nb::gil_scoped_release release;
    const Grid<double> means{mean.data, classes, p, p}, pooled{scatter.data, p, p, p};
    class_means(design, view(code), weights, means);
    const Buffer scaled(n);
    for (index_t i = 0; i < n; ++i) scaled[i] = (weights ? weights(i) : 1) * factor.data()[code.data()[i]];
    const ClassCentred centred{design, view(code), means};
    std::fill_n(scatter.data, p * p, 0.0);
    const Numbers none{nullptr, n, 0, 0, 0, true}, each{scaled.data(), n, 1, 1, 0, true};
    add_scatter(moments(centred, none, each, false), pooled);
    mirror(pooled);
  }
  return nb::make_tuple(mean.array, scatter.array);
}

static nb::tuple bound_class_moments(nb::handle X, const Codes& code, std::int64_t classes, nb::handle weight,
                                     bool missing) {
  const Numbers weights = numbers(weight);
  const AnyDense design = dense_design(X);
  require_codes(code, classes, design.rows);
  require_weights_fit(weights, design.rows);
  const index_t p = design.columns;
  const NewArray total = new_array(classes, p), mean = new_array(classes, p), square = new_array(classes, p);
  {
    nb::gil_scoped_release release;
    const ClassSums sums = class_moments(design, view(code), classes, weights, missing);
    for (index_t e = 0; e < classes * p; ++e) {
      total.data[e] = sums.weight[e];
      mean.data[e] = sums.weight[e] > 0 ? sums.shift[e] + sums.sum[e] : 0;
      square.data[e] = sums.square[e] < 0 ? 0 : sums.square[e];
    }
  }
  return nb::make_tuple(total.array, mean.array, square.array);
}

static nb::object bound_class_totals(nb::handle X, const Codes& code, std::int64_t classes, nb::handle weight,
                                     nb::handle threshold) {
  const Numbers weights = numbers(weight);
  const auto totals_of = [&](const auto& design) -> nb::object {
    require_codes(code, classes, design.rows);
    require_weights_fit(weights, design.rows);
    const NewArray totals = new_array(classes, design.columns);
    const bool plain = threshold.is_none();
    const double limit = plain ? 0 : nb::cast<double>(threshold);
    const Grid<double> out{totals.data, classes, design.columns, design.columns};
    {
      nb::gil_scoped_release release;
      if (plain)
        class_totals(design, view(code), weights, [](double x) { return x; }, out);
      else
        class_totals(design, view(code), weights, [limit](double x) { return x > limit ? 1.0 : 0.0; }, out);
    }
    return totals.array;
  };
  return with_design(X, [&](const auto& design) -> nb::object {
    using Design = std::decay_t<decltype(design)>;
    if constexpr (Design::dense)
      return totals_of(AnyDense(design));
    else if constexpr (requires { design.squared_norm(0); })
      throw nb::type_error("rows are needed: convert the CSC matrix to CSR first");
    else
      return totals_of(design);
  });
}

static nb::object bound_gaussian_scores(nb::handle X, nb::handle mean, nb::handle scale, nb::handle constant,
                                        bool missing) {
  const Numbers means = numbers(mean), scales = numbers(scale), constants = numbers(constant);
  const AnyDense design = dense_design(X);
  const index_t classes = constants.rows;
  require(means.columns == design.columns && scales.columns == design.columns && means.rows == classes &&
              scales.rows == classes && classes > 0,
          "means and scales need a row for each class and a column for each column of X");
  const NewArray out = new_array(design.rows, classes);
  {
    nb::gil_scoped_release release;
    const Grid<double> scores{out.data, design.rows, classes, classes};
    gaussian_scores(design, means, scales, constants, missing, scores);
  }
  return out.array;
}

static nb::object scores_of(nb::handle X, const double* centre, const std::vector<Gaussian>& shapes, index_t columns) {
  const AnyDense design = dense_design(X);
  require(design.columns == columns, "means need a number for each column of X");
  const index_t classes = index_t(shapes.size());
  const NewArray out = new_array(design.rows, classes);
  {
    nb::gil_scoped_release release;
    quadratic_scores(design, centre, shapes, {out.data, design.rows, classes, classes});
  }
  return out.array;
}

static nb::object bound_quadratic_scores(nb::handle X, const Vector<double>& centre, nb::handle mean,
                                         const nb::list& triangles, nb::handle constant) {
  const Numbers means = numbers(mean), constants = numbers(constant);
  const index_t classes = index_t(nb::len(triangles)), p = means.columns;
  require(index_t(centre.shape(0)) == p && means.rows == classes && constants.rows == classes,
          "centre, means and constants need a number for each column, or class");
  std::vector<Gaussian> shapes;
  for (index_t k = 0; k < classes; ++k) {
    const Numbers triangle = numbers(triangles[k]);
    require(triangle.rows == p && triangle.columns == p, "a triangle needs a row and a column for each column of X");
    const Buffer its_mean(p);
    for (index_t j = 0; j < p; ++j) its_mean[j] = means(k, j);
    shapes.push_back(gaussian(triangle, its_mean.data(), centre.data(), constants(k)));
  }
  return scores_of(X, centre.data(), shapes, p);
}

static nb::object bound_axis_scores(nb::handle X, nb::handle mean, const nb::list& axes, const nb::list& variances,
                                    nb::handle prior) {
  const Numbers means = numbers(mean), priors = numbers(prior);
  const index_t classes = means.rows, p = means.columns;
  require(priors.rows == classes && index_t(nb::len(axes)) == classes && index_t(nb::len(variances)) == classes,
          "means, axes, variances and priors need an entry for each class");
  const Buffer centre(p, 0), its_mean(p);
  for (index_t k = 0; k < classes; ++k)
    for (index_t j = 0; j < p; ++j) centre[j] += means(k, j) / double(classes);
  std::vector<Gaussian> shapes;
  for (index_t k = 0; k < classes; ++k) {
    const nb::object directions = axes[k], sizes = variances[k];
    const Numbers along = numbers(directions), variance = numbers(sizes);
    require(along.rows == p && along.columns == p && variance.rows == p, "an axis and a variance per column are needed");
    double constant = std::log(priors(k));
    for (index_t j = 0; j < p; ++j) its_mean[j] = means(k, j), constant -= 0.5 * std::log(variance(j));
    shapes.push_back(gaussian(along, variance, its_mean.data(), centre.data(), constant));
  }
  return scores_of(X, centre.data(), shapes, p);
}

// Directions in the columns of each matrix, with signs such that the (first) entry of largest absolute value is
// positive.
static nb::object fix_signs(const nb::ndarray<const double, nb::ndim<3>, nb::device::cpu>& given) {
  const index_t matrices = given.shape(0), rows = given.shape(1), columns = given.shape(2);
  const NewArray out = new_array(matrices, rows, columns);
  for (index_t m = 0; m < matrices; ++m)
    for (index_t j = 0; j < columns; ++j) {
      const double* from = given.data() + m * given.stride(0) + j * given.stride(2);
      double largest = 0;
      for (index_t i = 0; i < rows; ++i)
        if (std::abs(from[i * given.stride(1)]) > std::abs(largest)) largest = from[i * given.stride(1)];
      double* to = out.data + m * rows * columns + j;
      for (index_t i = 0; i < rows; ++i) to[i * columns] = from[i * given.stride(1)] * (largest < 0 ? -1 : 1);
    }
  return out.array;
}

}  // namespace learnable::bind

void bind_classes(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  const auto none = nanobind::none();
  m.def("class_scatter", &bind::bound_class_scatter, "X"_a, "code"_a.noconvert(), "classes"_a,
        "weight"_a.none() = none,
        "class_scatter(X, code, classes, weight=None) -> weight (classes,), mean (classes, features), scatter (classes, "
        "features, features) of the rows of each class: sums of products about the mean. Dense X; one pass.");
  m.def("pooled_scatter", &bind::bound_pooled_scatter, "X"_a, "code"_a.noconvert(), "factor"_a.noconvert(),
        "weight"_a.none() = none,
        "pooled_scatter(X, code, factor, weight=None) -> mean (classes, features), sum over classes of factor times "
        "their scatter (features, features). Dense X; two passes.");
  m.def("class_moments", &bind::bound_class_moments, "X"_a, "code"_a.noconvert(), "classes"_a,
        "weight"_a.none() = none, "missing"_a = false,
        "class_moments(X, code, classes, weight=None, missing=False) -> weight, mean, sum of squares about the mean, each "
        "(classes, features); with `missing`, missing values are left out. Dense X; one pass.");
  m.def("class_totals", &bind::bound_class_totals, "X"_a, "code"_a.noconvert(), "classes"_a, "weight"_a.none() = none,
        "threshold"_a.none() = none,
        "class_totals(X, code, classes, weight=None, threshold=None) -> (classes, features) weighted sums of the values, "
        "or of [value > threshold], of which stored values only if X is sparse. Dense or CSR; one pass.");
  m.def("gaussian_scores", &bind::bound_gaussian_scores, "X"_a, "mean"_a, "scale"_a, "constant"_a, "missing"_a = false,
        "gaussian_scores(X, mean, scale, constant, missing=False) -> (samples, classes): constant minus half the sum of "
        "((x - mean) scale)^2; with `missing`, missing values contribute zero. Dense X; one pass.");
  m.def("quadratic_scores", &bind::bound_quadratic_scores, "X"_a, "centre"_a.noconvert(), "mean"_a, "triangles"_a,
        "constant"_a,
        "quadratic_scores(X, centre, mean, triangles, constant) -> (samples, classes): constant minus half of "
        "|L'(x - mean)|^2 for the lower triangle L of each class; centre is a point near the rows. Dense X; one pass.");
  m.def("axis_scores", &bind::bound_axis_scores, "X"_a, "mean"_a, "axes"_a, "variances"_a, "prior"_a,
        "axis_scores(X, mean, axes, variances, prior) -> (samples, classes): log of prior and density of Gaussians, up to a "
        "constant of all. The lists hold the principal axes of each class, one a column, and the variances along them. "
        "Dense X; one pass.");
  m.def("fix_signs", &bind::fix_signs, "directions"_a.noconvert(),
        "fix_signs(directions) -> (matrices, rows, columns): each column with a sign that makes its largest entry positive.");
}
