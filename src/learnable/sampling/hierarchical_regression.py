"""Hierarchical (multilevel) linear regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, ParameterError, Trace, estimator, generator, learned, param
from ._normal_posterior import group_sums
from ._normal_regressor import NormalPosteriorRegressor, rows_of

GROUPS_AT_ONCE = 256


@estimator
class HierarchicalRegression(NormalPosteriorRegressor):
    """Hierarchical linear regression: an intercept for each group, drawn from a common normal distribution.

    y = Xw + b + u_g + e,   e ~ N(0, sigma^2),   u_g ~ N(0, tau^2),   sigma, tau ~ Exponential(1 / sd(y))

    The coefficients have the prior of `BayesianLinearRegression`. The column `group` of X holds the groups, as numbers;
    the others are features. The effects u_g are integrated out of the density that NUTS draws from, so that no funnel
    remains, and a draw costs p^2 for each distinct size of a group. Effects of small groups are shrunk towards 0; rows
    of new groups get the spread tau in their intervals.
    [Gelman and Hill, 2007]

    >>> group = np.repeat(np.arange(6), 5)
    >>> y = np.array([0, 2, -1, 4, 1, -3])[group] + np.random.default_rng(0).standard_normal(30)
    >>> model = HierarchicalRegression(random_state=0).fit(group[:, None], y)
    >>> model.effects_.round().astype(int), model.groups_.astype(int)
    (array([ 0,  2, -2,  4,  1, -4]), array([0, 1, 2, 3, 4, 5]))
    """

    group: int | str = param(0, "the column of X that holds the groups, by its index or name")
    groups_: Array = learned("the groups in order", shape="groups")
    effects_: Array = learned("posterior mean of the effect of each group", shape="groups")
    tau_: float = learned("posterior mean of the standard deviation of the effects")
    tau_draws_: Array = learned("draws of tau over the deviation of y", shape="chains draws")
    group_sums_: Array = learned(
        "weights of the rows of each group, sums of standardised columns and target", shape="groups sums"
    )

    title = "Hierarchical linear regression"
    reference = "Gelman and Hill, Data Analysis Using Regression and Multilevel/Hierarchical Models, 2007"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, y, weight = rows_of(self, data)
        column = self._group_column(data.p)
        self.groups_, codes = np.unique(X[:, column], return_inverse=True)
        X = X.copy()
        X[:, column] = 0.0  # a constant, whose coefficient is 0
        self.tau_draws_ = self._fit_rows(data, trace, X, y, weight, codes.ravel())
        self.tau_ = float(self.tau_draws_.mean() * self.y_scale_)
        target = (y - self.y_offset_) / self.y_scale_
        rows = np.column_stack([np.ones(len(X)), self._scaling.applied(X), target])
        self.group_sums_ = group_sums(rows, weight, codes.ravel())
        parts = [self._effects(slice(k, k + GROUPS_AT_ONCE)) for k in range(0, len(self.groups_), GROUPS_AT_ONCE)]
        self.effects_ = np.concatenate([mean.mean(axis=0) for mean, _ in parts]) * self.y_scale_
        self._certify(trace, self._quantities())

    def _group_column(self, width: int) -> int:
        """The index of the column of groups."""
        if isinstance(self.group, str):
            names = [str(name) for name in self.__dict__.get("feature_names_in_", [])]
            if self.group not in names:
                raise ParameterError(
                    f"HierarchicalRegression: group={self.group!r:.60} is not a column of X; it has {names!r:.80}"
                )
            return names.index(self.group)
        if not -width <= self.group < width:
            raise ParameterError(f"HierarchicalRegression: group={self.group} is not one of the {width} columns of X")
        return self.group % width

    def _quantities(self) -> dict[str, Array]:
        found = super()._quantities()
        names = list(found)
        found.pop(names[1 + self._group_column(len(self.X_offset_))])
        return found | {"tau": self.tau_draws_ * self.y_scale_}

    def _effects(self, groups: Any) -> tuple[Array, Array]:
        """Means and variances of the effects of groups given each draw, (draw, group), standardised."""
        sums = self.group_sums_[groups]
        coef = np.column_stack([self.intercept_draws_.ravel(), self.coef_draws_.reshape(-1, sums.shape[1] - 2)])
        spread, noise = self.tau_draws_.reshape(-1, 1) ** 2, self.sigma_draws_.reshape(-1, 1) ** 2
        total = noise + spread * sums[:, 0]
        return spread / total * (sums[:, -1] - coef @ sums[:, :-1].T), spread * noise / total

    def _without_groups(self, X: Array) -> tuple[Array, Array]:
        """Rows without their groups, and the index of the group of each; that of new groups is -1."""
        column = self._group_column(X.shape[1])
        index = np.minimum(np.searchsorted(self.groups_, X[:, column]), len(self.groups_) - 1)
        known = self.groups_[index] == X[:, column]
        features = X.copy()
        features[:, column] = 0.0
        return features, np.where(known, index, -1)

    def _predict(self, X: Any) -> Array:
        features, index = self._without_groups(np.asarray(X, dtype=np.float64))
        effect = np.where(index >= 0, self.effects_[index], 0.0)
        return (super()._predict(features) + effect).astype(X.dtype)

    def _means_and_spreads(self, X: Array) -> tuple[Array, Array]:
        features, index = self._without_groups(X)
        mean, noise = self._linear_draws(features), self.sigma_draws_.reshape(-1, 1) ** 2
        effect, variance = self._effects(index)
        known = index >= 0
        spread = self.tau_draws_.reshape(-1, 1) ** 2
        return mean + np.where(known, effect, 0.0), np.sqrt(np.where(known, variance, spread) + noise)

    def effects_interval(self, confidence: float = 0.95) -> Array:
        """Central posterior intervals of the effects, a row (low, high) for each group."""
        from ._posterior_base import checked_confidence

        quantiles = checked_confidence("HierarchicalRegression", confidence)
        self._require_fit()
        found = []
        for k in range(0, len(self.groups_), GROUPS_AT_ONCE):
            mean, variance = self._effects(slice(k, k + GROUPS_AT_ONCE))
            draws = mean + np.sqrt(variance) * generator(0).standard_normal((len(mean), 1))
            found.append(np.quantile(draws, quantiles, axis=0).T * self.y_scale_)
        return np.concatenate(found)
