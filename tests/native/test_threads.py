"""Threads, interrupts, deadlines and forks of kernels."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

from learnable.core.errors import BudgetError
from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import KernelLimits, thread_count, threads


def run(program: str, **environment: str) -> str:
    """What `program` prints in a process of its own."""
    variables = {**os.environ, **environment}
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(program)]
    return subprocess.run(
        command, env=variables, capture_output=True, text=True, check=True, timeout=600
    ).stdout.strip()


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_threads_that_take_part(count):
    with threads(count):
        assert kernels.get_threads() == thread_count() == count
        assert kernels.sleep_in_blocks(15 * count, 0.02) == count


def test_threads_are_restored_and_nest():
    default = kernels.get_threads()
    with threads(3):
        with threads(1):
            assert thread_count() == 1
        assert kernels.get_threads() == 3
    assert kernels.get_threads() == default


@pytest.mark.parametrize("wrong", [0, -1])
def test_no_threads_is_refused(wrong):
    with pytest.raises(ValueError, match="at least 1"), threads(wrong):
        pass


def test_KernelLimits_reach_another_thread():
    import contextvars

    seen = []

    def fit() -> None:
        with KernelLimits(float("inf")):
            seen.append(kernels.get_threads())

    with threads(5):
        context = contextvars.copy_context()
        other = threading.Thread(target=context.run, args=(fit,))
        other.start()
        other.join()
    assert seen == [5]


def test_default_obeys_the_environment():
    program = "from learnable.core.runtime.native import kernels; print(kernels.default_threads())"
    assert run(program, OMP_NUM_THREADS="1") == "1"
    assert int(run(program, OMP_NUM_THREADS="999")) <= len(os.sched_getaffinity(0))


def test_deadline_ends_a_kernel():
    started = time.monotonic()
    with KernelLimits(started + 0.1), pytest.raises(BudgetError, match="budget"):
        kernels.sleep_in_blocks(1_000_000, 0.001)
    assert 0.1 <= time.monotonic() - started < 500
    assert kernels.sleep_in_blocks(2, 0.0) >= 1


def test_deadline_ends_a_kernel_made_of_short_loops():
    X = np.random.default_rng(0).normal(size=(4000, 1500))
    with KernelLimits(time.monotonic() + 0.01), pytest.raises(BudgetError):
        kernels.moments(X, X[:, 0].copy())


@pytest.mark.parametrize("count", [1, 2])
def test_interrupt_ends_a_kernel(count):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it
    try:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with threads(count), pytest.raises(KeyboardInterrupt):
            kernels.sleep_in_blocks(100_000, 0.001)
    finally:
        signal.signal(signal.SIGINT, before)


def test_own_signal_handlers_run():
    class Alarm(Exception):
        pass

    def ring(*_):
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(Alarm):
            kernels.sleep_in_blocks(100_000, 0.001)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_child_of_a_fork_can_work():
    program = """
        import os
        from learnable.core.runtime.native import kernels
        kernels.set_threads(4)
        kernels.sleep_in_blocks(16, 0.001)
        child = os.fork()
        if child == 0:
            os._exit(0 if kernels.sleep_in_blocks(400, 0.002) > 1 else 1)  # more than one thread took part
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert run(program) == "0"


def test_many_threads_may_call_at_once():
    counts = []
    callers = [threading.Thread(target=lambda: counts.append(kernels.sleep_in_blocks(50, 0.0005))) for _ in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(counts) == 6


def test_level_can_be_forced():
    program = "from learnable.core.runtime.native import kernels; print(kernels.level)"
    assert run(program, LEARNABLE_SIMD=kernels.level) == kernels.level
    with pytest.raises(subprocess.CalledProcessError):
        run(program, LEARNABLE_SIMD="v9")
