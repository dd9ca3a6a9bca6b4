"""Surprise, entropy, cross-entropy and divergence of one variable."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import Rows, checked
from ._probability_inputs import Kind, check_base, law, plain


@checked()
def self_information(probability: float | Rows, *, base: float = 2.0) -> float | Array:
    """Self-information of an outcome: I = -log p, at least 0, and 0 for what is certain.

    In bits with base 2, in nats with base e. One of K equally likely outcomes carries log2 K bits. [Shannon, 1948]

    >>> self_information(0.25)
    2.0
    """
    values = _shares("self_information", probability)
    with np.errstate(divide="ignore"):
        return plain(np.abs(np.log(values)) / check_base(base, "self_information"))


def _shares(owner: str, probability: Any) -> Array:
    """Probabilities, each by itself."""
    try:
        values = np.asarray(probability, dtype=np.float64)
        sound = bool(((values >= 0) & (values <= 1)).all())
    except ValueError:
        sound = False
    if not sound:
        raise DataError(f"{owner}: probability must be a number between 0 and 1, or several; got {probability!r:.60}")
    return values


@checked()
def entropy(
    values: Rows, *, kind: Kind = "probabilities", base: float = 2.0, sample_weight: Rows | None = None
) -> float:
    """Entropy of a discrete variable.

    H = -sum_k p_k log p_k,   0 log 0 = 0

    between 0 (one outcome is certain) and log K (K outcomes are equally likely). `values` are probabilities, "counts",
    or "samples" of anything; from samples it is the empirical entropy. [Shannon, 1948]

    >>> entropy([0.5, 0.25, 0.25]), entropy([1, 1, 1, 1], kind="counts"), entropy(["a", "b", "a", "b"], kind="samples")
    (1.5, 2.0, 1.0)
    """
    return mean_surprise(law(values, kind, "entropy", sample_weight), check_base(base, "entropy"))


@checked()
def binary_entropy(probability: float | Rows, *, base: float = 2.0) -> float | Array:
    """Binary entropy, -p log p - (1 - p) log(1 - p), of one probability or many.

    >>> binary_entropy([0.0, 0.5, 1.0]).tolist()
    [0.0, 1.0, 0.0]
    """
    p = _shares("binary_entropy", probability)
    unit = check_base(base, "binary_entropy")
    return plain((_surprise_share(p) + _surprise_share(1 - p)) / unit)


@checked()
def cross_entropy(p: Rows, q: Rows, *, kind: Kind = "probabilities", base: float = 2.0) -> float:
    """Cross-entropy: the mean code length of outcomes of p under a code for q.

    H(P, Q) = -sum_k p_k log q_k = H(P) + D(P || Q)

    at least H(P), and infinite where q calls impossible what p does not. p and q are laws over the same outcomes.

    >>> cross_entropy([0.5, 0.5], [0.25, 0.75]) >= entropy([0.5, 0.5])
    True
    """
    return _expected_surprise(*_pair(p, q, kind, "cross_entropy"), check_base(base, "cross_entropy"))


@checked()
def kl_divergence(p: Rows, q: Rows, *, kind: Kind = "probabilities", base: float = 2.0) -> float:
    """Kullback-Leibler divergence: the expected extra code length of q when p is true.

    D(P || Q) = sum_k p_k log(p_k / q_k)

    at least 0, and 0 only if P = Q. It is not a distance: it is not symmetric. For densities see
    `density_divergence`. [Kullback and Leibler, 1951]

    >>> kl_divergence([0.5, 0.5], [0.25, 0.75]) == kl_divergence([0.25, 0.75], [0.5, 0.5])
    False
    """
    one, two = _pair(p, q, kind, "kl_divergence")
    return divergence(one, two, check_base(base, "kl_divergence"))


def divergence(p: Array, q: Array, unit: float) -> float:
    """Divergence of checked laws; rounding does not make it negative."""
    seen = p > 0
    with np.errstate(divide="ignore"):
        apart = np.log(p[seen]) - np.log(q[seen])
    return max(0.0, float((p[seen] * apart).sum() / unit))


def mean_surprise(probabilities: Array, unit: float) -> float:
    """Entropy of checked probabilities of any shape."""
    return float(_surprise_share(probabilities).sum() / unit)


def _surprise_share(p: Array) -> Array:
    """-p log p, 0 at p = 0."""
    return np.asarray(-p * np.log(np.where(p > 0, p, 1.0)) + 0.0)


def _expected_surprise(p: Array, q: Array, unit: float) -> float:
    seen = p > 0
    with np.errstate(divide="ignore"):
        return float(-(p[seen] * np.log(q[seen])).sum() / unit)


def _pair(p: Any, q: Any, kind: Kind, owner: str) -> tuple[Array, Array]:
    if kind == "samples":
        raise DataError(
            f"{owner}: samples do not say which outcomes are the same; count them and pass two rows of counts"
        )
    one, two = law(p, kind, owner), law(q, kind, owner)
    if one.shape != two.shape:
        raise DataError(
            f"{owner}: p and q must be distributions over the same outcomes; got shapes {one.shape} and {two.shape}"
        )
    return one, two
