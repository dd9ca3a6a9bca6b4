"""Quick scans of a text find everything that the slower ones find."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnable.datasets._reading import text_scan
from learnable.datasets._reading.text_scan import may_hold_codes, well_quoted

CELLS = st.text(alphabet='0017,;". \n\r-+e', max_size=60)


@given(CELLS, st.sampled_from(",;"))
def test_codes_are_never_missed(text, delimiter):
    text = text.replace("7", "77777777")
    code = rf'(?:^|[{delimiter}"\s])(?:0\d+|[+-]?\d{{16,}})(?=[{delimiter}"\s]|$)'
    assert may_hold_codes(text, delimiter) or not re.search(code, text, re.MULTILINE)


@given(CELLS, st.sampled_from(",;"))
def test_what_is_well_quoted_is_read_line_by_line(text, delimiter):
    if well_quoted(text, delimiter):
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
        apart = [row for line in lines for row in csv.reader([line], delimiter=delimiter, strict=True)]
        assert [row for row in rows if row] == [row for row in apart if row]


@pytest.mark.parametrize("place", range(60, 70))
def test_a_code_at_the_edge_of_a_block(monkeypatch, place):
    monkeypatch.setattr(text_scan, "BLOCK", 64)
    assert may_hold_codes("1.5," * 30, ",") is False
    head = "1" * (place - 1) if place % 2 else ".1" * ((place - 1) // 2) + "."
    assert may_hold_codes(f"{head},00501,1", ",") and may_hold_codes(f".{head},{'9' * 16},1", ",")


@given(st.text(alphabet='a",\n\r', max_size=40))
def test_parts_of_a_text_are_quoted_as_the_whole(text):
    whole = well_quoted(text, ",")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_scan, "BLOCK", 3)
        assert well_quoted(text, ",") == whole


@pytest.mark.parametrize("code", ["0x1f", "0X1F", "-0x1"])
def test_what_begins_with_0x_may_be_a_code(code):
    assert may_hold_codes(f"a,b\n1,{code}\n", ",") and not may_hold_codes("a,max\n1.0,x0\n", ",")


def test_floats_and_dates_are_not_codes():
    assert not may_hold_codes("when,x\n2024-01-05,0.0123456789012345678\n2024-01-06,1e-05\n", ",")
    assert not may_hold_codes('a,"b"\n0,"0"\n0.5,"x 5"\n', ",")
