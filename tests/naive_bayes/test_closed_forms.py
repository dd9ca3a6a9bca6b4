"""Estimates by hand: smoothing, priors, boundaries, the trouble with zeros."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import learnable
from tests import references

X = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1]], dtype=float)
y = np.array(["sport", "sport", "news", "news", "news"])


@pytest.mark.parametrize("smoothing", [0.0, 1.0, 2.5])
def test_probabilities_of_features(smoothing):
    """NBC-01: (N_jc + l) / (N_c + 2 l), and absent features count too (E-096)."""
    model = learnable.BernoulliNB(alpha=smoothing).fit(X, y)
    counts, sizes = np.array([[1, 1, 3], [2, 1, 0]]), np.array([[3], [2]])
    probability = (counts + smoothing) / (sizes + 2 * smoothing)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), probability, rtol=1e-12)
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [0.6, 0.4])
    row = np.array([1.0, 0.0, 0.0])
    likelihood = np.prod(np.where(row == 1, probability, 1 - probability), axis=1)
    joint = np.array([0.6, 0.4]) * likelihood
    np.testing.assert_allclose(model.predict_proba([row])[0], joint / joint.sum(), rtol=1e-12)


def test_beta_prior_is_the_mode_of_the_posterior():
    """NBC-02: (N_jc + a - 1) / (N_c + a + b - 2)."""
    model = learnable.BernoulliNB(beta_prior=[3.0, 2.0]).fit(X, y)
    requested = (np.array([[1, 1, 3], [2, 1, 0]]) + 2) / (np.array([[3], [2]]) + 3)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), requested, rtol=1e-12)
    flat = learnable.BernoulliNB(beta_prior=[1.0, 1.0]).fit(X, y)
    plain = learnable.BernoulliNB(alpha=0.0).fit(X, y)
    np.testing.assert_array_equal(flat.feature_log_prob_, plain.feature_log_prob_)
    same = learnable.BernoulliNB(beta_prior=[2.0, 2.0]).fit(X, y)
    np.testing.assert_array_equal(same.feature_log_prob_, learnable.BernoulliNB(alpha=1.0).fit(X, y).feature_log_prob_)


def test_smoothed_probabilities_of_categories():
    """NBC-03: (N + l) / (N_c + S l), the mode under a Dirichlet prior, and levels absent from training (E-097)."""
    levels = np.array([[0], [2], [2], [1], [1]])
    model = learnable.CategoricalNB(alpha=0.5).fit(levels, y)
    np.testing.assert_allclose(
        np.exp(model.feature_log_prob_[0]), np.array([[0, 2, 1], [1, 0, 1]] + np.full((2, 3), 0.5)) / [[4.5], [3.5]]
    )
    dirichlet = learnable.CategoricalNB(dirichlet_prior=1.5).fit(levels, y)
    np.testing.assert_array_equal(dirichlet.feature_log_prob_[0], model.feature_log_prob_[0])
    unseen = model.predict_joint_log_proba([[7]])[0]
    np.testing.assert_allclose(unseen, np.log([0.6, 0.4]) + np.log(0.5 / np.array([4.5, 3.5])))


def test_dirichlet_prior_of_words():
    prior = np.array([1.0, 2.0, 4.0])
    model = learnable.MultinomialNB(dirichlet_prior=prior).fit(X, y)
    counts = np.array([[1, 1, 3], [2, 1, 0]]) + prior - 1
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), counts / counts.sum(axis=1, keepdims=True))


def test_means_and_variances_over_the_count():
    """NBC-04, E-098: the variance is the mean square about the mean, and its logarithm stands in the likelihood."""
    values = np.array([[1.0], [3.0], [10.0], [14.0], [12.0]])
    model = learnable.GaussianNB(var_smoothing=0).fit(values, y)
    np.testing.assert_allclose(model.theta_, [[12.0], [2.0]])
    np.testing.assert_allclose(model.var_, [[8 / 3], [1.0]])
    density = np.exp(-((5 - model.theta_) ** 2) / (2 * model.var_)) / np.sqrt(2 * np.pi * model.var_)
    joint = density[:, 0] * [0.6, 0.4]
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba([[5.0]])[0]), joint)


def test_equal_variances_give_a_straight_boundary():
    rng = np.random.default_rng(0)
    half = rng.normal(size=(40, 2))
    rows = np.vstack([half, half + [2.0, 1.0]])
    model = learnable.GaussianNB().fit(rows, np.repeat([0, 1], 40))
    odds = np.diff(model.predict_joint_log_proba([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]]), axis=1)[:, 0]
    assert odds[1] - odds[0] == pytest.approx(odds[2] - odds[1])
    curved = learnable.GaussianNB().fit(rows * np.repeat([1, 3], 40)[:, None], np.repeat([0, 1], 40))
    odds = np.diff(curved.predict_joint_log_proba([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]]), axis=1)[:, 0]
    assert abs((odds[1] - odds[0]) - (odds[2] - odds[1])) > 1


def test_a_zero_count_kills_a_class_and_smoothing_repairs_it():
    """NBC-07: `sport` was never seen with feature 2; smoothing is pseudo-observations."""
    row = [[1, 1, 1]]
    for model in (
        learnable.BernoulliNB(alpha=0.0),
        learnable.MultinomialNB(alpha=0.0),
        learnable.CategoricalNB(alpha=0.0),
    ):
        fitted = model.fit(X, y)
        np.testing.assert_array_equal(fitted.predict_proba(row), [[1.0, 0.0]])
        assert fitted.predict_joint_log_proba(row)[0, 1] == -np.inf
    made_up = np.vstack([X, np.ones((2, 3)), np.zeros((2, 3))])
    labels = np.concatenate([y, ["sport", "news"] * 2])
    observed = learnable.BernoulliNB(alpha=0.0).fit(made_up, labels)
    smoothed = learnable.BernoulliNB(alpha=1.0).fit(X, y)
    np.testing.assert_allclose(observed.feature_log_prob_, smoothed.feature_log_prob_)


def test_a_row_that_no_class_can_give_has_the_prior():
    model = learnable.BernoulliNB(alpha=0.0).fit([[1, 0], [0, 1], [0, 1]], ["a", "b", "b"])
    np.testing.assert_allclose(model.predict_proba([[1, 1]]), [[1 / 3, 2 / 3]])
    assert model.predict([[1, 1]]).tolist() == ["b"]


def test_zero_counts_do_not_poison_rows_without_that_word():
    model = learnable.MultinomialNB(alpha=0.0).fit(X, y)
    assert np.isfinite(model.predict_joint_log_proba([[1, 1, 0]])).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: learnable.GaussianNB(priors=[0.5, 0.6]), "not to 1"),
        (lambda: learnable.GaussianNB(priors=[1.0]), "an entry for each"),
        (lambda: learnable.GaussianNB(priors=[1.5, -0.5]), "priors must be at least 0"),
        (lambda: learnable.GaussianNB(priors=["a", "b"]), "priors must be numbers at least 0"),
        (lambda: learnable.MultinomialNB(class_prior=[1.0]), "an entry for each"),
        (lambda: learnable.BernoulliNB(beta_prior=[2.0, 2.0, 2.0]), "two numbers"),
        (lambda: learnable.MultinomialNB(alpha=[1.0, 1.0]), "n_features"),
        (lambda: learnable.CategoricalNB(min_categories=[1.5, 2, 2]), "must be integers"),
        (lambda: learnable.CategoricalNB(min_categories=[2, 2]), "shape"),
    ],
)
def test_wrong_parameters_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make().fit(X, y)


@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB", "CategoricalNB"])
def test_negative_counts_are_refused_by_row_and_column(name):
    with pytest.raises(ValueError, match=rf"Negative values in data passed to {name}.*column 1, row 2"):
        getattr(learnable, name)().fit([[1, 1], [2, 2], [1, -3]], [0, 1, 1])


@pytest.mark.parametrize("kind", [np.array, csr_array])
def test_values_that_are_not_made_binary_must_be(kind):
    model = learnable.BernoulliNB(binarize=None)
    with pytest.raises(learnable.DataError, match=r"BernoulliNB: X holds 2 in column 1, row 0.*set binarize"):
        model.fit(kind([[1.0, 2.0], [0.0, 1.0]]), [0, 1])
    model.fit(kind([[1.0, np.nan], [0.0, 1.0], [1.0, 0.0]]), [0, 1, 0])
    with pytest.raises(learnable.DataError, match=r"X holds 0\.5 in column 0, row 1"):
        model.predict(kind([[1.0, 0.0], [0.5, 1.0]]))


def test_extremes():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(60, 3)) + np.repeat([0, 4], 30)[:, None], np.repeat([0, 1], 30)
    plain = learnable.GaussianNB().fit(rows, labels)
    for scale in (1e-150, 1e-9, 1e9, 1e150):
        scaled = learnable.GaussianNB().fit(rows * scale, labels)
        np.testing.assert_allclose(scaled.predict_proba(rows * scale), plain.predict_proba(rows), rtol=1e-6, atol=1e-9)
    far = learnable.GaussianNB().fit(rows + 1e8, labels)
    np.testing.assert_allclose(far.var_, plain.var_, rtol=1e-6)


def test_one_class_and_constant_columns():
    for name in ("GaussianNB", "BernoulliNB", "MultinomialNB", "ComplementNB", "CategoricalNB"):
        model = getattr(learnable, name)().fit([[1.0, 2.0], [1.0, 2.0]], ["only", "only"])
        assert model.predict([[1.0, 2.0]]).tolist() == ["only"]
        np.testing.assert_allclose(model.predict_proba([[1.0, 2.0]]), [[1.0]])
    model = learnable.GaussianNB(var_smoothing=0).fit([[1.0, 0.0], [1.0, 1.0], [1.0, 3.0], [1.0, 4.0]], [0, 0, 1, 1])
    assert model.predict([[1.0, 0.4], [1.0, 3.6]]).tolist() == [0, 1]


def test_texts_by_subject():
    """APP-24: the words that are there, and those that are not, distinguish politics from sport."""
    texts = [
        "the vote in parliament",
        "parliament and the vote of the party",
        "a goal in the match",
        "the match and its goal",
    ]
    subjects = ["politics", "politics", "sport", "sport"]
    model = learnable.Pipeline([("words", learnable.CountVectorizer(binary=True)), ("bayes", learnable.BernoulliNB())])
    model.fit(texts, subjects)
    assert model.predict(["the party lost the vote", "what a goal"]).tolist() == ["politics", "sport"]
    words = model.named_steps["words"].get_feature_names_out().tolist()
    telling = np.diff(model.named_steps["bayes"].feature_log_prob_, axis=0)[0]
    assert {words[j] for j in telling.argsort()[-2:]} == {"goal", "match"}


def test_frauds_by_naive_bayes_on_columns_that_differ():
    """APP-05: the columns in which the classes look least alike do better than all of them."""
    payments, fraud, names = references.card_payments()
    chooser = learnable.ConditionalDensityFilter(threshold=0.8).fit(payments, fraud)
    alike = dict(zip(names, chooser.similarities_, strict=True))
    assert alike["v14"] == min(alike.values()) and alike["v13"] > 0.9 and alike["v15"] > 0.9
    reached = [
        learnable.cross_val_score(
            learnable.make_pipeline(learnable.ConditionalDensityFilter(threshold=threshold), learnable.GaussianNB()),
            payments, fraud, scoring="balanced_accuracy",
        ).mean()
        for threshold in (0.5, 1.0)
    ]  # fmt: skip
    assert reached[0] > reached[1] > 0.85
