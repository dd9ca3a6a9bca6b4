"""scikit-learn's own checks, one test each; the few exemptions stand in exemptions.toml and must be needed."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from tests.contract.cases import CLASSES, OF_THE_DATA, make
from tests.contract.promise import exemptions
from tests.contract.representatives import REPRESENTATIVE, THOROUGH_CHECKS

# Some checks fit data on which an honest solver cannot converge, and scikit-learn allows the warning.
# Nor need any of their random columns have to do with the target, or have as many bins as requested.
pytestmark = [
    pytest.mark.filterwarnings("ignore::learnable.ConvergenceWarning"),
    *(pytest.mark.filterwarnings(f"ignore:{pattern}:UserWarning") for pattern in OF_THE_DATA),
]


def described(check: Any) -> str:
    """The name of a check with its options."""
    options = [f"{name}={value}" for name, value in check.keywords.items()]
    inner = check.func
    while isinstance(inner, partial):
        options += [f"{name}={value}" for name, value in inner.keywords.items()]
        inner = inner.func
    return " ".join([inner.__name__, *options])


def checks(cls: type) -> list[tuple[Any, Any]]:
    """Every check that scikit-learn has for the class."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Estimator .* does not inherit from", UserWarning)  # and needs not
        warnings.filterwarnings("ignore", "Can't test estimator", UserWarning)  # it has few for texts and records
        found = estimator_checks_generator(make(cls))
        return [(model, check) for model, check in found if has_method_of(model, check)]


def has_method_of(model: Any, check: Any) -> bool:
    """Whether the model has the method whose output a check tests, which would be skipped otherwise."""
    _, looks, method = described(check).partition("_output_format_")
    return not looks or hasattr(model, method)


EXEMPT = exemptions()
FOUND = {name: {described(check): (model, check) for model, check in checks(cls)} for name, cls in CLASSES.items()}


def is_left(name: str, description: str) -> bool:
    """Whether the ordinary run tries a check on the representative of the class alone, which must pass it too."""
    check, other = description.split()[0], REPRESENTATIVE.get(name)
    tried = other is not None and description in FOUND[other] and other not in EXEMPT.get(check, {})
    return tried and check in THOROUGH_CHECKS


CHECKS = [
    pytest.param(
        model,
        check,
        id=f"{name}-{description}",
        marks=[pytest.mark.exhaustive] if is_left(name, description) else [],
    )
    for name, found in FOUND.items()
    for description, (model, check) in found.items()
]


@pytest.mark.parametrize(("model", "check"), CHECKS)
def test_check(model, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    if type(model).__name__ in EXEMPT.get(described(check).split()[0], {}):
        with pytest.raises((AssertionError, ValueError)):
            check(model)
    else:
        check(model)


def test_exemptions_name_checks_that_exist():
    known = {(type(model).__name__, described(check).split()[0]) for model, check in (case.values for case in CHECKS)}
    exempt = {(name, check) for check, names in EXEMPT.items() if check.startswith("check_") for name in names}
    assert exempt <= known


def test_thorough_checks_exist_and_are_left_to_representatives_alone():
    known = {described(check).split()[0] for _, check in (case.values for case in CHECKS)}
    assert known >= THOROUGH_CHECKS
    left = {type(case.values[0]).__name__ for case in CHECKS if case.marks}
    assert left and left <= REPRESENTATIVE.keys()
