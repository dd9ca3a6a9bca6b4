"""What a call costs when there is nothing to compute, and what a cold process costs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, model, ours, package
from benchmarks.linear_quality import Ridges, weights
from benchmarks.problems import dense
from benchmarks.task import AtMost, Contender, Data, Kind, Output, Quality, Task

LIBRARIES: tuple[tuple[str, str, Kind], ...] = (
    ("learnable", "learnable.linear_model", "ours"),
    ("scikit-learn", "sklearn.linear_model", "peer"),
    ("scikit-learn-intelex", "sklearnex.linear_model", "peer"),
)
SIZES: dict[str, Any] = {"full": {"n": 50, "p": 3}, "quick": {"n": 50, "p": 3}}
COLD = """
import json
import numpy as np
{body}
w, b = fit(np.array({X}), np.array({y}))
print(json.dumps([w.tolist(), float(b)]))
"""
FIT_MODEL = """
from {module} import Ridge
def fit(X, y):
    model = Ridge(alpha=1.0).fit(X, y)
    return model.coef_, model.intercept_
"""
FIT_NUMPY = """
def fit(X, y):
    centred = X - X.mean(axis=0)
    w = np.linalg.solve(centred.T @ centred + np.eye(X.shape[1]), centred.T @ (y - y.mean()))
    return w, y.mean() - X.mean(axis=0) @ w
"""


def excess(data: Data, output: Output) -> float:
    """Relative excess of the ridge objective."""
    return Ridges(data["X"], data["y"]).excess(*weights(output), 1.0)


def prediction_error(data: Data, output: Output) -> float:
    """Distance of the prediction from that of the exact ridge fit."""
    w, b = Ridges(data["X"], data["y"]).solve(1.0)
    return float(abs(np.asarray(output["prediction"]).ravel()[0] - data["X"][0] @ w - b))


def predict_one(name: str, module: str, kind: Kind) -> Contender:
    """Predict one row with a fitted model."""

    def prepare(data: Data) -> Callable[[], Any]:
        fitted = attribute(f"{module}:Ridge")(alpha=1.0).fit(data["X"], data["y"])
        row = data["X"][:1]
        return lambda: fitted.predict(row)

    return Contender(name, prepare, lambda raw: {"prediction": raw}, needs=(package(module),), kind=kind)


def cold(name: str, body: str, kind: Kind, needs: tuple[str, ...] = ()) -> Contender:
    """A new interpreter that imports, fits a Ridge and prints it."""

    def prepare(data: Data) -> Callable[[], str]:
        code = COLD.format(body=body, X=data["X"].tolist(), y=data["y"].tolist())

        def call() -> str:
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
            if done.returncode:
                reason = done.stderr.strip().splitlines()[-1]
                raise ImportError(reason) if "NotFoundError" in reason else RuntimeError(reason)
            return done.stdout

        return call

    def read(raw: str) -> Output:
        coef, intercept = json.loads(raw)
        return {"coef": coef, "intercept": intercept}

    return Contender(name, prepare, read, needs=needs, kind=kind)


TASKS = (
    Task(
        name="call_fit",
        home=__name__,
        size="Ridge.fit on {n} x {p}",
        make=dense,
        contenders=(
            ours("Ridge"),
            model("scikit-learn", "sklearn.linear_model:Ridge"),
            model("scikit-learn-intelex", "sklearnex.linear_model:Ridge"),
        ),
        quality=Quality("excess of the objective", excess, AtMost(1e-10)),
        calls=500,
        **SIZES,
    ),
    Task(
        name="call_predict",
        home=__name__,
        size="Ridge.predict of one row of {p}",
        make=dense,
        contenders=tuple(predict_one(*library) for library in LIBRARIES),
        quality=Quality("distance from the exact prediction", prediction_error, AtMost(1e-10)),
        calls=2000,
        **SIZES,
    ),
    Task(
        name="cold_ridge",
        home=__name__,
        size="new process: import, Ridge.fit on {n} x {p}",
        make=dense,
        contenders=(
            *(
                cold(name, FIT_MODEL.format(module=module), kind, (package(module),))
                for name, module, kind in LIBRARIES
            ),
            cold("numpy alone", FIT_NUMPY, "reference"),
        ),
        quality=Quality("excess of the objective", excess, AtMost(1e-10)),
        memory="children",
        **SIZES,
    ),
)
