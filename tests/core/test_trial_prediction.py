"""What declarations cannot say of a file is found by a prediction when it is loaded; nothing sound is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import learnable
from learnable.core import ModelFileError
from learnable.core.files import model_file
from learnable.core.files.encoding import Encoder
from learnable.core.files.trial_prediction import flaw_of_trial, tried
from tests.toys import ToyMeans

X = np.random.default_rng(0).standard_normal((24, 3))
Y = np.arange(24) % 3


def changed(model, change):
    """The model as it is read from a file whose description was changed."""
    encoder = Encoder()
    description = json.loads(json.dumps(encoder.encode(model, type(model).__name__)))
    change(description["state"], encoder.tensors)
    return tried(model_file._decoded(description, encoder.tensors, "file"), "file")


def test_curves_of_too_few_classes():
    model = learnable.CalibratedClassifierCV(ToyMeans(), cv=2).fit(X, Y)
    with pytest.raises(ModelFileError, match=r"file: CalibratedClassifierCV: .* predict fails"):
        changed(model, lambda state, tensors: state["curves_"][0].pop())


def test_an_error_at_load_names_the_file_and_the_class(tmp_path):
    model = learnable.CalibratedClassifierCV(ToyMeans(), cv=2).fit(X, Y)
    model.curves_[1].pop()
    learnable.save(model, tmp_path / "broken.learn")
    with pytest.raises(ModelFileError, match=r"broken.learn: CalibratedClassifierCV"):
        learnable.load(tmp_path / "broken.learn")


@pytest.mark.parametrize("model", [learnable.KMeans(2), learnable.Ridge(), learnable.SVC(), learnable.DBSCAN()])
def test_sound_models_have_no_flaw(model):
    assert flaw_of_trial(model) == "", "one that is not fitted has nothing to try"
    assert flaw_of_trial(model.fit(X, Y)) == ""


def test_an_error_of_a_function_of_the_users_own_is_not_the_files():
    def kernel(a, b):
        if not a.any():
            raise ValueError("rows of zeros have no direction")
        return a @ b.T

    def distance(a, b):
        raise_if_zero = 1 / float(np.abs(a).sum()) if a.any() else [][0]
        return raise_if_zero + float(np.abs(a - b).sum())

    assert flaw_of_trial(learnable.SVC(kernel=kernel).fit(X, Y)) == ""
    model = learnable.KNeighborsClassifier(metric=distance).fit(X, Y)
    assert flaw_of_trial(model) == ""


@pytest.mark.parametrize(
    ("model", "attribute", "value"),
    [
        (learnable.OneHotEncoder(drop="first"), "drop_idx_", {"objects": [9, 0, 0], "shape": [3]}),
        (learnable.OrdinalEncoder(), "rare_", [5, None, None]),
        (learnable.TableVectorizer(), "widths_", [2**40]),
        (learnable.IterativeImputer(), "imputation_sequence_", [{"tuple": [0, 1, 2]}]),
        (learnable.GradientBoostingRegressor(n_estimators=2), "given_init_", 5),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else None,
)
def test_state_that_no_method_could_use_is_refused(model, attribute, value):
    model.fit(np.round(X), Y.astype(float))

    def change(state, tensors):
        state[attribute] = value

    with pytest.raises(ModelFileError):
        changed(model, change)
