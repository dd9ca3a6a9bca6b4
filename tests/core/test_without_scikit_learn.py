"""scikit-learn and pandas are for comparison: nothing needs them to work."""

from __future__ import annotations

import subprocess
import sys

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("sklearn", "pandas"):
            raise ImportError(f"{name} is not here")

sys.meta_path.insert(0, Blocked())
import numpy as np
import learnable as L
"""
ROLES = """
from learnable.core.declare import registry
from learnable.core.sklearn_api.estimator_type import is_pairwise, role

made = 0
for cls in registry.all_estimators().values():
    try:
        model = cls()
    except TypeError:
        continue
    role(model), is_pairwise(model)
    made += 1
print(made)
"""
PIPELINES = """
X = np.random.default_rng(0).normal(size=(60, 3))
y = X[:, 0] + 0.1 * X[:, 1]
pipeline = L.make_pipeline(L.StandardScaler(), L.Ridge())
search = L.GridSearchCV(pipeline, {"ridge__alpha": [0.1, 1.0]}, cv=3, scoring="r2").fit(X, y)
scores = L.cross_validate(search, X, y, cv=3, scoring="neg_mean_squared_error")["test_score"]
found = L.compare([pipeline, L.KNeighborsRegressor()], X, y, cv=4)
print(len(scores), found.better, L.learning_curve(pipeline, X, y, cv=3)[0].tolist())
"""
REQUESTS = """
X = np.arange(24.0).reshape(12, 2)
model = L.Ridge().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
with L.config_context(enable_metadata_routing=True):
    L.GridSearchCV(L.clone(model), {"alpha": [1.0, 2.0]}, cv=2).fit(X, X[:, 0], sample_weight=np.ones(12))
print("done")
"""
STUDY = """
from learnable.app.cli import main

main(["study", "--quick", "--models", "ridge regression", "--out", sys.argv[1]])
"""


def done(program, *arguments):
    ended = subprocess.run(
        [sys.executable, "-c", BLOCKED + program, *arguments], capture_output=True, text=True, check=False, timeout=300
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    return ended.stdout


def test_every_estimator_says_what_it_is_for():
    assert int(done(ROLES)) > 150


def test_pipelines_are_searched_compared_and_drawn():
    assert done(PIPELINES) == "3 ['Pipeline', 'KNeighborsRegressor'] [4, 13, 22, 31, 40]\n"


def test_requests_for_weights_are_kept_without_routing():
    assert done(REQUESTS) == "done\n"


def test_a_study(tmp_path):
    assert "Ridge regression is recommended" in done(STUDY, str(tmp_path))
