"""Names of values: what does something else has another name, and a new process finds the same one."""

import subprocess
import sys
from functools import partial, wraps

import numpy as np
import pytest
import sklearn.frozen
import sklearn.linear_model
import sklearn.pipeline
from sklearn.metrics import fbeta_score, make_scorer

import learnable
from learnable.core.files.fingerprint import fingerprint

PROGRAM = """
from functools import partial
import numpy as np
import learnable
from sklearn.linear_model import Ridge
from sklearn.metrics import fbeta_score, make_scorer
from learnable.core.files.fingerprint import fingerprint

class Mine(Ridge):
    names = ("a", "b")
    def fit(self, X, y, words=frozenset("abcdefg")):
        return super().fit(X, y) if y[0] in {"one", "two", "three"} else self

class Slotted:
    __slots__ = ("own",)

slotted = Slotted()
slotted.own = object()

def around(words):
    def scorer(model, X, y):
        return scorer if y in {"one", "two", "three"} else [word for word in words]
    return scorer

print(fingerprint(
    Mine(), Mine, Mine().fit, slotted, around({"x", "y", "z"}), partial(fbeta_score, beta=2), np.random.default_rng(0),
    make_scorer(fbeta_score, beta=2), learnable.Lasso(), learnable.metrics.get_scorer("r2"), np.mean, np.add, len,
))
"""


def made(text, name):
    """What a program calls by that name."""
    space = {"__name__": "program"}
    exec(text, space)
    return space[name]


def scorer_of(weight):
    return lambda model, X, y: weight


class Model:
    def __init__(self, weight):
        self.weight = weight

    def score(self, X, y):
        return self.weight


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (make_scorer(partial(fbeta_score, beta=2)), make_scorer(partial(fbeta_score, beta=0.1))),
        (partial(max, 1), partial(max, 2)),
        (lambda y: y + 1, lambda y: y + 2),
        (lambda y: np.min(y), lambda y: np.max(y)),
        (lambda y: lambda z: 1, lambda y: lambda z: 2),
        (lambda y, power=1: y**power, lambda y, power=2: y**power),
        (lambda y, *, power=1: y**power, lambda y, *, power=2: y**power),
        (scorer_of(1), scorer_of(2)),
        (Model(1).score, Model(2).score),
        (sklearn.linear_model.Lasso(), learnable.Lasso()),
        (sklearn.linear_model.Lasso, learnable.Lasso),
        (learnable.Lasso(), learnable.Lasso().set_fit_request(sample_weight=False)),
        (np.random.default_rng(0), np.random.default_rng(1)),
        ({"a", "b"}, {"a", "c"}),
    ],
)
def test_what_does_something_else_has_another_name(one, other):
    assert fingerprint(one) == fingerprint(one) != fingerprint(other)


@pytest.mark.parametrize(
    "text",
    [
        "def mine(model, X, y):\n    return {}",
        "class mine:\n    def score(self, X, y):\n        return {}",
        "class mine:\n    @staticmethod\n    def score(X, y):\n        return {}",
        "class mine:\n    @property\n    def score(self):\n        return {}",
        "class mine:\n    weight = {}",
        "cost = {}\ndef mine(model, X, y):\n    return cost",
        "costs = [{}]\ndef mine(model, X, y):\n    return [cost for cost in costs]",
        "def cost():\n    return {}\ndef mine(model, X, y):\n    return cost()",
        "cost = {}\nclass mine:\n    def score(self, X, y):\n        return cost",
    ],
)
def test_edited_code_has_another_name_and_the_same_code_the_same(text):
    one, same, edited = (made(text.format(number), "mine") for number in (1, 1, 2))
    assert fingerprint(one) == fingerprint(same) != fingerprint(edited)
    if isinstance(one, type):
        assert fingerprint(one()) == fingerprint(same()) != fingerprint(edited())


def test_other_processes_find_the_same_name():
    runs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


COUNTING = """
import logging
calls = {0}
log = logging.getLogger("{0}")
def mine():
    global calls
    calls += 1
    log.info(calls)
"""


def test_what_a_function_counts_or_writes_to_is_not_what_it_does():
    one, other = (made(COUNTING.format(number), "mine") for number in (1, 2))
    assert fingerprint(one) == fingerprint(other)


def test_times_have_names():
    """NumPy lends no buffer of times, which tables hold as any other column."""
    days = np.array(["2024-01-01", "NaT"], dtype="datetime64[us]")
    assert fingerprint(days) == fingerprint(days.copy()) != fingerprint(days[::-1])
    assert fingerprint(days - days[0]) != fingerprint(days)


def test_a_function_of_the_library_keeps_its_name_when_it_is_called():
    def scorer(y, found):
        return learnable.metrics.hamming_loss(y, found)

    before = fingerprint(learnable.metrics.hamming_loss, scorer)
    scorer([0, 1], [0, 1])
    assert fingerprint(learnable.metrics.hamming_loss, scorer) == before


def test_a_wrapper_of_a_user_is_not_what_it_wraps():
    def times(factor):
        @wraps(learnable.metrics.hamming_loss)
        def call(y, found):
            return factor * learnable.metrics.hamming_loss(y, found)

        return call

    assert len({fingerprint(one) for one in (times(1), times(2), learnable.metrics.hamming_loss)}) == 3


def of_pipeline(model):
    return sklearn.pipeline.make_pipeline(model)


@pytest.mark.parametrize("inner", [learnable.PCA, lambda: of_pipeline(learnable.PCA())], ids=["ours", "in theirs"])
@pytest.mark.parametrize(
    "around",
    [learnable.FrozenEstimator, sklearn.frozen.FrozenEstimator, lambda m: learnable.SelectFromModel(m, prefit=True)],
    ids=["frozen", "frozen by theirs", "prefit"],
)
def test_models_that_are_used_as_they_are_fitted_are_known_by_what_they_learned(around, inner):
    one, other = np.eye(4), np.arange(12.0).reshape(4, 3) ** 2
    names = [fingerprint(around(inner().fit(rows))) for rows in (one, one, other)]
    assert names[0] == names[1] != names[2]
    assert fingerprint(learnable.BaggingRegressor(inner().fit(one))) == fingerprint(learnable.BaggingRegressor(inner()))
