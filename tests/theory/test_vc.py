"""The bound of Vapnik and Chervonenkis, and what half-spaces can shatter (THE-01, THE-02)."""

import math

import numpy as np
import pytest

from learnable.core import ParameterError
from learnable.theory import labelling_out_of_reach, separable, shatters, vc_bound, vc_penalty


def test_bound_is_its_formula():
    """THE-01; E-182: with the constants and delta written out."""
    for d, n, delta in [(1, 10, 0.1), (3, 1000, 0.05), (0, 5, 0.5)]:
        expected = math.sqrt(8 / n * math.log(4 * ((2 * n) ** d + 1) / delta))
        assert vc_penalty(d, n, delta) == pytest.approx(expected)
        assert vc_bound(0.2, d, n, delta) == pytest.approx(0.2 + expected)


def test_bound_grows_with_the_class_and_shrinks_with_the_rows():
    """THE-01: of the order sqrt(d ln n / n), and no overflow for large classes."""
    assert vc_penalty(10, 1000) < vc_penalty(20, 1000) and vc_penalty(10, 2000) < vc_penalty(10, 1000)
    assert np.isfinite(vc_penalty(10_000, 10**6))
    ratios = [vc_penalty(50, n) / math.sqrt(50 * math.log(2 * n) / n) for n in (10**4, 10**6, 10**8)]
    assert ratios == pytest.approx([math.sqrt(8)] * 3, rel=0.01)


def test_error_and_penalty_make_a_u_over_the_dimension():
    """THE-01: the training error falls, the penalty rises, their sum has its minimum between."""
    dimensions = np.arange(1, 60)
    total = [0.5 * math.exp(-d / 5) + vc_penalty(int(d), 200_000) for d in dimensions]
    best = int(np.argmin(total))
    assert 0 < best < len(dimensions) - 1


@pytest.mark.parametrize("p", [1, 2, 3, 4])
def test_perceptron_shatters_one_more_point_than_dimensions(p):
    """THE-02: d_vc = p + 1: the corners of a simplex are shattered, and no p + 2 random points are."""
    corners = np.vstack([np.zeros(p), np.eye(p)])
    assert shatters(corners)
    rng = np.random.default_rng(p)
    for _ in range(3):
        points = rng.normal(size=(p + 2, p))
        labels = labelling_out_of_reach(points)
        assert labels is not None and not separable(points, labels)


def test_a_labelling_out_of_reach_is_a_partition_of_radon():
    """THE-02: any p + 2 points fall into two groups whose hulls meet; that labelling is out of reach."""
    points = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.5, 0.5]])
    labels = labelling_out_of_reach(points)
    assert abs(labels[-1] - labels[0]) == 2 and len(set(labels[:3])) == 1


def test_other_classes_can_be_given():
    """Intervals on the line shatter two points and not three."""

    def interval(points, labels):
        inside = np.sort(points[labels > 0, 0])
        outside = points[labels <= 0, 0]
        return len(inside) == 0 or not ((outside > inside[0]) & (outside < inside[-1])).any()

    assert shatters([[0.0], [1.0]], interval) and not shatters([[0.0], [1.0], [2.0]], interval)


def test_scale_does_not_matter():
    corners = np.vstack([np.zeros(2), np.eye(2)])
    assert shatters(1e6 * corners) and shatters(1e-6 * corners)


def test_what_cannot_be_used_is_named():
    with pytest.raises(ParameterError, match="error must be at least 0 and at most 1"):
        vc_bound(10, 3, 100)
    with pytest.raises(ParameterError, match="delta must be above 0 and below 1"):
        vc_penalty(3, 100, 0)
    with pytest.raises(ParameterError, match=r"20 points have 2\^20 labellings"):
        shatters(np.zeros((20, 2)))


@pytest.mark.parametrize("triangle", [np.array([[0, 0], [1, 0], [0, 1]]) + 1e9, [[0, 0], [1, 0], [0, 1e-10]]])
def test_where_points_lie_and_in_which_units_does_not_matter(triangle):
    assert shatters(triangle) and not shatters([*np.asarray(triangle), np.mean(triangle, axis=0)])


@pytest.mark.parametrize("far", [1e9, 1e12])
def test_points_far_away_do_not_hide_a_half_space(far):
    assert separable([[0.0], [1.0], [far]], [-1, 1, 1])
    assert not separable([[0.0], [1.0], [far]], [1, -1, 1])


@pytest.mark.parametrize(
    "labels",
    [
        [1, 2, 1],
        [0, 1, 0],
        [-1, 1, -1],
        [-3, -2, -3],
        ["a", "b", "a"],
        [0.5, "b", 0.5],
        [0.5, 0.7, 0.5],
        [False, True, False],
    ],
)
def test_labels_are_two_kinds_whatever_they_are_called(labels):
    assert not separable([[0.0], [1.0], [2.0]], labels)
    assert separable([[0.0], [2.0], [1.0]], labels)


def test_labels_of_three_kinds_are_refused():
    with pytest.raises(ValueError, match="separable: labels must have two distinct values"):
        separable([[0.0], [1.0], [2.0]], [0, 1, 2])
