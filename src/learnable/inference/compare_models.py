"""Compare models on one table, honestly."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from numbers import Integral
from typing import Any, Literal

import numpy as np

from ..core import Array, BudgetError, DataError, ParameterError, RandomState
from ..core.declare.checked_functions import Model, Rows, checked, is_model, limits
from ..core.runtime import context
from ..core.runtime.random import generator, seed_of, stream
from ..core.sklearn_api.estimator_type import is_classifier, role
from ..core.validate.rows import row_count
from ..core.validate.targets import TargetValidator
from ..engines.folds import Fold, folds, is_partition, mean_test_share, rows_tested
from ..metrics import check_scoring
from ..metrics._score_range import Scale, scale_of
from ..model_selection._row_half_sampling import MIN_FOLDS, ROWS, folds_of_row_halves, interval_by_row_halves
from ..model_selection.validation import scores_of_all_folds
from ..parts.confidence_intervals import Interval, corrected_resampled
from ._half_sampling import interval_by_halves
from .comparison import ComparedModel, Comparison
from .finding import SHARE
from .multiple_comparisons import benjamini_hochberg, bonferroni, holm
from .t_tests import corrected_resampled_t_test

Rule = Literal["holm", "bonferroni", "benjamini-hochberg", "none"]
Kind = Literal["auto", "halves", "corrected"]
Pair = tuple[str, str]


@checked(repeats=limits(at_least=1), alpha=SHARE)
def compare(
    models: Mapping[str, Any] | Sequence[Any],
    X: Rows,
    y: Rows,
    *,
    baseline: str | Model | None = None,
    scoring: Any = None,
    cv: Any = 10,
    repeats: int = 1,
    groups: Rows | None = None,
    alpha: float = 0.05,
    correction: Rule = "holm",
    interval: Kind = "auto",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> Comparison:
    """Compare models: which are better than a baseline, and which do not differ significantly.

    Every model, ours or scikit-learn's, is scored on the same test sets. Each score has an interval for the expected
    score, and each difference a t test that allows for overlapping training sets [Nadeau and Bengio, 2003]; p values
    against the baseline are adjusted for the number of models, those between models for the number of pairs. So if all
    models are alike, the probability that any is called better than the baseline is at most `alpha`.

    Without `scoring` classifiers are compared by accuracy and regressors by R². `baseline` is a name among the models,
    an estimator, or None for one that ignores the columns. A number as `cv` gives shuffled folds, stratified for
    classes, of whole groups if there are `groups`. The folds are drawn `repeats` times: intervals get
    narrower, at the cost of a few more false positives for unstable models.

    `interval="corrected"` is Nadeau and Bengio's: it needs no further fit, and is too wide for models that other rows
    hardly change. "halves" measures on halves of the table how much models and scores vary together, in twelve times
    as many fits on less than half of the rows. "auto" does so for tables of 100 to 5000 rows in at least 8 folds. The
    halves are drawn row by row, or made of whole folds where there are `groups` or a splitter says what belongs
    together.

    >>> from learnable.linear_model import LinearRegression, Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 3))
    >>> y = X[:, 0] + 0.5 * rng.normal(size=60)
    >>> result = compare({"least squares": LinearRegression(), "flat": Ridge(1e6)}, X, y, baseline="flat")
    >>> result.better
    ['least squares']
    """
    named, base = _with_baseline(_named(models), baseline)
    if y is not None:
        TargetValidator("compare").any_target(y, row_count(X), several=True)
    first = next(model for name, model in named.items() if name != base)
    scoring = _one_measure(named) if scoring is None else scoring
    parts = rows_of_splits(first, X, y, cv, repeats, groups, random_state)
    scores = {name: _scores(name, model, X, y, scoring, parts, n_jobs) for name, model in named.items()}
    by_halves = _by_halves(interval, parts, row_count(X)) and not context.reason_to_stop()
    halves = _row_halves(first, X, y, cv, random_state) if by_halves and groups is None else None
    ends = {}
    for name, model in named.items():
        again = partial(_finite_or_not, model, X, y, scoring, n_jobs) if by_halves else None
        scale = scale_of(check_scoring(model, scoring), model, y)
        ends[name] = _interval(scores[name], parts, 1 - alpha, again, scale, halves)
    share = mean_test_share(parts)
    rows = compared(scores, ends, base, share, alpha, correction)
    kind = "halves" if by_halves else "corrected"
    return Comparison(rows, scores, base, _name_of(scoring), RULES[correction][0], alpha, share, kind)


def _interval(
    scores: Array,
    parts: list[Fold],
    confidence: float,
    again: Callable[[list[Fold]], Array] | None,
    scale: Scale,
    halves: list[Fold] | None,
) -> Interval:
    """The interval of a mean score: by halves where folds of them can be scored `again`, or corrected."""
    share = mean_test_share(parts)
    if again is not None and halves is not None:
        of_halves = again(halves)
        if np.isfinite(of_halves).all():
            return interval_by_row_halves(scores, of_halves, int(rows_tested(parts)), scale, confidence)
        again = None
    if again is None:
        found = corrected_resampled(scores, share, confidence)
    else:
        found = interval_by_halves(scores, parts, share, confidence, again)
    return scale.honest(found, float(scores.mean()), rows_tested(parts), confidence)


def _row_halves(model: Any, X: Any, y: Any, cv: Any, random_state: RandomState) -> list[Fold] | None:
    """Folds of halves of the rows, if `cv` is a number and says nothing of how rows belong together."""
    if not _counts_folds(cv):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes that some folds lack: their scores show it
        try:
            draws = generator(seed_of(random_state), 1)
            return folds_of_row_halves("compare", row_count(X), int(cv), y if is_classifier(model) else None, draws)
        except DataError:
            return None


def _counts_folds(cv: Any) -> bool:
    return isinstance(cv, Integral) and not isinstance(cv, bool)


def _by_halves(interval: Kind, parts: list[Fold], n: int) -> bool:
    """Whether intervals come from halves of the table: folds must divide it, and be enough."""
    able = len(parts) >= MIN_FOLDS and is_partition(parts, n)
    if interval == "halves" and not able:
        raise ParameterError(
            f'compare: interval="halves" needs at least {MIN_FOLDS} folds that test every row once, such as cv=10 '
            'with repeats=1; use "corrected"'
        )
    return interval != "corrected" and able and (interval == "halves" or ROWS[0] <= n <= ROWS[1])


def _named(models: Any) -> dict[str, Any]:
    """Models by name; those of a list are named after their classes, with numbers if a class occurs twice."""
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    else:
        classes = [getattr(model, "__name__", type(model).__name__) for model in models]
        named = {
            f"{name} {classes[: place + 1].count(name)}" if classes.count(name) > 1 else name: model
            for place, (name, model) in enumerate(zip(classes, models, strict=True))
        }
    if not named:
        raise ParameterError("compare: models must hold at least one model")
    for name, model in named.items():
        if not is_model(model):
            remedy = f"; make one of the class, {model.__name__}()" if isinstance(model, type) else ""
            raise ParameterError(f"compare: models must be estimators; {name!r} is {model!r:.60}{remedy}")
    return named


def _with_baseline(named: dict[str, Any], baseline: Any) -> tuple[dict[str, Any], str]:
    if isinstance(baseline, str):
        if baseline not in named:
            known = ", ".join(named)
            raise ParameterError(f"compare: baseline must be one of {known}, an estimator or None; got {baseline!r}")
        if len(named) < 2:
            raise ParameterError("compare: there must be a model besides the baseline")
        return named, baseline
    if baseline is None:
        from ..dummy import DummyClassifier, DummyRegressor

        baseline = DummyClassifier() if is_classifier(next(iter(named.values()))) else DummyRegressor()
    name = type(baseline).__name__ if type(baseline).__name__ not in named else "baseline"
    return {**named, name: baseline}, name


def rows_of_splits(
    model: Any, X: Any, y: Any, cv: Any, repeats: int, groups: Any, random_state: RandomState
) -> list[Fold]:
    """The training and test rows of every split, the same for every model."""
    from ..model_selection import (
        GroupKFold,
        RepeatedKFold,
        RepeatedStratifiedKFold,
        StratifiedGroupKFold,
        check_cv,
    )

    n, classes, counted = row_count(X), is_classifier(model), _counts_folds(cv)
    if counted and groups is not None:
        kind: Any = StratifiedGroupKFold if classes else GroupKFold
        cv = kind(int(cv), shuffle=True, random_state=stream(random_state))  # a stream goes on with every repeat
    elif counted:
        kind = RepeatedStratifiedKFold if classes else RepeatedKFold
        cv, repeats = kind(n_splits=int(cv), n_repeats=repeats, random_state=random_state), 1
    elif repeats > 1:
        raise ParameterError(
            "compare: repeats draws folds again if cv is a number; a splitter draws its own, so give one that repeats, "
            "such as RepeatedKFold, and leave repeats at 1"
        )
    splitter = check_cv(cv, y, classifier=classes)
    return [fold for _ in range(repeats) for fold in folds(splitter, n, y, "compare", groups, classes, X)]


def _scores(name: str, model: Any, X: Any, y: Any, scoring: Any, parts: list[Fold], n_jobs: int | None) -> Array:
    try:
        found = scores_of_all_folds(model, X, y, cv=parts, scoring=scoring, n_jobs=n_jobs)
    except BudgetError as error:
        raise BudgetError(
            f"compare: the budget ended before {name} had a score on each of {len(parts)} test sets ({error}); models "
            "are compared on all of them, so give it more time, fewer models or fewer folds"
        ) from None
    if not np.isfinite(found).all():
        place = int(np.argmin(np.isfinite(found)))
        rows = len(parts[place][1])
        raise DataError(
            f"compare: {name} has no score on test set {place}, which has {rows} row{'s' * (rows != 1)}; see the "
            "warnings of its fits, or take fewer folds or another scoring"
        )
    return found


def _finite_or_not(model: Any, X: Any, y: Any, scoring: Any, n_jobs: int | None, parts: list[Fold]) -> Array:
    """Scores of folds of half samples, without warnings; NaN if a half is too small, or the budget has ended."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return scores_of_all_folds(model, X, y, cv=parts, scoring=scoring, n_jobs=n_jobs)
        except (DataError, BudgetError):
            return np.full(len(parts), np.nan)


def compared(
    scores: dict[str, Array], ends: dict[str, Interval], baseline: str, share: float, alpha: float, correction: str
) -> tuple[ComparedModel, ...]:
    """Models from the best on, from their scores on the same test sets and the ends of their intervals."""
    order = sorted(scores, key=lambda name: -float(scores[name].mean()))
    between = _adjusted(scores, list(combinations(order, 2)), share, alpha, correction)
    others = [(name, baseline) for name in order if name != baseline]
    against = _adjusted(scores, others, share, alpha, correction)
    between |= against | {(two, one): p_value for (one, two), p_value in against.items()}  # one word on each pair
    group = _groups(order, between, alpha)
    rows = []
    for name in order:
        score = float(scores[name].mean())
        difference = score - float(scores[baseline].mean())
        p_value = against.get((name, baseline), np.nan)
        verdict = "" if name == baseline else _verdict(difference, p_value, alpha)
        low, high = ends[name]
        p_best = between.get((order[0], name), np.nan)
        rows.append(ComparedModel(name, score, low, high, difference, p_value, verdict, p_best, group[name]))
    return tuple(rows)


def _verdict(difference: float, p_value: float, alpha: float) -> str:
    if not p_value < alpha:
        return "no difference observed"
    return "better" if difference > 0 else "worse"


def _adjusted(
    scores: dict[str, Array], pairs: list[Pair], share: float, alpha: float, correction: str
) -> dict[Pair, float]:
    """p values of the pairs, adjusted for their number."""
    if not pairs:
        return {}
    found = [corrected_resampled_t_test(scores[one], scores[two], share).p_value for one, two in pairs]
    return dict(zip(pairs, map(float, RULES[correction][1](found, alpha)), strict=True))


def _groups(order: list[str], between: dict[Pair, float], alpha: float) -> dict[str, int]:
    """Groups from the best on: the best ungrouped model, and ungrouped ones that do not differ significantly."""
    group: dict[str, int] = {}
    while len(group) < len(order):
        number = 1 + max(group.values(), default=0)
        left = [name for name in order if name not in group]
        leader = left[0]
        group |= {name: number for name in left if name == leader or between[leader, name] >= alpha}
    return group


def _one_measure(named: dict[str, Any]) -> str | None:
    """Accuracy for classifiers and R² for regressors, whatever their own scores are; None leaves those to others."""
    roles = {name: role(model) for name, model in named.items()}
    if len(set(roles.values())) > 1:
        kinds = "; ".join(f"{name} is a {kind or type(named[name]).__name__}" for name, kind in roles.items())
        raise ParameterError(f"compare: models of several kinds have no common score: {kinds}; give scoring")
    return {"classifier": "accuracy", "regressor": "r2"}.get(next(iter(roles.values())) or "")


def _name_of(scoring: Any) -> str:
    return scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")


RULES: dict[str, tuple[str, Any]] = {
    "holm": ("Holm's", lambda p, alpha: holm(p, alpha).adjusted),
    "bonferroni": ("Bonferroni's", lambda p, alpha: bonferroni(p, alpha).adjusted),
    "benjamini-hochberg": ("Benjamini and Hochberg's", lambda p, alpha: benjamini_hochberg(p, alpha).adjusted),
    "none": ("no", lambda p, alpha: p),
}
