"""Context managers that can be entered several times, made from generator functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ContextDecorator, contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec

Given = ParamSpec("Given")


class Block(ContextDecorator):
    """A reusable context manager: may be entered repeatedly, nested, and in several threads."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], AbstractContextManager[None]]) -> None:
        self._make = make

    def __enter__(self) -> None:
        once = self._make()
        once.__enter__()
        _opened.set((*_opened.get(), (self, once)))

    def __exit__(self, *error: Any) -> bool | None:
        opened = _opened.get()
        place = max(i for i, (tool, _) in enumerate(opened) if tool is self)
        _opened.set(opened[:place] + opened[place + 1 :])
        return opened[place][1].__exit__(*error)


_opened: ContextVar[tuple[tuple[Block, AbstractContextManager[None]], ...]] = ContextVar("learnable_opened", default=())


def block(function: Callable[Given, Iterator[None]]) -> Callable[Given, Block]:
    """Decorator: a generator function that yields once as a reusable context manager.

    >>> @block
    ... def said(word):
    ...     print(word)
    ...     yield
    >>> twice = said("now")
    >>> for _ in range(2):
    ...     with twice:
    ...         pass
    now
    now
    """
    once = contextmanager(function)

    @functools.wraps(function)
    def opens(*given: Given.args, **named: Given.kwargs) -> Block:
        return Block(functools.partial(once, *given, **named))

    return opens
