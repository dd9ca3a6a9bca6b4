"""Worked numbers, by id, and definitions of the course."""

import numpy as np
import pytest

from learnable import metrics

# W-09: labels + + + + - - - -, predictions + + - + - + - +
TRUTH = np.array([1, 1, 1, 1, -1, -1, -1, -1])
PREDICTED = np.array([1, 1, -1, 1, -1, 1, -1, 1])


def expanded(table):
    """Labels and predictions with this confusion matrix (rows actual)."""
    pairs = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return np.array(pairs).T


def test_w08_rates_of_the_whole_and_of_a_class():
    assert metrics.joint_error_fractions(TRUTH, PREDICTED) == (0.25, 0.125)
    assert sum(metrics.joint_error_fractions(TRUTH, PREDICTED)) == metrics.error_rate(TRUTH, PREDICTED) == 0.375
    assert metrics.false_alarm_rate(TRUTH, PREDICTED) == 0.5
    assert metrics.false_negative_rate(TRUTH, PREDICTED) == 0.25
    assert metrics.specificity(TRUTH, PREDICTED) == 0.5
    assert metrics.balanced_accuracy_score(TRUTH, PREDICTED) == 0.625
    assert metrics.matthews_corrcoef(TRUTH, PREDICTED) == pytest.approx(0.2582, abs=5e-5)
    assert metrics.fbeta_score(TRUTH, PREDICTED, beta=2) == pytest.approx(0.7143, abs=5e-5)
    assert metrics.fbeta_score(TRUTH, PREDICTED, beta=0.5) == pytest.approx(0.625)


def test_w09_precision_recall_and_their_averages():
    assert metrics.confusion_matrix(TRUTH, PREDICTED).tolist() == [[2, 2], [1, 3]]
    assert metrics.confusion_matrix(TRUTH, PREDICTED, layout="predicted").tolist() == [[2, 1], [2, 3]]
    assert metrics.accuracy_score(TRUTH, PREDICTED) == 0.625
    of_each = metrics.precision_recall_fscore_support(TRUTH, PREDICTED)
    np.testing.assert_allclose(of_each[0], [0.6667, 0.6], atol=5e-5)
    np.testing.assert_allclose(of_each[1], [0.5, 0.75])
    np.testing.assert_allclose(of_each[2], [0.5714, 0.6667], atol=5e-5)
    macro = metrics.precision_recall_fscore_support(TRUTH, PREDICTED, average="macro")
    np.testing.assert_allclose(macro[:3], [0.6333, 0.625, 0.6190], atol=5e-5)
    assert metrics.macro_f(TRUTH, PREDICTED) == pytest.approx(0.6190, abs=5e-5)
    assert metrics.macro_f(TRUTH, PREDICTED, definition="F of means") == pytest.approx(0.6291, abs=5e-5)
    micro = metrics.precision_recall_fscore_support(TRUTH, PREDICTED, average="micro")
    np.testing.assert_allclose(micro[:3], 0.625)


def test_w10_a_class_that_is_never_found():
    truth, predicted = expanded([[700, 300], [100, 0]])
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(truth, predicted)
    np.testing.assert_allclose(precision, [0.875, 0])
    np.testing.assert_allclose(recall, [0.7, 0])
    np.testing.assert_allclose(f1, [0.7778, 0], atol=5e-5)
    assert metrics.accuracy_score(truth, predicted) == pytest.approx(0.6364, abs=5e-5)
    assert metrics.balanced_accuracy_score(truth, predicted) == 0.35
    np.testing.assert_allclose(metrics.confusion_matrix(truth, predicted, normalize="true"), [[0.7, 0.3], [1, 0]])


@pytest.mark.parametrize(("many", "few"), [(95, 5), (98, 2)])
def test_w11_w13_accuracy_misleads(many, few):
    truth = np.repeat([0, 1], [many, few])
    predicted = np.zeros(100, dtype=int)
    report = metrics.imbalance_report(truth, predicted)
    assert report["accuracy"] == many / 100 and report["balanced_accuracy"] == 0.5
    assert report["recall"] == report["precision"] == report["f1"] == report["matthews_corrcoef"] == 0
    assert "no better than" in report["advice"] and f"{many}%" in report["advice"]


def test_w12_the_report_of_two_uneven_classes():
    truth, predicted = expanded([[1866, 18], [68, 48]])
    report = metrics.classification_report(truth, predicted, output_dict=True)
    rounded = [[round(report[c][key], 2) for key in ("precision", "recall", "f1-score")] for c in ("0", "1")]
    assert rounded == [[0.96, 0.99, 0.98], [0.73, 0.41, 0.53]]
    average = report["weighted avg"]
    assert [round(average[key], 3) for key in ("precision", "recall", "f1-score")] == [0.951, 0.957, 0.951]
    assert report["1"]["support"] == 116
    assert metrics.balanced_accuracy_score(truth, predicted) == pytest.approx(0.7021, abs=5e-5)
    assert metrics.matthews_corrcoef(truth, predicted) == pytest.approx(0.5289, abs=5e-5)


def test_w14_the_log_loss_of_one_forecast():
    loss = metrics.log_loss([0], [[0.5, 0.3, 0.2]], labels=[0, 1, 2])
    assert loss == pytest.approx(-np.log(0.5))


def test_balanced_accuracy_with_weights_is_its_definition():
    rng = np.random.default_rng(0)
    truth, predicted, weight = rng.integers(0, 3, 50), rng.integers(0, 3, 50), rng.uniform(0.5, 2, 50)
    of_class = np.bincount(truth, weights=weight)
    share = weight / of_class[truth]
    requested = share[truth == predicted].sum() / share.sum()
    assert metrics.balanced_accuracy_score(truth, predicted, sample_weight=weight) == pytest.approx(requested)


def test_costs_weigh_each_kind_of_prediction():
    costs = {"false_positive": 2.0, "false_negative": 5.0, "true_positive": 1.0, "true_negative": 0.5}
    wrong, right = 2 * 2 + 5 * 1, 3 * 1 + 2 * 0.5
    assert metrics.cost_sensitive_error(TRUTH, PREDICTED, **costs) == pytest.approx(wrong / (wrong + right))
    assert metrics.cost_sensitive_error(TRUTH, PREDICTED) == metrics.error_rate(TRUTH, PREDICTED)


def test_the_neyman_pearson_metric_and_its_best_threshold():
    rng = np.random.default_rng(1)
    truth, scores = rng.integers(0, 2, 60), rng.integers(0, 12, 60) / 4
    assert metrics.neyman_pearson_error(TRUTH, PREDICTED, kappa=3) == 3 * 1 / 8 + 2 / 8
    for kappa in (0.1, 1, 4):
        threshold, error = metrics.neyman_pearson_threshold(truth, scores, kappa=kappa)
        all_errors = [
            metrics.neyman_pearson_error(truth, (scores >= t).astype(int), kappa=kappa)
            for t in [*np.unique(scores), np.inf]
        ]
        assert error == pytest.approx(min(all_errors))
        called = (scores >= threshold).astype(int)
        assert metrics.neyman_pearson_error(truth, called, kappa=kappa) == pytest.approx(error)


def test_operating_points_are_what_each_threshold_does():
    rng = np.random.default_rng(2)
    truth, scores = rng.integers(0, 2, 40), rng.normal(size=40).round(1)
    points = metrics.operating_points(truth, scores)
    for place, threshold in enumerate(points.thresholds):
        called = (scores >= threshold).astype(int)
        assert points.false_alarm_rate[place] == pytest.approx(metrics.false_alarm_rate(truth, called))
        assert points.miss_rate[place] == pytest.approx(metrics.false_negative_rate(truth, called))
        assert points.f1[place] == pytest.approx(metrics.f1_score(truth, called, zero_division=0))
        if called.any():
            assert points.precision[place] == pytest.approx(metrics.precision_score(truth, called))
    strict = points.best(most_false_alarms=0.1)
    assert strict["false_alarm_rate"] <= 0.1
    assert strict["miss_rate"] == points.miss_rate[points.false_alarm_rate <= 0.1].min()
    with pytest.raises(ValueError, match="no threshold keeps both"):
        points.best(most_false_alarms=0.0, most_misses=0.0)


def test_the_equal_error_rate():
    assert metrics.equal_error_rate([0, 0, 1, 1], [1, 2, 3, 4]).rate == 0
    assert metrics.equal_error_rate([1, 0, 1, 0], [1, 1, 2, 2]).rate == pytest.approx(0.5)
    rng = np.random.default_rng(3)
    truth = np.repeat([0, 1], 20_000)
    scores = rng.normal(size=40_000) + 2 * truth  # by symmetry the rates cross at 1, where both are Phi(-1)
    found = metrics.equal_error_rate(truth, scores)
    assert found.rate == pytest.approx(0.1587, abs=0.005) and found.threshold == pytest.approx(1, abs=0.03)
    called = (scores >= found.threshold).astype(int)
    assert metrics.false_alarm_rate(truth, called) == pytest.approx(found.rate, abs=1e-4)
    assert metrics.false_negative_rate(truth, called) == pytest.approx(found.rate, abs=1e-4)


def test_the_area_counts_pairs_in_right_order():
    rng = np.random.default_rng(4)
    truth, scores = rng.integers(0, 2, 50), rng.integers(0, 8, 50)
    missing = scores[truth == 1][:, None] - scores[truth == 0]
    pairs = ((missing > 0) + 0.5 * (missing == 0)).mean()
    assert metrics.roc_auc_score(truth, scores) == pytest.approx(pairs)
    assert metrics.auc(*metrics.roc_curve(truth, scores)[:2]) == pytest.approx(pairs)
    assert metrics.roc_auc_score(truth, np.exp(scores / 3.0)) == pytest.approx(pairs)
    from scipy.stats import mannwhitneyu

    u = mannwhitneyu(scores[truth == 1], scores[truth == 0]).statistic
    assert metrics.roc_auc_score(truth, scores) == pytest.approx(u / (truth.sum() * (1 - truth).sum()))


def test_prototypes_decode_and_score():
    a, b = np.array([1.0, 2.0]), np.array([4.0, -2.0])
    rng = np.random.default_rng(5)
    points = rng.normal(size=(30, 2)) * 3
    nearer_a = np.linalg.norm(points - a, axis=1) < np.linalg.norm(points - b, axis=1)
    margin = metrics.prototype_margin(points, a, b)
    assert ((margin < 0) == nearer_a).all()
    assert metrics.prototype_margin([(a + b) / 2], a, b)[0] == pytest.approx(0)
    assert metrics.prototype_margin([b], a, b)[0] == pytest.approx(np.linalg.norm(b - a) / 2)
    corners = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    truth = rng.integers(0, 3, 40)
    guess = corners[truth] + rng.normal(size=(40, 3))
    kappa = np.array([1.0, 2.0, 5.0])
    nearest = metrics.nearest_prototype(guess, corners)
    requested = (kappa[truth] * (nearest != truth)).mean()
    assert metrics.prototype_error(truth, guess, corners, costs=kappa) == pytest.approx(requested)
    by_hand_hinge, by_hand_logistic = [], []
    for i, y in zip(truth, guess, strict=True):
        others = [j for j in range(3) if j != i]
        d = np.array([metrics.prototype_margin([y], corners[i], corners[j])[0] for j in others])
        by_hand_hinge.append(kappa[i] * max(0, (1 + d).max()))
        by_hand_logistic.append(kappa[i] * np.log(1 + np.exp(d).sum()))
    assert metrics.prototype_hinge_loss(truth, guess, corners, costs=kappa) == pytest.approx(np.mean(by_hand_hinge))
    logistic = metrics.prototype_logistic_loss(truth, guess, corners, costs=kappa)
    assert logistic == pytest.approx(np.mean(by_hand_logistic))


def test_the_squared_loss_of_a_sigmoid_is_not_convex():
    """(sigma(w) - 1)^2 is concave for very wrong w, where the cross-entropy never does (LOS-23)."""
    w = np.linspace(-6, 6, 401)
    probabilities = 1 / (1 + np.exp(-w))
    squared = np.array([metrics.brier_score_loss([1], [p]) for p in probabilities])
    entropy = np.array([metrics.log_loss([1], [p], labels=[0, 1]) for p in probabilities])
    np.testing.assert_allclose(squared, (probabilities - 1) ** 2)
    assert np.diff(squared, 2).min() < -1e-6
    assert np.diff(entropy, 2).min() > 0


def test_the_likelihood_of_held_out_rows():
    from scipy.stats import norm

    rows = np.random.default_rng(6).normal(size=40)
    log_density = norm(0, 1).logpdf(rows)
    assert metrics.mean_log_likelihood(log_density) == pytest.approx(log_density.mean())
    assert metrics.negative_log_likelihood(log_density) == pytest.approx(-log_density.sum())
    copies = np.arange(40) % 3
    weighted = metrics.mean_log_likelihood(log_density, sample_weight=copies)
    assert weighted == pytest.approx(log_density.repeat(copies).mean())
