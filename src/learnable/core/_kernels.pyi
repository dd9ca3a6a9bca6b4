"""The compiled kernels as type checkers see them; tests/native/test_stubs.py holds this file to the compiled module."""

from .data import Array, Matrix

level: str

# control.cpp
def set_threads(threads: int) -> int: ...
def get_threads() -> int: ...
def default_threads() -> int: ...
def set_deadline(seconds: float) -> float: ...
def rest(blocks: int, seconds: float) -> int: ...

# scan.cpp
def first_non_finite(values: Array) -> int: ...
def squared_norms(X: Matrix) -> Array: ...

# moments.cpp
def moments(
    X: Matrix, y: Array, weight: Array | None = None, centre: bool = True
) -> tuple[float, Array, Array, Array, Array, Array]: ...

# products.cpp
def matvec(X: Matrix, w: Array, b: Array | None = None) -> Array: ...
def rmatvec(X: Matrix, r: Array) -> Array: ...
def residual_products(
    X: Matrix, y: Array, w: Array, b: Array | None = None, weight: Array | None = None
) -> tuple[Array, Array, Array]: ...

# consensus.cpp
def weight_within(
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
) -> tuple[Array, Array | None]: ...

# symmetric.cpp
def invert_symmetric(G: Array, alpha: float = 0.0) -> tuple[Array, float]: ...

# triangle.cpp
def triangle_append(L: Array, size: int, products: Array, square: float, least: float) -> float: ...
def triangle_delete(L: Array, size: int, gone: int) -> None: ...
def triangle_solve(L: Array, size: int, sides: Array) -> None: ...

# homotopy.cpp
def first_entry(
    columns: Array,
    fixed: Array,
    slope: Array,
    idle: Array,
    noise: Array,
    level: float,
    unclear: float,
    ties_enter: bool,
    one_sided: bool,
) -> tuple[float, int, int]: ...
def first_exit(active: Array, coef: Array, signs: Array, w: Array, unclear: float) -> tuple[float, int, int]: ...
def largest_excess(
    fixed: Array, slope: Array, norms: Array, off: float, start: float, end: float, one_sided: bool
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
    pulled: Array,
    numbers: Array,
) -> float: ...

# glm.cpp
def deviance_terms(
    z: Array, log_y: Array, unit: Array, share: Array, power: float, expected: bool = False
) -> tuple[float, Array, Array]: ...
def weighted_squares(X: Matrix, weight: Array) -> Array: ...

# coordinate.cpp
class Coordinate:
    unit: Array
    squares: Array
    mean: Array
    norm: float
    def __init__(self, X: Matrix, weight: Array | None, centre: bool, positive: bool, targets: int) -> None: ...
    def aim(self, y: Array) -> None: ...
    def strongest(self) -> float: ...
    def measure(self, w: Array, l1: float, l2: float) -> tuple[float, float, float, int]: ...
    def improve(
        self, w: Array, l1: float, l2: float, tolerance: float, limit: int, precise: bool, seed: int
    ) -> tuple[float, float, float, int, int, int]: ...
    def adopt(self, gram: Array) -> None: ...

class Path:
    def __init__(
        self, problems: list[Coordinate], l1: Array, l2: Array, tolerance: float, limit: int, seed: int
    ) -> None: ...
    def start(self, problem: int, w: Array) -> None: ...
    def advance(self, figures: Array, coefs: Array, held: Array) -> bool: ...
