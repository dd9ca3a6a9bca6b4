"""Probability calibration by calibrators fitted to rows that the classifier was not fitted to."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..core import Array, DataError, Estimator, Traits, cloned, estimator, fitted_estimator, learned, param
from ..core.declare import params
from ..core.errors import warn
from ..core.roles.classifier import accuracy_of
from ..core.roles.traits import traits_of
from ..core.sklearn_api.configuration import routing_is_enabled
from ..core.sklearn_api.estimator_type import is_pairwise
from ..core.sklearn_api.metadata import FIT_ONLY, Route, check_metadata, requested_metadata
from ..core.validate.rows import row_count
from ..engines.folds import Fold, folds, is_splitting
from ..engines.iterate import record_components
from ..engines.parallel import each
from ..model_selection import LeaveOneOut
from ..model_selection._evaluation import FitArguments
from ..pipeline._steps import takes_weights
from ._calibrated import CalibratedClassifier, Method, curves, scores_of

SCORES = ("predict_proba", "decision_function")


def _scores(value: Any) -> bool:
    return value is None or (hasattr(value, "fit") and any(hasattr(value, method) for method in SCORES))


@estimator
class CalibratedClassifierCV(Estimator):
    """Probability calibration of a classifier by calibrators fitted to out-of-fold scores.

    p(x) = mean over folds of c_j(s_j(x)),    s_j fitted without fold j,  c_j to its scores on fold j

    A calibrator is Platt's sigmoid, any rising function ("isotonic", which needs many rows), or one temperature for the
    softmax of all classes. Without `ensemble` a single classifier is fitted to all rows, and one calibrator to the
    scores that the folds give. [Platt, 1999; Zadrozny and Elkan, 2002; Guo et al., 2017]

    >>> import numpy as np
    >>> from learnable import DummyClassifier
    >>> X, y = np.zeros((8, 1)), [0, 0, 0, 0, 0, 0, 1, 1]
    >>> CalibratedClassifierCV(DummyClassifier(strategy="prior"), cv=2).fit(X, y).predict_proba([[0.0]]).round(2)
    array([[0.68, 0.32]])
    """

    estimator: Any = param(
        None, "classifier to calibrate (None: LinearSVC)", kw_only=False, accepts=_scores,
        says="None or a classifier with predict_proba or decision_function",
    )  # fmt: skip
    method: Method = param("sigmoid", "the kind of calibrator")
    cv: Any = param(None, "folds, as in cross_validate (None: 5)", accepts=is_splitting, says="folds")
    n_jobs: int | None = param(None, "number of workers, as in joblib")
    ensemble: bool | Literal["auto"] = param(
        "auto", 'whether to keep a calibrated classifier per fold ("auto": yes, unless it is frozen)'
    )
    classes_: Array = learned("the classes, sorted", shape="classes")
    estimators_: Any = learned("the fitted classifiers")
    curves_: Any = learned("calibrators, a list for each classifier")
    pairwise_indices_: Any = learned("the rows of each classifier, if these take a kernel matrix and see parts of it")

    traits = Traits(takes="parts", compares_by="estimator", task="classification")
    title = "probability calibration"
    reference = "Niculescu-Mizil and Caruana, Predicting good probabilities with supervised learning, ICML 2005"

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **arguments: Any) -> Self:
        """Fit classifiers and calibrators; further arguments go to the `fit` of the classifiers."""
        params.check(self)
        rows = row_count(X, "CalibratedClassifierCV: X")
        self._validator.refuse_empty((rows, 1))
        classes, codes = self._validator.classes(y, rows)
        weight = self._validator.weights(sample_weight, rows)
        model = self._classifier()
        options = dict(arguments)
        if routing_is_enabled():
            given = {"sample_weight": weight, **arguments}
            check_metadata(self, "fit", {**given, "sample_weight": None})
            options = requested_metadata(model, "fit", given)
        elif weight is not None and takes_weights(model):
            options["sample_weight"] = weight
        elif weight is not None and not _is_frozen(model):
            warn(
                f"{type(model).__name__} does not accept sample_weight: it is fitted without weights, but "
                "calibrated with them, and the two may disagree.",
                UserWarning,
            )
        self._check_folds(np.bincount(codes))
        with self._fitting(X, codes, weight) as trace:
            self.classes_ = classes
            sample = FitArguments(X, classes[codes], options)
            parts = folds(self.cv, rows, classes[codes], "CalibratedClassifierCV", classes=True, X=X)
            together = self.ensemble is False or (self.ensemble == "auto" and _is_frozen(model))
            (self._fit_one if together else self._fit_each)(model, sample, codes, weight, parts)
            self._remember_columns_of(self.estimators_[0], X)
            record_components(trace, self.estimators_)
        return self

    def _fit_each(
        self, model: Any, sample: FitArguments, codes: Array, weight: Array | None, parts: list[Fold]
    ) -> None:
        """A classifier without each fold, and its calibrators on that fold."""
        found = dict(each(_fitted_fold, (model, sample), parts, self.n_jobs))
        self.estimators_, self.curves_ = [], []
        self.pairwise_indices_ = [train for train, _ in parts] if is_pairwise(model) else None
        for place, (_, test) in enumerate(parts):
            fitted, scores = found[place]
            self.estimators_.append(fitted)
            self.curves_.append(self._curves(fitted, scores, codes[test], None if weight is None else weight[test]))

    def _fit_one(self, model: Any, sample: FitArguments, codes: Array, weight: Array | None, parts: list[Fold]) -> None:
        """One classifier, and the calibrators of the scores that those without each fold give."""
        found = dict(each(_fitted_fold, (model, sample), parts, self.n_jobs))
        tested = np.concatenate([test for _, test in parts])
        if len(tested) != len(codes) or len(np.unique(tested)) != len(codes):
            raise DataError("CalibratedClassifierCV: with ensemble=False, cv must test every row exactly once")
        table = np.concatenate([self._of_all_classes(*found[place]) for place in range(len(parts))])
        fitted = _fitted(cloned(model), sample)
        scores = (table[np.argsort(tested, kind="stable")], found[0][1][1])
        self.estimators_, self.pairwise_indices_ = [fitted], None
        self.curves_ = [self._curves(fitted, scores, codes, weight)]

    def _of_all_classes(self, fitted: Any, scores: tuple[Array, bool]) -> Array:
        """The scores of one classifier with a column for each class; a class that it does not know is not probable."""
        table, are_probabilities = scores
        if len(fitted.classes_) == len(self.classes_):
            return table
        if not are_probabilities:
            raise DataError("CalibratedClassifierCV: a fold lacks a class; use fewer folds, or StratifiedKFold")
        found = np.zeros((len(table), len(self.classes_)))
        both = np.hstack([1 - table, table])[:, -len(fitted.classes_) :] if table.shape[1] == 1 else table
        found[:, np.searchsorted(self.classes_, fitted.classes_)] = both
        return found

    def _curves(self, fitted: Any, scores: tuple[Array, bool], codes: Array, weight: Array | None) -> list[Any]:
        """The calibrators of one classifier; rows of other classes are negatives for all of its classes."""
        known = np.searchsorted(self.classes_, fitted.classes_)
        own = np.full(len(self.classes_), -1)
        own[known] = np.arange(len(known))
        inside = own[codes]
        if self.method == "temperature":
            kept = inside >= 0
            scores, inside = (scores[0][kept], scores[1]), inside[kept]
            weight = None if weight is None else weight[kept]
        return curves(scores, inside, weight, len(known), self.method)

    def _check_folds(self, sizes: Array) -> None:
        count = self.cv if isinstance(self.cv, int) else getattr(self.cv, "n_splits", None)
        if isinstance(count, int) and (sizes < count).any():
            raise DataError(
                f"CalibratedClassifierCV: {count} folds need {count} rows of each class, and one class has "
                f"{sizes.min()}; use fewer folds"
            )
        if isinstance(self.cv, LeaveOneOut):
            raise DataError(
                "CalibratedClassifierCV: a fold of one row holds one class, and a calibration needs all; use larger "
                "folds"
            )

    def _classifier(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        import learnable

        maker: Any = learnable.__getattr__("LinearSVC")
        return maker(random_state=0).set_fit_request(sample_weight=True)

    @property
    def calibrated_classifiers_(self) -> list[CalibratedClassifier]:
        """The classifiers with their calibrators."""
        rows = self.pairwise_indices_ or [None] * len(self.curves_)
        parts = zip(self.__dict__["estimators_"], self.curves_, rows, strict=True)
        return [CalibratedClassifier(model, maps, self.classes_, self.method, seen) for model, maps, seen in parts]

    def _routes(self) -> list[Route]:
        return [Route("estimator", self._classifier(), FIT_ONLY), Route("splitter", self.cv, {"fit": ("split",)})]

    def __sklearn_is_fitted__(self) -> bool:
        return "estimators_" in self.__dict__

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, averaged over the classifiers."""
        self._require_fit()
        found = [part.predict_proba(X) for part in self.calibrated_classifiers_]
        return np.asarray(sum(found[1:], start=found[0]) / len(found))

    def predict(self, X: Any) -> Array:
        """The most probable class of each row of `X`."""
        indices = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[indices])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy of the predictions for `X`."""
        return accuracy_of(self, self.predict(X), y, sample_weight)

    def _effective_traits(self) -> Traits:
        return self.traits.accepting(traits_of(self._classifier()))


def _is_frozen(model: Any) -> bool:
    return type(model).__name__ == "FrozenEstimator"


def _fitted_fold(model: Any, sample: FitArguments, fold: Fold) -> tuple[Any, tuple[Array, bool]]:
    """A copy of the classifier fitted without a fold, and its scores on the fold."""
    train, test = fold
    columns = train if is_pairwise(model) else None
    fitted = _fitted(cloned(model), sample.part(train, columns))
    return fitted, scores_of(fitted, sample.part(test, columns).X)


def _fitted(model: Any, sample: FitArguments) -> Any:
    return fitted_estimator(model, sample.X, sample.y, **sample.options)
