"""Wrong labels: found, counted, and without effect on what does not see labels."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable import PCA, DecisionTreeClassifier, KNeighborsClassifier, LogisticRegression
from learnable.datasets import load_digits
from learnable.inspection import find_label_errors


def three_classes(seed, noise, n=1200):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    X = rng.normal(np.array([[0, 0], [4, 0], [0, 4]])[truth], 1.0)
    wrong = rng.random(n) < noise
    return X, truth, np.where(wrong, (truth + 1) % 3, truth), wrong


# "confident_learning" returns fewer rows, and those more certainly
@pytest.mark.parametrize("filter_by, least", [("prune_by_noise_rate", 0.8), ("confident_learning", 0.7)])
def test_flipped_labels_are_found(filter_by, least):
    X, truth, y, wrong = three_classes(0, 0.1)
    found = find_label_errors(LogisticRegression(), X, y, filter_by=filter_by)
    assert wrong[found.indices].mean() > 0.85 and wrong[found.indices].sum() > least * wrong.sum()
    assert (found.suggested == truth[found.indices]).mean() > 0.85
    assert (np.diff(found.quality[found.indices]) >= 0).all()
    assert found.joint.sum() == pytest.approx(1) and found.noise_rate == pytest.approx(0.1, abs=0.04)
    assert found.joint[1, 0] > 5 * found.joint[0, 1]  # labels were moved on by one class


def test_the_counts_of_a_worked_example():
    proba = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.2, 0.8], [0.1, 0.9], [0.7, 0.3]])
    y = np.array([0, 0, 0, 1, 1, 1])
    found = find_label_errors(LogisticRegression(), np.zeros((6, 1)), y, pred_probs=proba)
    # thresholds 2/3 and 2/3; counts [[2, 1], [1, 2]], so that a third of either label is wrong
    assert found.joint * 6 == pytest.approx(np.array([[2, 1], [1, 2]]))
    assert sorted(found.indices.tolist()) == [2, 5] and found.noise_rate == pytest.approx(1 / 3)


def test_clean_labels_have_few_errors_and_names_of_classes_are_kept():
    X, truth, _, _ = three_classes(1, 0.0)
    names = np.array(["a", "b", "c"])[truth]
    found = find_label_errors(LogisticRegression(), X, names)
    assert found.noise_rate < 0.03 and set(found.suggested) <= {"a", "b", "c"}
    with pytest.raises(learnable.DataError, match="pred_probs must be"):
        find_label_errors(LogisticRegression(), X, names, pred_probs=np.ones((3, 2)))


def test_learning_without_the_found_rows_is_better():
    X, _, y, _ = three_classes(2, 0.25)
    test, clean, _, _ = three_classes(3, 0.0)
    noisy = DecisionTreeClassifier(min_samples_leaf=3, random_state=0).fit(X, y).score(test, clean)
    found = find_label_errors(LogisticRegression(), X, y)
    kept = np.delete(np.arange(len(y)), found.indices)
    better = DecisionTreeClassifier(min_samples_leaf=3, random_state=0).fit(X[kept], y[kept]).score(test, clean)
    assert better > noisy + 0.02


def test_features_learned_without_labels_are_unaffected_by_corrupted_labels():
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    wrong = np.where(rng.random(len(y)) < 0.4, rng.permutation(y), y)
    train, test = np.arange(0, 1500), np.arange(1500, len(y))
    features = [PCA(20).fit(X[train], labels[train]) for labels in (y, wrong)]
    assert (features[0].components_ == features[1].components_).all()
    few = train[:100]  # checked labels
    by_features = KNeighborsClassifier(1).fit(features[1].transform(X[few]), y[few])
    supervised = DecisionTreeClassifier(random_state=0).fit(X[train], wrong[train])
    assert by_features.score(features[1].transform(X[test]), y[test]) > supervised.score(X[test], y[test]) + 0.1


@pytest.mark.parametrize("wrong", [-1.0, 2.0, 1e300])
def test_numbers_that_are_not_probabilities_are_refused(wrong):
    labels = np.repeat([0, 1], 10)
    with pytest.raises(learnable.DataError, match="between 0 and 1"):
        find_label_errors(LogisticRegression(), labels[:, None] * 1.0, labels, pred_probs=np.full((20, 2), wrong))
