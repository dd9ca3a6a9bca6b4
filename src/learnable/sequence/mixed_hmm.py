"""Hidden Markov models with a family of distributions for each column."""

from __future__ import annotations

from ..core import estimator, param
from ._hmm.column_hmm import ColumnHMM


@estimator
class MixedHMM(ColumnHMM):
    """Hidden Markov model of mixed columns: each column has its own family of distributions in each hidden state.

    maximise over pi, A, theta    log sum over paths z of  pi_z1 prod_t A_zt-1,zt prod_j p_j(x_tj; theta_zt,j)

    Families are "gaussian", "bernoulli", "categorical", "poisson", "zero_inflated_poisson", "negative_binomial",
    "exponential", "gamma" and "von_mises" (angles in radians). Columns are independent given the state; missing entries
    (NaN) are integrated out. [Zucchini and MacDonald, 2009]

    >>> X = [[0.1, 0], [0.0, 1], [-0.1, 0], [5.2, 9], [4.9, 11], [5.0, 10], [0.2, 1]]
    >>> model = MixedHMM(2, distributions=["gaussian", "poisson"], n_iter=100, random_state=0).fit(X)
    >>> state = model.predict(X)[3]
    >>> {name: round(value, 2) for name, value in model.distribution(1, state).items()}
    {'rate': 10.0}
    """

    params: str = param("ste", "parameters to estimate: s(tart), t(ransitions), e(missions)")
    init_params: str = param("ste", "parameters to initialise; others keep the values they were set to")

    title = "hidden Markov model of mixed columns"
    reference = "Zucchini and MacDonald, Hidden Markov Models for Time Series, 2009"
    letters = {"e": "parameters"}
