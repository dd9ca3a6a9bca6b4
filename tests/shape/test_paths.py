"""Names are found under scikit-learn's paths, so that changing `sklearn` to `learnable` in an import is enough."""

import importlib
import inspect

import pytest
from sklearn.experimental import enable_halving_search_cv, enable_iterative_imputer  # noqa: F401  else hidden

PATHS = [
    "metrics", "model_selection", "preprocessing", "impute", "compose", "pipeline", "dummy", "feature_selection",
    "feature_extraction", "feature_extraction.text", "feature_extraction.image", "datasets", "utils.class_weight",
    "metrics.pairwise", "metrics.cluster", "exceptions", "base", "linear_model", "svm", "naive_bayes",
    "discriminant_analysis", "multiclass", "multioutput", "calibration", "kernel_approximation", "kernel_ridge",
    "inspection", "tree", "frozen", "neighbors", "cluster", "mixture", "cross_decomposition",
]  # fmt: skip
ELSEWHERE = {  # what needs a network, belongs to the inside of scikit-learn, is not a tool of its users or not ours yet
    "metrics.cluster": {"entropy"},
    "model_selection": {"BaseCrossValidator", "BaseShuffleSplit"},
    "feature_selection": {"SelectorMixin"},
    "tree": {"BaseDecisionTree"},
    "datasets": {"clear_data_home", "get_data_home", "load_sample_image", "load_sample_images"},
    "exceptions": {"EstimatorCheckFailedWarning", "InconsistentVersionWarning", "SkipTestWarning"},
    "neighbors": {"VALID_METRICS", "VALID_METRICS_SPARSE"},
}  # fmt: skip


def names_of(module):
    """The public names of one of scikit-learn's modules."""
    listed = getattr(module, "__all__", None)
    if listed is None:
        listed = [
            name for name, value in vars(module).items()
            if not name.startswith("_") and (inspect.isfunction(value) or inspect.isclass(value))
            and value.__module__ == module.__name__
        ]  # fmt: skip
    return [name for name in listed if not name.startswith("fetch_")]


@pytest.mark.parametrize("path", PATHS)
def test_every_name_has_its_path(path):
    theirs, ours = importlib.import_module(f"sklearn.{path}"), importlib.import_module(f"learnable.{path}")
    requested = set(names_of(theirs)) - ELSEWHERE.get(path, set())
    missing = {name for name in requested if not hasattr(ours, name)}
    assert requested and not missing
    stale = {name for name in ELSEWHERE.get(path, set()) if hasattr(ours, name)}
    assert not stale, "these are there after all"


POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD


@pytest.mark.parametrize("path", PATHS)
def test_every_argument_is_accepted_in_its_position(path):
    theirs, ours = importlib.import_module(f"sklearn.{path}"), importlib.import_module(f"learnable.{path}")
    for name in set(names_of(theirs)) - ELSEWHERE.get(path, set()):
        if name.endswith(("Display", "Warning", "Error")) or not callable(getattr(theirs, name)):
            continue
        if name in ("DistanceMetric", "KDTree", "BallTree"):
            continue  # theirs are compiled and do not say
        expected, given = (inspect.signature(getattr(home, name)).parameters for home in (theirs, ours))
        open_ended = any(argument.kind is inspect.Parameter.VAR_KEYWORD for argument in given.values())
        named = [key for key in expected if key not in ("args", "kwargs", "params")]
        assert open_ended or set(named) <= set(given), f"{name} lacks {set(named) - set(given)}"
        in_place = [key for key in named if expected[key].kind is POSITIONAL and key in given]
        assert (
            in_place == [key for key in given if key in expected and given[key].kind is POSITIONAL][: len(in_place)]
        ), name


def test_what_scikit_learn_enables_needs_no_enabling():
    for name in ("enable_halving_search_cv", "enable_iterative_imputer"):
        assert importlib.import_module(f"learnable.experimental.{name}").__doc__
