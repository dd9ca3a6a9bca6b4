"""The compiled kernels as type checkers see them; tests/native/test_stubs.py holds this file to the compiled module."""

from typing import Any

from ..validate.features import Array, Matrix

level: str

# threads.cpp
def set_threads(threads: int) -> int: ...
def get_threads() -> int: ...
def default_threads() -> int: ...
def set_deadline(seconds: float) -> float: ...
def sleep_in_blocks(blocks: int, seconds: float) -> int: ...

# scan.cpp
def first_non_finite(values: Array) -> int: ...
def largest_entry(values: Array) -> float: ...
def variance_of_entries(values: Array) -> float: ...
def squared_norms(X: Matrix) -> Array: ...
def transpose(X: Matrix, start: Array, index: Array, value: Array) -> None: ...

# exact_sums.cpp
def exact_moments(X: Matrix, y: Array, weight: Array | None = None) -> tuple[Array, Array]: ...
def exact_class_sums(
    X: Matrix, code: Array, classes: int, weight: Array | None = None, squares: bool = True
) -> tuple[Array, Array]: ...

# moments.cpp
def moments(
    X: Matrix, y: Array, weight: Array | None = None, centre: bool = True
) -> tuple[float, Array, Array, Array, Array, Array]: ...

# products.cpp
def matvec(X: Matrix, w: Array, b: Array | None = None) -> Array: ...
def rmatvec(X: Matrix, r: Array) -> Array: ...
def residual_products(
    X: Matrix, y: Array, w: Array, b: Array | None = None, weight: Array | None = None, mean: Array | None = None
) -> tuple[Array, Array, Array]: ...

# ransac.cpp
def inlier_weights(
    X: Matrix, y: Array, w: Array, b: Array | None, bound: Array, weight: Array | None = None
) -> Array: ...

# ridge.cpp
def leave_one_out(
    X: Matrix,
    y: Array,
    weight: Array | None,
    mean: Array,
    target_mean: Array,
    vectors: Array,
    values: Array,
    projection: Array,
    alphas: Array,
    intercept: bool = True,
    with_predictions: bool = False,
    decisive: float = 0.0,
) -> tuple[Array, Array | None, list[int]]: ...

# spd_inverse.cpp
def invert_symmetric(G: Array, alpha: float = 0.0) -> tuple[Array, float]: ...
def coefficient_spread(inverse: Array, mean: Array, alpha: float) -> tuple[Array, float, float]: ...

# cholesky_update.cpp
def cholesky_append(L: Array, size: int, products: Array, square: float, min_square: float) -> float: ...
def cholesky_delete(L: Array, size: int, removed: int) -> None: ...
def cholesky_solve(L: Array, size: int, sides: Array) -> None: ...

# histogram_trees.cpp
def bin_edges(X: Matrix, rows: Array, weight: Array | None, max_bins: int) -> list[Array]: ...
def bin_columns(X: Matrix, edges: list[Array], categorical: Array, values: list[int], bins: Array) -> None: ...
def loss_gradients(
    kind: str, y: Array, score: Array, weight: Array | None, rows: Array | None, grad_hess: Array
) -> float: ...

class BinnedTable:
    def __init__(
        self, X: Matrix, edges: list[Array], categorical: Array, values: list[int], bundles: Array, stored: list[int]
    ) -> None: ...
    def column(self, number: int) -> Array: ...
    def has_missing(self) -> list[bool]: ...

class HistogramTreeBuilder:
    f32: bool
    def __init__(self, table: BinnedTable, rules: dict[str, Any], f32: bool) -> None: ...
    def grow(
        self, grad_hess: Array, rows: Array | None, weight: Array | None, counted: bool, seed: int
    ) -> dict[str, Array]: ...
    def add(self, value: Array, score: Array) -> None: ...
    def add_elsewhere(self, value: Array, rows: Array | None, score: Array) -> None: ...
    def rows(self) -> tuple[Array, Array, Array]: ...

# lars.cpp
def first_entry(
    columns: Array,
    fixed: Array,
    rate: Array,
    inactive: Array,
    noise: Array,
    level: float,
    unclear: float,
    turning: float,
    ties_enter: bool,
    one_sided: bool,
) -> tuple[float, int, int]: ...
def first_exit(
    active: Array, coef: Array, signs: Array, b: Array, w: Array, noise: Array, top: float, unclear: float
) -> tuple[float, int, int]: ...
def largest_excess(
    fixed: Array, rate: Array, norms: Array, off: float, start: float, end: float, one_sided: bool
) -> float: ...
def largest_distance(here: Array, there: Array, start: float, end: float) -> float: ...

# sgd.cpp
def squared_row_norms(X: Matrix, norms: Array) -> None: ...
def shuffle(order: Array, key: int) -> None: ...
def sgd_epoch(
    X: Matrix,
    y: Array,
    weight: Array,
    order: Array,
    norms: Array,
    settings: dict[str, float],
    coef: Array,
    average: Array,
    l1_applied: Array,
    numbers: Array,
) -> float: ...
def saga_epoch(
    X: Matrix,
    code: Array,
    weight: Array,
    order: Array,
    step: float,
    l1: float,
    l2: float,
    intercept: bool,
    weights: Array,
    gradients: Array,
    sums: Array,
) -> None: ...

# linear_svm.cpp
class BoundedProblem:
    def __init__(
        self, X: Matrix, constant: float, target: Array, low: Array, high: Array, curvature: Array, epsilon: float
    ) -> None: ...
    def sum_losses(self, r: Array, dual: Array) -> tuple[float, float]: ...
    def gap(self, w: Array, dual: Array) -> tuple[float, float]: ...
    def evaluate(
        self, w: Array, r: Array, unit: Array, centre: Array, width: float, old_dual: Array, old_state: Array,
        dual: Array, state: Array, transposed: Array, products: Array,
    ) -> tuple[float, float, float, int, bool]: ...  # fmt: skip
    def advance(self, move: Array, unit: Array, centre: Array, width: float, w: Array, r: Array) -> None: ...

def class_costs(code: Array, positive: int, cost: Array, own: float, other: float) -> tuple[Array, Array]: ...
def hinge_bounds(sign: Array, limit: Array, squared: bool) -> tuple[Array, Array, Array, bool]: ...
def band_system(products: Array, width: float, matrix: Array) -> None: ...
def selected_gram(X: Matrix, selected: Array, factor: Array, constant: float, out: Array) -> None: ...
def dual_pass(
    X: Matrix, target: Array, low: Array, high: Array, curvature: Array, norms: Array, epsilon: float, constant: float,
    patience: float, count: int, active: Array, dual: Array, w: Array,
) -> tuple[float, int]: ...  # fmt: skip
def crammer_singer_pass(
    X: Matrix, label: Array, limit: Array, norms: Array, constant: float, order: Array, dual: Array, w: Array
) -> float: ...

# factorization_machine.cpp
def factor_scores(X: Matrix, constant: float, w: Array, v: Array, out: Array) -> None: ...
def factor_epoch(
    X: Matrix, y: Array, weight: Array, order: Array, logistic: bool, rate: float, shrink: Array, constant: Array,
    w: Array, v: Array,
) -> float: ...  # fmt: skip
def factor_sweep(
    X: Matrix, weight: Array, shrink: Array, residual: Array, constant: Array, w: Array, v: Array
) -> None: ...

# glm.cpp
def deviance_terms(
    z: Array, log_y: Array, unit: Array, weight: Array, power: float, expected: bool = False
) -> tuple[float, Array, Array]: ...
def gradient_squares(gradient: Array, curvature: Array, score: Array, weight: Array) -> tuple[float, float]: ...
def weighted_squares(X: Matrix, weight: Array) -> Array: ...

# linkage.cpp
def link_single(X: Array, power: float, reach: Array | None, merges: Array) -> None: ...
def optics_order(
    X: Array, power: float, reach: Array, limit: float, order: Array, distance: Array, before: Array
) -> None: ...
def link_ward(X: Array, merges: Array) -> None: ...
def link_table(table: Array, rule: str, merges: Array) -> None: ...
def link_single_table(table: Array, reach: Array | None, merges: Array) -> None: ...
def link_graph(apart: Array, to: Array, start: Array, rule: str, X: Array | None, merges: Array) -> None: ...

# logistic.cpp
def logistic_terms(z: Array, y: Array, weight: Array) -> tuple[float, Array, Array]: ...
def softmax_terms(z: Array, code: Array, weight: Array) -> tuple[float, Array, Array, Array, Array]: ...

# logistic_newton.cpp
class LogisticNewton:
    def __init__(
        self,
        X: Array,
        code: Array,
        weight: Array | None,
        strength: float,
        intercept: bool,
        tolerance: float,
        sure: bool = True,
    ) -> None: ...
    def start(self, coef: Array) -> Array: ...
    def steps(self, state: Array, limit: int) -> tuple[Array, Array]: ...

# lasso.cpp
class LassoProblem:
    unit: Array
    squares: Array
    mean: Array
    norm: float
    def __init__(self, X: Matrix, weight: Array | None, centre: bool, positive: bool, targets: int) -> None: ...
    def set_target(self, y: Array) -> None: ...
    def alpha_max(self) -> float: ...
    def measure(self, w: Array, l1: float, l2: float) -> tuple[float, float, float, int]: ...
    def improve(
        self, w: Array, l1: float, l2: float, tolerance: float, limit: int, precision: int, seed: int
    ) -> tuple[float, float, float, int, int, int]: ...
    def products_pay(self, evaluations: int) -> bool: ...
    def adopt(self, gram: Array) -> None: ...

class LassoPath:
    def __init__(
        self, problems: list[LassoProblem], l1: Array, l2: Array, tolerance: float, limit: int, seed: int
    ) -> None: ...
    def start(self, problem: int, w: Array) -> None: ...
    def advance(self, figures: Array, coefs: Array, holdout_weight: Array) -> bool: ...

# column_statistics.cpp
def column_summary(X: Matrix, weight: Array | None = None) -> Array: ...
def shift_and_scale(X: Array, shift: Array, scale: Array, out: Array) -> None: ...

# metrics.cpp
def ranked_area(scores: Array, positive: Array, weight: Array | None = None) -> tuple[float, float, float]: ...
def threshold_counts(scores: Array, positive: Array, weight: Array | None = None) -> tuple[Array, Array, Array]: ...
def log_loss(
    P: Array, codes: Array, weight: Array | None = None, epsilon: float = 0.0
) -> tuple[float, float, float, float]: ...

# distances.cpp
def euclidean_distances(X: Array, Y: Array, squared: bool = False) -> Array: ...
def column_distances(
    X: Array,
    Y: Array,
    kind: str,
    power: float = 0.0,
    weight: Array | None = None,
    categorical: Array | None = None,
) -> Array: ...
def nearest_rows(X: Array, Y: Array, nearest: Array, square: Array) -> None: ...
def cluster_distances(X: Array, starts: Array) -> Array: ...

# classes.cpp
def class_scatter(X: Array, code: Array, classes: int, weight: Array | None = None) -> tuple[Array, Array, Array]: ...
def pooled_scatter(X: Array, code: Array, factor: Array, weight: Array | None = None) -> tuple[Array, Array]: ...
def class_moments(
    X: Array, code: Array, classes: int, weight: Array | None = None, missing: bool = False
) -> tuple[Array, Array, Array]: ...
def class_totals(
    X: Matrix, code: Array, classes: int, weight: Array | None = None, threshold: float | None = None
) -> Array: ...
def gaussian_scores(X: Array, mean: Array, scale: Array, constant: Array, missing: bool = False) -> Array: ...
def quadratic_scores(X: Array, centre: Array, mean: Array, triangles: list[Array], constant: Array) -> Array: ...
def axis_scores(X: Array, mean: Array, axes: list[Array], variances: list[Array], prior: Array) -> Array: ...
def fix_signs(directions: Array) -> Array: ...

# mixture.cpp
def mixture_pass(
    X: Array, weight: Array | None, centre: Array, mean: Array, triangles: list[Array], constant: Array
) -> tuple[float, Array, Array, Array]: ...

# mutual_information.cpp
def mean_digamma_continuous(columns: Array, y: Array, neighbours: int, digamma: Array, out: Array) -> None: ...
def mean_digamma_labels(
    columns: Array, label: Array, labels: int, neighbours: int, digamma: Array, out: Array
) -> None: ...

# kd_tree.cpp
def kd_shape(rows: int) -> tuple[int, int]: ...
def kd_build(X: Array, points: Array, order: Array, boxes: Array) -> None: ...
def kd_balls(tree: tuple[int, Array, Array, Array], kind: str, centre: Array, radius: Array) -> None: ...
def kd_nearest(
    tree: tuple[int, Array, Array, Array],
    Q: Array,
    kind: str,
    power: float,
    balls: tuple[Array, Array] | None,
    same: bool,
    nearest: Array,
    distance: Array,
) -> None: ...
def kd_within(
    tree: tuple[int, Array, Array, Array],
    Q: Array,
    kind: str,
    power: float,
    balls: tuple[Array, Array] | None,
    radius: float,
    same: bool,
    start: Array,
) -> tuple[Array, Array]: ...
def nearest_of_table(table: Array, skip: int, nearest: Array, distance: Array) -> None: ...

# dbscan.cpp
def dbscan_grid(
    X: Array, power: float, radius: float, weight: Array | None, min_weight: float, core: Array, label: Array
) -> bool: ...
def dbscan_tree(
    tree: tuple[int, Array, Array, Array],
    columns: int,
    kind: str,
    power: float,
    balls: tuple[Array, Array] | None,
    radius: float,
    weight: Array | None,
    min_weight: float,
    core: Array,
    label: Array,
) -> None: ...
def lowest_label_within(
    tree: tuple[int, Array, Array, Array],
    Q: Array,
    kind: str,
    power: float,
    balls: tuple[Array, Array] | None,
    radius: float,
    label: Array,
    out: Array,
) -> None: ...

# kernel_density.cpp
def kernel_log_sums(
    tree: tuple[int, Array, Array, Array],
    Q: Array,
    power: float,
    kernel: str,
    weight: Array,
    relative: float,
    absolute: float,
    out: Array,
) -> None: ...

# neighbours.cpp
def nearest_neighbours(X: Array, Y: Array, same: bool, nearest: Array, square: Array) -> None: ...
def nearest_of_few(X: Array, Y: Array, nearest: Array, square: Array) -> None: ...

# text.cpp
class CountedTexts:
    def terms(self) -> list[str]: ...
    def hashes(self, seed: int) -> Array: ...
    def rows(
        self, columns: Array | None = None, signs: Array | None = None, real: bool = False
    ) -> tuple[Array, Array, Array]: ...

def count_terms(
    texts: list[str],
    word: Array,
    space: Array,
    unit: str,
    low: int,
    high: int,
    shortest: int,
    lower: bool,
    stop: list[str],
) -> CountedTexts: ...
def hash_terms(terms: list[str], seed: int) -> Array: ...
def tfidf_rows(start: Array, index: Array, value: Array, weight: Array | None, sublinear: bool, norm: str) -> None: ...

# unique_values.cpp
def distinct_numbers(values: Array, limit: int, codes: Array) -> Array | None: ...
def distinct_objects(entries: list[Any], codes: Array) -> list[Any]: ...
def decode_columns(tables: list[Array], codes: list[Array], out: Array) -> None: ...
def add_row_hashes(X: Matrix, factors: Array, f32: bool, hashes: Array) -> None: ...
def order_by_hash(hashes: Array, order: Array) -> None: ...

# isotonic_regression.cpp
def pool_adjacent_violators(y: Array, weight: Array, fitted: Array) -> None: ...

# kernel_matrix.cpp
def kernel_matrix(
    X: Array, Y: Array, shape: str, out: Array, gamma: float = 1.0, coef0: float = 0.0, degree: float = 1.0
) -> None: ...
def sparse_kernel_matrix(
    X: Matrix, Y: Matrix, shape: str, out: Array, gamma: float = 1.0, coef0: float = 0.0, degree: float = 1.0
) -> None: ...

# smo.cpp
class KernelTable:
    size: int
    largest: float
    diagonal: Array
    f32_error: float
    def __init__(self, X: Matrix, kind: str, gamma: float, coef0: float, degree: int, centre: Array | None) -> None: ...
    @staticmethod
    def given(matrix: Array, f32: bool = False) -> KernelTable: ...
    def whole(self, f32: bool = False) -> KernelTable: ...
    def rows(self, which: Array) -> Array: ...

class Smo:
    bounded: bool
    computed: int
    def __init__(
        self,
        table: KernelTable,
        low: Array,
        high: Array,
        q: Array,
        group: Array,
        cache_bytes: int,
        f32: bool,
        shrinking: bool,
    ) -> None: ...
    def score(self, b: Array, scores: Array) -> None: ...
    def improve(
        self,
        b: Array,
        scores: Array,
        inactive: Array,
        then: Array,
        moved: int,
        before: list[int],
        tolerance: float,
        rounds: int,
        limit: int,
    ) -> tuple[float, int, float, int, bool, bool, list[int]]: ...
    def descend(
        self,
        b: Array,
        scores: Array,
        inactive: Array,
        then: Array,
        moved: int,
        before: list[int],
        tolerance: float,
        rounds: int,
        at_once: int,
        done: int,
        max_steps: int,
        objective: float,
    ) -> tuple[float, int, float, int, bool, bool, list[int]]: ...
    def activate(self, b: Array, scores: Array, inactive: Array, then: Array) -> float: ...
    def levels(self, b: Array, scores: Array) -> Array: ...
    def objective(self, b: Array, scores: Array) -> float: ...

def svc_bounds(sign: Array, weight: Array, cost: float) -> tuple[Array, Array, Array]: ...
def support_order(decisions: Array, code: Array, counts: Array, order: Array) -> int: ...
def kernel_scores(
    X: Matrix, Y: Matrix, coef: Array, kind: str, gamma: float, coef0: float, degree: int, centre: Array | None
) -> Array: ...

# tree.cpp
def rank_columns(X: Array, ranks: Array) -> list[Array]: ...

class TreeBuilder:
    def __init__(
        self,
        ranks: Array | None,
        levels: list[Array],
        categorical: Array,
        binned: bool,
        values: tuple[Array, Array | None, Array] | None,
        weight: Array,
        pure_gain: Array,
        rules: dict[str, Any],
        seeds: Array,
        draws: tuple[Any, ...] | None,
    ) -> None: ...
    def grow_classes(self, label: Array, sizes: Array, gini: bool) -> dict[str, Array]: ...
    def grow_regression(self, y: Array, criterion: str) -> dict[str, Array]: ...
    def grow_absolute_error(self, ranks: Array, levels: list[Array]) -> dict[str, Array]: ...

def bootstrap_counts(seeds: Array, draws: tuple[Any, ...], counts: Array) -> None: ...
def find_leaves(
    left: Array,
    right: Array,
    feature: Array,
    threshold: Array,
    missing_left: Array,
    set_start: Array,
    set_words: Array,
    X: Array,
    leaf: Array,
) -> None: ...

# tree_shap.cpp
def tree_shap(stack: tuple[Array, ...], cover: Array, X: Array, phi: Array, mean: Array) -> None: ...
def tree_shap_against(stack: tuple[Array, ...], cover: Array, X: Array, background: Array, phi: Array) -> None: ...

# packed_trees.cpp
class TreeStack:
    outputs: int
    def __init__(
        self,
        start: Array,
        left: Array,
        right: Array,
        feature: Array,
        threshold: Array,
        missing_left: Array,
        set_start: Array,
        set_words: Array,
        value: Array,
        output: Array,
    ) -> None: ...
    def sums(self, X: Array, first: int, last: int, sums: Array) -> None: ...
    def leaves(self, X: Array, leaves: Array) -> None: ...

# decision_stumps.cpp
class StumpColumns:
    def __init__(self, ranks: Array, counts: Array, second: Array) -> None: ...
    def best(
        self, weight: Array, by_error: bool
    ) -> tuple[int, int, int, int, tuple[float, float], tuple[float, float]]: ...

# kmeans.cpp
seed_block: int

class NearestCentres:
    def __init__(self, X: Matrix, origin: Array, bounds: str) -> None: ...
    def assign(self, centres: Array, weight: Array | None, label: Array) -> tuple[Array, Array, int, int]: ...
    def squares(self, centres: Array, label: Array) -> Array: ...
    def take_batch(self, centres: Array, counts: Array, weight: Array | None) -> tuple[Array, Array, float]: ...

def seed_potentials(
    X: Array, weight: Array | None, candidates: Array, apart: Array, closest: Array, seed: Array
) -> Array: ...
def take_seed(
    X: Array, weight: Array | None, centre: Array, number: int, apart: Array, closest: Array, seed: Array
) -> Array: ...
def fuzzy_pass(
    X: Array, weight: Array | None, centres: Array, origin: Array, power: float
) -> tuple[Array, Array, float]: ...
def balanced_labels(cost: Array, min_size: int, max_size: int, label: Array) -> Array: ...
def fuzzy_memberships(X: Array, centres: Array, power: float, memberships: Array) -> None: ...

# cf_tree.cpp
class CfTree:
    def __init__(self, features: int, threshold: float, branching: int) -> None: ...
    def insert(self, X: Array) -> None: ...
    def arrays(self) -> tuple[Array, Array, Array, Array, Array]: ...
    def restore(self, sizes: Array, children: Array, sums: Array, means: Array, leaves: Array) -> None: ...

# kmedoids.cpp
class MedoidSwaps:
    def __init__(self, far: Array, weight: Array, medoid: Array) -> None: ...
    def sweep(self, min_gain: float) -> tuple[int, float, float, bool]: ...

# graph.cpp
def shortest_paths(start: Array, index: Array, length: Array, sources: Array, distance: Array) -> None: ...
def neighbour_ranks(table: Array, first: int, neighbour: Array, rank: Array) -> None: ...
def perplexity_affinities(square: Array, perplexity: float, beta: Array, p: Array) -> None: ...
def neighbour_memberships(
    distance: Array, k: float, connectivity: float, mean: float, rho: Array, sigma: Array, membership: Array
) -> None: ...
def descend_neighbours(X: Array, near: Array, start: Array, reversed: Array, next: Array, square: Array) -> int: ...
def smacof_product(target: Array, weight: Array | None, X: Array, out: Array) -> float: ...

# layout.cpp
def student_attraction(
    start: Array, index: Array, weight: Array, Y: Array, dof: float, with_sum: bool, force: Array
) -> float: ...
def student_repulsion(Y: Array, dof: float, angle: float, force: Array) -> float: ...
def student_place(
    fixed: Array, neighbour: Array, p: Array, dof: float, angle: float, steps: int, tolerance: float, Y: Array
) -> None: ...
def spread_charges(Y: Array, left: float, bottom: float, width: float, boxes: int, charge: Array) -> None: ...
def gather_repulsion(
    Y: Array, left: float, bottom: float, width: float, boxes: int, potential: Array, force: Array
) -> float: ...
def sampled_gradient(
    start: Array, index: Array, rate: Array, head: Array, tail: Array, loss: dict[str, Any], gradient: Array
) -> float: ...

# chain.cpp
def chain_forward_backward(
    start: Array,
    transition: Array,
    node: Array,
    offset: Array,
    weight: Array | None,
    log_likelihood: Array,
    posterior: Array,
    transitions: Array,
) -> None: ...
def chain_filter(
    start: Array, transition: Array, node: Array, offset: Array, log_likelihood: Array, filtered: Array
) -> None: ...
def chain_fixed_lag(
    start: Array, transition: Array, node: Array, offset: Array, filtered: Array, lag: int, posterior: Array
) -> None: ...
def chain_sample(
    start: Array, transition: Array, node: Array, offset: Array, filtered: Array, uniform: Array, paths: Array
) -> None: ...
def chain_viterbi(start: Array, transition: Array, node: Array, offset: Array, path: Array, score: Array) -> None: ...
def chain_k_best(start: Array, transition: Array, node: Array, offset: Array, paths: Array, scores: Array) -> None: ...

# semi_chain.cpp
class SemiLattice:
    def __init__(
        self, start: Array, transition: Array, duration: Array, survival: Array, node: Array, offset: Array
    ) -> None: ...
    def forward_backward(
        self,
        weight: Array | None,
        log_likelihood: Array,
        posterior: Array,
        transitions: Array,
        durations: Array,
        last: Array,
    ) -> None: ...
    def filter(self, log_likelihood: Array, filtered: Array) -> None: ...
    def fixed_lag(self, lag: int, posterior: Array) -> None: ...
    def sample(self, uniform: Array, paths: Array) -> None: ...
    def viterbi(self, path: Array, begins: Array, score: Array) -> None: ...
    def k_best(self, paths: Array, scores: Array) -> None: ...

# sparse_chain.cpp
class SparseLattice:
    def __init__(self, start: Array, first: Array, from_: Array, weight: Array, node: Array, offset: Array) -> None: ...
    def forward_backward(
        self, weight: Array | None, log_likelihood: Array, posterior: Array, transitions: Array
    ) -> None: ...
    def filter(self, log_likelihood: Array, filtered: Array) -> None: ...
    def viterbi(self, path: Array, score: Array) -> None: ...
    def k_best(self, paths: Array, scores: Array) -> None: ...

# kalman.cpp
class StateSpace:
    def __init__(
        self, A: Array, b: Array, Q: Array, C: Array, d: Array, R: Array, mean: Array, covariance: Array
    ) -> None: ...
    def moments(
        self,
        X: Array,
        offset: Array,
        log_likelihood: Array,
        filtered_mean: Array,
        filtered_covariance: Array,
        mean: Array | None,
        covariance: Array | None,
        cross: Array | None,
    ) -> None: ...

# graphical.cpp
class JunctionTree:
    def __init__(
        self, start: Array, scope: Array, separator: Array, parent: Array, card: Array, home: Array
    ) -> None: ...
    def assemble(self, start: Array, scope: Array, clique: Array, value: Array, potential: Array) -> None: ...
    def propagate(
        self, potential: Array, evident: Array, likelihood: Array, posterior: Array, log_evidence: Array
    ) -> None: ...
    def expected_counts(
        self, potential: Array, evident: Array, likelihood: Array, weight: Array, start: Array, scope: Array,
        clique: Array, counts: Array, log_evidence: Array,
    ) -> None: ...  # fmt: skip
    def best_states(
        self, potential: Array, evident: Array, likelihood: Array, state: Array, log_probability: Array
    ) -> None: ...

def score_families(
    code: Array, card: Array, weight: Array | None, child: int, base: Array, others: Array, kind: int, strength: float,
    penalty: float, score: Array,
) -> None: ...  # fmt: skip
def saturated_likelihoods(code: Array, card: Array, weight: Array | None, likelihood: Array) -> None: ...
def test_independence(
    code: Array, card: Array, weight: Array | None, first: int, given: Array, others: Array, statistic: Array
) -> None: ...
def count_families(
    code: Array, card: Array, weight: Array | None, start: Array, columns: Array, counts: Array
) -> None: ...

# tagging.cpp
def score_labels(
    start: Array, index: Array, value: Array | None, offset: Array, label: Array, weight: Array, score: Array
) -> None: ...
def sum_by_attribute(
    start: Array, index: Array, value: Array | None, offset: Array, label: Array, residual: Array, gradient: Array
) -> None: ...

class ChainObjective:
    def __init__(
        self,
        start: Array,
        index: Array,
        value: Array | None,
        offset: Array,
        label: Array,
        labels: int,
        sentences: Array,
        y: Array,
        sentence_weight: Array,
    ) -> None: ...
    def evaluate(self, weight: Array, gradient: Array) -> float: ...

def online_tagging_epoch(
    start: Array,
    index: Array,
    value: Array | None,
    sentences: Array,
    y: Array,
    sentence_weight: Array | None,
    offset: Array,
    label: Array,
    transitions: Array,
    order: Array,
    rule: int,
    slack: int,
    error_sensitive: bool,
    settings: Array,
    step: float,
    weight: Array,
    second: Array | None,
) -> tuple[float, float]: ...

# network.cpp
def dense_train(
    X: Matrix,
    y: Array,
    weight: Array,
    order: Array,
    batch_size: int,
    first_step: int,
    rates: Array,
    layers: list[tuple[Any, ...]],
    settings: dict[str, Any],
    weights: Array,
    slots: Array,
    objective: Array,
    squared_norm: Array,
) -> int: ...
def dense_gradient(
    X: Matrix,
    y: Array,
    weight: Array,
    order: Array,
    step: int,
    layers: list[tuple[Any, ...]],
    settings: dict[str, Any],
    weights: Array,
    gradient: Array,
) -> float: ...
def dense_forward(
    X: Matrix,
    layers: list[tuple[Any, ...]],
    settings: dict[str, Any],
    weights: Array,
    depth: int,
    scores: bool,
    out: Array,
) -> None: ...
def layers_train(
    X: Matrix,
    y: Array,
    weight: Array,
    order: Array,
    batch_size: int,
    first_step: int,
    rates: Array,
    layers: list[tuple[Any, ...]],
    settings: dict[str, Any],
    weights: Array,
    slots: Array,
    statistics: Array,
    objective: Array,
    squared_norm: Array,
) -> int: ...
def layers_gradient(
    X: Matrix,
    y: Array,
    weight: Array,
    order: Array,
    step: int,
    training: bool,
    layers: list[tuple[Any, ...]],
    settings: dict[str, Any],
    weights: Array,
    statistics: Array,
    gradient: Array,
) -> float: ...
def layers_forward(
    X: Matrix,
    layers: list[tuple[Any, ...]],
    settings: dict[str, Any],
    weights: Array,
    statistics: Array,
    depth: int,
    scores: bool,
    out: Array,
) -> None: ...
def optimiser_step(
    settings: dict[str, Any], step: int, rate: float, gradient: Array, weights: Array, slots: Array
) -> None: ...

# boltzmann.cpp
def boltzmann_steps(
    X: Array,
    draws: Array,
    batch_size: int,
    rate: float,
    weights: Array,
    hidden: Array,
    visible: Array,
    samples: Array,
) -> None: ...

# factors.cpp
def nonnegative_sweep(G: Array, B: Array, order: Array, sweeps: int, ratio: float, exact: bool, W: Array) -> float: ...
def entry_products(start: Array, index: Array, W: Array, H: Array, out: Array) -> None: ...
def solve_rows(
    start: Array,
    index: Array,
    value: Array,
    weight: Array,
    base: Array,
    per_entry: float,
    V: Array,
    solver: str,
    steps: int,
    U: Array,
) -> None: ...
def batch_omp(G: Array, products: Array, square: Array, most: int, tolerance: float, codes: Array) -> int: ...
def batch_lasso(
    G: Array, products: Array, alpha: float, positive: bool, sweeps: int, tolerance: float, codes: Array
) -> float: ...
def ratings_epoch(
    user: Array,
    item: Array,
    value: Array,
    weight: Array,
    tile: Array,
    side: int,
    first: int,
    rate: float,
    bias_penalty: float,
    factor_penalty: float,
    biased: bool,
    mean: float,
    user_bias: Array,
    item_bias: Array,
    user_factors: Array,
    item_factors: Array,
) -> float: ...
def implicit_ratings_epoch(
    start: Array,
    order: Array,
    user: Array,
    item: Array,
    value: Array,
    weight: Array,
    rate: float,
    bias_penalty: float,
    factor_penalty: float,
    mean: float,
    user_bias: Array,
    item_bias: Array,
    user_factors: Array,
    item_factors: Array,
    implicit: Array,
) -> float: ...
def ranking_epoch(
    start: Array,
    index: Array,
    row: Array,
    seed: int,
    steps: int,
    rate: float,
    penalty: float,
    user_bias: Array,
    item_bias: Array,
    user_factors: Array,
    item_factors: Array,
) -> int: ...
def best_columns(scores: Array, best: Array) -> None: ...
def corated_similarity(
    start: Array,
    index: Array,
    value: Array,
    column_start: Array,
    column_index: Array,
    column_value: Array,
    which: Array,
    kind: str,
    shrinkage: float,
    least: float,
    out: Array,
) -> None: ...
def neighbour_sums(
    similarity: Array,
    column_start: Array,
    column_index: Array,
    column_value: Array,
    row: Array,
    column: Array,
    most: int,
    least: float,
    out: Array,
) -> None: ...
def topic_posteriors(
    start: Array,
    index: Array,
    value: Array,
    words: Array,
    prior: float,
    tolerance: float,
    most: int,
    gamma: Array,
    weights: Array,
    ratio: Array,
) -> None: ...
def gibbs_topics(
    document: Array,
    word: Array,
    prior: float,
    word_prior: float,
    seed: int,
    topic: Array,
    by_document: Array,
    by_word: Array,
    total: Array,
) -> None: ...
def skipgram_epoch(
    tokens: Array,
    start: Array,
    keep: Array,
    reached: Array,
    window: int,
    negatives: int,
    first_rate: float,
    last_rate: float,
    seed: int,
    vectors: Array,
    contexts: Array,
) -> float: ...
def glove_epoch(
    row: Array,
    column: Array,
    target: Array,
    weight: Array,
    rate: float,
    words: Array,
    contexts: Array,
    word_bias: Array,
    context_bias: Array,
    word_squares: Array,
    context_squares: Array,
) -> float: ...

# covariance.cpp
def graphical_lasso_sweep(
    S: Array, penalty: Array, tolerance: float, most_passes: int, W: Array, coef: Array, precision: Array
) -> int: ...
def concentrate(
    X: Array,
    weight: Array,
    half: float,
    floor: float,
    steps: int,
    tolerance: float,
    location: Array,
    covariance: Array,
    log_determinant: Array,
) -> int: ...

class DifferentialTrials:
    def __init__(
        self,
        population: Array,
        members: Array,
        factors: Array,
        crossed: Array,
        inside: Array,
        low: Array,
        width: Array,
        trial: Array,
        point: Array,
    ) -> None: ...
    def make(self, individual: int) -> None: ...

def check_transitions(start: Array, next: Array, rows: int, states: int) -> None: ...
def bellman_update(
    start: Array,
    next: Array,
    probability: Array,
    reward: Array,
    discount: float,
    value: Array,
    updated: Array,
    policy: Array,
) -> tuple[float, float]: ...
def policy_update(
    start: Array,
    next: Array,
    probability: Array,
    reward: Array,
    discount: float,
    policy: Array,
    value: Array,
    updated: Array,
) -> tuple[float, float]: ...
def tabular_learning(
    start: Array,
    next: Array,
    cumulated: Array,
    reward: Array,
    done: Array,
    initial: Array,
    rule: int,
    numbers: Array,
    replacing: bool,
    planning: int,
    longest: int,
    seed: int,
    first_episode: int,
    epsilon: Array,
    q: Array,
    second: Array,
    visits: Array,
    model_next: Array,
    model_reward: Array,
    model_done: Array,
    known: Array,
    known_count: int,
    returns: Array,
    lengths: Array,
) -> int: ...

# sampling.cpp
class LogDensity:
    def dimension(self) -> int: ...
    def evaluate(self, x: Array, gradient: Array) -> float: ...
    def values(self, X: Array, values: Array) -> None: ...

def linear_posterior(
    gram: Array,
    prior: Array,
    weight: float,
    sums: Array,
    begin: Array,
    sizes: Array,
    counts: Array,
    sigma_rate: float,
    tau_rate: float,
) -> LogDensity: ...
def glm_posterior(X: Array, y: Array, weight: Array, offset: Array, prior: Array, logistic: bool) -> LogDensity: ...
def tape_program(
    instructions: Array, parameters: Array, begin: Array, tracked: Array, maps: Array, constants: Array
) -> LogDensity: ...
def hamiltonian_chains(
    density: Any,
    seeds: Array,
    first: int,
    position: Array,
    gradient: Array,
    log_density: Array,
    adaptation: Array,
    inverse_mass: Array,
    factor: Array | None,
    adapting: bool,
    target_accept: float,
    max_depth: int,
    length: float,
    most_steps: int,
    draws: Array,
    gradients: Array,
    stats: Array,
) -> None: ...
