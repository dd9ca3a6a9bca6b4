"""Documents with several labels."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core.errors import ParameterError
from ..core.runtime.random import RandomState, stream
from ._argument_rules import generating

Array = np.ndarray
RAREST = 1e-3


@generating()
def make_multilabel_classification(
    n_samples: int = 100,
    n_features: int = 20,
    *,
    n_classes: int = 5,
    n_labels: int = 2,
    length: int = 50,
    allow_unlabeled: bool = True,
    sparse: bool = False,
    return_indicator: Literal["dense", "sparse"] | bool = "dense",
    return_distributions: bool = False,
    random_state: RandomState = None,
) -> tuple[Any, ...]:
    """Multilabel documents: word counts from a mixture of about n_labels topics each.

    labels ~ p(class), Poisson(n_labels) of them;   words ~ mean of p(word | label), Poisson(length) of them

    Y is a matrix of indicators, or with return_indicator=False a list of labels for each row. return_distributions adds
    p(class) and p(word | class). The same seed gives the same data as scikit-learn's function of this name.

    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> X.shape, Y.shape
    ((100, 20), (100, 5))
    """
    from scipy.sparse import csr_matrix

    _check_number_of_labels(n_labels, n_classes, allow_unlabeled)
    draws = stream(random_state)
    p_class = draws.uniform(size=n_classes)
    p_class /= p_class.sum()
    p_word = draws.uniform(size=(n_features, n_classes))
    p_word /= p_word.sum(axis=0)
    words, labels = [], []
    for _ in range(n_samples):
        labels.append(_labels(np.cumsum(p_class), n_labels, allow_unlabeled, draws))
        words.append(_words(p_word, labels[-1], length, draws))
    start = np.cumsum([0, *map(len, words)])
    X = csr_matrix((np.ones(start[-1]), np.concatenate(words), start), shape=(n_samples, n_features))
    X.sum_duplicates()
    Y: Any = _indicators(labels, n_classes) if return_indicator else labels
    tables = (X if sparse else X.toarray(), csr_matrix(Y) if return_indicator == "sparse" else Y)
    return (*tables, p_class, p_word) if return_distributions else tables


def _check_number_of_labels(mean: int, classes: int, may_be_none: bool) -> None:
    """Refuse numbers of labels that would hardly ever be drawn, so that drawing would not end."""
    from scipy.special import pdtr

    likely = pdtr(classes, mean) - (0.0 if may_be_none else pdtr(0, mean))
    if likely < RAREST:
        least = "" if may_be_none else ", and at least 1 unless rows may be unlabeled"
        raise ParameterError(
            f"make_multilabel_classification: n_labels must be about n_classes={classes} at most{least}; got {mean}"
        )


def _labels(cumulative: Array, mean: int, may_be_none: bool, draws: np.random.RandomState) -> list[int]:
    """Different labels of one document."""
    most = len(cumulative)
    requested = most + 1
    while requested > most or (requested == 0 and not may_be_none):
        requested = int(draws.poisson(mean))
    found: set[int] = set()
    while len(found) != requested:
        found.update(np.searchsorted(cumulative, draws.uniform(size=requested - len(found))).tolist())
    return list(found)


def _words(p_word: Array, labels: list[int], length: int, draws: np.random.RandomState) -> Array:
    """The words of one document."""
    count = 0
    while count == 0:
        count = int(draws.poisson(length))
    if not labels:
        return draws.randint(len(p_word), size=count)
    cumulative = p_word[:, labels].sum(axis=1).cumsum()
    return np.searchsorted(cumulative / cumulative[-1], draws.uniform(size=count))


def _indicators(labels: list[list[int]], classes: int) -> Array:
    Y = np.zeros((len(labels), classes), dtype=np.int64)
    for row, own in zip(Y, labels, strict=True):
        row[own] = 1
    return Y
