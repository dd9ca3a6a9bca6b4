"""BLAS is limited to one thread inside fits and restored afterwards, however fits overlap."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from learnable.core.runtime.threads import scipy_linalg, single_threaded_blas


def blas_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    scipy_linalg()
    with threadpool_limits(2, user_api="blas"):
        yield


def test_limited_inside_and_restored_outside():
    with single_threaded_blas():
        assert blas_threads() == {1}
        with single_threaded_blas():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_an_error_restores_the_limit():
    with pytest.raises(ZeroDivisionError), single_threaded_blas():
        raise ZeroDivisionError
    assert blas_threads() == {2}


def test_overlapping_blocks_of_threads():
    barrier = threading.Barrier(4)
    wrong: list[set[int]] = []

    def work(seed: int) -> None:
        draws = np.random.default_rng(seed)
        barrier.wait()
        for _ in range(200):
            with single_threaded_blas():
                if blas_threads() != {1}:
                    wrong.append(blas_threads())
                if draws.random() < 0.1:
                    threading.Event().wait(0.0005)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong
    assert blas_threads() == {2}


LATE = """
import learnable
from learnable.core.runtime.threads import scipy_module, single_threaded_blas
from threadpoolctl import threadpool_info

with single_threaded_blas():
    scipy_module("sparse.linalg")
    print({library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"})
"""


def test_a_library_that_is_loaded_inside_a_block_is_limited_too():
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "{1}", done.stderr
