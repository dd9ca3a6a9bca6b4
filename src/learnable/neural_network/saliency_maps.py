"""What a prediction depends on."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, ParameterError
from ..core.declare.checked_functions import checked
from ..engines.networks.tape_plan import TapePlan
from ..engines.tape.tensor import Tensor
from ._layer_network import LayerNetwork


@checked()
def saliency(model: Any, X: Any) -> Array:
    """Saliency: the absolute gradient of the largest score of each row by the columns of `X`.

    [Simonyan, Vedaldi and Zisserman, 2014]

    >>> from learnable.neural_network import NetworkRegressor
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> model = NetworkRegressor([], max_iter=300, schedule="cosine", learning_rate_init=0.05, random_state=0)
    >>> saliency(model.fit(X, 2 * X[:, 0] - X[:, 1]), X[:1]).round(1)
    array([[2., 1.]], dtype=float32)
    """
    if not isinstance(model, LayerNetwork):
        raise ParameterError(f"saliency: model must be a network of layers; got {model!r:.60}")
    rows = np.asarray(model._read(X), dtype=model.precision)
    plan, weights = model._fitted_plan()
    tape = TapePlan(plan.steps, plan.loss, plan.optimiser, plan.seed)
    inputs = Tensor(rows)
    scores = tape.run(inputs, tape.constants(weights), tape.depth, False, 0)[0][-1]
    best = scores[np.arange(len(rows)), scores.value.argmax(axis=1)].sum()
    found: Array = np.abs(best.backward()[inputs].value)
    return found
