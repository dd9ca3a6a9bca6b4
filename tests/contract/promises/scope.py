"""A fit comes whole or not at all, and records what it did."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np

import learnable

from ..cases import digest, fit, fit_quietly, make, output, problem, speaks
from ..promise import promise

REASONS = ("converged", "patience", "stalled", "limit", "exact")


class Trouble(Exception):
    """Something that goes wrong in the middle."""


@promise()
def a_failed_fit_leaves_the_model(cls: type) -> None:
    X, y = problem(cls)
    model = fit_quietly(make(cls), X, y)
    before, kept = digest(model), vars(model).copy()
    inside = [_trouble_inside] if hasattr(cls, "_fit") else []
    for action in (_bad_data, *inside, _trouble_in_a_watcher):
        action(model, X, y)
        assert digest(model) == before, f"{action.__name__} changed the model"
        assert vars(model).keys() == kept.keys() and all(vars(model)[name] is kept[name] for name in kept)


def _bad_data(model: Any, X: Any, y: Any) -> None:
    bad = [(X[:, :0], y)]
    bad += [(X * np.nan, y)] if model.traits.missing == "refuse" else []
    bad += [(X, y[:-1])] if model.traits.task in ("regression", "classification") else []
    for bad_X, bad_y in bad:
        try:
            model.fit(bad_X, bad_y)
        except ValueError:
            continue
        raise AssertionError("bad data were taken")


def _trouble_inside(model: Any, X: Any, y: Any) -> None:
    whole = type(model)._fit

    def half(self: Any, data: Any, trace: Any, *more: Any, **options: Any) -> None:
        whole(self, data, trace, **options)
        raise Trouble

    with patch.object(type(model), "_fit", half):
        try:
            fit_quietly(model, 2 * X, y)
        except Trouble:
            return
    raise AssertionError("an error inside the fit was swallowed")


def _trouble_in_a_watcher(model: Any, X: Any, y: Any) -> None:
    def fail(event: Any) -> None:
        raise Trouble

    with learnable.watch(fail):
        try:
            fit_quietly(model, 2 * X, y)
        except Trouble:
            return
    raise AssertionError("the error of a watcher was swallowed, or no watcher saw an iteration")


@promise(made_by=lambda cls: not cls.traits.stateless)
def nothing_is_predicted_before_fit(cls: type) -> None:
    from sklearn.exceptions import NotFittedError

    X, _ = problem(cls)
    try:
        output(make(cls), X)
    except NotFittedError as error:
        assert isinstance(error, learnable.NotFittedError)
        assert speaks(cls, str(error)) and "fit" in str(error)
    else:
        raise AssertionError("an unfitted model predicted")


@promise(of_any_input=True)
def fit_returns_itself(cls: type) -> None:
    model = make(cls)
    assert fit_quietly(model, *problem(cls)) is model


@promise(of_any_input=True)
def the_trace_records_the_fit(cls: type) -> None:
    X, y = problem(cls)
    model = fit(make(cls), X, y)
    trace = model.trace_
    assert trace.stopped in REASONS, f"stopped for the reason {trace.stopped!r}"
    assert trace.iterations >= 1 and np.isfinite(trace["objective"]).all()
    assert (np.diff(trace["seconds"]) >= 0).all() and trace.seconds >= 0
    if hasattr(model, "n_iter_") and trace.stopped == "exact":
        assert trace.iterations >= 1


@promise(of_any_input=True)
def the_certificate_holds(cls: type) -> None:
    X, y = problem(cls)
    proof = fit(make(cls), X, y).certificate_
    assert proof.kind and np.isfinite(proof.value) and np.isfinite(proof.tolerance) and proof.value >= 0
    assert proof.holds, str(proof)
    assert len(proof.sentence.split()) >= 4, "the sentence says too little"
    assert proof.sentence in str(proof) and proof.sentence.endswith(".")


@promise()
def a_certificate_is_not_inherited(cls: type) -> None:
    X, y = problem(cls)
    model = fit_quietly(make(cls), X, y)
    first = model.certificate_, model.trace_
    fit_quietly(model, X + 1, y)
    assert model.certificate_ is not first[0] and model.trace_ is not first[1]
