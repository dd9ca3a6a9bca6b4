"""Features of series: closed forms, statsmodels, and series that are what a family looks for."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.tsa.stattools as other
from scipy import stats

from learnable import DataError, ParameterError, TimeSeriesFeatures, time_series_features
from learnable.feature_extraction.series.features import FAMILIES

RNG = np.random.default_rng(0)
N = 400
NOISE = RNG.normal(size=N)
WALK = NOISE.cumsum()
T = np.arange(N)
SEASON = np.sin(2 * np.pi * T / 25)


def test_families_and_names():
    """FEX-10: distribution, autocorrelation, stationarity, entropy, nonlinear, trend, periodicity, seasonality."""
    found = time_series_features(NOISE)
    assert {name.split(".")[0] for name in found} == set(FAMILIES) and len(FAMILIES) == 8
    assert all(isinstance(value, float) and np.isfinite(value) for value in found.values())
    assert list(time_series_features(NOISE, families=["trend"])) == [n for n in found if n.startswith("trend.")]


def test_distribution_against_scipy():
    found = time_series_features(WALK, families=["distribution"])
    assert found["distribution.mean"] == pytest.approx(WALK.mean())
    assert found["distribution.sd"] == pytest.approx(WALK.std())
    assert found["distribution.skewness"] == pytest.approx(stats.skew(WALK))
    assert found["distribution.kurtosis"] == pytest.approx(stats.kurtosis(WALK))
    assert found["distribution.median"] == pytest.approx(np.median(WALK))
    assert found["distribution.largest"] == pytest.approx(WALK.max())


@pytest.mark.parametrize("series", [NOISE, WALK, SEASON + 0.1 * NOISE])
def test_autocorrelation_against_statsmodels(series):
    found = time_series_features(series, families=["autocorrelation"])
    acf = other.acf(series, nlags=10, fft=False)
    assert found["autocorrelation.lag_1"] == pytest.approx(acf[1])
    assert found["autocorrelation.lag_10"] == pytest.approx(acf[10])
    assert found["autocorrelation.squares_to_lag_10"] == pytest.approx((acf[1:] ** 2).sum())
    assert found["autocorrelation.partial_3"] == pytest.approx(other.pacf(series, nlags=3, method="ldb")[3])


@pytest.mark.filterwarnings("ignore:The test statistic is outside", "ignore::FutureWarning")
@pytest.mark.parametrize("series", [NOISE, WALK, SEASON + 0.1 * NOISE])
def test_stationarity_against_statsmodels(series):
    found = time_series_features(series, families=["stationarity"])
    assert found["stationarity.kpss"] == pytest.approx(other.kpss(series, nlags=int(4 * (N / 100) ** 0.25))[0])
    assert found["stationarity.dickey_fuller"] == pytest.approx(other.adfuller(series, maxlag=0, autolag=None)[0])


def test_a_walk_is_not_stationary_and_noise_is():
    noise, walk = (time_series_features(series, families=["stationarity"]) for series in (NOISE, WALK))
    assert noise["stationarity.kpss"] < 0.463 < walk["stationarity.kpss"]
    assert noise["stationarity.dickey_fuller"] < -2.87 < walk["stationarity.dickey_fuller"]


def test_entropy_by_hand_and_in_order():
    noise, wave = (time_series_features(series, families=["entropy"]) for series in (NOISE, SEASON))
    assert all(noise[name] > wave[name] for name in noise)
    assert time_series_features(T, families=["entropy"])["entropy.permutation"] == 0
    x = RNG.normal(size=60)
    z = (x - x.mean()) / x.std()
    alike = []
    for length in (2, 3):
        windows = np.array([z[i : i + length] for i in range(58)])
        alike.append(((np.abs(windows[:, None] - windows[None]).max(axis=2) <= 0.2).sum() - 58) // 2)
    by_hand = np.log(alike[0] / alike[1])
    assert time_series_features(x, families=["entropy"])["entropy.sample"] == pytest.approx(by_hand)


def test_trend_period_and_season_are_found():
    series = 0.02 * T + SEASON + 0.2 * NOISE
    found = time_series_features(series)
    assert found["trend.slope"] == pytest.approx(0.02, abs=0.002)
    assert found["periodicity.period"] == 25 and found["periodicity.share"] > 0.8
    assert found["seasonality.period"] == 25 and found["seasonality.strength"] > 0.8
    assert found["seasonality.peak"] == pytest.approx(6, abs=1)
    assert time_series_features(NOISE)["seasonality.strength"] < 0.5
    assert time_series_features(series, period=24)["seasonality.strength"] < found["seasonality.strength"]


def test_nonlinear_features_see_direction_and_bursts():
    saw = (T % 20) / 20 + 0.01 * NOISE
    forth, back = (time_series_features(series)["nonlinear.time_asymmetry"] for series in (saw, saw[::-1]))
    assert forth == pytest.approx(-back) and abs(forth) > 0.05
    bursts = NOISE * (1 + 4 * (np.sin(T / 30) > 0))
    memory = "nonlinear.spread_memory"
    assert time_series_features(bursts)[memory] > time_series_features(NOISE)[memory] + 0.05


@pytest.mark.parametrize("series", [[3.0], [3.0, 3.0], [1.0, 2.0, 3.0], np.full(50, 7.0), np.arange(30) * 1e150])
def test_short_and_constant_series_are_finite(series):
    assert np.isfinite(list(time_series_features(series).values())).all()


def test_scale_does_not_matter_beyond_location_and_spread():
    plain, scaled = time_series_features(WALK), time_series_features(1000 * WALK - 50)
    free = [name for name in plain if not name.startswith("distribution.") and name != "trend.slope"]
    np.testing.assert_allclose([scaled[n] for n in free], [plain[n] for n in free], rtol=1e-6, atol=1e-9)


def test_many_series():
    X = RNG.normal(size=(6, 50)).cumsum(axis=1)
    model = TimeSeriesFeatures(period=5).fit(X)
    expected = [list(time_series_features(row, period=5).values()) for row in X]
    np.testing.assert_array_equal(model.transform(X), expected)
    assert len(model.get_feature_names_out()) == len(expected[0])


def test_what_cannot_be_used_is_refused():
    with pytest.raises(DataError, match="Fill or drop missing values"):
        time_series_features([1.0, np.nan])
    with pytest.raises(DataError, match="finite numbers"):
        time_series_features([])
    with pytest.raises(ParameterError, match="unknown family 'chaos'"):
        time_series_features(NOISE, families=["chaos"])
