"""Models of every class whose learned state was changed: each is refused, or works, or says in words why it cannot.

What is never accepted is a process that ends, time or memory without bound, and words of the compiled code's tools.
`LEARNABLE_FUZZ=N` tries N * 100 models of each class instead of the few of every run, and also lists errors that Python
or NumPy raised.
"""

from __future__ import annotations

import os

import pytest

from tests.contract.cases import CLASSES
from tests.fuzz.run import is_severe, tried

TIMES = int(os.environ.get("LEARNABLE_FUZZ", "0"))
SEED = os.environ.get("LEARNABLE_FUZZ_SEED") or "0"
CASES = TIMES * 100 or 2
SOUND = (
    "TfidfVectorizer", "CountVectorizer", "DictVectorizer", "KBinsDiscretizer", "DecisionTreeClassifier",
    "DecisionTreeRegressor", "BisectingKMeans", "AdditiveChi2Sampler", "BasisExpansion",
)  # fmt: skip
"""Classes whose state is declared so closely that no error of Python or NumPy comes through."""
NAMES = list(CLASSES)
PARTS = [NAMES[at : at + 60] for at in range(0, len(NAMES), 60)]


@pytest.mark.parametrize("part", range(len(PARTS)))
def test_changed_models_do_no_harm(part):
    outcome = tried(PARTS[part], 0, CASES, SEED)
    assert outcome.tried == CASES * len(PARTS[part])
    severe = [flaw for flaw in outcome.flaws if is_severe(flaw)]
    assert not severe, f"{len(severe)} of {outcome.tried} models; the first: {severe[:3]}"


def test_changed_models_of_sound_classes_give_messages():
    outcome = tried(list(SOUND), 0, TIMES * 100 or 20, SEED)
    assert not outcome.flaws, f"{len(outcome.flaws)} of {outcome.tried} models; the first: {outcome.flaws[:3]}"


def test_harm_would_be_seen():
    words = ["SIGSEGV", "slow: 2.0 s", "MemoryError at x: ", "TypeError at x: f(): incompatible function arguments"]
    assert all(is_severe(["C", 0, "changes", "predict", word]) for word in words)
    assert not is_severe(["C", 0, "changes", "predict", "IndexError at x: list index out of range"])
