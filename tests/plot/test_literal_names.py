"""Names of columns and classes are drawn letter by letter in every picture: dollars are no mathematics."""

from __future__ import annotations

import io
import warnings
from xml.etree import ElementTree

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.text import Text

import learnable
from learnable import plot
from learnable.core.printable import printable
from learnable.parts.literal_text import literal_lines, literal_text
from tests.hostile import PHRASES

COLUMNS = ("$\\frac{$", "_b_$_c_$", "x$\x1b[2J$\ny")
CLASSES = ("$10 - $20", "_hidden", "col: black$^{$")
NAMED = {"names", "classes", "display_labels", "feature_names", "pos_label", "densities", "comparison"}


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    pyplot.close("all")


RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(60, 3)), columns=list(COLUMNS))
Y = X.to_numpy() @ [1.0, 2.0, 3.0] + 0.1 * RNG.normal(size=60)
LABELS = np.array(CLASSES, dtype=object)[np.digitize(Y, [-1, 1])]
TWO = np.array(CLASSES[:2], dtype=object)[(Y > 0).astype(int)]
PAIR, P2 = X.iloc[:, :2], COLUMNS[:2]


def two_classes(display, **more):
    model = learnable.LogisticRegression().fit(X, TWO)
    return display.from_estimator(model, X, TWO, pos_label=CLASSES[1], **more)


def tree(model, y):
    learnable.plot_tree(model.fit(X, y), filled=True)


PICTURES = {
    "BiplotDisplay": (lambda: plot.BiplotDisplay.from_estimator(learnable.PCA(2).fit(X), X), COLUMNS),
    "CalibrationDisplay": (lambda: two_classes(plot.CalibrationDisplay), CLASSES[1:2]),
    "ClassHistogramDisplay": (lambda: plot.ClassHistogramDisplay.from_data(X, LABELS), COLUMNS + CLASSES),
    "ClusterDisplay": (lambda: plot.ClusterDisplay.from_estimator(learnable.KMeans(2).fit(PAIR), PAIR), P2),
    "CoefficientDisplay": (lambda: plot.CoefficientDisplay.from_estimator(learnable.Ridge().fit(X, Y)), COLUMNS),
    "CoefficientImageDisplay": (
        lambda: plot.CoefficientImageDisplay.from_estimator(
            learnable.LogisticRegression().fit(RNG.normal(size=(60, 4)), LABELS), (2, 2)
        ),
        CLASSES,
    ),
    "ComparisonDisplay": (
        lambda: plot.ComparisonDisplay.from_estimators(
            {COLUMNS[0]: learnable.Ridge(), CLASSES[0]: learnable.DummyRegressor()}, X, Y, ax=None
        ),
        (COLUMNS[0], CLASSES[0]),
    ),
    "ComponentImagesDisplay": (
        lambda: plot.ComponentImagesDisplay([np.eye(2)] * 3, list(COLUMNS)).plot(),
        COLUMNS,
    ),
    "ConfusionMatrixDisplay": (lambda: plot.ConfusionMatrixDisplay.from_predictions(LABELS, LABELS), CLASSES),
    "ConstraintRegionDisplay": (
        lambda: plot.ConstraintRegionDisplay.from_data(PAIR, Y, size=0.5),
        tuple(f"coefficient of {name}" for name in P2),
    ),
    "CorrelationDisplay": (lambda: plot.CorrelationDisplay.from_data(X.assign(**{COLUMNS[0]: 1.0})), COLUMNS),
    "CriticalDifferenceDisplay": (
        lambda: plot.CriticalDifferenceDisplay.from_comparison(
            learnable.inference.compare_on_data_sets(
                {name: learnable.DummyClassifier() for name in CLASSES}, {"a": (X, LABELS), "b": (X, LABELS)}, cv=2
            )
        ),
        CLASSES,
    ),
    "DecisionBoundaryDisplay": (
        lambda: plot.DecisionBoundaryDisplay.from_estimator(
            learnable.LogisticRegression().fit(PAIR, LABELS), PAIR, y=LABELS
        ),
        P2 + CLASSES,
    ),
    "DendrogramDisplay": (
        lambda: plot.DendrogramDisplay.from_estimator(
            learnable.AgglomerativeClustering(2, compute_distances=True).fit(X.iloc[:3]), labels=list(COLUMNS)
        ),
        COLUMNS,
    ),
    "DensityDisplay": (
        lambda: plot.DensityDisplay.from_estimator(learnable.KernelDensity().fit(PAIR), PAIR), P2,
    ),
    "DensitySimilarityDisplay": (lambda: plot.DensitySimilarityDisplay(list(COLUMNS), Y[:3], 0.5).plot(), COLUMNS),
    "DetCurveDisplay": (lambda: two_classes(plot.DetCurveDisplay), CLASSES[1:2]),
    "DiscriminantSurfaceDisplay": (
        lambda: plot.DiscriminantSurfaceDisplay.from_estimator(
            learnable.GaussianNB().fit(PAIR, LABELS), PAIR, what="probabilities"
        ),
        P2 + CLASSES,
    ),
    "DrawsPairDisplay": (lambda: plot.DrawsPairDisplay(np.zeros(3), np.ones(3), COLUMNS[:2]).plot(), COLUMNS[:2]),
    "GaussianClassesDisplay": (
        lambda: plot.GaussianClassesDisplay.from_estimator(learnable.GaussianNB().fit(PAIR, LABELS), PAIR, LABELS),
        P2 + CLASSES,
    ),
    "ImportancesDisplay": (
        lambda: plot.ImportancesDisplay.from_estimator(learnable.DecisionTreeRegressor().fit(X, Y)), COLUMNS,
    ),
    "MixtureDisplay": (lambda: plot.MixtureDisplay.from_estimator(learnable.GaussianMixture(2).fit(PAIR), PAIR), P2),
    "PairDisplay": (lambda: plot.PairDisplay.from_data(X, LABELS), COLUMNS[:2] + CLASSES),
    "PartialDependenceDisplay": (
        lambda: plot.PartialDependenceDisplay.from_estimator(learnable.Ridge().fit(X, Y), X, [0, (0, 1)]), P2,
    ),
    "PartitionDisplay": (
        lambda: plot.PartitionDisplay.from_estimator(
            learnable.DecisionTreeClassifier(max_depth=2).fit(PAIR, LABELS), PAIR, LABELS
        ).ax_.legend(),
        P2 + CLASSES,
    ),
    "PosteriorDisplay": (
        lambda: plot.PosteriorDisplay(np.arange(3), {name: np.ones(3) for name in CLASSES}, "x").plot(), CLASSES,
    ),
    "PrecisionRecallDisplay": (lambda: two_classes(plot.PrecisionRecallDisplay), CLASSES[1:2]),
    "PredictiveDisplay": (
        lambda: plot.PredictiveDisplay(np.arange(3), {name: np.ones(3) for name in CLASSES}, True).plot(), CLASSES,
    ),
    "PrincipalAxesDisplay": (
        lambda: plot.PrincipalAxesDisplay.from_estimator(learnable.PCA(2).fit(PAIR), PAIR), P2,
    ),
    "RegularizationPathDisplay": (
        lambda: plot.RegularizationPathDisplay(np.array([1.0, 0.1]), RNG.normal(size=(3, 2)), list(COLUMNS)).plot(),
        COLUMNS,
    ),
    "RocCurveDisplay": (lambda: two_classes(plot.RocCurveDisplay), CLASSES[1:2]),
    "ShapDisplay": (lambda: plot.ShapDisplay(X.to_numpy(), X.to_numpy(), list(COLUMNS), "swarm").plot(), COLUMNS),
    "SilhouetteDisplay": (lambda: plot.SilhouetteDisplay.from_labels(X, LABELS.astype(str)), CLASSES),
    "ThresholdDisplay": (lambda: two_classes(plot.ThresholdDisplay), CLASSES[1:2]),
    "plot_tree": (lambda: tree(learnable.DecisionTreeClassifier(max_depth=3), LABELS), CLASSES + COLUMNS[2:]),
}  # fmt: skip
CALLED_BY_US = {"ActivationDisplay", "GradientFlowDisplay", "LossDisplay"}  # of ours, not from data


def test_every_picture_that_names_columns_or_classes_is_drawn_here():
    displays = {name: getattr(plot, name) for name in dir(plot) if name.endswith("Display")}
    named = {name for name, kind in displays.items() if NAMED & set(kind.__dataclass_fields__)}
    assert len(named) > 20 and named - CALLED_BY_US <= set(PICTURES)


@pytest.mark.parametrize("picture", sorted(PICTURES))
def test_names_are_drawn_letter_by_letter(picture):
    draw, names = PICTURES[picture]
    draw()
    written = texts_of(pyplot.gcf())
    missing = [name for name in names if not any(printable(name) in text for text in written)]
    assert not missing, sorted(written)


def texts_of(figure):
    """The texts of a figure as SVG has them; those with several lines in one."""
    outlined = set()  # which SVG has as curves
    for text in figure.findobj(Text):
        drawn, kind = text._preprocess_math(text.get_text())
        assert kind is False or "mathdefault" in drawn, f"{drawn} is drawn as mathematics"
        outlined |= {drawn} if text.get_path_effects() else set()
    file = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        figure.savefig(file, format="svg")
    page = ElementTree.fromstring(file.getvalue())
    groups = (group for group in page.iter("{http://www.w3.org/2000/svg}g") if group.get("id", "").startswith("text"))
    return outlined | {"".join("".join(group.itertext()).split("\n")).strip() for group in groups}


def test_categories_of_a_partial_dependence_are_literal():
    frame = pd.DataFrame({COLUMNS[0]: pd.Categorical(LABELS), COLUMNS[1]: pd.Categorical(TWO)})
    model = learnable.make_pipeline(learnable.TableVectorizer(), learnable.Ridge()).fit(frame, Y)
    for features in ([0], [(0, 1)]):
        plot.PartialDependenceDisplay.from_estimator(model, frame, features, categorical_features=[0, 1])
        assert {COLUMNS[0], *CLASSES} <= texts_of(pyplot.gcf())


@pytest.mark.parametrize("name", PHRASES)
@pytest.mark.parametrize("settings", [{}, {"text.parse_math": False}])
def test_literal_text_is_drawn_as_it_is(name, settings):
    with matplotlib.rc_context(settings):
        figure = matplotlib.figure.Figure()
        axes = figure.subplots()
        axes.plot([0, 1], label=literal_text(name, legend=True))
        assert axes.legend().get_texts()
        axes.set_title(literal_text(name))
        axes.set_axis_off()
        drawn, kind = axes.title._preprocess_math(axes.title.get_text())
        assert (drawn, kind) == (printable(name), False)
        assert any(printable(name).strip() in text for text in texts_of(figure))


def test_settings_of_matplotlib_decide_what_is_escaped():
    with matplotlib.rc_context({"text.usetex": True}):
        assert literal_text("\\input{x} $5_a^b") == r"\textbackslash{}input\{x\} \$5\_a\textasciicircum{}b"
    assert literal_lines("a $5 b", 3) == "a\n\\$5\nb"
