// Distinct values of a column, of numbers or of any Python objects, and the code of each entry; order of rows by hash.
#include "learnable/stats/unique_values.hpp"

#include <array>

#include "arrays.hpp"
#include "learnable/matrix/row_hashes.hpp"

namespace learnable::bind {

static nb::object numbers_of(const Vector<double>& values, std::size_t limit, const VectorOut<std::int64_t>& codes) {
  require(values.shape(0) == codes.shape(0), "codes must be as many as values");
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    found = distinct_numbers(view(values), limit, codes.data());
  }
  if (found.empty() && values.shape(0) > 0) return nb::none();
  const NewArray out = new_array(index_t(found.size()));
  std::copy(found.begin(), found.end(), out.data);
  return out.array;
}

// Objects are looked up by identity first, as most columns contain few objects many times, then in a dictionary. All
// NaN are one value. The list keeps its entries alive, so that an address identifies an object.
static nb::list objects_of(const nb::list& entries, const VectorOut<std::int64_t>& codes) {
  const std::size_t count = nb::len(entries);
  require(count == codes.shape(0), "codes must be as many as entries");
  constexpr std::size_t slots = 1024;
  std::array<PyObject*, slots> cached{};
  std::array<std::int64_t, slots> code_of{};
  nb::list found;
  nb::dict codes_by_value;
  const nb::object nan = nb::steal(PyFloat_FromDouble(std::numeric_limits<double>::quiet_NaN()));
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* entry = PyList_GET_ITEM(entries.ptr(), Py_ssize_t(i));
    if (PyFloat_Check(entry) && std::isnan(PyFloat_AS_DOUBLE(entry))) entry = nan.ptr();
    const std::size_t slot = ((std::uintptr_t(entry) >> 4) * 0x9E3779B97F4A7C15ull >> 40) & (slots - 1);
    if (cached[slot] != entry) {
      PyObject* stored = PyDict_GetItemWithError(codes_by_value.ptr(), entry);
      if (!stored) {
        if (PyErr_Occurred()) throw nb::python_error();
        const nb::object code = nb::steal(PyLong_FromSsize_t(Py_ssize_t(nb::len(found))));
        if (PyDict_SetItem(codes_by_value.ptr(), entry, code.ptr()) < 0) throw nb::python_error();
        found.append(nb::borrow(entry));
        stored = PyDict_GetItemWithError(codes_by_value.ptr(), entry);
      }
      cached[slot] = entry;
      code_of[slot] = PyLong_AsSsize_t(stored);
    }
    codes.data()[i] = code_of[slot];
  }
  return found;
}

template <class T>
static void looked_up(const nb::list& tables, const nb::list& codes, const RowsOut<T>& out) {
  const Grid<T> rows = view(out);
  require(index_t(nb::len(tables)) == rows.columns && index_t(nb::len(codes)) == rows.columns,
          "tables, codes and columns of out must be equally many");
  std::vector<CodedColumn<T>> columns;
  std::vector<Vector<T>> kept_tables;
  std::vector<Vector<std::int64_t>> kept_codes;
  for (index_t j = 0; j < rows.columns; ++j) {
    kept_tables.push_back(nb::cast<Vector<T>>(tables[j], false));
    kept_codes.push_back(nb::cast<Vector<std::int64_t>>(codes[j], false));
    const View<const T> table = view(kept_tables.back());
    const View<const std::int64_t> code = view(kept_codes.back());
    require(code.size == rows.rows, "codes must have one entry per row of out");
    require(std::all_of(code.begin(), code.end(), [&](std::int64_t at) { return at >= -1 && at < table.size; }) &&
                table.size > 0,
            "a code is not in its table");
    columns.push_back({code.data, table});
  }
  nb::gil_scoped_release release;
  decode_columns(columns, rows);
}

static void bound_add_row_hashes(nb::handle X, const Vector<std::uint64_t>& factors, bool f32,
                              const VectorOut<std::uint64_t>& hashes) {
  with_design(X, [&](const auto& design) {
    if constexpr (requires { detail::add_row_hashes<double>(design, 0, 0, nullptr, nullptr); }) {
      require(index_t(factors.shape(0)) == design.columns && index_t(hashes.shape(0)) == design.rows,
              "factors need a number for each column of X, hashes one for each row");
      nb::gil_scoped_release release;
      f32 ? add_row_hashes<float>(design, view(factors), view(hashes))
             : add_row_hashes<double>(design, view(factors), view(hashes));
    } else {
      throw nb::type_error("rows are needed: pass a dense or a CSR matrix");
    }
  });
}

static void bound_order(const Vector<std::uint64_t>& hashes, const VectorOut<std::int64_t>& order) {
  require(hashes.shape(0) == order.shape(0), "order must have an entry for each hash");
  nb::gil_scoped_release release;
  order_by_hash(view(hashes), view(order));
}

}  // namespace learnable::bind

void bind_unique_values(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("distinct_numbers", &bind::numbers_of, "values"_a.noconvert(), "limit"_a, "codes"_a.noconvert(),
        "distinct_numbers(values, limit, codes) -> the distinct values in order of appearance, or None if they are "
        "more than limit; codes[i] becomes the index of values[i] among them. All NaN are one value.");
  m.def("distinct_objects", &bind::objects_of, "entries"_a, "codes"_a.noconvert(),
        "distinct_objects(entries, codes) -> the distinct entries of a list in order of appearance; codes[i] becomes "
        "the index of entries[i] among them. All NaN are one entry.");
  m.def("decode_columns", &bind::looked_up<double>, "tables"_a, "codes"_a, "out"_a.noconvert(),
        "decode_columns(tables, codes, out): out[i, j] = tables[j][codes[j][i]], -1 being the last entry of a table.");
  m.def("decode_columns", &bind::looked_up<float>, "tables"_a, "codes"_a, "out"_a.noconvert());
  m.def("decode_columns", &bind::looked_up<std::int32_t>, "tables"_a, "codes"_a, "out"_a.noconvert());
  m.def("add_row_hashes", &bind::bound_add_row_hashes, "X"_a, "factors"_a.noconvert(), "f32"_a, "hashes"_a.noconvert(),
        "add_row_hashes(X, factors, f32, hashes): adds to the hash of each row the sum of factor times mixed bits of "
        "its entries, rounded to single precision if `f32`. Zeros add nothing.");
  m.def("order_by_hash", &bind::bound_order, "hashes"_a.noconvert(), "order"_a.noconvert(),
        "order_by_hash(hashes, order): writes the indices that sort the hashes, equal ones in their order.");
}
