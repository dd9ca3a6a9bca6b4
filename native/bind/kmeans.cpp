// k-means, fuzzy c-means and balanced assignment.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <string>

#include "arrays.hpp"
#include "learnable/cluster/balanced_assignment.hpp"
#include "learnable/cluster/fuzzy_cmeans.hpp"
#include "learnable/cluster/kmeans/assignment.hpp"
#include "learnable/cluster/kmeans/elkan.hpp"
#include "learnable/cluster/kmeans/seeding.hpp"
#include "learnable/cluster/kmeans/sparse.hpp"
#include "arrays.hpp"

namespace learnable::bind {

using Weights = std::optional<Vector<double>>;

static const double* weights_of(const Weights& weight, index_t rows) {
  if (!weight) return nullptr;
  require(index_t(weight->shape(0)) == rows, "weight must have one number per row of X");
  return weight->data();
}

// Assigns the rows of one matrix, dense with bounds from earlier steps, or sparse.
struct AnyNearest {
  virtual ~AnyNearest() = default;
  virtual CentreSums assign(Grid<const double> centres, const double* weight, View<std::int32_t> label) = 0;
  virtual void squares(Grid<const double> centres, View<const std::int32_t> label, View<double> square) const = 0;
};

template <class T, class Nearest>
struct DenseNearest : AnyNearest {
  DenseNearest(const RowMajor<T>& X, Nearest nearest) : rows(X), nearest(std::move(nearest)) {}
  CentreSums assign(Grid<const double> centres, const double* weight, View<std::int32_t> label) override {
    return nearest.assign(centres, weight, label);
  }
  void squares(Grid<const double> centres, View<const std::int32_t> label, View<double> square) const override {
    squares_to_centres(rows, centres, label, square);
  }
  RowMajor<T> rows;
  Nearest nearest;
};

template <class Design>
struct SparseNearest : AnyNearest {
  explicit SparseNearest(const Design& X) : rows(X) {}
  CentreSums assign(Grid<const double> centres, const double* weight, View<std::int32_t> label) override {
    return assign_sparse(rows, centres, weight, label);
  }
  void squares(Grid<const double> centres, View<const std::int32_t> label, View<double> square) const override {
    squares_to_centres(rows, centres, label, square);
  }
  Design rows;
};

template <class T>
static std::unique_ptr<AnyNearest> any_nearest(const RowMajor<T>& X, View<const double> origin,
                                               const std::string& bounds) {
  if (bounds == "each") return std::make_unique<DenseNearest<T, ElkanCentres<T>>>(X, ElkanCentres<T>(X, origin));
  const index_t max_groups = bounds == "one" ? 1 : detail::max_centre_groups;
  return std::make_unique<DenseNearest<T, NearestCentres<T>>>(X,
      NearestCentres<T>(X, origin, bounds != "none", max_groups));
}
template <class T>
static std::unique_ptr<AnyNearest> any_nearest(const SparseRows<T>& X, View<const double>, const std::string&) {
  return std::make_unique<SparseNearest<SparseRows<T>>>(X);
}

class BoundNearest {
 public:
  BoundNearest(const nb::object& X, const Vector<double>& origin, const std::string& bounds) : X_(X) {
    require(bounds == "none" || bounds == "one" || bounds == "groups" || bounds == "each",
            "bounds must be none, one, groups or each");
    nearest_ = with_rows(X, [&](const auto& design) -> std::unique_ptr<AnyNearest> {
      rows_ = design.rows;
      columns_ = design.columns;
      require(index_t(origin.shape(0)) == columns_, "origin must have one number per column of X");
      return any_nearest(design, view(origin), bounds);
    });
  }

  nb::tuple assign(const Rows<double>& centres, const Weights& weight, const VectorOut<std::int32_t>& label) {
    check(centres, index_t(label.shape(0)));
    const double* weights = weights_of(weight, rows_);
    const index_t many = view(centres).rows;
    const NewArray sums = new_array(many, columns_), mass = new_array(many);
    index_t changed, distances;
    {
      nb::gil_scoped_release release;
      const CentreSums found = nearest_->assign(view(centres), weights, view(label));
      std::copy_n(found.sums.data(), many * columns_, sums.data);
      std::copy_n(found.mass.data(), many, mass.data);
      changed = found.changed;
      distances = found.distances;
    }
    return nb::make_tuple(sums.array, mass.array, changed, distances);
  }

  nb::tuple take_batch(const Rows<double>& centres, const Vector<double>& counts, const Weights& weight) {
    check(centres, rows_);
    require(counts.shape(0) == centres.shape(0), "counts must have one number per centre");
    const double* weights = weights_of(weight, rows_);
    const index_t many = view(centres).rows;
    const NewArray means = new_array(many, columns_), total = new_array(many);
    double cost = 0;
    {
      nb::gil_scoped_release release;
      std::vector<std::int32_t> label(std::size_t(rows_), -1);
      std::vector<double> square(std::size_t(rows_), 0.0);
      const CentreSums found = nearest_->assign(view(centres), weights, {label.data(), rows_});
      nearest_->squares(view(centres), {label.data(), rows_}, {square.data(), rows_});
      for (index_t i = 0; i < rows_; ++i) cost += (weights ? weights[i] : 1.0) * square[i];
      running_means(view(centres), view(counts), found, means.data, total.data);
    }
    return nb::make_tuple(means.array, total.array, cost);
  }

  nb::object squares(const Rows<double>& centres, const Vector<std::int32_t>& label) const {
    check(centres, index_t(label.shape(0)));
    for (const std::int32_t index : view(label))
      require(index >= 0 && index < std::int32_t(centres.shape(0)), "labels must be indices of centres");
    const NewArray square = new_array(rows_);
    nb::gil_scoped_release release;
    nearest_->squares(view(centres), view(label), {square.data, rows_});
    return square.array;
  }

 private:
  void check(const Rows<double>& centres, index_t labels) const {
    require(centres.shape(0) > 0 && index_t(centres.shape(1)) == columns_, "centres must have the columns of X");
    require(labels == rows_, "label must have one number per row of X");
  }

  nb::object X_;  // keeps the data alive
  index_t rows_ = 0, columns_ = 0;
  std::unique_ptr<AnyNearest> nearest_;
};

static void check_seeds(index_t rows, index_t closest, const VectorOut<std::int32_t>& seed, index_t seeds) {
  require(closest == rows && index_t(seed.shape(0)) == rows, "closest and seed need one number per row of X");
  for (const std::int32_t index : view(seed)) require(index < std::int32_t(seeds),
                                                      "apart must have a column for every seed");
}

static nb::object bound_potentials(nb::handle X, const Weights& weight, const Rows<double>& candidates,
                                   const Rows<double>& apart, const VectorOut<double>& closest,
                                   const VectorOut<std::int32_t>& seed) {
  return with_dense_rows(X, [&](const auto& rows) -> nb::object {
    check_seeds(rows.rows, index_t(closest.shape(0)), seed, index_t(apart.shape(1)));
    require(index_t(candidates.shape(1)) == rows.columns && apart.shape(0) == candidates.shape(0),
            "candidates must have the columns of X, apart a row for each");
    const double* weights = weights_of(weight, rows.rows);
    const NewArray potential = new_array(index_t(candidates.shape(0)));
    nb::gil_scoped_release release;
    seed_potentials(rows, weights, view(candidates), view(apart), view(closest), view(seed),
                    {potential.data, index_t(candidates.shape(0))});
    return potential.array;
  });
}

static nb::object bound_take_seed(nb::handle X, const Weights& weight, const Vector<double>& centre, int number,
                                  const Vector<double>& apart, const VectorOut<double>& closest,
                                  const VectorOut<std::int32_t>& seed) {
  return with_dense_rows(X, [&](const auto& rows) -> nb::object {
    check_seeds(rows.rows, index_t(closest.shape(0)), seed, index_t(apart.shape(0)));
    require(index_t(centre.shape(0)) == rows.columns, "the seed must have the columns of X");
    const double* weights = weights_of(weight, rows.rows);
    const index_t blocks = Blocks(rows.rows, seed_block).count;
    const NewArray mass = new_array(blocks);
    nb::gil_scoped_release release;
    take_seed(rows, weights, view(centre), number, view(apart), view(closest), view(seed), {mass.data, blocks});
    return mass.array;
  });
}

static nb::tuple bound_fuzzy_pass(nb::handle X, const Weights& weight, const Rows<double>& centres,
                                  const Vector<double>& origin, double power) {
  return with_dense_rows(X, [&](const auto& rows) -> nb::tuple {
    require(index_t(centres.shape(1)) == rows.columns && index_t(origin.shape(0)) == rows.columns && centres.shape(0) > 0,
            "centres and origin must have the columns of X");
    const double* weights = weights_of(weight, rows.rows);
    const index_t many = view(centres).rows;
    const NewArray sums = new_array(many, rows.columns), mass = new_array(many);
    double cost;
    {
      nb::gil_scoped_release release;
      const FuzzySums found = fuzzy_pass(rows, weights, view(centres), view(origin), power);
      std::copy_n(found.sums.data(), many * rows.columns, sums.data);
      std::copy_n(found.mass.data(), many, mass.data);
      cost = found.cost;
    }
    return nb::make_tuple(sums.array, mass.array, cost);
  });
}

static void bound_fuzzy_memberships(nb::handle X, const Rows<double>& centres, double power,
                                    const RowsOut<double>& memberships) {
  with_dense_rows(X, [&](const auto& rows) {
    require(index_t(centres.shape(1)) == rows.columns && centres.shape(0) > 0, "centres must have the columns of X");
    require(index_t(memberships.shape(0)) == rows.rows && memberships.shape(1) == centres.shape(0),
            "memberships need a row for each of X and a column for each centre");
    nb::gil_scoped_release release;
    fuzzy_memberships(rows, view(centres), power, view(memberships));
  });
}

static nb::object bound_balanced_labels(const Rows<double>& cost, index_t min_size, index_t max_size,
                                        const VectorOut<std::int32_t>& label) {
  const Grid<const double> costs = view(cost);
  require(costs.columns > 0 && index_t(label.shape(0)) == costs.rows,
          "cost needs a column per cluster, and label an entry per row");
  require(0 <= min_size && min_size <= max_size && min_size * costs.columns <= costs.rows &&
          costs.rows <= max_size * costs.columns,
          "no cluster sizes are within the bounds");
  const NewArray dual = new_array(costs.columns);
  {
    nb::gil_scoped_release release;
    BalancedLabels balanced(costs, min_size, max_size, view(label).data);
    balanced.solve();
    balanced.duals(dual.data);
  }
  return dual.array;
}

}  // namespace learnable::bind

void bind_kmeans(nanobind::module_& m) {
  using namespace nanobind::literals;
  using learnable::bind::BoundNearest;
  namespace nb = nanobind;
  nb::class_<BoundNearest>(m, "NearestCentres",
                           "Finds the nearest centre of each row of X, C-contiguous or CSR, repeatedly as centres "
                           "move. Labels are those of all distances in double, the first of equals. Dense rows keep "
                           "`bounds`: none, one for all other centres, one for each of some groups of them, or for each.")
      .def(nb::init<const nb::object&, const learnable::bind::Vector<double>&, const std::string&>(), "X"_a,
           "origin"_a.noconvert(), "bounds"_a)
      .def("assign", &BoundNearest::assign, "centres"_a.noconvert(), "weight"_a.none().noconvert(), "label"_a.noconvert(),
           "assign(centres, weight, label) -> sums of weight times (x - origin) (centres, features), weights (centres,), "
           "the number of changed labels, the number of distances computed. Writes label. The origin of "
           "sparse rows is zero.")
      .def("take_batch", &BoundNearest::take_batch, "centres"_a.noconvert(), "counts"_a.noconvert(),
           "weight"_a.none().noconvert(),
           "take_batch(centres, counts, weight) -> centres and counts after the rows were assigned to the nearest centres, each the "
           "mean of all its rows so far, and the weighted squared distances before. The origin must be zero.")
      .def("squares", &BoundNearest::squares, "centres"_a.noconvert(), "label"_a.noconvert(),
           "squares(centres, label) -> squared distance of each row to the centre of its label.");
  m.attr("seed_block") = learnable::seed_block;
  m.def("seed_potentials", &learnable::bind::bound_potentials, "X"_a, "weight"_a.none().noconvert(), "candidates"_a.noconvert(),
        "apart"_a.noconvert(), "closest"_a.noconvert(), "seed"_a.noconvert(),
        "seed_potentials(X, weight, candidates, apart, closest, seed) -> for each candidate, the sum of weighted squared "
        "distances to the nearest seed if it were one. apart: squared distances of candidates to the seeds so far.");
  m.def("take_seed", &learnable::bind::bound_take_seed, "X"_a, "weight"_a.none().noconvert(), "centre"_a.noconvert(), "number"_a,
        "apart"_a.noconvert(), "closest"_a.noconvert(), "seed"_a.noconvert(),
        "take_seed(X, weight, centre, number, apart, closest, seed) -> weighted squared distances to the nearest seed, "
        "summed over blocks of rows. Writes closest and seed, which is -1 before there is one.");
  m.def("fuzzy_pass", &learnable::bind::bound_fuzzy_pass, "X"_a, "weight"_a.none().noconvert(), "centres"_a.noconvert(),
        "origin"_a.noconvert(), "power"_a,
        "fuzzy_pass(X, weight, centres, origin, power) -> sums of weight membership^power (x - origin) (centres, features), of "
        "weight membership^power (centres,), and the cost. Dense X; one pass.");
  m.def("balanced_labels", &learnable::bind::bound_balanced_labels, "cost"_a.noconvert(), "min_size"_a, "max_size"_a,
        "label"_a.noconvert(),
        "balanced_labels(cost, min_size, max_size, label) -> dual variable of each cluster: a row has least cost plus dual in its "
        "own. "
        "Writes the labels of least total cost for which each cluster has from min_size to max_size rows.");
  m.def("fuzzy_memberships", &learnable::bind::bound_fuzzy_memberships, "X"_a, "centres"_a.noconvert(), "power"_a,
        "memberships"_a.noconvert(),
        "fuzzy_memberships(X, centres, power, memberships) -> None; writes the membership of each row in each cluster.");
}
