"""Least-squares classifiers against scikit-learn, each other and leaving rows out by hand."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import RidgeClassifier as Reference
from sklearn.linear_model import RidgeClassifierCV as ReferenceCV

from learnable import LeastSquaresClassifier, LinearRegression, RidgeClassifier, RidgeClassifierCV, load, save
from learnable.core.errors import DataError, ParameterError


def classes(count, n=80, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = (X @ rng.normal(size=(p, count)) + rng.normal(size=(n, count))).argmax(axis=1)
    return X + 0.5, np.array(["a", "b", "c"])[y], rng.uniform(0.5, 3, n)


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize(
    "options", [{}, {"alpha": 30.0, "class_weight": "balanced"}, {"fit_intercept": False}, {"positive": True}]
)
def test_ridge_classifier_is_that_of_scikit_learn(count, options):
    X, y, weight = classes(count)
    ours = RidgeClassifier(**options).fit(X, y, sample_weight=weight)
    theirs = Reference(**options, tol=1e-10, max_iter=100_000).fit(X, y, sample_weight=weight)
    same_balance = "class_weight" not in options  # scikit-learn counts classes there without their weights
    if same_balance:
        assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
        assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-6)
        assert (ours.predict(X) == theirs.predict(X)).all()
    plain = RidgeClassifier(**options).fit(X, y).decision_function(X)
    assert_allclose(plain, Reference(**options, tol=1e-10, max_iter=100_000).fit(X, y).decision_function(X), atol=1e-6)
    assert ours.certificate_.holds


CHOICES = [
    (count, scoring, cv)
    for count in (2, 3)
    for scoring in (None, "accuracy", "balanced_accuracy")
    for cv in (None, 4)
    if not (count == 2 and scoring and cv is None)  # there scikit-learn takes the largest of one column
]


@pytest.mark.parametrize(("count", "scoring", "cv"), CHOICES)
def test_ridge_classifier_cv_chooses_as_scikit_learn(count, scoring, cv):
    X, y, _ = classes(count)
    alphas = (1e-2, 1.0, 30.0, 1e4)
    ours = RidgeClassifierCV(alphas=alphas, scoring=scoring, cv=cv).fit(X, y)
    theirs = ReferenceCV(alphas=alphas, scoring=scoring, cv=cv).fit(X, y)
    assert ours.alpha_ == theirs.alpha_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-6)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)


@pytest.mark.parametrize("count", [2, 3])
def test_leaving_one_out_is_fitting_without_the_row(count):
    X, y, _ = classes(count, n=25)
    model = RidgeClassifierCV(alphas=(0.3, 5.0), scoring="accuracy", store_cv_results=True).fit(X, y)
    for i in (0, 7, 24):
        rest = np.arange(25) != i
        for a, alpha in enumerate((0.3, 5.0)):
            without = RidgeClassifier(alpha=alpha).fit(X[rest], y[rest])
            assert_allclose(model.cv_results_[i, :, a], np.atleast_1d(without.decision_function(X[[i]])[0]), atol=1e-8)


def labels(count=3, n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) + 0.5
    return X, (X @ rng.normal(size=(4, count)) + rng.normal(size=(n, count)) > 0.8).astype(int), rng.uniform(0.5, 3, n)


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize(
    "options", [{}, {"alpha": 30.0, "class_weight": "balanced"}, {"fit_intercept": False}, {"alpha": [1.0, 5.0, 9.0]}]
)
def test_several_labels_are_those_of_scikit_learn(count, options):
    X, y, weight = labels(count)
    if isinstance(options.get("alpha"), list):
        options = {"alpha": options["alpha"][:count]}
    given = None if "class_weight" in options else weight  # scikit-learn counts classes without their weights
    ours, theirs = (kind(**options).fit(X, y, sample_weight=given) for kind in (RidgeClassifier, Reference))
    for attribute in ("classes_", "coef_", "intercept_"):
        assert_allclose(getattr(ours, attribute), getattr(theirs, attribute), atol=1e-9)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-9)
    assert ours.predict(X).dtype == theirs.predict(X).dtype
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert ours.score(X, y, weight) == pytest.approx(theirs.score(X, y, weight))
    assert ours.multilabel_ and ours.certificate_.holds
    assert ours.__sklearn_tags__().classifier_tags.multi_label


@pytest.mark.parametrize("options", [{}, {"cv": 4}, {"class_weight": "balanced"}, {"cv": 3, "scoring": "f1_macro"}])
def test_the_alpha_for_several_labels_is_that_of_scikit_learn(options):
    X, y, _ = labels()
    alphas = (1e-2, 1.0, 30.0, 1e4)
    ours, theirs = (kind(alphas=alphas, **options).fit(X, y) for kind in (RidgeClassifierCV, ReferenceCV))
    assert ours.alpha_ == theirs.alpha_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-6)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_labels_of_held_out_rows_are_scored_as_labels():
    """Where scikit-learn takes the largest score for the one class of a row."""
    X, y, _ = labels(n=20)
    model = RidgeClassifierCV(alphas=(0.5,), scoring="accuracy").fit(X, y)
    rest = [np.arange(20) != i for i in range(20)]
    right = [(RidgeClassifier(0.5).fit(X[r], y[r]).predict(X[~r]) == y[~r]).all() for r in rest]
    assert model.best_score_ == pytest.approx(np.mean(right))


@pytest.mark.parametrize("kind", [RidgeClassifier, RidgeClassifierCV])
def test_several_labels_are_saved_and_may_be_constant_or_come_as_a_frame(kind, tmp_path):
    X, y, _ = labels()
    y[:, 1] = 0
    model = kind().fit(X, pd.DataFrame({"a": y[:, 0] > 0, "b": y[:, 1], "c": y[:, 2]}))
    save(model, tmp_path / "model")
    assert (load(tmp_path / "model").predict(X) == kind().fit(X, y).predict(X)).all()
    assert (model.predict(X)[:, 1] == 0).all()


@pytest.mark.parametrize("kind", [RidgeClassifier, RidgeClassifierCV])
def test_columns_of_more_than_zeros_and_ones_are_refused(kind):
    X, y, _ = labels()
    for several in (y + np.arange(3), y.astype(str), y / 2):
        with pytest.raises(DataError, match="several columns must hold zeros and ones"):
            kind().fit(X, several)
    with pytest.raises(ParameterError, match='class_weight must be "balanced" or None for multilabel targets'):
        kind(class_weight={0: 2.0}).fit(X, y)


@pytest.mark.parametrize("count", [2, 3])
def test_least_squares_of_signs_or_of_zero_and_one_give_the_same_classes(count):
    X, y, _ = classes(count)
    signs = LeastSquaresClassifier().fit(X, y)
    numbers = LeastSquaresClassifier(coding="zero_one").fit(X, y)
    assert (signs.predict(X) == numbers.predict(X)).all()
    assert_allclose(signs.coef_, 2 * numbers.coef_, atol=1e-9)
    assert_allclose(signs.coef_, np.atleast_2d(RidgeClassifier(alpha=0.0).fit(X, y).coef_), atol=1e-9)


def test_two_classes_are_the_sign_of_a_regression():
    X, y, _ = classes(2)
    line = LinearRegression().fit(X, np.where(y == "b", 1.0, -1.0))
    model = LeastSquaresClassifier().fit(X, y)
    assert_allclose(model.decision_function(X), line.predict(X), atol=1e-9)
    half = LinearRegression().fit(X, (y == "b").astype(float)).predict(X) > 0.5
    assert ((model.predict(X) == "b") == half).all()


def test_rows_far_on_the_correct_side_still_move_the_boundary():
    x = np.array([0.0, 1.0, 2.0, 3.0])
    y = np.array([0, 0, 1, 1])
    near = LeastSquaresClassifier().fit(x[:, None], y)
    far = LeastSquaresClassifier().fit(np.append(x, [100.0, 100.0])[:, None], np.append(y, [1, 1]))
    assert near.score(x[:, None], y) == 1
    assert far.score(x[:, None], y) < 1


@pytest.mark.parametrize("model", [RidgeClassifier(), RidgeClassifierCV(), LeastSquaresClassifier()])
def test_one_class_is_refused(model):
    with pytest.raises(DataError, match="y holds one class"):
        model.fit([[0.0], [1.0], [2.0]], ["a", "a", "a"])


@pytest.mark.parametrize("count", [2, 3])
def test_coefficients_have_the_shape_that_scikit_learn_gives_them(count):
    X, y, _ = classes(count)
    for ours, peer in ((RidgeClassifier(), Reference()), (RidgeClassifierCV(), ReferenceCV())):
        assert ours.fit(X, y).coef_.shape == peer.fit(X, y).coef_.shape
        assert_allclose(ours.coef_, peer.coef_, rtol=1e-8)
        assert_allclose(ours.decision_function(X), peer.decision_function(X), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("class_weight", ["balanced", {"a": 4.0, "b": 0.5}])
def test_rows_are_left_out_with_all_that_their_class_weighs(count, class_weight):
    """A class weight is not a number of copies, of which some would remain in the leave-one-out fit."""
    X, y, _ = classes(count)
    X, y = X[: 2 * len(X) // 3], y[: 2 * len(X) // 3]
    options = {"alphas": (0.1, 1.0, 100.0), "class_weight": class_weight, "store_cv_results": True}
    ours, peer = RidgeClassifierCV(**options).fit(X, y), ReferenceCV(**options).fit(X, y)
    assert_allclose(ours.cv_results_, peer.cv_results_, rtol=1e-7)
    assert ours.alpha_ == peer.alpha_ and ours.best_score_ == pytest.approx(peer.best_score_)
    copies = np.arange(len(X)) % 3
    weighted = RidgeClassifierCV(**options).fit(X, y, copies)
    copied = RidgeClassifierCV(**options).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    assert weighted.cv_results_.shape == (len(X), *copied.cv_results_.shape[1:])
    assert_allclose(np.repeat(weighted.cv_results_, copies, axis=0), copied.cv_results_, rtol=1e-7)
    assert weighted.best_score_ == pytest.approx(copied.best_score_)
