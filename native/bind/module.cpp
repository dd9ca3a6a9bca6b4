// The compiled module: one function per unit adds that unit's kernels.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_control(nb::module_&);
void bind_glm(nb::module_&);
void bind_classes(nb::module_&);
void bind_columns(nb::module_&);
void bind_consensus(nb::module_&);
void bind_coordinate(nb::module_&);
void bind_distances(nb::module_&);
void bind_distinct(nb::module_&);
void bind_factors(nb::module_&);
void bind_hist(nb::module_&);
void bind_homotopy(nb::module_&);
void bind_information(nb::module_&);
void bind_isotonic(nb::module_&);
void bind_kd_dense(nb::module_&);
void bind_kd_density(nb::module_&);
void bind_kd_tree(nb::module_&);
void bind_kernel_matrix(nb::module_&);
void bind_kmeans(nb::module_&);
void bind_kmedoids(nb::module_&);
void bind_margin(nb::module_&);
void bind_linkage(nb::module_&);
void bind_logistic(nb::module_&);
void bind_logistic_newton(nb::module_&);
void bind_mixture(nb::module_&);
void bind_moments(nb::module_&);
void bind_neighbours(nb::module_&);
void bind_products(nb::module_&);
void bind_ridge(nb::module_&);
void bind_scan(nb::module_&);
void bind_scores(nb::module_&);
void bind_sgd(nb::module_&);
void bind_smo(nb::module_&);
void bind_stumps(nb::module_&);
void bind_symmetric(nb::module_&);
void bind_text(nb::module_&);
void bind_tree(nb::module_&);
void bind_tree_shap(nb::module_&);
void bind_tree_stack(nb::module_&);
void bind_triangle(nb::module_&);

NB_MODULE(LEARNABLE_MODULE, m) {
  nb::set_leak_warnings(false);  // what a program holds to its end is no fault, and none of its user's business
  m.doc() = "Compiled kernels of learnable: functions on arrays.";
  m.attr("level") = LEARNABLE_LEVEL;
  bind_control(m);
  bind_glm(m);
  bind_classes(m);
  bind_columns(m);
  bind_consensus(m);
  bind_coordinate(m);
  bind_distances(m);
  bind_distinct(m);
  bind_factors(m);
  bind_hist(m);
  bind_homotopy(m);
  bind_information(m);
  bind_isotonic(m);
  bind_kd_dense(m);
  bind_kd_density(m);
  bind_kd_tree(m);
  bind_kernel_matrix(m);
  bind_kmeans(m);
  bind_kmedoids(m);
  bind_margin(m);
  bind_linkage(m);
  bind_logistic(m);
  bind_logistic_newton(m);
  bind_mixture(m);
  bind_moments(m);
  bind_neighbours(m);
  bind_products(m);
  bind_ridge(m);
  bind_scan(m);
  bind_scores(m);
  bind_sgd(m);
  bind_smo(m);
  bind_stumps(m);
  bind_symmetric(m);
  bind_text(m);
  bind_tree(m);
  bind_tree_shap(m);
  bind_tree_stack(m);
  bind_triangle(m);
}
