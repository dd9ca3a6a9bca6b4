"""Features of images against scikit-learn, closed forms, and invariances."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.feature_extraction.image as theirs
from scipy import ndimage

from learnable import DataError, ParameterError, load_digits
from learnable.feature_extraction import image as ours

RNG = np.random.default_rng(0)
SMOOTH = ndimage.gaussian_filter(RNG.random((64, 64)), 2)


@pytest.mark.parametrize("shape", [(9, 7), (9, 7, 3), (9, 7, 1)])
@pytest.mark.parametrize("limit", [None, 5, 100, 0.3])
def test_patches_are_those_of_scikit_learn(shape, limit):
    image = RNG.random(shape)
    mine, other = (
        module.extract_patches_2d(image, (3, 4), max_patches=limit, random_state=0) for module in (ours, theirs)
    )
    np.testing.assert_array_equal(mine, other)
    if limit is None and shape[-1] != 1:
        np.testing.assert_allclose(ours.reconstruct_from_patches_2d(mine, shape), image)


@pytest.mark.parametrize("options", [{}, {"patch_size": (4, 3)}, {"patch_size": (4, 4), "max_patches": 6}])
@pytest.mark.parametrize("colours", [(), (3,)])
def test_patches_of_many_images(options, colours):
    images = RNG.random((4, 22, 20, *colours))
    mine, other = (module.PatchExtractor(random_state=1, **options) for module in (ours, theirs))
    np.testing.assert_array_equal(mine.fit_transform(images), other.fit(images).transform(images))


@pytest.mark.parametrize("shape", [(4, 5), (3, 4, 2)])
def test_graphs_are_those_of_scikit_learn(shape):
    image = RNG.random(shape)
    mask = RNG.random(shape) > 0.3
    for module_mask in (None, mask):
        np.testing.assert_allclose(
            ours.img_to_graph(image, mask=module_mask).toarray(), theirs.img_to_graph(image, mask=module_mask).toarray()
        )
        np.testing.assert_array_equal(
            ours.grid_to_graph(*shape, mask=module_mask, return_as=np.ndarray),
            theirs.grid_to_graph(*shape, mask=module_mask, return_as=np.ndarray),
        )


def test_intensity_and_symmetry_distinguish_ones_from_fives():
    """FEN-09: two columns, on which the digits 1 and 5 are nearly separable by a line."""
    digits = load_digits()
    requested = np.isin(digits.target, [1, 5])
    X = ours.intensity_symmetry(digits.images[requested] / 16)
    design = np.column_stack([X, np.ones(len(X))])
    sign = np.where(digits.target[requested] == 5, 1.0, -1.0)
    wrong = np.sign(design @ np.linalg.lstsq(design, sign)[0]) != sign
    assert wrong.mean() < 0.25, "on 8 by 8 pixels"
    image = np.array([[1.0, 2.0], [3.0, 5.0]])
    np.testing.assert_allclose(ours.intensity_symmetry([image], flip="horizontal"), [[2.75, -1.5]])
    np.testing.assert_allclose(ours.intensity_symmetry([image], flip="vertical"), [[2.75, -2.5]])
    assert ours.intensity_symmetry([image + image.T])[0, 1] <= 0 == ours.intensity_symmetry([np.ones((3, 3))])[0, 1]


def test_edges_of_a_ramp():
    """FEX-05: a plane has its own gradient everywhere inside."""
    i, j = np.indices((12, 15))
    strength, direction = ours.sobel_edges(3.0 * i - 4.0 * j)
    np.testing.assert_allclose(strength[1:-1, 1:-1], 5)
    np.testing.assert_allclose(direction[1:-1, 1:-1], np.arctan2(3, -4))


def test_corners_of_a_rectangle():
    image = np.zeros((40, 40))
    image[10:26, 8:30] = 1
    corners, response = ours.harris_corners(image)
    assert sorted(map(tuple, corners.tolist())) == [(10, 8), (10, 29), (25, 8), (25, 29)]
    assert response[18, 8] < 0, "an edge is not a corner"
    assert len(ours.harris_corners(np.ones((9, 9)))[0]) == 0


def test_oriented_gradients_of_stripes():
    """FEX-07: all weight of vertical stripes is in the bin of horizontal gradients; lighting does not matter."""
    stripes = np.tile(np.sin(np.arange(32) / 2), (32, 1))
    histogram = ours.hog_features(stripes, cell=8, block=1, clip=10).reshape(16, 9)
    np.testing.assert_allclose(histogram[:, 1:8], 0, atol=1e-12)
    np.testing.assert_allclose(histogram[:, 0], histogram[:, 8])
    np.testing.assert_allclose(np.linalg.norm(histogram, axis=1), 1)
    np.testing.assert_allclose(ours.hog_features(5 * SMOOTH + 3), ours.hog_features(SMOOTH), atol=1e-9)
    turned = ours.hog_features(np.rot90(SMOOTH, 2), block=1, signed=False).reshape(8, 8, 9)
    np.testing.assert_allclose(turned[::-1, ::-1], ours.hog_features(SMOOTH, block=1).reshape(8, 8, 9), atol=1e-9)


def test_keypoints_are_found_again_when_the_image_turns():
    """FEX-06: descriptors of a point and of its place in the turned image agree, those of others do not."""
    points, descriptors = ours.sift_keypoints(SMOOTH, max_keypoints=15)
    turned, others = ours.sift_keypoints(np.rot90(SMOOTH), max_keypoints=15)
    assert len(points) >= 8 and descriptors.shape == (len(points), 128)
    np.testing.assert_allclose(np.linalg.norm(descriptors, axis=1), 1)
    before = np.column_stack([turned[:, 1], 63 - turned[:, 0]])  # where the points of the turned image were
    best = np.linalg.norm(descriptors[:, None] - others[None], axis=2).argmin(axis=1)
    apart = np.linalg.norm(points[:, None, :2] - before[None], axis=2)
    hits = [apart[k, best[k]] <= 2 for k in range(len(points))]
    assert np.mean(hits) > 0.6


def test_the_scale_of_a_blob():
    """The response of the difference of Gaussians is largest at the scale of the blob."""
    i, j = np.indices((96, 96))
    sizes = [
        ours.sift_keypoints(np.exp(-((i - 48) ** 2 + (j - 48) ** 2) / (2 * size**2)), max_keypoints=1)[0][0, 2]
        for size in (3, 6, 12)
    ]
    np.testing.assert_allclose(np.diff(np.log2(sizes)), 1, atol=0.35)


@pytest.mark.parametrize("shift", [(0.0, 1.0), (2.0, -3.0), (-1.5, 0.5)])
def test_flow_of_a_shifted_image(shift):
    """FEX-08: every pixel inside moved by the same amount."""
    moved = ndimage.shift(SMOOTH, shift, order=3, mode="nearest")
    down, across = ours.optical_flow(SMOOTH, moved)
    inside = (slice(10, -10), slice(10, -10))
    assert np.median(down[inside]) == pytest.approx(shift[0], abs=0.1)
    assert np.median(across[inside]) == pytest.approx(shift[1], abs=0.1)
    assert np.abs(ours.optical_flow(np.ones((20, 20)), np.ones((20, 20)))).max() == 0


@pytest.mark.parametrize("unit", [1e-300, 1e-150, 1e150, 1e200, 1e307])
def test_the_unit_of_grey_values_does_not_matter(unit):
    plain = SMOOTH / np.abs(SMOOTH).max()
    corners, response = ours.harris_corners(plain)
    found, scaled = ours.harris_corners(plain * unit)
    assert len(corners) > 0 and found.tolist() == corners.tolist()
    np.testing.assert_allclose(scaled, response, atol=1e-12)
    np.testing.assert_allclose(ours.hog_features(plain * unit), ours.hog_features(plain), atol=1e-12)
    points, descriptors = ours.sift_keypoints(plain)
    again, described = ours.sift_keypoints(plain * unit)
    np.testing.assert_allclose(again, points)
    np.testing.assert_allclose(described, descriptors, atol=1e-9)
    moved = np.roll(plain, 1, axis=1)
    flow = ours.optical_flow(plain * unit, moved * unit)
    np.testing.assert_allclose(flow, ours.optical_flow(plain, moved), atol=1e-9)


def test_a_range_beyond_the_largest_number():
    image = np.where(np.median(SMOOTH) < SMOOTH, 1.7e308, -1.7e308)
    assert ours.harris_corners(image)[0].tolist() == ours.harris_corners(image / 1e308)[0].tolist()


@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (7, 1), (3, 2)])
def test_flow_has_the_shape_of_small_images(shape):
    image = np.arange(np.prod(shape), dtype=float).reshape(shape)
    down, across = ours.optical_flow(image, image)
    assert down.shape == across.shape == shape
    assert np.abs(down).max() == np.abs(across).max() == 0


def test_what_cannot_be_used_is_refused_in_words():
    for action, words in (
        (lambda: ours.extract_patches_2d(SMOOTH, (99, 2)), "lower its height"),
        (lambda: ours.extract_patches_2d(SMOOTH, (2, 99)), "lower its width"),
        (lambda: ours.PatchExtractor(patch_size=(2, 2)).transform(SMOOTH), "images by height"),
        (lambda: ours.hog_features(SMOOTH[:9, :9]), "use smaller cells"),
        (lambda: ours.sobel_edges(np.zeros((3, 3, 3))), "Average colours"),
        (lambda: ours.sobel_edges([[np.nan]]), "finite"),
        (lambda: ours.optical_flow(SMOOTH, SMOOTH[:9]), "differ in size"),
    ):
        with pytest.raises(DataError, match=words):
            action()
    for wrong in (
        lambda: ours.extract_patches_2d(SMOOTH, (2, 2), max_patches=1.5),
        lambda: ours.PatchExtractor(patch_size=(2, 2, 2)).transform(SMOOTH[None]),
        lambda: ours.harris_corners(SMOOTH, sigma=0),
        lambda: ours.hog_features(SMOOTH, cell=0),
        lambda: ours.sift_keypoints(SMOOTH, max_keypoints=-1),
        lambda: ours.sift_keypoints(SMOOTH, edge_ratio=0.0),
        lambda: ours.optical_flow(SMOOTH, SMOOTH, levels=0),
    ):
        with pytest.raises(ParameterError):
            wrong()
