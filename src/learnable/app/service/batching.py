"""Requests that come at the same time are answered by one call of the model."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..predict.predictions import Answers

MOST_ROWS = 4096  # of one call, so that a small request does not wait long for large ones


class Batcher:
    """Frames of waiting requests, put together for each call.

    While the model works in its thread, requests gather; when it is done, all that wait go into the next call. So a
    lone request never waits for others, and the busier the service, the larger its batches.
    """

    def __init__(self, answer: Callable[[Any], Answers], told: Callable[[], None] = lambda: None) -> None:
        self.answer, self.told = answer, told
        self.waiting: deque[tuple[Any, asyncio.Future[Answers]]] = deque()
        self.thread = ThreadPoolExecutor(1, "learnable-model")
        self.worker: asyncio.Task[None] | None = None

    async def ask(self, frame: Any) -> Answers:
        """The answers for a frame."""
        future: asyncio.Future[Answers] = asyncio.get_running_loop().create_future()
        self.waiting.append((frame, future))
        if self.worker is None or self.worker.done():
            self.worker = asyncio.create_task(self._work())
        return await future

    async def _work(self) -> None:
        """Answer until nobody waits."""
        await asyncio.sleep(0)  # what has arrived already may come along
        while batch := self._batch():
            await self._answered(batch)

    def _batch(self) -> list[tuple[Any, asyncio.Future[Answers]]]:
        """The requests of the next call; those that nobody waits for any more are left out."""
        batch: list[tuple[Any, asyncio.Future[Answers]]] = []
        rows = 0
        while self.waiting and (not batch or rows + self.waiting[0][0].num_rows <= MOST_ROWS):
            frame, future = self.waiting.popleft()
            if not future.done():
                batch.append((frame, future))
                rows += frame.num_rows
        return batch

    async def _answered(self, batch: list[tuple[Any, asyncio.Future[Answers]]]) -> None:
        """One call for all; if it fails, one for each, so that nobody suffers from the rows of another."""
        try:
            found = await self._call(_joined([frame for frame, _ in batch]))
        except Exception as error:
            if len(batch) > 1:
                for one in batch:
                    await self._answered([one])
            elif not batch[0][1].done():
                batch[0][1].set_exception(error)
            return
        begin = 0
        for frame, future in batch:
            if not future.done():
                future.set_result(found.part(slice(begin, begin + frame.num_rows)) if len(batch) > 1 else found)
            begin += frame.num_rows

    async def _call(self, frame: Any) -> Answers:
        self.told()
        return await asyncio.get_running_loop().run_in_executor(self.thread, self.answer, frame)

    def close(self) -> None:
        """Let the thread end."""
        self.thread.shutdown(wait=False)


def _joined(frames: list[Any]) -> Any:
    import pyarrow as pa

    return frames[0] if len(frames) == 1 else pa.concat_tables(frames).combine_chunks()
