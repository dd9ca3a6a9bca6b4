"""Mixtures of other distributions, and expectation and maximisation for models of one's own."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pytest
from scipy.stats import multivariate_t

import learnable
from learnable import (
    BayesianGaussianMixture,
    BernoulliMixture,
    CategoricalMixture,
    GaussianMixture,
    StudentTMixture,
    em,
    lower_bound,
)
from learnable.core import DataError, ParameterError
from learnable.engines.em import LikelihoodFell


def binary_rows(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    probabilities = np.array([[0.9, 0.8, 0.9, 0.1, 0.2], [0.1, 0.2, 0.3, 0.9, 0.8]])
    group = rng.integers(0, 2, n)
    return (rng.random((n, 5)) < probabilities[group]).astype(float), probabilities


def test_bernoulli_components_are_found():
    X, probabilities = binary_rows()
    model = BernoulliMixture(2, random_state=0).fit(X)
    order = np.argsort(model.probabilities_[:, 0])[::-1]
    np.testing.assert_allclose(model.probabilities_[order], probabilities, atol=0.1)
    joint = np.array(
        [
            w * np.prod(q**X * (1 - q) ** (1 - X), axis=1)
            for w, q in zip(model.weights_, model.probabilities_, strict=True)
        ]
    )
    np.testing.assert_allclose(model.score_samples(X), np.log(joint.sum(axis=0)))
    np.testing.assert_allclose(model.predict_proba(X).T, joint / joint.sum(axis=0))
    assert (np.diff(model.lower_bounds_) >= -1e-12).all()


def test_missing_binary_values_are_summed_over():
    X, _ = binary_rows(100)
    X[::3, 2] = np.nan
    model = BernoulliMixture(2, random_state=0).fit(X)
    both = []
    for value in (0.0, 1.0):
        filled = np.where(np.isnan(X), value, X)
        both.append(np.exp(model.score_samples(filled)))
    np.testing.assert_allclose(np.exp(model.score_samples(X))[::3], (both[0] + both[1])[::3])


def test_binary_categories_equal_a_bernoulli_mixture():
    X, _ = binary_rows()
    yes = BernoulliMixture(2, random_state=0, tol=1e-10).fit(X)
    categories = CategoricalMixture(2, random_state=0, tol=1e-10).fit(X)
    np.testing.assert_allclose(np.sort(categories.weights_), np.sort(yes.weights_), atol=1e-4)
    assert categories.score(X) == pytest.approx(yes.score(X), abs=1e-6)
    assert categories._free_parameters() == yes._free_parameters() == 2 * 5 + 1


def test_unseen_categories_have_the_probability_of_empty_ones():
    X = np.array([["a", "x"], ["a", "x"], ["a", "y"], ["b", None]], dtype=object)
    model = CategoricalMixture(1, alpha=0.5).fit(X)
    shares = {"a": 3.5 / 5, "b": 1.5 / 5, "new": 0.5 / 5}, {"x": 2.5 / 4, "y": 1.5 / 4, "new": 0.5 / 4, None: 1.0}
    rows = [[first, second] for first in shares[0] for second in shares[1]]
    expected = [np.log(shares[0][first] * shares[1][second]) for first, second in rows]
    np.testing.assert_allclose(model.score_samples(np.array(rows, dtype=object)), expected)
    never = CategoricalMixture(2, alpha=0.0, random_state=0).fit(X)
    assert never.score_samples([["new", "x"]])[0] < -600
    assert never.predict([["new", "x"]])[0] == never.predict(np.array([[None, "x"]], dtype=object))[0]


def test_numeric_categories_with_missing_values():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 300)
    X = np.column_stack([rng.choice(3, 300), group * 2, group * 5]).astype(float)
    X[rng.random(300) < 0.1, 1] = np.nan
    model = CategoricalMixture(2, random_state=0).fit(X)
    assert model.score_samples([[9.0, 0.0, 0.0]])[0] < model.score_samples([[np.nan, 0.0, 0.0]])[0] - 4
    assert len(set(zip(model.predict(X), group, strict=True))) == 2
    drawn, labels = model.sample(500)
    assert set(np.unique(drawn[:, 2])) <= {0.0, 5.0} and len(labels) == 500


def test_student_density_and_degrees_of_freedom():
    rng = np.random.default_rng(0)
    X = multivariate_t(np.array([1.0, 2.0]), [[2.0, 0.5], [0.5, 1.0]], df=4).rvs(3000, random_state=rng)
    model = StudentTMixture(1, random_state=0, tol=1e-9).fit(X)
    assert 3 < model.freedom_[0] < 5.5
    expected = multivariate_t(model.means_[0], model.scales_[0], df=model.freedom_[0]).logpdf(X)
    np.testing.assert_allclose(model.score_samples(X), expected)
    assert (np.diff(model.lower_bounds_) >= -1e-12).all()
    drawn, _ = model.sample(20_000)
    np.testing.assert_allclose(np.median(drawn, axis=0), model.means_[0], atol=0.05)


def test_outliers_move_a_student_mixture_little():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-5, 1, (100, 2)), rng.normal(5, 1, (100, 2)), rng.uniform(-60, 60, (10, 2))])
    student, normal = (model(2, n_init=5, random_state=0).fit(X) for model in (StudentTMixture, GaussianMixture))
    truth = np.array([[-5.0, -5.0], [5.0, 5.0]])

    def error(model):
        return np.abs(model.means_[np.argsort(model.means_[:, 0])] - truth).max()

    assert error(student) < 0.5
    assert error(student) < error(normal)


def test_many_degrees_of_freedom_are_normal():
    X = binary_rows(60)[0] + np.random.default_rng(1).standard_normal((60, 5))
    X[::7, 1] = np.nan
    student = StudentTMixture(1, freedom=1e7, tol=1e-10, max_iter=5000).fit(X)
    normal = GaussianMixture(1, tol=1e-10, max_iter=5000).fit(X)
    np.testing.assert_allclose(student.means_, normal.means_, atol=1e-4)
    np.testing.assert_allclose(student.scales_, normal.covariances_, atol=1e-4)


def test_lower_bound_and_divergence_add_up_to_the_likelihood():
    X = np.random.default_rng(0).standard_normal((40, 2))
    model = GaussianMixture(3, random_state=0).fit(X)
    joint = model._log_joint(X)
    rng = np.random.default_rng(1)
    for _ in range(5):
        q = rng.dirichlet(np.ones(3), 40)
        found = lower_bound(joint, q)
        assert found.bound + found.divergence == pytest.approx(found.log_likelihood)
        assert found.log_likelihood == pytest.approx(model.score_samples(X).sum())
        assert found.divergence > 0
    assert lower_bound(joint, model.predict_proba(X)).divergence == pytest.approx(0, abs=1e-9)
    with pytest.raises(learnable.ParameterError, match="add up to 1"):
        lower_bound(joint, np.ones((40, 3)))


class Poissons:
    """Counts from two Poisson distributions."""

    def start(self, X, draws):
        return {"rates": draws.uniform(1, 9, 2), "weights": np.full(2, 0.5)}

    def expect(self, X, parameters):
        logs = np.log(parameters["weights"]) + X[:, None] * np.log(parameters["rates"]) - parameters["rates"]
        sums = np.logaddexp.reduce(logs, axis=1)
        return np.exp(logs - sums[:, None]), sums

    def maximise(self, X, posterior):
        return {"rates": posterior.T @ X / posterior.sum(axis=0), "weights": posterior.mean(axis=0)}


def test_em_of_a_user_defined_model():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.poisson(2.0, 500), rng.poisson(12.0, 500)]).astype(float)
    found = em(Poissons(), X, n_init=2, random_state=0, tol=1e-10)
    np.testing.assert_allclose(np.sort(found.parameters["rates"]), [2.0, 12.0], atol=0.4)
    assert found.converged and (np.diff(found.course) >= -1e-8).all()
    assert found.trace.certificate.holds


def test_a_wrong_model_is_detected():
    class Wrong(Poissons):
        def maximise(self, X, posterior):
            right = super().maximise(X, posterior)
            return {"rates": right["rates"] + 3.0, "weights": right["weights"]}

    with pytest.raises(LikelihoodFell, match="Wrong: a step lowered the log likelihood"):
        em(Wrong(), np.random.default_rng(0).poisson(3.0, 200).astype(float), random_state=0)
    with pytest.raises(learnable.ParameterError, match="n_init"):
        em(Poissons(), np.ones(3), n_init=0)


def test_student_components_may_outnumber_the_distinct_rows():
    for X in (np.ones((10, 2)), np.repeat([[0.0, 1.0], [5.0, 2.0]], 5, axis=0)):
        assert np.isfinite(StudentTMixture(3, random_state=0).fit(X).score_samples(X)).all()


def test_models_of_another_kind_and_folds_without_rows_are_refused():
    X = np.random.default_rng(0).normal(size=(12, 2))
    with pytest.raises(learnable.ParameterError, match=r"em: model must implement .* lacks start, expect, maximise"):
        em(object(), X)
    with pytest.raises(learnable.ParameterError, match="choose_components: mixture must be a mixture such as"):
        learnable.choose_components(learnable.KMeans(), X)
    for folds, words in ((1, "at least 2"), (13, "from 2 to the 12 rows")):
        with pytest.raises(learnable.ParameterError, match=f"choose_components: cv must be {words}"):
            learnable.choose_components(GaussianMixture(), X, (1, 2), criterion="held-out", cv=folds)


def test_categories_may_be_texts_beside_numbers():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 200)
    table = pandas.DataFrame({
        "colour": np.where(rng.random(200) < 0.9, np.array(["red", "blue"])[group], "green"),
        "size": pandas.Categorical(np.array(["s", "m", "l"])[np.minimum(rng.integers(0, 2, 200) + group, 2)]),
        "rooms": group + rng.integers(0, 2, 200),
    })  # fmt: skip
    table.loc[::9, "colour"] = None
    codes = np.column_stack([pandas.factorize(table[name], sort=True)[0] for name in table]).astype(float)
    codes[codes < 0] = np.nan
    options = {"n_components": 2, "random_state": 0, "tol": 1e-9}
    texts, numbers = CategoricalMixture(**options).fit(table), CategoricalMixture(**options).fit(codes)
    np.testing.assert_allclose(texts.score_samples(table), numbers.score_samples(codes))
    assert [list(known) for known in texts.categories_] == [["blue", "green", "red"], ["l", "m", "s"], [0, 1, 2]]
    drawn, _ = texts.sample(50)
    assert set(drawn[:, 0]) <= {"blue", "green", "red"} and set(drawn[:, 2]) <= {0, 1, 2}
    unseen = table.iloc[:1].assign(colour="violet")
    assert texts.score_samples(unseen)[0] < texts.score_samples(table).min()


@pytest.mark.parametrize(
    "model", [learnable.GaussianMixture(), learnable.StudentTMixture(), learnable.BernoulliMixture(),
              learnable.CategoricalMixture(), learnable.FactorAnalysis(1), learnable.ProbabilisticPCA(1)],
    ids=lambda model: type(model).__name__,
)  # fmt: skip
def test_a_column_without_any_value_is_refused(model):
    X = np.random.default_rng(0).integers(0, 2, (20, 3)).astype(float)
    X[:, 1] = np.nan
    with pytest.raises(DataError, match=r"column 1 of X has (no value|only missing values)"):
        model.fit(X)


class Wrong:
    """A model with a given likelihood."""

    def __init__(self, logs):
        self.logs = logs

    def start(self, X, draws):
        return {"mean": 0.0}

    def expect(self, X, parameters):
        return None, self.logs

    def maximise(self, X, posterior):
        return {"mean": 0.0}


@pytest.mark.parametrize("logs", [np.full(5, np.nan), np.full(5, np.inf), np.zeros(2), -1.0])
def test_an_invalid_likelihood_is_refused(logs):
    with pytest.raises(ParameterError, match="em: expect of Wrong must return the log likelihood of each row"):
        learnable.em(Wrong(logs), np.arange(5.0))


@pytest.mark.parametrize("criterion", ["bic", "aic", "held-out"])
def test_the_number_of_latent_classes_of_a_table(criterion):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 400)
    columns = {f"q{j}": np.where(rng.random(400) < 0.9, np.array(["a", "b", "c"])[group], "d") for j in range(5)}
    table = pandas.DataFrame(columns)
    table.loc[::17, "q1"] = None
    mixture = CategoricalMixture(random_state=0, n_init=3)
    choices = [
        learnable.choose_components(mixture, rows, (1, 2, 3, 4), criterion=criterion, random_state=0)
        for rows in (table, polars.from_pandas(table), table.to_numpy(dtype=object).tolist())
    ]
    for choice in choices:
        np.testing.assert_allclose(choice.scores, choices[0].scores)
    assert choices[0].best in ((3,) if criterion == "bic" else (3, 4))
    assert choices[0].model.feature_names_in_.tolist() == list(table)
    with pytest.raises(DataError, match=r"GaussianMixture: column 'q0' holds .*, not numbers"):
        learnable.choose_components(GaussianMixture(), table)


@pytest.mark.parametrize("model", [GaussianMixture, BayesianGaussianMixture, StudentTMixture])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.filterwarnings("ignore::learnable.core.errors.ConvergenceWarning")
def test_columns_in_large_units_do_not_fail_the_monotonicity_check(model, dtype):
    """Their covariances have a condition of 1e12 and more: likelihoods fall by rounding, draws have no exact root.

    Variances of 4e6 in single precision are known to 0.25.
    """
    X = np.random.default_rng(0).normal(size=(200, 3)) * 1e3
    found = model(n_components=3, random_state=0).fit(np.column_stack([X, X.sum(axis=1)]).astype(dtype))
    drawn, _ = found.sample(500)
    np.testing.assert_allclose(drawn[:, 3], drawn[:, :3].sum(axis=1), atol=4.0)


def test_a_singular_tied_covariance_is_named():
    X = np.random.default_rng(0).normal(size=(200, 3))
    with pytest.raises(DataError, match="one point or one plane"):
        GaussianMixture(3, covariance_type="tied", random_state=0).fit(np.column_stack([X, X.sum(axis=1)]) * 1e5 + 1e6)
