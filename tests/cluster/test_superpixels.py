"""Patches of pictures."""

import numpy as np
import pytest

from learnable import DataError, ParameterError, slic


def checkerboard(cell=10):
    return 100.0 * (np.indices((40, 60)) // cell).sum(axis=0) % 200


def test_segments_follow_colours():
    image = checkerboard()
    labels = slic(image, n_segments=24)
    assert labels.shape == image.shape and set(np.unique(labels)) == set(range(24))
    for k in range(24):
        assert np.ptp(image[labels == k]) == 0, "a patch of two colours"


def test_segments_of_a_constant_image_are_squares():
    labels = slic(np.zeros((40, 60, 3)), n_segments=6)
    assert len(np.unique(labels)) == 6
    rows, columns = (np.ptp(np.argwhere(labels == 0)[:, axis]) + 1 for axis in (0, 1))
    assert 19 <= rows <= 21 and 19 <= columns <= 21


def test_one_pass_takes_the_nearest_centre():
    rng = np.random.default_rng(0)
    image = rng.random((12, 12, 3))
    labels = slic(image, n_segments=1)
    assert (labels == 0).all()
    weak, strong = (slic(image, n_segments=9, compactness=c) for c in (1e-3, 1e3))
    spread = [np.mean([np.argwhere(found == k).var() for k in np.unique(found)]) for found in (weak, strong)]
    assert spread[0] > spread[1], "compact patches are no tighter"


def test_invalid_images_are_refused():
    with pytest.raises(DataError, match="slic: image must be"):
        slic(np.zeros(5))
    with pytest.raises(ParameterError, match="slic: compactness must be above 0"):
        slic(np.zeros((5, 5)), compactness=0)
