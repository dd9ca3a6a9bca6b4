"""Long LAPACK calls that a time budget or Ctrl-C can end: LAPACK itself checks for neither."""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable
from contextvars import Context, copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ...core.errors import BudgetError
from ...core.runtime.native import kernels
from ...core.runtime.threads import single_threaded_blas
from ...core.validate.features import Array

if TYPE_CHECKING:
    from concurrent.futures import Future
    from threading import Thread

Result = TypeVar("Result")

LONG_CALL = 1e8  # multiplications; a call with more may take 0.1 seconds
FETCHED = 80  # multiplications in the time that fetching an entry takes, as in singular values of narrow matrices
POLL = 0.02  # seconds between two checks of the time
LAST_WAIT = 30.0  # seconds that a process waits at its exit for abandoned calls

_abandoned: list[Thread] = []


def interruptibly(function: Callable[..., Result], matrix: Array, *more: Any, **options: Any) -> Result:
    """`function(matrix, *more, **options)`, which a budget or Ctrl-C can end though it checks for neither.

    The work of `function` should grow as the entries of `matrix`, each fetched once and multiplied as often as the
    shorter side is long. If that is long, the call runs on a thread of its own, with BLAS held to one thread as here:
    the bits are those of a direct call. When time is up, the caller stops waiting; the thread runs to its end, and
    its result is dropped. `function` must release the GIL while it works, as NumPy does and much of SciPy does not. A
    process waits for such threads before it exits, because BLAS must not be unloaded under them.

    >>> import numpy as np
    >>> interruptibly(np.linalg.inv, np.array([[2.0]]))
    array([[0.5]])
    """
    if matrix.size * (min(matrix.shape[-2:]) + FETCHED) < LONG_CALL:
        return function(matrix, *more, **options)
    return run_in_thread(partial(function, matrix, *more, **options))


def run_in_thread(call: Callable[[], Result]) -> Result:
    """The result of `call`, which runs on a thread of its own; an error if time is up first."""
    from concurrent.futures import Future, wait
    from threading import Thread

    future: Future[Result] = Future()
    worker = Thread(target=_deliver, args=(future, copy_context(), call), daemon=True)
    worker.start()
    deadline = _deadline()
    try:
        while not wait([future], POLL).done:
            if time.monotonic() > deadline:
                raise BudgetError("the budget ended before the fit was complete")
    except BaseException:
        _abandoned[:] = [other for other in _abandoned if other.is_alive()] + [worker]
        raise
    return future.result()


@atexit.register
def _join_abandoned() -> None:
    end = time.monotonic() + LAST_WAIT
    for worker in _abandoned:
        worker.join(max(end - time.monotonic(), 0.0))


def _deliver(future: Future[Any], context: Context, call: Callable[[], Any]) -> None:
    """Run `call` with BLAS held to one thread, and store its result or exception."""
    with single_threaded_blas():
        try:
            future.set_result(context.run(call))
        except BaseException as error:
            future.set_exception(error)


def _deadline() -> float:
    """The deadline that holds for kernels called from this thread."""
    deadline = kernels.set_deadline(float("inf"))
    kernels.set_deadline(deadline)
    return deadline
