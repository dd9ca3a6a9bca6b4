"""What goes well and wrong inside a network that was trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, ParameterError
from ..core.declare.checked_functions import checked
from ..core.runtime.native import kernels
from ..engines.networks.network_plan import NetworkPlan
from ._network_trainer import NetworkTrainer

MAX_ROWS = 1000  # from which a report is made
DEAD, SATURATED = 0.3, 0.5  # shares of units above which a finding is stated
APART = 1e3  # factor between the gradients of layers above which they vanish or explode
SLOW, FAST = 1e-6, 1e-1  # sound updates, relative to the weights, lie between
SCALES = 100.0  # factor between the standard deviations of columns
BOUNDED = ("logistic", "tanh")


@dataclass(frozen=True)
class LayerReport:
    """A simple layer: how large its values, weights, gradients and updates are, and how many units are dead."""

    name: str
    weights: int
    values: float
    dead: float
    saturated: float
    gradient: float
    update: float


@dataclass(frozen=True)
class TrainingReport:
    """The layers of a trained network, and what was found, each in a sentence."""

    layers: list[LayerReport]
    initial_loss: float
    loss: float
    constant_loss: float
    findings: list[str]

    def __str__(self) -> str:
        head = ("layer", "weights", "values", "dead", "saturated", "gradient", "update / weight")
        rows = [head]
        for one in self.layers:
            learns = one.weights > 0
            rows.append((
                one.name, f"{one.weights:,}" if learns else "", f"{one.values:.3g}", f"{one.dead:.0%}",
                f"{one.saturated:.0%}", f"{one.gradient:.2g}" if learns else "", f"{one.update:.2g}" if learns else "",
            ))  # fmt: skip
        widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
        table = [
            "  ".join(
                cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        ]
        losses = f"loss {self.initial_loss:.4g} at first, {self.loss:.4g} now, {self.constant_loss:.4g} of a constant"
        return "\n".join([*(line.rstrip() for line in table), losses, *(self.findings or ["nothing was found"])])


@checked()
def training_report(model: Any, X: Any, y: Any) -> TrainingReport:
    """Report on a trained network: dead and saturated units, vanishing and exploding gradients, updates, scales.

    `print(training_report(model, X, y))` shows a row for each layer, and a sentence for each thing that is wrong. The
    loss of the initial weights should be about that of a constant, updates about 1e-3 of the weights.

    >>> from learnable.neural_network import MLPClassifier
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 8, [0, 1, 1, 0] * 8
    >>> model = MLPClassifier((8,), learning_rate_init=0.1, max_iter=400, random_state=0).fit(X, y)
    >>> report = training_report(model, X, y)
    >>> report.loss < 0.1 < report.constant_loss < 0.7
    True
    """
    if not isinstance(model, NetworkTrainer):
        raise ParameterError(f"training_report: model must be a neural network; got {model!r:.60}")
    rows, targets = model._training_rows(X, y)
    plan, weights = model._fitted_plan()
    chosen = np.arange(min(rows.shape[0], MAX_ROWS))
    rows, targets = rows[chosen], np.ascontiguousarray(targets[chosen])
    loss, gradient = plan.gradient(rows, targets, None, chosen, weights)
    initial = plan.gradient(rows, targets, None, chosen, model._fresh_weights(plan))[0]
    layers = _layers(model, plan, weights, gradient, rows)
    constant = _constant_loss(model, targets)
    findings = [*_of_layers(layers), *_of_losses(initial, loss, constant), *_of_columns(rows)]
    return TrainingReport(layers, initial, loss, constant, findings)


def _layers(model: NetworkTrainer, plan: NetworkPlan, weights: Array, gradient: Array, rows: Any) -> list[LayerReport]:
    moved = _updated(model, plan, weights, gradient)
    parts = zip(plan.arrays(weights), plan.arrays(gradient), plan.arrays(moved), strict=True)
    found = []
    for depth, (own, by, after) in enumerate(parts, 1):
        values, kind = plan.scores(rows, weights, depth), plan.activation(depth)
        units = np.abs(values)
        dead = float((units.max(axis=0) == 0).mean()) if kind == "relu" else 0.0
        saturated = float((_away(values, kind) < 0.01).mean()) if kind in BOUNDED else 0.0
        learned = [name for name in own if name.startswith("weights")]
        size = float(np.sqrt(sum((own[name].astype(float) ** 2).sum() for name in learned)))
        change = float(np.sqrt(sum(((after[name] - own[name]).astype(float) ** 2).sum() for name in learned)))
        norm = float(np.sqrt(sum((array.astype(float) ** 2).sum() for array in by.values())))
        found.append(LayerReport(
            plan.step_name(depth), sum(array.size for array in own.values()), float(np.sqrt((units**2).mean())), dead,
            saturated, norm, change / size if size > 0 else 0.0,
        ))  # fmt: skip
    return found


def _away(values: Array, kind: str) -> Array:
    """How far values are from the ends of the range of their activation function."""
    found: Array = np.minimum(values, 1 - values) if kind == "logistic" else 1 - np.abs(values)
    return found


def _updated(model: NetworkTrainer, plan: NetworkPlan, weights: Array, gradient: Array) -> Array:
    """The weights after one more step of the optimiser along this gradient."""
    after, size = weights.copy(), plan.size
    slots = np.array(model.__dict__.get("optimiser_slots_", np.zeros((plan.optimiser.slots, size))), dtype=after.dtype)
    if slots.shape != (plan.optimiser.slots, size):
        slots = np.zeros((plan.optimiser.slots, size), after.dtype)
    steps = int(model.__dict__.get("optimiser_steps_", 0))
    trained: Array = after[:size]
    rate = float(model.learning_rate_init)
    kernels.optimiser_step(plan.kernel_settings(), steps, rate, gradient[:size], trained, slots)
    return after


def _constant_loss(model: NetworkTrainer, targets: Array) -> float:
    """The loss of the best constant scores: the entropy of the classes, half the variance, and so on."""
    name = model._output_loss.name
    if name == "softmax":
        share = np.bincount(targets[:, 0].astype(int)) / len(targets)
        return float(-(share[share > 0] * np.log(share[share > 0])).sum())
    mean = targets.mean(axis=0)
    if name == "logistic":
        inside = np.clip(mean, 1e-12, 1 - 1e-12)
        return float(-(mean * np.log(inside) + (1 - mean) * np.log(1 - inside)).sum())
    if name == "absolute":
        return float(np.abs(targets - np.median(targets, axis=0)).mean(axis=0).sum())
    return float(((targets - mean) ** 2).mean(axis=0).sum() / 2)


def _of_layers(layers: list[LayerReport]) -> list[str]:
    found = []
    for one in layers:
        if one.dead > DEAD:
            found.append(
                f"{one.dead:.0%} of the units of {one.name} are zero for every row: lower the learning rate, or use "
                "leaky_relu"
            )
        if one.saturated > SATURATED:
            found.append(
                f"{one.saturated:.0%} of the values of {one.name} are at the ends of their range: scale the columns, "
                "or use smaller initial weights or relu"
            )
    trained = [one for one in layers if one.weights]
    if len(trained) > 1 and trained[-1].gradient > 0:
        ratio = trained[0].gradient / trained[-1].gradient
        if ratio < 1 / APART:
            found.append(f"gradients vanish: that of {trained[0].name} is {ratio:.1g} of that of the last layer")
        if ratio > APART:
            found.append(f"gradients explode: that of {trained[0].name} is {ratio:.1g} times that of the last layer")
    for one in trained:
        if one.update > FAST:
            found.append(f"a step changes the weights of {one.name} by {one.update:.0%}: lower the learning rate")
        elif 0 < one.update < SLOW:
            found.append(f"a step changes the weights of {one.name} by {one.update:.1g} only: raise the learning rate")
    return found


def _of_losses(initial: float, loss: float, constant: float) -> list[str]:
    found = []
    if initial > 3 * constant + 0.1:
        found.append(
            f"the loss of the initial weights, {initial:.3g}, is far above that of a constant, {constant:.3g}: scale "
            "the columns and the targets, or use smaller initial weights"
        )
    if loss > 0.98 * constant and constant > 0:
        found.append("the network is no better than a constant: it has not learned")
    return found


def _of_columns(rows: Any) -> list[str]:
    spread = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=float).std(axis=0)
    spread = spread[spread > 0]
    if len(spread) > 1 and spread.max() > SCALES * spread.min():
        return [
            f"the standard deviations of the columns lie between {spread.min():.3g} and {spread.max():.3g}: scale "
            "them, for instance with StandardScaler in a pipeline"
        ]
    return []
