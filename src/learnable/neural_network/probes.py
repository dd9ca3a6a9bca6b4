"""Linear probes: the quality of codes by linear classifiers trained on many labels and on few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import DataError, ParameterError
from ..core.declare.checked_functions import checked
from ..core.runtime.random import generator, seed_of
from ..core.sklearn_api.estimator_type import is_fitted
from ..frozen import FrozenEstimator
from ..pipeline import Pipeline
from ..preprocessing import StandardScaler
from .mlp_classifier import MLPClassifier


@checked()
def linear_probe(encoder: Any, X: Any, y: Any, alpha: float = 1.0) -> Pipeline:
    """Linear probe: softmax regression on the codes of a fitted encoder, which stays as it is.

    Returns a pipeline of the frozen encoder, a scaler and the classifier, with the L2 penalty `alpha`.

    >>> from learnable import load_digits
    >>> from learnable.decomposition import PCA
    >>> X, y = load_digits(return_X_y=True)
    >>> probe = linear_probe(PCA(20).fit(X), X[:900], y[:900])
    >>> bool(probe.score(X[900:], y[900:]) > 0.85)
    True
    """
    if not hasattr(encoder, "transform") or not is_fitted(encoder):
        raise ParameterError(f"linear_probe: encoder must be fitted, with a transform; got {encoder!r:.60}")
    no_layers: Any = ()
    classifier = MLPClassifier(no_layers, solver="lbfgs", alpha=alpha, max_iter=2000, random_state=0)
    parts = [("encoder", FrozenEstimator(encoder)), ("scaler", StandardScaler()), ("classifier", classifier)]
    return Pipeline(parts).fit(X, y)


@checked()
def label_efficiency(
    encoder: Any, X: Any, y: Any, X_test: Any, y_test: Any, labels: Sequence[int] = (1, 2, 5, 10, 20),
    random_state: Any = None,
) -> dict[str, list[float]]:  # fmt: skip
    """Label-efficiency curve: the accuracy of probes on codes, and on the columns themselves, by labels a class.

    >>> from learnable import load_digits
    >>> from learnable.decomposition import PCA
    >>> X, y = load_digits(return_X_y=True)
    >>> found = label_efficiency(PCA(20).fit(X), X[:900], y[:900], X[900:], y[900:], (5,), 0)
    >>> sorted(found), bool(found["codes"][0] > 0.6)
    (['codes', 'columns', 'labels'], True)
    """
    rows, classes = np.asarray(X), np.asarray(y)
    found: dict[str, list[float]] = {"labels": [float(count) for count in labels], "codes": [], "columns": []}
    seed = seed_of(random_state)
    for count in labels:
        chosen = []
        for number, one in enumerate(np.unique(classes)):
            members = np.flatnonzero(classes == one)
            if len(members) < count:
                raise DataError(f"label_efficiency: class {one!r} has {len(members)} rows, and {count} are needed")
            chosen.append(generator(seed, number).permutation(members)[:count])
        at = np.concatenate(chosen)
        codes = linear_probe(encoder, rows[at], classes[at])
        found["codes"].append(float(codes.score(X_test, y_test)))
        raw = linear_probe(StandardScaler().fit(rows), rows[at], classes[at])
        found["columns"].append(float(raw.score(X_test, y_test)))
    return found
