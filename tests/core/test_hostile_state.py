"""Model files whose arrays name entries that are not there: refused before compiled code follows them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import learnable
from learnable.core import ModelFileError
from learnable.core.errors import DataError
from learnable.core.files import model_file as files
from learnable.core.files.decoding import flaw_of_sparse
from learnable.core.files.encoding import Encoder
from learnable.core.files.trial_prediction import flaw_of_trial

rng = np.random.default_rng(0)
X = rng.standard_normal((20, 3))
Y = X @ [1.0, 2.0, 3.0]
CLASSES = (Y > 0).astype(int) + (Y > 1)
THIN = sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
COUNTS = np.abs(X).round().astype(int)
TEXTS = ["one two three", "two three four", "four five six"]


class Edited:
    """The description of a fitted model and its arrays, to be changed and read back as from a file."""

    def __init__(self, model: Any) -> None:
        encoder = Encoder()
        self.node, self.tensors = encoder.encode(model, "model"), encoder.tensors

    def put(self, value: Any, *path: Any) -> Edited:
        """Another value in the place of a learned attribute, or of what stands in it along `path`."""
        encoder = Encoder()
        encoder.tensors = self.tensors
        owner = self.node["state"]
        for key in path[:-1]:
            owner = owner[key]
        owner[path[-1]] = encoder.encode(value, "x")
        return self

    def load(self) -> Any:
        return files._decoded(self.node, self.tensors, "file")


def vocabulary(columns: list[int]) -> dict[str, int]:
    return dict(zip(["five", "four", "one", "six", "three", "two"], columns, strict=True))


def tfidf(columns: list[int]) -> Edited:
    return Edited(learnable.TfidfVectorizer().fit(TEXTS)).put(vocabulary(columns), "vocabulary_")


def without_entries(model: Any, attribute: str) -> Edited:
    """A sparse matrix without an entry whose starts lead far beyond it."""
    edited = Edited(model)
    node = edited.node["state"][attribute]
    data, indices, starts = (part["array"] for part in node["parts"])
    edited.tensors[data], edited.tensors[indices] = edited.tensors[data][:0], edited.tensors[indices][:0]
    wrong = np.zeros_like(edited.tensors[starts])
    wrong[1:-1] = 2**30
    edited.tensors[starts] = wrong
    return edited


def deep_cycle(name: str) -> Edited:
    """A tree whose root is a leaf, beside two nodes that are each other's parents."""
    model = getattr(learnable, name)().fit(X, CLASSES)
    tree = model.tree_
    count = len(tree.feature)
    child, start, feature = tree.child.copy(), tree.start.copy(), tree.feature
    inner = np.flatnonzero(feature >= 0)
    assert len(inner) > 2 and count > 4
    edges = np.flatnonzero(child == inner[2])
    grand = slice(int(start[inner[2]]), int(start[inner[2] + 1]))
    child[edges], child[grand.start] = child[grand.start], inner[2]  # its own parent, and nothing leads to it
    return Edited(model).put(child, "tree_", "fields", "child")


def kmeans_cycle() -> Edited:
    children = np.array([[1, 2], [0, 4], [-1, -1], [-1, -1], [-1, -1]])
    return Edited(learnable.BisectingKMeans(3, random_state=0).fit(X)).put(children, "children_")


def forest_draws(**changes: Any) -> Edited:
    edited = Edited(learnable.RandomForestRegressor(n_estimators=2, random_state=0).fit(X, Y))
    for name, value in changes.items():
        edited.put(value, "draws_", "fields", name)
    return edited


def kernel_rows(value: Any) -> Edited:
    return Edited(learnable.KernelRidge(kernel="rbf").fit(X, Y)).put(value, "X_fit_")


def neighbours(codes: Any) -> Edited:
    return Edited(learnable.KNeighborsClassifier().fit(X, CLASSES)).put(codes, "codes_")


def tree_part(name: str, value: Any) -> Edited:
    return Edited(learnable.DecisionTreeRegressor(max_depth=2).fit(X, Y)).put(value, "tree_", "fields", name)


def fewer_classes(codes: list[int]) -> Edited:
    return Edited(learnable.Pocket(random_state=0).fit(X, CLASSES)).put(np.array(codes), "classes_")


def forest_of_a_number() -> Edited:
    edited = Edited(learnable.RandomForestRegressor(n_estimators=2, random_state=0).fit(X, Y))
    return edited.put(np.zeros((), np.int32), "forest_", "fields", "stack", "fields", "left")


BINS = learnable.KBinsDiscretizer(3, strategy="uniform")

HOSTILE = {
    "a term with a column far away": (lambda: tfidf([0, 1, 2, 3, 4, 2**40]), "a column of its own"),
    "a term with a column before the first": (lambda: tfidf([0, 1, 2, 3, 4, -7]), "a column of its own"),
    "two terms in a column": (lambda: tfidf([0, 1, 2, 3, 4, 4]), "a column of its own"),
    "fewer weights than terms": (
        lambda: Edited(learnable.TfidfVectorizer().fit(TEXTS)).put(np.ones(2), "idf_"),
        "idf_ must hold a weight for each term",
    ),
    "names of a record elsewhere": (
        lambda: Edited(learnable.DictVectorizer().fit([{"a": 1, "b": 2}])).put({"a": 0, "b": 9}, "vocabulary_"),
        "must give the names in feature_names_ their columns",
    ),
    "support vectors beyond their entries": (
        lambda: without_entries(learnable.SVC().fit(THIN, CLASSES), "support_vectors_"),
        "starts must rise from 0",
    ),
    "training rows beyond their entries": (
        lambda: without_entries(learnable.KernelRidge(kernel="rbf").fit(THIN, Y), "X_fit_"),
        "starts must rise from 0",
    ),
    "neighbours beyond their entries": (
        lambda: without_entries(learnable.KNeighborsRegressor().fit(THIN, Y), "rows_"),
        "starts must rise from 0",
    ),
    "edges of other columns": (
        lambda: Edited(BINS.fit(X)).put([np.array([0.0, 1.0])] * 9, "edges_"),
        "edges_ counts 9 features; expected 3",
    ),
    "columns without edges": (lambda: Edited(BINS.fit(X)).put(9, "n_features_in_"), "n_bins_ has 3 features"),
    "more bins than edges": (lambda: Edited(BINS.fit(X)).put(np.array([3, 3, 2**40]), "n_bins_"), "how many bins"),
    "training rows in one dimension": (lambda: kernel_rows(np.ones(20)), "X_fit_ has 1 dimensions"),
    "a single training number": (lambda: kernel_rows(np.float64(1.0)), "X_fit_ must be a matrix of numbers"),
    "words for training rows": (lambda: kernel_rows(np.full((20, 3), "x")), "X_fit_ must be a matrix of numbers"),
    "a forest of no rows": (lambda: forest_draws(rows=0), "order must hold integers"),
    "a forest that draws from no rows": (lambda: forest_draws(order=np.empty(0, np.uint32)), "order must hold"),
    "a forest that draws rows far away": (
        lambda: forest_draws(order=np.full(20, 2**31, np.uint32)),
        "order must hold rows of the training set",
    ),
    "branches in a circle": (lambda: deep_cycle("C45Classifier"), "nodes form a cycle"),
    "groups in a circle": (kmeans_cycle, "must come after their parent node"),
    "a class of neighbours that is not there": (lambda: neighbours(np.full((20, 1), 2**40)), "codes_ names a class"),
    "classes of neighbours before the first": (lambda: neighbours(np.full((20, 1), -1)), "codes_ names a class"),
    "a covariance of another form": (
        lambda: Edited(learnable.GaussianMixture(2, random_state=0).fit(X)).put(np.ones((2, 0, 0)), "covariances_"),
        "numbers of the shape",
    ),
    "more columns than a table has": (
        lambda: Edited(learnable.Normalizer().fit(X)).put(2**31, "n_features_in_"),
        "n_feat",
    ),
    "columns of which nothing is known": (
        lambda: Edited(learnable.Normalizer().fit(X)).put(2**31 - 1, "n_features_in_"),
        "no learned array has that many columns",
    ),
    "a word for a width": (
        lambda: Edited(learnable.BasisExpansion(["sin"]).fit(X)).put(["x"], "widths_"),
        "a number of columns for each function",
    ),
    "other quantiles": (
        lambda: Edited(learnable.QuantileTransformer(n_quantiles=5).fit(X)).put(2**31, "n_quantiles_"),
        "n_quantiles_ counts|quantiles",
    ),
    "counts in bytes": (
        lambda: Edited(learnable.MiniBatchKMeans(2, random_state=0).fit(X)).put(np.ones(2, np.uint8), "counts_"),
        "counts_ must hold finite float64 numbers",
    ),
    "support vectors of another number": (
        lambda: Edited(learnable.SVC().fit(X, CLASSES)).put(np.array([9, 9, 9], np.int32), "n_support_"),
        "n_support_ must count",
    ),
    "a class for an array": (
        lambda: Edited(learnable.KNeighborsRegressor().fit(X, Y)).put(np.int8, "targets_"),
        "targets_ has the wrong type",
    ),
    "a list for an array of a tree": (lambda: tree_part("value", [0]), "Tree has no field 'value' of that type"),
    "a single number for an array of a tree": (forest_of_a_number, "TreeStack: its parts do not fit together"),
    "a class twice": (lambda: fewer_classes([0, 0, 1]), "classes_ must hold each class once"),
    "transitions that are not probabilities": (
        lambda: Edited(learnable.GaussianHMM(2, n_iter=1000, random_state=0).fit(X)).put(
            np.full((2, 2), np.nan), "transmat_"
        ),
        "transmat_ must hold probabilities",
    ),
    "states that begin too often": (
        lambda: Edited(learnable.PoissonHMM(2, random_state=0).fit(COUNTS)).put(np.array([1.0, 1.0]), "startprob_"),
        "startprob_ must hold probabilities",
    ),
    "a best candidate that is not there": (
        lambda: Edited(learnable.GridSearchCV(learnable.Ridge(), {"alpha": [1, 2]}).fit(X, Y)).put(2, "best_index_"),
        "best_index_ names entry 2 of 2 candidates",
    ),
    "an infinite step": (
        lambda: Edited(learnable.SGDRegressor(random_state=0).fit(X, Y)).put(float("inf"), "t_"),
        "t_ must hold numbers",
    ),
    "shares of other rows": (
        lambda: Edited(learnable.KernelCenterer().fit(X @ X.T)).put(np.ones(3), "shares_"),
        "shares_ has 3 features; expected 20",
    ),
    "tables of fewer columns": (
        lambda: Edited(learnable.CategoricalNB().fit(COUNTS, CLASSES)).put([np.ones((3, 2))], "summary_", "dict", 1, 1),
        "summary_ must hold statistics of each class and column",
    ),
    "merges of two numbers": (
        lambda: Edited(learnable.HDBSCAN(min_cluster_size=3).fit(X)).put(np.zeros((19, 2)), "merges_"),
        "merges_ must hold two clusters, a distance and a size",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_leads_beyond_its_arrays_is_refused(case):
    make, words = HOSTILE[case]
    with pytest.raises(ModelFileError, match=words):
        make().load()


def test_a_model_of_fewer_classes_than_scores_is_refused():
    edited = Edited(learnable.Pocket(random_state=0).fit(X, CLASSES)).put(np.array([0, 1]), "classes_")
    assert "for the 2 classes of classes_" in flaw_of_trial(edited.load())


def test_neighbours_of_rows_with_missing_values_are_not_made_up():
    model = Edited(learnable.KNeighborsClassifier().fit(X, CLASSES)).put(np.full((20, 3), np.nan), "rows_").load()
    with pytest.raises(DataError, match="the rows among which neighbours are searched hold NaN"):
        model.predict(X)


def test_samples_that_memory_cannot_hold_are_not_listed():
    draws = {"rows": 20, "number": 2**62, "order": np.arange(20, dtype=np.uint32)}
    with pytest.raises(DataError, match="memory has no room"):
        _ = forest_draws(**draws).load().estimators_samples_


def test_statistics_of_other_targets_are_not_summarised():
    edited = Edited(learnable.LinearRegression().fit(X, Y))
    names = [key for key, _ in edited.node["state"]["statistics_"]["dict"]]
    model = edited.put(np.ones(0), "statistics_", "dict", names.index("deviation"), 1).load()
    with pytest.raises(DataError, match="statistics_ are not those of one target"):
        model.summary()


def test_what_a_fit_did_not_learn_is_named():
    model = learnable.RandomForestRegressor(2, random_state=0).fit(X, Y)
    with pytest.raises(AttributeError, match="has no oob_score_: its fit did not learn it"):
        _ = model.oob_score_


@pytest.mark.parametrize(
    ("data", "indices", "starts", "shape", "words"),
    [
        (np.ones(0), np.zeros(0, np.int32), np.array([0, 2**30, 0], np.int32), (2, 2), "rise from 0"),
        (np.ones(1), np.zeros(1, np.int32), np.array([0, -5, 1], np.int32), (2, 2), "rise from 0"),
        (np.ones(1), np.zeros(1, np.int32), np.array([0, 1, 2], np.int32), (2, 2), "rise from 0"),
        (np.ones(1), np.array([2], np.int32), np.array([0, 1, 1], np.int32), (2, 2), "outside its shape"),
        (np.ones(1), np.array([-1], np.int32), np.array([0, 1, 1], np.int32), (2, 2), "outside its shape"),
        (np.ones(2), np.zeros(1, np.int32), np.array([0, 1, 1], np.int32), (2, 2), "an index for each entry"),
        (np.ones(1), np.zeros(1, np.int16), np.array([0, 1, 1], np.int32), (2, 2), "whole numbers of 4 or 8 bytes"),
        (np.ones(1), np.zeros(1, np.int32), np.array([0, 1, 1], np.int32), (2, 2**40), "its shape must be"),
        (np.ones(1), np.zeros(1, np.int32), np.array([0, 1, 1], np.int32), (3, 2), "a start for each row"),
        (np.ones((1, 1)), np.zeros(1, np.int32), np.array([0, 1, 1], np.int32), (2, 2), "lists of numbers"),
        (np.ones(1), np.zeros(1, np.int32), np.array([0, 1, 1], np.int32), (2, 2), ""),
        (np.ones(3), np.full(3, 7, np.int32), np.array([0, 0, 0], np.int32), (2, 2), ""),  # room beyond the last start
    ],
)
def test_a_broken_sparse_matrix_is_recognised(data, indices, starts, shape, words):
    flaw = flaw_of_sparse(data, indices, starts, *shape)
    assert words in flaw if words else flaw == ""


def test_an_array_that_is_named_again_and_again_is_refused():
    encoder = Encoder()
    words = encoder.encode(np.array(["x" * 40] * 20_000, dtype=object), "x")
    with pytest.raises(ModelFileError, match="names the same arrays too often"):
        files._decoded([words] * 50, encoder.tensors, "file")


def test_a_trace_of_rows_without_columns_is_refused():
    node = {"trace": {"columns": [], "values": {"array": "t", "transposed": False}}, "stopped": "exact"}
    with pytest.raises(ModelFileError, match="the trace is not a table"):
        files._decoded(node, {"t": np.empty((2**20, 0))}, "file")


def test_an_array_without_entries_has_no_very_long_axis():
    node = {"array": "t", "transposed": False}
    with pytest.raises(ModelFileError, match="without entries has the shape"):
        files._decoded(node, {"t": np.empty((2**40, 0))}, "file")


def test_one_long_text_does_not_make_many_short_ones_long():
    encoder = Encoder()
    node = encoder.encode(np.array([*[""] * 8000, "x" * 8000], dtype=object), "x")
    assert len(files._decoded(node, encoder.tensors, "file")) == 8001
    node["object"] = False
    with pytest.raises(ModelFileError, match="too long for an array of fixed width"):
        files._decoded(node, encoder.tensors, "file")


MANY = {
    "columns": lambda: Edited(learnable.Normalizer().fit(X)).put(2**23, "n_features_in_"),
    "clusters": lambda: parameter(learnable.KMedoids(2, random_state=0).fit(X), n_clusters=2**40),
    "frequencies": lambda: parameter(learnable.AdditiveChi2Sampler().fit(np.abs(X)), sample_steps=2**40),
    "columns of a function": lambda: Edited(learnable.BasisExpansion(["sin"]).fit(X)).put([2**40], "widths_"),
}


def parameter(model: Any, **values: Any) -> Edited:
    edited = Edited(model)
    edited.node["params"].update(values)
    return edited


@pytest.mark.parametrize("case", MANY)
def test_more_columns_than_can_be_listed_are_not_named(case):
    with pytest.raises(DataError, match="too many to name"):
        MANY[case]().load().get_feature_names_out()


def test_clusters_of_sparse_rows_by_exemplars_can_be_saved(tmp_path):
    model = learnable.AffinityPropagation(random_state=0).fit(THIN)
    learnable.save(model, tmp_path / "model")
    np.testing.assert_array_equal(learnable.load(tmp_path / "model").predict(THIN), model.predict(THIN))
