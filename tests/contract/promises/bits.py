"""The same bits on any number of threads, in any company, and again."""

from __future__ import annotations

import threading
from typing import Any

import learnable

from ..cases import THREADS, digest, fit, fit_quietly, for_sparse, large_problem, make, output, problem
from ..promise import promise


@promise(of_any_input=True)
def same_bits_on_any_number_of_threads(cls: type) -> None:
    X, y = large_problem(cls)
    seen = {}
    for count in THREADS:
        with learnable.threads(count):
            model = fit_quietly(make(cls), X, y)
            seen[count] = digest(model), output(model, X).tobytes()
    assert all(bits == seen[1] for bits in seen.values()), "the result depends on the number of threads"


@promise(made_by=lambda cls: cls.traits.sparse)
def same_bits_on_any_number_of_threads_in_sparse_data(cls: type) -> None:
    X, y = large_problem(cls, sparse=True)
    seen = set()
    for count in THREADS:
        with learnable.threads(count):
            model = fit_quietly(make(cls, **for_sparse(cls)), X, y)
            seen.add((digest(model), output(model, X).tobytes()))
    assert len(seen) == 1, "the result depends on the number of threads"


@promise(of_any_input=True)
def same_bits_again(cls: type) -> None:
    X, y = problem(cls)
    model = fit_quietly(make(cls), X, y)
    first = digest(model)
    assert digest(fit_quietly(model, X, y)) == first, "a second fit of the same object differs"
    assert digest(fit_quietly(make(cls), X, y)) == first, "a fit of an equal object differs"


@promise(of_any_input=True)
def same_bits_beside_other_fits(cls: type) -> None:
    X, y = problem(cls, rows=300)
    alone = digest(fit_quietly(make(cls), X, y))
    seen: list[Any] = []

    def run() -> None:
        model = make(cls)
        fit(model, X, y)
        seen.append(digest(model))

    workers = [threading.Thread(target=run) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert seen == [alone] * 4, "fits in several Python threads disturb each other"
