"""Trees that grow at random, without anything to learn: what they tell is where rows lie among each other."""

from __future__ import annotations

from typing import Any, ClassVar

from ...core import Estimator, RandomState, declaring, learned, param
from ...engines.trees.forest import Forest
from ...engines.trees.tree_checks import flaw_of_columns
from ...tree.extra_tree_regressor import ExtraTreeRegressor
from .._warm_start import still_missing


@declaring
class AimlessTrees(Estimator):
    """A forest of trees that divide by random thresholds of random columns."""

    n_estimators: int = param(100, "number of trees", at_least=1)
    n_jobs: int | None = param(None, "accepted; trees grow on the threads of `learnable.threads`")
    random_state: RandomState = param(None, "seed of the rows, columns and thresholds that are drawn")
    verbose: int = param(0, "accepted; `learnable.progress()` shows how a fit goes")
    warm_start: bool = param(False, "whether a further fit adds trees to those that are there")
    forest_: Forest = learned("the trees, packed")

    estimator_params: ClassVar[tuple[str, ...]] = ()  # what each tree takes over
    sparse = True
    storage = "csc"
    missing = "native"
    stochastic = True

    def _unsound(self) -> str:
        value, flaw = self.forest_.stack.value, flaw_of_columns(self.forest_.stack.feature, self.n_features_in_)
        return flaw or ("" if value.shape[1] == 1 else "leaves must have one value")

    def _missing(self) -> range:
        """The numbers of the trees that are still to grow."""
        return still_missing(self, len(self.forest_) if "forest_" in self.__dict__ else 0)

    def _put(self, fresh: Forest) -> None:
        """Put new trees beside those that are there."""
        self.forest_ = self.forest_ + fresh if "forest_" in self.__dict__ else fresh

    @property
    def estimator_(self) -> ExtraTreeRegressor:
        """A tree that has not grown, with the parameters of all trees."""
        return self.estimator.set_params(**{name: getattr(self, name) for name in self.estimator_params})

    @property
    def estimator(self) -> ExtraTreeRegressor:
        """A tree as it is without the parameters of the forest."""
        return ExtraTreeRegressor(max_features=1)

    @property
    def estimators_(self) -> list[ExtraTreeRegressor]:
        """The trees as estimators of their own."""
        found = []
        for tree in self.forest_.trees():
            model: Any = self.estimator_
            model.__dict__.update(tree_=tree, n_outputs_=1, max_features_=1)
            model._remember_columns_of(self)
            found.append(model)
        return found
