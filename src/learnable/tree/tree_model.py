"""Tree ensembles imported from other libraries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError
from ..core.declare import registry
from ..core.roles.estimator import check_names
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import ChecksSparse
from ..engines.trees.additive_trees import TreeSum
from ..engines.trees.tree import Tree
from ..engines.trees.tree_stack import TreeStack
from ..parts.losses import Logistic

Link = Literal["identity", "sigmoid", "softmax", "class", "exp"]
MAX_CATEGORY_WORDS = 2**23  # of 64 categories, of all splits of a tree together: 64 MB
UNREADABLE = (KeyError, TypeError, IndexError, AttributeError, ValueError, OverflowError, RecursionError)


@registry.value
@dataclass(frozen=True)
class TreeModel(ChecksSparse):
    """A tree ensemble of another library, which can predict, be explained and be exported, but not be fitted.

    score(x) = base + scale sum_t leaf_t(x),   prediction = link(score)

    `single` says that the other library stores rows in single precision. Made by `read_xgboost` and `read_lightgbm`.
    """

    stack: TreeStack
    cover: Array
    base: Array
    scale: float
    link: Link
    columns: int
    single: bool
    names: list[str] | None = None

    def __sklearn_is_fitted__(self) -> bool:
        """It was fitted by the library that it was read from."""
        return True

    @classmethod
    def of(cls, trees: list[Tree], output: list[int], **settings: Any) -> TreeModel:
        """The model of some trees, each of which adds to one output; invalid trees raise ValueError."""
        if flaw := next(filter(None, (tree.flaw() for tree in trees)), ""):
            raise ValueError(flaw)
        cover = np.concatenate([tree.weighted_n_node_samples for tree in trees]).astype(np.float64)
        model = cls(TreeStack.of(trees, output), cover, **settings)
        if flaw := model.stack.flaw() or model.flaw():
            raise ValueError(flaw)
        return model

    def flaw(self) -> str:
        """The defect of a model read from a file; empty if it is valid."""
        value, feature = self.stack.value, self.stack.feature
        return (
            ("" if np.isfinite(value).all() else "a leaf has no finite value")
            or ("" if self.base.shape == (self.n_outputs_,) else "every output needs a score before the first tree")
            or ("" if np.isfinite(self.base).all() else "the score before the first tree is not finite")
            or ("" if (feature < self.columns).all() else f"a node splits on a column beyond the {self.columns}")
            or ("" if self.cover.shape == (len(value),) else "every node needs a weight")
            or ("" if not np.isnan(self.stack.threshold).any() else "a threshold is not a number")
        )

    @property
    def n_features_in_(self) -> int:
        """Number of columns."""
        return self.columns

    @property
    def feature_names_in_(self) -> Array:
        """Names of the columns, if the file has them."""
        if self.names is None:
            raise AttributeError("feature_names_in_: the file has no column names")
        return np.array(self.names, dtype=object)

    @property
    def n_outputs_(self) -> int:
        """Number of scores of a row."""
        return self._tree_sum().outputs

    def decision_function(self, X: Any) -> Array:
        """The scores of the rows of `X`; flat if there is one."""
        found = self._tree_sum().predict(self._tree_rows(self._read(X)))
        return found[:, 0] if found.shape[1] == 1 else found

    def predict(self, X: Any) -> Array:
        """Predictions as in the other library: values, probabilities of the second class or of all, or classes."""
        score = self.decision_function(X)
        if self.link == "class":
            return np.asarray(score.argmax(axis=1))
        if self.link == "sigmoid":
            return np.asarray(Logistic().predict(score))
        if self.link == "softmax":
            raised = np.exp(score - score.max(axis=1, keepdims=True))
            return np.asarray(raised / raised.sum(axis=1, keepdims=True))
        return np.exp(score) if self.link == "exp" else score

    def _read(self, X: Any) -> Array:
        matrix, names = FeatureValidator("TreeModel", missing="native").matrix(X)
        if names is not None and self.names not in (None, names, *_lightgbm_names(names)):
            check_names("TreeModel", names, self.names)
        if matrix.shape[1] != self.columns:
            raise DataError(f"TreeModel: X has {matrix.shape[1]} features, but the trees expect {self.columns}")
        return np.asarray(matrix)

    def _tree_rows(self, X: Array) -> Array:
        return np.ascontiguousarray(X.astype(np.float32) if self.single else X, dtype=np.float64)

    def _tree_sum(self) -> TreeSum:
        return TreeSum(self.stack, self.cover, self.scale, self.base, self.link)


def _lightgbm_names(names: list[str]) -> tuple[list[str], list[str]]:
    """Names as LightGBM writes them, with underscores for blanks, and its names of unnamed columns."""
    return [name.replace(" ", "_") for name in names], [f"Column_{j}" for j in range(len(names))]


def read_failure(error: Exception) -> str:
    """Why a file of another library could not be read, from the exception."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not text"
    return f"it has no {error}" if isinstance(error, KeyError) else str(error)
