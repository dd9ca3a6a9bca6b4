// Histogram gradient boosting: bins, gradients of losses, and trees.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <variant>

#include "entries.hpp"
#include "learnable/trees/histogram/grad_hess.hpp"
#include "learnable/trees/histogram/tree_builder.hpp"

namespace learnable::bind {

namespace {

template <class T>
std::optional<Vector<T>> given(nb::handle array) {
  if (array.is_none()) return std::nullopt;
  return nb::cast<Vector<T>>(array, false);
}

template <class T>
View<const T> view_of(const std::optional<Vector<T>>& array) {
  return array ? view(*array) : View<const T>{};
}

// The columns of a dense matrix.
template <class T>
struct DenseColumns final : ReadableColumnsOf<T> {
  Entries<T> X;

  explicit DenseColumns(const Entries<T>& X) : ReadableColumnsOf<T>(X.rows, X.columns), X(X) {}
  void pick(index_t j, View<const std::uint32_t> rows, double* out) const override {
    for (index_t k = 0; k < rows.size; ++k) out[k] = X(rows[k], j);
  }
  void read(index_t j, index_t begin, index_t end, T* out) const override {
    for (index_t i = begin; i < end; ++i) out[i - begin] = X(i, j);
  }
};

// Compressed columns.
template <class T>
struct CompressedColumns final : ReadableColumnsOf<T> {
  SparseColumns<T> X;

  explicit CompressedColumns(const SparseColumns<T>& X) : ReadableColumnsOf<T>(X.rows, X.columns), X(X) {}
  void pick(index_t j, View<const std::uint32_t> rows, double* out) const override {
    std::vector<T> numbers(X.rows);
    read(j, 0, X.rows, numbers.data());
    for (index_t k = 0; k < rows.size; ++k) out[k] = numbers[rows[k]];
  }
  void read(index_t j, index_t begin, index_t end, T* out) const override {
    std::fill(out, out + (end - begin), T(0));
    const line_t *at = X.index + X.start[j], *last = X.index + X.start[j + 1];
    if (X.sorted) at = std::lower_bound(at, last, line_t(begin));
    for (; at != last && !(X.sorted && *at >= end); ++at)
      if (*at >= begin && *at < end) out[*at - begin] += X.value[at - X.index];
  }
};

// Calls f with the columns of a matrix of either kind.
template <class F>
void with_readable_columns(nb::handle X, F&& f) {
  if (!nb::hasattr(X, "indptr")) return with_entries(X, [&](const auto& matrix) { f(DenseColumns(matrix)); });
  with_design(X, [&]<class Design>(const Design& design) {
    if constexpr (requires { CompressedColumns(design); })
      f(CompressedColumns(design));
    else
      throw nb::type_error("a sparse matrix must be CSC");
  });
}

void require_rows(View<const std::uint32_t> rows, index_t count) {
  require(std::all_of(rows.begin(), rows.end(), [&](std::uint32_t row) { return index_t(row) < count; }),
          "a row is out of range");
}

nb::list edges_of(nb::handle X, const Vector<std::uint32_t>& rows, nb::handle weight, index_t max_bins) {
  const auto weights = given<double>(weight);
  std::vector<std::vector<double>> edges;
  with_readable_columns(X, [&](const ReadableColumns& matrix) {
    require_rows(view(rows), matrix.rows);
    require(!weights || index_t(weights->shape(0)) == matrix.rows, "there must be a weight for each row");
    nb::gil_scoped_release release;
    edges = find_edges(matrix, view(rows), view_of(weights), max_bins);
  });
  nb::list out;
  for (const auto& column : edges) out.append(array_of(column, "float64"));
  return out;
}

std::vector<std::vector<double>> numbers_of(const nb::list& arrays) {
  std::vector<std::vector<double>> out;
  for (const nb::handle array : arrays) {
    const auto numbers = nb::cast<Vector<double>>(array, false);
    out.emplace_back(numbers.data(), numbers.data() + numbers.size());
  }
  return out;
}

template <class Bin>
void bins_of(nb::handle X, const nb::list& edges, const Vector<std::uint8_t>& categorical,
             const std::vector<index_t>& values, const RowsOut<Bin>& bins) {
  const std::vector<std::vector<double>> ends = numbers_of(edges);
  require(ends.size() == values.size() && categorical.shape(0) == values.size() && bins.shape(0) == values.size(),
          "there must be edges, a kind, a number of bins and room for each column");
  std::vector<BinnedFeature> features;
  for (std::size_t j = 0; j < values.size(); ++j) {
    features.push_back({index_t(j), 0, values[j], -1, categorical.data()[j] != 0, false});
    require(values[j] >= 0 && values[j] <= index_t(std::numeric_limits<Bin>::max()) &&
                (features.back().categorical || index_t(ends[j].size()) < values[j]),
            "the bins of a column must fit into their type");
  }
  with_readable_columns(X, [&]<class T>(const ReadableColumnsOf<T>& matrix) {
    require(matrix.columns == index_t(values.size()) && matrix.rows == index_t(bins.shape(1)),
            "there must be room for each entry of X");
    nb::gil_scoped_release release;
    bin_columns(matrix, features, ends, view(bins));
  });
}

// A table of bins and the edges that made them.
class Binned {
 public:
  // bundles[j] are the stored column, first bin and fallback of column j.
  Binned(nb::handle X, const nb::list& edges, const Vector<std::uint8_t>& categorical, const std::vector<index_t>& values,
         const Rows<std::int64_t>& bundles, const std::vector<index_t>& stored)
      : edges_(numbers_of(edges)), table_(empty(X, values, categorical, bundles, stored)) {
    require(edges_.size() == values.size(), "there must be edges for each column");
    with_readable_columns(X, [&]<class T>(const ReadableColumnsOf<T>& matrix) {
      nb::gil_scoped_release release;
      std::visit([&](auto& table) { fill_bins(matrix, edges_, table); }, table_);
    });
  }

  using Table = std::variant<BinnedTable<std::uint8_t>, BinnedTable<std::uint32_t>>;
  const Table& table() const { return table_; }
  const TableShape& shape() const {
    return std::visit([](const auto& table) -> const TableShape& { return table; }, table_);
  }
  index_t rows() const { return shape().rows(); }
  index_t columns() const { return index_t(edges_.size()); }

  std::vector<bool> has_missing() const {
    std::vector<bool> out;
    for (const BinnedFeature& feature : shape().features()) out.push_back(feature.has_missing);
    return out;
  }

  // The bins of a stored column.
  nb::object column(index_t j) const {
    return std::visit(
        [&](const auto& table) {
          require(j >= 0 && j < table.columns(), "there is no such column");
          return array_of(std::vector<std::int64_t>(table.column(j), table.column(j) + table.rows()), "int64");
        },
        table_);
  }

  double threshold(index_t feature, index_t bin) const {
    const auto& edges = edges_[feature];
    return bin < index_t(edges.size()) ? edges[bin] : std::numeric_limits<double>::infinity();
  }

 private:
  static Table empty(nb::handle X, const std::vector<index_t>& values, const Vector<std::uint8_t>& categorical,
                     const Rows<std::int64_t>& bundles, const std::vector<index_t>& stored) {
    const auto shape = nb::cast<nb::tuple>(X.attr("shape"));
    const index_t rows = nb::cast<index_t>(shape[0]), columns = nb::cast<index_t>(shape[1]);
    require(index_t(values.size()) == columns && index_t(categorical.shape(0)) == columns &&
                index_t(bundles.shape(0)) == columns && bundles.shape(1) == 3,
            "there must be a number of bins, a kind and a bundle for each column");
    std::vector<BinnedFeature> features;
    for (index_t j = 0; j < columns; ++j) {
      const std::int64_t* bundle = bundles.data() + 3 * j;
      features.push_back({bundle[0], bundle[1], values[j], bundle[2], categorical.data()[j] != 0, false});
      const BinnedFeature& feature = features.back();
      require(feature.column >= 0 && feature.column < index_t(stored.size()) && feature.values >= 0 &&
                  feature.stored(feature.fallback == feature.values ? feature.values - 1 : feature.values) <
                      stored[feature.column],
              "the bins of a column must be within those stored");
    }
    const index_t largest = *std::max_element(stored.begin(), stored.end());
    require(largest <= std::numeric_limits<std::int32_t>::max(), "a column has too many bins");
    if (largest <= 256) return Table(std::in_place_index<0>, rows, std::move(features), stored);
    return Table(std::in_place_index<1>, rows, std::move(features), stored);
  }

  std::vector<std::vector<double>> edges_;
  Table table_;
};

HistogramRules histogram_rules(const nb::dict& given) {
  HistogramRules rules;
  rules.max_depth = nb::cast<index_t>(given["max_depth"]);
  rules.max_leaves = nb::cast<index_t>(given["max_leaves"]);
  rules.by_level = nb::cast<bool>(given["by_level"]);
  rules.min_samples_leaf = nb::cast<double>(given["min_samples_leaf"]);
  rules.min_hessian = nb::cast<double>(given["min_hessian"]);
  rules.min_gain = nb::cast<double>(given["min_gain"]);
  rules.prune_gain = nb::cast<double>(given["prune_gain"]);
  rules.l1 = nb::cast<double>(given["l1"]);
  rules.l2 = nb::cast<double>(given["l2"]);
  rules.max_delta_step = nb::cast<double>(given["max_delta_step"]);
  rules.category_smoothing = nb::cast<double>(given["category_smoothing"]);
  rules.tree_fraction = nb::cast<double>(given["tree_fraction"]);
  rules.level_fraction = nb::cast<double>(given["level_fraction"]);
  rules.node_fraction = nb::cast<double>(given["node_fraction"]);
  for (const nb::handle direction : nb::list(given["direction"])) rules.direction.push_back(nb::cast<int8_t>(direction));
  rules.groups = nb::cast<std::vector<std::vector<index_t>>>(given["groups"]);
  return rules;
}

// Gradients and Hessians from Python: two values per row, of float32 or float64.
template <class GradHess>
using GradHessScalar = std::conditional_t<std::is_same_v<GradHess, GradHess32>, float, double>;

template <class GradHess, class Array>
auto pairs_of(const Array& array) {
  const auto* data = array.data();
  require(array.shape(array.ndim() - 1) == 2 && reinterpret_cast<std::uintptr_t>(data) % sizeof(GradHess) == 0,
          "grad_hess must be pairs in a new array");
  return data;
}

class BoundTreeBuilder {
 public:
  BoundTreeBuilder(const Binned& binned, const nb::dict& rules, bool f32)
      : binned_(binned), rules_(histogram_rules(rules)), rows_of_nodes_(interface_of(binned, f32)),
          builder_(*rows_of_nodes_, rules_) {
    const index_t columns = binned.columns();
    require(rules_.direction.empty() || index_t(rules_.direction.size()) == columns,
            "there must be a direction for each column, or none");
    for (const auto& group : rules_.groups)
      for (const index_t column : group) require(column >= 0 && column < columns,
                                                 "a group contains a column that is out of range");
  }

  nb::dict grow(nb::handle grad_hess, nb::handle rows, nb::handle weight, bool counted, std::uint64_t seed) {
    const auto listed = given<std::uint32_t>(rows);
    const auto weights = given<double>(weight);
    require_rows(view_of(listed), binned_.rows());
    require(!weights || index_t(weights->shape(0)) == binned_.rows(), "there must be a weight for each row");
    const GradHessView here = is_f32() ? GradHessView{grad_hess_of_rows<GradHess32>(grad_hess), nullptr}
                                 : GradHessView{nullptr, grad_hess_of_rows<GradHess64>(grad_hess)};
    {
      nb::gil_scoped_release release;
      builder_.grow(here, view_of(listed), view_of(weights), counted, seed);
    }
    return arrays(builder_.tree());
  }

  bool is_f32() const { return rows_of_nodes_->is_f32(); }

  void add(const Vector<double>& value, const VectorOut<double>& score) const {
    require_fit(value, score);
    nb::gil_scoped_release release;
    builder_.add(view(value), score.data());
  }

  void add_elsewhere(const Vector<double>& value, nb::handle rows, const VectorOut<double>& score) const {
    require_fit(value, score);
    const auto listed = given<std::uint32_t>(rows);
    require_rows(view_of(listed), binned_.rows());
    nb::gil_scoped_release release;
    builder_.add_elsewhere(view(value), view_of(listed), score.data());
  }

  // The rows of all nodes, contiguous: those of node k from begin[k] to end[k].
  nb::tuple rows() const {
    const RowOrder& order = builder_.order();
    return nb::make_tuple(array_of(std::vector<std::uint32_t>(order.data(), order.data() + order.count()), "uint32"),
                          array_of(builder_.tree().begin, "int64"), array_of(builder_.tree().end, "int64"));
  }

 private:
  // Single precision saves memory with bins of a byte; with larger bins it would save little.
  static std::unique_ptr<HistogramInterface> interface_of(const Binned& binned, bool f32) {
    const auto* table = std::get_if<BinnedTable<std::uint8_t>>(&binned.table());
    if (!table) return std::make_unique<TableHistograms<std::uint32_t, GradHess64>>(std::get<1>(binned.table()));
    if (f32) return std::make_unique<TableHistograms<std::uint8_t, GradHess32>>(*table);
    return std::make_unique<TableHistograms<std::uint8_t, GradHess64>>(*table);
  }

  // The pairs of an array that the caller keeps alive.
  template <class GradHess>
  const GradHess* grad_hess_of_rows(nb::handle grad_hess) const {
    const auto array = nb::cast<Rows<GradHessScalar<GradHess>>>(grad_hess, false);
    require(index_t(array.shape(0)) == binned_.rows(), "there must be a gradient and a Hessian for each row");
    return reinterpret_cast<const GradHess*>(pairs_of<GradHess>(array));
  }

  void require_fit(const Vector<double>& value, const VectorOut<double>& score) const {
    require(index_t(value.shape(0)) == builder_.tree().size() && index_t(score.shape(0)) == binned_.rows(),
            "there must be a value for each node and a score for each row");
  }

  nb::dict arrays(const BinTree& tree) const {
    std::vector<double> threshold;
    std::vector<std::int64_t> rows, set_start{0};
    std::vector<std::uint64_t> set_words;
    for (index_t node = 0; node < tree.size(); ++node) {
      const bool by_number = !tree.is_leaf(node) && tree.categories[node].empty();
      threshold.push_back(by_number ? binned_.threshold(tree.feature[node], tree.bin[node]) : -2.0);
      rows.push_back(tree.rows(node));
      CategorySet set;
      for (const std::uint32_t code : tree.categories[node]) set.insert(code);
      set_words.insert(set_words.end(), set.words().begin(), set.words().end());
      set_start.push_back(std::int64_t(set_words.size()));
    }
    nb::dict out;
    out["left"] = array_of(tree.left, "int32");
    out["right"] = array_of(tree.right, "int32");
    out["feature"] = array_of(tree.feature, "int32");
    out["threshold"] = array_of(threshold, "float64");
    out["missing_left"] = array_of(tree.missing_left, "uint8");
    out["rows"] = array_of(rows, "int64");
    out["gain"] = array_of(tree.gain, "float64");
    out["value"] = array_of(tree.value, "float64");
    out["gradient"] = array_of(tree.gradient, "float64");
    out["curvature"] = array_of(tree.hessian, "float64");
    out["weight"] = array_of(tree.weight, "float64");
    out["set_start"] = array_of(set_start, "int64");
    out["set_words"] = array_of(set_words, "uint64");
    return out;
  }

  const Binned& binned_;
  HistogramRules rules_;
  std::unique_ptr<HistogramInterface> rows_of_nodes_;
  HistogramTreeBuilder builder_;
};

// Calls f with the gradients and Hessians as pairs: of rows, or of classes and rows.
template <class F>
double with_grad_hess(nb::handle grad_hess, F&& f) {
  nb::ndarray<float, nb::c_contig, nb::device::cpu> f32;
  if (nb::try_cast(grad_hess, f32, false)) {
    pairs_of<GradHess32>(f32);
    return f(reinterpret_cast<GradHess32*>(f32.data()));
  }
  const auto f64 = nb::cast<nb::ndarray<double, nb::c_contig, nb::device::cpu>>(grad_hess, false);
  pairs_of<GradHess64>(f64);
  return f(reinterpret_cast<GradHess64*>(f64.data()));
}

double grad_hess_of(const std::string& kind, const Vector<double>& y, const Rows<double>& score, nb::handle weight,
                 nb::handle rows, nb::handle grad_hess) {
  const auto weights = given<double>(weight);
  const auto listed = given<std::uint32_t>(rows);
  const index_t count = y.shape(0), classes = score.shape(0);
  require_rows(view_of(listed), count);
  require(index_t(score.shape(1)) == count && (!weights || index_t(weights->shape(0)) == count),
          "there must be a target, a score and a weight for each row");
  require(nb::cast<index_t>(grad_hess.attr("size")) == 2 * count * classes,
          "there must be a gradient and a Hessian for each score");
  const LossRows at{view(y), view_of(weights), view_of(listed)};
  return with_grad_hess(grad_hess, [&](auto* out) {
    using GradHess = std::remove_pointer_t<decltype(out)>;
    nb::gil_scoped_release release;
    if (kind == "multinomial") return multinomial_grad_hess(at, view(score), Grid<GradHess>{out, classes, count, count});
    require(classes == 1, "there must be one score for each row");
    if (kind == "squared") return squared_grad_hess(at, score.data(), out);
    require(kind == "logistic", "the loss must be squared, logistic or multinomial");
    return logistic_grad_hess(at, score.data(), out);
  });
}

}  // namespace

}  // namespace learnable::bind

void bind_histogram_trees(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  m.def("bin_edges", &edges_of, "X"_a, "rows"_a.noconvert(), "weight"_a.none(), "max_bins"_a,
        "The edges of at most max_bins bins of each column, by the values in some rows.");
  const char* about = "bins[j, i] becomes the bin of X[i, j]: how many edges are below it, or its category; that after the "
                      "last if it is missing.";
  m.def("bin_columns", &bins_of<std::uint8_t>, "X"_a, "edges"_a, "categorical"_a.noconvert(), "values"_a,
        "bins"_a.noconvert(), about);
  m.def("bin_columns", &bins_of<std::uint32_t>, "X"_a, "edges"_a, "categorical"_a.noconvert(), "values"_a,
        "bins"_a.noconvert(), about);
  m.def("loss_gradients", &grad_hess_of, "kind"_a, "y"_a.noconvert(), "score"_a.noconvert(), "weight"_a.none(),
        "rows"_a.none(),
        "grad_hess"_a, "Writes weighted gradients and Hessians to grad_hess; returns the sum of the losses.");
  nanobind::class_<Binned>(m, "BinnedTable", "Columns as bins.")
      .def(nanobind::init<nanobind::handle, const nanobind::list&, const Vector<std::uint8_t>&,
                          const std::vector<learnable::index_t>&, const Rows<std::int64_t>&,
                          const std::vector<learnable::index_t>&>(),
           "X"_a, "edges"_a, "categorical"_a.noconvert(), "values"_a, "bundles"_a.noconvert(), "stored"_a)
      .def("column", &Binned::column, "number"_a, "The bins of a stored column.")
      .def("has_missing", &Binned::has_missing, "Whether each column has missing entries.");
  nanobind::class_<BoundTreeBuilder>(m, "HistogramTreeBuilder",
                                     "Grows trees from gradients and Hessians of the rows of a binned table.")
      .def(nanobind::init<const Binned&, const nanobind::dict&, bool>(), "table"_a, "rules"_a, "f32"_a,
           nanobind::keep_alive<1, 2>())
      .def_prop_ro("f32", &BoundTreeBuilder::is_f32,
                   "Whether gradients are float32: if requested, and if bins are bytes.")
      .def("grow", &BoundTreeBuilder::grow, "grad_hess"_a, "rows"_a.none(), "weight"_a.none(), "counted"_a, "seed"_a,
           "A tree as arrays by name.")
      .def("add", &BoundTreeBuilder::add, "value"_a.noconvert(), "score"_a.noconvert(),
           "score += the value of the leaf of each row that the last tree grew from.")
      .def("add_elsewhere", &BoundTreeBuilder::add_elsewhere, "value"_a.noconvert(), "rows"_a.none(),
           "score"_a.noconvert(),
           "The same for other rows of the table, or all.")
      .def("rows", &BoundTreeBuilder::rows, "The rows of all nodes of the last tree, and the first and last of each node.");
}
