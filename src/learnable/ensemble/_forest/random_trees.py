"""Base class of forests of totally random trees, which are grown without a target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ...core import Estimator, RandomState, Traits, declaring, learned, param
from ...engines.trees.forest import Forest
from ...engines.trees.tree_checks import flaw_of_columns
from ...tree.extra_tree_regressor import ExtraTreeRegressor
from .._warm_start import remaining_range


@declaring
class RandomTrees(Estimator):
    """Base class of forests whose trees split by random thresholds of random columns."""

    n_estimators: int = param(100, "number of trees", at_least=1)
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    random_state: RandomState = param(None, "seed of the draws of rows, columns and thresholds")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    warm_start: bool = param(False, "whether a further fit adds trees to those of the last fit")
    forest_: Forest = learned("the fitted trees, packed")

    estimator_params: ClassVar[tuple[str, ...]] = ()  # parameters passed on to each tree
    traits = Traits(sparse=True, storage="csc", missing="native", stochastic=True)

    def _unsound(self) -> str:
        value, flaw = self.forest_.stack.value, flaw_of_columns(self.forest_.stack.feature, self.n_features_in_)
        return flaw or ("" if value.shape[1] == 1 else "leaves must have one value")

    def _remaining(self) -> range:
        """Indices of the trees still to be grown."""
        return remaining_range(self, len(self.forest_) if "forest_" in self.__dict__ else 0)

    def _add_trees(self, fresh: Forest) -> None:
        """Add new trees to those of the last fit."""
        self.forest_ = self.forest_ + fresh if "forest_" in self.__dict__ else fresh

    @property
    def estimator_(self) -> ExtraTreeRegressor:
        """An unfitted tree with the parameters of the trees."""
        return self.estimator.set_params(**{name: getattr(self, name) for name in self.estimator_params})

    @property
    def estimator(self) -> ExtraTreeRegressor:
        """An unfitted tree with default parameters."""
        return ExtraTreeRegressor(max_features=1)

    @property
    def estimators_(self) -> list[ExtraTreeRegressor]:
        """The trees as fitted estimators."""
        return [self.estimator_._adopt(tree, self, n_outputs_=1, max_features_=1) for tree in self.forest_.trees()]

    def __len__(self) -> int:
        return len(self.forest_)

    def __getitem__(self, index: int) -> ExtraTreeRegressor:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[ExtraTreeRegressor]:
        return iter(self.estimators_)
