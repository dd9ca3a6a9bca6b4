"""Metrics of labels against scikit-learn, on labels of every kind."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs

from learnable import metrics
from learnable.core.errors import DataError, ParameterError

NAMES = {2: [0, 1], 3: ["a", "b", "c"], 4: [-1, 3, 70_000, 9]}


@st.composite
def labels(draw, kinds=(2, 3, 4)):
    classes = NAMES[draw(st.sampled_from(kinds))]
    n = draw(st.integers(1, 15))
    column = st.lists(st.sampled_from(classes), min_size=n, max_size=n)
    weight = draw(st.none() | st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    return draw(column), draw(column), None if weight is None else np.array(weight, dtype=float)


@st.composite
def indicators(draw):
    n, k = draw(st.integers(1, 8)), draw(st.integers(2, 4))
    table = st.lists(st.lists(st.integers(0, 1), min_size=k, max_size=k), min_size=n, max_size=n)
    weight = draw(st.none() | st.lists(st.integers(1, 3), min_size=n, max_size=n))
    return np.array(draw(table)), np.array(draw(table)), None if weight is None else np.array(weight, dtype=float)


def both(name, *given, **options):
    """Our result and scikit-learn's, or the names of their errors."""
    predictions = []
    for home in (metrics, theirs):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                predictions.append(getattr(home, name)(*given, **options))
            except ValueError:
                predictions.append("refused")
    return predictions


def agree(name, *given, **options):
    ours, peer = both(name, *given, **options)
    if isinstance(peer, str) or isinstance(ours, str):
        assert ours == peer
    else:
        for one, other in zip(np.atleast_1d(ours), np.atleast_1d(peer), strict=True):
            assert (one is None) == (other is None)
            if one is not None:
                np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


PLAIN = ["accuracy_score", "zero_one_loss", "hamming_loss"]
TABLES = ["confusion_matrix", "multilabel_confusion_matrix", "balanced_accuracy_score", "matthews_corrcoef"]
AVERAGED = ["precision_score", "recall_score", "f1_score", "jaccard_score", "precision_recall_fscore_support"]


@pytest.mark.parametrize("name", PLAIN + TABLES)
@settings(max_examples=26, deadline=None)
@given(data=labels())
def test_labels(name, data):
    truth, predicted, weight = data
    agree(name, truth, predicted, sample_weight=weight)


@pytest.mark.parametrize("name", [*PLAIN, "multilabel_confusion_matrix"])
@settings(max_examples=15, deadline=None)
@given(data=indicators())
def test_several_labels(name, data):
    truth, predicted, weight = data
    agree(name, truth, predicted, sample_weight=weight)


@pytest.mark.parametrize("average", ["binary", "micro", "macro", "weighted", "samples", None])
@pytest.mark.parametrize("zero_division", ["warn", 0, 1, np.nan])
@settings(max_examples=15, deadline=None)
@given(data=labels(), several=indicators(), name=st.sampled_from(AVERAGED))
def test_averages(average, zero_division, data, several, name):
    if name == "jaccard_score" and zero_division != zero_division:
        return  # scikit-learn does not offer it there
    for truth, predicted, weight in (data, several):
        agree(name, truth, predicted, average=average, zero_division=zero_division, sample_weight=weight)


@settings(max_examples=20, deadline=None)
@given(
    data=labels((4,)), beta=st.sampled_from([0, 0.5, 2.0, np.inf]), average=st.sampled_from(["macro", None, "micro"])
)
def test_chosen_labels(data, beta, average):
    truth, predicted, weight = data
    for chosen in ([3, 9], [9, -1, 5], [70_000]):
        options = {"labels": chosen, "beta": beta, "average": average, "sample_weight": weight}
        agree("precision_recall_fscore_support", truth, predicted, zero_division=0, **options)
        agree("confusion_matrix", truth, predicted, labels=chosen, sample_weight=weight)


@settings(max_examples=20, deadline=None)
@given(
    data=labels((3,)),
    normalize=st.sampled_from(["true", "pred", "all"]),
    weights=st.sampled_from([None, "linear", "quadratic"]),
)
def test_normalised_tables_and_kappa(data, normalize, weights):
    truth, predicted, weight = data
    agree("confusion_matrix", truth, predicted, normalize=normalize, sample_weight=weight)
    ours, peer = both("cohen_kappa_score", truth, predicted, weights=weights, sample_weight=weight)
    np.testing.assert_allclose(ours, peer, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(data=labels((2,)))
def test_likelihood_ratios(data):
    truth, predicted, weight = data
    agree("class_likelihood_ratios", truth, predicted, labels=[0, 1], sample_weight=weight)
    agree("class_likelihood_ratios", truth, predicted, labels=[0, 1], replace_undefined_by=1.0)


@settings(max_examples=20, deadline=None)
@given(data=labels(), several=indicators(), digits=st.integers(0, 4))
def test_reports(data, several, digits):
    for truth, predicted, weight in (data, several):
        if not (np.asarray(truth) == np.asarray(predicted)).any():
            continue  # scikit-learn then writes whole numbers of rows with a decimal point
        for output in (False, True):
            options = {"sample_weight": weight, "digits": digits, "output_dict": output, "zero_division": 0}
            ours, peer = both("classification_report", truth, predicted, **options)
            if output:
                assert ours.keys() == peer.keys()
                assert all(ours[key] == pytest.approx(peer[key]) for key in ours)
            else:
                assert ours == peer


def test_a_report_with_names():
    options = {"target_names": ["no", "yes"], "labels": [0, 1, 2], "zero_division": 0}
    with pytest.warns(UserWarning, match=r"target_names holds|does not match size"):
        ours = metrics.classification_report([0, 1, 1], [0, 1, 0], **options)
    with pytest.warns(UserWarning, match=r"target_names holds|does not match size"):
        assert ours == theirs.classification_report([0, 1, 1], [0, 1, 0], **options)
    with pytest.raises(ParameterError, match="names for 2 classes"):
        metrics.classification_report([0, 1], [0, 1], target_names=["one"])


def test_the_layout_of_predicted_rows():
    truth, predicted = [1, 1, 1, 0, 0], [1, 1, 0, 1, 0]
    table = metrics.confusion_matrix(truth, predicted)
    assert table.tolist() == [[1, 1], [1, 2]]
    assert (metrics.confusion_matrix(truth, predicted, layout="predicted") == table.T).all()


@pytest.mark.parametrize("name", [*PLAIN, "balanced_accuracy_score", "matthews_corrcoef", "error_rate"])
def test_a_weight_is_a_number_of_copies(name):
    rng = np.random.default_rng(0)
    truth, predicted, copies = rng.integers(0, 3, 20), rng.integers(0, 3, 20), rng.integers(0, 4, 20)
    score = getattr(metrics, name)
    repeated = score(truth.repeat(copies), predicted.repeat(copies))
    assert score(truth, predicted, sample_weight=copies) == pytest.approx(repeated)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.accuracy_score([0, 1], [0.5, 0.5]), "continuous"),
        (lambda: metrics.accuracy_score(["a", "b"], [0, 1]), "make all of one type"),
        (lambda: metrics.accuracy_score([[0, 1]], [0]), "mix of"),
        (lambda: metrics.accuracy_score([], []), "no rows"),
        (lambda: metrics.accuracy_score([0, np.nan], [0, 1]), "NaN"),
        (lambda: metrics.f1_score([0, 1, 2], [0, 1, 2]), "average='binary'"),
        (lambda: metrics.f1_score([0, 2], [0, 2]), "not one of the classes"),
        (lambda: metrics.f1_score([0, 1], [0, 1], average="best"), 'average must be "binary", "micro"'),
        (lambda: metrics.f1_score([0, 1], [0, 1], zero_division=3), "zero_division must be"),
        (lambda: metrics.confusion_matrix([0, 1], [0, 1], labels=[5]), "none of the given labels"),
        (lambda: metrics.confusion_matrix([0, 1], [0, 1], layout="both"), "layout must be"),
        (lambda: metrics.specificity([0, 1], [0, 1], pos_label=7), "not among the labels"),
    ],
)
def test_what_cannot_be_measured_is_refused(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()


def test_an_undefined_quotient_warns_unless_its_value_is_chosen():
    with pytest.warns(UserWarning, match="Precision is 0/0 due to no predicted samples, and taken as 0"):
        assert metrics.precision_score([1, 1], [0, 0]) == 0
    assert metrics.precision_score([1, 1], [0, 0], zero_division=1) == 1


@pytest.mark.parametrize(
    "name", ["brier_score_loss", "hinge_loss", "top_k_accuracy_score", "log_loss", "accuracy_score"]
)
def test_fractions_are_not_classes(name):
    with pytest.raises(DataError, match="continuous is not supported: y_true holds fractions"):
        getattr(metrics, name)([0.5, 0.7], [0.0, 1.0])
