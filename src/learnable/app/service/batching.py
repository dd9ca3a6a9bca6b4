"""Batching: concurrent requests are predicted by one call of the model."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ..predict.predictions import Predictions
from .budget import Reservation

MAX_ROWS = 4096  # of one call, so that a small request does not wait long for large ones


@dataclass(eq=False, slots=True)
class Waiting:
    """A frame that waits for its predictions, and its reserved memory."""

    frame: Any
    future: asyncio.Future[Predictions]
    held: Reservation | None


class Batcher:
    """Batches of waiting frames, one for each call of the model.

    While the model works in its thread, requests queue; then all waiting ones form the next batch. So a
    single request never waits for others, and the batches grow with the load.
    """

    def __init__(self, predict: Callable[[Any], Predictions], on_call: Callable[[], None] = lambda: None) -> None:
        self.predict, self.on_call = predict, on_call
        self.waiting: deque[Waiting] = deque()
        self.thread = ThreadPoolExecutor(1, "learnable-model")
        self.worker: asyncio.Task[None] | None = None

    async def submit(self, frame: Any, held: Reservation | None = None) -> Predictions:
        """The predictions for a frame; its reservation stays pinned while the model works on it."""
        one = Waiting(frame, asyncio.get_running_loop().create_future(), held)
        self.waiting.append(one)
        if self.worker is None or self.worker.done():
            self.worker = asyncio.create_task(self._work())
        try:
            return await one.future
        except asyncio.CancelledError:
            if one in self.waiting:
                self.waiting.remove(one)  # its frame would stay in memory until the model is free
            raise

    async def _work(self) -> None:
        """Process batches until no request waits."""
        await asyncio.sleep(0)  # requests that have arrived already may join the batch
        while batch := self._batch():
            pinned = [one.held for one in batch if one.held is not None]
            for held in pinned:
                held.pin()
            try:
                await self._process(batch)
            finally:
                for held in pinned:
                    held.unpin()

    def _batch(self) -> list[Waiting]:
        """The requests of the next call, without cancelled ones."""
        batch: list[Waiting] = []
        rows = 0
        while self.waiting and (not batch or rows + self.waiting[0].frame.num_rows <= MAX_ROWS):
            one = self.waiting.popleft()
            if not one.future.done():
                batch.append(one)
                rows += one.frame.num_rows
        return batch

    async def _process(self, batch: list[Waiting]) -> None:
        """Predict a batch by one call; if it fails, by one call per request, so that only invalid ones fail."""
        try:
            found = await self._call(_joined([one.frame for one in batch]))
        except Exception as error:
            if len(batch) > 1:
                for one in batch:
                    await self._process([one])
            elif not batch[0].future.done():
                batch[0].future.set_exception(error)
            return
        begin = 0
        for one in batch:
            end = begin + one.frame.num_rows
            if not one.future.done():
                one.future.set_result(found.part(slice(begin, end)) if len(batch) > 1 else found)
            begin = end

    async def _call(self, frame: Any) -> Predictions:
        self.on_call()
        return await asyncio.get_running_loop().run_in_executor(self.thread, self.predict, frame)

    def close(self) -> None:
        """Shut the thread down."""
        self.thread.shutdown(wait=False)


def _joined(frames: list[Any]) -> Any:
    import pyarrow as pa

    return frames[0] if len(frames) == 1 else pa.concat_tables(frames).combine_chunks()
