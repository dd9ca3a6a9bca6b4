// Designs whose rows can be read one at a time.
#pragma once

#include <type_traits>
#include <utility>

#include "arrays.hpp"
#include "learnable/row.hpp"

namespace learnable::bind {

// Calls f with X as a design whose rows can be read: C-contiguous or CSR.
template <class F>
auto with_rows(nb::handle X, F&& f) {
  using Result = decltype(f(std::declval<RowMajor<double>>()));
  const auto dense = [&](const auto& rows) {
    const index_t n = rows.shape(0), p = rows.shape(1);
    return f(RowMajor<std::remove_const_t<std::remove_pointer_t<decltype(rows.data())>>>{rows.data(), n, p, p});
  };
  Rows<double> wide;
  if (nb::try_cast(X, wide, false)) return dense(wide);
  Rows<float> narrow;
  if (nb::try_cast(X, narrow, false)) return dense(narrow);
  return with_design(X, [&](const auto& design) -> Result {
    if constexpr (requires { design.start; row_of(design, 0); })
      return f(design);
    else
      throw nb::type_error("rows are needed: pass a C-contiguous array or a CSR matrix");
  });
}

}  // namespace learnable::bind
