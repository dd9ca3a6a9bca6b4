"""Cross-validation of the penalty of logistic regression, along warm-started paths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...core import Array, Data, ParameterError, Trace
from ...core.errors import warn
from ...core.runtime.trace import weakest
from ...engines import matrix_products
from ...engines.folds import Fold, folds
from ...engines.iterate import Progress, State, iterate
from .._cv_scores import ClassScorer
from .logistic_fit import fit_logistic, keep, logistic_problem, with_class_weights
from .logistic_objective import initial_coefficients, refuse_one_class


def choose(model: Any, data: Data, trace: Trace) -> None:
    """Score every penalty on every fold, choose one, and set the learned attributes."""
    ratios = _ratios(model)
    Cs = _Cs(model.Cs)
    refuse_one_class(type(model).__name__, model.classes_, data.y, data.weight)
    parts = folds(model.cv, data.n, model.classes_[data.y], type(model).__name__, classes=True)
    scorer = ClassScorer.of(scoring_of(model), model.classes_, model.strategy == "ovr")
    paths = LogisticPathFits(model, data, scorer, Cs, np.asarray(ratios), parts)
    state = iterate(paths, paths.fits, trace)
    searched, coefs, scores, steps = trace.stopped, state["coefs"], state["scores"], state["steps"]
    best_c, best_ratio = _choose(scores, Cs, model.rule)
    C, ratio = float(Cs[best_c]), float(ratios[best_ratio])
    model.Cs_, model.l1_ratios_ = Cs, np.asarray(ratios, dtype=np.float64)
    if model.refit:
        fit_logistic(model, data, C, ratio, trace, start=coefs[:, best_ratio, best_c].mean(axis=0))
    else:
        fit_logistic(model, data, C, ratio, trace)
        known = np.where(np.isfinite(scores), scores, -np.inf)
        each = [np.unravel_index(table.argmax(), table.shape) for table in known]
        keep(model, np.mean([coefs[f, r, c] for f, (r, c) in enumerate(each)], axis=0), data.X.dtype)
        C, ratio = float(np.mean([Cs[c] for _, c in each])), float(np.mean([ratios[r] for r, _ in each]))
    trace.stopped = weakest([searched, trace.stopped])
    _keep_tables(model, coefs, scores, steps, (C, ratio))


def scoring_of(model: Any) -> str | Callable[..., float]:
    """The scoring of the model, accuracy by default."""
    return "accuracy" if model.scoring is None or model.scoring == "warn" else model.scoring


def _ratios(model: Any) -> list[float]:
    if model.penalty != "deprecated":
        warn(f"{type(model).__name__}: penalty is deprecated; use l1_ratios", FutureWarning)
        if model.penalty in ("l1", "l2"):
            return [1.0 if model.penalty == "l1" else 0.0]
    if model.l1_ratios is None or (isinstance(model.l1_ratios, str) and model.l1_ratios == "warn"):
        return [0.0]
    ratios = np.ravel(np.asarray(model.l1_ratios, dtype=np.float64))
    if len(ratios) == 0 or not ((ratios >= 0) & (ratios <= 1)).all():
        raise ParameterError(f"{type(model).__name__}: l1_ratios must be between 0 and 1; got {model.l1_ratios!r}")
    return [float(ratio) for ratio in ratios]


def _Cs(given: Any) -> Array:
    return np.logspace(-4, 4, given) if np.ndim(given) == 0 else np.ravel(np.asarray(given, dtype=np.float64))


class LogisticPathFits:
    """The method, for `iterate`: a step is one fit, of a fold, an l1_ratio and a C; strong penalties first."""

    def __init__(
        self, model: Any, data: Data, scorer: ClassScorer, Cs: Array, ratios: Array, parts: list[Fold]
    ) -> None:
        self.model, self.data, self.scorer, self.parts = model, data, scorer, parts
        self.trained = with_class_weights(model, data)  # balanced over all rows, as in scikit-learn
        self.Cs, self.ratios = Cs, ratios
        self.several = len(model.classes_) > 2
        self.order = np.argsort(Cs, kind="stable")
        self.fits = len(parts) * len(ratios) * len(Cs)

    def start(self) -> State:
        """The state before the first fit."""
        shape = len(self.parts), len(self.ratios), len(self.Cs)
        rows = len(self.model.classes_) if self.several else 1
        return {
            "coefs": np.zeros((*shape, rows, self.data.X.shape[1] + 1)),
            "scores": np.full(shape, np.nan),
            "steps": np.zeros(shape, dtype=np.int32),
            "done": 0,
        }

    def step(self, state: State) -> State:
        """One more fit."""
        f, r, rank = self._next(state["done"])
        c = self.order[rank]
        after = state | {name: state[name].copy() for name in ("coefs", "scores", "steps")}
        inside = _SilentTrace()
        start = state["coefs"][f, r, self.order[rank - 1]] if rank else None
        train, test = self.parts[f]
        weight = None if self.trained.weight is None else self.trained.weight[train]
        inner = Data(matrix_products.rows(self.data.X, train), self.data.y[train], weight, None)
        found = self._fit_fold(inner, float(self.Cs[c]), float(self.ratios[r]), start, inside)
        z = matrix_products.scores(matrix_products.rows(self.data.X, test), found[:, :-1], found[:, -1])
        held = None if self.data.weight is None else self.data.weight[test]
        after["coefs"][f, r, c], after["steps"][f, r, c] = found, inside.iterations
        after["scores"][f, r, c] = self.scorer(self.data.y[test], z, held)
        after["done"] = state["done"] + 1
        return after

    def progress(self, state: State) -> Progress:
        """The number of fits left."""
        f, r, rank = self._next(state["done"] - 1)
        c = self.order[rank]
        more = {"fold": float(f), "l1_ratio": float(self.ratios[r]), "C": float(self.Cs[c])}
        return Progress(-float(state["scores"][f, r, c]), float(self.fits - state["done"]), 0.0, more)

    def _next(self, done: int) -> tuple[int, int, int]:
        fold, rest = divmod(done, len(self.ratios) * len(self.Cs))
        return fold, *divmod(rest, len(self.Cs))

    def _fit_fold(self, inner: Data, C: float, ratio: float, start: Array | None, trace: Trace) -> Array:
        """Coefficients with the intercept last, for the columns of the data."""
        problem = logistic_problem(self.model, inner, C, ratio)
        columns = inner.X.shape[1]
        if self.several and self.model.strategy == "ovr":
            found = []
            for k in range(problem.classes):
                one = replace(problem, code=(problem.code == k).astype(np.int64), classes=2)
                found.append(one.fit(initial_coefficients(one, False), trace)[0])
            whole = np.array(found)
        else:
            first = initial_coefficients(problem, self.several)
            if start is not None and start.shape == first.shape:
                first = start
            whole = problem.fit(first, trace)
        if problem.X.shape[1] == columns:
            return whole
        intercept = whole[:, columns] * self.model.intercept_scaling
        return np.column_stack([whole[:, :columns], intercept])


class _SilentTrace(Trace):
    """The trace of a fit on a fold, which is not reported to watchers."""

    def record(self, objective: float, **columns: float) -> None:
        """Add a row."""
        self.rows.append({"objective": objective, "seconds": 0.0, **columns})


def _choose(scores: Array, Cs: Array, rule: str) -> tuple[int, int]:
    """Indices of the C and the l1_ratio with the best mean score, or simpler within its standard error.

    `scores` are by fold, l1_ratio and C; NaN where a fit was not done, because something stopped the search early.
    """
    tried = np.isfinite(scores)
    total = np.where(tried, scores, 0.0).sum(axis=0)
    mean = np.where(tried.any(axis=0), total / np.maximum(tried.sum(axis=0), 1), -np.inf)
    c, r = map(int, np.unravel_index(mean.T.argmax(), mean.T.shape))
    if rule == "one_se" and len(scores) > 1 and tried.all():
        error = scores[:, r, c].std(ddof=1) / np.sqrt(len(scores))
        c = int(np.where(mean[r] >= mean[r, c] - error, Cs, np.inf).argmin())
    return c, r


def _keep_tables(model: Any, coefs: Array, scores: Array, steps: Array, chosen: tuple[float, float]) -> None:
    """Set the scores and coefficients of all candidates, in scikit-learn's current or former shapes.

    `coefs` are by fold, l1_ratio, C and class, with the intercept last; the others by fold, l1_ratio and C.
    """
    if not model.fit_intercept:
        coefs = coefs[..., :-1]
    model.C_, model.l1_ratio_ = chosen
    model.coefs_paths_, model.scores_, model.n_iter_ = coefs, scores, steps
    if model.use_legacy_attributes is False:
        return
    labels = model.classes_.tolist()
    labels = labels if len(labels) > 2 else labels[1:]
    alone = model.l1_ratios is None or isinstance(model.l1_ratios, str)
    selected = (slice(None), slice(None), 0) if alone else (slice(None),)
    turned, scores_by_C = coefs.transpose(3, 0, 2, 1, 4), scores.transpose(0, 2, 1)
    model.coefs_paths_ = {label: turned[k][selected] for k, label in enumerate(labels)}
    model.scores_ = {label: scores_by_C[selected].copy() for label in labels}
    model.n_iter_ = steps.transpose(0, 2, 1)[selected][None]
    model.C_, model.l1_ratio_ = np.full(len(labels), chosen[0]), np.full(len(labels), chosen[1])
