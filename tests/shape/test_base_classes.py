"""Trees and ensembles: at most two levels of base classes of a family between a public class and its role."""

from __future__ import annotations

import importlib
import inspect

import pytest

from learnable.core.roles.estimator import Estimator

MOST = 2
ESTIMATORS = [
    value
    for family in ("tree", "ensemble")
    for package in [importlib.import_module(f"learnable.{family}")]
    for value in (getattr(package, name) for name in package.__all__)
    if inspect.isclass(value) and issubclass(value, Estimator)
]


def levels_to_role(cls: type) -> int:
    """The most base classes that are not roles on a way from `cls` up to a role; -1 if none leads to one."""
    if cls is not Estimator and cls.__module__.startswith("learnable.core.roles."):
        return 0
    found = [levels_to_role(base) for base in cls.__bases__ if issubclass(base, Estimator) and base is not Estimator]
    longest = max((levels for levels in found if levels >= 0), default=-1)
    return longest + 1 if longest >= 0 else -1


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_a_role_is_at_most_two_levels_away(cls):
    assert levels_to_role(cls) - 1 <= MOST


def test_levels_are_counted():
    from learnable.ensemble import RandomForestClassifier

    class Farther(RandomForestClassifier):
        pass

    assert levels_to_role(Farther) == levels_to_role(RandomForestClassifier) + 1 > MOST
