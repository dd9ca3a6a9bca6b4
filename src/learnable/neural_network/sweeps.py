"""Networks fitted several times: by width and depth, by seed, by learning rate; and sizes of receptive fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, ParameterError
from ..core.declare.checked_functions import Model, checked
from ..engines.networks.training import NetworkTrainingSet
from ..model_selection import cross_validate
from ..parts.layers import Dense, Layer
from ._layer_network import LayerNetwork
from ._layer_table import receptive_fields


@dataclass(frozen=True)
class SeedScores:
    """The scores of one network over several seeds."""

    scores: list[float]

    @property
    def mean(self) -> float:
        """The mean score."""
        return float(np.mean(self.scores))

    @property
    def std(self) -> float:
        """The standard deviation of the scores."""
        return float(np.std(self.scores, ddof=1)) if len(self.scores) > 1 else 0.0

    def __str__(self) -> str:
        return f"{self.mean:.4g} (standard deviation {self.std:.2g} over {len(self.scores)} seeds)"


@checked()
def over_seeds(model: Model, X: Any, y: Any, X_test: Any, y_test: Any, seeds: Sequence[int] = range(5)) -> SeedScores:
    """Fit clones of a model with several seeds, and score them: the mean, and how much chance there is in it.

    >>> from learnable.neural_network import MLPClassifier
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> found = over_seeds(MLPClassifier((4,), activation="tanh", solver="lbfgs"), X, y, X, y, seeds=range(3))
    >>> len(found.scores), 0.5 <= found.mean <= 1.0
    (3, True)
    """
    if not len(seeds):
        raise ParameterError("over_seeds: seeds must not be empty")
    return SeedScores([
        float(model.clone().set_params(random_state=int(seed)).fit(X, y).score(X_test, y_test)) for seed in seeds
    ])  # fmt: skip


@dataclass(frozen=True)
class CapacitySweep:
    """Scores by width and depth of the hidden layers: a row for each depth, a column for each width."""

    widths: list[int]
    depths: list[int]
    train: Array
    validation: Array

    @property
    def best(self) -> tuple[int, int]:
        """The width and the depth with the best validation score; of equal ones the smallest network."""
        depth, width = np.unravel_index(int(self.validation.argmax()), self.validation.shape)
        return self.widths[int(width)], self.depths[int(depth)]

    def __str__(self) -> str:
        head = "depth  " + "  ".join(f"{f'width {width}':>15}" for width in self.widths)
        lines = [
            f"{depth:5}  " + "  ".join(f"{a:7.3f}/{b:7.3f}" for a, b in zip(*pair, strict=True))
            for depth, *pair in zip(self.depths, self.train, self.validation, strict=True)
        ]
        return "\n".join([head, *lines, "training score / validation score"])


@checked()
def width_depth_sweep(
    model: Model, X: Any, y: Any, widths: Sequence[int] = (8, 32, 128), depths: Sequence[int] = (1, 2, 3), cv: Any = 3
) -> CapacitySweep:
    """Cross-validate networks of dense layers of several widths and depths: grow until they overfit, then regularise.

    `model` is an MLP, whose `hidden_layer_sizes` are set, or a network, whose `layers` are.

    >>> import numpy as np
    >>> from learnable.neural_network import MLPRegressor
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> model = MLPRegressor(solver="lbfgs", max_iter=2000, alpha=1e-2, tol=1e-2, random_state=0)
    >>> width_depth_sweep(model, X, np.abs(X[:, 0]), widths=(2, 16), depths=(1,)).validation.shape
    (1, 2)
    """
    known = model.get_params(deep=False)
    if "hidden_layer_sizes" not in known and "layers" not in known:
        raise ParameterError(f"width_depth_sweep: model must be a neural network; got {model!r:.60}")
    train, validation = np.empty((2, len(depths), len(widths)))
    for i, depth in enumerate(depths):
        for j, width in enumerate(widths):
            sizes = {"hidden_layer_sizes": (int(width),) * int(depth)}
            layers = {"layers": [Dense(int(width), "relu")] * int(depth)}
            one = model.clone().set_params(**(sizes if "hidden_layer_sizes" in known else layers))
            scores = cross_validate(one, X, y, cv=cv, return_train_score=True)
            train[i, j], validation[i, j] = scores["train_score"].mean(), scores["test_score"].mean()
    return CapacitySweep([int(width) for width in widths], [int(depth) for depth in depths], train, validation)


@dataclass(frozen=True)
class LearningRateTest:
    """The training loss of batches while the learning rate rises from step to step."""

    rates: Array
    losses: Array

    @property
    def suggestion(self) -> float:
        """A tenth of the rate at which the smoothed loss is smallest: below it training is stable."""
        smooth = np.convolve(np.pad(self.losses, 4, mode="edge"), np.full(9, 1 / 9), mode="valid")
        return float(self.rates[int(smooth.argmin())] / 10)


@checked()
def learning_rate_test(
    model: Any, X: Any, y: Any, lowest: float = 1e-6, highest: float = 1.0, steps: int = 100
) -> LearningRateTest:
    """Learning-rate test: train a copy of a fitted network while the rate rises, to see where the loss does.

    The network starts from initial weights, and stays as it is. [Smith, 2017]

    >>> from learnable.neural_network import NetworkRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> model = NetworkRegressor(max_iter=1, schedule="cosine", random_state=0).fit(X, X[:, 0])
    >>> found = learning_rate_test(model, X, X[:, 0], steps=60)
    >>> bool(1e-5 < found.suggestion < 0.1)
    True
    """
    if not isinstance(model, LayerNetwork):
        raise ParameterError(f"learning_rate_test: model must be a network of layers; got {model!r:.60}")
    if not 0 < lowest < highest or steps < 2:
        raise ParameterError("learning_rate_test: needs 0 < lowest < highest and at least 2 steps")
    rows, targets = model._training_rows(X, y)
    plan, _ = model._fitted_plan()
    data = NetworkTrainingSet(rows, targets, None)
    weights = model._fresh_weights(plan)
    slots = np.zeros((plan.optimiser.slots, plan.size), weights.dtype)
    batch = model._rows_of_batch(rows.shape[0])
    order = np.resize(np.random.default_rng(0).permutation(rows.shape[0]), steps * batch)
    rates, losses, norms = np.geomspace(lowest, highest, steps), np.zeros(steps), np.zeros(steps)
    done = plan.train(data.X, data.y, np.empty(0), order, batch, 0, rates, weights, slots, losses, norms)
    return LearningRateTest(rates[:done], losses[:done])


@checked()
def receptive_field(layers: Sequence[Any]) -> list[int | None]:
    """The receptive field after each layer: how many neighbouring positions along an axis a value depends on.

    None stands for all positions, after layers such as Flatten.

    >>> from learnable.neural_network import Conv, MaxPool
    >>> receptive_field([Conv(8, 3), Conv(8, 3), MaxPool(2), Conv(8, 3)])
    [3, 5, 6, 10]
    """
    if not all(isinstance(layer, Layer) for layer in layers):
        raise ParameterError(f"receptive_field: layers must be a list of layers; got {layers!r:.60}")
    return receptive_fields(layers)
