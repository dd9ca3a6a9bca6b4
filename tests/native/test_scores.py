"""Sorted scores, their areas and the log loss, against plain NumPy."""

import numpy as np
import pytest

from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads


def draw(rows, kind, seed=0):
    draws = np.random.default_rng(seed)
    scores = {
        "ties": draws.integers(-3, 4, rows) / 4,
        "even": draws.random(rows),
        "crowded": np.where(draws.random(rows) < 0.01, 1e300, 1 + 1e-12 * draws.random(rows)),
        "signs": draws.normal(size=rows) * 10.0 ** draws.integers(-300, 300, rows),
        "zeros": np.where(draws.random(rows) < 0.5, -0.0, 0.0),
    }[kind]
    return scores, (draws.random(rows) < 0.4).astype(np.uint8), draws.integers(0, 4, rows).astype(float)


def counts(scores, positive, weight):
    """Distinct scores, falling, and the weights of both classes from there up."""
    kept = weight > 0
    scores, positive, weight = scores[kept], positive[kept], weight[kept]
    thresholds = np.unique(scores)[::-1]
    above = scores >= thresholds[:, None]
    return thresholds, above @ (weight * positive), above @ (weight * (1 - positive))


KINDS = ["ties", "even", "crowded", "signs", "zeros"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [1, 2, 25, 700])
@pytest.mark.parametrize("weighted", [False, True])
def test_thresholds_and_areas(kind, rows, weighted):
    scores, positive, weight = draw(rows, kind)
    weight[0] = 1
    given = weight if weighted else None
    reference = counts(scores, positive, weight if weighted else np.ones(rows))
    for found, expected in zip(kernels.threshold_counts(scores, positive, given), reference, strict=True):
        np.testing.assert_array_equal(found, expected)
    area, positives, negatives = kernels.ranked_area(scores, positive, given)
    assert (positives, negatives) == (reference[1][-1], reference[2][-1])
    signs = np.sign(scores[positive == 1][:, None] - scores[positive == 0])
    pairs = np.outer(weight[positive == 1], weight[positive == 0]) if weighted else 1
    assert area == pytest.approx(float((pairs * (signs + 1) / 2).sum()))


@pytest.mark.parametrize("kind", KINDS)
def test_many_rows_and_any_number_of_threads(kind):
    scores, positive, weight = draw(300_000, kind)
    order = np.lexsort((np.arange(len(scores)), -scores))
    hits = np.cumsum(positive[order].astype(float))
    last = np.append(np.diff(scores[order]) != 0, True)
    for count in (1, 2, 3, 8):
        with threads(count):
            found = kernels.threshold_counts(scores, positive)
            again = kernels.ranked_area(scores, positive, weight * 0.1)
        np.testing.assert_array_equal(found[0], scores[order][last] + 0.0)
        np.testing.assert_array_equal(found[1], hits[last])
        if count == 1:
            first = again
        assert again == first


def test_no_rows_and_wrong_lengths():
    empty = np.empty(0)
    assert kernels.ranked_area(empty, empty.astype(np.uint8)) == (0, 0, 0)
    assert len(kernels.threshold_counts(empty, empty.astype(np.uint8))[0]) == 0
    with pytest.raises(ValueError, match="one number per score"):
        kernels.ranked_area(np.ones(2), np.ones(3, dtype=np.uint8))
    with pytest.raises(ValueError, match="one number per row"):
        kernels.ranked_area(np.ones(2), np.ones(2, dtype=np.uint8), np.ones(1))
    with pytest.raises(ValueError, match="index of a column"):
        kernels.log_loss(np.full((1, 3), 1 / 3), np.array([3]))


@pytest.mark.parametrize("classes", [1, 2, 5])
@pytest.mark.parametrize("rows", [1, 37, 90_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_log_loss(classes, rows, weighted):
    draws = np.random.default_rng(rows)
    P = draws.random((rows, 1)) if classes == 1 else draws.dirichlet(np.full(classes, 0.1), rows)
    P[0, 0] = 0.0
    codes = draws.integers(0, max(classes, 2), rows)
    weight = draws.random(rows) if weighted else None
    full = np.hstack([1 - P, P]) if classes == 1 else P
    given = np.clip(full[np.arange(rows), codes], 1e-16, 1 - 1e-16)
    reference = -(np.log(given) * (1 if weight is None else weight)).sum()
    found = []
    for count in (1, 3):
        with threads(count):
            found.append(kernels.log_loss(P, codes, weight, 1e-16))
    assert found[0] == found[1]
    loss, least, most, gap = found[0]
    assert loss == pytest.approx(reference, rel=1e-12)
    assert (least, most) == (P.min(), P.max())
    assert gap == pytest.approx(0 if classes == 1 else np.abs(P.sum(axis=1) - 1).max())
