// Trees: columns as ranks, growth, and the leaf of a row.
#include <nanobind/stl/string.h>

#include "entries.hpp"
#include "learnable/tree_deviations.hpp"
#include "learnable/tree_grow.hpp"
#include "learnable/tree_ranks.hpp"

namespace learnable::bind {

template <class T>
static nb::object array_of(const std::vector<T>& values, const char* kind) {
  const nb::object array = nb::module_::import_("numpy").attr("empty")(values.size(), kind);
  std::copy(values.begin(), values.end(), nb::cast<nb::ndarray<T, nb::device::cpu>>(array, false).data());
  return array;
}

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

static RankedColumns columns_of(const Rows<std::uint32_t>& ranks, const std::vector<Vector<double>>& levels,
                                const Vector<std::uint8_t>& categorical) {
  RankedColumns columns{view(ranks), {}, {}};
  require(index_t(levels.size()) == columns.count() && index_t(categorical.shape(0)) == columns.count(),
          "there must be levels and a kind for each column");
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
  rules.most_depth = nb::cast<index_t>(given["most_depth"]);
  rules.most_leaves = nb::cast<index_t>(given["most_leaves"]);
  rules.least_rows_to_split = nb::cast<index_t>(given["least_rows_to_split"]);
  rules.least_rows = nb::cast<index_t>(given["least_rows"]);
  rules.least_weight = nb::cast<double>(given["least_weight"]);
  rules.least_gain = nb::cast<double>(given["least_gain"]);
  rules.candidates = nb::cast<index_t>(given["candidates"]);
  rules.random_thresholds = nb::cast<bool>(given["random_thresholds"]);
  rules.seed = nb::cast<std::uint64_t>(given["seed"]);
  for (const nb::handle direction : nb::list(given["direction"])) rules.direction.push_back(nb::cast<int8_t>(direction));
  return rules;
}

static nb::dict arrays_of(const Tree& tree) {
  nb::dict out;
  out["left"] = array_of(tree.left, "int32");
  out["right"] = array_of(tree.right, "int32");
  out["feature"] = array_of(tree.feature, "int32");
  out["threshold"] = array_of(tree.threshold, "float64");
  out["gain"] = array_of(tree.gain, "float64");
  out["low"] = array_of(tree.low, "float64");
  out["high"] = array_of(tree.high, "float64");
  out["missing_left"] = array_of(tree.missing_left, "uint8");
  out["rows"] = array_of(tree.rows, "int64");
  out["sums"] = array_of(tree.sums, "float64");
  out["set_start"] = array_of(tree.set_start, "int64");
  out["set_words"] = array_of(tree.set_words, "uint64");
  return out;
}

// What growth of any target needs, as Python gives it.
struct Ground {
  std::vector<Vector<double>> kept;
  RankedColumns columns;
  std::vector<std::uint32_t> rows;
  View<const double> weight, alone;
  GrowthRules rules;

  Ground(const Rows<std::uint32_t>& ranks, const nb::list& levels, const Vector<std::uint8_t>& categorical,
         const Vector<std::uint32_t>& rows, const Vector<double>& weight, const Vector<double>& alone, const nb::dict& rules)
      : kept(vectors(levels)), columns(columns_of(ranks, kept, categorical)),
        rows(rows.data(), rows.data() + rows.shape(0)), weight(view(weight)), alone(view(alone)), rules(rules_of(rules)) {
    const index_t count = columns.ranks.columns;
    require(this->weight.size == count && this->alone.size == count, "there must be a weight and a worth for each row");
    require(this->rules.direction.empty() || index_t(this->rules.direction.size()) == columns.count(),
            "there must be a direction for each column, or none");
    require(!this->rows.empty(), "a tree needs rows");
    require(std::all_of(this->rows.begin(), this->rows.end(), [&](std::uint32_t row) { return row < count; }),
            "a row is not there");
  }

  template <class Finder>
  nb::dict grow_by(const Finder& finder) {
    Tree tree;
    {
      nb::gil_scoped_release release;
      tree = Grower<Finder>(columns, finder, alone, rules, rows).grow();
    }
    return arrays_of(tree);
  }

  template <class Target, class Criterion>
  nb::dict grow(const Target& target, const Criterion& criterion) {
    return grow_by(SumFinder<Target, Criterion>(target, criterion, rules));
  }
};

static nb::dict grow_classes(Ground& ground, const Rows<std::int32_t>& label, index_t count, const std::string& criterion) {
  const Classes target{view(label), ground.weight, count};
  require(target.label.rows == ground.weight.size, "there must be a label for each row");
  require(std::all_of(label.data(), label.data() + label.size(), [&](int k) { return k >= 0 && k < count; }),
          "a label is not that of a class");
  if (criterion == "squares") return ground.grow(target, Squares{});
  require(criterion == "likelihood", "classes are told apart by squares or likelihood");
  return ground.grow(target, Likelihood{target.label.columns});
}

static nb::dict grow_numbers(Ground& ground, const Rows<double>& y, const std::string& criterion) {
  require(index_t(y.shape(0)) == ground.weight.size, "there must be a target for each row");
  const SeveralNumbers many{view(y), ground.weight};
  const OneNumber one{{y.data(), index_t(y.shape(0))}, ground.weight};
  const bool single = y.shape(1) == 1;
  if (criterion == "squares") return single ? ground.grow(one, Squares{}) : ground.grow(many, Squares{});
  if (criterion == "poisson") return single ? ground.grow(one, PoissonDeviance{}) : ground.grow(many, PoissonDeviance{});
  require(single && criterion == "likelihood", "numbers are told apart by squares or poisson, two classes by likelihood");
  return ground.grow(one, LikelihoodOfTwo{});
}

static nb::dict grow_deviations(Ground& ground, const Vector<std::uint32_t>& rank, const Vector<double>& levels) {
  require(index_t(rank.shape(0)) == ground.weight.size, "there must be a target for each row");
  require(std::all_of(rank.data(), rank.data() + rank.size(), [&](auto at) { return at < levels.shape(0); }),
          "a rank is not that of a level");
  return ground.grow_by(DeviationFinder(view(rank), view(levels), ground.weight, ground.rules));
}

static void leaves(const Vector<std::int32_t>& left, const Vector<std::int32_t>& right,
                   const Vector<std::int32_t>& feature, const Vector<double>& threshold,
                   const Vector<std::uint8_t>& missing_left, const Vector<std::int64_t>& set_start,
                   const Vector<std::uint64_t>& set_words, nb::handle X, const VectorOut<std::int64_t>& leaf) {
  const TreeView tree{view(left), view(right), view(feature), view(threshold), view(missing_left), view(set_start),
                      view(set_words)};
  with_entries(X, [&](const auto& matrix) {
    require(index_t(leaf.shape(0)) == matrix.rows, "leaf must have an entry per row of X");
    nb::gil_scoped_release release;
    find_leaves(tree, matrix, leaf.data());
  });
}

}  // namespace learnable::bind

void bind_tree(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  m.def("rank_columns", &bind::ranked, "X"_a, "ranks"_a.noconvert(),
        "rank_columns(X, ranks) -> the sorted different numbers of each column; ranks[j, i] becomes the place of X[i, j] "
        "among them, that after the last if it is NaN.");
  nanobind::class_<bind::Ground>(m, "TreeGround", "Columns, rows, weights and rules from which trees grow.")
      .def(nanobind::init<const bind::Rows<std::uint32_t>&, const nanobind::list&, const bind::Vector<std::uint8_t>&,
                          const bind::Vector<std::uint32_t>&, const bind::Vector<double>&, const bind::Vector<double>&,
                          const nanobind::dict&>(),
           "ranks"_a.noconvert(), "levels"_a, "categorical"_a.noconvert(), "rows"_a.noconvert(), "weight"_a.noconvert(),
           "alone"_a.noconvert(), "rules"_a, nanobind::keep_alive<1, 2>(), nanobind::keep_alive<1, 6>(),
           nanobind::keep_alive<1, 7>())
      .def("grow_classes", &bind::grow_classes, "label"_a.noconvert(), "count"_a, "criterion"_a,
           "A tree that tells classes apart, as arrays by name.")
      .def("grow_numbers", &bind::grow_numbers, "y"_a.noconvert(), "criterion"_a,
           "A tree that tells numbers apart, as arrays by name; two classes are the numbers 0 and 1.")
      .def("grow_deviations", &bind::grow_deviations, "rank"_a.noconvert(), "levels"_a.noconvert(),
           "A tree that leaves the least absolute deviations, of targets given by rank, as arrays by name.");
  m.def("find_leaves", &bind::leaves, "left"_a.noconvert(), "right"_a.noconvert(), "feature"_a.noconvert(),
        "threshold"_a.noconvert(), "missing_left"_a.noconvert(), "set_start"_a.noconvert(), "set_words"_a.noconvert(),
        "X"_a, "leaf"_a.noconvert(), "leaf[i] becomes the leaf of row i of X.");
}
