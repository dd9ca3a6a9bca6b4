"""What those have in common who keep some columns and drop the others."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from ..core import Array, Invertible, Matrix
from ..core.errors import warn
from ..core.validate.targets import is_sparse


class Selector(Invertible):
    """A transformer that keeps some of the columns: it writes `_support`, the mask of those that stay."""

    def get_support(self, indices: bool = False) -> Array:
        """Mask, or with `indices` the indices, of the selected columns."""
        self._require_fit()
        mask = self._support()
        return np.flatnonzero(mask) if indices else mask

    @abstractmethod
    def _support(self) -> Array: ...

    def _transform(self, X: Matrix) -> Matrix:
        kept = np.flatnonzero(self._support())
        if len(kept) == 0:
            warn(
                f"{type(self).__name__} chose no column: none of them passes; choose a milder rule.",
                UserWarning,
            )
            return np.empty((X.shape[0], 0), dtype=X.dtype)
        return X[:, kept]

    def _inverse(self, X: Matrix) -> Matrix:
        """The selected features at their original positions, zeros elsewhere."""
        kept = np.flatnonzero(self._support())
        if is_sparse(X):
            from scipy.sparse import csc_array

            cells = X.tocoo()
            return csc_array((cells.data, (cells.row, kept[cells.col])), shape=(X.shape[0], self.n_features_in_))
        whole = np.zeros((X.shape[0], self.n_features_in_), dtype=X.dtype)
        whole[:, kept] = X
        return whole

    def _names_out(self, names: list[str]) -> list[str]:
        return [name for name, kept in zip(names, self._support(), strict=True) if kept]


def best(scores: Array, count: int) -> Array:
    """The mask of the `count` highest scores; of equals the later ones, and those that are no number last."""
    mask = np.zeros(scores.shape, dtype=bool)
    ranked = np.where(np.isnan(scores), -np.inf, scores)
    mask[np.argsort(ranked, kind="stable")[len(scores) - min(count, len(scores)) :]] = True
    return mask
