"""Cluster labels are integers from 0, and training rows are assigned to their own clusters."""

from __future__ import annotations

import numpy as np

from ..cases import fit_quietly, make, problem
from ..promise import promise


def finds_groups(cls: type) -> bool:
    return cls.traits.task == "clustering"


@promise(made_by=finds_groups)
def training_rows_keep_their_groups(cls: type) -> None:
    X, y = problem(cls)
    model = fit_quietly(make(cls), X, y)
    np.testing.assert_array_equal(model.predict(X), model.labels_, "training rows are predicted into other groups")
    np.testing.assert_array_equal(make(cls).fit_predict(X), model.labels_, "fit and fit_predict find other groups")


@promise(made_by=finds_groups)
def groups_are_counted_from_zero(cls: type) -> None:
    X, y = problem(cls)
    labels = fit_quietly(make(cls), X, y).labels_
    assert labels.shape == (len(X),) and labels.dtype.kind == "i", f"labels_ of {labels.dtype} in shape {labels.shape}"
    found = np.unique(labels[labels != -1])
    assert (found == np.arange(len(found))).all(), f"groups are called {found}"
