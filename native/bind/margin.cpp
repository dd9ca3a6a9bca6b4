// Linear support vector machines.
#include "learnable/bounded.hpp"
#include "learnable/row_sums.hpp"
#include "learnable/crammer_singer.hpp"
#include "learnable/dual_descent.hpp"
#include "row_designs.hpp"

namespace learnable::bind {

static BoundedRows bounded_rows(const Vector<double>& low, const Vector<double>& high, const Vector<double>& bend,
                                const Vector<double>& softness, const Vector<double>& shift, double epsilon,
                                std::size_t n) {
  require(low.shape(0) == n && high.shape(0) == n && bend.shape(0) == n && softness.shape(0) == n && shift.shape(0) == n,
          "bounds, bend, softness and shift need an entry per row");
  return {view(low), view(high), view(bend), view(softness), view(shift), epsilon};
}

static nb::tuple bounded_look(const Vector<double>& r, const Vector<double>& low, const Vector<double>& high,
                              const Vector<double>& bend, const Vector<double>& softness, const Vector<double>& shift,
                              double epsilon, const VectorOut<double>& dual, const VectorOut<std::uint8_t>& place) {
  const BoundedRows rows = bounded_rows(low, high, bend, softness, shift, epsilon, r.shape(0));
  require(dual.shape(0) == r.shape(0) && place.shape(0) == r.shape(0), "dual and place need an entry per row");
  BoundedSums sums;
  {
    nb::gil_scoped_release release;
    sums = look_at_rows(rows, view(r), view(dual), view(place));
  }
  return nb::make_tuple(sums.price, sums.shortfall);
}

static double bounded_line(const Vector<double>& r, const Vector<double>& q, const Vector<double>& low,
                           const Vector<double>& high, const Vector<double>& bend, const Vector<double>& softness,
                           const Vector<double>& shift, double epsilon, double slope, double curvature) {
  const BoundedRows rows = bounded_rows(low, high, bend, softness, shift, epsilon, r.shape(0));
  require(q.shape(0) == r.shape(0), "q needs an entry per row");
  nb::gil_scoped_release release;
  return line_minimum(rows, view(r), view(q), slope, curvature);
}

static void require_rows(const Vector<std::int64_t>& rows, index_t n) {
  for (std::int64_t i : view(rows)) require(i >= 0 && i < n, "a row that is not there");
}

static void chosen_products(nb::handle X, const Vector<std::int64_t>& chosen, const Vector<double>& factor,
                            double constant, const RowsOut<double>& out) {
  with_rows(X, [&](const auto& design) {
    const index_t p = design.columns + (constant != 0);
    require(chosen.shape(0) == factor.shape(0), "a factor per row is needed");
    require(index_t(out.shape(0)) == p && index_t(out.shape(1)) == p, "out needs a row and a column per column");
    require_rows(chosen, design.rows);
    nb::gil_scoped_release release;
    add_chosen_products(design, view(chosen), view(factor), constant, view(out));
  });
}

static void chosen_rows(nb::handle X, const Vector<std::int64_t>& chosen, const Vector<double>& factor,
                        const VectorOut<double>& out) {
  with_rows(X, [&](const auto& design) {
    require(chosen.shape(0) == factor.shape(0), "a factor per row is needed");
    require(index_t(out.shape(0)) == index_t(design.columns), "out needs an entry per column");
    require_rows(chosen, design.rows);
    nb::gil_scoped_release release;
    add_chosen_rows(design, view(chosen), view(factor), view(out));
  });
}

static nb::tuple dual_pass(nb::handle X, const Vector<double>& target, const Vector<double>& low,
                           const Vector<double>& high, const Vector<double>& bend, const Vector<double>& norms,
                           double epsilon, double constant, double patience, std::int64_t count,
                           const VectorOut<std::int64_t>& active, const VectorOut<double>& dual,
                           const VectorOut<double>& w) {
  index_t left = count;
  const double largest = with_rows(X, [&](const auto& design) {
    const std::size_t n = design.rows;
    require(target.shape(0) == n && low.shape(0) == n && high.shape(0) == n && bend.shape(0) == n &&
                norms.shape(0) == n && dual.shape(0) == n,
            "target, bounds, bend, norms and dual need an entry per row");
    require(index_t(w.shape(0)) == design.columns + (constant != 0), "w needs an entry per column and one of a constant");
    require(count >= 0 && count <= std::int64_t(active.shape(0)), "count is of active rows");
    for (std::int64_t i : view(active)) require(i >= 0 && i < std::int64_t(n), "a row that is not there");
    const DualPlan plan{view(target), view(low), view(high), view(bend), view(norms), epsilon, constant};
    nb::gil_scoped_release release;
    return learnable::dual_pass(design, plan, patience, view(active), left, view(dual), view(w));
  });
  return nb::make_tuple(largest, left);
}

static double crammer_singer_pass(nb::handle X, const Vector<std::int64_t>& label, const Vector<double>& limit,
                                  const Vector<double>& norms, double constant, const Vector<std::int64_t>& order,
                                  const RowsOut<double>& dual, const RowsOut<double>& w) {
  return with_rows(X, [&](const auto& design) {
    const std::size_t n = design.rows, classes = w.shape(1);
    require(label.shape(0) == n && limit.shape(0) == n && norms.shape(0) == n && dual.shape(0) == n,
            "label, limit, norms and dual need an entry per row");
    require(dual.shape(1) == classes && index_t(w.shape(0)) == design.columns + (constant != 0),
            "dual and w need a column per class, w a row per column and one of a constant");
    for (std::int64_t k : view(label)) require(k >= 0 && k < std::int64_t(classes), "a class that is not there");
    require_rows(order, design.rows);
    nb::gil_scoped_release release;
    return learnable::crammer_singer_pass(design, view(label), view(limit), view(norms), constant, view(order),
                                          view(dual), view(w));
  });
}

}  // namespace learnable::bind

void bind_margin(nanobind::module_& m) {
  using namespace nanobind::literals;
  using namespace learnable::bind;
  m.def("bounded_look", &bounded_look, "r"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
        "bend"_a.noconvert(), "softness"_a.noconvert(), "shift"_a.noconvert(), "epsilon"_a, "dual"_a.noconvert(),
        "place"_a.noconvert(),
        "bounded_look(r, low, high, bend, softness, shift, epsilon, dual, place) -> prices, shortfall.\n"
        "The dual variable of each residual and whether it is inside its bounds; sums over the rows.");
  m.def("bounded_line", &bounded_line, "r"_a.noconvert(), "q"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
        "bend"_a.noconvert(), "softness"_a.noconvert(), "shift"_a.noconvert(), "epsilon"_a, "slope"_a, "curvature"_a,
        "bounded_line(r, q, low, high, bend, softness, shift, epsilon, slope, curvature) -> step.\n"
        "Where the smoothed prices of r - step q plus slope step + curvature step^2 / 2 are least.");
  m.def("chosen_products", &chosen_products, "X"_a, "chosen"_a.noconvert(), "factor"_a.noconvert(), "constant"_a,
        "out"_a.noconvert(),
        "chosen_products(X, chosen, factor, constant, out): out += sum of factor x x', on and above the diagonal.");
  m.def("chosen_rows", &chosen_rows, "X"_a, "chosen"_a.noconvert(), "factor"_a.noconvert(), "out"_a.noconvert(),
        "chosen_rows(X, chosen, factor, out): out += sum of factor x over the chosen rows x.");
  m.def("dual_pass", &dual_pass, "X"_a, "target"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
        "bend"_a.noconvert(), "norms"_a.noconvert(), "epsilon"_a, "constant"_a, "patience"_a, "count"_a,
        "active"_a.noconvert(), "dual"_a.noconvert(), "w"_a.noconvert(),
        "dual_pass(X, target, low, high, bend, norms, epsilon, constant, patience, count, active, dual, w) -> "
        "violation, count. Coordinate descent on the dual of a linear support vector machine, active rows once.");
  m.def("crammer_singer_pass", &crammer_singer_pass, "X"_a, "label"_a.noconvert(), "limit"_a.noconvert(),
        "norms"_a.noconvert(), "constant"_a, "order"_a.noconvert(), "dual"_a.noconvert(), "w"_a.noconvert(),
        "crammer_singer_pass(X, label, limit, norms, constant, order, dual, w) -> violation.\n"
        "Coordinate descent on the dual of the multi-class machine, a row's variables together.");
}
