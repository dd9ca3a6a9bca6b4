"""Scores of a network that are sums over nodes, each a function of the node and its parents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from ...core import Array, ParameterError
from ...core.runtime.native import kernels
from .._coded_table import Columns
from .._estimation import moments_by_group, regressions, variance_floors
from .._network import LOG_TAU, configurations, free_parameters, mixed_radix

ScoreName = Literal["loglik", "aic", "bic", "bdeu", "k2", "bge"]


class FamilyScores(Protocol):
    """The score of a node with given parents; the greater the better."""

    size: int
    penalty: float  # of each free parameter

    def extensions(self, child: int, base: Sequence[int], others: Sequence[int]) -> Array:
        """The score of `child` with the parents `base` and each of `others`; -1 stands for none more."""

    def most(self, child: int) -> float:
        """A log likelihood that `child` exceeds with no parents, or infinity if the score is not penalised."""


def family(scores: FamilyScores, child: int, parents: Sequence[int]) -> float:
    """The score of one family."""
    return float(scores.extensions(child, sorted(parents), [-1])[0])


def family_scores(columns: Columns, weight: Array | None, score: ScoreName, strength: float) -> FamilyScores:
    """The scores of the families of a table without missing values."""
    total = float(columns.rows if weight is None else weight.sum())
    penalty = {"bic": 0.5 * np.log(max(total, 1.0)), "aic": 1.0}.get(score, 0.0)
    if columns.discrete.all():
        if score == "bge":
            raise ParameterError("BayesianNetwork: score='bge' is for continuous columns; use 'bdeu', 'k2' or 'bic'")
        return DiscreteScores(columns, weight, score, strength, penalty)
    if score in ("bdeu", "k2"):
        named = columns.names[int(np.argmin(columns.discrete))]
        raise ParameterError(
            f"BayesianNetwork: score={score!r} is for categorical columns, and {named!r} is continuous; use 'bic' or "
            "'aic', or 'bge' where all columns are continuous"
        )
    if columns.discrete.any():
        if score == "bge":
            raise ParameterError("BayesianNetwork: score='bge' needs continuous columns alone; use 'bic' or 'aic'")
        return MixedScores(columns, weight, penalty)
    return BGeScores(columns, weight, strength) if score == "bge" else GaussianScores(columns, weight, penalty)


class DiscreteScores:
    """Log likelihood less a penalty per parameter, BDeu or K2, of categorical nodes."""

    def __init__(
        self, columns: Columns, weight: Array | None, score: ScoreName, strength: float, penalty: float
    ) -> None:
        self.size, self.card, self.penalty = len(columns.names), columns.card, penalty
        self.code, self.weight = merged_rows(columns.code, weight)
        self.rule = {"bdeu": 1, "k2": 2}.get(score, 0), float(strength), float(penalty)

    def extensions(self, child: int, base: Sequence[int], others: Sequence[int]) -> Array:
        """The scores of a child with more parents, from one pass over the rows for each."""
        found = np.empty(len(others))
        kernels.score_families(
            self.code, self.card, self.weight, child, np.array(base, dtype=np.int64),
            np.array(others, dtype=np.int64), *self.rule, found,
        )  # fmt: skip
        return found

    def most(self, child: int) -> float:
        """The greatest log likelihood of a child: that given all other columns."""
        return np.inf if self.rule[0] > 0 else float(self._saturated[child])

    @cached_property
    def _saturated(self) -> Array:
        found = np.empty(self.size)
        kernels.saturated_likelihoods(self.code, self.card, self.weight, found)
        return found


def merged_rows(code: Array, weight: Array | None) -> tuple[Array, Array | None]:
    """Equal rows merged into one with the sum of their weights, where that makes them many fewer."""
    n = code.shape[1]
    order = np.lexsort(code)
    ordered = code[:, order]
    new = np.concatenate([[True], (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)])
    if weight is None and new.sum() > 0.7 * n:
        return np.ascontiguousarray(code), None
    starts = np.flatnonzero(new)
    sums = np.add.reduceat((np.ones(n) if weight is None else weight)[order], starts)
    return np.ascontiguousarray(ordered[:, starts]), sums


class GaussianScores:
    """Log likelihood of linear regressions less a penalty per parameter, of continuous nodes."""

    def __init__(self, columns: Columns, weight: Array | None, penalty: float) -> None:
        self.size, self.penalty = len(columns.names), penalty
        w = np.ones(columns.rows) if weight is None else weight
        self.total = float(w.sum())
        floors = variance_floors(columns, weight)
        centred = columns.value - np.average(columns.value, axis=1, weights=w)[:, None]
        variance = np.average(centred**2, axis=1, weights=w)
        unit = np.sqrt(np.maximum(variance, floors))
        scaled = centred / unit[:, None]
        self.correlation = (scaled * w) @ scaled.T / self.total
        self.floor = floors / unit**2
        self.log_unit = np.log(unit)

    def extensions(self, child: int, base: Sequence[int], others: Sequence[int]) -> Array:
        """The scores of a child with more parents, from partial correlations."""
        base, added = list(base), np.array([max(other, 0) for other in others])
        own, across, square = self.residuals(child, base, added)
        gain = np.where(square > 1e-10, across**2 / np.maximum(square, 1e-10), 0.0)
        none = np.array(others) < 0
        variance = np.maximum(np.where(none, own, own - gain), self.floor[child])
        likelihood = -0.5 * self.total * (np.log(variance) + LOG_TAU + 1) - self.total * self.log_unit[child]
        return np.asarray(likelihood - self.penalty * (len(base) + 2 + ~none))

    def residuals(self, child: int, base: list[int], others: Array) -> tuple[float, Array, Array]:
        """Variance of the child, covariances with others and variances of these, given the parents."""
        R = self.correlation
        if not base:
            return float(R[child, child]), R[child, others], R[others, others]
        targets = np.concatenate([[child], others])
        solved = np.linalg.lstsq(R[base][:, base], R[base][:, targets], rcond=1e-10)[0]
        own = R[child, child] - R[child, base] @ solved[:, 0]
        across = R[child, others] - solved[:, 0] @ R[base][:, others]
        square = R[others, others] - (R[base][:, others] * solved[:, 1:]).sum(axis=0)
        return float(own), across, square

    def most(self, child: int) -> float:
        """The greatest log likelihood of a child: that given all other columns."""
        rest = [v for v in range(self.size) if v != child]
        own, _, _ = self.residuals(child, rest, np.array([child]))
        variance = max(own, self.floor[child])
        return float(-0.5 * self.total * (np.log(variance) + LOG_TAU + 1) - self.total * self.log_unit[child])


class BGeScores:
    """The Bayesian Gaussian equivalent score: the marginal likelihood under a normal-Wishart prior.

    [Geiger and Heckerman, 1994; Kuipers, Moffa and Heckerman, 2014]
    """

    def __init__(self, columns: Columns, weight: Array | None, strength: float) -> None:
        self.size = p = len(columns.names)
        self.penalty = 0.0
        w = np.ones(columns.rows) if weight is None else weight
        self.total, self.mean_weight = float(w.sum()), float(strength)
        self.freedom = p + self.mean_weight + 1
        prior = self.mean_weight * (self.freedom - p - 1) / (self.mean_weight + 1)
        mean = np.average(columns.value, axis=1, weights=w)
        centred = columns.value - mean[:, None]
        self.prior = prior
        self.posterior = prior * np.eye(p) + (centred * w) @ centred.T  # the prior mean is that of the columns
        self.cache: dict[tuple[int, ...], float] = {}

    def extensions(self, child: int, base: Sequence[int], others: Sequence[int]) -> Array:
        """The scores of a child with more parents, each from two marginal likelihoods."""
        sets = [[*base] if other < 0 else [*base, other] for other in others]
        return np.array([self._evidence([child, *parents]) - self._evidence(parents) for parents in sets])

    def _evidence(self, nodes: Sequence[int]) -> float:
        """The log marginal likelihood of some columns."""
        from scipy.special import multigammaln

        key = tuple(sorted(nodes))
        if key not in self.cache:
            k, N = len(key), self.total
            free = self.freedom - self.size + k
            found = 0.5 * k * (np.log(self.mean_weight / (N + self.mean_weight)) - N * np.log(np.pi))
            if k:
                found += multigammaln((N + free) / 2, k) - multigammaln(free / 2, k)
                found += 0.5 * free * k * np.log(self.prior)
                found -= 0.5 * (N + free) * np.linalg.slogdet(self.posterior[np.ix_(key, key)])[1]
            self.cache[key] = float(found)
        return self.cache[key]

    def most(self, child: int) -> float:
        """Not bounded this way."""
        return np.inf


class MixedScores:
    """Log likelihood less a penalty per parameter, of categorical and conditional Gaussian nodes."""

    def __init__(self, columns: Columns, weight: Array | None, penalty: float) -> None:
        self.columns, self.weight, self.penalty = columns, weight, penalty
        self.size, self.card = len(columns.names), columns.card
        self.floors = variance_floors(columns, weight)
        self.w = np.ones(columns.rows) if weight is None else weight
        states = DiscreteScores(columns, weight, "bic", 1.0, penalty) if columns.discrete.any() else None
        self.discrete = states

    def extensions(self, child: int, base: Sequence[int], others: Sequence[int]) -> Array:
        """The scores of a child with more parents; minus infinity for continuous parents of a categorical child."""
        sets = [[*base] if other < 0 else [*base, other] for other in others]
        if self.card[child] == 0:
            return np.array([self._regressions(child, parents) for parents in sets])
        if self.discrete is None or any(self.card[parent] == 0 for parent in base):
            return np.full(len(others), -np.inf)
        allowed = [other < 0 or self.card[other] > 0 for other in others]
        found = np.full(len(others), -np.inf)
        chosen = [other for other, fits in zip(others, allowed, strict=True) if fits]
        found[allowed] = self.discrete.extensions(child, base, chosen)
        return found

    def _regressions(self, child: int, parents: Sequence[int]) -> float:
        members = [parent for parent in parents if self.card[parent] == 0] + [child]
        groups = [parent for parent in parents if self.card[parent] > 0]
        index = mixed_radix(self.columns.code, groups, self.card)
        count = configurations(self.card, groups)
        moments = moments_by_group(self.columns.value[members], self.w, index, count)
        _, variance = regressions(moments, self.floors[child])
        likelihood = -0.5 * float((moments[:, 0] * (np.log(variance) + LOG_TAU + 1)).sum())
        return likelihood - self.penalty * free_parameters(self.card, list(parents), child)

    def most(self, child: int) -> float:
        """Not bounded this way."""
        return np.inf


__all__ = ["FamilyScores", "ScoreName", "family", "family_scores", "merged_rows"]
