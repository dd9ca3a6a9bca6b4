"""The models that a study compares, the simplest first, each with its hyperparameter grid."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from ...core import ParameterError
from ..task import Question
from .settings import StudySettings

MANY = 10**9
ALIASES = {"one split": "decision stump"}  # earlier names of models
FEW_ROWS = 1000  # below this many training rows: grid search instead of successive halving
FIRST_ROWS = FEW_ROWS // 2  # of the first round of successive halving


@dataclass(frozen=True, slots=True)
class ModelCandidate:
    """A model by name; candidates earlier in the list are simpler.

    `grid` is the hyperparameter grid; a table with more training rows than `most_rows` is not suitable.
    """

    name: str
    make: Callable[[int], Any]
    grid: dict[str, list[Any]] = field(default_factory=dict)
    more: dict[str, list[Any]] = field(default_factory=dict)  # in a thorough study
    most_rows: int = MANY
    baseline: bool = False  # uses no feature
    always: bool = False  # whichever models are requested
    columns: dict[str, str] | None = None  # types that the encoder would infer wrongly
    encoded: bool = True  # whether it needs features that are numbers

    def pipeline(self, seed: int) -> Any:
        """The pipeline of the encoder and the model."""
        import learnable as L

        encoder = L.TableVectorizer(self.columns, random_state=seed) if self.encoded else "passthrough"
        return L.Pipeline([("table", encoder), ("model", self.make(seed))])

    def space(self, settings: StudySettings) -> dict[str, list[Any]]:
        """The hyperparameter grid, by the names in the pipeline."""
        chosen = {**self.grid, **(self.more if settings.effort == "thorough" else {})}
        return {f"model__{name}": values for name, values in chosen.items()} if settings.searches else {}

    def searched(self, settings: StudySettings, rows: int, halving: bool) -> list[tuple[int, int]]:
        """The fits of a search on a number of rows: their counts and their numbers of training rows.

        Each round of successive halving has twice the rows and half the parameter combinations of the one before.
        """
        tried = math.prod(len(values) for values in self.space(settings).values())
        if tried < 2:
            return []
        rounds = range(1 + int(math.log2(min(tried, rows // FIRST_ROWS)))) if halving else ()
        turns = [(math.ceil(tried / 2**k), 2**k * FIRST_ROWS) for k in rounds] or [(tried, rows)]
        folds = settings.inner_folds
        return [(folds * some, round(of * (folds - 1) / folds)) for some, of in turns]


def halves(question: Question, rows: int) -> bool:
    """Whether a search on this number of training rows uses successive halving: for many independent rows."""
    return rows >= FEW_ROWS and question.group is None and question.time is None


def candidates(question: Question, settings: StudySettings) -> list[ModelCandidate]:
    """All candidates that suit the task, or the requested ones, with two reference models in either case."""
    known = _recommenders() if question.recommends else _classifiers() if question.classifies else _regressors()
    names = [candidate.name for candidate in known]
    models = [ALIASES.get(name, name) for name in settings.models]
    for requested in models:
        if requested not in names:
            raise ParameterError(
                f"--models: {requested!r} is not a model for {question.aim}; choose from {', '.join(names)}"
            )
    chosen = [one for one in known if one.baseline or one.always or not models or one.name in models]
    return [replace(one, columns=kinds(question)) for one in chosen]


def kinds(question: Question) -> dict[str, str] | None:
    """The column types that the encoder would infer wrongly."""
    return dict.fromkeys(question.named_by_digits, "category") or None


def _classifiers() -> list[ModelCandidate]:
    import learnable as L

    leaves = {"ccp_alpha": [0.0, 0.001, 0.003, 0.01, 0.03]}
    return [
        ModelCandidate("most frequent class", lambda seed: L.DummyClassifier(), baseline=True),
        ModelCandidate(
            "decision stump", lambda seed: L.DecisionTreeClassifier(max_depth=1, random_state=seed), always=True
        ),
        ModelCandidate("naive Bayes", lambda seed: L.GaussianNB(), {"var_smoothing": [1e-9, 1e-3, 1e-1]}),
        ModelCandidate(
            "logistic regression", lambda seed: L.LogisticRegression(max_iter=1000), {"C": [0.01, 0.1, 1.0, 10.0]},
            {"C": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]},
        ),
        ModelCandidate("pruned tree", lambda seed: L.DecisionTreeClassifier(ccp_alpha=0.01, random_state=seed), leaves),
        ModelCandidate(
            "nearest neighbours", lambda seed: L.KNeighborsClassifier(n_neighbors=15), {"n_neighbors": [3, 7, 15, 31]},
            {"weights": ["uniform", "distance"]}, most_rows=100_000,
        ),
        ModelCandidate(
            "support vector machine", _calibrated_svc, {"estimator__C": [0.3, 1.0, 10.0]},
            {"estimator__gamma": ["scale", 0.01, 0.1]}, most_rows=5_000,
        ),
        ModelCandidate(
            "random forest", lambda seed: L.RandomForestClassifier(n_estimators=100, random_state=seed),
            {"min_samples_leaf": [1, 5]}, {"max_features": ["sqrt", 0.5]},
        ),
        ModelCandidate(
            "boosted trees", lambda seed: L.HistGradientBoostingClassifier(random_state=seed),
            {"learning_rate": [0.03, 0.1], "max_leaf_nodes": [7, 31]}, {"l2_regularization": [0.0, 10.0]},
        ),
    ]  # fmt: skip


def _regressors() -> list[ModelCandidate]:
    import learnable as L

    leaves = {"min_samples_leaf": [2, 5, 10, 20, 50]}
    return [
        ModelCandidate("mean of the target", lambda seed: L.DummyRegressor(), baseline=True),
        ModelCandidate(
            "decision stump", lambda seed: L.DecisionTreeRegressor(max_depth=1, random_state=seed), always=True
        ),
        ModelCandidate("ridge regression", lambda seed: L.Ridge(), {"alpha": [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]}),
        ModelCandidate("lasso", lambda seed: L.LassoCV(random_state=seed)),
        ModelCandidate(
            "pruned tree", lambda seed: L.DecisionTreeRegressor(min_samples_leaf=10, random_state=seed), leaves
        ),
        ModelCandidate(
            "nearest neighbours", lambda seed: L.KNeighborsRegressor(n_neighbors=15), {"n_neighbors": [3, 7, 15, 31]},
            {"weights": ["uniform", "distance"]}, most_rows=100_000,
        ),
        ModelCandidate("support vector machine", _scaled_svr, {"regressor__C": [0.3, 1.0, 10.0]}, most_rows=5_000),
        ModelCandidate(
            "random forest", lambda seed: L.RandomForestRegressor(n_estimators=100, random_state=seed),
            {"min_samples_leaf": [1, 5]}, {"max_features": [1.0, 0.33]},
        ),
        ModelCandidate(
            "boosted trees", lambda seed: L.HistGradientBoostingRegressor(random_state=seed),
            {"learning_rate": [0.03, 0.1], "max_leaf_nodes": [7, 31]}, {"l2_regularization": [0.0, 10.0]},
        ),
    ]  # fmt: skip


def _recommenders() -> list[ModelCandidate]:
    import learnable as L

    models = [
        ModelCandidate("mean of the target", lambda seed: L.DummyRegressor(), baseline=True),
        ModelCandidate("user and item biases", lambda seed: L.BaselineOnly(), {"reg_u": [1.0, 5.0, 15.0]}, always=True),
        ModelCandidate("slope one", lambda seed: L.SlopeOne(), most_rows=1_000_000),
        ModelCandidate(
            "similar items", lambda seed: L.ItemKNN(shrinkage=10.0), {"k": [20, 40]}, {"shrinkage": [0.0, 10.0, 100.0]},
            most_rows=2_000_000,
        ),
        ModelCandidate(
            "similar users", lambda seed: L.UserKNN(shrinkage=10.0), {"k": [20, 40]}, {"shrinkage": [0.0, 10.0, 100.0]},
            most_rows=500_000,
        ),
        ModelCandidate(
            "matrix factorisation", lambda seed: L.MatrixFactorization(random_state=seed),
            {"n_factors": [5, 20], "reg": [0.02, 0.1]}, {"max_iter": [30, 60]},
        ),
        ModelCandidate(
            "SVD++", lambda seed: L.SVDpp(random_state=seed), {"n_factors": [5, 20]}, {"reg": [0.02, 0.1]},
            most_rows=2_000_000,
        ),
    ]  # fmt: skip
    return [replace(one, encoded=False) for one in models]


def _calibrated_svc(seed: int) -> Any:
    """Predicts the most probable class, like the other classifiers; an SVC uses the sign of its decision."""
    import learnable as L

    return L.CalibratedClassifierCV(L.SVC(random_state=seed), ensemble=False)


def _scaled_svr(seed: int) -> Any:
    """Epsilon and C are in units of the target, so that is scaled first."""
    import learnable as L

    return L.TransformedTargetRegressor(L.SVR(), transformer=L.StandardScaler())
