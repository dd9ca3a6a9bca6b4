// Sums without rounding errors, as Python sees them: the digits that are not zero everywhere.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "arrays.hpp"
#include "learnable/matrix/type_erased_dense.hpp"
#include "learnable/stats/exact_class_sums.hpp"
#include "learnable/stats/exact_moments.hpp"

namespace learnable::bind {

static nb::tuple as_digits(const ExactSums& sums) {
  std::vector<std::int64_t> powers;
  std::vector<std::int32_t> digits;
  sums.for_digits([&](int digit, const std::vector<std::int64_t>& values) {
    powers.push_back(digit);
    digits.insert(digits.end(), values.begin(), values.end());
  });
  const auto owned = [](auto values, std::initializer_list<std::size_t> shape) {
    using Values = decltype(values);
    auto* kept = new Values(std::move(values));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Values*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, typename Values::value_type>(kept->data(), shape, owner));
  };
  const std::size_t count = powers.size();
  return nb::make_tuple(owned(std::move(powers), {count}), owned(std::move(digits), {count, std::size_t(sums.size())}));
}

static nb::tuple bound_exact_moments(nb::handle X, nb::handle y, nb::handle weight) {
  const Numbers targets = numbers(y), weights = numbers(weight);
  const ExactSums sums = with_design(X, [&](const auto& design) {
    require(targets && targets.rows == design.rows, "y must have a row for each row of X");
    require_weights_fit(weights, design.rows);
    nb::gil_scoped_release release;
    if constexpr (std::decay_t<decltype(design)>::dense)
      return exact_moments(AnyDense(design), targets, weights);
    else
      return with_sorted_rows(design, [&](const auto& rows) { return exact_sparse_moments(rows, targets, weights); });
  });
  return as_digits(sums);
}

static nb::tuple bound_exact_class_sums(nb::handle X, const Vector<std::int64_t>& code, std::int64_t classes,
                                        nb::handle weight, bool squares) {
  const Numbers weights = numbers(weight);
  const View<const std::int64_t> codes = view(code);
  const auto check = [&](index_t rows) {
    require(classes > 0 && codes.size == rows, "a code for each row and at least one class are needed");
    require(std::all_of(codes.begin(), codes.end(), [&](std::int64_t k) { return k >= 0 && k < classes; }),
            "codes must be whole numbers below the number of classes");
    require_weights_fit(weights, rows);
  };
  const ExactSums sums = with_design(X, [&](const auto& design) {
    check(design.rows);
    nb::gil_scoped_release release;
    if constexpr (std::decay_t<decltype(design)>::dense)
      return exact_class_sums(AnyDense(design), codes, classes, weights, squares);
    else
      return with_sorted_rows(
          design, [&](const auto& rows) { return exact_sparse_class_sums(rows, codes, classes, weights, squares); });
  });
  return as_digits(sums);
}

}  // namespace learnable::bind

void bind_exact_sums(nanobind::module_& m) {
  using namespace nanobind::literals;
  m.def("exact_moments", &learnable::bind::bound_exact_moments, "X"_a, "y"_a, "weight"_a.none() = nanobind::none(),
        "exact_moments(X, y, weight=None) -> powers, digits of the upper triangle of [X, y, 1]'W[X, y, 1], row after "
        "row: each sum is exactly the sum of digits[k] 2^(32 powers[k]), with digits in [-2^31, 2^31).");
  m.def("exact_class_sums", &learnable::bind::bound_exact_class_sums, "X"_a, "code"_a.noconvert(), "classes"_a,
        "weight"_a.none() = nanobind::none(), "squares"_a = true,
        "exact_class_sums(X, code, classes, weight=None, squares=True) -> powers, digits, as exact_moments. For each "
        "class its weight, the weight of missing entries of each column, sums of the others, and of their squares.");
}
