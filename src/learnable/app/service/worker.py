"""A thread that reads large bodies and writes large responses, one at a time, while the event loop serves others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from .budget import Reservation, return_memory

PAUSE = 1.0  # seconds between two returns of memory


class Worker:
    """A thread with the requests that wait for it; requests that time out leave nothing in its queue."""

    def __init__(self) -> None:
        self.thread = ThreadPoolExecutor(1, "learnable-bodies")  # one large body at a time bounds the memory
        self.free, self.scheduled = asyncio.Semaphore(1), False

    async def run(self, work: Callable[[Any], Any], content: Any, held: Reservation) -> Any:
        """The result of work on some content, which stays pinned until the thread has ended it, awaited or not."""
        await self.free.acquire()
        loop = asyncio.get_running_loop()

        def ended(_: Future[Any]) -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(self._end, held)

        held.pin()
        try:
            future = self.thread.submit(work, content)
        except BaseException:
            self._end(held)
            raise
        future.add_done_callback(ended)
        del content
        return await asyncio.wrap_future(future)

    def _end(self, held: Reservation) -> None:
        held.unpin()
        self.free.release()
        self.return_memory_soon()

    def return_memory_soon(self) -> None:
        """Return free memory to the operating system in a moment, once for all requests that end until then."""
        if not self.scheduled:
            self.scheduled = True
            asyncio.get_running_loop().call_later(PAUSE, self._return_memory)

    def _return_memory(self) -> None:
        self.scheduled = False
        with suppress(RuntimeError):  # it is closed
            self.thread.submit(return_memory)

    def close(self) -> None:
        """Shut the thread down."""
        self.thread.shutdown(wait=False, cancel_futures=True)
