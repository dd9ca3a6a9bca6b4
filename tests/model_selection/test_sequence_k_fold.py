"""Folds of whole sequences."""

from __future__ import annotations

import numpy as np
import pytest

from learnable import DataError
from learnable.model_selection import SequenceKFold
from learnable.sequence import PoissonHMM


def test_sequences_stay_whole_and_lengths_go_with_them():
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 9, 23)
    rows = np.arange(lengths.sum())[:, None]
    owner = np.repeat(np.arange(23), lengths)
    folds = SequenceKFold(4, lengths=lengths)
    seen = []
    for (train, test), (train_lengths, test_lengths) in zip(folds.split(rows), folds.split_lengths(), strict=True):
        assert not set(owner[train]) & set(owner[test])
        np.testing.assert_array_equal(train_lengths, lengths[np.unique(owner[train])])
        assert train_lengths.sum() == len(train) and test_lengths.sum() == len(test)
        assert abs(len(test) - len(rows) / 4) < 9
        seen.extend(test.tolist())
    assert sorted(seen) == rows.ravel().tolist()
    model = PoissonHMM(2, random_state=0, n_iter=500).fit(rows[train] % 7, train_lengths)
    assert np.isfinite(model.score(rows[test] % 7, test_lengths))


def test_what_cannot_be_split_is_refused():
    with pytest.raises(DataError, match="whole numbers from 1"):
        SequenceKFold(2, lengths=[1, 0])
    with pytest.raises(DataError, match="lengths add up to 3, but X has 4 rows"):
        list(SequenceKFold(2, lengths=[1, 2]).split(np.zeros((4, 1))))
    with pytest.raises(DataError, match="split_lengths needs lengths"):
        list(SequenceKFold(2).split_lengths())
