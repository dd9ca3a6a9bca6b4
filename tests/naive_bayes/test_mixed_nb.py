"""Columns of several kinds: each kind alone is the classifier of that kind, all together their product."""

import numpy as np
import pytest
from scipy import stats

import learnable


def draw(seed=0, rows=120):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    X = np.column_stack(
        [
            rng.normal(y, 1.0),
            rng.random(rows) < 0.2 + 0.3 * y,
            np.minimum(rng.poisson(0.5 + y), 4),
            rng.poisson(1.0 + 2 * y),
            rng.exponential(1.0 + y),
        ]
    )
    return X.astype(float), y


KINDS = ["gaussian", "bernoulli", "categorical", "poisson", "exponential"]


@pytest.mark.parametrize(
    ("kind", "column", "peer"),
    [
        ("gaussian", 0, learnable.GaussianNB()),
        ("bernoulli", 1, learnable.BernoulliNB(binarize=None)),
        ("categorical", 2, learnable.CategoricalNB()),
    ],
)
def test_one_kind_is_the_classifier_of_that_kind(kind, column, peer):
    """NBC-05: the factors are those of the single models."""
    X, y = draw()
    weight = np.random.default_rng(1).random(len(y))
    part = X[:, [column]]
    mixed = learnable.MixedNB(distributions=kind).fit(part, y, sample_weight=weight)
    other = peer.fit(part, y, sample_weight=weight)
    np.testing.assert_allclose(mixed.predict_joint_log_proba(part), other.predict_joint_log_proba(part), rtol=1e-7)


def test_rates_and_waits():
    """NBC-06: Poisson and exponential classes, with one made-up row at the mean of the column."""
    X, y = draw()
    model = learnable.MixedNB(distributions=["poisson", "exponential"]).fit(X[:, 3:], y)
    for k in range(3):
        rows = X[y == k]
        rate, wait = ((rows[:, j].sum() + X[:, j].mean()) / (len(rows) + 1) for j in (3, 4))
        assert model.distribution(0, k).rate == pytest.approx(rate)
        logs = stats.poisson.logpmf(X[:, 3], rate) + stats.expon.logpdf(X[:, 4], scale=wait)
        joint = model.predict_joint_log_proba(X[:, 3:])[:, k]
        np.testing.assert_allclose(joint, np.log((y == k).mean()) + logs, rtol=1e-9)


def test_kernel_densities():
    X, y = draw()
    model = learnable.MixedNB(distributions="kde").fit(X[:, [0]], y)
    rows = X[y == 1, 0]
    peer = stats.gaussian_kde(rows, bw_method=1.06 * len(rows) ** -0.2 * rows.std() / rows.std(ddof=1))
    said = model.predict_joint_log_proba(X[:10, [0]])[:, 1] - np.log((y == 1).mean())
    np.testing.assert_allclose(said, peer.logpdf(X[:10, 0]), rtol=1e-8)


def test_columns_multiply():
    X, y = draw()
    whole = learnable.MixedNB(distributions=KINDS).fit(X, y)
    parts = [learnable.MixedNB(distributions=kind).fit(X[:, [j]], y) for j, kind in enumerate(KINDS)]
    prior = np.log(whole.class_prior_)
    product = prior + sum(part.predict_joint_log_proba(X[:, [j]]) - prior for j, part in enumerate(parts))
    np.testing.assert_allclose(whole.predict_joint_log_proba(X), product, rtol=1e-9)
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.3, np.nan, X)
    left = prior + sum(
        np.where(np.isnan(holes[:, [j]]), 0, np.nan_to_num(part.predict_joint_log_proba(X[:, [j]]) - prior))
        for j, part in enumerate(parts)
    )
    np.testing.assert_allclose(whole.predict_joint_log_proba(holes), left, rtol=1e-9)


def test_kinds_are_found_and_named():
    import pandas

    X, y = draw()
    assert learnable.MixedNB().fit(X, y).distributions_ == ["gaussian", "bernoulli", *["categorical"] * 2, "gaussian"]
    frame = pandas.DataFrame(X, columns=list("abcde"))
    model = learnable.MixedNB(distributions={"d": "poisson", 4: "exponential"}).fit(frame, y)
    assert model.distributions_ == KINDS


@pytest.mark.parametrize(
    ("distributions", "words"),
    [
        (["gaussian"], "1 families for 5 columns"),
        ("normal", "'normal' is not a family"),
        ({"z": "gaussian"}, "which X does not have"),
        ("bernoulli", 'a "bernoulli" column takes 0 and 1'),
        ("poisson", 'a "poisson" column takes whole numbers'),
    ],
)
def test_wrong_kinds_are_refused(distributions, words):
    with pytest.raises(ValueError, match=words):
        learnable.MixedNB(distributions=distributions).fit(*draw())


def test_an_empty_class_and_column_say_nothing():
    X = np.array([[1.0, np.nan], [2.0, np.nan], [1.0, 5.0], [2.0, 7.0]])
    for kind in ("gaussian", "poisson", "exponential", "kde", "categorical"):
        model = learnable.MixedNB(distributions=kind).fit(X, [0, 0, 1, 1])
        assert np.isfinite(model.predict_joint_log_proba([[1.0, 5.0]])).all()


@pytest.mark.parametrize("strange", [0.5, 2.0])
def test_values_that_a_column_never_had_cannot_go(strange):
    """An automatic kind of the rows that go is wider than that of the model: they were never learned."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (20, 2)).astype(float), rng.integers(0, 2, 20)
    model = learnable.MixedNB().fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(learnable.DataError, match="never learned together"):
        model.unlearn([[strange, 0.0]], [0])
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_a_column_of_missing_values_has_no_kind_yet():
    X, y = np.arange(40.0).reshape(20, 2) % 3, np.arange(20) % 2
    X[:5, 1] = np.nan
    whole = learnable.MixedNB().fit(X, y)
    parts = learnable.MixedNB().partial_fit(X[:5], y[:5]).partial_fit(X[5:], y[5:])
    assert parts.distributions_ == whole.distributions_ == ["categorical", "categorical"]
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X))
    parts.unlearn(X[:5], y[:5])
    np.testing.assert_allclose(parts.predict_proba(X), learnable.MixedNB().fit(X[5:], y[5:]).predict_proba(X))


def test_columns_may_be_called_by_whole_numbers_of_numpy():
    X, y = draw()
    assert learnable.MixedNB(distributions={np.int64(3): "poisson"}).fit(X, y).distributions_[3] == "poisson"
