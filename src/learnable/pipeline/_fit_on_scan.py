"""Pipelines fitted to rows in blocks: no step sees more than a block of what those before it give."""

from __future__ import annotations

from typing import Any

from ..core import DataError, Trace, cloned
from ._steps import PASS, takes_weights


def fit_steps_on_scan(pipeline: Any, rows: Any, trace: Trace) -> None:
    """Fit the steps to the rows of a scan, each to what those before it give when the blocks are read."""
    pipeline.steps_ = []
    for name, step in pipeline.steps[:-1]:
        if hasattr(step, "fit_resample"):
            raise DataError(f"Pipeline: {name!r} resamples rows and cannot learn from a scan; leave it out")
        fresh = step if step in PASS else cloned(step)
        if fresh not in PASS:
            with pipeline._columns_named(step, len(pipeline.steps_)):
                (rows if takes_weights(fresh) else rows.without_weight()).fit_estimator(fresh, None, None)
            rows = rows.apply(fresh, "transform")
        pipeline.steps_.append((name, fresh))
        trace.record(0.0, step=float(len(pipeline.steps_)))
    name, step = pipeline.steps[-1]
    final = step if step in PASS else cloned(step)
    if final not in PASS:
        rows.fit_estimator(final, None, None)
    pipeline.steps_.append((name, final))
    pipeline._remember_columns_of(pipeline._first)
    trace.adopt(final, "every step was fitted on what the steps before it gave", step=float(len(pipeline.steps_)))
