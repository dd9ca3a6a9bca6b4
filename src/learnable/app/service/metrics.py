"""A few counters in the text format of Prometheus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # seconds
KNOWN = frozenset(("/", "/predict", "/health", "/ready", "/metrics", "/openapi.json"))


class Metrics:
    """Counters since the start of the service; labels come from fixed sets, so that callers cannot create more."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.seconds: Counter[float] = Counter()
        self.total = 0.0
        self.rows = self.strange = self.batches = self.running = 0

    def ended(self, path: str, status: int, seconds: float) -> None:
        """Count a completed request."""
        self.requests[path if path in KNOWN else "other", status] += 1
        if path == "/predict":
            self.total += seconds
            self.seconds[next((bound for bound in BOUNDS if seconds <= bound), float("inf"))] += 1

    def refused(self, status: int) -> None:
        """Count a request that was rejected before the application."""
        self.requests["other", status] += 1

    def text(self) -> str:
        """The counters in the text format of Prometheus."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _head("requests_total", "counter", "Requests by path and status.")
        for (path, status), count in sorted(self.requests.items()):
            yield f'learnable_requests_total{{path="{path}",status="{status}"}} {count}'
        yield from self._times()
        for name, kind, words, value in (
            ("rows_total", "counter", "Rows predicted.", self.rows),
            ("strange_rows_total", "counter", "Rows with values outside the training data.", self.strange),
            ("batches_total", "counter", "Calls of the model.", self.batches),
            ("requests_running", "gauge", "Requests in progress.", self.running),
        ):
            yield from _head(name, kind, words)
            yield f"learnable_{name} {value}"

    def _times(self) -> Iterator[str]:
        yield from _head("predict_seconds", "histogram", "Time from request to response.")
        running = 0
        for bound in BOUNDS:
            running += self.seconds[bound]
            yield f'learnable_predict_seconds_bucket{{le="{bound:g}"}} {running}'
        count = sum(self.seconds.values())
        yield f'learnable_predict_seconds_bucket{{le="+Inf"}} {count}'
        yield f"learnable_predict_seconds_sum {self.total:.6f}"
        yield f"learnable_predict_seconds_count {count}"


def _head(name: str, kind: str, words: str) -> tuple[str, str]:
    return f"# HELP learnable_{name} {words}", f"# TYPE learnable_{name} {kind}"
