"""Voting, stacking and model averaging: agreement with scikit-learn, and model weights by BIC."""

import numpy as np
import pytest
import sklearn.ensemble as theirs
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.tree
from scipy import sparse
from sklearn.datasets import load_diabetes, load_iris

import learnable
from learnable.core import ParameterError
from learnable.ensemble import (
    BayesianModelAveragingClassifier,
    BayesianModelAveragingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


def classifiers():
    return [
        ("bayes", sklearn.naive_bayes.GaussianNB()),
        ("tree", sklearn.tree.DecisionTreeClassifier(max_depth=2, random_state=0)),
        ("out", "drop"),
    ]


def regressors():
    return [
        ("line", sklearn.linear_model.LinearRegression()),
        ("tree", sklearn.tree.DecisionTreeRegressor(max_depth=3, random_state=0)),
    ]


@pytest.mark.parametrize(
    "options", [{}, {"weights": [3, 1, 1]}, {"voting": "soft"}, {"voting": "soft", "weights": [3, 1, 1]}]
)
def test_votes_agree_with_scikit_learn(options):
    X, y = IRIS
    named = np.array(["a", "b", "c"])[y]
    ours, other = (cls(classifiers(), **options).fit(X, named) for cls in (VotingClassifier, theirs.VotingClassifier))
    np.testing.assert_array_equal(ours.predict(X), other.predict(X))
    np.testing.assert_allclose(ours.transform(X), other.transform(X))
    assert list(ours.get_feature_names_out()) == list(other.get_feature_names_out())
    if options.get("voting") == "soft":
        np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X))
    else:
        assert not hasattr(ours, "predict_proba")
    assert set(ours.named_estimators_) == {"bayes", "tree", "out"}


def test_means_agree_with_scikit_learn():
    X, y = DIABETES
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    ours, other = (cls(regressors(), weights=[1, 2]) for cls in (VotingRegressor, theirs.VotingRegressor))
    np.testing.assert_allclose(
        ours.fit(X, y, sample_weight=weight).predict(X), other.fit(X, y, sample_weight=weight).predict(X)
    )


@pytest.mark.parametrize("passthrough", [False, True])
def test_stacking_agrees_with_scikit_learn(passthrough):
    X, y = IRIS
    last = sklearn.linear_model.LogisticRegression(C=1.0, tol=1e-8, max_iter=1000)
    ours, other = (
        cls(classifiers(), last, cv=3, passthrough=passthrough).fit(X, y)
        for cls in (StackingClassifier, theirs.StackingClassifier)
    )
    np.testing.assert_allclose(ours.transform(X), other.transform(X))
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-6)
    assert list(ours.get_feature_names_out()) == list(other.get_feature_names_out())
    X, y = DIABETES
    ours, other = (
        cls(regressors(), sklearn.linear_model.Ridge(), cv=3, passthrough=passthrough).fit(X, y)
        for cls in (StackingRegressor, theirs.StackingRegressor)
    )
    np.testing.assert_allclose(ours.predict(X), other.predict(X), rtol=1e-6)


def test_stacking_of_fitted_models_with_the_default_final_estimator():
    X, y = IRIS
    fitted = [(name, part.fit(X, y)) for name, part in classifiers()[1:2]]
    ours = StackingClassifier(fitted, cv="prefit").fit(X, y)
    assert ours.score(X, y) > 0.93 and type(ours.final_estimator_) is learnable.LogisticRegression
    assert type(StackingRegressor(regressors()).fit(*DIABETES).final_estimator_) is learnable.RidgeCV


def test_estimators_that_cannot_vote_are_rejected():
    X, y = IRIS
    for wrong in ([("line", learnable.LinearRegression())], [("none", "drop")], []):
        with pytest.raises(ParameterError):
            VotingClassifier(wrong).fit(X, y)
    with pytest.raises(ParameterError, match="weights for 3 estimators"):
        VotingClassifier(classifiers(), weights=[1]).fit(X, y)
    for weights in ([0, 0, 5], [1, np.nan, 1], [1, "two", 1], [1, -1, 0]):
        with pytest.raises(ParameterError, match="weights"):
            VotingClassifier(classifiers(), weights=weights).fit(X, y)
    margins = [("svm", learnable.LinearSVC())]
    for panel in (VotingClassifier(margins, voting="soft"), BayesianModelAveragingClassifier(margins)):
        with pytest.raises(ParameterError, match=r"svm \(LinearSVC\) has no predict_proba"):
            panel.fit(X, y)


def test_model_weights_are_posterior_probabilities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = X[:, 0] + 0.3 * X[:, 1] + 0.7 * rng.normal(size=60)
    subsets = [[0], [0, 1], [0, 1, 2], [3]]
    models = [
        (
            f"m{k}",
            learnable.Pipeline(
                [
                    ("take", learnable.ColumnTransformer([("t", "passthrough", columns)])),
                    ("fit", learnable.LinearRegression()),
                ]
            ),
        )
        for k, columns in enumerate(subsets)
    ]
    model = BayesianModelAveragingRegressor(models, count_parameters=lambda part: len(part[-1].coef_) + 1).fit(X, y)
    expected = []
    for columns in subsets:
        design = np.column_stack([np.ones(60), X[:, columns]])
        rss = np.linalg.lstsq(design, y, rcond=None)[1][0]
        expected.append(60 * np.log(rss / 60) + np.log(60) * (len(columns) + 1))
    shares = np.exp(-(np.array(expected) - min(expected)) / 2)
    np.testing.assert_allclose(model.probability_, shares / shares.sum(), rtol=1e-8)
    predictions = np.stack([member.predict(X) for member in model.estimators_])
    np.testing.assert_allclose(model.predict(X), model.probability_ @ predictions)


def test_classifiers_are_weighted_by_their_likelihood():
    X, y = IRIS
    parts = [
        ("small", learnable.DecisionTreeClassifier(max_depth=1)),
        ("large", learnable.DecisionTreeClassifier(max_depth=2)),
    ]
    model = BayesianModelAveragingClassifier(parts, prior=[0.9, 0.1]).fit(X, y)
    bic = []
    for _, part in parts:
        fitted = part.clone().fit(X, y)
        likelihood = np.log(fitted.predict_proba(X)[np.arange(150), y]).sum()
        bic.append(np.log(150) * fitted.get_n_leaves() - 2 * likelihood)
    np.testing.assert_allclose(model.bic_, bic)
    raw = np.array([0.9, 0.1]) * np.exp(-(np.array(bic) - min(bic)) / 2)
    np.testing.assert_allclose(model.probability_, raw / raw.sum())
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    with pytest.raises(ParameterError, match="prior"):
        BayesianModelAveragingClassifier(parts, prior=[1.0]).fit(X, y)


def test_all_estimators_of_a_stack_use_the_same_folds():
    X, y = load_diabetes(return_X_y=True)
    folds = learnable.KFold(3, shuffle=True).split(X)  # which can be drawn but once
    tree = learnable.DecisionTreeRegressor(max_depth=2, random_state=0)
    stack = StackingRegressor([("one", tree), ("two", tree)], learnable.LinearRegression(), cv=folds).fit(X, y)
    again = StackingRegressor(stack.estimators, stack.final_estimator, cv=learnable.KFold(3, shuffle=True)).fit(X, y)
    for found in (stack, again):  # equal columns, of which least squares takes equal parts
        np.testing.assert_allclose(*found.final_estimator_.coef_)


def test_passthrough_needs_columns_and_keeps_sparse_matrices():
    texts, y = ["good film", "bad film", "good", "bad"] * 5, [1, 0, 1, 0] * 5
    words = learnable.make_pipeline(learnable.TfidfVectorizer(), learnable.LogisticRegression())
    with pytest.raises(ValueError, match="passthrough gives the columns of X to the final estimator, and X has none"):
        StackingClassifier([("words", words)], passthrough=True).fit(texts, y)
    with pytest.raises(
        ValueError, match=r"is a list of texts; .* make_pipeline\(TfidfVectorizer\(\), BaggingClassifier"
    ):
        learnable.BaggingClassifier(words).fit(texts, y)
    X = sparse.random_array((20, 30), density=0.2, rng=0, format="csr")
    stack, dense = (
        StackingClassifier([("bayes", learnable.MultinomialNB())], passthrough=True).fit(rows, y)
        for rows in (X, X.toarray())
    )
    assert sparse.issparse(stack.transform(X))
    np.testing.assert_allclose(stack.predict_proba(X), dense.predict_proba(X.toarray()), atol=1e-4)
