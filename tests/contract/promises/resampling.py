"""A resampler draws rows from those it is given, in their containers, and leaves these as they were."""

from __future__ import annotations

from typing import Any

import numpy as np

import learnable
from learnable.core.validate.targets import is_sparse

from ..cases import THREADS, make, problem
from ..promise import draws_classes, promise
from .names import FRAMES, NAMES, refusal


def uneven(cls: type, rows: int = 90) -> tuple[Any, Any]:
    """A table, and two classes of which one is rare."""
    X, _ = problem(cls, rows)
    y = np.where(np.arange(rows) % 4 == 0, "rare", "common")
    return X, y


@promise(made_by=draws_classes, of_any_input=True)
def rows_and_classes_stay_together(cls: type) -> None:
    X, y = uneven(cls)
    X[:, 0] = np.where(y == "rare", 1.0, -1.0)
    new, labels = make(cls).fit_resample(X, y)
    assert len(new) == len(labels) and set(labels) == {"rare", "common"}
    assert ((new[:, 0] > 0) == (labels == "rare")).all(), "rows and classes were mixed up"
    assert new.dtype == X.dtype and labels.dtype == y.dtype


@promise(made_by=draws_classes, of_any_input=True)
def resampled_frames_stay_frames(cls: type) -> None:
    X, y = uneven(cls)
    plain, labels = make(cls).fit_resample(X, y)
    for library in ("pandas", "polars"):
        frame = FRAMES[library](X)
        column = frame[frame.columns[0]]
        series = type(column)(y) if library == "pandas" else type(column)("y", y)
        new, classes = make(cls).fit_resample(frame, series)
        assert type(new) is type(frame) and list(new.columns) == NAMES, library
        assert type(classes) is type(series), library
        np.testing.assert_array_equal(np.asarray(new), plain, library)
        assert np.asarray(classes).tolist() == labels.tolist(), library


@promise(made_by=draws_classes, of_any_input=True)
def the_same_rows_on_any_number_of_threads(cls: type) -> None:
    X, y = uneven(cls, rows=900)
    seen = set()
    for count in THREADS:
        with learnable.threads(count):
            seen.add(make(cls).fit_resample(X, y)[0].tobytes())
    assert len(seen) == 1, "the rows drawn depend on the number of threads"


@promise(made_by=draws_classes, of_any_input=True)
def weights_go_with_their_rows(cls: type) -> None:
    X, y = uneven(cls)
    weight = np.where(y == "rare", 2.0, 3.0)
    _, labels, weights = make(cls).fit_resample(X, y, sample_weight=weight)
    np.testing.assert_array_equal(weights, np.where(labels == "rare", 2.0, 3.0))
    weight[:20] = 0.0
    absent, present = X.copy(), weight > 0
    absent[~present] = 77.0
    thin = make(cls).fit_resample(absent, y, sample_weight=weight)
    assert not (np.asarray(thin[0]) == 77.0).any(), "rows of weight zero were drawn"
    np.testing.assert_array_equal(thin[0], make(cls).fit_resample(X[present], y[present])[0])


@promise(made_by=lambda cls: draws_classes(cls) and cls.traits.missing == "native", of_any_input=True)
def missing_values_are_kept_when_rows_are_drawn(cls: type) -> None:
    X, y = uneven(cls)
    X = X.copy()
    X[::5, 1] = np.nan
    new, labels = make(cls).fit_resample(X, y)
    assert len(new) == len(labels) and np.isnan(new[:, 1]).any()
    assert not np.isnan(np.delete(new, 1, axis=1)).any(), "missing values came into columns without any"


@promise(made_by=draws_classes, of_any_input=True)
def data_are_left_alone_by_resampling(cls: type) -> None:
    X, y = uneven(cls)
    kept = X.copy(), y.copy()
    new, _ = make(cls).fit_resample(X, y)
    new += 1.0
    np.testing.assert_array_equal(X, kept[0])
    np.testing.assert_array_equal(y, kept[1])


@promise(made_by=draws_classes, of_any_input=True)
def one_class_is_not_resampled(cls: type) -> None:
    X, y = uneven(cls)
    message = refusal(lambda: make(cls).fit_resample(X, np.full(len(y), "rare")))
    assert cls.__name__ in message and "more than 1 class" in message, message
    assert cls.__name__ in refusal(lambda: make(cls).fit_resample(X, y[:-1]))


@promise(made_by=lambda cls: draws_classes(cls) and cls.traits.sparse, of_any_input=True)
def sparse_rows_are_drawn_as_dense_ones(cls: type) -> None:
    from scipy import sparse

    X, y = uneven(cls)
    new, labels = make(cls).fit_resample(sparse.csr_array(X), y)
    plain, classes = make(cls).fit_resample(X, y)
    assert is_sparse(new), "sparse rows became dense"
    np.testing.assert_array_equal(new.toarray(), plain)
    np.testing.assert_array_equal(labels, classes)
