"""Pictures of embeddings show what was computed."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot

from learnable import TSNE, ClassicalMDS, Isomap, KMeans
from learnable.core import DataError, NotFittedError, ParameterError
from learnable.datasets import load_digits, make_swiss_roll
from learnable.plot import EigenvalueDisplay, EmbeddingDisplay, ShepardDisplay

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def model():
    return ClassicalMDS(2).fit(make_swiss_roll(200, random_state=0)[0])


def test_maps_show_classes_and_their_faithfulness(model):
    y = np.array(["one", "$two", "three"])[np.arange(200) % 3]
    drawn = EmbeddingDisplay.from_estimator(model, y)
    offsets = [c.get_offsets().data for c in drawn.ax_.collections]
    assert [len(points) for points in offsets] == [67, 67, 66]  # in the order of the names
    np.testing.assert_allclose(offsets[1], model.embedding_[y == "one"])
    report = model.faithfulness()
    assert f"{report.trustworthiness:.3f} ({report.trustworthiness_interval[0]:.3f} to" in drawn.ax_.get_title()
    assert r"\$two" in [text.get_text() for text in drawn.ax_.texts]
    drawn.figure_.canvas.draw()


def test_values_are_a_scale_of_colours(model):
    arc = make_swiss_roll(200, random_state=0)[1]
    drawn = EmbeddingDisplay.from_embedding(model.embedding_, arc)
    np.testing.assert_allclose(drawn.ax_.collections[0].get_array(), arc)
    assert drawn.ax_.get_title() == "" and len(drawn.figure_.axes) == 2


def test_thumbnails_do_not_overlap():
    digits = load_digits()
    model = TSNE(random_state=0, max_iter=250).fit(digits.data[:300])
    drawn = EmbeddingDisplay.from_estimator(model, digits.target[:300], images=digits.images[:300], faithful=False)
    assert 10 < len(drawn.thumbnails_) < 300
    drawn.figure_.canvas.draw()
    boxes = [one.get_window_extent() for one in drawn.ax_.artists]
    assert len(boxes) == len(drawn.thumbnails_)
    for k, one in enumerate(boxes):
        for other in boxes[:k]:
            across = min(one.x1, other.x1) - max(one.x0, other.x0)
            up = min(one.y1, other.y1) - max(one.y0, other.y0)
            assert min(across, up) < 0.25 * one.width


def test_one_dimension_is_drawn_on_a_line():
    assert (EmbeddingDisplay.from_embedding(np.arange(5.0)[:, None]).points[:, 1] == 0).all()


def test_shepard_plots_show_all_pairs(model):
    X = make_swiss_roll(200, random_state=0)[0]
    drawn = ShepardDisplay.from_estimator(model)
    pairs = np.triu_indices(200, 1)
    distances = np.linalg.norm(X[:, None] - X, axis=2)[pairs]
    np.testing.assert_allclose(drawn.given, distances)
    assert (np.diff(drawn.line_.get_ydata()) >= 0).all()
    few = ShepardDisplay.from_embedding(X, model.embedding_, max_rows=50)
    assert len(few.given) == 50 * 49 // 2
    exact = ClassicalMDS(3).fit(X)
    np.testing.assert_allclose(ShepardDisplay.from_estimator(exact).mapped, distances, atol=1e-8)


def test_precomputed_distances_are_those_of_the_plot():
    D = np.ones((4, 4)) - np.eye(4)
    drawn = ShepardDisplay.from_estimator(ClassicalMDS(3, metric="precomputed").fit(D))
    np.testing.assert_allclose(drawn.given, 1)
    np.testing.assert_allclose(drawn.mapped, 1)


def test_eigenvalues_are_bars(model):
    drawn = EigenvalueDisplay.from_estimator(model)
    np.testing.assert_allclose([bar.get_height() for bar in drawn.ax_.patches], model.eigenvalues_)
    X = make_swiss_roll(200, random_state=0)[0]
    geodesic = Isomap(n_neighbors=8, n_components=5).fit(X)
    heights = [bar.get_height() for bar in EigenvalueDisplay.from_estimator(geodesic).ax_.patches]
    np.testing.assert_allclose(heights, geodesic.kernel_pca_.eigenvalues_)


def test_what_cannot_be_drawn_is_refused(model):
    with pytest.raises(DataError, match="y must hold a value for each of 200 rows"):
        EmbeddingDisplay.from_estimator(model, [1, 2])
    with pytest.raises(DataError, match="images must hold an image for each of 200 rows"):
        EmbeddingDisplay.from_estimator(model, images=np.zeros((3, 8, 8)))
    with pytest.raises(NotFittedError):
        EmbeddingDisplay.from_estimator(TSNE())
    with pytest.raises(ParameterError, match="embedding_"):
        EmbeddingDisplay.from_estimator(KMeans(2, random_state=0).fit(model.embedding_))
    with pytest.raises(ParameterError, match="eigenvalues_"):
        EigenvalueDisplay.from_estimator(KMeans(2, random_state=0).fit(model.embedding_))
