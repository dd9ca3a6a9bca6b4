// Metrics of predictions.
#include "arrays.hpp"
#include "learnable/stats/log_loss.hpp"
#include "learnable/stats/ranking.hpp"

namespace learnable::bind {

static View<const double> optional(const nb::object& weight, index_t rows) {
  if (weight.is_none()) return {};
  const auto array = nb::cast<Vector<double>>(weight, false);
  require(index_t(array.shape(0)) == rows, "weight must have one number per row");
  return view(array);
}

static std::vector<Ranked> sorted(const Vector<double>& scores, const Vector<std::uint8_t>& positive,
                                  const nb::object& weight) {
  require(scores.shape(0) == positive.shape(0), "positive must have one number per score");
  const auto weights = optional(weight, index_t(scores.shape(0)));
  nb::gil_scoped_release release;
  return ranked(view(scores), view(positive), weights);
}

static nb::tuple bound_ranked_area(const Vector<double>& scores, const Vector<std::uint8_t>& positive,
                                   const nb::object& weight) {
  const RankedArea sum = ranked_area(sorted(scores, positive, weight));
  return nb::make_tuple(sum.area, sum.positives, sum.negatives);
}

static nb::tuple bound_threshold_counts(const Vector<double>& scores, const Vector<std::uint8_t>& positive,
                                        const nb::object& weight) {
  const std::vector<Ranked> order = sorted(scores, positive, weight);
  index_t count = 0;
  for_thresholds(order, [&](std::uint64_t, double, double) { ++count; });
  const NewArray thresholds = new_array(count), true_positives = new_array(count), false_positives = new_array(count);
  {
    nb::gil_scoped_release release;
    index_t index = 0;
    for_thresholds(order, [&](std::uint64_t key, double positives_above, double negatives_above) {
      thresholds.data[index] = score_of(key);
      true_positives.data[index] = positives_above;
      false_positives.data[index++] = negatives_above;
    });
  }
  return nb::make_tuple(thresholds.array, true_positives.array, false_positives.array);
}

static nb::tuple bound_log_loss(const Rows<double>& P, const Vector<std::int64_t>& codes, const nb::object& weight,
                                double epsilon) {
  const Grid<const double> table = view(P);
  const View<const std::int64_t> truth = view(codes);
  require(truth.size == table.rows && table.columns > 0, "codes must have one number per row of P");
  const index_t classes = std::max<index_t>(table.columns, 2);
  for (const std::int64_t code : truth) require(code >= 0 && code < classes, "a code must be the index of a column");
  const auto weights = optional(weight, table.rows);
  nb::gil_scoped_release release;
  const LogLoss sum = log_loss(table, truth, weights, epsilon);
  nb::gil_scoped_acquire acquire;
  return nb::make_tuple(sum.loss, sum.lowest, sum.highest, sum.max_sum_error);
}

}  // namespace learnable::bind

void bind_metrics(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable;
  const auto none = nanobind::none();
  m.def("ranked_area", &bind::bound_ranked_area, "scores"_a.noconvert(), "positive"_a.noconvert(),
        "weight"_a.none() = none,
        "ranked_area(scores, positive, weight=None) -> weight of the pairs of a positive and a negative in right order "
        "(ties count half), weight of the positives, weight of the negatives.");
  m.def("threshold_counts", &bind::bound_threshold_counts, "scores"_a.noconvert(), "positive"_a.noconvert(),
        "weight"_a.none() = none,
        "threshold_counts(scores, positive, weight=None) -> the distinct scores, descending, and the weight of positives "
        "and of negatives that score as high or higher.");
  m.def("log_loss", &bind::bound_log_loss, "P"_a.noconvert(), "codes"_a.noconvert(), "weight"_a.none() = none,
        "epsilon"_a = 0.0,
        "log_loss(P, codes, weight=None, epsilon=0) -> sum of weight times minus the log of the true class's "
        "probability, least and largest probability, largest distance of a row's sum from 1.");
}
