"""Naive Bayes for categorical features."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Traits, estimator, learned, param
from ..engines.generative.class_statistics import ClassTables
from ..engines.matrix_products import counting_rows
from ._count_base import CountNB, log_or_zero
from ._count_checks import dirichlet_excess, refuse_negative

MAX_LEVELS = 1_000_000


@estimator
class CategoricalNB(CountNB):
    """Naive Bayes for categorical features: independent categorical distributions per class.

    P(k | x) = pi_k prod_j theta_kj[x_j] / sum over classes,   theta_kj[s] = (N_kjs + alpha) / (N_kj + alpha S_j)

    Categories are integers from 0, as OrdinalEncoder returns; S_j of them. An unseen category has the probability of a
    count of zero. `dirichlet_prior` a gives the maximum a posteriori estimate, alpha = a - 1. Missing values (NaN) are
    left out of counts and products: exact marginalisation. [Warner et al., 1961]

    >>> X = [[0, 1], [0, 2], [1, 0], [1, 1]]
    >>> CategoricalNB().fit(X, ["no", "no", "yes", "yes"]).predict([[0, 0], [1, 2]])
    array(['no', 'yes'], dtype='<U3')
    """

    alpha: float = param(
        1.0, "additive smoothing parameter (pseudo-count): 0 none, 1 Laplace", at_least=0, tune=(0.01, 0.1, 1.0)
    )
    min_categories: int | Array | None = param(
        None, "minimum number of categories, of all columns or of each", at_least=1
    )
    dirichlet_prior: float | None = param(None, "parameter of a Dirichlet prior, instead of alpha", at_least=1)
    category_count_: list[Array] = learned(
        "weighted counts of the categories of each column, by class", counts="features", each="classes levels*"
    )
    feature_log_prob_: list[Array] = learned(
        "log probabilities of the categories of each column given a class",
        counts="features",
        each="classes levels*",
    )
    n_categories_: Array = learned("number of categories of each column", shape="features", least=0)

    traits = Traits(missing="native", categorical=True, positive_columns=True)
    title = "naive Bayes for categorical features"
    reference = "Warner, Toronto, Veasey and Stephenson, A mathematical approach to medical diagnosis, JAMA, 1961"

    def _statistics(self, data: Data) -> ClassTables:
        X, codes, weight = counting_rows(data.X, data.y, data.weight)
        return ClassTables.of(self._levels(X), codes, len(self.classes_), weight)

    def _stored_statistics(self) -> ClassTables:
        return ClassTables(**self.summary_)

    def _levels(self, X: Matrix) -> Array:
        """Category codes, checked; refused if a table of them would not fit into memory."""
        refuse_negative(type(self).__name__, X)
        largest = np.fmax.reduce(X, axis=None, initial=0)
        if largest >= MAX_LEVELS:
            column = int(np.argmax(np.fmax.reduce(X, axis=0)))
            raise DataError(
                f"{type(self).__name__}: column {column} holds the level {largest:g}, and a table of levels must fit "
                f"into memory; number the levels from 0 on, for example with OrdinalEncoder"
            )
        return np.asarray(X)

    def _estimate(self, summary: ClassTables, dtype: Any) -> None:
        tables = self._widened(summary.tables)
        self._keep(summary)
        self.category_count_ = tables
        self.n_categories_ = np.array([table.shape[1] for table in tables])
        alpha = self._smoothing(dirichlet_excess(self.alpha, self.dirichlet_prior))
        self.feature_log_prob_ = []
        for table in tables:
            smoothed = table + alpha
            total = smoothed.sum(axis=1, keepdims=True)
            known = total > 0
            probability = np.where(known, smoothed / np.where(known, total, 1.0), 1 / table.shape[1])
            self.feature_log_prob_.append(log_or_zero(probability))

    def _widened(self, tables: list[Array]) -> list[Array]:
        """Tables with at least min_categories categories."""
        if self.min_categories is None:
            return tables
        least = np.asarray(self.min_categories)
        if least.dtype.kind != "i":
            raise ParameterError(f"CategoricalNB: min_categories must be integers; got {least.dtype}")
        if least.ndim > 0 and least.shape != (len(tables),):
            raise ParameterError(
                f"CategoricalNB: min_categories must be one number, or one for each of the {len(tables)} columns; its "
                f"shape is {least.shape}"
            )
        wide = np.broadcast_to(least, len(tables)).tolist()
        return [
            np.pad(table, ((0, 0), (0, max(0, levels - table.shape[1]))))
            for table, levels in zip(tables, wide, strict=True)
        ]

    def _joint_log_likelihood(self, X: Matrix) -> Array:
        refuse_negative(type(self).__name__, X)
        joint = np.tile(self.class_log_prior_, (X.shape[0], 1))
        for j, (column, logs) in enumerate(zip(X.T, self.feature_log_prob_, strict=True)):
            there, levels = ~np.isnan(column), logs.shape[1]
            index = np.minimum(np.where(there, column, levels + 1.0), levels + 1.0).astype(np.int64)
            index[there & (index > levels)] = levels  # the column of unseen levels; the next one is of missing values
            joint += np.column_stack([logs, self._unseen(j), np.zeros(len(logs))]).T[index]
        return joint

    def _unseen(self, j: int) -> Array:
        """Log probability of an unseen category: that of a zero count, 0 without smoothing."""
        alpha = float(dirichlet_excess(self.alpha, self.dirichlet_prior))
        total = self.category_count_[j].sum(axis=1) + alpha * self.n_categories_[j]
        return np.log(alpha / total) if alpha > 0 else np.zeros(len(total))
