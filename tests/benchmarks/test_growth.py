"""The table of stated complexities: every case runs, and growth is read off the times."""

from __future__ import annotations

import re

import numpy as np

from benchmarks import growth
from learnable.theory import growth_order


def test_every_stated_order_is_measured(capsys):
    """WFL-08, CLU-13, TRE-26: rows, columns, clusters, iterations, depth, trees and rounds."""
    growth.main(["--quick"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(growth.CASES) == 16
    for name, line in zip(growth.CASES, lines, strict=True):
        assert line.startswith(name) and re.search(r"stated [12]   size\^-?[\d.]+ \(95 % interval", line)


def test_another_order_than_stated_is_marked(capsys, monkeypatch):
    calls = {size: np.ones(size) for size in (4, 8, 12)}
    case = growth.Case(lambda size: calls[size].sum, (64, 128, 192), 3.0)
    monkeypatch.setattr(growth, "CASES", {"sums, entries": case})
    monkeypatch.setattr(growth, "measure_growth", lambda task, sizes, repeats: growth_order(sizes, sizes))
    growth.main([])
    assert capsys.readouterr().out.endswith("NOT as stated\n")
    growth.main(["nothing"])
    assert capsys.readouterr().out == ""
