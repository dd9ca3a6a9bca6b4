"""Fisher's linear discriminant."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Trace, estimator, learned, param
from ..core.runtime.native import kernels
from ..engines import matrix_products
from ..engines.algebra.covariances import ledoit_wolf_shrinkage
from ..engines.algebra.interruptible_lapack import interruptibly
from ._discriminant_base import (
    DiscriminantOnBlocks,
    DiscriminantProjection,
    SingularError,
    class_means,
    rows_that_count,
    upright,
)


@estimator
class FisherDiscriminant(DiscriminantProjection, DiscriminantOnBlocks):
    """Fisher's linear discriminant: nearest class mean after projection on the most discriminative directions.

    maximise over w   J(w) = w' S_b w / w' S_w w,   S_w = sum_i (x_i - m_k)(x_i - m_k)'

    where m_k is the mean of the class of row i and S_b = sum_k n_k (m_k - m)(m_k - m)'. Directions are S_w^-1/2 u_j of
    the eigenvectors u_j of S_w^-1/2 S_b S_w^-1/2, at most K - 1; projections are uncorrelated within classes, each of
    variance one. For two classes w has the direction of S_w^-1 (m_2 - m_1). Directions without variance are left out
    (the pseudo-inverse), so p > n works; `shrinkage` s uses (1 - s) S_w/n + s I instead and keeps them, "auto" takes
    tr(S_w/n)/p I and the s of least expected error by the lemma of Ledoit and Wolf.
    [Fisher, 1936; Rao, 1948]

    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> model = FisherDiscriminant().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1]]), model.criterion_.round(3)
    (array([1]), array([8.]))
    """

    n_components: int | None = param(None, "number of directions; None: all, at most K - 1", at_least=1)
    shrinkage: Literal["auto"] | float | None = param(
        0.0, 'shrinkage intensity of the within-class covariance; "auto": Ledoit-Wolf', between=(0, 1),
        tune=(0.0, 0.01, 0.1, 0.5),
    )  # fmt: skip
    tol: float = param(1e-6, "minimum standard deviation of a direction, relative to the largest", at_least=0)
    classes_: Array = learned("class labels, sorted", shape="classes")
    means_: Array = learned("mean of each class", shape="classes features")
    scalings_: Array = learned("directions, one per column", shape="features directions")
    criterion_: Array = learned("J of each direction: the eigenvalues", shape="directions")
    explained_variance_ratio_: Array = learned("fraction of each direction of the sum of all J", shape="directions")
    projected_means_: Array = learned("centred class means in these directions", shape="classes directions")

    title = "Fisher's linear discriminant"
    reference = "Fisher, The use of multiple measurements in taxonomic problems, Annals of Eugenics, 1936"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, codes, weight = rows_that_count(data, type(self).__name__)
        classes, dtype = len(self.classes_), data.X.dtype
        most = min(classes - 1, data.p)
        if self.n_components is not None and self.n_components > most:
            raise ParameterError(
                f"{type(self).__name__}: n_components={self.n_components}, but {data.p} column(s) and {classes} "
                f"class(es) have {most} direction(s)"
            )
        totals = np.bincount(codes, weights=weight, minlength=classes).astype(np.float64)
        axes = _span(X, weight, not self.shrinkage) if data.p > len(X) else None
        rows = X if axes is None else (X - X.mean(axis=0)) @ axes
        means, within = kernels.pooled_scatter(rows, codes, np.full(classes, 1 / totals.sum()), weight)
        scatter = Scatter(means, within, totals / totals.sum(), scaled=axes is not None)
        share, variance = self._shrunk_to(rows - means[codes], within, weight, data.p)
        criterion, scalings = _directions_of(scatter, share, variance, self.tol)
        if axes is not None:
            scalings, means = axes @ scalings, class_means(X, codes, classes, weight)
        kept, total = most if self.n_components is None else self.n_components, float(criterion.sum())
        self.means_ = means.astype(dtype, copy=False)
        self.scalings_ = upright(scalings[:, :kept]).astype(dtype, copy=False)
        self.criterion_ = criterion[:kept]
        self.explained_variance_ratio_ = self.criterion_ / total if total > 0 else np.zeros(len(self.criterion_))
        self.projected_means_ = np.asarray((self.means_ - self.means_.mean(axis=0)) @ self.scalings_)
        trace.exact("the directions are eigenvectors, computed directly", float(self.criterion_.sum()))

    def _shrunk_to(self, residual: Array, within: Array, weight: Array | None, columns: int) -> tuple[float, float]:
        """The weight of the identity in the shrunk within-class covariance, and its scale."""
        if self.shrinkage != "auto":
            return float(self.shrinkage or 0.0), 1.0
        return ledoit_wolf_shrinkage(residual, within, weight, columns), float(np.trace(within)) / columns

    def decision_function(self, X: Any) -> Array:
        """Minus half the squared distance to each projected mean; for two classes that of the second less the first."""
        scores = -0.5 * self._distances(self._read(X))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def _distances(self, X: Matrix) -> Array:
        apart = self._project(X)[:, None, :] - self.projected_means_
        return np.asarray((apart**2).sum(axis=2))

    def _classify(self, X: Matrix) -> Array:
        return np.asarray(self._distances(X).argmin(axis=1))

    def _project(self, X: Matrix) -> Array:
        """Rows in the directions, about the mean of the class means."""
        if self.scalings_.shape[1] == 0:
            return np.zeros((len(X), 0), dtype=X.dtype)
        return matrix_products.scores(X - self.means_.mean(axis=0), self.scalings_.T)

    def _directions(self) -> int:
        return int(self.scalings_.shape[1])


class Scatter(NamedTuple):
    """Class means, covariance within classes, shares of the classes; whether the columns are of like size already."""

    means: Array
    within: Array
    shares: Array
    scaled: bool


def _directions_of(scatter: Scatter, share: float, variance: float, tol: float) -> tuple[Array, Array]:
    """Eigenvalues and directions of the ratio of the scatter between classes to that within, largest first."""
    means, within, shares, scaled = scatter
    between = np.sqrt(shares)[:, None] * (means - shares @ means)
    covariance = (1 - share) * within + share * variance * np.eye(len(within))
    total = np.diag(within) + (between**2).sum(axis=0)
    scale = np.ones(len(within)) if scaled else np.sqrt(np.where(total > 0, total, 1.0))
    variances, axes = interruptibly(np.linalg.eigh, covariance / np.outer(scale, scale))
    kept = variances > tol**2 * max(variances[-1], 0.0)
    if not kept.any():
        raise SingularError("FisherDiscriminant: all columns are constant within the classes; set shrinkage above zero")
    whitening = axes[:, kept] / np.sqrt(variances[kept]) / scale[:, None]
    _, size, turned = interruptibly(np.linalg.svd, between @ whitening, full_matrices=False)
    return size**2, whitening @ turned.T


def _span(X: Array, weight: Array | None, plain: bool) -> Array:
    """Axes of the rows about their mean: all that separates classes lies in them, also with shrinkage.

    Without shrinkage, `plain`, the unit of a column does not matter, and columns are brought to variance one first.
    """
    centred = X - np.average(X, axis=0, weights=weight)
    unit = np.sqrt(np.average(centred**2, axis=0, weights=weight)) if plain else np.ones(X.shape[1])
    unit[unit == 0] = 1.0
    _, size, axes = interruptibly(np.linalg.svd, centred / unit, full_matrices=False)
    kept = size > 1e-10 * size[0] if size[0] > 0 else size >= size[0]
    return np.ascontiguousarray(axes[kept].T / unit[:, None])
