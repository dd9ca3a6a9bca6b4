"""Context managers can be entered several times: one budget for every fold, one watcher for every thread."""

from __future__ import annotations

import threading

import pytest

import learnable
from learnable import config_context, get_config
from learnable.core.runtime import context
from learnable.core.runtime.context import _threads
from learnable.core.runtime.reusable_context import block

ROWS, TARGET = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]


def makers(tmp_path):
    return {
        "budget": lambda: learnable.budget(seconds=60),
        "watch": lambda: learnable.watch(print),
        "progress": learnable.progress,
        "checkpoint": lambda: learnable.checkpoint(tmp_path / "fit.checkpoint"),
        "threads": lambda: learnable.threads(1),
        "config_context": lambda: config_context(print_changed_only=False),
    }


def in_force():
    return context.current(), _threads.get(), get_config()["print_changed_only"]


@pytest.mark.parametrize("name", ["budget", "watch", "progress", "checkpoint", "threads", "config_context"])
def test_a_block_opens_again_and_inside_itself(name, tmp_path, capsys):
    outside, tool = in_force(), makers(tmp_path)[name]()
    for _ in range(2):
        with tool:
            assert in_force() != outside
            learnable.Ridge().fit(ROWS, TARGET)
            with tool:
                assert in_force() != outside
            assert in_force() != outside
        assert in_force() == outside


def test_every_block_has_the_whole_time():
    tool, deadlines = learnable.budget(seconds=60), []
    for _ in range(2):
        with tool:
            deadlines.append(context.current().deadline)
    assert deadlines[1] > deadlines[0]


def test_threads_share_what_opens_their_blocks():
    both, tool, found = threading.Barrier(2), learnable.budget(seconds=60), []

    def work():
        with tool:
            both.wait(120)
            found.append(context.current().deadline)
        both.wait(120)
        found.append(context.current().deadline)

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 4 and found.count(float("inf")) == 2


def test_a_function_can_be_the_block():
    seen = []

    @learnable.watch(seen.append)
    def fitted():
        return learnable.Ridge().fit(ROWS, TARGET)

    fitted()
    fitted()
    assert len(seen) == 2


def test_an_error_leaves_by_the_way_of_the_block():
    left = []

    @block
    def noted(name):
        try:
            yield
        finally:
            left.append(name)

    tool = noted("a")
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), tool:
            raise ZeroDivisionError
    assert left == ["a", "a"]


def test_wrong_arguments_are_refused_every_time():
    tool = learnable.budget(seconds=-1)
    for _ in range(2):
        with pytest.raises(ValueError, match="seconds must be above 0"), tool:
            pass
