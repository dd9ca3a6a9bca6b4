"""Forward stagewise regression."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, learned, param
from ..core.numeric import EPSILON
from ..engines import matrix_products
from ..engines.iterate import Progress, State, iterate
from ..engines.paths.lars_products import Products
from ._lars.lars_fit import LarsProblem

STEPS_AT_ONCE = 50  # steps between two checks of budget and watchers


@estimator
class StagewiseRegressor(Regressor):
    """Forward stagewise regression: many small steps along the column most correlated with the residual.

    repeat    j = argmax |x_j . r|,    w_j <- w_j + step sign(x_j . r),    r = y - Xw - b

    A step is `step_size` standard deviations of y for one of the column. As steps shrink the path becomes that of least
    angle regression with coefficients that never turn back; where those of the lasso never do, it is the lasso's too.
    Fewer steps shrink more, so `n_steps` sets the regularisation strength.
    [Hastie, Taylor, Tibshirani and Walther, 2007]

    >>> X, y = [[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]], [-2.0, 0.0, 2.0]
    >>> StagewiseRegressor(step_size=0.1, n_steps=5).fit(X, y).coef_
    array([1., 0.])
    """

    step_size: float = param(0.01, "step size, for standardised columns and target", kw_only=False, above=0)
    n_steps: int = param(1000, "maximum number of steps", at_least=1, tune=(100, 300, 1000, 3000), simpler="smaller")
    fit_intercept: bool = param(True, "whether to fit an intercept")
    scale: bool = param(True, "whether to standardise the columns")
    coef_: Array = learned("coefficient of each column", shape="features")
    intercept_: float = learned("intercept of the model")
    moves_: Array = learned("the path: number of the column, from 1, with the sign of each step", shape="steps")
    steps_: Array = learned("change of each coefficient by a step", shape="features")
    n_iter_: int = learned("number of iterations")

    title = "forward stagewise regression"
    reference = (
        "Hastie, Taylor, Tibshirani and Walther, Forward stagewise regression, Electronic J. of Statistics 1, 2007"
    )

    def _unsound(self) -> str:
        """Every step is of a column, counted from 1."""
        steps = np.abs(self.moves_.astype(np.int64)) if self.moves_.dtype.kind == "i" else np.zeros(1)
        sound = not len(steps) or (steps.min() >= 1 and steps.max() <= len(self.coef_))
        return "" if sound else "moves_ must name columns from 1, with the sign of each step"

    def _fit(self, data: Data, trace: Trace) -> None:
        problem = LarsProblem.of(data, self.fit_intercept, "auto", min(self.n_steps, data.p))
        method = Stagewise(problem.sources[0], self.step_size, self.n_steps, self.scale, problem.units.weight)
        state = iterate(method, self.n_steps, trace)
        units, dtype, coef = problem.units, data.X.dtype, state["net"] * method.steps
        self.coef_ = units.coefficients(coef).astype(dtype)
        self.intercept_ = units.intercepts(coef[None]).astype(dtype)[0]
        self.moves_ = np.array(state["moves"], dtype=np.int64)
        self.steps_ = units.coefficients(method.steps).astype(dtype)
        self.n_iter_ = len(self.moves_)
        trace.certify(
            "accuracy of the choice", state["off"] + EPSILON, 1e-9,
            "the correlations by which steps were chosen are off by no more than this.",
        )  # fmt: skip

    @property
    def coef_path_(self) -> Array:
        """Coefficients of shape (features, steps + 1) from the empty model on."""
        net = np.zeros((len(self.coef_), len(self.moves_) + 1))
        net[np.abs(self.moves_) - 1, np.arange(1, len(self.moves_) + 1)] = np.sign(self.moves_)
        return (net.cumsum(axis=1) * self.steps_[:, None]).astype(self.coef_.dtype)

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_)


class Stagewise:
    """The steps as a method of `iterate`, several at a time.

    Columns and target count as if of unit length, so that products are correlations; `steps` are the steps in the
    units of the data. `net` counts the steps up minus those down of each column, so nothing is added up with rounding.
    """

    def __init__(self, products: Products, size: float, most: int, scale: bool, weight: float) -> None:
        self.products, self.size, self.most, self.weight = products, size, most, weight
        norms, length = products.norms, products.length or 1.0
        lengths = (
            norms if scale else np.full(len(norms), np.sqrt(np.mean(norms[norms > 0] ** 2)) if norms.any() else 0.0)
        )
        self.per_length = np.divide(1.0, lengths, where=norms > 0, out=np.zeros(len(norms)))
        self.first = products.cross * self.per_length / length
        self.enough = 0.5 * size * (norms * self.per_length) ** 2  # a step helps if the correlation is above it
        self.steps = size * length * self.per_length
        self.rows: dict[int, Array] = {}

    def start(self) -> State:
        """The state before the first step."""
        return {"net": np.zeros(len(self.first), dtype=np.int64), "moves": [], "off": 0.0, "left": 1.0, "ended": False}

    def step(self, state: State) -> State:
        """Several steps, from recomputed products."""
        net, moves, ended = state["net"].copy(), list(state["moves"]), False
        correlation = self._correlations(net)
        for _ in range(min(STEPS_AT_ONCE, self.most - len(moves))):
            j = int(np.argmax(np.abs(correlation)))
            if abs(correlation[j]) <= self.enough[j]:
                ended = True
                break
            sign = 1 if correlation[j] > 0 else -1
            net[j] += sign
            correlation -= sign * self._row(j)
            moves.append(sign * (j + 1))
        fresh = self._correlations(net)
        left = max(1.0 - self.size * float(net @ (self.first + fresh)), 0.0)
        off = max(state["off"], float(np.abs(fresh - correlation).max()))
        return {"net": net, "moves": moves, "off": off, "left": left, "ended": ended}

    def progress(self, state: State) -> Progress:
        """Done after all steps, or when no step would bring the prediction closer."""
        missing = 0.0 if state["ended"] else float(self.most - len(state["moves"]))
        objective = 0.5 * state["left"] * self.products.length**2 / self.weight
        return Progress(objective, missing, 0.0, {"steps": float(len(state["moves"]))})

    def _row(self, j: int) -> Array:
        """What a step of column j takes from the correlation of each column with the residual."""
        if j not in self.rows:
            self.rows[j] = self.products.with_all(j) * self.per_length * (self.size * self.per_length[j])
        return self.rows[j]

    def _correlations(self, net: Array) -> Array:
        """How alike each column is to the residual after these steps."""
        correlation = self.first.copy()
        for j in np.flatnonzero(net):
            correlation -= net[j] * self._row(int(j))
        return correlation
