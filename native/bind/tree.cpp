// Trees: columns as ranks, growth, and the leaf of a row.
#include <nanobind/stl/string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "entries.hpp"
#include "learnable/trees/absolute_error_splits.hpp"
#include "learnable/trees/column_ranks.hpp"
#include "learnable/trees/forest_builder.hpp"
#include "learnable/trees/row_sampling.hpp"
#include "learnable/trees/split_search.hpp"
#include "learnable/trees/tree_builder.hpp"

namespace learnable::bind {

static nb::list ranked(nb::handle X, const RowsOut<std::uint32_t>& ranks) {
  const Levels levels = with_entries(X, [&](const auto& matrix) {
    require(index_t(ranks.shape(0)) == matrix.columns && index_t(ranks.shape(1)) == matrix.rows,
            "ranks must have a row per column of X");
    nb::gil_scoped_release release;
    return rank_columns(matrix, view(ranks));
  });
  nb::list out;
  for (const auto& column : levels) out.append(array_of(column, "float64"));
  return out;
}

// Columns from Python arguments; without ranks for numeric columns with random thresholds.
static RankedColumns columns_of(nb::handle ranks, const std::vector<Vector<double>>& levels,
                                const Vector<std::uint8_t>& categorical, bool binned) {
  RankedColumns columns;
  Rows<std::uint8_t> bytes;
  if (nb::try_cast(ranks, bytes, false))
    columns.cells.bytes = view(bytes);
  else if (!ranks.is_none())
    columns.cells.ranks = view(nb::cast<Rows<std::uint32_t>>(ranks, false));
  columns.binned = binned;
  for (const auto& column : levels) columns.levels.push_back(view(column));
  columns.categorical.assign(categorical.data(), categorical.data() + categorical.shape(0));
  return columns;
}

static std::vector<Vector<double>> vectors(const nb::list& arrays) {
  std::vector<Vector<double>> out;
  for (const nb::handle array : arrays) out.push_back(nb::cast<Vector<double>>(array, false));
  return out;
}

static GrowthRules rules_of(const nb::dict& given) {
  GrowthRules rules;
  rules.max_depth = nb::cast<index_t>(given["max_depth"]);
  rules.max_leaves = nb::cast<index_t>(given["max_leaves"]);
  rules.min_samples_split = nb::cast<index_t>(given["min_samples_split"]);
  rules.min_samples_leaf = nb::cast<index_t>(given["min_samples_leaf"]);
  rules.min_leaf_weight = nb::cast<double>(given["min_leaf_weight"]);
  rules.min_gain = nb::cast<double>(given["min_gain"]);
  rules.candidates = nb::cast<index_t>(given["candidates"]);
  rules.random_thresholds = nb::cast<bool>(given["random_thresholds"]);
  rules.tree_columns = nb::cast<index_t>(given["tree_columns"]);
  rules.top = nb::cast<index_t>(given["top"]);
  rules.seed = nb::cast<std::uint64_t>(given["seed"]);
  for (const nb::handle direction : nb::list(given["direction"])) rules.direction.push_back(nb::cast<int8_t>(direction));
  return rules;
}

// Released memory as a NumPy array that frees it.
template <class T>
static nb::object given(ReleasableArray<T>& numbers) {
  const std::size_t size = numbers.size();
  if (size == 0) numbers.more(1);  // an array needs memory
  T* data = numbers.release();
  const nb::capsule owner(data, [](void* memory) noexcept { std::free(memory); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

// Trees as arrays by name.
static nb::dict arrays_of(ForestBuilder& trees) {
  nb::dict out;
  const std::size_t nodes = trees.left.size();
  trees.close();
  if (trees.set_words.size() == 0)
    out["set_start"] = nb::module_::import_("numpy").attr("zeros")(nodes + 1, "int64");
  else
    out["set_start"] = given(trees.set_start);
  out["set_words"] = given(trees.set_words);
  out["start"] = given(trees.start);
  out["left"] = given(trees.left);
  out["right"] = given(trees.right);
  out["feature"] = given(trees.feature);
  out["threshold"] = given(trees.threshold);
  out["low"] = given(trees.low);
  out["high"] = given(trees.high);
  out["missing_left"] = given(trees.missing_left);
  out["rows"] = given(trees.rows);
  out["sums"] = given(trees.sums);
  out["value"] = given(trees.value);
  out["impurity"] = given(trees.impurity);
  out["weight"] = given(trees.weight);
  return out;
}

// The sampling of the rows of each tree, from Python arguments; None for absent ones.
static Sampling sampling_of(index_t draws, nb::handle order, nb::handle cumulative, nb::handle label, index_t classes) {
  Sampling sampling;
  sampling.draws = draws;
  if (draws == 0) return sampling;
  sampling.order = view(nb::cast<Vector<std::uint32_t>>(order, false));
  require(sampling.order.size > 0, "there are no rows to draw");
  if (!cumulative.is_none()) sampling.cumulative = view(nb::cast<Vector<double>>(cumulative, false));
  require(!sampling.cumulative || sampling.cumulative.size == sampling.order.size, "every row to draw needs a weight");
  if (!label.is_none()) sampling.label = view(nb::cast<Rows<std::int32_t>>(label, false));
  sampling.classes = classes;
  return sampling;
}

// Arguments of tree growth for any target.
class TreeTraining {
 public:
  TreeTraining(nb::handle ranks, const nb::list& levels, const Vector<std::uint8_t>& categorical, bool binned,
         nb::handle numbers, const Vector<double>& weight, const Vector<double>& alone, const nb::dict& rules,
         const Vector<std::uint64_t>& seeds, nb::handle draws)
      : level_arrays_(vectors(levels)), columns_(columns_of(ranks, level_arrays_, categorical, binned)),
          alone_(view(alone)),
        rules_(rules_of(rules)), seeds_(view(seeds)), weight_(view(weight)) {
    if (!numbers.is_none()) add_numbers(nb::cast<nb::tuple>(numbers));
    const index_t count = rows();
    require(index_t(columns_.levels.size()) == columns_.count() && index_t(columns_.categorical.size()) == columns_.count(),
            "there must be levels and a kind for each column");
    const bool has_categories = std::any_of(columns_.categorical.begin(), columns_.categorical.end(), [](auto is) { return is; });
    require(has_ranks() || (rules_.random_thresholds && !has_categories),
            "columns of categories, and thresholds that are not random, need ranks");
    require(weight_.size == count, "there must be a weight for each row");
    require(alone_.size == count || alone_.size == 1, "there must be a pure gain for each row, or one for all");
    require(rules_.direction.empty() || index_t(rules_.direction.size()) == columns_.count(),
            "there must be a direction for each column, or none");
    require(0 <= rules_.tree_columns && rules_.tree_columns <= columns_.count(),
            "tree_columns exceeds the number of columns");
    require(!rules_.random_thresholds || (!binned && (columns_.cells.f32 || columns_.cells.f64)),
            "random thresholds need the values");
    require(std::any_of(weight_.begin(), weight_.end(), [](double weight) { return weight > 0; }), "a tree needs rows");
    if (draws.is_none()) return;
    const auto given = nb::cast<nb::tuple>(draws);
    sampling_ = sampling_of(nb::cast<index_t>(given[0]), given[1], given[2], given[3], nb::cast<index_t>(given[4]));
    require(std::all_of(sampling_.order.begin(), sampling_.order.end(), [&](auto row) { return row < count; }),
            "a row is out of range");
    require(!sampling_.label || sampling_.label.rows == count, "there must be a label for each row");
  }

  // Classification trees, with `sizes` classes per target; codes continue from target to target.
  nb::dict grow_classes(const Rows<std::int32_t>& label, const Vector<std::int64_t>& sizes, bool gini) {
    require(index_t(label.shape(0)) == rows(), "there must be a label for each row");
    classes_ = view(sizes);
    gini_ = gini;
    require(classes_.size == index_t(label.shape(1)) && classes_.size > 0, "there must be a number of classes for each target");
    require(std::all_of(classes_.begin(), classes_.end(), [](auto size) { return size > 0; }), "every target needs a class");
    const index_t count = std::accumulate(classes_.begin(), classes_.end(), std::int64_t(0));
    require(std::all_of(label.data(), label.data() + label.size(), [&](int k) { return k >= 0 && k < count; }),
            "a label is not that of a class");
    if (classes_.size > 1 || count != 2)
      return grow_sums(Classes{view(label), {}, count}, EitherOf{gini, Squares{}, Likelihood{classes_.size}});
    const auto is_one = [](double weight) { return weight == 1; };
    if (gini && sampling_.draws == 0 && std::all_of(weight_.begin(), weight_.end(), is_one)) {
      const std::vector<std::uint8_t> marks(label.data(), label.data() + label.size());
      return grow_sums(BinaryLabels{{marks.data(), index_t(marks.size())}}, Squares{});
    }
    // The Gini impurity is half that of squares of zeros and ones.
    const std::vector<double> marks(label.data(), label.data() + label.size());
    return grow_one({{marks.data(), index_t(marks.size())}, {}, 0, 1}, gini, {false, {}, {}});
  }

  nb::dict grow_numbers(const Rows<double>& y, const std::string& criterion) {
    require(index_t(y.shape(0)) == rows(), "there must be a target for each row");
    const bool single = y.shape(1) == 1, squares = criterion == "squares", poisson = criterion == "poisson";
    require(squares || poisson, "the criterion must be squares or poisson");
    const std::vector<double> rounding = rounding_of_totals(view(y));
    const PoissonDeviance deviance{{rounding.data(), index_t(rounding.size())}};
    if (!single) return grow_sums(MultiTarget{view(y), {}}, EitherOf{squares, Squares{}, deviance});
    const auto [lowest, highest] = std::minmax_element(y.data(), y.data() + y.size());
    return grow_one({{y.data(), index_t(y.shape(0))}, {}, *lowest, *highest}, squares, {true, deviance, {}});
  }

  nb::dict grow_deviations(const Rows<std::uint32_t>& given, const nb::list& given_levels) {
    const Grid<const std::uint32_t> ranks = view(given);
    const std::vector<Vector<double>> kept = vectors(given_levels);
    std::vector<View<const double>> levels;
    for (const auto& of_target : kept) levels.push_back(view(of_target));
    require(ranks.rows == rows(), "there must be targets for each row");
    require(ranks.columns > 0 && index_t(levels.size()) == ranks.columns, "there must be levels for each target");
    for (index_t i = 0; i < ranks.rows; ++i)
      for (index_t t = 0; t < ranks.columns; ++t) require(ranks(i, t) < levels[t].size, "a rank is not that of a level");
    return grow([&](View<const double> weight, const GrowthRules& rules) {
      return AbsoluteErrorFinder(ranks, levels, weight, SplitSelector(rules));
    });
  }

 private:
  index_t rows() const { return columns_.rows(); }

  // Rounding errors of the sum of each target when sums of all rows are subtracted.
  std::vector<double> rounding_of_totals(Grid<const double> y) const {
    std::vector<double> lowest(std::size_t(y.columns), 0.0);
    for (index_t i = 0; i < y.rows; ++i)
      for (index_t t = 0; t < y.columns; ++t) lowest[t] += 1e-12 * weight_[i] * y(i, t);
    return lowest;
  }

  bool has_ranks() const { return columns_.cells.ranks || columns_.cells.bytes; }

  // The values in either precision, a row for each column; the same with a row for each row, if given; and which
  // columns have no missing values.
  void add_numbers(const nb::tuple& given) {
    Cells& cells = columns_.cells;
    if (!add_grids(given, cells.f32, cells.f32_rows)) add_grids(given, cells.f64, cells.f64_rows);
    const auto no_missing = nb::cast<Vector<std::uint8_t>>(given[2], false);
    columns_.no_missing.assign(no_missing.data(), no_missing.data() + no_missing.shape(0));
    require((cells.f32 || cells.f64) && index_t(columns_.no_missing.size()) == columns_.count(),
            "values must be given column by column");
  }

  // Whether the values are of this type.
  template <class T>
  bool add_grids(const nb::tuple& given, Grid<const T>& by_column, Grid<const T>& by_row) const {
    Rows<T> columns;
    if (!nb::try_cast(given[0], columns, false)) return false;
    by_column = view(columns);
    require(!has_ranks() || (by_column.rows == columns_.count() && by_column.columns == this->rows()),
            "there must be a value for each rank");
    if (given[1].is_none()) return true;
    by_row = view(nb::cast<Rows<T>>(given[1], false));
    require(by_row.rows == by_column.columns && by_row.columns == by_column.rows, "values must be the same by row");
    return true;
  }

  // One finder for all criteria of a single target.
  nb::dict grow_one(const SingleTarget& target, bool squares, const EitherOf<PoissonDeviance, LikelihoodOfTwo>& other) {
    return grow_sums(target, EitherOf{squares, Squares{}, other});
  }

  template <class Target, class Criterion>
  nb::dict grow_sums(const Target& target, const Criterion& criterion) {
    return grow([&](View<const double> weight, const GrowthRules& rules) {
      return SumFinder(weighted(target, weight), criterion, SplitSelector(rules));
    });
  }

  template <class MakeFinder>
  nb::dict grow(const MakeFinder& make_finder) {
    using Search = NodeSearch<decltype(make_finder(weight_, rules_))>;
    return grow_by([&](View<const double> weight, const GrowthRules& rules, RowStore& room) {
      return std::make_unique<Search>(columns_, make_finder(weight, rules), alone_, rules, weight, room);
    });
  }

  // Creates the nodes of one tree, whose rows have these weights, in the memory of an earlier tree of the same thread.
  using RowStore = std::shared_ptr<NodeRowIndex::Store>;
  using MakeWork = std::function<std::unique_ptr<NodeInterface>(View<const double>, const GrowthRules&, RowStore&)>;

  // A tree for each seed, in parallel.
  nb::dict grow_by(const MakeWork& make_work) {
    ForestBuilder trees(classes_, gini_);
    {
      nb::gil_scoped_release release;
      grow_in_parallel(make_work, trees);
      release_memory();
    }
    return arrays_of(trees);
  }

  // Every thread reuses its memory for all its trees.
  void grow_in_parallel(const MakeWork& make_work, ForestBuilder& trees) {
    struct Room {
      std::vector<double> weight;
      RowStore rows;
    };
    std::vector<Room> rooms(std::size_t(threads_for(seeds_.size)));
    std::atomic<index_t> size{0};  // of the last tree that was grown: an estimate for the next
    parallel_for(seeds_.size, [&](index_t t, int slot) {
      Room& room = rooms[slot];
      sampling_.weigh(seeds_[t], weight_, room.weight);
      GrowthRules rules = rules_;
      rules.seed = seeds_[t];
      rules.scale_to(room.weight, sampling_.draws > 0);
      const auto work = make_work({room.weight.data(), index_t(room.weight.size())}, rules, room.rows);
      Tree tree = TreeBuilder(*work, columns_, rules).grow(size, trees.spare());
      size = tree.size();
      trees.add(t, std::move(tree));
    });
  }

  // Returns freed memory to the system at once.
  static void release_memory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
  }

  std::vector<Vector<double>> level_arrays_;
  RankedColumns columns_;
  View<const std::int64_t> classes_;  // of each target, if there are classes
  bool gini_ = true;
  View<const double> alone_;
  GrowthRules rules_;
  View<const std::uint64_t> seeds_;
  View<const double> weight_;
  Sampling sampling_;
};

// counts[t, i] becomes how often the tree of a seed draws row i.
static void counts(const Vector<std::uint64_t>& seeds, const nb::tuple& draws, const RowsOut<double>& counts) {
  const Sampling sampling = sampling_of(nb::cast<index_t>(draws[0]), draws[1], draws[2], nb::none(), 0);
  const Grid<double> out = view(counts);
  require(out.rows == index_t(seeds.shape(0)), "there must be counts for each seed");
  require(std::all_of(sampling.order.begin(), sampling.order.end(), [&](auto row) { return row < out.columns; }),
          "a row is out of range");
  nb::gil_scoped_release release;
  parallel_for(out.rows, [&](index_t t, int) { sampling.count(seeds.data()[t], out.row(t)); });
}

static void leaves(const Vector<std::int32_t>& left, const Vector<std::int32_t>& right,
                   const Vector<std::int32_t>& feature, const Vector<double>& threshold,
                   const Vector<std::uint8_t>& missing_left, const Vector<std::int64_t>& set_start,
                   const Vector<std::uint64_t>& set_words, nb::handle X, const VectorOut<std::int64_t>& leaf) {
  const TreeView tree{view(left), view(right), view(feature), view(threshold), view(missing_left), view(set_start),
                      view(set_words)};
  with_entries(X, [&](const auto& matrix) {
    require(index_t(leaf.shape(0)) == matrix.rows, "leaf must have an entry per row of X");
    require(std::all_of(tree.feature.begin(), tree.feature.end(), [&](auto j) { return j < matrix.columns; }),
            "a tree uses a column that X does not have");
    nb::gil_scoped_release release;
    find_leaves(tree, matrix, leaf.data());
  });
}

}  // namespace learnable::bind

void bind_tree(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("rank_columns", &bind::ranked, "X"_a, "ranks"_a.noconvert(),
        "rank_columns(X, ranks) -> the sorted distinct values of each column; ranks[j, i] becomes the index of X[i, j] "
        "among them, that after the last if it is NaN.");
  nanobind::class_<bind::TreeTraining>(m, "TreeBuilder",
                                       "Columns, weights and rules from which trees grow, one for each seed.")
      .def(nanobind::init<nanobind::handle, const nanobind::list&, const bind::Vector<std::uint8_t>&, bool,
                          nanobind::handle, const bind::Vector<double>&, const bind::Vector<double>&,
                          const nanobind::dict&, const bind::Vector<std::uint64_t>&, nanobind::handle>(),
           "ranks"_a.none(), "levels"_a, "categorical"_a.noconvert(), "binned"_a, "values"_a.none(), "weight"_a.noconvert(),
           "pure_gain"_a.noconvert(), "rules"_a, "seeds"_a.noconvert(), "draws"_a.none(), nanobind::keep_alive<1, 2>(),
           nanobind::keep_alive<1, 6>(), nanobind::keep_alive<1, 7>(), nanobind::keep_alive<1, 8>(),
           nanobind::keep_alive<1, 10>(), nanobind::keep_alive<1, 11>())
      .def("grow_classes", &bind::TreeTraining::grow_classes, "label"_a.noconvert(), "sizes"_a.noconvert(), "gini"_a,
           "Classification trees, as arrays by name, with the class fractions of their nodes.")
      .def("grow_regression", &bind::TreeTraining::grow_numbers, "y"_a.noconvert(), "criterion"_a,
           "Regression trees, as arrays by name.")
      .def("grow_absolute_error", &bind::TreeTraining::grow_deviations, "ranks"_a.noconvert(), "levels"_a,
           "Regression trees of least absolute error, for targets given by ranks among levels, as arrays by name.");
  m.def("bootstrap_counts", &bind::counts, "seeds"_a.noconvert(), "draws"_a, "counts"_a.noconvert(),
        "counts[t, i] becomes how often the tree of a seed draws row i.");
  m.def("find_leaves", &bind::leaves, "left"_a.noconvert(), "right"_a.noconvert(), "feature"_a.noconvert(),
        "threshold"_a.noconvert(), "missing_left"_a.noconvert(), "set_start"_a.noconvert(), "set_words"_a.noconvert(),
        "X"_a, "leaf"_a.noconvert(), "leaf[i] becomes the leaf of row i of X.");
}
