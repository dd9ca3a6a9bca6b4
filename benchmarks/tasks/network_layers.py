"""Networks of layers: convolutions, a recurrent network, an autoencoder, and predictions, beside torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.task import Contender, Data, Near, Output, Quality, Task

RATE = 1e-3
Layers = Callable[[Data], Any]


def images(n: int, side: int, epochs: int, batch: int) -> Data:
    """Images of ten noisy patterns, in single precision."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, n)
    X = rng.random((10, side * side))[y] + 0.8 * rng.standard_normal((n, side * side))
    return {"X": X.astype(np.float32), "y": y, "shape": (side, side, 1), "epochs": epochs, "batch": batch}


def series(n: int, steps: int, channels: int, units: int, epochs: int, batch: int) -> Data:
    """Sequences whose class is the sign of a sum over their steps."""
    X = np.random.default_rng(0).standard_normal((n, steps, channels)).astype(np.float32)
    y = (X[:, -5:, 0].sum(axis=1) > 0).astype(np.int64)
    shape = (steps, channels)
    return {"X": X.reshape(n, -1), "y": y, "shape": shape, "units": units, "epochs": epochs, "batch": batch}


def ours(layers: Layers) -> Contender:
    """A NetworkClassifier for a number of epochs."""

    def prepare(data: Data) -> Callable[[], Any]:
        import warnings

        import learnable as L

        settings = {"max_iter": data["epochs"], "batch_size": data["batch"], "tol": 0.0, "n_iter_no_change": 10**6}

        def call() -> Any:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that so few epochs do not converge
                return L.NetworkClassifier(layers(data), data["shape"], random_state=0, **settings).fit(
                    data["X"], data["y"]
                )

        return call

    return Contender("learnable", prepare, lambda model: {"loss": model.loss_}, needs=("learnable",), kind="ours")


def torch_training(data: Data, module: Any, target: Any, loss_of: Any) -> float:
    """Epochs of fused Adam over shuffled batches; the mean loss of the last one."""
    import torch

    X = torch.from_numpy(data["X"]).reshape(len(data["X"]), *module.shape)
    optimiser = torch.optim.Adam(module.parameters(), lr=RATE, fused=True)
    mean = 0.0
    for _ in range(data["epochs"]):
        order, total = torch.randperm(len(X)), 0.0
        for begin in range(0, len(X), data["batch"]):
            rows = order[begin : begin + data["batch"]]
            optimiser.zero_grad()
            loss = loss_of(module(X[rows]), target[rows])
            loss.backward()
            optimiser.step()
            total += float(loss.detach()) * len(rows)
        mean = total / len(X)
    return mean


def in_torch(build: Callable[[Any, Data], Any]) -> Contender:
    """A module of torch for the same epochs."""

    def prepare(data: Data) -> Callable[[], Any]:
        import torch

        target = torch.from_numpy(np.asarray(data["y"], dtype=np.int64))

        def call() -> float:
            torch.manual_seed(0)
            return torch_training(data, build(torch, data), target, torch.nn.functional.cross_entropy)

        return call

    return Contender("torch", prepare, lambda loss: {"loss": loss}, needs=("torch",))


def lenet(data: Data) -> Any:
    """6 and 16 filters of 5 x 5, then 120 and 84 units."""
    import learnable as L

    return [
        L.Conv(6, 5, "relu", padding=2), L.MaxPool(2), L.Conv(16, 5, "relu"), L.MaxPool(2), L.Flatten(),
        L.Dense(120, "relu"), L.Dense(84, "relu"),
    ]  # fmt: skip


def torch_lenet(torch: Any, data: Data) -> Any:
    """The same in torch, channels last."""
    nn, side = torch.nn, data["shape"][0]
    inside = 16 * ((side // 2 - 4) // 2) ** 2
    module = nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(inside, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    ).to(memory_format=torch.channels_last)  # fmt: skip
    module.shape = (1, side, side)
    return module


def small_filters(data: Data) -> Any:
    """16 and 32 filters of 3 x 3."""
    import learnable as L

    return [L.Conv(16, 3, "relu", padding=1), L.MaxPool(2), L.Conv(32, 3, "relu", padding=1), L.MaxPool(2), L.Flatten()]


def torch_small_filters(torch: Any, data: Data) -> Any:
    """The same in torch, channels last."""
    nn, side = torch.nn, data["shape"][0]
    module = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(32 * (side // 4) ** 2, 10),
    ).to(memory_format=torch.channels_last)  # fmt: skip
    module.shape = (1, side, side)
    return module


def lstm(data: Data) -> Any:
    """One recurrent layer."""
    import learnable as L

    return [L.LSTM(data["units"])]


def torch_lstm(torch: Any, data: Data) -> Any:
    """The same in torch."""
    steps, channels = data["shape"]

    class Net(torch.nn.Module):
        shape = (steps, channels)

        def __init__(self) -> None:
            super().__init__()
            self.cell = torch.nn.LSTM(channels, data["units"], batch_first=True)
            self.last = torch.nn.Linear(data["units"], 2)

        def forward(self, x: Any) -> Any:
            return self.last(self.cell(x)[0][:, -1])

    return Net()


def prediction(name: str) -> Contender:
    """Probabilities of rows by a network of 784, 100 and 10 units."""

    def prepare(data: Data) -> Callable[[], Any]:
        import warnings

        from sklearn.neural_network import MLPClassifier

        import learnable as L

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = MLPClassifier((100,), max_iter=1, random_state=0).fit(data["X"][:500], data["y"][:500])
            mine = L.MLPClassifier((100,), max_iter=1, random_state=0).fit(data["X"][:500], data["y"][:500])
        rows = data["X"][: data["rows"]]
        if name == "scikit-learn":
            return lambda: fitted.predict_proba(rows)
        if name == "learnable":
            return lambda: mine.predict_proba(rows)
        import torch

        pairs = zip(fitted.coefs_, fitted.intercepts_, strict=True)
        (W, a), (V, b) = ((torch.from_numpy(w), torch.from_numpy(c)) for w, c in pairs)
        given = torch.from_numpy(rows)

        def call() -> Any:
            with torch.no_grad():
                return torch.softmax(torch.addmm(b, torch.relu(torch.addmm(a, given, W)), V), 1).numpy()

        return call

    def read(found: Any) -> Output:
        return {"loss": float(np.asarray(found).max())}

    return Contender(
        name,
        prepare,
        read,
        needs=(name if name != "scikit-learn" else "sklearn",),
        kind="ours" if name == "learnable" else "peer",
    )


def rows_to_predict(n: int, side: int, rows: int) -> Data:
    """Rows of images, of which some are predicted."""
    return {**images(n, side, 1, 1), "rows": rows}


LOSS = Quality("training loss", lambda data, output: float(output["loss"]), Near(0.05))
QUICK = {"n": 200, "side": 12, "epochs": 2, "batch": 64}
PREDICTED = tuple(prediction(name) for name in ("learnable", "scikit-learn", "torch"))

TASKS = (
    Task(
        name="cnn-lenet", home=__name__,
        size="LeNet, {n} images of {side} x {side}, batches of {batch}, {epochs} epochs",
        make=images, contenders=(ours(lenet), in_torch(torch_lenet)), quality=LOSS,
        full={"n": 10_000, "side": 28, "epochs": 2, "batch": 64}, quick=QUICK,
    ),
    Task(
        name="cnn-small-filters", home=__name__,
        size="16 and 32 filters of 3 x 3, {n} images of {side} x {side}, batches of {batch}, {epochs} epochs",
        make=images, contenders=(ours(small_filters), in_torch(torch_small_filters)), quality=LOSS,
        full={"n": 10_000, "side": 28, "epochs": 2, "batch": 64}, quick=QUICK,
    ),
    Task(
        name="lstm", home=__name__,
        size="LSTM, {n} sequences of {steps} x {channels}, {units} units, batches of {batch}, {epochs} epochs",
        make=series, contenders=(ours(lstm), in_torch(torch_lstm)), quality=LOSS,
        full={"n": 3200, "steps": 50, "channels": 32, "units": 64, "epochs": 3, "batch": 32},
        quick={"n": 100, "steps": 6, "channels": 3, "units": 4, "epochs": 2, "batch": 32},
    ),
    *(
        Task(
            name=name, home=__name__, size="predictions of an MLP 784-100-10 for {rows} rows", make=rows_to_predict,
            contenders=PREDICTED, quality=Quality("top probability", lambda data, output: output["loss"], Near(1e-4)),
            full={"n": max(rows, 500), "side": 28, "rows": rows}, quick={"n": 500, "side": 12, "rows": 5}, calls=calls,
        )
        for name, rows, calls in (("mlp-predict-row", 1, 1000), ("mlp-predict-rows", 20_000, 1))
    ),
)  # fmt: skip
