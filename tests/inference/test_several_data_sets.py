"""Models compared over data sets: the published example, scipy, cross-validation."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

import learnable
from learnable import DecisionTreeClassifier, DummyClassifier, GaussianNB, LogisticRegression
from learnable.datasets import load_breast_cancer, load_iris, load_wine
from learnable.inference import (
    DataSetComparison,
    compare_on_data_sets,
    critical_difference,
    friedman_test,
    mean_ranks,
)
from learnable.inference.several_data_sets import rank_statistic
from learnable.model_selection import ShuffleSplit
from learnable.plot import CriticalDifferenceDisplay


def test_the_example_of_demsar():
    """Four variants of C4.5 on 14 data sets: mean ranks, F and critical differences as published."""
    ranks = np.array([3.143, 2.000, 2.893, 1.964])
    assert rank_statistic(ranks, 14) == pytest.approx(3.69, abs=0.01)
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, alpha=0.1) == pytest.approx(1.12, abs=0.005)


def test_friedman_by_scipy():
    assert mean_ranks([[3, 2, 2], [1, 2, 3]]).tolist() == [2.0, 2.25, 1.75]
    table = np.random.default_rng(0).random((9, 5))
    chi2 = scipy.stats.friedmanchisquare(*table.T).statistic
    assert friedman_test(table).statistic == pytest.approx(8 * chi2 / (9 * 4 - chi2))
    expected = scipy.stats.f.sf(8 * chi2 / (9 * 4 - chi2), 4, 32)
    assert friedman_test(table).p_value == pytest.approx(expected)


MODELS = {"tree": DecisionTreeClassifier(random_state=0), "logistic": LogisticRegression(max_iter=500),
          "bayes": GaussianNB(), "prior": DummyClassifier()}  # fmt: skip
TABLES = {name: load(return_X_y=True) for name, load in (("iris", load_iris), ("wine", load_wine))}
TABLES["cancer"] = tuple(part[:150] for part in load_breast_cancer(return_X_y=True))


def test_scores_are_those_of_cross_validation():
    found = compare_on_data_sets(MODELS, TABLES, scoring=["accuracy", "neg_log_loss"], cv=3)
    for i, (X, y) in enumerate(TABLES.values()):
        for j, model in enumerate(MODELS.values()):
            for metric in ("accuracy", "neg_log_loss"):
                expected = learnable.cross_val_score(model, X, y, cv=3, scoring=metric).mean()
                assert found.scores[metric][i, j] == pytest.approx(expected, abs=1e-12)
    assert found.ranks("accuracy")[3] == 4
    assert "mean rank" in str(found) and "critical difference of the ranks: " in str(found)
    assert found.friedman("accuracy").test == "Friedman test"


def test_the_picture_joins_what_does_not_differ():
    scores = np.array([[4, 3, 2, 1]] * 10 + [[3, 4, 1, 2]] * 4)
    found = DataSetComparison({"auc": scores}, ("a", "b", "c", "d"), tuple(map(str, range(14))))
    assert found.ranks("auc") == pytest.approx([18 / 14, 24 / 14, 46 / 14, 52 / 14])
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
    assert found.cliques("auc") == [("a", "b"), ("c", "d")]
    display = CriticalDifferenceDisplay.from_comparison(found)
    assert len(display.bars_) == 2
    texts = [text.get_text() for text in display.ax_.texts]
    assert "a (1.29)" in texts and "critical difference 1.25" in texts
    near = DataSetComparison({"auc": scores[[0, 10] * 2]}, found.models, tuple("abcd"))
    assert near.cliques("auc") == [("a", "b", "c", "d")]  # few data sets


@pytest.mark.parametrize("options", [{"models": {"a": 1, "b": 2}}, {"data_sets": {"a": 3}}, {"scoring": 4}])
def test_senseless_comparisons_are_explained(options):
    with pytest.raises((learnable.ParameterError, TypeError), match="compare_on_data_sets"):
        compare_on_data_sets(**{"models": MODELS, "data_sets": TABLES, **options})


def test_the_same_model_twice_has_the_same_scores():
    """Folds without a seed are drawn once for each data set, and classifiers and others share them."""
    twice = {"a": DecisionTreeClassifier(random_state=0), "b": DecisionTreeClassifier(random_state=0)}
    found = compare_on_data_sets(twice, TABLES, cv=ShuffleSplit(3, test_size=0.3))
    assert (found.scores["accuracy"][:, 0] == found.scores["accuracy"][:, 1]).all()


def test_names_may_be_numbers():
    found = compare_on_data_sets({1: MODELS["bayes"], 2: MODELS["prior"]}, {10: TABLES["iris"], 20: TABLES["wine"]})
    assert found.models == ("1", "2")
    assert "10" in str(found)


def test_no_p_value_below_that_of_ranks_which_all_agree():
    """N data sets that rank k models alike have the exact p-value k!^(1 - N) under random ranks."""
    assert friedman_test([[1, 2], [1, 2]]).p_value == pytest.approx(1 / 2)
    assert friedman_test([[3, 2, 1]] * 3).p_value == pytest.approx(1 / 36)
    assert friedman_test([[4, 3, 2, 1]] * 14).p_value == pytest.approx(24.0**-13)
