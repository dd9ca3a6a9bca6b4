#include "matrix.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace learnable_python {

namespace {

using Line = std::int32_t;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

struct LineCopies {
  std::vector<Line> index;
  std::vector<index_t> start;
};

// Integers of 32 or 64 bits as `To`: the given array, or a copy. Returns their number.
template <class To>
index_t whole_numbers(nb::handle array, std::vector<To>& copy, const To*& numbers) {
  Vector<To> there;
  if (nb::try_cast(array, there, false)) {
    numbers = there.data();
    return index_t(there.shape(0));
  }
  Vector<std::conditional_t<std::is_same_v<To, Line>, std::int64_t, std::int32_t>> given;
  if (!nb::try_cast(array, given, false)) throw nb::type_error("indices and indptr must be contiguous int32 or int64");
  copy.assign(given.data(), given.data() + given.shape(0));
  numbers = copy.data();
  return index_t(copy.size());
}

// The entries of a sparse matrix. Returns their number.
index_t read_entries(nb::handle data, Matrix& found) {
  Vector<double> f64;
  found.f64 = nb::try_cast(data, f64, false);
  if (found.f64) {
    found.data = f64.data();
    return index_t(f64.shape(0));
  }
  Vector<float> f32;
  if (!nb::try_cast(data, f32, false)) throw nb::type_error("data must be contiguous float64 or float32");
  found.data = f32.data();
  return index_t(f32.shape(0));
}

Matrix::Kind sparse_kind(nb::handle X) {
  const char* format = nb::cast<const char*>(X.attr("format"));
  if (std::strcmp(format, "csc") == 0) return Matrix::sparse_columns;
  if (std::strcmp(format, "csr") == 0) return Matrix::sparse_rows;
  throw nb::type_error("a sparse matrix must be CSR or CSC");
}

// A SciPy CSC or CSR matrix or array.
Matrix sparse_matrix(nb::handle X) {
  Matrix found;
  const index_t entries = read_entries(X.attr("data"), found);
  found.kind = sparse_kind(X);
  const auto shape = nb::cast<nb::tuple>(X.attr("shape"));
  found.rows = nb::cast<index_t>(shape[0]);
  found.columns = nb::cast<index_t>(shape[1]);
  const auto copies = std::make_shared<LineCopies>();
  const index_t indices = whole_numbers(X.attr("indices"), copies->index, found.index);
  const index_t starts = whole_numbers(X.attr("indptr"), copies->start, found.start);
  const index_t lines = found.kind == Matrix::sparse_columns ? found.columns : found.rows;
  require(std::max(found.rows, found.columns) <= std::numeric_limits<Line>::max(),
          "a sparse matrix has too many rows or columns");
  require(starts == lines + 1, "indptr must have one number more than there are lines");
  require(found.start[0] == 0 && found.start[lines] <= std::min(entries, indices),
          "indptr must start at zero and end within the data");
  found.sorted = nb::cast<bool>(X.attr("has_sorted_indices"));
  found.kept = copies;
  return found;
}

template <class T, class... Limits>
bool read(nb::handle values, Table& found) {
  nb::ndarray<const T, nb::device::cpu, Limits...> array;
  if (!nb::try_cast(values, array, false)) return false;
  require(array.ndim() == 1 || array.ndim() == 2, "one or two axes are needed");
  const bool flat = array.ndim() == 1;
  found = {array.data(), index_t(array.shape(0)), flat ? 1 : index_t(array.shape(1)), index_t(array.stride(0)),
           flat ? 0 : index_t(array.stride(1)), std::is_same_v<T, double>};
  return true;
}

}  // namespace

void refuse(const char* rule) { throw std::invalid_argument(rule); }

Matrix matrix(nb::handle X) {
  Matrix found;
  if (read<double, nb::ndim<2>>(X, found) || read<float, nb::ndim<2>>(X, found)) return found;
  if (!nb::hasattr(X, "indptr")) throw nb::type_error("a matrix of float64 or float32 is needed");
  return sparse_matrix(X);
}

Table table(nb::handle values) {
  Table found;
  if (values.is_none() || read<double>(values, found) || read<float>(values, found)) return found;
  throw nb::type_error("an array of float64 or float32 is needed");
}

NewArray new_array(std::initializer_list<index_t> shape) {
  static const nb::handle empty = nb::object(nb::module_::import_("numpy").attr("empty")).release();
  nb::list sizes;
  for (const index_t size : shape) sizes.append(size);
  nb::object array = empty(sizes);
  double* data = nb::cast<nb::ndarray<double, nb::device::cpu>>(array, false).data();
  return {std::move(array), data};
}

}  // namespace learnable_python
