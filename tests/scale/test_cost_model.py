"""The cost model of fits in passes against its formula, and its simulation against what is known of it."""

import time

import pytest

from learnable import DataError
from learnable.scale import CostModel

MODEL = CostModel(seconds_per_row=5e-7, seconds_per_task=0.0, latency=0.0, network=1e30)


def test_seconds_are_work_over_threads_until_the_driver_is_the_limit():
    assert MODEL.seconds(2**30, threads=1) == pytest.approx(2**30 * 5e-7)
    assert MODEL.seconds(2**30, threads=16) == pytest.approx(2**30 * 5e-7 / 16)
    slow_driver = CostModel(seconds_per_row=5e-7, seconds_per_task=1.0)
    assert slow_driver.seconds(2**30, threads=10_000) >= slow_driver.tasks(2**30) == 1024
    several = CostModel(seconds_per_row=1e-6, start_seconds=2.0, passes=10, seconds_per_task=0.0)
    assert several.seconds(10**6) == pytest.approx(2.0 + 10 * 1.0, rel=0.02)


def test_samples_of_two_sizes_give_the_model():
    model = CostModel.measured(time.sleep, [(100, 0.02), (1000, 0.2)], passes=2)
    assert model.seconds_per_row == pytest.approx(1e-4, rel=0.3)
    assert model.passes == 2
    with pytest.raises(DataError, match="two sizes"):
        CostModel.measured(time.sleep, [(100, 0.0), (100, 0.0)])
    with pytest.raises(DataError, match="no longer"):
        CostModel.measured(time.sleep, [(100, 0.05), (1000, 0.0)])


def test_a_simulation_without_stragglers_or_failures_is_the_formula():
    found = MODEL.simulate(2**28, 4, 2, stragglers=0.0, hours_between_failures=1e9)
    assert found.seconds == pytest.approx(MODEL.seconds(2**28, threads=8))
    assert found[1:] == (0.0, 0.0)


def test_stragglers_and_failures_cost_time_and_lose_little_work():
    calm = MODEL.simulate(2**32, 16, stragglers=0.0, hours_between_failures=1e9)
    rough = MODEL.simulate(2**32, 16, hours_between_failures=0.1, runs=5)
    assert rough.deaths == pytest.approx(16 * rough.seconds / 360, rel=0.5)
    assert 0 < rough.work_lost < 0.02
    assert calm.seconds < rough.seconds < 2 * calm.seconds
    assert rough == MODEL.simulate(2**32, 16, hours_between_failures=0.1, runs=5)
