"""Hidden Markov models with multinomial emissions."""

from __future__ import annotations

import numpy as np

from ..core import Array, DataError, Traits, estimator, learned, param
from ._emissions.counts import MultinomialEmissions
from ._hmm.online_em import OnlineHMM
from ._hmm.row_rules import refuse_non_counts
from ._sequence_input import Sequences


@estimator
class MultinomialHMM(OnlineHMM):
    """Multinomial hidden Markov model: each hidden state emits counts of categories in a number of trials.

    maximise over pi, A, B    log sum over paths z of  pi_z1 M(x_1; n_1, B_z1) prod_t A_zt-1,zt M(x_t; n_t, B_zt)

    `X` has a column for each category; a row of NaN is a missing observation. `n_trials` is the number of trials of
    each row, or None for the sums of the rows. For one symbol a step use `CategoricalHMM`. [Rabiner, 1989]

    >>> X = [[4, 1], [5, 0], [0, 5], [1, 4], [5, 0]]
    >>> model = MultinomialHMM(n_components=2, n_trials=5, n_iter=100, random_state=0).fit(X)
    >>> bool(model.predict(X)[0] == model.predict(X)[4] != model.predict(X)[2])
    True
    """

    n_trials: int | Array | None = param(
        None, "number of trials of a row, or of each row; None: sum of its counts", at_least=0
    )
    params: str = param("ste", "parameters to estimate: s(tart), t(ransitions), e(missions)")
    init_params: str = param("ste", "parameters to initialise; others keep the values they were set to")
    emissionprob_: Array = learned(
        "probability of each category in each state", shape="states features", probabilities=True
    )
    trials_: Array = learned(
        "numbers of trials that rows had, of which sample draws", shape="trials", optional=True, least=0
    )

    title = "multinomial hidden Markov model"
    reference = "Rabiner, A tutorial on hidden Markov models and selected applications in speech recognition, 1989"
    letters = {"e": "emissionprob"}
    traits = Traits(positive_columns=True)

    def _check_rows(self, data: Sequences, fitted: bool = False) -> None:
        super()._check_rows(data, fitted)
        owner, missing = type(self).__name__, np.isnan(data.X)
        refuse_non_counts(owner, data)
        if (missing.any(axis=1) & ~missing.all(axis=1)).any():
            row = int(np.argmax(missing.any(axis=1) & ~missing.all(axis=1)))
            raise DataError(f"{owner}: row {row} of X has some missing counts; a missing row has NaN in every column")
        if self.n_trials is None or np.ndim(self.n_trials):
            return
        sums = data.X.sum(axis=1)
        wrong = ~missing.all(axis=1) & (sums != self.n_trials)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(
                f"{owner}: the counts of row {row} of X add up to {sums[row]:g}, but n_trials is {self.n_trials}"
            )

    def _emissions(self, X: Array | None = None) -> MultinomialEmissions:
        if X is not None:
            self.trials_ = np.unique(np.nansum(X, axis=1)[~np.isnan(X).all(axis=1)]).astype(np.int64)
        if self.n_trials is not None:
            return MultinomialEmissions(np.ravel(self.n_trials))
        return MultinomialEmissions(self.__dict__.get("trials_", np.array([1])))

    def _width(self) -> int:
        return int(self.emissionprob_.shape[1])
