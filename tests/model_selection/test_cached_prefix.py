"""Steps before the last one are fitted once a fold, and the shortcut of the last step is passed on."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression

import learnable
from learnable import (
    CountVectorizer,
    GridSearchCV,
    HalvingGridSearchCV,
    Lasso,
    OneHotEncoder,
    Pipeline,
    PolynomialFeatures,
    RandomOverSampler,
    Ridge,
    SelectKBest,
    StandardScaler,
    TargetEncoder,
    f_classif,
    make_pipeline,
    validation_curve,
)
from learnable.core.errors import FitFailedWarning
from learnable.metrics import check_scoring

X, Y = load_diabetes(return_X_y=True)
IRIS = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)
KIND = RNG.choice(["a", "b", "c", "d"], size=(120, 2)).astype(object)
KIND_Y = (KIND[:, 0] == "a") * 3.0 + RNG.normal(size=120)
TEXTS = [" ".join(RNG.choice(["red", "green", "blue", "grey", "pink"], size=4)) for _ in range(60)]
TEXT_Y = np.array([text.count("red") for text in TEXTS]) + RNG.normal(size=60)
ALPHAS = [0.01, 1.0, 30.0]


def counted():
    """A scaler that counts its fits, for all of its copies."""

    class Counted(StandardScaler):
        fits = 0

        def fit_transform(self, X, y=None, sample_weight=None):
            type(self).fits += 1
            return super().fit_transform(X, y, sample_weight=sample_weight)

    return Counted


def both_ways(model, grid, X, Y, options=None, **fit):
    """The search as it comes, and with a scorer of the user's own, for which everything is fitted again."""
    options = {"cv": 4, "return_train_score": True} | (options or {})
    own = check_scoring(model, options.pop("scoring", None))
    fast = GridSearchCV(model, grid, scoring=own, **options).fit(X, Y, **fit)

    def foreign(model, X, y, sample_weight=None):
        return own(model, X, y, sample_weight=sample_weight)

    foreign.accepts_weight = True
    return fast, GridSearchCV(model, grid, scoring=foreign, **options).fit(X, Y, **fit)


CASES = {
    "scaled": (make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": ALPHAS}, X, Y),
    "two shortcuts": (
        Pipeline([("scale", StandardScaler()), ("more", PolynomialFeatures()), ("last", Lasso(tol=1e-12))]),
        {"last__alpha": ALPHAS, "last__fit_intercept": [True, False]}, X[:, :4], Y,
    ),
    "first step searched too": (
        make_pipeline(PolynomialFeatures(), Ridge()),
        {"ridge__alpha": ALPHAS, "polynomialfeatures__degree": [1, 2]}, X[:, :3], Y,
    ),
    "pipeline in a pipeline": (
        Pipeline([("scale", StandardScaler()), ("rest", make_pipeline(PolynomialFeatures(), Ridge()))]),
        {"rest__ridge__alpha": ALPHAS}, X[:, :3], Y,
    ),
    "other rows than in fit": (
        Pipeline([("code", TargetEncoder(random_state=0)), ("ridge", Ridge())]), {"ridge__alpha": ALPHAS},
        KIND, KIND_Y,
    ),
    "texts": (make_pipeline(CountVectorizer(), Ridge()), {"ridge__alpha": ALPHAS}, TEXTS, TEXT_Y),
    "table out of a step": (
        make_pipeline(OneHotEncoder(sparse_output=False).set_output(transform="pandas"), Ridge()),
        {"ridge__alpha": ALPHAS}, pd.DataFrame(KIND, columns=["one", "two"]), pd.Series(KIND_Y),
    ),
    "no shortcut": (
        make_pipeline(StandardScaler(), SelectKBest(f_classif, k=2), LogisticRegression()),
        {"logisticregression__C": [0.1, 1.0], "logisticregression__fit_intercept": [True, False]}, *IRIS,
    ),
    "rows drawn again": (
        make_pipeline(RandomOverSampler(random_state=0), LogisticRegression()),
        {"logisticregression__C": [0.1, 1.0]}, IRIS[0][:120], IRIS[1][:120],
    ),
    "last step replaced": (
        make_pipeline(StandardScaler(), Ridge()),
        [{"ridge": [Ridge(), Lasso(tol=1e-12)], "ridge__alpha": ALPHAS}, {"ridge__alpha": ALPHAS}], X, Y,
    ),
}  # fmt: skip
FEW = ("scaled", "texts", "table out of a step", "last step replaced")  # steps of every kind
TWO_JOBS = {"n_jobs": 2, "return_train_score": False}


@pytest.mark.parametrize(
    ("case", "options"),
    [
        *(pytest.param(case, {}, id=f"one-{case}") for case in CASES),
        *(
            pytest.param(case, TWO_JOBS, id=f"two jobs-{case}", marks=[] if case in FEW else pytest.mark.exhaustive)
            for case in CASES
        ),
    ],
)
def test_same_results_as_fitting_everything_again(case, options):
    fast, slow = both_ways(*CASES[case], options)
    for name, values in slow.cv_results_.items():
        if name.startswith(("split", "mean_t", "std_t")):
            np.testing.assert_allclose(fast.cv_results_[name], values, rtol=1e-8, atol=1e-10, err_msg=name)
    assert fast.best_params_.keys() == slow.best_params_.keys()


@pytest.mark.parametrize("scoring", ["neg_mean_absolute_error", {"one": "r2", "two": "neg_max_error"}])
def test_weights_and_scores_go_along(scoring):
    weight = RNG.uniform(0.5, 2.0, len(Y))
    fast, slow = both_ways(
        *CASES["scaled"], {"scoring": scoring, "refit": "one" if isinstance(scoring, dict) else True},
        sample_weight=weight,
    )  # fmt: skip
    assert list(fast.test_scores_) == list(slow.test_scores_)
    for name, values in slow.test_scores_.items():
        np.testing.assert_allclose(fast.test_scores_[name], values, rtol=1e-8)


@pytest.mark.parametrize(
    ("last", "grid"),
    [(Ridge(), {"last__alpha": ALPHAS}), (LogisticRegression(max_iter=500), {"last__C": ALPHAS})],
)
def test_steps_before_the_last_are_fitted_once_a_fold(last, grid):
    scaler = counted()
    X, y = IRIS
    GridSearchCV(Pipeline([("scale", scaler()), ("last", last)]), grid, cv=3).fit(X, y)
    assert scaler.fits == 3 + 1  # and once for the model that is kept


def test_validation_curves_take_the_same_way():
    scaler = counted()
    curve = validation_curve(
        Pipeline([("scale", scaler()), ("ridge", Ridge())]),
        X,
        Y,
        param_name="ridge__alpha",
        param_range=ALPHAS,
        cv=3,
    )
    assert scaler.fits == 3
    plain = validation_curve(make_pipeline(StandardScaler(), Ridge()), X, Y, param_name="ridge__alpha",
                             param_range=ALPHAS, cv=3, scoring=lambda model, X, y: model.score(X, y))  # fmt: skip
    np.testing.assert_allclose(curve[1], plain[1], rtol=1e-10)


def test_scorers_that_read_the_rows_receive_them():
    seen = set()

    def rows(model, X, y):
        seen.add((type(model).__name__, np.shape(X)[1:]))
        return model.score(X, y)

    GridSearchCV(Ridge(), {"alpha": ALPHAS}, scoring={"own": rows, "r2": "r2"}, refit="r2").fit(X, Y)
    GridSearchCV(*CASES["scaled"][:2], scoring={"own": rows}, refit="own").fit(X, Y)
    assert seen == {("Ridge", (10,)), ("Pipeline", (10,))}


def test_an_error_in_a_step_is_reported_as_without_the_shortcut():
    model = make_pipeline(SelectKBest(k=3), Ridge())
    broken = X.copy()
    broken[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"column 0.*row 0|NaN"):
        GridSearchCV(model, {"ridge__alpha": ALPHAS}, cv=3, error_score="raise").fit(broken, Y)
    with warnings.catch_warnings(record=True) as messages:
        warnings.simplefilter("always")
        search = GridSearchCV(model, {"ridge__alpha": ALPHAS}, cv=3, refit=False).fit(broken, Y)
    assert np.isnan(search.cv_results_["mean_test_score"]).all()
    failed = [str(entry.message) for entry in messages if issubclass(entry.category, FitFailedWarning)]
    assert len(failed) == 1 and "6 of 9 fits failed" in failed[0]


def test_weights_that_the_last_step_cannot_take_are_refused():
    from sklearn.neighbors import KNeighborsRegressor

    model = make_pipeline(StandardScaler(), KNeighborsRegressor())
    with pytest.raises(ValueError, match="takes no sample_weight"):
        GridSearchCV(model, {"kneighborsregressor__n_neighbors": [1, 3]}).fit(X, Y, sample_weight=np.ones(len(Y)))


def test_memory_that_would_not_hold_all_folds_is_spared(monkeypatch):
    scaler = counted()
    monkeypatch.setattr("learnable.model_selection._search_runner.MAX_KEPT", 1000)
    model = Pipeline([("scale", scaler()), ("last", LogisticRegression(max_iter=500))])
    GridSearchCV(model, {"last__C": ALPHAS}, cv=3).fit(*IRIS)
    assert scaler.fits >= 3 * 3 + 1


def test_budgets_hold_and_journals_are_kept(tmp_path):
    path, scaler = tmp_path / "search.jsonl", counted()
    model = Pipeline([("scale", scaler()), ("last", LogisticRegression(max_iter=500))])
    first = GridSearchCV(model, {"last__C": ALPHAS}, cv=3, journal=path).fit(*IRIS)
    before = scaler.fits
    again = GridSearchCV(model, {"last__C": ALPHAS}, cv=3, journal=path, refit=False).fit(*IRIS)
    assert scaler.fits == before
    np.testing.assert_array_equal(again.test_scores_["score"], first.test_scores_["score"])
    with pytest.raises(learnable.BudgetError), learnable.budget(seconds=1e-9):
        GridSearchCV(model, {"last__C": ALPHAS}, cv=3).fit(*IRIS)


def test_halving_warms_its_steps_too():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = HalvingGridSearchCV(
            make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": ALPHAS}, random_state=0
        ).fit(X, Y)
        other = HalvingGridSearchCV(
            make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": ALPHAS},
            scoring=lambda model, X, y: model.score(X, y), random_state=0,
        ).fit(X, Y)  # fmt: skip
    np.testing.assert_allclose(search.test_scores_["score"], other.test_scores_["score"], rtol=1e-8)
