"""Base class of estimators composed of named estimators, whose parameters are reached by these names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..declare import params
from ..errors import ParameterError, ParameterTypeError
from .estimator import Estimator, cloned


class Composite(Estimator):
    """A meta-estimator; the parameter named by `parts` holds its components as (name, estimator, ...) tuples.

    Components are fitted as copies. Where `fitted_parts` names the learned attribute that holds these, the given ones
    take over what was learned after a fit that succeeded, as programs expect that keep a reference to them.
    """

    parts: ClassVar[str]
    fitted_parts: ClassVar[str] = ""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The columns of a composite whose components were fitted before are those of its first component."""
            if self.fitted_parts and name in ("n_features_in_", "feature_names_in_"):
                first = next((part for _, part in self._named_parts()), None)
                if hasattr(first, name):
                    return getattr(first, name)
            return super().__getattr__(name)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with `deep`, also the parts by their names and their parameters as `part__name`."""
        found = super().get_params(deep=deep)
        if deep:
            for name, part in self._named_parts():
                found[name] = part
                if _has_params(part):
                    found.update({f"{name}__{inner}": value for inner, value in part.get_params().items()})
        return found

    def set_params(self, **values: Any) -> Self:
        """Set parameters by name: own ones first, then whole parts, then `part__name` inside them."""
        own = params.parameters(type(self))
        super().set_params(**{name: value for name, value in values.items() if name.partition("__")[0] in own})
        others = {name: value for name, value in values.items() if name.partition("__")[0] not in own}
        for name in [name for name in others if "__" not in name]:
            self._replace_part(name, others.pop(name))
        inside: dict[str, dict[str, Any]] = {}
        for name, value in others.items():
            part, _, inner = name.partition("__")
            inside.setdefault(part, {})[inner] = value
        for part, inner_values in inside.items():
            self._part(part).set_params(**inner_values)
        return self

    def _named_parts(self) -> Iterator[tuple[str, Any]]:
        """(name, part) of whatever has the right form; `fit` complains about the rest."""
        listed = getattr(self, self.parts)
        for entry in listed if isinstance(listed, (list, tuple)) else ():
            if isinstance(entry, (list, tuple)) and len(entry) >= 2 and isinstance(entry[0], str):
                yield entry[0], entry[1]

    def _part(self, name: str) -> Any:
        for known, part in self._named_parts():
            if known == name and _has_params(part):
                return part
        raise self._unknown(name)

    def _replace_part(self, name: str, value: Any) -> None:
        entries = list(getattr(self, self.parts))
        for place, entry in enumerate(entries):
            if entry[0] == name:
                entries[place] = (name, value, *entry[2:])
                setattr(self, self.parts, entries)
                return
        raise self._unknown(name)

    def _unknown(self, name: str) -> ParameterError:
        known = ", ".join([*params.parameters(type(self)), *(str(part) for part, _ in self._named_parts())])
        return ParameterError(f"{type(self).__name__} has no parameter {name!r}; it has {known}")

    def _hand_over(self, first: int = 0) -> None:
        """Let the components that were given, from the `first` on, hold what their fitted copies have learned."""
        pairs = list(zip(getattr(self, self.parts), getattr(self, self.fitted_parts), strict=True))
        for entry, (_, fitted) in pairs[first:]:
            _take_over(entry[1], fitted)

    def _check_parts(self) -> None:
        """Raise an error unless the components are tuples with valid, distinct names."""
        owner, listed = type(self).__name__, getattr(self, self.parts)
        if not isinstance(listed, (list, tuple)) or not listed:
            raise ParameterError(f"{owner}: {self.parts} must be a list of (name, estimator); got {listed!r:.60}")
        for entry in listed:
            if not isinstance(entry, (list, tuple)) or len(entry) < 2 or not isinstance(entry[0], str):
                raise ParameterTypeError(f"{owner}: each of {self.parts} must be (name, estimator); got {entry!r:.60}")
            if isinstance(entry[1], type):
                made = entry[1].__name__
                raise ParameterTypeError(
                    f"{owner}: {entry[0]!r} in {self.parts} is a class, not an instance; use {made}()"
                )
        names = [entry[0] for entry in listed]
        for name in names:
            if names.count(name) > 1:
                raise ParameterError(
                    f"{owner}: names in {self.parts} are not unique: {name!r} occurs twice; rename one"
                )
            if "__" in name or name in params.parameters(type(self)):
                raise ParameterError(
                    f"{owner}: {name!r} in {self.parts} must not contain __ or be the name of a parameter; rename it"
                )


def _has_params(part: Any) -> bool:
    return hasattr(part, "get_params") and not isinstance(part, type)


def copy_to_fit(component: Any) -> Any:
    """A clone that holds also what is not a parameter, such as what was learned before, for a warm start."""
    fresh = cloned(component)
    if fresh is not component and hasattr(fresh, "__dict__"):
        kept = vars(fresh)
        kept.update({name: value for name, value in vars(component).items() if name not in kept})
    return fresh


def _take_over(given: Any, fitted: Any) -> None:
    """Replace what a component holds beside its parameters by what its fitted copy holds."""
    if given is fitted or type(given) is not type(fitted) or not hasattr(given, "__dict__"):
        return
    own = given.get_params(deep=False) if _has_params(given) else {}
    learned = {name: value for name, value in vars(fitted).items() if name not in own}
    for name in [name for name in vars(given) if name.endswith("_") and name not in vars(fitted)]:
        del given.__dict__[name]  # learned before, and not again
    given.__dict__.update(learned)
    if isinstance(given, Composite) and given.fitted_parts in learned:
        given._hand_over()
