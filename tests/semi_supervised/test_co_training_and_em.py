"""Co-training of two views, and EM with labels: monotone likelihood, and an iteration by brute force."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

import learnable
from learnable import (
    CoTrainingClassifier,
    DataError,
    GaussianNB,
    LabelPropagation,
    LabelSpreading,
    MultinomialNB,
    ParameterError,
    SelfTrainingClassifier,
    SemiSupervisedEM,
)

RNG = np.random.default_rng(0)
truth = RNG.integers(0, 2, 300)
X = RNG.normal(size=(300, 4)) + 1.6 * truth[:, None]
y = np.full(300, -1)
for k in range(2):
    y[np.flatnonzero(truth == k)[:3]] = k


def test_two_views_teach_each_other():
    alone = GaussianNB().fit(X[y >= 0], y[y >= 0]).score(X, truth)
    model = CoTrainingClassifier(GaussianNB(), views=([0, 1], [2, 3]), k_best=5, max_iter=100).fit(X, y)
    assert model.score(X, truth) > alone + 0.02
    assert (model.transduction_ >= 0).all() and (model.labeled_iter_[y >= 0] == 0).all()
    one, other = model.estimators_
    p = one.predict_proba(X[:, :2]) * other.predict_proba(X[:, 2:])
    np.testing.assert_allclose(model.predict_proba(X), p / p.sum(axis=1, keepdims=True), rtol=1e-9)
    first = CoTrainingClassifier(GaussianNB(), MultinomialNB(), max_iter=0).fit(np.abs(X), y)
    assert isinstance(first.estimators_[1], MultinomialNB) and first.n_iter_ == 1
    with pytest.raises(ParameterError, match="views must be two lists of column numbers below 4"):
        CoTrainingClassifier(GaussianNB(), views=([0], [9])).fit(X, y)
    with pytest.raises(ParameterError, match="two views need at least two columns"):
        CoTrainingClassifier(GaussianNB()).fit(X[:, :1], y)


def test_an_iteration_of_em_is_that_of_the_definition():
    weight = 0.3
    model = SemiSupervisedEM(GaussianNB(var_smoothing=0.0), unlabelled_weight=weight, max_iter=1, tol=1e9).fit(X, y)
    q = np.zeros((300, 2))
    q[np.arange(300)[y >= 0], y[y >= 0]] = 1.0
    for _ in range(3):  # a fit to the labels, one to all rows, and that of the fitted classifier
        w = q * np.where(y >= 0, 1.0, weight)[:, None]
        prior = w.sum(axis=0) / w.sum()
        mean = w.T @ X / w.sum(axis=0)[:, None]
        deviation = np.sqrt(np.stack([w[:, k] @ (X - mean[k]) ** 2 / w[:, k].sum() for k in range(2)]))
        joint = np.log(prior) + np.stack([norm.logpdf(X, mean[k], deviation[k]).sum(axis=1) for k in range(2)], axis=1)
        before, q = q, np.where((y >= 0)[:, None], q, np.exp(joint - logsumexp(joint, axis=1, keepdims=True)))
    np.testing.assert_allclose(model.label_distributions_, before, atol=1e-10)
    np.testing.assert_allclose(model.estimator_.theta_, mean, atol=1e-10)


def test_the_likelihood_rises_and_few_labels_suffice():
    model = SemiSupervisedEM(GaussianNB(var_smoothing=0.0)).fit(X, y)
    objective = model.trace_["objective"]
    assert model.certificate_.holds and np.all(np.diff(objective) <= 1e-9 * np.abs(objective[:-1]))
    alone = GaussianNB().fit(X[y >= 0], y[y >= 0]).score(X, truth)
    assert model.score(X, truth) > alone + 0.02
    without = SemiSupervisedEM(GaussianNB(), unlabelled_weight=0.0).fit(X, y)
    np.testing.assert_allclose(
        without.predict_proba(X), GaussianNB().fit(X[y >= 0], y[y >= 0]).predict_proba(X), atol=1e-7
    )


def test_documents_without_a_label():
    counts = RNG.poisson(np.where(truth[:, None] == 1, [3, 1, 1, 2], [1, 3, 2, 1]))
    alone = MultinomialNB().fit(counts[y >= 0], y[y >= 0]).score(counts, truth)
    names = np.array([None if label < 0 else ("spam", "news")[label] for label in y], dtype=object)
    model = SemiSupervisedEM(MultinomialNB(), unlabelled_weight=0.5).fit(counts, names)
    assert model.score(counts, np.array(["spam", "news"])[truth]) >= alone
    assert set(model.transduction_) == {"spam", "news"}
    with pytest.raises(DataError, match="no labels"):
        model.fit(counts, np.full(300, np.nan))


@pytest.mark.parametrize(
    "model",
    [
        CoTrainingClassifier(GaussianNB(), max_iter=1),
        SemiSupervisedEM(GaussianNB()),
        SelfTrainingClassifier(GaussianNB(), threshold=0.999),
        LabelPropagation(),
        LabelSpreading(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_labels_that_are_texts_are_saved(model, tmp_path):
    rows = np.random.default_rng(0).normal(size=(40, 2))
    labels = np.where(rows[:, 0] > 0, "high", "low").astype(object)
    labels[10:] = None
    model.fit(rows, labels)
    learnable.save(model, tmp_path / "model.lrn")
    again = learnable.load(tmp_path / "model.lrn")
    np.testing.assert_array_equal(again.transduction_, model.transduction_)
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))


def test_a_class_is_not_a_classifier():
    with pytest.raises(ParameterError, match="estimator must be a classifier with predict_proba"):
        CoTrainingClassifier(GaussianNB).fit(np.eye(4), [0, 1, 0, -1])
