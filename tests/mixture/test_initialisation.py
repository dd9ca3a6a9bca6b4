"""Runs begin one after the other, and from precisions that are ones."""

import numpy as np
import pytest
import sklearn.mixture as theirs

import learnable
from learnable import BayesianGaussianMixture, BernoulliMixture, GaussianMixture, StudentTMixture
from learnable.engines import em
from learnable.mixture import _mixture_base

X = np.random.default_rng(0).normal(size=(60, 2)) + np.arange(60)[:, None] % 3 * 4
EYE = np.eye(2)
MODELS = [GaussianMixture, BayesianGaussianMixture, StudentTMixture, BernoulliMixture]


@pytest.mark.parametrize("kind", MODELS)
def test_initialisations_are_lazy(kind, monkeypatch):
    calls, start, step = [], _mixture_base.initial_responsibilities, em.EMIterations.step
    monkeypatch.setattr(_mixture_base, "initial_responsibilities", lambda *given: calls.append("init") or start(*given))
    monkeypatch.setattr(em.EMIterations, "step", lambda *given: calls.append("steps") or step(*given))
    kind(n_components=2, n_init=3, random_state=0, max_iter=500).fit(X)
    turns = [here for here, before in zip(calls, [None, *calls], strict=False) if here != before]
    assert turns == ["init", "steps"] * 3


@pytest.mark.filterwarnings("ignore::learnable.ConvergenceWarning")
@pytest.mark.parametrize("kind", MODELS)
def test_the_best_run_is_kept_if_time_ends_in_a_later_initialisation(kind, monkeypatch):
    begin, calls = _mixture_base.initial_responsibilities, []

    def late(*given):
        calls.append(1)
        if len(calls) == 2:
            raise learnable.BudgetError("the time budget is used up")
        return begin(*given)

    once = kind(n_components=2, n_init=1, random_state=0, max_iter=500).fit(X)
    monkeypatch.setattr(_mixture_base, "initial_responsibilities", late)
    found = kind(n_components=2, n_init=3, random_state=0, max_iter=500).fit(X)
    np.testing.assert_array_equal(found.weights_, once.weights_)
    assert found.trace_.stopped == "budget" and len(calls) == 2
    calls[:] = [1]
    with pytest.raises(learnable.BudgetError):
        kind(n_components=2, n_init=3, random_state=0).fit(X)


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("full", [EYE, -EYE], "component 1 has the eigenvalue -1"),
        ("full", [EYE, np.ones((2, 2))], "component 1 is singular"),
        ("full", [[[1.0, 0.5], [0.0, 1.0]], EYE], "component 0 is not symmetric"),
        ("tied", -EYE, "all components has the eigenvalue -1"),
        ("tied", np.ones((2, 2)), "all components is singular"),
        ("diag", [[1.0, 1.0], [1.0, -2.0]], "component 1 has -2 for column 1"),
        ("diag", [[0.0, 1.0], [1.0, 1.0]], "component 0 has 0 for column 0"),
        ("spherical", [1.0, -1.0], "component 1 is -1"),
    ],
)
def test_invalid_precisions_are_named(kind, given, message):
    options = {"n_components": 2, "covariance_type": kind, "precisions_init": np.array(given)}
    with pytest.raises(learnable.ParameterError, match=f"GaussianMixture: precisions_init of {message}"):
        GaussianMixture(**options).fit(X)
    with pytest.raises(ValueError, match="positive"):
        theirs.GaussianMixture(**options).fit(X)


@pytest.mark.parametrize(
    "change", [{"n_components": 2}, {"covariance_type": "diag"}, {"covariance_type": "spherical"}], ids=str
)
@pytest.mark.parametrize("kind", [GaussianMixture, BayesianGaussianMixture])
def test_a_warm_start_of_another_shape_initialises_again(kind, change):
    model = kind(n_components=3, warm_start=True, random_state=0, max_iter=500).fit(X).set_params(**change).fit(X)
    fresh = kind(**{"n_components": 3, **change}, random_state=0, max_iter=500).fit(X)
    np.testing.assert_array_equal(model.means_, fresh.means_)
    np.testing.assert_array_equal(model.covariances_, fresh.covariances_)


def test_a_warm_start_with_another_prior_type_initialises_again():
    model = BayesianGaussianMixture(n_components=3, warm_start=True, random_state=0, max_iter=500).fit(X)
    found = model.set_params(weight_concentration_prior_type="dirichlet_distribution").fit(X)
    assert found.weights_.sum() == pytest.approx(1) and found.weight_concentration_.shape == (3,)


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("full", np.eye(3), r"must have the shape \(2, 2\)"),
        ("full", 1.0, r"must have the shape \(2, 2\)"),
        ("full", -EYE, "has the eigenvalue -1"),
        ("tied", np.full((2, 2), np.nan), "is not finite"),
        ("diag", [1.0, 0.0], "is singular"),
        ("spherical", [1.0, 1.0], "must have the shape"),
    ],
)
def test_invalid_prior_covariances_are_refused(kind, given, message):
    with pytest.raises(learnable.ParameterError, match=f"covariance_prior {message}"):
        BayesianGaussianMixture(n_components=2, covariance_type=kind, covariance_prior=given).fit(X)
