"""Discriminants against scikit-learn, closed forms, and what the method promises."""

import numpy as np
import pytest
import sklearn.discriminant_analysis as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

import learnable
from learnable.discriminant_analysis import (
    FisherDiscriminant,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from learnable.engines.algebra import interruptible_lapack
from tests.timing import held_call


def draw(seed=0, rows=90, columns=4, classes=3):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.repeat(np.arange(classes), columns + 3), rng.integers(0, classes, rows)])
    mix = rng.normal(size=(columns, columns)) + 2 * np.eye(columns)
    return rng.normal(size=(len(y), columns)) @ mix + 2 * rng.normal(size=(classes, columns))[y], y


problems = st.builds(draw, st.integers(0, 10_000), st.integers(20, 80), st.integers(1, 6), st.integers(2, 4))
OPTIONS = [{"solver": "svd"}, {"solver": "lsqr"}, {"solver": "eigen"}] + [
    {"solver": solver, "shrinkage": shrinkage} for solver in ("lsqr", "eigen") for shrinkage in ("auto", 0.0, 0.3, 1.0)
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@settings(max_examples=10, deadline=None)
@given(problem=problems, given_priors=st.booleans())
def test_linear_agrees_with_scikit_learn(options, problem, given_priors):
    X, y = problem
    classes = len(np.unique(y))
    priors = np.arange(1, classes + 1) / np.arange(1, classes + 1).sum() if given_priors else None
    ours = LinearDiscriminantAnalysis(priors=priors, **options).fit(X, y)
    other = theirs.LinearDiscriminantAnalysis(priors=priors, **options).fit(X, y)
    for name in ("coef_", "intercept_", "means_", "priors_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(other, name), rtol=1e-6, atol=1e-7, err_msg=name)
    np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), rtol=1e-6, atol=1e-8)
    if options["solver"] != "lsqr":
        np.testing.assert_allclose(
            ours.explained_variance_ratio_, other.explained_variance_ratio_, rtol=1e-6, atol=1e-9
        )
        projected = np.abs(ours.transform(X)), np.abs(other.transform(X))
        directions = ours.explained_variance_ratio_
        apart = np.abs(np.subtract.outer(directions, directions)) + np.eye(len(directions)) > 1e-4
        if apart.all() and directions.min() > 1e-6:  # else the directions themselves are not determined
            np.testing.assert_allclose(*projected, rtol=1e-4, atol=1e-5)
    if options["solver"] != "svd":
        np.testing.assert_allclose(ours.covariance_, other.covariance_, rtol=1e-8, atol=1e-9)


QUADRATIC = [{}, {"reg_param": 0.2}, {"solver": "eigen"}] + [
    {"solver": "eigen", "shrinkage": shrinkage} for shrinkage in ("auto", 0.3, 1.0)
]


@pytest.mark.parametrize("options", QUADRATIC, ids=str)
@settings(max_examples=10, deadline=None)
@given(problem=problems)
def test_quadratic_agrees_with_scikit_learn(options, problem):
    X, y = problem
    try:
        other = theirs.QuadraticDiscriminantAnalysis(store_covariance=True, **options).fit(X, y)
    except np.linalg.LinAlgError:
        with pytest.raises(np.linalg.LinAlgError, match="is singular"):
            QuadraticDiscriminantAnalysis(**options).fit(X, y)
        return
    ours = QuadraticDiscriminantAnalysis(store_covariance=True, **options).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), rtol=1e-6, atol=1e-8)
    for k in range(len(ours.classes_)):
        np.testing.assert_allclose(ours.scalings_[k], other.scalings_[k], rtol=1e-7)
        np.testing.assert_allclose(ours.covariance_[k], np.atleast_2d(other.covariance_[k]), rtol=1e-6, atol=1e-8)


def test_discriminants_by_hand():
    """DIS-01, DIS-02 and E-081: densities of the classes, each covariance over its own rows, times the priors."""
    X, y = draw(1)
    share = np.bincount(y) / len(y)
    own = [np.cov(X[y == k].T, bias=True) for k in range(3)]
    pooled = sum(part * covariance for part, covariance in zip(share, own, strict=True))
    means = [X[y == k].mean(axis=0) for k in range(3)]
    for model, covariances in ((LinearDiscriminantAnalysis(), [pooled] * 3), (QuadraticDiscriminantAnalysis(), own)):
        joint = np.column_stack([share[k] * multivariate_normal(means[k], covariances[k]).pdf(X) for k in range(3)])
        said = model.fit(X, y).predict_proba(X)
        np.testing.assert_allclose(said, joint / joint.sum(axis=1, keepdims=True), rtol=1e-8, atol=1e-12)


def test_the_midpoint_lies_on_the_boundary_of_equal_classes():
    """E-080: x' S^-1 (mu_2 - mu_1) enters with a minus."""
    X, y = draw(2, classes=2)
    model = LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y)
    assert model.decision_function([model.means_.mean(axis=0)])[0] == pytest.approx(0, abs=1e-10)
    assert model.decision_function([model.means_[1]])[0] > 0 > model.decision_function([model.means_[0]])[0]


@pytest.mark.parametrize("solver", ["svd", "eigen"])
def test_three_boundaries_meet_in_a_point(solver):
    """DIS-03: where two discriminants of three classes in the plane are equal to a third, all three boundaries pass."""
    X, y = draw(3, columns=2)
    model = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    matrix = model.coef_[1:] - model.coef_[0]
    point = np.linalg.solve(matrix, model.intercept_[0] - model.intercept_[1:])
    np.testing.assert_allclose(model.predict_proba([point]), [[1 / 3, 1 / 3, 1 / 3]], rtol=1e-8)


@pytest.mark.parametrize("make", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, FisherDiscriminant])
def test_weights_are_copies(make):
    X, y = draw(4)
    count = np.random.default_rng(0).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), count)
    weighted, copied = make().fit(X, y, sample_weight=count), make().fit(X[copies], y[copies])
    np.testing.assert_allclose(weighted.decision_function(X), copied.decision_function(X), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("shrinkage", ["auto", 0.2])
def test_weights_are_copies_in_shrinkage(shrinkage):
    X, y = draw(4)
    count = np.random.default_rng(0).integers(1, 4, len(y))
    copies = np.repeat(np.arange(len(y)), count)
    for make in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
        model = make(solver="eigen", shrinkage=shrinkage)
        weighted = model.fit(X, y, sample_weight=count).decision_function(X)
        np.testing.assert_allclose(weighted, model.fit(X[copies], y[copies]).decision_function(X), rtol=1e-8, atol=1e-9)


def test_a_covariance_estimator_is_used():
    from sklearn.covariance import OAS, EmpiricalCovariance

    X, y = draw(5)
    for make, other in (
        (LinearDiscriminantAnalysis, theirs.LinearDiscriminantAnalysis),
        (QuadraticDiscriminantAnalysis, theirs.QuadraticDiscriminantAnalysis),
    ):
        for estimator in (OAS(), EmpiricalCovariance()):
            ours = make(solver="eigen", covariance_estimator=estimator).fit(X, y)
            assert not hasattr(estimator, "covariance_"), "the estimator that was given is left alone"
            peer = other(solver="eigen", covariance_estimator=estimator).fit(X, y)
            np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=1e-7, atol=1e-10)
        with pytest.raises(ValueError, match="takes no sample_weight"):
            make(solver="eigen", covariance_estimator=OAS()).fit(X, y, sample_weight=np.ones(len(y)))


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        (LinearDiscriminantAnalysis(shrinkage=0.1), NotImplementedError, "does not support shrinkage"),
        (LinearDiscriminantAnalysis(covariance_estimator=learnable.Ridge()), ValueError, "choose another"),
        (LinearDiscriminantAnalysis("eigen", 0.1, covariance_estimator=learnable.Ridge()), ValueError, "not both"),
        (LinearDiscriminantAnalysis(n_components=3), ValueError, "have 2 direction|have 1 direction"),
        (LinearDiscriminantAnalysis(priors=[0.5, -0.5, 1.0]), ValueError, "priors must be at least 0"),
        (QuadraticDiscriminantAnalysis(shrinkage=0.1), NotImplementedError, "does not support shrinkage"),
        (QuadraticDiscriminantAnalysis(covariance_estimator=learnable.Ridge()), ValueError, "solver='eigen'"),
        (FisherDiscriminant(n_components=3), ValueError, "have 2 direction|have 1 direction"),
    ],
)
def test_what_does_not_go_together_is_refused(model, error, words):
    with pytest.raises(error, match=words):
        model.fit(*draw(0))


def test_priors_that_do_not_sum_to_one_are_scaled_and_said():
    X, y = draw(0)
    with pytest.warns(UserWarning, match="Renormalizing"):
        model = LinearDiscriminantAnalysis(priors=[1.0, 1.0, 2.0]).fit(X, y)
    np.testing.assert_allclose(model.priors_, [0.25, 0.25, 0.5])


def test_transform_is_not_for_least_squares():
    X, y = draw(0)
    with pytest.raises(NotImplementedError, match="lsqr"):
        LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).transform(X)


@pytest.mark.parametrize("make", [LinearDiscriminantAnalysis, FisherDiscriminant])
def test_names_and_frames_of_projections(make):
    import pandas

    X, y = draw(0)
    model = make().set_output(transform="pandas")
    frame = model.fit_transform(pandas.DataFrame(X, columns=list("abcd")), y)
    name = make.__name__.lower()
    assert list(frame.columns) == [f"{name}0", f"{name}1"] == list(model.get_feature_names_out())


def test_more_columns_than_rows():
    X, y = draw(6, rows=12, columns=60, classes=2)
    X, y = X[::6], y[::6]
    assert X.shape[0] < X.shape[1]
    ours, other = LinearDiscriminantAnalysis().fit(X, y), theirs.LinearDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), rtol=1e-5, atol=1e-6)
    for shrinkage in ("auto", 0.5):
        ours = LinearDiscriminantAnalysis("lsqr", shrinkage).fit(X, y)
        other = theirs.LinearDiscriminantAnalysis("lsqr", shrinkage=shrinkage).fit(X, y)
        np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), rtol=1e-6, atol=1e-6)
    with pytest.raises(np.linalg.LinAlgError, match="solver='svd'"):
        LinearDiscriminantAnalysis("eigen").fit(X, y)


@pytest.mark.parametrize("scale", [1e-150, 1e-9, 1e9, 1e150])
def test_the_unit_of_the_columns_does_not_matter(scale):
    X, y = draw(7)
    for model in (
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis("eigen"),
        LinearDiscriminantAnalysis("lsqr"),
        LinearDiscriminantAnalysis("lsqr", 0.3),
        FisherDiscriminant(),
        FisherDiscriminant(shrinkage="auto"),
        QuadraticDiscriminantAnalysis(tol=0.0),
    ):
        plain = model.fit(X, y).decision_function(X)
        moved = model.fit(X * scale, y).decision_function(X * scale)
        shift = np.log(scale) * X.shape[1] if isinstance(model, QuadraticDiscriminantAnalysis) else 0.0
        np.testing.assert_allclose(moved + shift, plain, rtol=1e-6, atol=1e-6)


def test_squared_columns_make_linear_boundaries_quadratic():
    """DIS-04: two rings; LDA on x, x^2 and x1 x2 does what QDA does, LDA on x alone does not."""
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, 400), np.repeat([1.0, 2.5], 200) + 0.2 * rng.normal(size=400)
    X, y = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.repeat([0, 1], 200)
    squares = learnable.PolynomialFeatures(2, include_bias=False).fit_transform(X)
    plain = LinearDiscriminantAnalysis().fit(X, y).score(X, y)
    curved = LinearDiscriminantAnalysis().fit(squares, y).score(squares, y)
    quadratic = QuadraticDiscriminantAnalysis().fit(X, y).score(X, y)
    assert plain < 0.6 and curved > 0.97 and quadratic > 0.97


def test_one_class():
    X, _ = draw(0)
    model = LinearDiscriminantAnalysis().fit(X, ["only"] * len(X))
    assert set(model.predict(X)) == {"only"} and model.transform(X).shape == (len(X), 0)
    with pytest.raises(ValueError, match="two classes are needed"):
        QuadraticDiscriminantAnalysis().fit(X, ["only"] * len(X))


def test_columns_without_variance_are_left_out():
    X, y = draw(8)
    wide = np.column_stack([X, np.full(len(X), 7.0), X[:, 0]])
    for make in (LinearDiscriminantAnalysis, FisherDiscriminant):
        plain, more = make().fit(X, y), make().fit(wide, y)
        np.testing.assert_allclose(more.decision_function(wide), plain.decision_function(X), rtol=1e-6, atol=1e-6)
    with pytest.raises(np.linalg.LinAlgError, match="reg_param"):
        QuadraticDiscriminantAnalysis().fit(wide, y)


def test_rows_without_any_variance_are_refused():
    X, y = np.array([[0.0, 1.0], [0.0, 1.0], [2.0, 3.0], [2.0, 3.0]]), [0, 0, 1, 1]
    for model in (LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis("lsqr"), FisherDiscriminant()):
        with pytest.raises(ValueError, match="all columns are constant within"):
            model.fit(X, y)
    assert FisherDiscriminant(shrinkage=0.5).fit(X, y).predict(X).tolist() == y


@pytest.mark.parametrize("make", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, FisherDiscriminant])
def test_a_class_without_weight_is_refused(make):
    X, y = draw(0)
    with pytest.raises(ValueError, match="class number 1 have a weight of zero"):
        make().fit(X, y, sample_weight=(y != 1).astype(float))


def test_many_rows_are_scored_as_few():
    X, y = draw(9, rows=1500, columns=12)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    few = np.vstack([model.decision_function(part) for part in np.array_split(X, 40)])
    np.testing.assert_allclose(model.decision_function(X), few, rtol=1e-9, atol=1e-9)
    before = X.copy()
    model.predict(X)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
def test_a_budget_ends_algebra_that_does_not_check_the_time(solver, monkeypatch):
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    factorise = np.linalg.cholesky
    monkeypatch.setattr(interruptible_lapack, "LONG_CALL", 0)
    with held_call() as hold:
        monkeypatch.setattr(np.linalg, "cholesky", lambda matrix: (hold(), factorise(matrix))[1])
        with learnable.budget(seconds=0.2), pytest.raises(learnable.BudgetError, match=r"^LinearD"):
            LinearDiscriminantAnalysis(solver=solver).fit(X, y)


@pytest.mark.parametrize("options", [{}, {"n_components": 1}, {"solver": "eigen"}, {"solver": "lsqr"}], ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_stored_discriminant_comes_back(classes, options, tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 4))
    model = LinearDiscriminantAnalysis(**options).fit(X, np.arange(40) % classes)
    learnable.save(model, tmp_path / "lda.model")
    assert (learnable.load(tmp_path / "lda.model").predict_proba(X) == model.predict_proba(X)).all()


def test_the_cause_of_a_singular_covariance_is_named():
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.repeat([0, 1], 20)
    with pytest.raises(np.linalg.LinAlgError, match=r"class 0 is singular.*not above tol=0.0001.*scale columns"):
        QuadraticDiscriminantAnalysis().fit(X * 1e-8, y)
    with pytest.raises(np.linalg.LinAlgError, match="class 0 is singular, as it has 2 rows for 3 columns"):
        QuadraticDiscriminantAnalysis().fit(X[18:], y[18:])
