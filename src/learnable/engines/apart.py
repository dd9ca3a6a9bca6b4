"""Dense algebra that takes seconds: LAPACK looks neither at the time nor for Ctrl-C, so somebody else must."""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable
from contextvars import Context, copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ..core.data import Array
from ..core.errors import BudgetError
from ..core.native import kernels
from ..core.threads import single_threaded_blas

if TYPE_CHECKING:
    from concurrent.futures import Future
    from threading import Thread

Answer = TypeVar("Answer")

LONG = 1e8  # multiplications, from which a call may take 0.1 seconds
FETCHED = 80  # multiplications in the time that the singular values of a narrow matrix take to fetch an entry
LOOK = 0.02  # seconds between two looks at the time
LAST_WAIT = 30.0  # seconds at the end of a process for calls that nobody waits for any more

_left_alone: list[Thread] = []


def apart(function: Callable[..., Answer], matrix: Array, *more: Any, **options: Any) -> Answer:
    """`function(matrix, *more, **options)`, which a budget or Ctrl-C can end though it looks at neither.

    Its work should grow as the entries of `matrix`, each of which is fetched and then multiplied as often as the
    shorter side is long. If that is long, a thread of its own does it, with BLAS held to one thread as here, so that
    the bits are those of a direct call. Who waits leaves when time is up; the thread ends by itself, and its answer is
    dropped. `function` must not hold Python's lock while it works, as much of SciPy does and NumPy does not. A process
    that ends waits for it, as BLAS must not be taken from a thread at work.

    >>> import numpy as np
    >>> apart(np.linalg.inv, np.array([[2.0]]))
    array([[0.5]])
    """
    if matrix.size * (min(matrix.shape[-2:]) + FETCHED) < LONG:
        return function(matrix, *more, **options)
    return awaited(partial(function, matrix, *more, **options))


def awaited(call: Callable[[], Answer]) -> Answer:
    """What `call` answers, unless time is up before."""
    from concurrent.futures import Future, wait
    from threading import Thread

    answer: Future[Answer] = Future()
    worker = Thread(target=_deliver, args=(answer, copy_context(), call), daemon=True)
    worker.start()
    deadline = _deadline()
    try:
        while not wait([answer], LOOK).done:
            if time.monotonic() > deadline:
                raise BudgetError("the budget ended before the fit was complete")
    except BaseException:
        _left_alone[:] = [other for other in _left_alone if other.is_alive()] + [worker]
        raise
    return answer.result()


@atexit.register
def _wait_for_those_left_alone() -> None:
    end = time.monotonic() + LAST_WAIT
    for worker in _left_alone:
        worker.join(max(end - time.monotonic(), 0.0))


def _deliver(answer: Future[Any], context: Context, call: Callable[[], Any]) -> None:
    """Run `call` with BLAS held to one thread, and hand over what it answers or raises."""
    with single_threaded_blas():
        try:
            answer.set_result(context.run(call))
        except BaseException as error:
            answer.set_exception(error)


def _deadline() -> float:
    """The time at which the kernels that this thread calls would give up."""
    deadline = kernels.set_deadline(float("inf"))
    kernels.set_deadline(deadline)
    return deadline
