"""Training system, model, prediction system: two programs that share a file alone."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

import learnable
from learnable import LogisticRegression
from learnable.datasets import load_iris

PREDICTION_SYSTEM = """
import sys, numpy as np, learnable
model = learnable.load(sys.argv[1])
np.save(sys.argv[3], model.predict_proba(np.load(sys.argv[2])))
"""


def test_the_prediction_system_of_another_process_predicts_the_same(tmp_path):
    X, y = load_iris(return_X_y=True)
    train, new = np.arange(0, 150, 2), np.arange(1, 150, 2)
    model = LogisticRegression(max_iter=500).fit(X[train], y[train])
    learnable.save(model, tmp_path / "model")
    np.save(tmp_path / "new.npy", X[new])
    files = [str(tmp_path / name) for name in ("model", "new.npy", "predicted.npy")]
    subprocess.run([sys.executable, "-c", PREDICTION_SYSTEM, *files], check=True, timeout=120)
    assert (np.load(files[2]) == model.predict_proba(X[new])).all()
    assert model.score(X[new], y[new]) > 0.9
