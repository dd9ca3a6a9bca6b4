// EM of Gaussian mixtures.
#include "arrays.hpp"
#include "learnable/stats/gaussian_mixture_em.hpp"

namespace learnable::bind {

static nb::tuple bound_mixture_pass(nb::handle X, nb::handle weight, const Vector<double>& centre, nb::handle mean,
                                    const nb::list& triangles, nb::handle constant) {
  const Numbers weights = numbers(weight), means = numbers(mean), constants = numbers(constant);
  return with_dense_design(X, [&](const auto& design) -> nb::tuple {
    const index_t many = index_t(nb::len(triangles)), p = design.columns;
    require_weights_fit(weights, design.rows);
    require(many > 0 && index_t(centre.shape(0)) == p && means.columns == p && means.rows == many &&
                constants.rows == many,
            "centre, means and constants need a number for each column, or component");
    std::vector<Gaussian> components;
    const Scratch apart(many, p);
    for (index_t k = 0; k < many; ++k) {
      const Numbers triangle = numbers(triangles[k]);
      require(triangle.rows == p && triangle.columns == p, "a triangle needs a row and a column for each column of X");
      const Buffer its_mean(p);
      for (index_t j = 0; j < p; ++j) {
        its_mean[j] = means(k, j);
        apart.grid(k, j) = means(k, j) - centre.data()[j];
      }
      components.push_back(gaussian(triangle, its_mean.data(), centre.data(), constants(k)));
    }
    const NewArray total = new_array(many), shift = new_array(many, p), scatter = new_array(many, p, p);
    double likelihood = 0;
    {
      nb::gil_scoped_release release;
      const MixtureSums sums = mixture_pass(design, weights, centre.data(), components, apart.grid);
      likelihood = sums.likelihood;
      for (index_t k = 0; k < many; ++k) {
        const Grid<double>& products = sums.products[k].grid;
        total.data[k] = sums.total[k];
        for (index_t i = 0; i < p; ++i) {
          shift.data[k * p + i] = sums.shift.grid(k, i);
          for (index_t j = i; j < p; ++j)
            scatter.data[(k * p + i) * p + j] = scatter.data[(k * p + j) * p + i] = products(i, j);
        }
      }
    }
    return nb::make_tuple(likelihood, total.array, shift.array, scatter.array);
  });
}

}  // namespace learnable::bind

void bind_mixture(nanobind::module_& m) {
  using namespace nanobind::literals;
  m.def("mixture_pass", &learnable::bind::bound_mixture_pass, "X"_a, "weight"_a.none(), "centre"_a.noconvert(),
        "mean"_a, "triangles"_a, "constant"_a,
        "mixture_pass(X, weight, centre, mean, triangles, constant) -> log likelihood, weight (components,), sum of "
        "(x - mean) (components, features) and of (x - mean)(x - mean)' (components, features, features), weighted by "
        "the posterior of the components, whose scores are those of quadratic_scores. Dense X; one pass.");
}
