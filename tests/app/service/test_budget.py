"""What requests hold is counted until nothing works on it any more, and reading ends with the time of a request."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from typing import Any

import pytest

from learnable.app.predict.predictor import Predictor
from learnable.app.service.application import Service, application
from learnable.app.service.batching import Batcher
from learnable.app.service.budget import FREE, Budget, Reservation
from learnable.app.service.problems import HttpError
from learnable.app.service.settings import ServiceSettings
from learnable.app.service.worker import Worker
from tests.app.saved_models import classifier

ROW = {"age": 30.0, "income": 40.0, "city": "Rome"}


def test_a_budget_refuses_what_others_leave_no_room_for():
    budget = Budget(1000)
    first, second = Reservation(budget), Reservation(budget)
    first.resize(FREE + 700)
    second.resize(FREE)  # which is not counted
    second.resize(FREE + 300)
    with pytest.raises(HttpError, match="memory_budget"):
        second.resize(FREE + 301)
    assert budget.used == 1000
    first.unpin()
    second.resize(FREE + 5000)  # as the only one
    assert budget.used == 5000
    second.unpin()
    assert budget.used == 0


def test_what_a_thread_works_on_is_held_although_its_request_has_ended():
    async def main() -> tuple[int, int]:
        worker, budget, go = Worker(), Budget(1000), threading.Event()
        held = Reservation(budget)
        held.resize(FREE + 500)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await worker.run(lambda content: go.wait(30), b"", held)
        held.unpin()
        during = budget.used
        go.set()
        while budget.used:
            await asyncio.sleep(0.01)
        worker.close()
        return during, await asyncio.sleep(0, budget.used)

    assert asyncio.run(main()) == (500, 0)


def test_frames_of_requests_that_have_ended_do_not_wait_for_the_model():
    import pyarrow as pa

    async def main() -> int:
        go = threading.Event()
        batcher = Batcher(lambda frame: go.wait(30))
        frame = pa.table({"x": [1.0]})
        first = asyncio.create_task(batcher.submit(frame))
        await asyncio.sleep(0.05)
        second = asyncio.create_task(batcher.submit(frame))
        await asyncio.sleep(0.05)
        second.cancel()
        await asyncio.sleep(0.05)
        waiting = len(batcher.waiting)
        go.set()
        await first
        batcher.close()
        return waiting

    assert asyncio.run(main()) == 0


def test_reading_a_body_is_under_the_time_limit_and_off_the_event_loop(monkeypatch: Any):
    """A body that took long to read took as long as it took, whatever --timeout said."""
    released, turns = threading.Event(), 0

    def slow(self: Service, body: bytes) -> Any:
        released.wait(20)
        raise AssertionError("no one waits for this")

    async def main() -> dict[str, Any]:
        nonlocal turns
        monkeypatch.setattr(Service, "_frame_of_json", slow)
        guard = application(Predictor.of(classifier(), "model"), ServiceSettings(seconds=0.3))
        body, sent = json.dumps([ROW] * 2000).encode(), []
        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": "/predict", "headers": headers, "query_string": b""}

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        request = asyncio.create_task(guard(scope, receive, send))
        began = time.monotonic()
        while not request.done() and time.monotonic() - began < 15:
            turns += 1
            await asyncio.sleep(0.01)
        released.set()
        await request
        return {"status": sent[0]["status"], **json.loads(sent[1]["body"])["error"]}

    found = asyncio.run(main())
    assert (found["status"], found["code"]) == (503, "too_slow") and "--timeout" in found["remedy"]
    assert turns > 5
