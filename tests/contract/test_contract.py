"""Every public estimator keeps every promise; the lists come from the registry, so a new one is covered at once."""

from __future__ import annotations

from dataclasses import fields

import pytest

import learnable
from learnable.core import Traits
from learnable.core.declare import params
from learnable.engines.procedure import Procedure
from tests.contract import promises as _promises  # noqa: F401  registers them
from tests.contract.cases import CLASSES, PUBLIC
from tests.contract.promise import PROMISES, exemptions
from tests.contract.representatives import binds, is_left_to_representative

EXEMPT = exemptions()
CASES = [
    pytest.param(
        name,
        promise,
        id=f"{name}-{promise.name}",
        marks=[pytest.mark.exhaustive] if is_left_to_representative(name, promise.name) else [],
    )
    for name in CLASSES
    for promise in PROMISES.values()
    if binds(name, promise.name)
]


@pytest.mark.parametrize(("name", "promise"), CASES)
def test_promise(name, promise):
    promise.keep(CLASSES[name])


def test_exemptions_are_known_reasoned_and_needed():
    for promise, names in EXEMPT.items():
        for name, reason in names.items():
            assert len(reason.split()) >= 5, f"{promise}, {name}: the reason is too short"
            if not promise.startswith("check_"):  # those are scikit-learn's, and tried beside them
                with pytest.raises(Exception):  # noqa: B017  any failure will do: the promise is not kept
                    PROMISES[promise].keep(PUBLIC[name])


def test_the_registry_holds_every_public_estimator():
    public = {
        name
        for name in learnable.public_names()
        if hasattr(getattr(learnable, name), "get_params") and "fit" in dir(getattr(learnable, name))
        and not issubclass(getattr(learnable, name), Procedure)  # those are fitted to decision processes and functions
    }  # fmt: skip
    assert set(PUBLIC) | {"FrozenEstimator"} == public  # which learns nothing, and is whatever it holds


FLAGS = [field.name for field in fields(Traits) if field.type == "bool"]


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_says_what_it_is(name):
    cls = CLASSES[name]
    assert cls.traits.task in (
        "regression",
        "classification",
        "transformation",
        "search",
        "composition",
        "resampling",
        "density estimation",
        "covariance estimation",
        "mixture modelling",
        "sequence modelling",
        "sequence labelling",
        "outlier detection",
        "clustering",
        "biclustering",
        "neighbours",
    )
    assert all(isinstance(getattr(cls.traits, flag), bool) for flag in FLAGS)
    if "linear_model" in cls.__module__:
        assert cls.traits.parametric and not cls.traits.lazy, "a linear model is parametric and learns when fitted"
    assert cls.traits.storage in ("csr", "csc", "given") and cls.traits.missing in ("refuse", "native")
    assert cls.traits.stochastic <= ("random_state" in params.parameters(cls)), "draws without a seed"
