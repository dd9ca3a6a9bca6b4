"""The hidden Markov model of posteriordb (stan-dev/posteriordb at 28f8d3d, BSD-3), against its posterior means."""

import json
from pathlib import Path

import numpy as np

from learnable.sequence import GaussianHMM

REFERENCE = Path(__file__).parents[1] / "references" / "posteriordb_hmm.json"


def test_posterior_modes_are_close_to_the_means_by_stan():
    """Two states of variance 1, means with the priors N(3, 1) and N(10, 1), transitions with a uniform prior.

    A pseudo-count of 1 makes the mode of transitions with known states the mean of their posterior under that prior.
    """
    given = json.loads(REFERENCE.read_text())
    model = GaussianHMM(
        2, covariance_type="spherical", params="tm", init_params="", n_iter=1000, tol=1e-9, transmat_prior=2.0,
        means_prior=np.array([[3.0], [10.0]]), means_weight=1.0,
    )  # fmt: skip
    model.startprob_, model.transmat_ = np.full(2, 0.5), np.full((2, 2), 0.5)
    model.means_, model.covars_, model.n_features = np.array([[3.0], [10.0]]), np.ones(2), 1
    model.fit(np.array(given["y"])[:, None])
    names = [f"theta{i}[{j}]" for i in (1, 2) for j in (1, 2)]
    np.testing.assert_allclose(model.transmat_.ravel(), [given["mean"][name] for name in names], atol=2e-3)
    means = [given["mean"]["mu[1]"], given["mean"]["mu[2]"]]
    np.testing.assert_allclose(model.means_.ravel(), means, atol=5e-3)
