"""Missing values are marginalised: the probability of an incomplete row is the sum over all completions."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import quad
from scipy.special import gammaln, logsumexp
from scipy.stats import norm

import learnable

NAN = np.nan


def fillings(row, values):
    """The row with every combination of values for its missing entries."""
    absent = np.flatnonzero(np.isnan(row))
    for combination in itertools.product(values, repeat=len(absent)):
        filled = row.copy()
        filled[absent] = combination
        yield filled


@pytest.mark.parametrize("pattern", [[NAN, 1, 0], [1, NAN, NAN], [NAN, NAN, NAN]])
def test_bernoulli_sums_over_both_values(pattern):
    rng = np.random.default_rng(0)
    X, y = (rng.random((60, 3)) < 0.4).astype(float), rng.integers(0, 3, 60)
    model, row = learnable.BernoulliNB().fit(X, y), np.array(pattern, dtype=float)
    every = np.array(list(fillings(row, [0.0, 1.0])))
    requested = logsumexp(model.predict_joint_log_proba(every), axis=0)
    np.testing.assert_allclose(model.predict_joint_log_proba([row])[0], requested, rtol=1e-12)


@pytest.mark.parametrize("pattern", [[NAN, 1, 0], [2, NAN, NAN], [NAN, NAN, NAN]])
def test_categorical_sums_over_all_levels(pattern):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (80, 3)).astype(float), rng.integers(0, 2, 80)
    X[:4] = np.arange(4)[:, None]
    model, row = learnable.CategoricalNB().fit(X, y), np.array(pattern, dtype=float)
    requested = logsumexp(model.predict_joint_log_proba(np.array(list(fillings(row, range(4))))), axis=0)
    np.testing.assert_allclose(model.predict_joint_log_proba([row])[0], requested, rtol=1e-12)


def test_gaussian_integrates_over_the_missing_value():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    model = learnable.GaussianNB().fit(X + y[:, None], y)
    said = model.predict_joint_log_proba([[0.3, NAN]])[0]
    for k in range(2):

        def density(t, k=k):
            return np.exp(model.predict_joint_log_proba([[0.3, t]])[0, k])

        whole, _ = quad(density, -12, 12)
        assert said[k] == pytest.approx(np.log(whole), abs=1e-7)


def test_estimates_use_the_values_that_are_there():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 3)) * [1, 5, 0.1], rng.integers(0, 2, 200)
    X[rng.random(X.shape) < 0.3] = NAN
    weight = rng.random(200)
    model = learnable.GaussianNB(var_smoothing=0).fit(X, y, sample_weight=weight)
    for k in range(2):
        for j in range(3):
            there = (y == k) & ~np.isnan(X[:, j])
            mean = np.average(X[there, j], weights=weight[there])
            assert model.theta_[k, j] == pytest.approx(mean)
            assert model.var_[k, j] == pytest.approx(np.average((X[there, j] - mean) ** 2, weights=weight[there]))
    rows = X[:20]
    requested = np.log(model.class_prior_) + np.nansum(
        norm.logpdf(rows[:, None], model.theta_, np.sqrt(model.var_)), axis=2
    )
    np.testing.assert_allclose(model.predict_joint_log_proba(rows), requested, rtol=1e-9)


def test_a_column_that_a_class_never_shows_says_nothing():
    X = np.array([[1.0, NAN], [2.0, NAN], [1.0, 5.0], [2.0, 7.0]])
    model = learnable.GaussianNB().fit(X, ["blank", "blank", "full", "full"])
    np.testing.assert_allclose(model.predict_proba([[1.5, 6.0]]), [[0.5, 0.5]], atol=1e-6)
    np.testing.assert_allclose(model.predict_proba([[NAN, NAN]]), [[0.5, 0.5]])


def test_missing_values_in_sparse_rows():
    from scipy import sparse

    rng = np.random.default_rng(0)
    X, y = (rng.random((60, 5)) < 0.4).astype(float), rng.integers(0, 3, 60)
    X[rng.random(X.shape) < 0.1] = NAN
    dense, thin = learnable.BernoulliNB().fit(X, y), learnable.BernoulliNB().fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.feature_log_prob_, dense.feature_log_prob_)
    np.testing.assert_allclose(thin.predict_proba(sparse.csr_array(X)), dense.predict_proba(X), rtol=1e-10)


def test_an_infinite_value_is_refused():
    with pytest.raises(ValueError, match="infinity"):
        learnable.GaussianNB().fit([[np.inf], [0.0]], [0, 1])


def likelihood(theta, row):
    """sum over all counts that may be missing, and so over the total n, of P(n) ~ 1 / n times the multinomial."""
    absent = np.isnan(row)
    seen = row[~absent]
    more = np.arange(3000.0 if absent.any() else 1.0)  # missing in all: those columns are one column here
    shares = more * np.log(theta[absent].sum()) if absent.any() else 0.0
    logs = gammaln(seen.sum() + more) - gammaln(more + 1) - gammaln(seen + 1).sum() + shares
    return logsumexp(logs) + seen @ np.log(theta[~absent])


PATTERNS = [[NAN, 3, 1, 2], [2, NAN, NAN, 1], [0, 4, NAN, 0], [NAN, 5, NAN, NAN]]


def counts(rows=120, seed=0, share=0.3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    theta = rng.dirichlet(np.ones(4), 3)
    X = np.array([rng.multinomial(rng.integers(1, 12), theta[k]) for k in y]).astype(float)
    X[rng.random(X.shape) < share] = NAN
    return X, y, rng.integers(1, 4, rows).astype(float)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_multinomial_sums_over_all_counts_that_may_be_missing(pattern):
    X, y, _ = counts(share=0.0)
    model, row = learnable.MultinomialNB().fit(X, y), np.array(pattern, dtype=float)
    said = model.predict_joint_log_proba([row])[0] - model.class_log_prior_
    requested = np.array([likelihood(theta, row) for theta in np.exp(model.feature_log_prob_)])
    np.testing.assert_allclose(said - said[0], requested - requested[0], atol=1e-10)


@pytest.mark.parametrize("pattern", [[NAN] * 4, [0, NAN, 0, 0]])
@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB"])
def test_rows_of_which_nothing_is_seen_say_nothing(name, pattern):
    X, y, _ = counts()
    model = getattr(learnable, name)().fit(X, y)
    said = model.predict_joint_log_proba([pattern])[0]
    np.testing.assert_allclose(said, model.predict_joint_log_proba([[0, 0, 0, 0]])[0], atol=1e-12)


@pytest.mark.parametrize("alpha", [1e-3, 1.0])
def test_multinomial_probabilities_maximise_the_likelihood(alpha):
    X, y, weight = counts()
    model = learnable.MultinomialNB(alpha=alpha).fit(X, y, sample_weight=weight)
    assert model.certificate_.holds and model.certificate_.value <= 1e-9

    def posterior(theta, k):
        rows = zip(X[y == k], weight[y == k], strict=True)
        said = sum(w * likelihood(theta, row) for row, w in rows if np.nansum(row) > 0)
        return said + alpha * np.log(theta).sum()

    for k in range(3):
        theta = np.exp(model.feature_log_prob_[k])
        assert theta.sum() == pytest.approx(1)
        best = posterior(theta, k)
        for j, step in itertools.product(range(4), (-1e-3, 1e-3)):
            moved = theta * np.exp(step * (np.arange(4) == j))
            assert posterior(moved / moved.sum(), k) < best


def test_columns_missing_in_nearly_all_rows_cost_no_more():
    rng = np.random.default_rng(0)
    X = rng.multinomial(20, [0.2, 0.3, 0.5], 3000).astype(float)
    X[30:, 0] = NAN
    model = learnable.MultinomialNB(alpha=1e-9).fit(X, np.zeros(3000))
    assert model.certificate_.holds
    shown = X[:30].sum(axis=0)  # the other rows show how columns 1 and 2 stand to each other, not how 0 does
    assert np.exp(model.feature_log_prob_[0, 0]) == pytest.approx(shown[0] / shown.sum(), rel=1e-6)


def test_without_missing_values_probabilities_are_those_of_the_totals():
    X, y, _ = counts(share=0.0)
    model = learnable.MultinomialNB().fit(X, y)
    totals = np.array([X[y == k].sum(axis=0) + 1 for k in range(3)])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), totals / totals.sum(axis=1, keepdims=True), rtol=1e-13)
    assert model.certificate_.kind == "exact"


@pytest.mark.parametrize("norm", [False, True])
def test_complement_compares_with_the_rows_of_all_other_classes(norm):
    X, y, weight = counts()
    model = learnable.ComplementNB(norm=norm).fit(X, y, sample_weight=weight)
    said = model.predict_joint_log_proba(PATTERNS)
    for k in range(3):
        rest = learnable.MultinomialNB().fit(X[y != k], np.zeros((y != k).sum()), sample_weight=weight[y != k])
        divisor = rest.feature_log_prob_[0].sum() if norm else -1.0
        np.testing.assert_allclose(said[:, k], rest.predict_joint_log_proba(PATTERNS)[:, 0] / divisor, rtol=1e-8)


@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB"])
def test_missing_counts_are_the_same_in_any_storage_and_order(name):
    X, y, weight = counts()
    make = getattr(learnable, name)
    model, new = make().fit(X, y, sample_weight=weight), counts(seed=1)[0]
    requested = model.predict_joint_log_proba(new)
    stored = sparse.csr_array(np.where(np.isnan(X), 7.0, X))
    stored.data[np.isnan(X[X != 0])] = NAN
    other = make().fit(stored, y, sample_weight=weight)
    np.testing.assert_allclose(other.predict_joint_log_proba(new), requested, rtol=1e-9)
    there = sparse.csr_array(np.where(np.isnan(new), 7.0, new))
    there.data[np.isnan(new[new != 0])] = NAN
    np.testing.assert_allclose(model.predict_joint_log_proba(there), requested, rtol=1e-12)
    copies = np.repeat(np.arange(len(y)), weight.astype(int))
    np.testing.assert_allclose(make().fit(X[copies], y[copies]).predict_joint_log_proba(new), requested, rtol=1e-7)


@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB"])
def test_missing_counts_in_batches(name):
    X, y, _ = counts()
    make = getattr(learnable, name)
    requested = make().fit(X, y).predict_joint_log_proba(X)
    parts = make().fit(X[:50], y[:50]).partial_fit(X[50:], y[50:])
    np.testing.assert_allclose(parts.predict_joint_log_proba(X), requested, rtol=1e-7)
    merged = make().fit(X[:50], y[:50]).merge(make().fit(X[50:], y[50:]))
    np.testing.assert_allclose(merged.predict_joint_log_proba(X), requested, rtol=1e-7)
    more = counts(seed=2)
    back = make().fit(X, y).partial_fit(*more[:2]).unlearn(*more[:2])
    np.testing.assert_allclose(back.predict_joint_log_proba(X), requested, rtol=1e-6)


def test_negative_counts_are_found_among_missing_values():
    with pytest.raises(learnable.DataError, match="Negative values in data passed to MultinomialNB"):
        learnable.MultinomialNB().fit([[NAN, -1.0], [1.0, 2.0]], [0, 1])
