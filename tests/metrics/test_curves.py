"""Curves, areas, probabilities and rankings against scikit-learn, with ties, weights and single classes."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs

from learnable import metrics
from learnable.core.errors import DataError, ParameterError, UndefinedMetricWarning


@st.composite
def scored(draw, least=1):
    n = draw(st.integers(least, 20))
    truth = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    scores = draw(st.lists(st.integers(-4, 4).map(lambda k: k / 4), min_size=n, max_size=n))
    weight = draw(st.none() | st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    return np.array(truth), np.array(scores), None if weight is None else np.array(weight, dtype=float)


def agree(name, *given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            peer = getattr(theirs, name)(*given, **options)
        except (ValueError, NotImplementedError) as refused:
            with pytest.raises(type(refused)):
                getattr(metrics, name)(*given, **options)
            return
        ours = getattr(metrics, name)(*given, **options)
    if not isinstance(peer, tuple):
        ours, peer = (ours,), (peer,)
    for one, other in zip(ours, peer, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


CURVES = ["roc_curve", "precision_recall_curve", "det_curve"]


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("drop_intermediate", [True, False])
@settings(max_examples=40, deadline=None)
@given(data=scored())
def test_curves(name, drop_intermediate, data):
    truth, scores, weight = data
    counted = truth if weight is None else truth[weight > 0]
    if name == "det_curve" and len(set(counted.tolist())) < 2:
        with pytest.raises(DataError, match="holds one class"):
            metrics.det_curve(truth, scores, sample_weight=weight)
        return
    agree(name, truth, scores, sample_weight=weight, drop_intermediate=drop_intermediate)


@settings(max_examples=33, deadline=None)
@given(data=scored(), limit=st.sampled_from([None, 0.3, 0.5, 1.0]))
def test_areas(data, limit):
    truth, scores, weight = data
    counted = truth if weight is None else truth[weight > 0]
    if len(set(counted.tolist())) == 2:
        agree("roc_auc_score", truth, scores, sample_weight=weight, max_fpr=limit)
    agree("average_precision_score", truth, scores, sample_weight=weight)
    agree("confusion_matrix_at_thresholds", truth, scores, sample_weight=weight)


@settings(max_examples=15, deadline=None)
@given(data=scored())
def test_any_metric_at_thresholds(data):
    truth, scores, weight = data
    found, requested = (
        home.metric_at_thresholds(truth, scores, home.accuracy_score, sample_weight=weight)
        for home in (metrics, theirs)
    )
    np.testing.assert_allclose(found, requested)


def test_one_class_has_no_area():
    with pytest.warns(UserWarning, match="holds one class"):
        assert np.isnan(metrics.roc_auc_score([1, 1], [0.2, 0.3]))
    with pytest.warns(UserWarning, match="No negative samples"):
        assert np.isnan(metrics.roc_curve([1, 1], [0.2, 0.3])[0]).all()
    with pytest.raises(DataError, match="one class only"):
        metrics.equal_error_rate([1, 1], [0.2, 0.3])


def test_curves_of_named_classes():
    truth, scores = np.array(["no", "yes", "yes", "no"]), np.array([0.1, 0.7, 0.4, 0.4])
    for name in CURVES:
        agree(name, truth, scores, pos_label="yes")
        with pytest.raises(ParameterError, match="Give pos_label"):
            getattr(metrics, name)(truth, scores)
    agree("average_precision_score", truth, scores, pos_label="no")
    agree("roc_auc_score", truth, scores)
    three = np.array([0, 1, 2, 1])
    agree("roc_curve", three, scores, pos_label=2)
    with pytest.raises(DataError, match="multiclass format is not supported"):
        metrics.roc_curve(three, scores)


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "samples", None])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), weighted=st.booleans())
def test_several_labels_and_classes(average, seed, weighted):
    rng = np.random.default_rng(seed)
    truth, scores = rng.integers(0, 2, (12, 3)), rng.integers(0, 5, (12, 3)) / 4
    truth[:2] = [[0, 0, 1], [1, 1, 0]]
    weight = rng.integers(1, 4, 12).astype(float) if weighted else None
    if average != "samples":
        agree("roc_auc_score", truth, scores, average=average, sample_weight=weight)
    agree("average_precision_score", truth, scores, average=average, sample_weight=weight)
    classes = np.append(rng.integers(0, 3, 9), [0, 1, 2])
    forecast = rng.dirichlet(np.ones(3), 12).round(2)
    forecast[:, 2] = 1 - forecast[:, 0] - forecast[:, 1]
    agree("average_precision_score", classes, forecast, average=average, sample_weight=weight)
    for scheme in ("ovr", "ovo"):
        more = {} if scheme == "ovo" else {"sample_weight": weight}
        agree("roc_auc_score", classes, forecast, average=average, multi_class=scheme, **more)
        agree("roc_auc_score", classes % 2, forecast, average=average, multi_class=scheme, labels=[0, 1, 2])


@pytest.mark.parametrize("name", ["log_loss", "d2_log_loss_score", "brier_score_loss", "d2_brier_score"])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), classes=st.integers(2, 4), weighted=st.booleans(), single=st.booleans())
def test_probabilities(name, seed, classes, weighted, single):
    rng = np.random.default_rng(seed)
    truth = np.append(rng.integers(0, classes, 10), np.arange(classes))
    names = np.array(["ape", "bee", "cat", "dog"])[truth]
    forecast = rng.dirichlet(np.full(classes, 0.4), len(truth))
    forecast[0] = np.eye(classes)[0]
    if single:
        forecast = forecast.astype(np.float32)
    weight = rng.integers(1, 4, len(truth)).astype(float) if weighted else None
    ours, peer = (getattr(home, name)(names, forecast, sample_weight=weight) for home in (metrics, theirs))
    assert ours == pytest.approx(peer, rel=1e-5 if single else 1e-10)
    if classes == 2 and not single:
        agree(name, truth, forecast[:, 1], sample_weight=weight)
    if not single:
        agree(name, names, forecast, labels=sorted(set(names)), sample_weight=weight)


def test_probabilities_of_extremes_and_old_names():
    agree("log_loss", [0, 1], [0.0, 1.0])
    agree("log_loss", [0, 1], [1.0, 0.0], normalize=False)
    agree("brier_score_loss", [0, 1, 1], [0.1, 0.5, 0.9], scale_by_half=False)
    agree("brier_score_loss", ["a", "b"], [0.1, 0.5], pos_label="a")
    assert metrics.log_loss([0, 1], y_pred=[0.1, 0.9]) == metrics.log_loss([0, 1], [0.1, 0.9])
    truth, forecast = np.random.default_rng(0).integers(0, 2, 70_000), np.random.default_rng(1).random(70_000)
    agree("log_loss", truth, forecast)


ONE_CLASS = [
    ([0, 0, 0], [1.0, 0.6, 0.0], {}),
    ([0, 0, 0], [0.0, 0.0, 0.0], {}),
    ([1, 1, 1], [1.0, 1.0, 1.0], {}),
    ([-1, -1, -1], [0.2, 0.0, 0.0], {}),
    ([2, 2, 2], [0.5, 1.0, 1.0], {}),
    (["a", "a", "a"], [1.0, 1.0, 1.0], {"pos_label": "a"}),
    (["a", "a", "a"], [1.0, 1.0, 1.0], {"pos_label": "b"}),
    ([0, 0, 0], [[1.0, 0.0, 0.0]] * 3, {"labels": [0, 1, 2]}),
    ([2, 2, 2], [[0.9, 0.1, 0.0]] * 3, {"labels": [0, 1, 2]}),
    ([0, 0, 0], [[1.0, 0.0]] * 3, {}),
]


@pytest.mark.parametrize("weight", [None, [0.1, 0.2, 0.7], [3.0, 0.0, 1.0]], ids=str)
@pytest.mark.parametrize(("truth", "forecast", "options"), ONE_CLASS, ids=str)
def test_the_brier_score_of_a_single_class_has_no_reference_to_explain(truth, forecast, options, weight):
    agree("d2_brier_score", truth, forecast, sample_weight=weight, **options)


def test_a_class_without_weight_leaves_a_single_one():
    for forecast in ([0.0, 0.4, 0.0], [0.1, 0.4, 0.0]):
        agree("d2_brier_score", [0, 1, 0], forecast, sample_weight=[1.0, 0.0, 2.0])
    with pytest.warns(UndefinedMetricWarning, match="single class"):
        assert metrics.d2_brier_score([0, 0, 0], [1.0, 0.6, 0.0]) == -np.inf


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), classes=st.integers(2, 4), weighted=st.booleans())
def test_hinges(seed, classes, weighted):
    rng = np.random.default_rng(seed)
    truth = np.append(rng.integers(0, classes, 10), np.arange(classes))
    scores = rng.normal(size=(len(truth), classes)) if classes > 2 else rng.normal(size=len(truth))
    weight = rng.integers(1, 4, len(truth)).astype(float) if weighted else None
    agree("hinge_loss", truth, scores, sample_weight=weight)
    if classes > 2:
        agree("hinge_loss", truth % 2, scores, labels=np.arange(classes), sample_weight=weight)


RANKINGS = ["coverage_error", "label_ranking_average_precision_score", "label_ranking_loss", "dcg_score", "ndcg_score"]


@pytest.mark.parametrize("name", RANKINGS)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), weighted=st.booleans())
def test_rankings(name, seed, weighted):
    rng = np.random.default_rng(seed)
    truth, scores = rng.integers(0, 2, (6, 4)), rng.integers(0, 5, (6, 4)) / 4
    weight = rng.integers(1, 4, 6).astype(float) if weighted else None
    agree(name, truth, scores, sample_weight=weight)
    if "dcg" in name:
        agree(name, rng.integers(0, 9, (6, 4)), scores, k=2, sample_weight=weight)
        agree(name, truth, rng.normal(size=(6, 4)), ignore_ties=True)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 4), classes=st.integers(2, 4))
def test_the_first_k(seed, k, classes):
    rng = np.random.default_rng(seed)
    truth = np.append(rng.integers(0, classes, 10), np.arange(classes))
    scores = rng.random((len(truth), classes)) if classes > 2 else rng.random(len(truth))
    for more in ({}, {"normalize": False}, {"sample_weight": np.arange(len(truth)) % 3 + 1.0}):
        agree("top_k_accuracy_score", truth, scores, k=k, **more)


@pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score", "log_loss", "brier_score_loss"])
def test_a_weight_is_a_number_of_copies(name):
    rng = np.random.default_rng(0)
    truth, scores, copies = rng.integers(0, 2, 30), rng.integers(0, 9, 30) / 8, rng.integers(0, 4, 30)
    score = getattr(metrics, name)
    repeated = score(truth.repeat(copies), scores.repeat(copies))
    assert score(truth, scores, sample_weight=copies) == pytest.approx(repeated)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.log_loss([0, 1], [1.5, 0.2]), "greater than 1"),
        (lambda: metrics.log_loss([0, 1], [-0.5, 0.2]), "lower than 0"),
        (lambda: metrics.log_loss([1, 1], [0.5, 0.2]), "holds the label"),
        (lambda: metrics.log_loss([0, 1, 2], [0.5, 0.2, 0.1]), "give all classes as labels"),
        (lambda: metrics.log_loss([0, 3], [0.5, 0.2], labels=[0, 1]), "labels other than"),
        (lambda: metrics.roc_auc_score([0, 1], [0.5, np.nan]), "NaN"),
        (lambda: metrics.roc_auc_score([0, 1], [0.5, 0.6], max_fpr=2), "max_fpr"),
        (lambda: metrics.roc_auc_score([0, 1, 2], np.eye(3)), "multi_class is"),
        (lambda: metrics.auc([0, 1, 0.5], [0, 1, 1]), "neither increasing nor decreasing"),
        (lambda: metrics.ndcg_score([[-1, 0]], [[0.1, 0.2]]), "negative"),
        (lambda: metrics.top_k_accuracy_score([0, 1, 2], np.eye(3), k=0), "at least 1"),
    ],
)
def test_what_cannot_be_measured_is_refused(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()


@pytest.mark.parametrize("silent", [0, 1])
def test_a_part_of_the_area_without_weight_on_one_class_is_unknown(silent):
    truth, scores = np.array([0, 1, 0, 1]), np.array([0.1, 0.2, 0.3, 0.4])
    with pytest.warns(UndefinedMetricWarning, match="holds one class"):
        assert np.isnan(metrics.roc_auc_score(truth, scores, max_fpr=0.4, sample_weight=(truth != silent) * 1.0))


def test_a_row_of_no_weight_need_not_have_a_score():
    """Its labels are all alike, so that nothing ranks above anything."""
    truth = np.array([[1, 1, 0], [0, 0, 0], [0, 1, 0]])
    scores = np.array([[0.3, 0.6, 0.1], [0.1, 0.2, 0.3], [0.2, 0.1, 0.4]])
    left_out = metrics.roc_auc_score(truth[[0, 2]], scores[[0, 2]], average="samples")
    assert metrics.roc_auc_score(truth, scores, average="samples", sample_weight=[1, 0, 1]) == left_out == 0.5
