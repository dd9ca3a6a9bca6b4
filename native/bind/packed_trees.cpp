// Many trees packed for prediction.
#include <optional>

#include "entries.hpp"
#include "learnable/trees/packed_trees.hpp"

namespace learnable::bind {

// The arrays of a Python stack of trees, and their packed form for each precision of X so far.
class Stack {
 public:
  Stack(const Vector<std::int64_t>& start, const Vector<std::int32_t>& left, const Vector<std::int32_t>& right,
        const Vector<std::int32_t>& feature, const Vector<double>& threshold, const Vector<std::uint8_t>& missing_left,
        const Vector<std::int64_t>& set_start, const Vector<std::uint64_t>& set_words, const Rows<double>& value,
        const Vector<std::int32_t>& output)
      : view_{view(start),
              {view(left), view(right), view(feature), view(threshold), view(missing_left), view(set_start), view(set_words)},
              view(value),
              view(output)} {
    const index_t nodes = view_.nodes.left.size;
    require(view_.start.size >= 1 && view_.start[0] == 0 && view_.start[view_.trees()] == nodes &&
                std::is_sorted(view_.start.begin(), view_.start.end()),
            "the trees must begin one after the other and end with the nodes");
    require(view_.nodes.right.size == nodes && view_.nodes.feature.size == nodes && view_.nodes.threshold.size == nodes &&
                view_.nodes.missing_left.size == nodes && view_.value.rows == nodes && view_.value.columns > 0,
            "every node needs children, a column, a threshold, a side for missing numbers and a value");
    const View<const std::int64_t>& sets = view_.nodes.set_start;
    require(sets.size == nodes + 1 && sets[0] == 0 && sets[nodes] == view_.nodes.set_words.size &&
                std::is_sorted(sets.begin(), sets.end()),
            "the sets of categories must begin one after the other and end with the words");
    require(view_.output.size == view_.trees() &&
                std::all_of(view_.output.begin(), view_.output.end(), [](int column) { return column >= 0; }),
            "there must be an output for each tree");
  }

  index_t outputs() const { return view_.outputs(); }

  void sums(nb::handle X, index_t first, index_t last, const RowsOut<double>& out) {
    require(0 <= first && first <= last && last <= view_.trees(), "first and last must be within the trees");
    require(index_t(out.shape(1)) == view_.outputs(), "sums must have a column for each output");
    with_packed(X, index_t(out.shape(0)), [&](const auto& packed, const auto& matrix) {
      packed.sums(matrix, first, last, view(out));
    });
  }

  void leaves(nb::handle X, const RowsOut<std::int64_t>& out) {
    require(index_t(out.shape(1)) == view_.trees(), "leaves must have a column for each tree");
    with_packed(X, index_t(out.shape(0)), [&](const auto& packed, const auto& matrix) { packed.leaves(matrix, view(out)); });
  }

 private:
  template <class F>
  void with_packed(nb::handle X, index_t rows, const F& f) {
    with_entries(X, [&](const auto& matrix) {
      using T = std::remove_const_t<std::remove_pointer_t<decltype(matrix.data)>>;
      const PackedStack<T>& packed = packed_as<T>();
      require(matrix.rows == rows, "there must be a row of results for each row of X");
      require(matrix.columns >= packed.columns(), "a tree uses a column that X does not have");
      nb::gil_scoped_release release;
      f(packed, matrix);
    });
  }

  template <class T>
  const PackedStack<T>& packed_as() {
    if constexpr (sizeof(T) == 4)
      return f32_ ? *f32_ : f32_.emplace(view_);
    else
      return f64_ ? *f64_ : f64_.emplace(view_);
  }

  StackView view_;
  std::optional<PackedStack<float>> f32_;
  std::optional<PackedStack<double>> f64_;
};

}  // namespace learnable::bind

void bind_packed_trees(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  nanobind::class_<Stack>(m, "TreeStack", "Many trees packed for prediction; the arrays must stay as they are.")
      .def(nanobind::init<const Vector<std::int64_t>&, const Vector<std::int32_t>&, const Vector<std::int32_t>&,
                          const Vector<std::int32_t>&, const Vector<double>&, const Vector<std::uint8_t>&,
                          const Vector<std::int64_t>&, const Vector<std::uint64_t>&, const Rows<double>&,
                          const Vector<std::int32_t>&>(),
           "start"_a.noconvert(), "left"_a.noconvert(), "right"_a.noconvert(), "feature"_a.noconvert(),
           "threshold"_a.noconvert(), "missing_left"_a.noconvert(), "set_start"_a.noconvert(), "set_words"_a.noconvert(),
           "value"_a.noconvert(), "output"_a.noconvert(), nanobind::keep_alive<1, 2>(), nanobind::keep_alive<1, 3>(),
           nanobind::keep_alive<1, 4>(), nanobind::keep_alive<1, 5>(), nanobind::keep_alive<1, 6>(),
           nanobind::keep_alive<1, 7>(), nanobind::keep_alive<1, 8>(), nanobind::keep_alive<1, 9>(),
           nanobind::keep_alive<1, 10>(), nanobind::keep_alive<1, 11>())
      .def_prop_ro("outputs", &Stack::outputs, "How many columns the sums have.")
      .def("sums", &Stack::sums, "X"_a, "first"_a, "last"_a, "sums"_a.noconvert(),
           "sums[i] becomes the sum of the values of row i of X over the trees first .. last.")
      .def("leaves", &Stack::leaves, "X"_a, "leaves"_a.noconvert(), "leaves[i, t] becomes the leaf of row i in tree t.");
}
