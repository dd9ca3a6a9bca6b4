"""Selection of the number of clusters, and vector quantisation."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable.cluster import (
    FuzzyCMeans,
    KernelKMeans,
    KMeans,
    KMedoids,
    choose_clusters,
    knee,
    quantize_image,
    vector_quantize,
)


def three() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[np.arange(150) % 3] + rng.normal(size=(150, 2))


@pytest.mark.parametrize("criterion", ["elbow", "silhouette", "gap", "held-out", "bic"])
def test_every_criterion_finds_three_clusters(criterion):
    choice = choose_clusters(KMeans(random_state=0), three(), range(1, 7), criterion=criterion, random_state=0)
    assert choice.best == 3 == choice.model.n_clusters and choice.criterion == criterion
    assert len(choice.scores) == len(choice.counts) == (5 if criterion == "silhouette" else 6)
    assert (choice.errors is not None) == (criterion in ("gap", "held-out"))


def test_uniform_rows_have_one_cluster_by_the_gap_statistic():
    X = np.random.default_rng(0).uniform(size=(150, 2))
    assert choose_clusters(KMeans(random_state=0), X, range(1, 5), criterion="gap", random_state=0).best == 1


def test_scores_are_the_formulas():
    X = three()
    elbow = choose_clusters(KMeans(random_state=0), X, [1, 2, 3])
    np.testing.assert_allclose(elbow.scores[0], ((X - X.mean(axis=0)) ** 2).sum())
    held = choose_clusters(KMeans(random_state=0), X, [1], criterion="held-out", cv=3, random_state=0)
    folds = np.array_split(learnable.core.generator(0).permutation(150), 3)
    means = [((X[f] - np.delete(X, f, axis=0).mean(axis=0)) ** 2).sum(axis=1).mean() for f in folds]
    assert held.scores[0] == pytest.approx(np.mean(means))
    bic = choose_clusters(KMeans(random_state=0), X, [1], criterion="bic")
    variance = elbow.scores[0] / (2 * 149)
    likelihood = -150 * np.log(2 * np.pi * variance) - elbow.scores[0] / (2 * variance)
    assert bic.scores[0] == pytest.approx(-2 * likelihood + 3 * np.log(150))


@pytest.mark.parametrize("model", [KMedoids(), FuzzyCMeans(random_state=0), KernelKMeans(gamma=0.1, random_state=0)])
def test_bic_uses_the_sum_of_squares_for_every_model(model):
    """Objectives of k-medoids, fuzzy c-means and kernel k-means are not likelihoods of normal clusters."""
    X = three()[:60]
    found = choose_clusters(model, X, range(1, 5), criterion="bic")
    plain = choose_clusters(KMeans(random_state=0, n_init=5), X, range(1, 5), criterion="bic")
    assert found.best == 3
    np.testing.assert_allclose(found.scores[[0, 2]], plain.scores[[0, 2]])


def test_the_knee_is_farthest_below_the_line():
    assert knee([1, 2, 3, 4, 5], [10.0, 4.0, 1.0, 0.5, 0.0]) == 2
    assert knee([1, 2, 3], [1.0, 1.0, 1.0]) == 0 == knee([4], [2.0])
    with pytest.raises(learnable.ParameterError, match="vectors of the same length"):
        knee([1, 2], [1.0])


def test_counts_and_criteria_are_checked():
    with pytest.raises(learnable.ParameterError, match="choose_clusters: criterion must be"):
        choose_clusters(KMeans(), three(), criterion="luck")
    with pytest.raises(learnable.ParameterError, match="between 1 and the number of rows, 150"):
        choose_clusters(KMeans(), three(), [0, 1])


def test_a_codebook_decodes_to_the_nearest_codeword():
    X = three()
    book = vector_quantize(X, 3, random_state=0)
    codes = book.encode(X)
    np.testing.assert_array_equal(codes, ((X[:, None] - book.rows) ** 2).sum(axis=2).argmin(axis=1))
    assert book.distortion == pytest.approx(((book.decode(codes) - X) ** 2).sum(axis=1).mean())
    assert book.compression(1000) == pytest.approx(1000 * 2 * 64 / (1000 * 2 + 3 * 2 * 64))
    assert vector_quantize(X, 12, random_state=0).distortion < book.distortion
    with pytest.raises(learnable.DataError, match="Codebook: the codewords have 2 columns"):
        book.encode([[1.0]])


def test_images_lose_colours_and_little_else():
    rng = np.random.default_rng(0)
    image = np.array([[200, 30, 30], [20, 180, 40], [10, 20, 220]])[rng.integers(3, size=(20, 30))]
    image = np.clip(image + rng.integers(-5, 6, image.shape), 0, 255).astype(np.uint8)
    found = quantize_image(image, 3, random_state=0)
    assert found.image.shape == image.shape and found.image.dtype == np.uint8 and found.codes.shape == (20, 30)
    assert (
        len(np.unique(found.image.reshape(-1, 3), axis=0)) == 3 and np.abs(found.image.astype(int) - image).max() <= 12
    )
    assert found.compression == pytest.approx(600 * 24 / (600 * 2 + 3 * 24))
    losses = [quantize_image(image, k, random_state=0).distortion for k in (1, 3, 64)]
    assert losses[0] > losses[1] > losses[2]
    regions = quantize_image(np.zeros((10, 10)), 4, position=1.0, random_state=0).codes
    assert len(np.unique(regions)) == 4
    with pytest.raises(learnable.DataError, match="quantize_image: image must be"):
        quantize_image(np.zeros(4), 2)


def test_counts_are_those_that_a_criterion_can_evaluate():
    X = np.random.default_rng(0).normal(size=(12, 2))
    model = KMeans(random_state=0)
    for criterion in ("silhouette", "bic"):  # of single rows neither has anything to say
        assert choose_clusters(model, X, [2, 3, 12], criterion=criterion).counts.tolist() == [2, 3]
    assert choose_clusters(model, X, [12], criterion="elbow").best == 12


@pytest.mark.parametrize(
    ("counts", "options", "message"),
    [
        ([1], {"criterion": "silhouette"}, 'counts must lie between 2 and 11 for criterion="silhouette"'),
        ([12], {"criterion": "bic"}, 'counts must lie between 1 and 11 for criterion="bic"'),
        ([10], {"criterion": "held-out"}, 'counts must lie between 1 and 9 for criterion="held-out"'),
        ([2], {"criterion": "held-out", "cv": 13}, "cv must be at most 12, the rows of X; got 13"),
        ([2.5], {}, r"counts must be list of int; got \[2.5\]"),
    ],
)
def test_counts_that_cannot_be_evaluated_are_refused(counts, options, message):
    X = np.random.default_rng(0).normal(size=(12, 2))
    with pytest.raises(learnable.ParameterError, match=f"choose_clusters: {message}"):
        choose_clusters(KMeans(random_state=0), X, counts, **options)


@pytest.mark.filterwarnings("ignore:.*clusters are not empty")
def test_equal_rows_have_no_silhouettes():
    with pytest.raises(learnable.DataError, match=r"choose_clusters: KMeans\(n_clusters=2.*found only one cluster"):
        choose_clusters(KMeans(random_state=0), np.ones((12, 2)), [2, 3], criterion="silhouette")


def test_large_units_have_errors_too():
    X = np.random.default_rng(0).normal(size=(12, 2))
    options = {"criterion": "held-out", "random_state": 0}
    small, large = (choose_clusters(KMeans(random_state=0), X * unit, [1], **options) for unit in (1.0, 2.0**500))
    np.testing.assert_array_equal(large.errors, small.errors * 2.0**1000)
