"""Corrections for many tests against statsmodels, and the worked number of the course."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from learnable.core import DataError, ParameterError
from learnable.inference import benjamini_hochberg, bonferroni, holm

RULES = {"fdr_bh": benjamini_hochberg, "holm": holm, "bonferroni": bonferroni}


@pytest.mark.parametrize("name", RULES)
@settings(max_examples=25)
@given(p_values=st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_equal_to_statsmodels(name, p_values):
    rejected, adjusted, *_ = multipletests(p_values, 0.1, name)
    ours = RULES[name](p_values, 0.1)
    assert ours.adjusted == pytest.approx(adjusted, abs=1e-12)
    clear = np.abs(adjusted - 0.1) > 1e-9
    assert (ours.rejected == rejected)[clear].all()


def test_w55_the_two_rules_of_the_course():
    p_values = [0.01, 0.032, 0.035, 0.04]
    step_up, per_item = (benjamini_hochberg(p_values, rule=rule) for rule in ("step-up", "per-item"))
    assert step_up.critical == pytest.approx([0.0125, 0.025, 0.0375, 0.05])
    assert per_item.rejected.tolist() == [True, False, True, True]
    assert step_up.rejected.all()


@given(p_values=st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_what_one_rule_rejects_a_bolder_one_rejects_too(p_values):
    careful, stepwise, bold = (rule(p_values).rejected for rule in (bonferroni, holm, benjamini_hochberg))
    per_item = benjamini_hochberg(p_values, rule="per-item").rejected
    for weak, strong in ((careful, stepwise), (stepwise, bold), (per_item, bold)):
        assert (~weak | strong).all()


def test_order_is_kept_and_the_result_reads_as_a_sentence():
    found = holm([0.9, 0.001, 0.2])
    assert found.rejected.tolist() == [False, True, False]
    assert str(found) == "1 of 3 differences observed (at indices 1) at alpha = 0.05 by Holm"
    assert str(holm([0.5])) == "0 of 1 differences observed at alpha = 0.05 by Holm"


def test_what_cannot_be_used_is_named():
    with pytest.raises(DataError, match="holm: p_values must be between 0 and 1; got"):
        holm([0.1, 2])
    with pytest.raises(ParameterError, match="alpha must be above 0 and below 1"):
        bonferroni([0.1], 5)
    with pytest.raises(ParameterError, match='rule must be "step-up" or "per-item"'):
        benjamini_hochberg([0.1], rule="text")
