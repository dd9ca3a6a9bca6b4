"""Neural networks: epochs of multi-layer perceptrons on small and larger data, and a restricted Boltzmann machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import Contender, Data, Kind, Near, Output, Quality, Task

TRAINING = {"tol": 0.0, "n_iter_no_change": 10**6, "random_state": 0}


def rings(n: int, p: int, units: int, epochs: int, batch: int) -> Data:
    """Rows in classes by their distance from the origin, in single precision."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p)).astype(np.float32)
    distance = (X**2).sum(axis=1)
    y = np.digitize(distance, np.quantile(distance, [0.25, 0.5, 0.75]))
    return {"X": X, "y": y, "units": units, "epochs": epochs, "batch": batch}


def binary(n: int, p: int, units: int, epochs: int, batch: int) -> Data:
    """Rows of zeros and ones that repeat a few patterns with noise."""
    rng = np.random.default_rng(0)
    patterns = rng.random((10, p)) < 0.3
    X = patterns[rng.integers(0, 10, n)] ^ (rng.random((n, p)) < 0.05)
    return {"X": X.astype(np.float64), "units": units, "epochs": epochs, "batch": batch}


def perceptron(name: str, where: str, kind: Kind = "peer") -> Contender:
    """An MLPClassifier with one hidden layer, for a number of epochs of Adam."""

    def prepare(data: Data) -> Callable[[], Any]:
        import warnings

        make = attribute(where)
        options = {"max_iter": int(data["epochs"]), "batch_size": int(data["batch"]), **TRAINING}

        def call() -> Any:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that so few epochs do not converge
                return make((int(data["units"]),), **options).fit(data["X"], data["y"])

        return call

    return Contender(name, prepare, lambda model: {"loss": model.loss_}, needs=(package(where),), kind=kind)


def boltzmann(name: str, where: str, kind: Kind = "peer") -> Contender:
    """A BernoulliRBM for a number of passes."""

    def prepare(data: Data) -> Callable[[], Any]:
        make = attribute(where)
        options = {"n_iter": int(data["epochs"]), "batch_size": int(data["batch"]), "random_state": 0}
        return lambda: make(int(data["units"]), learning_rate=0.05, **options).fit(data["X"])

    def read(model: Any) -> Output:
        return {"size": float(np.abs(model.components_).mean())}

    return Contender(name, prepare, read, needs=(package(where),), kind=kind)


LOSS = Quality("training loss", lambda data, output: float(output["loss"]), Near(0.02))
MLP = (
    perceptron("learnable", "learnable.neural_network:MLPClassifier", "ours"),
    perceptron("scikit-learn", "sklearn.neural_network:MLPClassifier"),
)
QUICK = {"n": 300, "p": 5, "units": 8, "epochs": 3, "batch": 32}
SIZES: dict[str, dict[str, Any]] = {
    "mlp-small": {"n": 50_000, "p": 20, "units": 32, "epochs": 5, "batch": 32},
    "mlp-wide": {"n": 20_000, "p": 784, "units": 100, "epochs": 5, "batch": 128},
    "mlp-few-rows": {"n": 150, "p": 4, "units": 100, "epochs": 200, "batch": 150},
}

TASKS = (
    *(
        Task(
            name=name,
            home=__name__,
            size="MLP {p}-{units}-4, {n} rows, {epochs} epochs, batches of {batch}",
            make=rings,
            contenders=MLP,
            quality=LOSS,
            full=full,
            quick=QUICK,
        )
        for name, full in SIZES.items()
    ),
    Task(
        name="rbm",
        home=__name__,
        size="RBM {n} x {p}, {units} units, {epochs} passes",
        make=binary,
        contenders=(
            boltzmann("learnable", "learnable.neural_network:BernoulliRBM", "ours"),
            boltzmann("scikit-learn", "sklearn.neural_network:BernoulliRBM"),
        ),
        quality=Quality("mean weight", lambda data, output: float(output["size"]), Near(1e-6, higher_is_better=True)),
        full={"n": 1797, "p": 64, "units": 100, "epochs": 10, "batch": 10},
        quick=QUICK,
    ),
)
