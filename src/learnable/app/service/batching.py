"""Requests that come at the same time are answered by one call of the model."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ..predict.predictions import Answers
from .budget import Reservation

MOST_ROWS = 4096  # of one call, so that a small request does not wait long for large ones


@dataclass(eq=False, slots=True)
class Waiting:
    """A frame that waits for its predictions, and the memory that it holds."""

    frame: Any
    future: asyncio.Future[Answers]
    held: Reservation | None


class Batcher:
    """Frames of waiting requests, put together for each call.

    While the model works in its thread, requests gather; when it is done, all that wait go into the next call. So a
    lone request never waits for others, and the busier the service, the larger its batches.
    """

    def __init__(self, answer: Callable[[Any], Answers], told: Callable[[], None] = lambda: None) -> None:
        self.answer, self.told = answer, told
        self.waiting: deque[Waiting] = deque()
        self.thread = ThreadPoolExecutor(1, "learnable-model")
        self.worker: asyncio.Task[None] | None = None

    async def ask(self, frame: Any, held: Reservation | None = None) -> Answers:
        """The answers for a frame; what it holds stays pinned while the model works on it."""
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
        """Answer until nobody waits."""
        await asyncio.sleep(0)  # what has arrived already may come along
        while batch := self._batch():
            pinned = [one.held for one in batch if one.held is not None]
            for held in pinned:
                held.pin()
            try:
                await self._answered(batch)
            finally:
                for held in pinned:
                    held.unpin()

    def _batch(self) -> list[Waiting]:
        """The requests of the next call; those that nobody waits for any more are left out."""
        batch: list[Waiting] = []
        rows = 0
        while self.waiting and (not batch or rows + self.waiting[0].frame.num_rows <= MOST_ROWS):
            one = self.waiting.popleft()
            if not one.future.done():
                batch.append(one)
                rows += one.frame.num_rows
        return batch

    async def _answered(self, batch: list[Waiting]) -> None:
        """One call for all; if it fails, one for each, so that nobody suffers from the rows of another."""
        try:
            found = await self._call(_joined([one.frame for one in batch]))
        except Exception as error:
            if len(batch) > 1:
                for one in batch:
                    await self._answered([one])
            elif not batch[0].future.done():
                batch[0].future.set_exception(error)
            return
        begin = 0
        for one in batch:
            end = begin + one.frame.num_rows
            if not one.future.done():
                one.future.set_result(found.part(slice(begin, end)) if len(batch) > 1 else found)
            begin = end

    async def _call(self, frame: Any) -> Answers:
        self.told()
        return await asyncio.get_running_loop().run_in_executor(self.thread, self.answer, frame)

    def close(self) -> None:
        """Let the thread end."""
        self.thread.shutdown(wait=False)


def _joined(frames: list[Any]) -> Any:
    import pyarrow as pa

    return frames[0] if len(frames) == 1 else pa.concat_tables(frames).combine_chunks()
