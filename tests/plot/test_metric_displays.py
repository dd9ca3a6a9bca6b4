"""Pictures of metrics show the numbers that the metrics compute."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_validate

from learnable import metrics, plot
from learnable.core.errors import DataError, ParameterError

X, Y = make_classification(300, 6, weights=[0.7], flip_y=0.1, random_state=0)
NAMES = np.where(Y == 1, "yes", "no")
MODEL = LogisticRegression().fit(X, NAMES)
PROBABILITY = MODEL.predict_proba(X)[:, 1]
WEIGHT = np.arange(300) % 3 + 1.0


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.mark.parametrize("pos_label", [None, "no"])
def test_the_roc_curve(pos_label):
    shown = plot.RocCurveDisplay.from_estimator(
        MODEL, X, NAMES, pos_label=pos_label, sample_weight=WEIGHT, plot_chance_level=True
    )
    score = PROBABILITY if pos_label is None else 1 - PROBABILITY
    alarms, hits, _ = metrics.roc_curve(NAMES, score, pos_label=pos_label or "yes", sample_weight=WEIGHT)
    np.testing.assert_allclose(shown.line_.get_xdata(), alarms)
    np.testing.assert_allclose(shown.line_.get_ydata(), hits)
    assert shown.roc_auc == pytest.approx(metrics.auc(alarms, hits))
    assert shown.line_.get_label() == f"LogisticRegression (AUC = {shown.roc_auc:.2f})"
    assert shown.chance_level_.get_linestyle() == "--"


def test_several_models_on_one_picture():
    first = plot.RocCurveDisplay.from_predictions(Y, PROBABILITY, name="first")
    second = plot.RocCurveDisplay.from_predictions(Y, X[:, 1], ax=first.ax_, name="second")
    assert first.ax_ is second.ax_ and len(first.ax_.lines) == 2
    assert first.line_.get_color() != second.line_.get_color()


def test_the_precision_recall_curve():
    shown = plot.PrecisionRecallDisplay.from_estimator(MODEL, X, NAMES, plot_chance_level=True, name="model")
    short = plot.PrecisionRecallDisplay.from_estimator(MODEL, X, NAMES, c="red", lw=3)
    assert (short.line_.get_color(), short.line_.get_linewidth()) == ("red", 3)
    precision, recall, _ = metrics.precision_recall_curve(NAMES, PROBABILITY, pos_label="yes")
    np.testing.assert_allclose(shown.line_.get_xdata(), recall)
    np.testing.assert_allclose(shown.line_.get_ydata(), precision)
    assert shown.average_precision == pytest.approx(
        metrics.average_precision_score(NAMES, PROBABILITY, pos_label="yes")
    )
    assert shown.chance_level_.get_ydata()[0] == pytest.approx((Y == 1).mean())
    with pytest.raises(ValueError, match="prevalence_pos_label"):
        plot.PrecisionRecallDisplay([1.0], [1.0]).plot(plot_chance_level=True)


def test_the_detection_errors():
    from scipy.stats import norm

    shown = plot.DetCurveDisplay.from_predictions(Y, PROBABILITY, drop_intermediate=False)
    alarms, missed, _ = metrics.det_curve(Y, PROBABILITY)
    inside = (alarms > 0) & (missed > 0)
    np.testing.assert_allclose(shown.line_.get_xdata()[inside], norm.ppf(alarms[inside]))
    np.testing.assert_allclose(shown.line_.get_ydata()[inside], norm.ppf(missed[inside]))
    plain = plot.DetCurveDisplay.from_predictions(Y, PROBABILITY, scale="linear", drop_intermediate=False)
    np.testing.assert_allclose(plain.line_.get_xdata(), alarms)
    with pytest.raises(ValueError, match="scale must be"):
        plain.plot(scale="log")


@pytest.mark.parametrize("normalize", [None, "true"])
def test_the_confusion_matrix(normalize):
    shown = plot.ConfusionMatrixDisplay.from_estimator(MODEL, X, NAMES, normalize=normalize, xticks_rotation="vertical")
    table = metrics.confusion_matrix(NAMES, MODEL.predict(X), normalize=normalize)
    np.testing.assert_allclose(shown.im_.get_array(), table)
    assert [label.get_text() for label in shown.ax_.get_xticklabels()] == ["no", "yes"]
    assert shown.text_[0, 0].get_text() == (str(table[0, 0]) if normalize is None else f"{table[0, 0]:.2g}")
    assert shown.text_[0, 0].get_color() != shown.text_[0, 1].get_color()
    chosen = plot.ConfusionMatrixDisplay.from_predictions(NAMES, MODEL.predict(X), labels=["yes", "no"], colorbar=False)
    assert chosen.confusion_matrix.tolist() == metrics.confusion_matrix(NAMES, MODEL.predict(X))[::-1, ::-1].tolist()
    turned = plot.ConfusionMatrixDisplay.from_estimator(MODEL, X, NAMES, normalize=normalize, layout="predicted")
    np.testing.assert_allclose(turned.confusion_matrix, table.T)
    assert (turned.ax_.get_xlabel(), turned.ax_.get_ylabel()) == ("actual class", "predicted class")


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_the_calibration(strategy):
    from sklearn.calibration import calibration_curve

    shown = plot.CalibrationDisplay.from_estimator(MODEL, X, NAMES, n_bins=7, strategy=strategy)
    true, predicted = calibration_curve(Y, PROBABILITY, n_bins=7, strategy=strategy)
    np.testing.assert_allclose(shown.prob_true, true)
    np.testing.assert_allclose(shown.line_.get_xdata(), predicted)
    with pytest.raises(DataError, match="outside"):
        plot.CalibrationDisplay.from_predictions(Y, PROBABILITY * 2)
    with pytest.raises(ParameterError, match="strategy"):
        plot.CalibrationDisplay.from_predictions(Y, PROBABILITY, strategy="even")


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_the_band_of_the_calibration(weight):
    from statsmodels.stats.proportion import proportion_confint

    shown = plot.CalibrationDisplay.from_predictions(
        Y, PROBABILITY, n_bins=8, strategy="quantile", sample_weight=weight, confidence=0.9
    )
    copies = np.ones(300) if weight is None else weight
    bins = np.searchsorted(np.percentile(PROBABILITY, np.linspace(0, 100, 9))[1:-1], PROBABILITY)
    ends = [
        proportion_confint(copies[bins == k] @ Y[bins == k], copies[bins == k].sum(), 0.1, "wilson") for k in range(8)
    ]
    np.testing.assert_allclose(np.transpose(shown.band), ends, atol=1e-12)
    edge = shown.ax_.collections[0].get_paths()[0].vertices
    assert edge[:, 1].min() == pytest.approx(np.min(ends)) and edge[:, 1].max() == pytest.approx(np.max(ends))
    assert plot.CalibrationDisplay.from_predictions(Y, PROBABILITY).band is None


def test_the_sweep_of_thresholds():
    shown = plot.ThresholdDisplay.from_estimator(MODEL, X, NAMES)
    rate, threshold = metrics.equal_error_rate(Y, PROBABILITY)
    assert (shown.crossing_.get_xdata()[0], shown.crossing_.get_ydata()[0]) == (threshold, rate)
    points = metrics.operating_points(Y, PROBABILITY)
    np.testing.assert_allclose(shown.misses_.get_ydata(), points.miss_rate[1:])
    np.testing.assert_allclose(shown.alarms_.get_xdata(), points.thresholds[1:])


def test_the_silhouettes():
    rows, _ = make_blobs(90, centers=3, random_state=0)
    model = KMeans(3, n_init=2, random_state=0).fit(rows)
    shown = plot.SilhouetteDisplay.from_estimator(model, rows)
    assert len(shown.ax_.patches) == 90
    widths = sorted(bar.get_width() for bar in shown.ax_.patches)
    np.testing.assert_allclose(widths, np.sort(metrics.silhouette_samples(rows, model.labels_)))
    assert shown.mean_line_.get_xdata()[0] == pytest.approx(metrics.silhouette_score(rows, model.labels_))


def test_only_classifiers_of_two_classes_have_these_curves():
    with pytest.raises(ParameterError, match="classifier of two classes"):
        plot.RocCurveDisplay.from_estimator(Ridge().fit(X, Y), X, Y)
    three = LogisticRegression().fit(X, np.arange(300) % 3)
    with pytest.raises(ParameterError, match="this one has 3"):
        plot.DetCurveDisplay.from_estimator(three, X, Y)
    with pytest.raises(ValueError, match="not fitted"):
        plot.RocCurveDisplay.from_estimator(LogisticRegression(), X, Y)


def validated(**options):
    kept = {"return_estimator": True, "return_indices": True}
    return cross_validate(LogisticRegression(), X, NAMES, cv=4, **{**kept, **options})


@pytest.mark.parametrize("kind", ["RocCurveDisplay", "PrecisionRecallDisplay"])
@pytest.mark.parametrize("pos_label", [None, "no"])
def test_the_curves_of_folds_are_those_of_scikit_learn(kind, pos_label):
    import sklearn.metrics

    found, options = validated(), {"pos_label": pos_label, "sample_weight": WEIGHT, "plot_chance_level": True}
    ours, theirs = (
        getattr(home, kind).from_cv_results(found, X, NAMES, **options) for home in (metrics, sklearn.metrics)
    )
    assert len(ours.line_) == len(theirs.line_) == 4
    for mine, reference in zip(ours.line_, theirs.line_, strict=True):
        np.testing.assert_allclose(mine.get_xydata(), reference.get_xydata(), atol=1e-12)
        assert mine.get_color() == ours.line_[0].get_color()
    assert ours.line_[0].get_label() == theirs.line_[0].get_label() and ours.line_[1].get_label().startswith("_")


def test_curves_of_folds_may_have_names_and_styles_of_their_own():
    styles = [{"color": colour} for colour in ("red", "green", "blue", "black")]
    shown = metrics.RocCurveDisplay.from_cv_results(validated(), X, NAMES, name=list("abcd"), curve_kwargs=styles)
    assert [line.get_color() for line in shown.line_] == ["red", "green", "blue", "black"]
    assert shown.line_[2].get_label() == f"c (AUC = {shown.roc_auc[2]:.2f})"
    with pytest.raises(ParameterError, match="a list of length 4"):
        shown.plot(curve_kwargs=styles[:2])
    with pytest.raises(ParameterError, match="`name` can be a list only where"):
        shown.plot(name=list("abcd"))
    assert shown.plot(name="all").line_[0].get_label().startswith("all (AUC = ")


def test_curves_of_folds_need_models_rows_and_two_classes():
    with pytest.raises(ParameterError, match="lacks indices; call cross_validate with"):
        metrics.RocCurveDisplay.from_cv_results(validated(return_indices=False), X, NAMES)
    with pytest.raises(DataError, match="100 rows, the folds refer to 300"):
        metrics.RocCurveDisplay.from_cv_results(validated(), X[:100], NAMES[:100])
    with pytest.raises(DataError, match="It has 3 classes"):
        metrics.PrecisionRecallDisplay.from_cv_results(validated(), X, np.arange(300) % 3)


def test_a_roc_curve_of_one_class_says_what_is_missing():
    with pytest.raises(DataError, match="RocCurveDisplay: y_true has rows of one class only"):
        plot.RocCurveDisplay.from_predictions([1, 1, 1], [0.1, 0.5, 0.9])


def test_long_names_of_classes_are_turned_and_short_ones_are_not():
    names = np.array(["Staphylococcus aureus", "Pseudomonas aeruginosa", "Escherichia coli"])
    shown = plot.ConfusionMatrixDisplay.from_predictions(names, names)
    shown.figure_.canvas.draw()
    labels = shown.ax_.get_xticklabels()
    assert {label.get_rotation() for label in labels} == {45.0} and labels[0].get_ha() == "right"
    short = plot.ConfusionMatrixDisplay.from_predictions(["a", "b"], ["a", "b"])
    assert {label.get_rotation() for label in short.ax_.get_xticklabels()} == {0.0}
    requested = plot.ConfusionMatrixDisplay.from_predictions(names, names, xticks_rotation="horizontal")
    assert {label.get_rotation() for label in requested.ax_.get_xticklabels()} == {0.0}
