"""Entropies of densities: integrals, closed forms and samples against each other and against SciPy."""

import numpy as np
import pytest
from scipy import stats

from learnable.core import DataError, ParameterError
from learnable.information import (
    density_divergence,
    differential_entropy,
    exponential_entropy,
    gaussian_divergence,
    gaussian_entropy,
    laplace_entropy,
    nearest_neighbour_entropy,
    uniform_entropy,
)

LAWS = {
    "normal": (stats.norm(3, 2), lambda: gaussian_entropy(4.0, base=np.e)),
    "exponential": (stats.expon(scale=2.5), lambda: exponential_entropy(2.5, base=np.e)),
    "uniform": (stats.uniform(-1, 0.5), lambda: uniform_entropy(-1, -0.5, base=np.e)),
    "laplace": (stats.laplace(0, 0.2), lambda: laplace_entropy(0.2, base=np.e)),
}


@pytest.mark.parametrize("name", LAWS)
def test_closed_form_integral_and_scipy_agree(name):
    """INF-04."""
    law, closed = LAWS[name]
    low, high = law.support()
    assert closed() == pytest.approx(float(law.entropy()))
    assert differential_entropy(law.pdf, support=(low, high), base=np.e) == pytest.approx(closed(), abs=1e-6)
    sample = law.rvs(size=4000, random_state=np.random.default_rng(0))
    assert nearest_neighbour_entropy(sample, base=np.e) == pytest.approx(closed(), abs=0.06)


def test_w29_normal_and_exponential():
    assert gaussian_entropy(1.0, base=np.e) == pytest.approx(1.4189, abs=5e-5)
    assert gaussian_entropy(1.0) == pytest.approx(2.0471, abs=5e-5)
    assert gaussian_entropy(0.1**2, base=np.e) == pytest.approx(-0.8836, abs=5e-5)
    found = [exponential_entropy(mean, base=np.e) for mean in (0.5, 1, 2)]
    assert found == pytest.approx([0.3069, 1, 1.6931], abs=5e-5)


def test_e001_e107_differential_entropy_may_be_negative_but_does_not_move():
    """E-001, E-107: only discrete entropy is never negative."""
    assert uniform_entropy(0, 0.5) == -1
    here, there = (differential_entropy(stats.norm(m, 0.1).pdf, support=(m - 2, m + 2)) for m in (0, 50))
    assert here == pytest.approx(there) and here < 0


def test_e002_divergence_of_densities_is_an_integral():
    """E-002: an integral for densities, at least 0; for normal laws in closed form."""
    one, two = stats.norm(0, 1), stats.norm(1, 2)
    closed = gaussian_divergence(0, 1, 1, 4, base=np.e)
    assert density_divergence(one.pdf, two.pdf, support=(-12, 12), base=np.e) == pytest.approx(closed, abs=1e-6)
    assert closed == pytest.approx(np.log(2) + (1 + 1) / 8 - 0.5) and gaussian_divergence(0, 1, 0, 1) == 0
    assert density_divergence(stats.uniform(0, 2).pdf, stats.uniform(0, 1).pdf, support=(0, 2)) == np.inf


def test_several_dimensions():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(3, 3))
    one, two = root @ root.T, np.eye(3)
    mean = rng.normal(size=3)
    assert gaussian_entropy(one, base=np.e) == pytest.approx(float(stats.multivariate_normal(mean, one).entropy()))
    draws = rng.multivariate_normal(mean, one, 200_000)
    ratio = stats.multivariate_normal(mean, one).logpdf(draws) - stats.multivariate_normal(np.zeros(3), two).logpdf(
        draws
    )
    assert gaussian_divergence(mean, one, np.zeros(3), two, base=np.e) == pytest.approx(ratio.mean(), rel=0.02)
    assert nearest_neighbour_entropy(draws[:5000], base=np.e) == pytest.approx(
        gaussian_entropy(one, base=np.e), abs=0.15
    )


def test_what_cannot_be_used_is_named():
    with pytest.raises(DataError, match=r"must integrate to 1 over its support; it gives 0\.5"):
        differential_entropy(lambda x: 0.5, support=(0, 1))
    with pytest.raises(DataError, match="narrow or far from 0, give the interval"):
        differential_entropy(stats.norm(1e6, 1).pdf)
    with pytest.raises(DataError, match="positive definite"):
        gaussian_entropy([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ParameterError, match="width of the distribution must be above 0"):
        uniform_entropy(2, 1)
    with pytest.raises(ParameterError, match="n_neighbors must be from 1 to 2"):
        nearest_neighbour_entropy([1.0, 2.0, 3.0], n_neighbors=3)
    assert nearest_neighbour_entropy(np.ones(10)) == -np.inf


def test_a_sample_is_not_a_density():
    with pytest.raises(
        ParameterError, match=r"differential_entropy: density must be a function.*nearest_neighbour_entropy"
    ):
        differential_entropy(np.arange(9.0))


def test_the_widest_laplace_law_has_an_entropy():
    assert laplace_entropy(1e308, base=np.e) == pytest.approx(1 + np.log(2) + 308 * np.log(10))
