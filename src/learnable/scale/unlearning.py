"""Unlearning with a certificate: what was removed, and how it can be checked."""

from __future__ import annotations

import copy
import tempfile
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..core import DataError, save
from ..core.validate.rows import row_count


@dataclass(frozen=True)
class UnlearningCertificate:
    """What a model has unlearned: fingerprints of its statistics before and after, and of the model itself.

    `kind` is "exact" where the model has the bits of a fit without the removed rows; `holds_for` checks that for a
    model fitted to the remaining rows by an auditor who has them. It is "to tolerance" for iterative models, where
    `distance` is the value of the certificate of optimality, below `tolerance`.
    """

    estimator: str
    kind: str
    removed_rows: int
    removed_weight: float
    remaining_weight: float
    before: str
    removed: str
    after: str
    model: str
    distance: float
    tolerance: float

    def holds_for(self, refit: Any) -> bool:
        """Whether a model fitted to the remaining rows is, bit for bit, the one that this certifies."""
        return self.kind == "exact" and bytes_of(refit) == self.model

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    def __str__(self) -> str:
        if self.kind == "exact":
            claim = "the model has the bits of a fit without these rows"
        else:
            claim = (
                f"the model is optimal for the remaining rows to {self.distance:.3g} (tolerance {self.tolerance:.3g})"
            )
        return f"{self.estimator}: {self.removed_rows} rows of weight {self.removed_weight:.12g} removed; {claim}"


def unlearn(model: Any, X: Any, y: Any = None, sample_weight: Any = None, *, remaining: Any = None) -> tuple[Any, Any]:
    """A copy of a model without some of its training rows, and the certificate of that.

    Models with exact sums forget the rows bit for bit, from the rows `X` to be forgotten alone. Iterative models start
    from what they have learned and converge on the `remaining` rows, a tuple of X, y and, if any, weights: to the
    optimum that a new fit has, up to the tolerance that the certificate states.

    >>> import numpy as np
    >>> from learnable import Ridge, scale
    >>> X, y = np.arange(8.0).reshape(4, 2) ** 2, np.array([1.0, 2.0, 4.0, 8.0])
    >>> with scale.on(exact=True):
    ...     model, refit = Ridge().fit(X, y), Ridge().fit(X[1:], y[1:])
    >>> rest, certificate = unlearn(model, X[:1], y[:1])
    >>> certificate.holds_for(refit), certificate.holds_for(model)
    (True, False)
    """
    if hasattr(model, "_stored_summary"):
        before, rest = model._stored_summary(), copy.deepcopy(model).unlearn(X, y, sample_weight)
        removed = before - rest._stored_summary()
        after = rest._stored_summary()
        return rest, UnlearningCertificate(
            type(model).__name__, "exact", row_count(X), removed.weight, after.weight, before.fingerprint,
            removed.fingerprint, after.fingerprint, bytes_of(rest), 0.0, 0.0,
        )  # fmt: skip
    return _restarted(model, X, sample_weight, remaining)


def _restarted(model: Any, X: Any, sample_weight: Any, remaining: Any) -> tuple[Any, UnlearningCertificate]:
    """Unlearning of an iterative model, which converges again on the remaining rows."""
    owner = type(model).__name__
    if "warm_start" not in model.get_params(deep=False):
        raise DataError(
            f"unlearn: {owner} keeps no sums of its rows and cannot start from what it has learned; fit the remaining "
            "rows, or use ShardedEstimator"
        )
    if not isinstance(remaining, (tuple, list)) or not 2 <= len(remaining) <= 3:
        raise DataError(f"unlearn: {owner} is iterative: give the remaining rows, as remaining=(X, y)")
    before, rest = bytes_of(model), copy.deepcopy(model)
    warm = rest.warm_start
    rest.set_params(warm_start=True).fit(*remaining)
    rest.set_params(warm_start=warm)
    proof = rest.certificate_
    if not proof.holds:
        raise DataError(f"unlearn: {owner} did not converge on the remaining rows: {proof}; allow more iterations")
    weights = [row_count(part) if w is None else float(sum(w)) for part, w in ((X, sample_weight), _rows(remaining))]
    return rest, UnlearningCertificate(
        owner, "to tolerance", row_count(X), weights[0], weights[1], before, "", bytes_of(rest), bytes_of(rest),
        float(proof.value), float(proof.tolerance),
    )  # fmt: skip


def _rows(remaining: Any) -> tuple[Any, Any]:
    return remaining[0], remaining[2] if len(remaining) == 3 else None


def bytes_of(model: Any) -> str:
    """The SHA-256 of the file of a model, without the times that its fit took."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        save(model, path, times=False)
        return sha256(path.read_bytes()).hexdigest()
