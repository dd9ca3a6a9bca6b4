// Shapley values of trees.
#include "entries.hpp"
#include "learnable/trees/tree_shap.hpp"

namespace learnable::bind {

// The arrays of a stack of trees, and the number of training rows of each node.
static StackView stack_of(const nb::tuple& arrays, const Vector<double>& cover) {
  const auto vector = [&]<class T>(T, int k) { return view(nb::cast<Vector<T>>(arrays[k], false)); };
  const std::int32_t whole = 0;
  const StackView stack{vector(std::int64_t(0), 0),
                        {vector(whole, 1), vector(whole, 2), vector(whole, 3), vector(0.0, 4), vector(std::uint8_t(0), 5),
                         vector(std::int64_t(0), 6), vector(std::uint64_t(0), 7)},
                        view(nb::cast<Rows<double>>(arrays[8], false)),
                        vector(whole, 9)};
  const index_t nodes = stack.nodes.left.size;
  require(stack.start.size >= 1 && stack.start[stack.trees()] == nodes && stack.value.rows == nodes &&
              index_t(cover.shape(0)) == nodes && stack.output.size == stack.trees(),
          "every node needs a value and a cover, every tree an output");
  return stack;
}

static void check(const StackView& stack, index_t rows, index_t columns, const RowsOut<double>& phi) {
  require(index_t(phi.shape(0)) == rows && index_t(phi.shape(1)) == columns * stack.outputs(),
          "phi must have a row for each of X, and an entry for each column and output");
  for (index_t k = 0; k < stack.nodes.left.size; ++k)
    require(stack.nodes.left[k] < 0 || (stack.nodes.feature[k] >= 0 && stack.nodes.feature[k] < columns),
            "a tree uses a column that X does not have");
}

static void shap(const nb::tuple& arrays, const Vector<double>& cover, nb::handle X, const RowsOut<double>& phi,
                 const VectorOut<double>& mean) {
  const StackView stack = stack_of(arrays, cover);
  require(index_t(mean.shape(0)) == stack.outputs(), "there must be a mean for each output");
  with_entries(X, [&](const auto& matrix) {
    check(stack, matrix.rows, matrix.columns, phi);
    nb::gil_scoped_release release;
    tree_shap(stack, view(cover), matrix, view(phi), view(mean));
  });
}

static void shap_against(const nb::tuple& arrays, const Vector<double>& cover, const Rows<double>& X,
                         const Rows<double>& background, const RowsOut<double>& phi) {
  const StackView stack = stack_of(arrays, cover);
  const Grid<const double> rows = view(X), others = view(background);
  require(rows.columns == others.columns && others.rows > 0, "the background must have rows, and the columns of X");
  check(stack, rows.rows, rows.columns, phi);
  nb::gil_scoped_release release;
  tree_shap_against(stack, view(cover), rows, others, view(phi));
}

}  // namespace learnable::bind

void bind_tree_shap(nanobind::module_& m) {
  using namespace nanobind::literals;
  m.def("tree_shap", &learnable::bind::shap, "stack"_a, "cover"_a.noconvert(), "X"_a, "phi"_a.noconvert(),
        "mean"_a.noconvert(),
        "phi[i, j * outputs + k] becomes the Shapley value of column j for output k of row i; mean[k] the mean prediction.");
  m.def("tree_shap_against", &learnable::bind::shap_against, "stack"_a, "cover"_a.noconvert(), "X"_a.noconvert(),
        "background"_a.noconvert(), "phi"_a.noconvert(),
        "The same with unknown columns taken from the rows of the background.");
}
