"""Exact moments against rational arithmetic: each number is the double nearest to the true one."""

from fractions import Fraction

import numpy as np
import pytest

from learnable import DataError
from learnable.engines.exact_moments import ExactMoments
from learnable.engines.exact_sums import ExactSums, nearest
from learnable.engines.sufficient_statistics import Moments

DRAWS = np.random.default_rng(3)
X, WEIGHT = DRAWS.normal(size=(90, 3)) * [1e-8, 1.0, 1e9] + [1.0, 1e8, 1e-3], DRAWS.random(90)


def centred_oracle(X, weight):
    rows = [[Fraction(x) for x in row] for row in X.tolist()]
    w = [Fraction(x) for x in weight.tolist()]
    total = sum(w)
    mean = [sum(a * row[j] for a, row in zip(w, rows, strict=True)) / total for j in range(X.shape[1])]
    gram = [
        [
            sum(a * (row[i] - mean[i]) * (row[j] - mean[j]) for a, row in zip(w, rows, strict=True))
            for j in range(X.shape[1])
        ]
        for i in range(X.shape[1])
    ]
    return float(total), [float(value) for value in mean], [[float(value) for value in row] for row in gram]


def test_centred_moments_are_correctly_rounded_however_large_the_means():
    found = ExactMoments.of(X, None, WEIGHT).moments()
    weight, mean, gram = centred_oracle(X, WEIGHT)
    assert found.weight == weight
    assert found.mean_x.tolist() == mean
    assert found.gram.tolist() == gram


def test_moments_about_zero_agree_with_the_ordinary_ones():
    y = DRAWS.normal(size=(90, 2))
    found = ExactMoments.of(X, y, WEIGHT).moments(centre=False)
    ordinary = Moments.of(np.hstack([X, y]), np.zeros((90, 0)), WEIGHT, centre=False)
    np.testing.assert_allclose(found.gram, ordinary.gram, rtol=1e-13)
    assert not found.centred
    assert found.weight == pytest.approx(ordinary.weight, rel=1e-14)


def test_constant_columns_have_no_variance():
    found = ExactMoments.of(np.full((7, 1), 0.1)).moments()
    assert found.gram == 0
    assert found.mean_x == 0.1


def test_rows_that_were_never_added_are_refused():
    whole = ExactMoments.of(X)
    with pytest.raises(DataError, match="never added cannot be subtracted: their weight"):
        ExactMoments.of(X[:5]) - whole
    with pytest.raises(DataError, match="the squares of column 2"):
        whole - ExactMoments.of(np.array([[1.0, 1e8, 1e15]]))
    line = np.arange(10.0)[:, None] * [1.0, 1.0]
    with pytest.raises(DataError, match="correlation beyond one"):
        ExactMoments.of(line) - ExactMoments.of(np.array([[0.0, 9.0]]))
    with pytest.raises(DataError, match="no weight would remain"):
        whole - ExactMoments.of(X + 1.0)
    assert (whole - whole).sums.size == whole.sums.size


def test_quotients_are_rounded_once_also_out_of_range():
    assert nearest([1, -1, 0, 2**2000, -(2**2000), 1], [3, 3, 0, 1, 1, 0]).tolist()[:2] == [1 / 3, -1 / 3]
    assert np.isnan(nearest([0], [0])[0])
    assert nearest([2**2000, -(2**2000)], [1, 1]).tolist() == [np.inf, -np.inf]
    assert nearest([3], [1], -1074).tolist() == [1.5e-323]
    assert nearest([1], [1], -1080).tolist() == [0.0]


def test_digits_of_a_file_must_be_canonical():
    sums = ExactMoments.of(X).sums
    assert not sums.flaw()
    assert "ascend" in ExactSums(sums.powers[::-1].copy(), sums.digits).flaw()
    assert "zero in all sums" in ExactSums(sums.powers, sums.digits * 0).flaw()
    assert "32 bits" in ExactSums(sums.powers, sums.digits.astype(np.int64)).flaw()
    assert "sum for each pair" in ExactMoments(5, sums).flaw()
