"""Metadata of cross-validation: what goes to fits, what to splits, and what to scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import ParameterTypeError
from ..core.sklearn_api.configuration import routing_is_enabled
from ..core.sklearn_api.metadata import Route, known_metadata, requested_metadata
from ..metrics.scoring import OwnScore


@dataclass(slots=True)
class RoutedMetadata:
    """The arguments of fits and splits; those of scores are None where weights alone count in them."""

    fit: dict[str, Any]
    groups: Any = None
    split: dict[str, Any] = field(default_factory=dict)
    score: dict[str, Any] | None = None

    @classmethod
    def of(
        cls, owner: str, estimator: Any, cv: Any, scorer: Any, groups: Any, given: dict[str, Any], method: str = "fit"
    ) -> RoutedMetadata:
        """Every entry to those that request it where routing is enabled; otherwise all to `method` of the estimator."""
        if not routing_is_enabled():
            return cls(given, groups)
        if groups is not None:
            given = {**given, "groups": groups}
        target = estimator if scorer is None or isinstance(scorer, OwnScore) else scorer
        takers = ((estimator, method), (cv, "split"), (target, "score"))
        unknown = set(given) - set().union(*(known_metadata(part, callee) for part, callee in takers))
        if unknown:
            raise ParameterTypeError(
                f"{owner} got unexpected argument(s) {unknown}, which are not routed to any object"
            )
        fit = requested_metadata(estimator, method, given)
        split = requested_metadata(cv, "split", given)
        score = {} if scorer is None else {name: given[name] for name in known_metadata(target, "score") & set(given)}
        if score:
            requested_metadata(target, "score", given)  # refuses what is neither requested nor declined
        return cls(fit, split.pop("groups", None), split, score)

    def splitter(self, cv: Any) -> Any:
        """`cv`, given the metadata that it requests beside groups."""
        return SplitterWithMetadata(cv, self.split) if self.split else cv


@dataclass(slots=True)
class SplitterWithMetadata:
    """A splitter and the arguments that its `split` requests."""

    cv: Any
    metadata: dict[str, Any]

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        """The folds of the splitter."""
        more = {} if groups is None else {"groups": groups}
        return iter(self.cv.split(X, y, **more, **self.metadata))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of folds."""
        return int(self.cv.get_n_splits(X, y, groups))


def evaluation_routes(estimator: Any, cv: Any, scorer: Any) -> list[Route]:
    """Where a search passes metadata on to."""
    target = estimator if isinstance(scorer, OwnScore) else scorer
    return [
        Route("estimator", estimator, {"fit": ("fit",)}),
        Route("scorer", target, {"fit": ("score",), "score": ("score",)}),
        Route("splitter", cv, {"fit": ("split",)}),
    ]
