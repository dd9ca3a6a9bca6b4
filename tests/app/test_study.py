"""A study says what the data say: intervals cover, noise is called noise, nothing leaks from test rows."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression as Peer

from learnable.app import study
from learnable.app.report import html
from learnable.app.table import Table, example
from learnable.core import ConvergenceWarning, DataError
from learnable.core.data import Array
from learnable.linear_model import LinearRegression

LEAST_SQUARES_TWICE = {"first": LinearRegression, "second": LinearRegression}  # a verdict needs a best and a next


def drawn(seed: int, rows: int = 80, effect: float = 1.0, columns: int = 3) -> Table:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return Table("drawn", [f"x{j}" for j in range(columns)], X, "y", effect * X[:, 0] + rng.normal(size=rows), [])


@pytest.fixture(scope="module")
def diabetes() -> study.Study:
    return study.run(example(), seed=1)


def test_the_package_data_are_learnable(diabetes: study.Study) -> None:
    assert diabetes.useful
    assert diabetes.results[0].model == study.BASELINE
    assert {result.model for result in diabetes.results[1:]} == set(study.MODELS)
    errors = [result.rmse for result in diabetes.results[1:]]
    assert errors == sorted(errors)
    assert "predicts best" in diabetes.verdict
    assert "may be chance" in diabetes.verdict
    assert len(diabetes.coefficients) == 10
    assert "holds" in diabetes.certificate


def test_figures_equal_a_cross_validation_by_hand(diabetes: study.Study) -> None:
    rows = example()
    errors, explained, gains = [], [], []
    for train, test in study._parts(len(rows.y), 5, 4, seed=1):
        mean, spread = rows.X[train].mean(axis=0), rows.X[train].std(axis=0)
        model = Peer().fit((rows.X[train] - mean) / spread, rows.y[train])
        missed = rows.y[test] - model.predict((rows.X[test] - mean) / spread)
        away = rows.y[test] - rows.y[train].mean()
        errors.append(np.sqrt(np.mean(missed**2)))
        explained.append(1 - np.sum(missed**2) / np.sum(away**2))
        gains.append(np.sqrt(np.mean(away**2)) - errors[-1])
    found = next(result for result in diabetes.results if result.model == "least squares")
    assert found.rmse == pytest.approx(np.mean(errors))
    assert found.r_squared == pytest.approx(np.mean(explained))
    assert found.gain == pytest.approx(np.mean(gains))


def test_interval_is_the_corrected_one() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 2.0, 3.0, 4.0, 3.0, 3.0])
    mean, low, high = study.interval(values, folds=5)
    half = 2.2621571628 * np.sqrt((0.1 + 0.25) * np.var(values, ddof=1))  # Student, 9 degrees of freedom
    assert (mean, low, high) == pytest.approx((3.0, 3.0 - half, 3.0 + half))


def test_every_row_is_a_test_row_once_per_repeat_and_the_seed_decides() -> None:
    parts = list(study._parts(23, 5, 3, seed=7))
    assert len(parts) == 15
    for repeat in range(3):
        tests = [test for _, test in parts[5 * repeat : 5 * repeat + 5]]
        assert sorted(np.concatenate(tests)) == list(range(23))
    for train, test in parts:
        assert sorted(np.concatenate([train, test])) == list(range(23))
    again, other = list(study._parts(23, 5, 3, seed=7)), list(study._parts(23, 5, 3, seed=8))
    assert all(np.array_equal(a, b) for (_, a), (_, b) in zip(parts, again, strict=True))
    assert not all(np.array_equal(a, b) for (_, a), (_, b) in zip(parts, other, strict=True))


def test_test_rows_do_not_leak_into_filling_and_scaling() -> None:
    X = np.array([[1.0, np.nan], [3.0, 4.0], [np.nan, 6.0], [1e9, np.nan]])
    prepared = study._prepared(X, np.array([0, 1, 2]))
    np.testing.assert_allclose(prepared[:3], [[-1, 0], [1, -1], [0, 1]])
    assert prepared[3, 0] > 1e8
    assert prepared[3, 1] == 0


def test_intervals_stay_where_the_figures_can_be() -> None:
    rows = drawn(3, rows=24, effect=50.0)
    for result in study.run(rows, folds=3, repeats=2).results:
        assert result.r_squared_high <= 1 and result.rmse_low >= 0


def test_pure_noise_is_called_noise() -> None:
    """The best of four models may look better than the mean by chance, but hardly ever reliably so."""
    useful = sum(study.run(drawn(seed, rows=60, effect=0.0, columns=5)).useful for seed in range(20))
    assert useful <= 1
    assert "No model is reliably better than the baseline" in study.run(drawn(0, effect=0.0)).verdict


def test_a_strong_effect_is_found() -> None:
    assert all(study.run(drawn(seed, effect=2.0)).useful for seed in range(5))


def test_intervals_cover_the_expected_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over many samples, about 95 % of the intervals hold the mean error; fewer than that would be overconfident."""
    monkeypatch.setattr(study, "MODELS", LEAST_SQUARES_TWICE)
    results = [study.run(drawn(seed)).results[1] for seed in range(150)]
    for figure in ("rmse", "r_squared", "gain"):
        value, low, high = (
            np.array([getattr(result, figure + end) for result in results]) for end in ("", "_low", "_high")
        )
        assert np.mean((low <= value.mean()) & (value.mean() <= high)) >= 0.93, figure
        assert 1.8 <= np.mean(high - low) / 2 / value.std() <= 3.0, figure  # 1.96 if the spread were known


def test_a_model_that_is_better_than_the_next_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    poor = {"least squares": LinearRegression, "half": HalfAsFar}
    monkeypatch.setattr(study, "MODELS", poor)
    verdict = study.run(drawn(0, rows=300, effect=3.0)).verdict
    assert verdict.startswith("Least squares predicts best")
    assert verdict.endswith("It is reliably better than half, the next.")


def test_fits_that_do_not_converge_are_told_not_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "MODELS", {"steady": LinearRegression, "unfinished": Unfinished})
    notes = study.run(drawn(0)).notes
    assert notes == ["unfinished: 20 of 20 fits ended before they reached their tolerance"]


@pytest.mark.parametrize(
    ("rows", "folds", "words"),
    [(19, 5, "has 19 rows with a target; a study needs at least 20"), (30, 8, "30 rows allow at most 7 folds")],
)
def test_too_few_rows(rows: int, folds: int, words: str) -> None:
    with pytest.raises(DataError, match=words):
        study.run(drawn(0, rows=rows), folds)


def test_constant_target() -> None:
    rows = drawn(0)
    same = Table(rows.name, rows.names, rows.X, rows.target, np.full(80, 3.5), [])
    with pytest.raises(DataError, match="the same value in every row; there is nothing to predict"):
        study.run(same)


def test_wide_tables_and_missing_values() -> None:
    rows = drawn(0, rows=40, effect=5.0, columns=60)
    X = np.where(np.random.default_rng(0).random(rows.X.shape) < 0.05, np.nan, rows.X)
    result = study.run(Table("wide", rows.names, X, "y", rows.y, []))
    assert all(np.isfinite([entry.rmse, entry.gain_low]).all() for entry in result.results)
    assert result.results[1].model == "lasso"


def test_json_is_strict_and_has_the_documented_layout(diabetes: study.Study) -> None:
    plain = diabetes.as_json()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert list(plain) == [
        "schema", "learnable", "data", "notes", "folds", "repeats", "seed", "results", "useful", "verdict",
        "coefficients", "certificate",
    ]  # fmt: skip
    assert plain["schema"] == 1
    assert list(plain["data"]) == ["name", "rows", "columns", "target"]
    figures = [f"{figure}{end}" for figure in ("rmse", "r_squared") for end in ("", "_low", "_high")]
    assert list(plain["results"][0]) == ["model", *figures, "seconds", "gain", "gain_low", "gain_high"]


@pytest.mark.parametrize(
    ("scale", "value", "text"),
    [(1.5, 0.01031, "0.010"), (77.0, 54.733, "54.73"), (5000.0, 1234.5678, "1235"), (1e-9, 2.34567e-9, "2.346e-09")],
)
def test_figures_have_the_decimals_of_the_error(scale: float, value: float, text: str) -> None:
    rows = drawn(0, effect=0.0)
    y = scale * rows.y / rows.y.std()
    result = study.run(Table("scaled", rows.names, rows.X, "y", y, []), folds=4, repeats=1)
    assert result.figure(value) == text


def test_figures_that_do_not_exist_are_null() -> None:
    rows = drawn(0, rows=20)
    y = np.zeros(20)
    y[0] = 1.0  # every test part but one has no spread at all about a training mean of zero
    result = study.run(Table("spike", rows.names, rows.X, "y", y, []), folds=5, repeats=1)
    json.dumps(result.as_json(), allow_nan=False)


class HalfAsFar:
    """Least squares that goes half the way from the mean."""

    def fit(self, X: Array, y: Array) -> HalfAsFar:
        self.model, self.mean = LinearRegression().fit(X, y), y.mean()
        self.coef_, self.certificate_ = self.model.coef_, self.model.certificate_
        return self

    def predict(self, X: Array) -> Array:
        return np.asarray((self.model.predict(X) + self.mean) / 2)


class Unfinished(HalfAsFar):
    """A model whose fits warn."""

    def fit(self, X: Array, y: Array) -> HalfAsFar:
        warnings.warn("stopped", ConvergenceWarning, stacklevel=1)
        return super().fit(X, y)


@pytest.mark.parametrize("power", [700, -900, 1000])
@pytest.mark.filterwarnings("error")
def test_extreme_units_change_figures_and_nothing_else(power: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table, unit = drawn(0), 2.0**power
    models = {name: study.MODELS[name] for name in ("least squares", "ridge", "lasso")}  # what Huber does has a scale
    monkeypatch.setattr(study, "MODELS", models)
    near = study.run(table, folds=4, repeats=1)
    far = study.run(replace(table, X=table.X * unit, y=table.y * unit), folds=4, repeats=1)
    for ours, theirs in zip(far.results, near.results, strict=True):
        assert ours.model == theirs.model
        assert [ours.rmse / unit, ours.gain / unit] == pytest.approx([theirs.rmse, theirs.gain], rel=1e-6, abs=1e-9)
    assert far.coefficients[0][1] / unit == pytest.approx(near.coefficients[0][1], rel=1e-6)
    assert far.figure(far.results[1].rmse) in html(far)
