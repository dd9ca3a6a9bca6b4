"""A step of a mixture against plain NumPy, with the same bits on any number of threads."""

import numpy as np
import pytest

from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads

SIZES = [(1, 1, 1), (50, 3, 2), (700, 17, 5), (300, 100, 3)]


@pytest.mark.parametrize(("n", "p", "count"), SIZES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_compiled_pass_against_plain_numpy(n, p, count, dtype, weighted):
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((n, p)) + 3).astype(dtype)
    weight = rng.random(n) * (rng.random(n) > 0.2) if weighted else None
    means = rng.standard_normal((count, p)) + 3
    triangles = [np.tril(rng.standard_normal((p, p)) / p) + np.eye(p) for _ in range(count)]
    constant = rng.standard_normal(count)
    apart = X[:, None, :].astype(float) - means
    scores = constant - 0.5 * np.stack([((apart[:, k] @ triangles[k]) ** 2).sum(axis=1) for k in range(count)], axis=1)
    logs = np.logaddexp.reduce(scores, axis=1)
    heavy = np.exp(scores - logs[:, None]) * (np.ones(n) if weight is None else weight)[:, None]
    found = {}
    for number in (1, 2, 3, 8):
        with threads(number):
            found[number] = kernels.mixture_pass(X, weight, means.mean(axis=0), means, triangles, constant)
    likelihood, total, shift, scatter = found[1]
    assert likelihood == pytest.approx(float((np.ones(n) if weight is None else weight) @ logs), rel=1e-10)
    np.testing.assert_allclose(total, heavy.sum(axis=0), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(shift, np.einsum("ik,ikj->kj", heavy, apart), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(scatter, np.einsum("ik,ikj,ikl->kjl", heavy, apart, apart), rtol=1e-8, atol=1e-8)
    for number in (2, 3, 8):
        for one, other in zip(found[1], found[number], strict=True):
            assert np.asarray(one).tobytes() == np.asarray(other).tobytes()
