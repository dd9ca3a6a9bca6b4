"""How many source files the code of one fit passes through: to follow a fit, one has to open each of them."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import learnable

SOURCES = str(Path(learnable.__file__).parent)
LIMITS: dict[str, int] = {
    "PCA": 12,
    "Lasso": 12,
    "LogisticRegression": 16,
    "Ridge": 15,
    "KMeans": 15,
    "SVC": 17,
    "RandomForestClassifier": 17,
    "HistGradientBoostingClassifier": 20,
    "HistGradientBoostingRegressor": 20,
    "GridSearchCV": 28,
}


def make(name: str) -> Any:
    """The estimator with its default parameters; a search over the alphas of ridge regression."""
    cls = getattr(learnable, name)
    return cls(learnable.Ridge(), {"alpha": [0.1, 1.0, 10.0]}) if name == "GridSearchCV" else cls()


def training_set(name: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 5))
    y = X @ rng.normal(size=5) + rng.normal(size=100)
    return X, (y > 0).astype(int) if getattr(learnable, name).traits.task == "classification" else y


def files_of(call: Any) -> set[str]:
    """The source files of this package in which a function is called while `call` runs."""
    seen = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(SOURCES):
            seen.add(frame.f_code.co_filename.removeprefix(SOURCES))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen


@pytest.mark.parametrize("name", LIMITS)
def test_a_default_fit_passes_through_few_files(name):
    X, y = training_set(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", learnable.ConvergenceWarning)
        make(name).fit(X, y)  # imports and caches what every fit of a process needs once
        model = make(name)
        files = files_of(lambda: model.fit(X, y))
    assert len(files) <= LIMITS[name], f"{len(files)} files:\n" + "\n".join(sorted(files))


def test_files_are_counted():
    model = learnable.Ridge()
    files = files_of(lambda: model.fit([[0.0], [1.0]], [0.0, 1.0]))
    assert {"/linear_model/ridge.py", "/core/roles/estimator.py", "/engines/minimise/least_squares/solve.py"} <= files
    assert files_of(lambda: None) == set()
