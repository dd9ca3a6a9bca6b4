import time

import numpy as np
import pandas
import pytest
import sklearn.feature_selection as theirs
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression as TheirLinear
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import learnable
from learnable import feature_selection as ours
from learnable.core.sklearn_api import estimator_type
from learnable.linear_model import ElasticNet, Lasso, LinearRegression, Ridge, SGDRegressor


def table(seed=0, n=90, p=8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X[:, 0] - 2 * X[:, 3] + 0.5 * X[:, 5] + 0.3 * rng.normal(size=n)
    return X, y, np.digitize(y, np.quantile(y, [0.4, 0.7]))


MODELS = {
    "ours": (Ridge(), "y"),
    "theirs": (TheirLinear(), "y"),
    "several rows of weights": (LogisticRegression(max_iter=1000), "c"),
    "importances": (RandomForestClassifier(15, random_state=0), "c"),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "options", [{}, {"n_features_to_select": 2, "step": 3}, {"n_features_to_select": 0.4, "step": 0.3}]
)
def test_elimination_equals_scikit_learn(name, options):
    X, y, c = table()
    model, kind = MODELS[name]
    target = y if kind == "y" else c
    mine, their = ours.RFE(model, **options).fit(X, target), theirs.RFE(model, **options).fit(X, target)
    np.testing.assert_array_equal(mine.ranking_, their.ranking_)
    np.testing.assert_array_equal(mine.support_, their.support_)
    assert mine.n_features_ == their.n_features_
    np.testing.assert_allclose(mine.predict(X), their.predict(X))
    assert mine.score(X, target) == pytest.approx(their.score(X, target))
    if kind == "c":
        np.testing.assert_allclose(mine.predict_proba(X), their.predict_proba(X))
        np.testing.assert_array_equal(mine.classes_, their.classes_)


def test_elimination_drops_the_smallest_weight_first():
    X, y, _ = table()
    course, kept = [], list(range(8))
    while len(kept) > 1:
        weights = np.linalg.lstsq(np.column_stack([X[:, kept], np.ones(len(X))]), y, rcond=None)[0][:-1]
        course.append(kept.pop(int(np.argmin(weights**2))))
    ranking = ours.RFE(LinearRegression(), n_features_to_select=1).fit(X, y).ranking_
    assert [int(np.flatnonzero(ranking == rank)[0]) for rank in range(8, 1, -1)] == course


def test_weights_that_other_attributes_hold():
    X, y, _ = table()
    for getter in ("coef_", lambda model: model.coef_):
        mine = ours.RFE(Ridge(), importance_getter=getter).fit(X, y)
        assert mine.get_support()[[0, 3, 5]].all()
    with pytest.raises(ValueError, match=r"RFE.*KNeighborsClassifier should have `coef_`"):
        ours.RFE(KNeighborsClassifier()).fit(X, y > 0)
    with pytest.warns(UserWarning, match="99 columns shall stay and there are 8"):
        assert ours.RFE(Ridge(), n_features_to_select=99).fit(X, y).support_.all()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("options", [{}, {"step": 2, "cv": 3}, {"min_features_to_select": 4}])
def test_elimination_by_cross_validation_equals_scikit_learn(name, options):
    X, y, c = table()
    model, kind = MODELS[name]
    target = y if kind == "y" else c
    mine, their = ours.RFECV(model, **options).fit(X, target), theirs.RFECV(model, **options).fit(X, target)
    np.testing.assert_array_equal(mine.support_, their.support_)
    np.testing.assert_array_equal(mine.ranking_, their.ranking_)
    assert mine.cv_results_.keys() == their.cv_results_.keys()
    for key, values in their.cv_results_.items():
        np.testing.assert_allclose(mine.cv_results_[key], values, atol=1e-9, err_msg=key)
    assert mine.score(X, target) == pytest.approx(their.score(X, target))


def test_folds_at_the_same_time_and_by_group():
    from sklearn.model_selection import GroupKFold

    X, y, _ = table()
    groups = np.arange(90) // 10
    alone = ours.RFECV(Ridge(), cv=GroupKFold(3)).fit(X, y, groups=groups)
    both = ours.RFECV(Ridge(), cv=GroupKFold(3), n_jobs=2).fit(X, y, groups=groups)
    their = theirs.RFECV(TheirLinear(), cv=GroupKFold(3)).fit(X, y, groups=groups)
    np.testing.assert_array_equal(alone.cv_results_["mean_test_score"], both.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(alone.cv_results_["n_features"], their.cv_results_["n_features"])


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"n_features_to_select": 3}, marks=pytest.mark.exhaustive),
        pytest.param({"n_features_to_select": 0.3}, marks=pytest.mark.exhaustive),
        {"tol": 0.01},
    ],
)
def test_sequential_selection_equals_scikit_learn(direction, options):
    X, y, c = table(p=6)
    if direction == "backward" and "tol" in options:
        options = {"tol": -0.01}
    for model, target in ((TheirLinear(), y), (LogisticRegression(max_iter=1000), c)):
        choices = {"direction": direction, "cv": 3, **options}
        mine = ours.SequentialFeatureSelector(model, **choices).fit(X, target)
        their = theirs.SequentialFeatureSelector(model, **choices).fit(X, target)
        np.testing.assert_array_equal(mine.get_support(), their.get_support())
        assert mine.n_features_to_select_ == their.n_features_to_select_


def test_wrong_numbers_of_columns():
    X, y, _ = table()
    with pytest.raises(ValueError, match="must be < n_features"):
        ours.SequentialFeatureSelector(Ridge(), n_features_to_select=8).fit(X, y)
    with pytest.raises(ValueError, match="set it above 0"):
        ours.SequentialFeatureSelector(Ridge(), tol=-1.0).fit(X, y)
    with pytest.raises(ValueError, match="255 sets of columns are more than max_subsets=100"):
        ours.ExhaustiveFeatureSelector(Ridge(), max_subsets=100).fit(X, y)
    with pytest.raises(ValueError, match="min_features=9"):
        ours.ExhaustiveFeatureSelector(Ridge(), min_features=9).fit(X, y)


def test_no_set_of_columns_is_better_than_the_exhaustive_one():
    """Two columns that are uninformative alone and decisive together: a greedy search starts wrongly."""
    from sklearn.model_selection import cross_val_score

    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 200))
    y = a ^ b
    X = np.column_stack([y ^ (rng.random(200) < 0.3), a, b, rng.integers(0, 2, 200)]).astype(float)
    model = KNeighborsClassifier(15)
    found = ours.ExhaustiveFeatureSelector(model, cv=4, max_features=2).fit(X, y)
    assert found.get_support(indices=True).tolist() == [1, 2]
    greedy = ours.SequentialFeatureSelector(model, n_features_to_select=2, cv=4).fit(X, y)
    assert found.score_ > 0.95 and greedy.get_support()[0]
    for mask, score in zip(found.subsets_, found.scores_, strict=True):
        assert score == pytest.approx(cross_val_score(model, X[:, mask], y, cv=4).mean())
        assert score <= found.score_
    assert len(found.scores_) == 4 + 6


@pytest.mark.parametrize("model", [Lasso(alpha=0.1), Ridge(), ElasticNet(alpha=0.1, l1_ratio=1.0)], ids=repr)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"threshold": "median"},
        {"threshold": "1.25*mean"},
        {"threshold": 0.7},
        {"max_features": 2},
        {"max_features": 1, "threshold": -np.inf},
    ],
)
def test_selection_from_a_model_equals_scikit_learn(model, options):
    X, y, _ = table()
    mine, their = ours.SelectFromModel(model, **options).fit(X, y), theirs.SelectFromModel(model, **options).fit(X, y)
    np.testing.assert_array_equal(mine.get_support(), their.get_support())
    assert mine.threshold_ == pytest.approx(their.threshold_)


def test_selection_from_models_with_several_rows_of_weights_and_importances():
    X, _, c = table()
    for model in (LogisticRegression(max_iter=1000), RandomForestClassifier(15, random_state=0)):
        for order in (1, 2, np.inf):
            mine = ours.SelectFromModel(model, norm_order=order).fit(X, c)
            their = theirs.SelectFromModel(model, norm_order=order).fit(X, c)
            np.testing.assert_array_equal(mine.get_support(), their.get_support())


def test_the_penalty_selects():
    """Embedded selection: what a Lasso does not set to zero."""
    X, y, _ = table()
    model = Lasso(alpha=0.2).fit(X, y)
    selector = ours.SelectFromModel(Lasso(alpha=0.2)).fit(X, y)
    np.testing.assert_array_equal(selector.get_support(), model.coef_ != 0)
    assert 0 < selector.get_support().sum() < 8


def test_fitted_before_and_in_parts():
    X, y, _ = table()
    model = Lasso(alpha=0.2).fit(X, y)
    ready = ours.SelectFromModel(model, prefit=True).fit(X)
    np.testing.assert_array_equal(ready.get_support(), model.coef_ != 0)
    with pytest.raises(ValueError, match="Lasso is not fitted"):
        ours.SelectFromModel(Lasso(), prefit=True).fit(X, y)
    parts = ours.SelectFromModel(SGDRegressor(random_state=0), threshold="mean")
    for rows in np.array_split(np.arange(90), 9):
        parts.partial_fit(X[rows], y[rows])
    assert parts.get_support()[3] and not hasattr(ours.SelectFromModel(Lasso()), "partial_fit")
    counted = ours.SelectFromModel(Ridge(), max_features=lambda X: X.shape[1] // 4, threshold=-np.inf).fit(X, y)
    assert counted.get_support().sum() == counted.max_features_ == 2
    with pytest.raises(ValueError, match="a multiple such as"):
        ours.SelectFromModel(Ridge(), threshold="2*mode").fit(X, y)


@pytest.mark.parametrize("named", [False, True])
def test_a_model_that_is_fitted_already_selects_without_a_fit(named):
    X, y, _ = table()
    rows = pandas.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]) if named else X
    model = Lasso(0.1).fit(rows, y)
    ready, fitted = ours.SelectFromModel(model, prefit=True), ours.SelectFromModel(model, prefit=True).fit(rows)
    selected = ready.transform(rows)
    np.testing.assert_array_equal(selected, fitted.transform(rows))
    np.testing.assert_array_equal(ours.SelectFromModel(model, prefit=True).get_support(), fitted.get_support())
    for ask in (lambda one: one.get_feature_names_out(), lambda one: one.inverse_transform(np.asarray(selected))):
        np.testing.assert_array_equal(ask(ours.SelectFromModel(model, prefit=True)), ask(fitted))
    with pytest.raises(learnable.core.DataError, match="feature"):
        ready.transform(rows.iloc[:, :1] if named else X[:, :1])
    with pytest.raises(ValueError, match="Lasso is not fitted"):
        ours.SelectFromModel(Lasso(), prefit=True).transform(X)


@pytest.mark.parametrize(
    "make",
    [
        lambda m: ours.RFE(m),
        lambda m: ours.SelectFromModel(m),
        lambda m: ours.SequentialFeatureSelector(m, cv=3, n_features_to_select=3),
    ],
    ids=["rfe", "model", "sequence"],
)
def test_sparse_rows_names_and_weights(make):
    X, y, _ = table(p=6)
    X = np.where(np.abs(X) < 0.3, 0, X)
    dense, thin = make(Ridge()).fit(X, y), make(Ridge()).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(dense.get_support(), thin.get_support())
    named = make(Ridge()).fit(pandas.DataFrame(X, columns=list("abcdef")), y)
    assert list(named.get_feature_names_out()) == [
        n for n, keep in zip("abcdef", dense.get_support(), strict=True) if keep
    ]
    assert make(Ridge()).fit(X, y, sample_weight=np.ones(90)).get_support().tolist() == dense.get_support().tolist()
    with pytest.raises(TypeError, match="takes no sample_weight"):
        make(KNeighborsClassifier()).fit(X, y > 0, sample_weight=np.ones(90))


def test_missing_values_are_passed_to_estimators_that_accept_them():
    from sklearn.ensemble import HistGradientBoostingRegressor

    X, y, _ = table(p=6)
    X[::9, 1] = np.nan
    selector = ours.SequentialFeatureSelector(HistGradientBoostingRegressor(max_iter=3), cv=2, n_features_to_select=2)
    assert selector.fit(X, y).get_support()[3]
    with pytest.raises(ValueError, match="SequentialFeatureSelector: X contains NaN in column 1, row 0"):
        ours.SequentialFeatureSelector(Ridge(), cv=2).fit(X, y)


def test_reduce_or_shrink():
    """Two ways against too many columns: fewer of them, or smaller weights."""
    rng = np.random.default_rng(1)
    X, test = rng.normal(size=(2, 60, 50))
    y, truth = X[:, :3].sum(axis=1) + rng.normal(size=60), test[:, :3].sum(axis=1)
    plain = LinearRegression().fit(X, y)
    kept = ours.SelectKBest(ours.f_regression, k=3).fit(X, y)
    fewer = LinearRegression().fit(kept.transform(X), y)
    smaller = Ridge(alpha=20.0).fit(X, y)
    error = np.mean((plain.predict(test) - truth) ** 2)
    assert np.mean((fewer.predict(kept.transform(test)) - truth) ** 2) < error / 2
    assert np.mean((smaller.predict(test) - truth) ** 2) < error / 2


class Sleeper(TheirLinear):
    """A model that takes its time."""

    def fit(self, X, y):
        time.sleep(0.2)
        return super().fit(X, y)


def test_columns_without_all_their_folds_have_no_score():
    X, y, _ = table()
    with pytest.raises(learnable.BudgetError), learnable.budget(seconds=0.3):
        ours.ExhaustiveFeatureSelector(Sleeper(), max_features=1, cv=3).fit(X, y)


@pytest.mark.parametrize("name", ["RFE", "RFECV"])
def test_an_elimination_is_what_its_estimator_is(name):
    """So folds have equal shares of each class, as they have for the estimator alone and for scikit-learn."""
    X, y = learnable.load_iris(return_X_y=True)  # class after class
    chosen = getattr(ours, name)(learnable.LogisticRegression())
    for model in (chosen, learnable.make_pipeline(learnable.StandardScaler(), chosen)):
        folds = learnable.cross_validate(model, X, y, return_indices=True)["indices"]["test"]
        assert [np.bincount(y[rows]).tolist() for rows in folds] == [[10, 10, 10]] * 5
    assert estimator_type.role(getattr(ours, name)(Ridge())) == "regressor"
