"""What a fit records about itself."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from learnable import Certificate, Trace


def course() -> Trace:
    trace = Trace()
    trace.record(3.0)
    trace.record(2.0, step=0.5)
    trace.record(1.0, step=0.25)
    trace.stopped = "converged"
    trace.certify("gap", 1e-9, 1e-6, "within a millionth")
    return trace


def test_columns_and_missing_entries():
    trace = course()
    assert trace["objective"].tolist() == [3.0, 2.0, 1.0]
    np.testing.assert_array_equal(trace["step"], [np.nan, 0.5, 0.25])
    assert trace.iterations == 3 and trace.seconds == trace["seconds"][-1] >= trace["seconds"][0] >= 0
    assert "3 iterations, converged, objective 1" in repr(trace)


def test_an_unknown_column_is_named():
    with pytest.raises(KeyError, match=r"no column 'loss'.*objective, seconds, step"):
        course()["loss"]


def test_an_empty_trace():
    trace = Trace()
    assert trace.iterations == 0 and trace.seconds == 0 and "running" in repr(trace)
    assert trace["objective"].shape == (0,)


@pytest.mark.parametrize("trip", [copy.deepcopy, lambda trace: pickle.loads(pickle.dumps(trace))])
def test_copies_hold_everything_but_the_owner(trip):
    again = trip(course())
    assert again.rows == course_rows(again) and again.stopped == "converged" and again.owner is None
    assert again.certificate == course().certificate


def course_rows(trace: Trace) -> list[dict[str, float]]:
    return [{**row, "seconds": seen["seconds"]} for row, seen in zip(course().rows, trace.rows, strict=True)]


def test_certificates_hold_up_to_their_tolerance_and_never_for_nan():
    assert Certificate("gap", 1e-6, 1e-6, "s").holds
    assert not Certificate("gap", 2e-6, 1e-6, "s").holds
    assert not Certificate("gap", float("nan"), 1e-6, "s").holds


def test_certificates_state_themselves_in_a_sentence():
    assert str(Certificate("gap", 1e-9, 1e-6, "fine")) == "gap 1e-09 (tolerance 1e-06, holds): fine."
    assert "does NOT hold" in str(Certificate("gap", 1.0, 1e-6, "bad"))


def test_a_certificate_that_does_not_hold_says_so_in_its_sentence():
    trace = Trace()
    trace.certify("gap", 1.0, 1e-6, "no other solution is better by more than this.")
    assert trace.certificate.sentence == "not within the tolerance: no other solution is better by more than this."
    trace.certify("gap", 0.0, 1e-6, "no other solution is better by more than this.")
    assert trace.certificate.sentence == "no other solution is better by more than this."


def test_a_fit_stopped_before_its_end_claims_nothing():
    trace = Trace()
    trace.certify("gap", 0.0, 1.0, "the gap is small.")
    trace.stopped = "converged"
    trace.withdraw()
    assert trace.certificate.holds
    trace.stopped = "budget"
    trace.withdraw()
    assert not trace.certificate.holds
    assert trace.certificate.sentence == "the budget stopped the fit before its end; until then, the gap is small."
