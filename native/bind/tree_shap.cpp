// Shapley values of trees.
#include "entries.hpp"
#include "learnable/tree_shap.hpp"

namespace learnable::bind {

static void shap(const Vector<std::int64_t>& start, const Vector<std::int32_t>& left, const Vector<std::int32_t>& right,
                 const Vector<std::int32_t>& feature, const Vector<double>& threshold,
                 const Vector<std::uint8_t>& missing_left, const Vector<std::int64_t>& set_start,
                 const Vector<std::uint64_t>& set_words, const Rows<double>& value, const Vector<std::int32_t>& output,
                 const Vector<double>& cover, nb::handle X, const RowsOut<double>& phi, const VectorOut<double>& mean) {
  const StackView stack{
      view(start),
      {view(left), view(right), view(feature), view(threshold), view(missing_left), view(set_start), view(set_words)},
      view(value),
      view(output)};
  const index_t nodes = stack.nodes.left.size;
  require(stack.start.size >= 1 && stack.start[stack.trees()] == nodes && stack.value.rows == nodes &&
              index_t(cover.shape(0)) == nodes && stack.output.size == stack.trees(),
          "every node needs a value and a cover, every tree an output");
  require(index_t(mean.shape(0)) == stack.outputs(), "there must be a mean for each output");
  with_entries(X, [&](const auto& matrix) {
    require(index_t(phi.shape(0)) == matrix.rows && index_t(phi.shape(1)) == matrix.columns * stack.outputs(),
            "phi must have a row for each of X, and an entry for each column and output");
    for (index_t k = 0; k < nodes; ++k)
      require(stack.nodes.left[k] < 0 || (stack.nodes.feature[k] >= 0 && stack.nodes.feature[k] < matrix.columns),
              "a tree asks for a column that X does not have");
    nb::gil_scoped_release release;
    tree_shap(stack, view(cover), matrix, view(phi), view(mean));
  });
}

}  // namespace learnable::bind

void bind_tree_shap(nanobind::module_& m) {
  using namespace nanobind::literals;
  m.def("tree_shap", &learnable::bind::shap, "start"_a.noconvert(), "left"_a.noconvert(), "right"_a.noconvert(),
        "feature"_a.noconvert(), "threshold"_a.noconvert(), "missing_left"_a.noconvert(), "set_start"_a.noconvert(),
        "set_words"_a.noconvert(), "value"_a.noconvert(), "output"_a.noconvert(), "cover"_a.noconvert(), "X"_a,
        "phi"_a.noconvert(), "mean"_a.noconvert(),
        "phi[i, j * outputs + k] becomes the Shapley value of column j for output k of row i; mean[k] the mean answer.");
}
