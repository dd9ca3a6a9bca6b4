"""One fit and its scores, which cross-validation and searches are made of."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core import Array, BudgetError, DataError, fitted_estimator
from ..core.errors import FitFailedWarning, warn
from ..core.roles.estimator import cloned
from ..core.runtime import context
from ..core.sklearn_api.estimator_type import is_pairwise
from ..core.sklearn_api.metadata import requested_metadata
from ..core.sklearn_api.routing import requested, weight_for
from ..core.validate.columns import take_columns
from ..core.validate.rows import row_count, take_rows
from ..engines.folds import Fold
from ..metrics.scoring import OwnScore

Scores = dict[str, float]
MAX_KEPT = 2**28  # bytes of rows that are cut once for every fold and kept


@dataclass(slots=True)
class FitArguments:
    """Rows, their targets, and what else goes to `fit`; entries of `options` with a value per row are cut with them."""

    X: Any
    y: Any
    options: dict[str, Any] = field(default_factory=dict)
    kept: dict[int, tuple[Array, FitArguments]] | None = None  # folds that will be used again, if there are any
    scored: dict[str, Any] | None = None  # metadata of scores, where they are routed; None: the weights count there too

    @property
    def n(self) -> int:
        """Number of rows."""
        return row_count(self.X)

    def part(self, rows: Array, columns: Array | None = None) -> FitArguments:
        """The sample of some rows; where parts are kept, small ones are there for the next who asks.

        `columns` are those of a matrix of comparisons with the training rows, which are cut too.
        """
        if columns is not None:
            if np.shape(self.X)[1] != self.n:
                raise DataError(f"X must compare {self.n} rows with one another: it has {np.shape(self.X)[1]} columns")
            table = take_columns(self.X, columns)
            return FitArguments(table, self.y, self.options, scored=self.scored).part(rows)
        found = self.kept.get(id(rows)) if self.kept is not None else None
        if found is not None and found[0] is rows:
            return found[1]
        n = self.n
        options, scored = (
            each and {name: take_rows(value, rows) if _per_row(value, n) else value for name, value in each.items()}
            for each in (self.options, self.scored)
        )
        target = None if self.y is None else take_rows(self.y, rows)
        cut = FitArguments(take_rows(self.X, rows), target, options or {}, scored=scored)
        if self.kept is not None and getattr(self.X, "nbytes", MAX_KEPT) * (len(self.kept) + 1) < MAX_KEPT:
            self.kept[id(rows)] = rows, cut
        return cut

    @property
    def weight(self) -> Any:
        """The weights of the rows, which count in scores too."""
        return self.options.get("sample_weight")

    def __getstate__(self) -> tuple[Any, ...]:
        return self.X, self.y, self.options, self.scored

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.X, self.y, self.options, self.scored = state
        self.kept = None


@dataclass(frozen=True, slots=True)
class Trial:
    """A fit to be done: which rows train and which test, with which parameters, what is kept of it."""

    fold: Fold
    params: dict[str, Any] = field(default_factory=dict)
    with_train: bool = False
    keep: bool = False
    limit: int | None = None  # rows to train on, of those of the fold


@dataclass(frozen=True, slots=True)
class TrialRows:
    """Which rows train, which test, and whether the training score is requested."""

    train: Array
    test: Array
    trained: Array | None = None

    @classmethod
    def of(cls, fold: Fold, with_train: bool) -> TrialRows:
        """The rows of a fold; the training score is that of the training rows."""
        train, test = fold
        return cls(train, test, train if with_train else None)


@dataclass(slots=True)
class Outcome:
    """What came of a trial; `failure` is the story of an error, and there are no scores then."""

    test: Scores | None = None
    train: Scores | None = None
    fit_seconds: float = 0.0
    score_seconds: float = 0.0
    failure: str = ""
    estimator: Any = None
    cut_short: bool = False  # by a budget or a watcher, so that the scores are not those of a whole fit


@dataclass(frozen=True, slots=True)
class TrialSplit:
    """The rows of a trial: those to train on, those to test on, and those whose score is the training score, if any."""

    training: FitArguments
    tested: FitArguments
    trained: FitArguments | None = None


def evaluate(sample: FitArguments, estimator: Any, scorer: Any, error_score: Any, trial: Trial) -> Outcome:
    """Fit a copy of `estimator` to the training rows and score it on the test rows."""
    train_rows, test_rows = trial.fold
    train_rows = train_rows if trial.limit is None else train_rows[: trial.limit]
    columns = train_rows if is_pairwise(estimator) else None
    training = sample.part(train_rows, columns)
    split = TrialSplit(training, sample.part(test_rows, columns), training if trial.with_train else None)
    return evaluate_fitted(estimator, scorer, error_score, trial.keep, (split, trial.params))


def evaluate_fitted(
    estimator: Any, scorer: Any, error_score: Any, keep: bool, case: tuple[TrialSplit, dict[str, Any]]
) -> Outcome:
    """What comes of fitting a copy of `estimator` with some parameters on one side of a split."""
    split, params = case
    began = time.perf_counter()
    model = cloned(estimator)
    if params:  # a wrong name is a mistake of the caller, not of a fit
        model = model.set_params(**{name: cloned(value) for name, value in params.items()})
    outcome = _tried(lambda: fitted(model, split.training), error_score, began)
    if outcome.failure:
        return outcome
    outcome.cut_short = _cut_short(model)
    began = time.perf_counter()
    outcome.test = scores_of(scorer, model, split.tested, error_score)
    outcome.score_seconds = time.perf_counter() - began
    if split.trained is not None:
        outcome.train = scores_of(scorer, model, split.trained, error_score)
    if keep:
        outcome.estimator = model
    return outcome


def stepped(model: Any, part: FitArguments, extra: dict[str, Any], error_score: Any) -> Outcome:
    """What comes of letting `model` learn some more rows; it is not scored yet."""
    options = {**extra, **(part.options if part.scored is not None else requested(model, "partial_fit", part.options))}
    target = [] if part.y is None else [part.y]
    return _tried(lambda: model.partial_fit(part.X, *target, **options), error_score, time.perf_counter())


def _tried(learn: Callable[[], Any], error_score: Any, began: float) -> Outcome:
    """How long it takes to learn, and the story of an error unless it is to be raised."""
    try:
        learn()
    except BudgetError:
        raise
    except Exception:
        if error_score == "raise":
            raise
        return Outcome(fit_seconds=time.perf_counter() - began, failure=traceback.format_exc())
    return Outcome(fit_seconds=time.perf_counter() - began)


def _cut_short(model: Any) -> bool:
    """Whether a fit was stopped before it was done; of those without a trace one must assume it if time is up."""
    trace = getattr(model, "trace_", None)
    return context.reason_to_stop() != "" if trace is None else trace.stopped in ("budget", "interrupted")


def fitted(model: Any, part: FitArguments) -> Any:
    """`model` fitted to some rows with what it asks for, the target left out where there is none."""
    options = {name: value for name, value in part.options.items() if value is not None}
    options = requested(model, "fit", options) if options and part.scored is None else options
    data = (part.X,) if part.y is None else (part.X, part.y)
    return fitted_estimator(model, *data, **options)


def scores_of(scorer: Any, model: Any, part: FitArguments, error_score: Any = "raise") -> Scores:
    """Every score of a fitted model on some rows by name; a single one is called `score`."""
    options = part.scored
    if options is None:
        options = {} if part.weight is None else weight_for(scorer, part.weight)
    elif options and not hasattr(scorer, "scorers"):
        options = requested_metadata(model if isinstance(scorer, OwnScore) else scorer, "score", options)
    try:
        found = scorer(model, part.X, **options) if part.y is None else scorer(model, part.X, part.y, **options)
    except BudgetError:
        raise
    except Exception:
        if error_score == "raise":
            raise
        warn(
            f"The scorer failed on a fold, whose score becomes {error_score}:\n{traceback.format_exc()}",
            UserWarning,
        )
        names = getattr(scorer, "scorers", {"score": None})
        return dict.fromkeys(names, float(error_score))
    if not isinstance(found, dict):
        return {"score": _number(found, "score", scorer)}
    return {
        name: _number(value, name, scorer) if not isinstance(value, str) else _failed(value, error_score)
        for name, value in found.items()
    }


def _failed(story: str, error_score: Any) -> float:
    """The score that stands in for one of several that failed."""
    warn(f"The scorer failed on a fold, whose score becomes {error_score}:\n{story}", UserWarning)
    return float(error_score)


def _number(value: Any, name: str, scorer: Any) -> float:
    """A score as a plain number."""
    try:
        return float(value.item() if hasattr(value, "item") else value)
    except (TypeError, ValueError):
        raise DataError(
            f"scoring must return a number, got {value!r:.60} ({type(value)}) as {name} from {scorer!r:.60}"
        ) from None


def warn_of_failures(outcomes: list[Outcome], error_score: Any) -> None:
    """Say which fits failed and why; raise an error if all did."""
    stories: dict[str, int] = {}
    for outcome in outcomes:
        if outcome.failure:
            stories[outcome.failure] = stories.get(outcome.failure, 0) + 1
    failed = sum(stories.values())
    if not failed:
        return
    listed = "\n".join(f"{'-' * 80}\n{count} times:\n{story}" for story, count in stories.items())
    remedy = "error_score='raise' stops at the first. What they said:\n"
    if failed == len(outcomes):
        raise DataError(f"All {failed} fits failed; {remedy}{listed}")
    warn(
        f"{failed} of {len(outcomes)} fits failed, and their scores are {error_score}; {remedy}{listed}",
        FitFailedWarning,
    )


def score_table(outcomes: list[Outcome], error_score: Any, which: str = "test") -> dict[str, Array]:
    """Every score by name, one entry per outcome; failed fits get `error_score`, those that were not done NaN."""
    done = [getattr(outcome, which) for outcome in outcomes]
    names = next((list(scores) for scores in done if scores is not None), ["score"])
    blank = [instead_of_score(outcome, error_score) for outcome in outcomes]
    return {
        name: np.array([one if scores is None else scores[name] for scores, one in zip(done, blank, strict=True)])
        for name in names
    }


def instead_of_score(outcome: Outcome, error_score: Any) -> float:
    """The placeholder of the score of a fit that failed or was not done."""
    return float(error_score) if outcome.failure and error_score != "raise" else float("nan")


def _per_row(value: Any, n: int) -> bool:
    """Whether an option has an entry for each row."""
    if (
        value is None
        or isinstance(value, (str, bytes, dict))
        or not (hasattr(value, "__len__") or hasattr(value, "shape"))
    ):
        return False
    return getattr(value, "shape", (0,)) != () and row_count(value) == n
