"""The models that a study compares, the simplest first, each with its hyperparameter grid."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...core import ParameterError
from ..task import Question
from .model_candidate import FEW_ROWS, ModelCandidate
from .network_candidates import networks
from .settings import StudySettings
from .skewed_targets import of_skewed_targets
from .wide_tables import for_width

ALIASES = {"one split": "decision stump"}  # earlier names of models


def halves(question: Question, rows: int) -> bool:
    """Whether a search on this number of training rows uses successive halving: for many independent rows."""
    return rows >= FEW_ROWS and question.group is None and question.time is None


def candidates(question: Question, settings: StudySettings) -> list[ModelCandidate]:
    """All candidates that suit the task, or the requested ones, with two reference models in either case."""
    if question.recommends:
        known = _recommenders()
    else:
        known = _classifiers() if question.classifies else _with_skewed(_regressors(), of_skewed_targets(question))
        known += networks(question, settings)
    names = [candidate.name for candidate in known]
    models = [ALIASES.get(name, name) for name in settings.models]
    for requested in models:
        if requested not in names:
            raise ParameterError(
                f"--models: {requested!r} is not a model for {question.aim}; choose from {', '.join(names)}"
            )
    chosen = [one for one in known if one.baseline or one.always or not models or one.name in models]
    found = [for_width(replace(one, columns=kinds(question)), question, settings) for one in chosen]
    return [found[0], *_naive_forecasts(question), *found[1:]]


def _with_skewed(known: list[ModelCandidate], more: list[ModelCandidate]) -> list[ModelCandidate]:
    """Linear models of skewed targets come after ridge regression, boosted trees after all others."""
    place = 1 + next(k for k, one in enumerate(known) if one.name == "ridge regression")
    return [*known[:place], *more[:2], *known[place:], *more[2:]]


def kinds(question: Question) -> dict[str, str] | None:
    """The types of columns of codes, which look like numbers, and of free text, which a few rows may not look like.

    Parts of the calendar are categories too.
    """
    calendar = [] if question.lags is None else [name for name in question.lags.categories if name in question.features]
    return {
        **dict.fromkeys(question.named_by_digits, "category"), **dict.fromkeys(question.texts, "text"),
        **dict.fromkeys(calendar, "few"),
    } or None  # fmt: skip


def _naive_forecasts(question: Question) -> list[ModelCandidate]:
    """Baselines of a time series: the last target known, and that of the season before."""
    if question.lags is None:
        return []
    last, season = question.lags.last_name, question.lags.season_name
    if question.classifies:
        return [_only_column("class after the last one", last, question)]
    found = {last: "last value"} | ({season: "seasonal naive"} if season else {})
    return [_only_column(name, column, question) for column, name in found.items()]


def _only_column(name: str, column: str, question: Question) -> ModelCandidate:
    """A baseline that predicts a column of numbers as it is, or the most frequent class after that of a column."""
    import learnable as L

    if question.classifies:
        others = dict.fromkeys((one for one in question.features if one != column), "drop")
        return ModelCandidate(
            name, lambda seed: L.DecisionTreeClassifier(random_state=seed), baseline=True,
            columns={**others, column: "few"}, column=column,
        )  # fmt: skip
    identity = L.FrozenEstimator(L.LinearRegression(fit_intercept=False).fit([[1.0]], [1.0]))

    def forecast(seed: int) -> Any:
        alone = L.ColumnTransformer([("lag", L.SimpleImputer(), [column])])
        return L.Pipeline([("column", alone), ("value", identity)])

    return ModelCandidate(name, forecast, baseline=True, encoded=False, column=column)


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
            {"C": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]}, sparse=True, of_sparse={"tol": 0.01},
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
        ModelCandidate(
            "ridge regression", lambda seed: L.Ridge(), {"alpha": [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]}, sparse=True
        ),
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
            "random forest",
            lambda seed: L.RandomForestRegressor(n_estimators=100, max_features=0.33, random_state=seed),
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
