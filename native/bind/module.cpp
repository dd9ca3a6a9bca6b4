// The compiled module: one function per unit adds that unit's kernels.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_threads(nb::module_&);
void bind_glm(nb::module_&);
void bind_classes(nb::module_&);
void bind_column_statistics(nb::module_&);
void bind_ransac(nb::module_&);
void bind_lasso(nb::module_&);
void bind_distances(nb::module_&);
void bind_unique_values(nb::module_&);
void bind_factorization_machine(nb::module_&);
void bind_histogram_trees(nb::module_&);
void bind_lars(nb::module_&);
void bind_mutual_information(nb::module_&);
void bind_isotonic_regression(nb::module_&);
void bind_dbscan(nb::module_&);
void bind_kernel_density(nb::module_&);
void bind_kd_tree(nb::module_&);
void bind_kernel_matrix(nb::module_&);
void bind_kmeans(nb::module_&);
void bind_kmedoids(nb::module_&);
void bind_linear_svm(nb::module_&);
void bind_linkage(nb::module_&);
void bind_logistic(nb::module_&);
void bind_logistic_newton(nb::module_&);
void bind_mixture(nb::module_&);
void bind_moments(nb::module_&);
void bind_neighbours(nb::module_&);
void bind_products(nb::module_&);
void bind_ridge(nb::module_&);
void bind_scan(nb::module_&);
void bind_metrics(nb::module_&);
void bind_sgd(nb::module_&);
void bind_smo(nb::module_&);
void bind_decision_stumps(nb::module_&);
void bind_spd_inverse(nb::module_&);
void bind_text(nb::module_&);
void bind_tree(nb::module_&);
void bind_tree_shap(nb::module_&);
void bind_packed_trees(nb::module_&);
void bind_cholesky_update(nb::module_&);
<<<<<<< HEAD
void bind_chain(nb::module_&);
=======
void bind_network(nb::module_&);
>>>>>>> main

NB_MODULE(LEARNABLE_MODULE, m) {
  nb::set_leak_warnings(false);  // objects that live until exit are not leaks to report
  m.doc() = "Compiled kernels of learnable: functions on arrays.";
  m.attr("level") = LEARNABLE_LEVEL;
  bind_threads(m);
  bind_glm(m);
  bind_classes(m);
  bind_column_statistics(m);
  bind_ransac(m);
  bind_lasso(m);
  bind_distances(m);
  bind_unique_values(m);
  bind_factorization_machine(m);
  bind_histogram_trees(m);
  bind_lars(m);
  bind_mutual_information(m);
  bind_isotonic_regression(m);
  bind_dbscan(m);
  bind_kernel_density(m);
  bind_kd_tree(m);
  bind_kernel_matrix(m);
  bind_kmeans(m);
  bind_kmedoids(m);
  bind_linear_svm(m);
  bind_linkage(m);
  bind_logistic(m);
  bind_logistic_newton(m);
  bind_mixture(m);
  bind_moments(m);
  bind_neighbours(m);
  bind_products(m);
  bind_ridge(m);
  bind_scan(m);
  bind_metrics(m);
  bind_sgd(m);
  bind_smo(m);
  bind_decision_stumps(m);
  bind_spd_inverse(m);
  bind_text(m);
  bind_tree(m);
  bind_tree_shap(m);
  bind_packed_trees(m);
  bind_cholesky_update(m);
<<<<<<< HEAD
  bind_chain(m);
=======
  bind_network(m);
>>>>>>> main
}
