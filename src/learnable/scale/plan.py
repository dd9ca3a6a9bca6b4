"""What a fit to a scan will take, before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..engines import passes
from .scalable import is_scalable, refusal

if TYPE_CHECKING:
    from .scans import Scan

CELLS_A_SECOND = 4e7  # entries that one thread reads and adds up in a second
TASK_SECONDS = 1e-3  # to schedule a task on a cluster
BYTES = 8


@dataclass(frozen=True)
class Plan:
    """What a fit takes: passes over the rows, bytes that a task sends up in each, bytes of memory per thread, seconds.

    Iterative methods take as many passes as they need: `passes` then is what they usually take.
    """

    passes: int
    bytes_up: int
    memory: int
    seconds: float


def plan_of(model: Any, rows: Scan) -> Plan:
    """The plan of a fit of `model`."""
    if not is_scalable(model):
        raise refusal(model)
    final = getattr(model, "_final", model)
    columns = max(1, len(rows.schema) - len(rows.view.own))
    classes = int(final.traits.task == "classification") + 1
    passes_needed, summary = _needs(type(final).__name__, final, columns, classes)
    steps = getattr(model, "steps", None)
    passes_needed += len(steps) - 1 if steps is not None else 0
    count = rows.count()
    workers = passes.current_runner().workers
    cells = count * (columns + 1)
    tasks = -(-count // (rows.block_rows * passes.LEAVES_PER_TASK))
    seconds = passes_needed * (cells / CELLS_A_SECOND / workers + tasks * TASK_SECONDS)
    memory = 4 * rows.block_rows * (columns + 1) * BYTES + 4 * summary
    return Plan(passes_needed, summary, memory, seconds)


def _needs(name: str, model: Any, p: int, classes: int) -> tuple[int, int]:
    """The number of passes, and the bytes of a summary."""
    gram = BYTES * (p + 1) ** 2
    own = getattr(model, "_passes_on_blocks", None)
    groups = getattr(model, "n_clusters", getattr(model, "n_components", None))
    count = groups if isinstance(groups, int) else 1
    if own is not None:
        return own, gram
    if hasattr(model, "max_iter") and hasattr(model, "tol") and _is_iterative(name):
        full = getattr(model, "covariance_type", None) in ("full", "tied")
        return min(int(model.max_iter), 20), gram * count if full else max(gram, BYTES * count * (p + 2))
    return 1 + (classes > 1), gram * classes


def _is_iterative(name: str) -> bool:
    """Whether each iteration is a pass."""
    return name in ("KMeans", "GaussianMixture", "LogisticRegression", "LinearSVC") or name.endswith(
        ("PoissonRegressor", "GammaRegressor", "TweedieRegressor")
    )
