"""Where passes over scans run: `on` a cluster of Dask, Ray or Spark, or in this process."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, cast

from ..core import ParameterError
from ..core.runtime.reusable_context import block
from ..engines import passes
from ..engines.passes import Runner


@block
def on(
    engine: Any = None,
    *,
    retries: int = 3,
    no_worker_seconds: float = 60.0,
    exact: bool = False,
) -> Iterator[None]:
    """Run the passes of all fits in the block on an engine: a Dask client, the module `ray`, or a Spark session.

    Without an engine they run in this process. Results are the same, bit for bit, on every engine and on any number of
    workers. A task that fails with its worker is done again by another, up to `retries` times; where no worker is
    alive for `no_worker_seconds`, the fit ends with a `ScaleError`. With `exact`, sums are free of rounding errors
    where a method has such sums.

    >>> from learnable import Ridge
    >>> with on(exact=False):
    ...     model = Ridge(alpha=0.0).fit([[0.0], [1.0]], [1.0, 3.0])
    """
    if not isinstance(retries, Integral) or retries < 0:
        raise ParameterError(f"on: retries must be a whole number of at least 0; got {retries!r}")
    if not isinstance(no_worker_seconds, Real) or not no_worker_seconds > 0:
        raise ParameterError(f"on: no_worker_seconds must be above 0; got {no_worker_seconds!r}")
    runner = runner_of(engine, retries, no_worker_seconds)
    tokens = passes.set_runner(runner, exact)
    try:
        yield
    finally:
        passes.reset_runner(tokens)


def runner_of(engine: Any, retries: int, no_worker_seconds: float) -> Runner:
    """The runner of an engine."""
    home = getattr(engine, "__name__", "") if engine is not None else ""
    home = home or type(engine).__module__
    package = home.partition(".")[0]
    if engine is None:
        return passes.LocalRunner()
    if package == "distributed":
        from ._runners.dask import DaskRunner

        return cast(Runner, DaskRunner(engine, retries, no_worker_seconds))  # for tasks of scans
    if package == "ray":
        from ._runners.ray import RayRunner

        return cast(Runner, RayRunner(retries, no_worker_seconds))  # for tasks of scans
    if package == "pyspark":
        from ._runners.spark import SparkRunner

        return cast(Runner, SparkRunner(engine))  # for tasks of scans
    if hasattr(engine, "run") and hasattr(engine, "workers"):
        runner: Runner = engine
        return runner
    raise ParameterError(
        f"on: {type(engine).__name__} is not a Dask client, the module ray or a Spark session; give one of these"
    )
