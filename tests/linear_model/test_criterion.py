"""Information criteria against statsmodels and against their definitions."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import norm

import learnable
from learnable import DataError
from learnable.linear_model import LassoLarsIC, LinearRegression, information_criterion


def table(rows=40, columns=3, seed=0):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, columns))
    return X, X @ [1.0, -2.0, 0.5] + draws.normal(size=rows)


def test_agrees_with_statsmodels():
    X, y = table()
    other = sm.OLS(y, sm.add_constant(X)).fit()
    prediction = LinearRegression().fit(X, y).predict(X)
    assert information_criterion(y, prediction, 4, criterion="aic") == pytest.approx(other.aic, rel=1e-10)
    assert information_criterion(y, prediction, 4, criterion="bic") == pytest.approx(other.bic, rel=1e-10)
    assert information_criterion(y, prediction, 4, criterion="hqc") == pytest.approx(
        other.info_criteria("hqic"), rel=1e-10
    )
    assert information_criterion(y, prediction, 4, criterion="aicc") == pytest.approx(
        sm.tools.eval_measures.aicc(other.llf, 40, 4), rel=1e-10
    )


def test_conventions_are_the_same_criterion():
    """Minimise -l + P/2 log n, maximise l - P/2 log n, minimise -2 l + P log n."""
    X, y = table()
    prediction = LinearRegression().fit(X, y).predict(X)
    variance = ((y - prediction) ** 2).mean()
    likelihood = norm(prediction, np.sqrt(variance)).logpdf(y).sum()
    penalty = 4 / 2 * np.log(40)
    found = {
        name: information_criterion(y, prediction, 4, criterion="bic", convention=name)
        for name in ("deviance", "cost", "score")
    }
    assert found["deviance"] == pytest.approx(-2 * likelihood + 4 * np.log(40))
    assert found["cost"] == pytest.approx(-likelihood + penalty)
    assert found["score"] == pytest.approx(likelihood - penalty)


def test_without_constants():
    X, y = table()
    prediction = LinearRegression().fit(X, y).predict(X)
    squares = ((y - prediction) ** 2).sum()
    assert information_criterion(y, prediction, 4, constants=False) == pytest.approx(40 * np.log(squares / 40) + 8)
    assert information_criterion(y, prediction, 4, constants=False, noise_variance=2.0) == pytest.approx(
        squares / 2 + 8
    )


@pytest.mark.parametrize("unit", [1e200, 1e-200])
@pytest.mark.parametrize("noise", [None, 0.5])
def test_squares_beyond_the_range_of_numbers_do_not_count(unit, noise):
    X, y = table()
    prediction, weight = LinearRegression().fit(X, y).predict(X), np.ones(40)
    y[0], weight[0] = 1e9, 0.0
    plain = information_criterion(y, prediction, 4, noise_variance=noise, sample_weight=weight)
    if noise is None:
        found = information_criterion(y * unit, prediction * unit, 4, sample_weight=weight)
        assert found == pytest.approx(plain + 2 * 39 * np.log(unit), rel=1e-12)
    far = information_criterion(y * 1e200, prediction * 1e200, 4, noise_variance=noise and 1e-300)
    assert np.isfinite(far) if noise is None else far == np.inf


def test_no_penalty_is_negative():
    assert np.isfinite(information_criterion([0.0, 1.0, 3.0], [0.0, 1.0, 2.0], 1, criterion="hqc"))
    with pytest.raises(DataError, match="needs at least 3 samples"):
        information_criterion([0.0, 1.0], [0.0, 2.0], 1, criterion="hqc")


def test_is_what_the_lasso_is_chosen_by():
    X, y = table()
    for criterion in ("aic", "bic"):
        model = LassoLarsIC(criterion).fit(X, y)
        found = information_criterion(
            y,
            model.predict(X),
            np.count_nonzero(model.coef_),
            criterion=criterion,
            noise_variance=model.noise_variance_,
        )
        assert found == pytest.approx(model.criterion_.min(), rel=1e-12)


def test_weights_are_copies():
    X, y = table()
    copies = np.arange(40) % 3
    prediction = X[:, 0]
    repeated = information_criterion(np.repeat(y, copies), np.repeat(prediction, copies), 2, criterion="bic")
    assert information_criterion(y, prediction, 2, criterion="bic", sample_weight=copies) == pytest.approx(repeated)


def test_too_few_samples_for_the_correction_rule_a_model_out():
    assert information_criterion([1.0, 2.0, 4.0], [1.0, 2.0, 3.0], 2, criterion="aicc") == np.inf


@pytest.mark.parametrize(
    "wrong", [{"criterion": "dic"}, {"convention": "negative"}, {"noise_variance": 0.0}, {"noise_variance": -1.0}]
)
def test_nonsense_is_refused(wrong):
    with pytest.raises(learnable.ParameterError):
        information_criterion([1.0, 2.0], [1.0, 1.0], 1, **wrong)


def test_perfect_predictions_need_a_variance():
    with pytest.raises(learnable.DataError, match="variance"):
        information_criterion([1.0, 2.0], [1.0, 2.0], 1)
    assert np.isfinite(information_criterion([1.0, 2.0], [1.0, 2.0], 1, noise_variance=1.0))
