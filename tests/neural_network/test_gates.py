"""The quality of plain recipes on the digits of scikit-learn."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.network_gates import GATES, digits_cnn, digits_mlp, ngram_bits


def test_digits_with_dense_layers():
    assert digits_mlp(Path(), 0) >= GATES["digits_mlp"][1]


@pytest.mark.slow
def test_digits_with_convolutions():
    assert digits_cnn(Path(), 0) >= GATES["digits_cnn"][1]


def test_counted_ngrams():
    """Without history all symbols are as frequent as in training; a text without uncertainty needs few bits."""
    assert ngram_bits(["ab" * 50], ["ab" * 50], 3) < 0.2 < 0.9 < ngram_bits(["ab" * 50], ["ab" * 50], 1)
