"""Models that were chosen by a scorer are files too: a metric of the library by its name, and no code."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import sklearn.metrics

import learnable
from learnable import (
    RFECV,
    GridSearchCV,
    HalvingGridSearchCV,
    LogisticRegression,
    ModelFileError,
    SequentialFeatureSelector,
    TunedThresholdClassifierCV,
    make_pipeline,
    make_scorer,
    metrics,
)
from tests.core.test_refused_files import rewritten

X, Y = learnable.load_breast_cancer(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
F2 = make_scorer(metrics.fbeta_score, beta=2, pos_label=np.int64(0))
COST = make_scorer(metrics.log_loss, greater_is_better=False, response_method="predict_proba", labels=[0, 1])
RANKED = make_scorer(metrics.roc_auc_score, response_method=("decision_function", "predict_proba"))
GRID = {"C": [0.1, 1.0]}


def models():
    model = LogisticRegression(max_iter=500)
    yield GridSearchCV(model, GRID, scoring=F2, cv=3)
    yield HalvingGridSearchCV(model, GRID, scoring=COST, cv=3, random_state=0)
    yield GridSearchCV(model, GRID, scoring={"f2": F2, "auc": RANKED, "accuracy": "accuracy"}, refit="auc", cv=3)
    yield GridSearchCV(make_pipeline(model), {"logisticregression__C": [1.0]}, scoring=metrics.get_scorer("f1"), cv=3)
    yield TunedThresholdClassifierCV(model, scoring=F2, cv=3)
    yield RFECV(model, step=10, scoring=RANKED, cv=3)
    yield SequentialFeatureSelector(model, n_features_to_select=1, scoring=F2, cv=2)


@pytest.mark.parametrize("model", list(models()), ids=lambda model: f"{type(model).__name__} {model.scoring}"[:60])
def test_scorers_of_the_library_are_kept(model, tmp_path):
    learnable.save(model.fit(X, Y), tmp_path / "model.learn")
    again = learnable.load(tmp_path / "model.learn")
    assert repr(again.scoring) == repr(model.scoring)
    prediction = "predict" if hasattr(model, "predict") else "transform"
    np.testing.assert_array_equal(getattr(again, prediction)(X), getattr(model, prediction)(X))
    if prediction == "predict":
        assert again.score(X, Y) == model.score(X, Y)


def test_a_choice_about_weights_is_kept(tmp_path):
    scorer = make_scorer(metrics.accuracy_score).set_score_request(sample_weight=False)
    learnable.save(GridSearchCV(LogisticRegression(), GRID, scoring=scorer), tmp_path / "model.learn")
    again = learnable.load(tmp_path / "model.learn").scoring
    assert again.requested is False and again.metric is metrics.accuracy_score


def test_a_program_that_has_loaded_nothing_yet_reads_them(tmp_path):
    learnable.save(GridSearchCV(LogisticRegression(), GRID, scoring=F2), tmp_path / "model.learn")
    code = f"import learnable; print(learnable.load({str(tmp_path / 'model.learn')!r}).scoring)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == repr(F2)


def own_cost(y, predicted):
    return 0.0


@pytest.mark.parametrize(
    ("scoring", "name"),
    [
        (make_scorer(own_cost), "own_cost"),
        (lambda model, X, y: 0.0, "<lambda>"),
        (make_scorer(sklearn.metrics.f1_score), "f1_score"),
        (sklearn.metrics.make_scorer(sklearn.metrics.f1_score), "_Scorer"),
        ({"own": make_scorer(own_cost)}, "own_cost"),
    ],
)
def test_code_from_elsewhere_is_refused_in_words(scoring, name, tmp_path):
    search = GridSearchCV(LogisticRegression(), GRID, scoring=scoring)
    with pytest.raises(TypeError, match=f"cannot save GridSearchCV.scoring: {name} is code from elsewhere, .*a metric"):
        learnable.save(search, tmp_path / "model.learn")


WRONG = {
    "another function": ({"metric": {"function": "save"}}, "unknown function 'save'"),
    "no function of ours": ({"metric": {"function": "system"}}, "unknown function 'system'"),
    "a path": ({"metric": {"function": "os.system"}}, "unknown function 'os.system'"),
    "a type": ({"metric": {"dtype": "float64"}}, "Scorer has no field 'metric' of that type"),
    "an estimator": ({"metric": {"estimator": "Ridge", "params": {}, "state": {}}}, "no field 'metric' of that type"),
    "sign": ({"sign": 7}, "it is malformed"),
    "options": ({"options": {"dict": [[1, 2]]}}, "it is malformed"),
    "another field": ({"code": "1"}, "no field 'code'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_changed_scorers_are_refused(case, tmp_path):
    change, words = WRONG[case]
    path = tmp_path / "model.learn"
    learnable.save(GridSearchCV(LogisticRegression(), GRID, scoring=F2), path)
    rewritten(path, lambda description, tensors: description["model"]["params"]["scoring"]["fields"].update(change))
    with pytest.raises(ModelFileError, match=words):
        learnable.load(path)
