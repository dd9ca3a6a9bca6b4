"""Base classes of splitters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from ..core import ParameterError, RandomState
from ..core.errors import ParameterTypeError, warn
from ..core.sklearn_api.conditional_methods import available_if
from ..core.sklearn_api.routing import REQUESTS
from ..core.validate.rows import check_equal_lengths
from ..core.validate.sparse_input import ChecksSparse
from ..engines.folds import Fold


class Splitter(ChecksSparse, ABC):
    """Divides rows into training and test rows, again and again."""

    uses_groups: ClassVar[bool] = False

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Fold]:
        """Generate indices of the training and test rows of each split; of `X` only the number of rows is used."""
        owner = type(self).__name__
        n = check_equal_lengths(owner, X=X, y=y, groups=groups)
        if groups is not None and not self.uses_groups:
            warn(f"The groups parameter is ignored by {owner}", UserWarning)
        return self._pairs(n, y, groups)

    def get_metadata_routing(self) -> Any:
        """Request of scikit-learn's metadata routing: groups where they are used, by default."""
        from sklearn.utils.metadata_routing import MetadataRequest

        found = MetadataRequest(owner=self)
        if self.uses_groups:
            found.split.add_request(param="groups", alias=self.__dict__.get(REQUESTS, True))
        return found

    def _metadata_requests(self, method: str) -> dict[str, Any]:
        return {"groups": self.__dict__.get(REQUESTS, True)} if method == "split" and self.uses_groups else {}

    @available_if(lambda splitter: splitter.uses_groups)
    def set_split_request(self, *, groups: bool | str | None = None) -> Self:
        """Say whether scikit-learn's searches pass groups on to `split`, or under which name they are given them."""
        self.__dict__[REQUESTS] = groups
        return self

    @abstractmethod
    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of splits: folds times repetitions."""

    @abstractmethod
    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]: ...


def check_seeded_shuffle(owner: str, shuffle: Any, random_state: RandomState) -> None:
    """Refuse a seed that nothing uses."""
    if not isinstance(shuffle, (bool, np.bool_)):
        raise ParameterTypeError(f"{owner}: shuffle must be True or False; got {shuffle!r:.60}")
    if not shuffle and random_state is not None:
        raise ParameterError(
            f"{owner}: random_state has no effect without shuffling; leave it at None, or set shuffle=True"
        )


def whole_number(owner: str, name: str, value: Any, least: int) -> None:
    """Refuse what is not a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ParameterTypeError(f"{owner}: {name} must be a whole number; got {value!r:.60}")
    if value < least:
        raise ParameterError(f"{owner}: {name} must be at least {least}; got {name}={value}")
