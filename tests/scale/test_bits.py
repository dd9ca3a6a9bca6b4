"""The same bits for any partition, source, number of threads and of workers, for every scalable estimator."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import learnable
from learnable import scale
from learnable.engines import passes
from learnable.scale.scalable import is_scalable

from .clusters import dask_cluster
from .data import digest, write_parquet
from .test_equality import CASES

ROWS = 256
EVERY = {type(model).__name__: (model, data) for model, data, _ in CASES}


def fitted(model, source, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return digest(learnable.clone(model).fit(scale.scan(source, block_rows=ROWS, **options)))


def chunked(X, y, cuts):
    ends = [*sorted(cuts), len(X)]
    return lambda: ((X[a:b], *([] if y is None else [y[a:b]])) for a, b in zip([0, *sorted(cuts)], ends, strict=True))


def test_every_scalable_estimator_is_tested():
    public = {name: getattr(learnable, name) for name in learnable.public_names()}
    classes = {name: cls for name, cls in public.items() if isinstance(cls, type)}
    names = {name for name, cls in classes.items() if issubclass(cls, learnable.core.Estimator) and is_scalable(cls)}
    composites = {"Pipeline", "ColumnTransformer"}
    assert names - set(EVERY) - composites == set()


@pytest.mark.parametrize("name", EVERY)
def test_chunks_and_threads_change_no_bit(name):
    model, (X, y) = EVERY[name]
    expected = fitted(model, X, target=y)
    rng = np.random.default_rng(0)
    for _ in range(2):
        cuts = rng.choice(np.arange(1, len(X)), 5, replace=False)
        assert fitted(model, chunked(X, y, cuts.tolist())) == expected
    with learnable.threads(1):
        assert fitted(model, X, target=y) == expected


@pytest.mark.parametrize("groups", [100, 999, 5000])
def test_row_groups_change_no_bit(groups, tmp_path):
    model, (X, y) = EVERY["LogisticRegression"]
    folder = write_parquet(tmp_path / "d", X, y, cuts=(7, 1111), row_group_size=groups)
    frame = pd.read_parquet(folder)
    assert fitted(model, folder, target="y") == fitted(model, frame, target="y")


def test_a_sum_that_depends_on_its_grouping_is_found():
    """The test above can fail: a summary whose sum is not associative along the tree gives other bits."""

    class Average(float):
        def __add__(self, other):
            return Average((float(self) + float(other)) / 2)

    def value(leaves_per_task):
        tree = passes.SummationTree()
        numbers = [Average(x) for x in np.random.default_rng(0).normal(size=37)]
        for begin in range(0, 37, leaves_per_task):
            held = numbers[begin : begin + leaves_per_task]
            total = held[0]
            for number in held[1:]:  # not along the tree
                total = total + number
            tree.add(passes.PartialSum(leaves_per_task.bit_length() - 1, begin // leaves_per_task, total))
        return float(tree.total())

    def along_the_tree(leaves_per_task):
        tree = passes.SummationTree()
        numbers = [Average(x) for x in np.random.default_rng(0).normal(size=37)]
        for begin in range(0, 37, leaves_per_task):
            work = passes.SummationTree()
            for k in range(begin, min(37, begin + leaves_per_task)):
                work.add(passes.PartialSum(0, k, numbers[k]))
            for node in work.nodes():
                tree.add(node)
        return float(tree.total())

    assert len({value(2**k) for k in range(5)}) > 1
    assert len({along_the_tree(2**k) for k in range(5)}) == 1


@pytest.mark.exhaustive
def test_workers_change_no_bit():
    names = ["Ridge", "GaussianNB", "LogisticRegression", "KMeans", "PCA", "StandardScaler"]
    expected = {name: fitted(EVERY[name][0], EVERY[name][1][0], target=EVERY[name][1][1]) for name in names}
    with dask_cluster(3) as client:
        for workers in (3, 2, 1):
            client.cluster.scale(workers)
            client.sync(client.cluster._correct_state)
            with scale.on(client):
                chosen = names if workers == 3 else names[2:4]
                found = {name: fitted(EVERY[name][0], EVERY[name][1][0], target=EVERY[name][1][1]) for name in chosen}
            assert found == {name: expected[name] for name in chosen}
