"""Online training of conditional random fields: step sizes, and continued training with new attributes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...core import Array, generator
from ...engines.iterate import State
from .features import Features
from .objective import TrainingSet
from .online import OnlineTraining

if TYPE_CHECKING:
    from ..crf import CRF


def calibrated_first(
    online: OnlineTraining, eta: float, rate: float, samples: int, candidates: int, trials: int
) -> OnlineTraining:
    """The training with that first step size which lowers the loss of some sentences most.

    They are eta, eta rate, eta rate^2, ... until one does not lower it, then eta / rate, eta / rate^2, ...

    An initial step size `eta` means first = 1 / (regularisation eta).
    """
    count = len(online.data.tokens.lengths)
    sentences = np.sort(generator(online.seed, 0, 1).permutation(count)[:samples]).astype(np.int64)
    start = online.start()
    fresh = replace(online, before=None)
    unfitted = _initial_loss(fresh, sentences)
    best, least, found, upwards, size = eta, np.inf, 0, True, eta
    for _ in range(trials):
        loss = replace(fresh, first=1 / (online.regularisation * size)).loss_of(sentences)
        better = np.isfinite(loss) and loss < unfitted
        if better:
            found += 1
            if loss < least:
                best, least = size, loss
        if upwards and not better:
            upwards, size = False, eta
        elif found >= candidates:
            break
        size = size * rate if upwards else size / rate
    return replace(online, first=1 / (online.regularisation * best), before=start)


def _initial_loss(online: OnlineTraining, sentences: Array) -> float:
    """The loss of weights of zero: every labelling is as probable as any other."""
    lengths, weight = online.data.tokens.lengths[sentences], online.data.weight[sentences]
    return float(weight @ lengths) * float(np.log(online.features.classes))


def restored_state(first: Array, before: State | None, variance: float) -> State:
    """The state of online training that begins with these weights."""
    second = np.full(len(first), variance) if before is None else before["second"]
    count = 0.0 if before is None else before["count"]
    return {"weight": first, "second": second, "count": count, "epoch": int(count), "loss": 0.0,
            "values": np.zeros(0)}  # fmt: skip


def extended_features(
    model: CRF, data: TrainingSet, names: Array, labels: Array
) -> tuple[TrainingSet, Features, Array, State]:
    """Data, features, names and state of continued training: those known, and the new ones in `data`."""
    fresh = model._find_features(data, len(names), len(labels))
    if "step_weights_" not in model.__dict__:
        size = fresh.size + fresh.classes**2
        return data, fresh, names, restored_state(np.zeros(size), None, model._variance)
    known, old = model.attributes_, model.state_coef_
    attributes = np.array([*sorted({*known.tolist(), *names.tolist()}), ""], dtype=object)[:-1]
    place = {name: row for row, name in enumerate(attributes.tolist())}
    column = {label: code for code, label in enumerate(labels.tolist())}
    old_column = np.array([column[label] for label in model.classes_.tolist()])
    new_row = np.array([place[name] for name in names.tolist()], dtype=np.int64)
    old_row = np.array([place[name] for name in known.tolist()], dtype=np.int64)
    classes = len(labels)
    old_cells = np.repeat(old_row, np.diff(old.indptr)) * classes + old_column[old.indices]
    new_cells = np.repeat(new_row, np.diff(fresh.offset)) * classes + fresh.label
    cells = np.union1d(old_cells, new_cells)
    offset = np.searchsorted(cells, np.arange(len(attributes) + 1) * classes).astype(np.int64)
    transitions = fresh.transitions.copy()
    transitions[np.ix_(old_column, old_column)] |= (model.step_second_[old.nnz :] != model._variance).reshape(
        len(old_column), -1
    ) | (model.step_weights_[old.nnz :] != 0).reshape(len(old_column), -1)
    features = Features(offset, (cells % classes).astype(np.int32), transitions)
    moved = np.concatenate(
        [np.searchsorted(cells, old_cells), len(cells) + (old_column[:, None] * classes + old_column).ravel()]
    )
    size = len(cells) + classes**2
    weight, second = np.zeros(size), np.full(size, model._variance)
    weight[moved], second[moved] = model.step_weights_, model.step_second_
    tokens = data.tokens._replace(attribute=new_row[data.tokens.attribute].astype(np.int32))
    state = {"weight": weight, "second": second, "count": float(model.n_steps_)}
    return data._replace(tokens=tokens), features, attributes, state
