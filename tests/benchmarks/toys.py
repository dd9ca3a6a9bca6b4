"""A task whose contenders behave well or badly in known ways."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.task import AtMost, Contender, Data, Kind, Quality, Task

WASTE = 64 * 1024**2


def returns(value: float) -> Callable[[Data], Callable[[], Any]]:
    """Prepares a call that returns the sum of the data plus the value."""

    def prepare(data: Data) -> Callable[[], Any]:
        return lambda: data["x"].sum() + value

    return prepare


def prepare_waste(data: Data) -> Callable[[], Any]:
    def call() -> Any:
        block = np.ones(WASTE // 8)
        return data["x"].sum() + 0 * block.sum()

    return call


def prepare_noise(data: Data) -> Callable[[], Any]:
    def call() -> Any:
        print("a peer that talks", flush=True)
        return data["x"].sum()

    return call


def prepare_failure(data: Data) -> Callable[[], Any]:
    raise ValueError("a peer that fails")


def prepare_absence(data: Data) -> Callable[[], Any]:
    from learnable import no_such_method  # type: ignore[attr-defined]  # absent on purpose

    return no_such_method


def prepare_death(data: Data) -> Callable[[], Any]:
    raise SystemExit("a peer that dies")


def prepare_sleep(data: Data) -> Callable[[], Any]:
    pause = 60.0 if data["n"] > 10 else 0.0  # the warm-up data are short
    return lambda: time.sleep(pause)


def contender(name: str, prepare: Callable[[Data], Any], kind: Kind = "peer", *needs: str) -> Contender:
    return Contender(name, prepare, lambda raw: {"sum": raw}, needs, kind)


def make(n: int) -> Data:
    return {"x": np.arange(float(n)), "n": n}


def error(data: Data, output: Any) -> float:
    return float(abs(output["sum"] - data["n"] * (data["n"] - 1) / 2))


def task(name: str, *contenders: Contender) -> Task:
    return Task(
        name=name,
        home=__name__,
        size="{n} numbers",
        make=make,
        full={"n": 1000},
        quick={"n": 10},
        contenders=contenders,
        quality=Quality("error", error, AtMost(1e-6)),
    )


TASKS = (
    task(
        "toy",
        contender("exact", returns(0.0)),
        contender("wrong", returns(1.0)),
        contender("not a number", returns(np.nan)),
        contender("ours", returns(0.0), "ours"),
        contender("wasteful", prepare_waste),
        contender("noisy", prepare_noise),
        contender("failing", prepare_failure),
        contender("absent", prepare_absence, "ours"),
        contender("dying", prepare_death),
        contender("missing", returns(0.0), "peer", "no_such_package"),
    ),
    task("slow", contender("exact", returns(0.0)), contender("asleep", prepare_sleep)),
)
