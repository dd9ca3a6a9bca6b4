"""Lag features against plain loops, and what they must not know."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import learnable
from learnable import LinearRegression
from learnable.deployment import ForecastModel, LagFeatures, TimeGrid
from learnable.deployment.time_grid import NEVER

DAYS = np.datetime64("2024-01-01") + np.arange(400)


def lags_of(days, y, series=None, **more):
    options = {
        "horizon": 2,
        "season": 7,
        "lags": [2, 3, 9],
        "windows": [3, 7],
        "calendar": ["weekday"],
        "elapsed": True,
    }
    found = LagFeatures("day", "y", TimeGrid.of(days), series="shop" if series is not None else "", **options | more)
    return found.knowing(days, y, series)


def oracle(days, y, series, rows, horizon, lags, season, windows):
    """The same features by loops over all known targets."""
    known = {}
    for day, value, shop in zip(days.astype(int).tolist(), y.tolist(), series.tolist(), strict=True):
        known.setdefault(shop, {}).setdefault(day, []).append(value)
    found = []
    for day, shop in rows:
        past = sorted((one, np.mean(values)) for one, values in known.get(shop, {}).items())

        def until(last, past=past):
            return [value for one, value in past if one <= last]

        row = [until(day - lag)[-1] if until(day - lag) else np.nan for lag in lags]
        first = -(-horizon // season) * season
        end = past[-1][0] if past else day
        turn = max(first, -(-(day - end) // season) * season)
        same = until(day - turn) or until(day - horizon)
        row.append(same[-1] if same else np.nan)
        for window in windows:
            last = until(day - horizon)[-window:]
            row += [np.mean(last) if last else np.nan]
        found.append(row)
    return np.array(found)


@pytest.mark.parametrize("horizon", [1, 2, 9])
def test_lags_are_those_of_plain_loops(horizon):
    rng = np.random.default_rng(horizon)
    days, shops = rng.choice(DAYS[:60], 90), rng.choice(np.array(["a", "b", "c"], dtype=object), 90)
    y = rng.normal(size=90).round(2)
    lags, windows = [horizon, horizon + 3], [3, 5]
    made = lags_of(days, y, shops, horizon=horizon, lags=lags, windows=windows)
    rows_of = (
        np.concatenate([days, DAYS[60:80], DAYS[:2] - 5]),
        np.array([*shops, *["b"] * 20, "a", "new"], dtype=object),
    )
    found = made.columns(*rows_of)
    names = [*(f"y: lag {lag}" for lag in lags), made.season_name]
    names += [f"y: mean of lags {horizon} to {horizon + window - 1}" for window in windows]
    right = oracle(
        days, y, shops, list(zip(rows_of[0].astype(int).tolist(), rows_of[1].tolist(), strict=True)), horizon, lags, 7,
        windows,
    )  # fmt: skip
    assert np.allclose(np.column_stack([found[name] for name in names]), right, equal_nan=True, atol=1e-12)


@pytest.mark.parametrize("horizon", [1, 4])
def test_the_future_changes_no_feature_of_the_past(horizon):
    """Targets less than a horizon before a row, or after it, may be anything: its features keep their bits."""
    rng = np.random.default_rng(0)
    y, days = rng.normal(size=200), DAYS[:200]
    begin = 120
    other = y.copy()
    other[begin:] = rng.permutation(y[begin:]) * 1e6
    rows = days[: begin + horizon]
    before, after = (lags_of(days, values, horizon=horizon, lags=[horizon, 9]).columns(rows) for values in (y, other))
    assert all(before[name].tobytes() == after[name].tobytes() for name in before)
    later = lags_of(days, other, horizon=horizon, lags=[horizon, 9]).columns(days[begin + horizon :])
    assert not np.array_equal(
        later["y: lag 9"], lags_of(days, y, horizon=horizon).columns(days[begin + horizon :])["y: lag 9"]
    )


def test_other_rows_and_their_order_change_nothing():
    rng = np.random.default_rng(1)
    y, order = rng.normal(size=100), rng.permutation(100)
    made, mixed = lags_of(DAYS[:100], y), lags_of(DAYS[:100][order], y[order])
    rows = DAYS[:130]
    whole = made.columns(rows)
    for name, values in mixed.columns(rows[order]).items():
        assert np.array_equal(values, whole[name][order], equal_nan=True)
    alone = made.columns(rows[115:116])
    assert all(np.array_equal(alone[name], whole[name][115:116], equal_nan=True) for name in alone)


def test_rows_beyond_the_horizon_are_known_to_be():
    made = lags_of(DAYS[:50], np.arange(50.0))
    assert made.beyond(DAYS[48:54]).tolist() == [False, False, False, False, True, True]
    assert made.columns(DAYS[60:61])["y: lag 2"] == [49.0]  # the last one known
    assert made.columns(DAYS[60:61])[made.season_name] == [46.0]  # the same weekday of the last week known


def test_classes_are_written_by_their_names():
    made = LagFeatures("t", "y", TimeGrid.of(np.arange(5.0)), lags=[1], windows=[2], classes=["no", "yes"], positive=1)
    found = made.knowing(np.arange(5.0), np.array([0, 1, 1, 0, 1])).columns(np.arange(6.0))
    assert found["y: lag 1"].tolist() == [None, "no", "yes", "yes", "no", "yes"]
    assert found["y: fraction of yes in lags 1 to 2"][1:].tolist() == [0.0, 0.5, 1.0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("moments", "unit", "season", "steps"),
    [
        (np.array(["2024-01-31", "2024-02-29", "2024-03-31"], "datetime64[D]"), "month", 12, [0, 1, 2]),
        (np.array(["2024-01-01", "2024-04-01", "2025-01-01"], "datetime64[D]"), "quarter", 4, [0, 1, 4]),
        (np.array(["2020-06-01", "2021-06-01"], "datetime64[D]"), "year", 0, [0, 1]),
        (np.array(["2024-01-05", "2024-01-08", "2024-01-09"], "datetime64[D]"), "day", 7, [0, 3, 4]),
        (np.array(["2024-01-01T00", "2024-01-01T02", "2024-01-01T03"], "datetime64[h]"), "hour", 24, [0, 2, 3]),
        (np.array(["2024Q3", "2024Q4", "2025Q2"], dtype=object), "quarter", 4, [0, 1, 3]),
        (np.array(["2024 week 1", "2024 week 3"], dtype=object), "step", 0, [0, 1]),
        (1949 + np.arange(30) / 12, "step", 12, list(range(30))),
        (np.array([3, 5, 11]), "step", 0, [0, 1, 4]),
        (np.array([0.0, 1.0, np.pi]), "step", 0, [0, 1, 2]),
        (np.array(["2024-01-01", "2024-01-02"], "datetime64[D]").repeat(2), "day", 7, [0, 0, 1, 1]),
        (np.array(["2024-01-01"], "datetime64[D]"), "step", 0, [0]),
    ],
)  # fmt: skip
def test_grids_of_times(moments, unit, season, steps):
    grid = TimeGrid.of(moments)
    assert (grid.unit, grid.season) == (unit, season)
    assert grid.steps(moments).tolist() == steps and grid.flaw() == ""


def test_missing_and_distant_times():
    grid = TimeGrid.of(DAYS)
    days = np.array(["NaT", "1000-01-01", "9999-01-01"], "datetime64[D]")
    assert grid.steps(days)[0] == NEVER
    found = lags_of(DAYS, np.arange(400.0)).columns(days)
    assert np.isnan(found["y: lag 2"][:2]).all() and found["y: lag 2"][2] == 399.0
    assert all(np.isnan(values[0]) for values in found.values())


@pytest.mark.parametrize(
    "change",
    [
        {"history_series": np.array([0, 7])}, {"history_steps": np.array([3, 1])}, {"horizon": 0}, {"lags": [2**70]},
        {"history": np.zeros(3)}, {"season": -1}, {"calendar": ["century"]}, {"windows": [10**9]},
        {"history_steps": np.array([0, 2**60])}, {"classes": ["a"], "history": np.array([0.0, 4.0])},
    ],
)  # fmt: skip
def test_malformed_features_are_refused(change):
    from dataclasses import replace

    sound = lags_of(DAYS[:2], np.zeros(2))
    assert sound.flaw() == "" and replace(sound, **change).flaw()


def test_rows_before_which_no_target_is_known_are_counted_apart():
    """Without a time, before all history, or of a series that is new, every lag is missing."""
    days = np.array(["2024-05-01", "2024-05-02", "2024-05-03"], dtype="datetime64[us]")
    series = np.array(["a"] * 3, dtype=object)
    lags = LagFeatures("day", "sales", TimeGrid.of(days), series="shop", lags=[1]).knowing(days, np.arange(3.0), series)
    X = pa.table({"sales: lag 1": [0.0, 1.0]})
    model = ForecastModel(LinearRegression().fit(X, [1.0, 2.0]), lags, ["sales: lag 1"])
    moments = np.array(["NaT", "2024-05-01", "2024-05-04", "2024-05-04"], dtype="datetime64[us]")
    rows = pa.table({"day": moments, "shop": ["a", "a", "new", "a"]})
    with pytest.warns(UserWarning) as warned:
        found = model.features(rows)
    assert found["sales: lag 1"].to_pylist() == [None, None, None, 2.0]
    assert [str(one.message).split(";")[0] for one in warned] == [
        "3 of 4 rows have no earlier 'sales' that is known: 1 without a time, 1 of an unknown 'shop'"
    ]
    with pytest.warns(UserWarning, match="1 of 1 rows are more than 1 day after the last known 'sales'"):
        model.features(pa.table({"day": days[2:] + np.timedelta64(2, "D"), "shop": ["a"]}))


def test_grids_take_lists_and_refuse_what_holds_no_times():
    assert TimeGrid.of([1, 2, 4]).steps(np.array([1, 4])).tolist() == [0, 3]
    assert TimeGrid.of(["2024Q1", "2024Q3"]).unit == TimeGrid.of(np.array(["2024Q1", "2024Q3"], dtype=object)).unit
    for wrong in ([], [[1, 2]], 5, np.array([1j])):
        with pytest.raises(learnable.DataError, match="times must be a list of at least one date, number or text"):
            TimeGrid.of(wrong)
