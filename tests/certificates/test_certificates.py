"""Every certificate against an independent evaluation in extended precision, on problems that are hard for rounding.

Columns are badly scaled, nearly collinear or far from zero, and classes nearly separable. A certificate may understate
the truth by `FACTOR` and by the rounding of an evaluation in double precision, no more.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

import learnable
from tests.certificates.cases import ADOPTED, CASES, EXACT, NOT_TESTED
from tests.certificates.precise import Finding, fitted, regression
from tests.contract import cases

PAIRS = [pytest.param(case, name, id=name) for case, names in CASES.items() for name in names]
SLOW_SEEDS = range(5, 45)


def lies(case, name, seeds):
    """The problems in which a certificate is wrong."""
    found = []
    for seed in seeds:
        several = case(name, seed)
        for one in several if isinstance(several, list) else [several]:
            if lie := one.lie():
                found.append(f"seed {seed}: {one.stated.kind}: {lie}")
    return found


def test_every_estimator_has_a_case():
    """A new class fails here until its certificate is computed again, or is one of those that have nothing to state."""
    known = [*(name for names in CASES.values() for name in names), *ADOPTED, *EXACT, *NOT_TESTED]
    assert sorted(known) == sorted(cases.PUBLIC)


@pytest.mark.parametrize(("case", "name"), PAIRS)
def test_no_certificate_understates(case, name):
    assert lies(case, name, range(2)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("case", "name"), PAIRS)
def test_no_certificate_of_many_understates(case, name):
    assert lies(case, name, SLOW_SEEDS) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(EXACT))
def test_closed_forms_state_nothing_else(name):
    cls = cases.CLASSES[name]
    proof = cases.fit(cases.make(cls), *cases.problem(cls, 24)).certificate_
    assert (proof.kind, proof.value, proof.holds) == ("exact", 0.0, True)


@pytest.mark.parametrize("name", sorted(NOT_TESTED))
def test_what_was_not_tested_is_said(name):
    cls = cases.CLASSES[name]
    model = cases.fit(cases.make(cls), *cases.problem(cls, 24))
    assert f"{model.n_iter_} {model.certificate_.kind} were done" in str(model.certificate_)
    assert "was not tested" in str(model.certificate_)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ADOPTED - {"NetworkFeatures"}))
def test_composites_state_what_a_part_states(name):
    """The parts are toys, whose certificates are known."""
    cls = cases.CLASSES[name]
    proof = cases.fit(cases.make(cls), *cases.problem(cls, 24)).certificate_
    assert proof.kind in ("exact", "normal equations", "gradient") and proof.holds


def test_network_features_state_what_the_network_states():
    """A network of a few epochs is not at a minimum, and its features do not say that it is."""
    cls = cases.CLASSES["NetworkFeatures"]
    model = cases.fit(cases.make(cls), *cases.problem(cls, 24))
    proof, part = model.certificate_, model.network_.certificate_
    assert (proof.kind, proof.value, proof.tolerance) == (part.kind, part.value, part.tolerance)
    assert proof.holds == part.holds


def test_a_lie_is_found():
    X, y = regression(0)
    model = fitted(learnable.Lasso(alpha=0.1), X, y)
    proof = model.certificate_
    assert Finding(proof.value, proof).lie() == ""
    assert "stated 0" in Finding(1e-3, replace(proof, value=0.0)).lie()
    assert Finding(float("nan"), proof).lie(), "what cannot be computed is not true"


@pytest.mark.parametrize("scale", [1e-3, 1e-2])
def test_coefficients_that_are_off_are_found(monkeypatch, scale):
    """The gap of changed coefficients is larger than the one that was stated of the right ones."""
    from tests.certificates import least_squares

    def changed(model, *data):
        found = fitted(model, *data)
        found.coef_ = found.coef_ * (1 + scale)
        return found

    monkeypatch.setattr(least_squares, "fitted", changed)
    assert lies(least_squares.elastic_net_gap, "ElasticNet", range(10))
    assert lies(least_squares.ridge_gap, "RidgeCV", range(10))
