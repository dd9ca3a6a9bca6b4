"""Entropies of several variables: joint, conditional, and the information that they share."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import Rows, checked
from ..core.validate.targets import as_column_array
from ._probability_inputs import Kind, check_base, codes_of, joint_law
from .discrete import divergence, mean_surprise


@checked()
def joint_entropy(
    table: Rows, *, kind: Kind = "probabilities", base: float = 2.0, sample_weight: Rows | None = None
) -> float:
    """Joint entropy of several variables.

    H(X, Y) = -sum_xy p(x, y) log p(x, y)

    at most H(X) + H(Y), with equality for independent variables. `table` has an axis for each variable, or with
    kind="samples" a column for each.

    >>> joint_entropy([[0.25, 0.25], [0.25, 0.25]])
    2.0
    """
    return mean_surprise(joint_law(table, kind, "joint_entropy", sample_weight), check_base(base, "joint_entropy"))


@checked()
def conditional_entropy(
    table: Rows,
    *,
    given: int = 1,
    kind: Kind = "probabilities",
    base: float = 2.0,
    sample_weight: Rows | None = None,
) -> float:
    """Conditional entropy of the other variables given one of them.

    H(X | Y) = sum_y p(y) H(X | Y = y) = H(X, Y) - H(Y)

    at most H(X): knowing more never surprises more on average. `given` is the axis (or the column of samples) that is
    known: 1 for H(rows | columns), 0 for H(columns | rows). From samples it is the empirical conditional entropy.

    >>> days = [["sun", "play"], ["sun", "play"], ["rain", "play"], ["rain", "stay"]]
    >>> conditional_entropy(days, given=0, kind="samples")
    0.5
    """
    joint, known = _conditioned(table, given, kind, "conditional_entropy", sample_weight)
    unit = check_base(base, "conditional_entropy")
    return max(0.0, mean_surprise(joint, unit) - mean_surprise(known, unit))


@checked()
def specific_conditional_entropy(
    table: Rows,
    *,
    given: int = 1,
    kind: Kind = "probabilities",
    base: float = 2.0,
    sample_weight: Rows | None = None,
) -> Array:
    """Conditional entropy of the other variables for each value of the given one: H(X | Y = y).

    Other than on average, a single value may raise the entropy: H(X | Y = y) > H(X) happens. NaN for values that do not
    occur. Values of samples are in sorted order.

    >>> specific_conditional_entropy([[0.5, 0.25], [0.0, 0.25]]).tolist()
    [0.0, 1.0]
    """
    joint, known = _conditioned(table, given, kind, "specific_conditional_entropy", sample_weight)
    unit = check_base(base, "specific_conditional_entropy")
    slices = np.moveaxis(joint, given, 0)
    return np.array([mean_surprise(part / p, unit) if p > 0 else np.nan for part, p in zip(slices, known, strict=True)])


@checked()
def mutual_information(
    table: Rows, *, kind: Kind = "probabilities", base: float = 2.0, sample_weight: Rows | None = None
) -> float:
    """Mutual information of two variables.

    I(X; Y) = sum_xy p(x, y) log(p(x, y) / (p(x) p(y))) = H(X) - H(X | Y) = H(Y) - H(Y | X)

    symmetric, at least 0, and 0 only if they are independent. `table` has two axes, or with kind="samples" two columns.

    >>> mutual_information([[0.5, 0.0], [0.0, 0.5]]), mutual_information([[0.25, 0.25], [0.25, 0.25]])
    (1.0, 0.0)
    """
    joint = joint_law(table, kind, "mutual_information", sample_weight)
    if joint.ndim != 2:
        raise DataError(f"mutual_information: the table must have two axes; it has {joint.ndim}")
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return divergence(joint, apart, check_base(base, "mutual_information"))


@checked()
def information_gain(y: Rows, attribute: Rows, *, base: float = 2.0, sample_weight: Rows | None = None) -> float:
    """Information gain of an attribute about the classes of a sample.

    g(D, A) = H(D) - H(D | A) = H(D) - sum_i |D_i| / |D| H(D_i)

    where A divides the rows D into D_1, D_2, ...: what ID3 chooses its splits by. It favours attributes with
    many values. [Quinlan, 1986]

    >>> information_gain([1, 1, 0, 0], ["a", "a", "b", "b"])
    1.0
    """
    classes, values = as_column_array(y), as_column_array(attribute)
    if classes.shape != values.shape or classes.ndim != 1:
        raise DataError(
            f"information_gain: y and attribute must be rows of one length; got {classes.shape} and {values.shape}"
        )
    codes = np.column_stack([codes_of(column) for column in (classes, values)])
    return mutual_information(codes, kind="samples", base=base, sample_weight=sample_weight)


@checked()
def gain_ratio(
    y: Rows,
    attribute: Rows,
    *,
    divide_by: Literal["split", "target"] = "split",
    base: float = 2.0,
    sample_weight: Rows | None = None,
) -> float:
    """Gain ratio: the information gain of an attribute relative to its intrinsic information.

    g(D, A) / H_A(D),   H_A(D) = -sum_i |D_i| / |D| log |D_i| / |D|

    so that a column with a value for each row, such as a number of customers, has a large gain but is useless. Zero for
    an attribute of one value. divide_by="target" divides by the entropy of the classes, H(D), as some texts write;
    that orders the attributes of a node as the gain itself does. [Quinlan, 1993]

    >>> [round(gain_ratio([1, 1, 0, 0], attribute), 6) for attribute in (list("abcd"), list("aabb"))]
    [0.5, 1.0]
    """
    if divide_by not in ("split", "target"):
        raise ParameterError(f'gain_ratio: divide_by must be "split" or "target"; got {divide_by!r}')
    gain = information_gain(y, attribute, base=base, sample_weight=sample_weight)
    counts = np.bincount(codes_of(as_column_array(attribute if divide_by == "split" else y)), sample_weight)
    own = mean_surprise(counts / counts.sum(), check_base(base, "gain_ratio"))
    return gain / own if own > 0 else 0.0


def _conditioned(table: Any, given: int, kind: Kind, owner: str, weight: Any) -> tuple[Array, Array]:
    """The joint law, and that of the known variable."""
    joint = joint_law(table, kind, owner, weight)
    if joint.ndim < 2:
        raise DataError(f"{owner}: the table must have at least two axes; it has {joint.ndim}")
    if not -joint.ndim <= given < joint.ndim:
        raise ParameterError(f"{owner}: given must be an axis of the table, 0 to {joint.ndim - 1}; got {given!r}")
    others = tuple(axis for axis in range(joint.ndim) if axis != given % joint.ndim)
    return joint, np.asarray(joint.sum(axis=others))
