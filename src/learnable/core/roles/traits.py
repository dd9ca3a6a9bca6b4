"""What an estimator declares about itself: its input, its target and its behaviour, in one value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from ..validate.features import Missing, Storage

Takes = Literal[
    "numbers", "column", "table", "kernel", "texts", "records", "images", "target",
    "sequence", "sequences",  # rows in the order of time; several of these with a label each
    "sentences",  # lists of tokens with a label each
    "ratings",  # pairs of a user and an item
    "parts",  # what those inside take
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Traits:
    """The declared properties of an estimator class, read by tags, documentation, composites and contract tests.

    A class states only what differs from what it inherits. Everything else comes from its bases in the order of method
    resolution, trait by trait, as class attributes would.
    """

    # input
    takes: Takes = "numbers"  # what X holds
    compares_by: str = ""  # the parameter that names, or is, the comparison of rows; if "precomputed", X holds it
    sparse: bool = False  # whether X may be a SciPy sparse matrix
    storage: Storage = "csc"  # the format in which sparse data are handed to `_fit`
    missing: Missing = "refuse"  # whether missing values are refused or handled
    infinite: bool = False  # whether infinite values are accepted
    categorical: bool = False  # whether categorical columns need no encoding
    positive_columns: bool = False  # whether entries of X must be at least zero
    by_name: bool = False  # whether columns are found by their names, in any order
    detects_non_finite: bool = False  # whether a fit without weights fails on values that are not finite

    # target
    uses_target: Literal["never", "if given", "always"] = "never"  # whether `fit` of a transformer reads y
    single_target: bool = True  # whether y may be a single target
    multi_target: bool = False  # whether y may have several columns
    flat_target: bool = False  # whether predictions for a target of one column are one-dimensional
    double_target: bool = False  # whether targets keep double precision where X has less
    positive_target: bool = False  # whether targets must not be negative
    many_classes: bool = True  # whether there may be more than two classes
    multi_label: bool = False  # whether rows may have any number of labels, each a column of zeros and ones

    # behaviour
    task: str = ""  # what it learns to do: "regression", "classification", "clustering", ...
    weights: bool = True  # whether `fit` takes sample_weight
    stochastic: bool = False  # whether results depend on random_state
    parametric: bool = True  # whether what is learned has a size that does not grow with the number of rows
    lazy: bool = False  # whether the work is done when predicting
    stateless: bool = False  # whether it needs no fit
    warm_start_keeps_classes: bool = False  # whether a warm start adds to what was learned of the same classes
    baseline: bool = False  # whether it ignores the features, as a model to beat
    poor_score: bool = False  # whether accuracy on simple data may be poor by design

    def __new__(cls, **stated: Any) -> Self:
        """Remember which traits are stated, so that the others can be inherited."""
        traits = super().__new__(cls)
        traits.__dict__["stated"] = stated
        return traits

    def accepting(self, *components: Traits) -> Traits:
        """The same, accepting sparse matrices and missing values if all components do."""
        native = all(component.missing == "native" for component in components)
        sparse = all(component.sparse for component in components)
        return replace(self, sparse=sparse, missing="native" if native else "refuse")


def inherited_traits(cls: type) -> Traits:
    """The traits of a class: what its bases state, from the most general to the most special, and then itself."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        found |= _stated_by(base)
    traits = replace(Traits(), **found)
    traits.__dict__["stated"] = _stated_by(cls)
    return traits


def _stated_by(cls: type) -> dict[str, Any]:
    own = vars(cls).get("traits")
    stated: dict[str, Any] = own.__dict__["stated"] if isinstance(own, Traits) else {}
    return stated


def traits_of(estimator: Any, **unknown: Any) -> Traits:
    """The traits of an estimator with its parameters as they are.

    Of an estimator of another library its tags say whether it accepts sparse matrices and missing values; everything
    else is as `unknown` says, or as the defaults say.
    """
    if isinstance(getattr(estimator, "traits", None), Traits):
        traits: Traits = estimator._effective_traits()
        return traits
    traits = Traits(**unknown)
    if not hasattr(estimator, "__sklearn_tags__") or isinstance(estimator, type):
        return traits
    tags = estimator.__sklearn_tags__().input_tags
    return replace(traits, sparse=bool(tags.sparse), missing="native" if tags.allow_nan else "refuse")
