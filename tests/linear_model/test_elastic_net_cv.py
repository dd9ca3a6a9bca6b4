import numpy as np

from learnable.linear_model import ElasticNetCV


def test_the_choice_does_not_hang_on_the_tolerance():
    """At the default tolerance the errors, and so the choice, are those of a tight fit."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    y = np.abs(X @ [1.0, 2.0, 3.0, 0.0] + rng.normal(size=80)) + 0.1
    loose, tight = ElasticNetCV().fit(X, y), ElasticNetCV(tol=1e-10, max_iter=100_000).fit(X, y)
    assert loose.alpha_ == tight.alpha_
    np.testing.assert_allclose(loose.mse_path_, tight.mse_path_, rtol=1e-6)
