"""From a file to a model that is kept: the six steps of a project, in one script (WFL-01, WFL-02)."""

import io

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot

import learnable
from learnable import (
    ConditionalDensityFilter,
    GridSearchCV,
    OutlierClipper,
    Ridge,
    SimpleImputer,
    StandardScaler,
    cross_val_score,
    make_pipeline,
    read_table,
    root_mean_squared_error,
)
from learnable.datasets import load_diabetes
from learnable.plot import CorrelationDisplay, DensitySimilarityDisplay, PairDisplay


@pytest.fixture(scope="module")
def table():
    """The diabetes table as a file, with missing values and a typing error in one column."""
    frame = load_diabetes(as_frame=True, scaled=False).frame.astype(float)
    frame.loc[::17, "bmi"] = np.nan
    frame.loc[5, "bp"] = 9000.0
    return read_table(io.StringIO(frame.to_csv(index=False)), target="target")


def test_six_steps(table, tmp_path):
    # collect: the kinds of the columns are shown, and the rows get their roles once and for all
    assert table.n == 442 and "26" in next(line for line in repr(table).splitlines() if line.startswith("bmi"))
    split = table.split(test=0.25, random_state=0)
    train, test = split.part("train"), split.part("test")
    # preprocess, choose a family of hypotheses, train: all inside one model, tuned on training rows alone
    model = make_pipeline(SimpleImputer(strategy="median"), OutlierClipper(), StandardScaler(), Ridge())
    search = GridSearchCV(model, {"ridge__alpha": [1.0, 10.0, 1e4]}, scoring="neg_root_mean_squared_error", cv=5)
    search.fit(train.X, train.y)
    # test: once, on rows that nothing has seen
    error = root_mean_squared_error(test.y, search.predict(test.X))
    baseline = root_mean_squared_error(test.y, np.full(test.n, train.y.mean()))
    assert error < 0.85 * baseline and search.best_params_["ridge__alpha"] < 1e4
    # improve: without the step that clips far entries the typing error spoils its column
    plain = make_pipeline(SimpleImputer(), StandardScaler(), Ridge(search.best_params_["ridge__alpha"]))
    scores = cross_val_score(plain, table.X, table.y, cv=5, scoring="neg_root_mean_squared_error")
    mended = cross_val_score(search.best_estimator_, table.X, table.y, cv=5, scoring="neg_root_mean_squared_error")
    assert mended.mean() > scores.mean() + 1.0
    # keep: the model predicts the same from its file
    learnable.save(search.best_estimator_, tmp_path / "model.safetensors")
    kept = learnable.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(kept.predict(test.X), search.predict(test.X))


def test_data_exploration(table):
    """Summary, missing values, correlations, pairs of columns, histograms by class: each is computed, then drawn."""
    bmi = table.names.index("bmi")
    assert np.isnan(table.X[:, bmi]).mean() == pytest.approx(26 / 442)
    whole = SimpleImputer().fit_transform(table.X)
    shown = CorrelationDisplay.from_data(np.column_stack([whole, table.y]), names=[*table.names, "target"])
    assert shown.correlation[bmi, -1] == pytest.approx(np.corrcoef(whole[:, bmi], table.y)[0, 1])
    high = table.y > np.median(table.y)
    pairs = PairDisplay.from_data(whole[:, [bmi, 3]], high, names=["bmi", "bp"])
    assert len(pairs.axes_.ravel()) == 4
    by_class = ConditionalDensityFilter(bins=10).fit(whole, high)
    np.testing.assert_allclose(by_class.densities_.sum(axis=2), 1)
    lower, _ = np.histogram(whole[~high, bmi], bins=by_class.bin_edges_[bmi])
    np.testing.assert_allclose(by_class.densities_[bmi, 0], lower / lower.sum())
    assert DensitySimilarityDisplay.from_estimator(by_class).names[0] in ("x2", "x8")
    pyplot.close("all")
